package main

import (
	"testing"

	"github.com/tsumero/tsumero/solver/play/levels"
)

// The help of play says of every level what it is.
func TestLevelTexts(t *testing.T) {
	for _, name := range levels.Names() {
		if levelText[name] == "" {
			t.Errorf("not a word of the level %s", name)
		}
	}
}
