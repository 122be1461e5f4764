package main

import (
	"net/http"
	"time"

	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/site"
)

// pages returns what the service shows besides its API: the pages, with the board that they and
// other sites use, and pictures of positions. maxTime is the longest search that the API allows,
// analyses says whether it offers those, and levels are those that play. api answers what the pages
// ask about jobs, nil for none.
func pages(maxTime time.Duration, analyses bool, levels []string, api http.Handler) (
	web, diagrams http.Handler, err error) {
	pages, err := site.Handler(site.Config{MaxTime: maxTime, Analyses: analyses, Levels: levels, API: api})
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	board.Register(mux)
	mux.Handle("/", pages)
	return mux, diagram.Handler(), nil
}
