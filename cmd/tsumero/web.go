package main

import (
	"net/http"

	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/site"
)

// pages returns what the service shows besides its API: the pages, and pictures of positions.
func pages() (web, diagrams http.Handler, err error) {
	web, err = site.Handler()
	return web, diagram.Handler(), err
}
