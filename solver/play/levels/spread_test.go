package levels

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A fake reports lines and chooses the first of the last set.
type fake []play.Info

func (fake) NewGame() {}

func (f fake) Search(_ context.Context, _ *shogi.Game, _ play.Limits,
	report func(play.Info)) play.Choice {
	var best play.Info
	for _, i := range f {
		if report != nil {
			report(i)
		}
		if i.MultiPV == 1 {
			best = i
		}
	}
	return play.Choice{Move: best.Line[0], Score: best.Score, Line: best.Line, Depth: best.Depth}
}

// A move is played only if the newest lines value it nearly as highly as the best.
func TestSpreadLines(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	p := g.Position()
	var buf shogi.MoveBuffer
	moves := p.LegalMoves(&buf, shogi.AllMoves)
	line := func(depth, rank int, m shogi.Move, score play.Score) play.Info {
		return play.Info{Depth: depth, MultiPV: rank, Score: score, Line: []shogi.Move{m}}
	}
	a, b, c, d := moves[0], moves[1], moves[2], moves[3]
	for name, test := range map[string]struct {
		engine fake
		want   []shogi.Move
	}{
		"near":  {fake{line(5, 1, a, 10), line(5, 2, b, -10), line(5, 3, c, -90), line(5, 4, d, -91)}, []shogi.Move{a, b, c}},
		"older": {fake{line(5, 1, a, 10), line(4, 2, b, -10)}, []shogi.Move{a, b}},
		"overtaken": {fake{line(4, 1, b, 200), line(4, 2, a, 10), line(5, 1, a, 10), line(4, 2, b, 200)},
			[]shogi.Move{a}},
		"set": {fake{line(4, 1, b, 20), line(4, 2, a, 10), line(5, 1, a, 10)}, []shogi.Move{a}},
	} {
		played := map[shogi.Move]int{}
		for seed := range uint64(200) {
			s := &spread{test.engine, seed, 100}
			c := s.Search(t.Context(), &g, play.Limits{}, func(i play.Info) {
				if i.MultiPV != 1 {
					t.Fatalf("%s: reported rank %d, which nobody wanted", name, i.MultiPV)
				}
			})
			played[c.Move]++
		}
		for _, m := range test.want {
			if played[m] == 0 {
				t.Errorf("%s: never played %v, %v", name, m, played)
			}
			delete(played, m)
		}
		if len(played) > 0 {
			t.Errorf("%s: also played %v", name, played)
		}
	}
}
