package playtest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/playtest"
)

// all returns the vectors as they are, in a mirror, from the other side, and near other limits.
func all() (vectors []playtest.Vector) {
	for _, v := range playtest.Vectors {
		mirrored, rotated := v.Mirrored(), v.Rotated()
		vectors = append(vectors, v, mirrored, rotated, mirrored.Rotated())
		if v.Start.Ply()+97 > v.Rules.MaxMoves { // else the ply would not be positive
			moved := v.Moved(97)
			vectors = append(vectors, moved, moved.Rotated())
		}
	}
	return vectors
}

// The table holds what it says it does.
func TestVectors(t *testing.T) {
	ids := map[string]bool{}
	for _, v := range playtest.Vectors {
		ids[v.ID] = true
	}
	for _, d := range playtest.Declarations {
		ids[d.ID] = true
	}
	for n := 1; n <= 47; n++ {
		if id := fmt.Sprintf("T-%02d", n); !ids[id] {
			t.Errorf("%s is missing", id)
		}
	}
}

// The referee ends the games that are over, for the right reason and with the right winner, and no
// other.
func TestOutcome(t *testing.T) {
	for _, v := range all() {
		g := v.Game()
		p := g.Position()
		got := v.Rules.Outcome(g)
		if got.End != v.End {
			t.Errorf("%v: the game has ended by %q, want %q", &v, got.End, v.End)
			continue
		}
		won := v.Value == playtest.Loss && v.End != play.NotOver
		if got.End.IsWon() != won || won && got.Winner != p.SideToMove().Opponent() {
			t.Errorf("%v: %+v, the position is worth %c to %v", &v, got, v.Value, p.SideToMove())
		}
	}
}

func TestDeclarations(t *testing.T) {
	for _, d := range playtest.Declarations {
		for _, p := range []shogi.Position{d.Position, d.Position.Mirrored()} {
			b := mailbox.From(&p)
			for _, test := range []struct {
				rules play.Rules
				want  bool
			}{
				{play.Rules{MaxMoves: 256}, d.Declares},
				{play.Rules{MaxMoves: 256, LastMove: play.MateDraws}, d.Declares},
				{play.Rules{MaxMoves: 0}, d.Declares},
				{play.Rules{MaxMoves: 255}, false},
				{play.Rules{MaxMoves: 255, LastMove: play.MateDraws}, false},
				{play.Rules{MaxMoves: 256, EnteringKing: shogi.NoEnteringKing}, false},
			} {
				if got := test.rules.CanDeclare(&p); got != test.want {
					t.Errorf("%s: %s under %+v: %v, want %v", d.ID, p.SFEN(), test.rules, got, test.want)
				}
			}
			if got := b.CanDeclare(); got != d.Declares {
				t.Errorf("%s: %s: by the plain rules %v, want %v", d.ID, p.SFEN(), got, d.Declares)
			}
		}
	}
}

// A witness is a set of rules, and B its positions.
type witness[B any] struct {
	moves   func(B) []shogi.Move
	do      func(B, shogi.Move) B
	inCheck func(B) bool // the side to move
	same    func(a, b B) bool
}

var byBitboards = witness[shogi.Position]{
	moves: func(p shogi.Position) []shogi.Move {
		var buf shogi.MoveBuffer
		return slices.Clone(p.LegalMoves(&buf, shogi.AllMoves))
	},
	do:      func(p shogi.Position, m shogi.Move) shogi.Position { p.Do(m); return p },
	inCheck: func(p shogi.Position) bool { return p.InCheck() },
	same:    func(p, q shogi.Position) bool { return p.SamePosition(&q) },
}

var byMailbox = witness[mailbox.Board]{
	moves:   func(b mailbox.Board) []shogi.Move { return b.LegalMoves() },
	do:      func(b mailbox.Board, m shogi.Move) mailbox.Board { b.Do(m); return b },
	inCheck: func(b mailbox.Board) bool { return b.InCheck(b.SideToMove()) },
	same:    func(a, b mailbox.Board) bool { return a.Position() == b.Position() },
}

// value is what the last position of the game is worth to its side to move, 1, 0 or -1, by playing
// every move of both sides to the end. Above beta or below alpha it is only a bound. ply is the
// number of the next move.
func (w *witness[B]) value(game []B, ply int, rules play.Rules, alpha, beta int) int {
	b := game[len(game)-1]
	if n := len(game) - 1; n >= 4 {
		var same []int // the three latest before
		for i := n - 1; i >= 0 && len(same) < 3; i-- {
			if w.same(game[i], b) {
				same = append(same, i)
			}
		}
		if len(same) == 3 {
			var checks [2]bool // whether all moves were checks, of the side to move and of the other
			for side := range checks {
				checks[side] = true
				for i := n - 1 + side; i > same[2]; i -= 2 {
					checks[side] = checks[side] && w.inCheck(game[i])
				}
			}
			switch {
			case checks[0] && !checks[1]:
				return -1
			case checks[1] && !checks[0]:
				return 1
			}
			return 0
		}
	}
	over := rules.MaxMoves > 0 && ply > rules.MaxMoves
	if over && rules.LastMove == play.MateDraws {
		return 0
	}
	moves := w.moves(b)
	switch {
	case len(moves) == 0:
		return -1
	case over:
		return 0
	}
	best := -1
	for _, m := range moves {
		v := -w.value(append(game, w.do(b, m)), ply+1, rules, -beta, -max(alpha, best))
		if best = max(best, v); best >= beta {
			break
		}
	}
	return best
}

// solve returns the value of the vector, and the moves that reach it.
func (w *witness[B]) solve(v *playtest.Vector, from func(shogi.Position) B) (playtest.Value, []shogi.Move) {
	game := []B{from(v.Start)}
	for _, m := range v.Moves {
		game = append(game, w.do(game[len(game)-1], m))
	}
	p := v.Game().Position()
	value := w.value(game, p.Ply(), v.Rules, -1, 1)
	letter := map[int]playtest.Value{1: playtest.Win, 0: playtest.Draw, -1: playtest.Loss}[value]
	if v.End != play.NotOver {
		return letter, nil
	}
	var best []shogi.Move
	b := game[len(game)-1]
	for _, m := range w.moves(b) {
		if -w.value(append(game, w.do(b, m)), p.Ply()+1, v.Rules, -1, 1-value) >= value {
			best = append(best, m)
		}
	}
	return letter, best
}

// The values of the vectors, and the best moves, are those of searches to the limit.
func TestValues(t *testing.T) {
	for _, v := range playtest.Vectors {
		p := v.Game().Position()
		left := v.Rules.MaxMoves - p.Ply() + 1
		if v.Value == 0 || left > 10 || v.Rules.MaxMoves == 0 {
			continue // the position is worth what it is near the limit, with moves to spare
		}
		t.Run(fmt.Sprintf("%s/%d", v.ID, v.Rules.LastMove), func(t *testing.T) {
			check := func(by string, value playtest.Value, best []shogi.Move) {
				slices.Sort(best)
				want := slices.Sorted(slices.Values(v.Best))
				switch {
				case value != v.Value:
					t.Errorf("%v is worth %c by %s, want %c", &v, value, by, v.Value)
				case v.Best != nil && !slices.Equal(best, want) || v.NumBest > 0 && len(best) != v.NumBest:
					t.Errorf("%v: the best moves are %v by %s, want %v (%d)", &v, best, by, want, v.NumBest)
				}
			}
			value, best := byBitboards.solve(&v, func(p shogi.Position) shogi.Position { return p })
			check("bitboards", value, best)
			if testing.Short() && left > 4 {
				return // seconds
			}
			value, best = byMailbox.solve(&v, func(p shogi.Position) mailbox.Board { return mailbox.From(&p) })
			check("the plain rules", value, best)
		})
	}
}
