package levels_test

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// Every level answers with a legal move, and the same one when it is asked again by another engine.
func TestLevels(t *testing.T) {
	for _, name := range levels.Names() {
		t.Run(name, func(t *testing.T) {
			g := shogi.NewGame(shogi.Start())
			p := g.Position()
			var first shogi.Move
			for i := range 2 {
				e, err := levels.New(name, levels.Options{Seed: 1, Nodes: 300})
				if err != nil {
					t.Fatal(err)
				}
				e.NewGame()
				c := e.Search(t.Context(), &g, play.Limits{Nodes: 300}, nil)
				if !p.IsLegal(c.Move) {
					t.Fatalf("%v is not legal", c.Move)
				}
				if i == 0 {
					first = c.Move
				} else if c.Move != first {
					t.Errorf("%v, then %v", first, c.Move)
				}
			}
		})
	}
}

func TestUnknownLevel(t *testing.T) {
	_, err := levels.New("asayomu", levels.Options{})
	if err == nil || !strings.Contains(err.Error(), "asayomi") {
		t.Errorf("error %v does not name the levels", err)
	}
}
