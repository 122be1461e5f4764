package levels

import (
	"context"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// An asked engine keeps the limits it is given.
type asked struct{ lim play.Limits }

func (*asked) NewGame() {}

func (a *asked) Search(_ context.Context, _ *shogi.Game, lim play.Limits,
	_ func(play.Info)) play.Choice {
	a.lim = lim
	a.lim.Moves = slices.Clone(lim.Moves)
	return play.Choice{}
}

// A weak engine sees its share of the moves, each of them in some game, those of the king less
// often, and at least one wherever there is one.
func TestWeakSees(t *testing.T) {
	kingUp, err := shogi.ParseMove("5i5h")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		sfen       string
		sees, want int // the most
		only       []shogi.Move
	}{
		"start":    {sfen: shogi.StartSFEN, sees: 20, want: 6},
		"one":      {sfen: shogi.StartSFEN, sees: 1, want: 1},
		"king":     {sfen: "4k4/9/9/9/9/9/9/9/4K4 b - 1", sees: 20, want: 1},
		"in check": {sfen: "4k4/9/9/9/9/9/9/4r4/4K4 b - 1", sees: 99, want: 3},
		"asked":    {sfen: shogi.StartSFEN, sees: 50, want: 1, only: []shogi.Move{kingUp}},
		"mated":    {sfen: "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", sees: 50},
	} {
		g := shogi.NewGame(shogi.MustParseSFEN(test.sfen))
		p := g.Position()
		var buf shogi.MoveBuffer
		all := p.LegalMoves(&buf, shogi.AllMoves)
		seen, kings, others := map[shogi.Move]int{}, 0, 0
		for seed := range uint64(500) {
			var a asked
			w := &weak{&a, seed, 100, test.sees}
			w.Search(t.Context(), &g, play.Limits{Moves: test.only}, nil)
			if n := len(a.lim.Moves); n > test.want || n < min(1, test.want) {
				t.Fatalf("%s: sees %d moves", name, n)
			}
			for _, m := range a.lim.Moves {
				if !p.IsLegal(m) {
					t.Fatalf("%s: sees %v", name, m)
				}
				seen[m]++
				if m.From() == p.King(p.SideToMove()) {
					kings++
				} else {
					others++
				}
			}
		}
		if test.only == nil && len(seen) != len(all) {
			t.Errorf("%s: saw %d of %d moves", name, len(seen), len(all))
		}
		// At the start 3 of the 30 moves are the king's.
		if name == "start" && kings*9*3 > others {
			t.Errorf("saw the king's moves %d times, the others %d times", kings, others)
		}
	}
}

// A weak engine looks at as many nodes as it has, or at fewer if it is asked to.
func TestWeakNodes(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	for most, want := range map[uint64]uint64{0: 100, 50: 50, 5000: 100} {
		var a asked
		(&weak{Engine: &a, nodes: 100}).Search(t.Context(), &g, play.Limits{Nodes: most}, nil)
		if a.lim.Nodes != want || a.lim.Moves != nil {
			t.Errorf("of %d nodes %+v", most, a.lim)
		}
	}
}
