package main

import (
	"net/http"
	"time"

	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/site"
)

// pages returns what the service shows besides its API: the pages, with the board that they and
// other sites use, and pictures of positions. maxTime is the longest search that the API allows, and
// analyses says whether it offers those.
func pages(maxTime time.Duration, analyses bool) (web, diagrams http.Handler, err error) {
	pages, err := site.Handler(site.Config{MaxTime: maxTime, Analyses: analyses})
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/embed.js", board.Handler())
	mux.Handle("/", pages)
	return mux, diagram.Handler(), nil
}
