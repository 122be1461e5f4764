package main

import (
	"net/http"
	"slices"

	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/engine"
	"github.com/tsumero/tsumero/web/site"
)

// pages returns what the service shows besides its API: the pages of a configuration, with the board
// that they and other sites use, and the solver for browsers. names are the levels that play.
func pages(c site.Config, names []string) (http.Handler, error) {
	for _, l := range levels.Opponents() {
		if slices.Contains(names, l.Name) {
			c.Levels = append(c.Levels, site.Level{Name: l.Name, Ja: l.Ja, En: l.En})
		}
	}
	c.Engine, c.Tools = engine.Addresses()
	pages, err := site.Handler(c)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	board.Register(mux)
	engine.Register(mux)
	mux.Handle("/", pages)
	return mux, nil
}
