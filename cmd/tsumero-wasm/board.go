//go:build js && board

package main

import "github.com/tsumero/tsumero/api/local"

// A board asks for no more than every program has.
func routes() []local.Route { return nil }

func levelNames() []string { return nil }
