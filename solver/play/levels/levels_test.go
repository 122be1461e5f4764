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

// People are told of every level what it is.
func TestLevelTexts(t *testing.T) {
	for _, l := range levels.All() {
		if l.Ja == "" || l.En == "" || l.About == "" {
			t.Errorf("the level %s has no texts: %+v", l.Name, l)
		}
	}
}

func TestUnknownLevel(t *testing.T) {
	_, err := levels.New("asayomu", levels.Options{})
	if err == nil || !strings.Contains(err.Error(), "asayomi") {
		t.Errorf("error %v does not name the levels", err)
	}
}

// With a spread several moves are played, all of them legal and none valued too low, and always the
// mate that is seen.
func TestSpread(t *testing.T) {
	const most = 60
	best, err := levels.New("full", levels.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := shogi.NewGame(shogi.Start())
	lim := play.Limits{Nodes: 3000}
	top := best.Search(t.Context(), &g, play.Limits{Nodes: 3000, MultiPV: 6}, nil).Score
	played := map[shogi.Move]int{}
	for seed := range uint64(40) {
		e, err := levels.New("full", levels.Options{Seed: seed, Spread: most})
		if err != nil {
			t.Fatal(err)
		}
		var last play.Info
		c := e.Search(t.Context(), &g, lim, func(i play.Info) {
			if last = i; i.MultiPV != 1 {
				t.Errorf("line %d is reported, one was wanted", i.MultiPV)
			}
		})
		if last.Line[0] != c.Move || last.Score != c.Score {
			t.Errorf("%v for %d, reported %v for %d", c.Move, c.Score, last.Line, last.Score)
		}
		if p := g.Position(); !p.IsLegal(c.Move) || c.Move != c.Line[0] {
			t.Fatalf("%v, %v", c.Move, c.Line)
		}
		if c.Score < top-most {
			t.Errorf("%v is valued at %d, the best at %d", c.Move, c.Score, top)
		}
		played[c.Move]++
	}
	if len(played) < 2 {
		t.Errorf("played only %v", played)
	}
	mate := shogi.NewGame(shogi.MustParseSFEN("8k/9/8P/9/9/9/9/9/K8 b 2G 1"))
	for seed := range uint64(10) {
		e, _ := levels.New("club", levels.Options{Seed: seed, Spread: 10_000})
		c := e.Search(t.Context(), &mate, lim, nil)
		if plies, ok := c.Score.Mate(); !ok || plies != 1 {
			t.Errorf("%v, %d", c.Move, c.Score)
		}
	}
}
