package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/lab/crosscheck"
	"github.com/tsumero/tsumero/solver/play"
)

// A picker hands out the move of the table first, and each useful move once; in quiescence those
// captures that do not lose material.
func TestPicker(t *testing.T) {
	seed := shogitest.Seed(t)
	rng, problems := rand.New(rand.NewPCG(seed, 3)), crosscheck.NewProblems(seed, 4)
	s := New(Options{TableBytes: 1 << 10}).searchers[0]
	var k picker
	inCheck, losing := 0, 0
	for range 500 {
		g := randomGame(rng, problems)
		s.begin(g, play.Rules{}, play.Limits{})
		p := &s.p
		var buf shogi.MoveBuffer
		want := slices.Clone(p.LegalMoves(&buf, shogi.UsefulMoves))
		if len(want) == 0 {
			continue
		}
		first := shogi.NoMove
		if rng.IntN(3) > 0 {
			first = want[rng.IntN(len(want))]
		}
		for i := range s.history.reply[0] {
			s.history.reply[0][i] = int16(rng.IntN(maxHistory))
		}
		quiescence := !p.InCheck() && rng.IntN(2) == 0
		switch {
		case p.InCheck():
			inCheck++
		case quiescence:
			want = slices.Clone(p.Captures(&buf, shogi.UsefulMoves))
			want = slices.DeleteFunc(want, func(m shogi.Move) bool {
				return m == first || !winsExchange(p, m, 0)
			})
			if first != shogi.NoMove {
				want = append(want, first)
			}
		}
		k.begin(first, p.InCheck(), quiescence, &s.history.reply[0], &s.history.reply[0])
		var got []shogi.Move
		for m := k.pick(s, p); m != shogi.NoMove; m = k.pick(s, p) {
			got = append(got, m)
			if k.stage == stageLosing {
				losing++
			}
		}
		if first != shogi.NoMove && got[0] != first {
			t.Errorf("%s: %v before %v, the move of the table", p.SFEN(), got[0], first)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s, table move %v, quiescence %v: %v, expected %v", p.SFEN(), first,
				quiescence, got, want)
		}
	}
	if inCheck < 10 || losing < 30 {
		t.Errorf("%d positions in check, %d losing captures", inCheck, losing)
	}
}
