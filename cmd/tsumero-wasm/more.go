//go:build js && !board

package main

import (
	"github.com/tsumero/tsumero/api/local"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// routes are those that a program for a board does without.
func routes() []local.Route {
	return []local.Route{local.Analyze, local.Threat, local.Read, local.Games, local.Play(newEngine)}
}

func newEngine(level string, seed uint64) (play.Engine, error) {
	return levels.New(level, levels.Options{Seed: seed, TableBytes: levels.RequestTable})
}

func levelNames() []string { return levels.Names() }
