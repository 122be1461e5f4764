package main

import (
	"net/http"
	"slices"
	"time"

	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/engine"
	"github.com/tsumero/tsumero/web/site"
)

// pages returns what the service shows besides its API: the pages, with the board that they and
// other sites use. maxTime is the longest search that the API allows,
// analyses says whether it offers those, and names are the levels that play. contact is whom
// the pages name for faults, "" for nobody. jobs returns what they ask about jobs, nil for none.
func pages(maxTime time.Duration, analyses bool, names []string, contact string,
	jobs func() site.Jobs) (http.Handler, error) {
	var offered []site.Level
	for _, l := range levels.Opponents() {
		if slices.Contains(names, l.Name) {
			offered = append(offered, site.Level{Name: l.Name, Ja: l.Ja, En: l.En})
		}
	}
	boards, tools := engine.Addresses()
	pages, err := site.Handler(site.Config{MaxTime: maxTime, Analyses: analyses, Levels: offered,
		Jobs: jobs, SecurityContact: contact, Engine: boards, Tools: tools})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	board.Register(mux)
	engine.Register(mux)
	mux.Handle("/", pages)
	return mux, nil
}
