package mate3

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
)

// defences are positions with White to move and in check. Of White's replies those listed escape,
// and every other one allows a mate in one. Each is about a rule of thumb for interpositions
// (合い駒) that does not hold, or a condition of theorem A.
var defences = []struct{ name, sfen, escapes, about string }{
	{"A0", "k3R4/9/1+P7/9/9/9/9/9/9 w Gg 1", "", "one contact mate (G*9b) refutes every interposition, near or far"},
	{"A1", "rk7/p8/2P6/B8/9/9/1R7/9/9 w g 1", "G*8c", "the drop cuts the bishop line 9d-8c-7b; 8d, 8e, 8f are refuted"},
	{"A1b", "9/1R7/k7R/9/9/5B3/9/9/9 w Gg 1", "G*7c", "the drop on 7c cuts the bishop line 4f-7c-8b"},
	{"A2", "7pk/9/7S1/9/9/9/9/9/8R w Lrp 1", "R*1c R*1d R*1e R*1f R*1g R*1h", "a rook dropped at any distance guards 1b; L*1b refutes every pawn"},
	{"A3", "k8/9/2K6/9/9/9/R8/9/9 w Gb 1", "B*9e", "the drop checks the attacker's king"},
	{"A3b", "7k1/9/7+PK/4B4/9/9/9/9/9 w r 1", "R*4c", "the drop pins the mating tokin"},
	{"A4", "7kp/8b/9/8B/9/9/9/7L1/9 w G 1", "1b2c", "the move cuts the bishop line 1d-2c-3b"},
	{"A5", "pk7/s8/3S5/9/1R7/9/9/9/9 w G 1", "9b8c", "the mover vacates the flight square 9b"},
	{"A6", "pl7/kn7/9/1P7/3B5/9/9/9/9 w G 1", "8b7d", "the knight opens the lance 8a onto 8c"},
	{"A7", "8k/9/7K1/9/9/6b2/8R/9/9 w S 1", "3f1d", "the interposing bishop checks the attacker's king"},
	{"A8", "8k/9/7P1/9/7R1/9/4b4/1B7/9 w - 1", "5g6f+ 5g6f", "the interposing bishop guards 2b along the line"},
	{"A9", "ln7/k8/p8/9/4l2r1/9/9/6B2/1L7 w - 1", "5e5f", "the lance leaves 5e; after Bx5f the rook reaches 6e"},
	{"A9b", "ln7/k8/p8/9/4l4/9/9/6B2/1L7 w - 1", "", "the same without the rook"},
	{"A9c", "ln7/k8/p8/9/4l2rr/9/9/6B2/1L7 w - 1", "5e5f", "a second rook behind the first"},
	{"B1", "5pkp1/8R/1r7/3B5/9/9/9/9/9 w SNs 1", "", "S*5c is defended and still refuted: it blocks the rook's guard of the third rank"},
	{"B1b", "1G7/9/k2R5/p8/9/5b3/9/9/1R7 w p 1", "", "the same with a bishop: P*7c blocks 4f-7c-8b"},
	{"B2", "kn7/2+P6/9/9/N8/9/6B2/L8/9 w n 1", "", "N*7c is defended, but was the last piece in hand: 9e8c discovers the lance"},
	{"B3", "R6k1/5Sbpp/9/9/9/9/9/B8/9 w n 1", "", "4a is guarded by a pinned bishop alone"},
	{"B3b", "8k/6Bg1/6B2/8R/9/9/9/9/9 w Nl 1", "", "1c is guarded by a pinned gold alone"},
	{"B4", "ln1n1g3/k7R/p3g3R/9/1P7/9/9/9/9 w G 1", "4a4b 4a5b 4a3b", "5c5b is refuted since leaving 5c opens the rook 1c; farther moves escape"},
	{"B5", "kp7/9/1+B7/9/L8/9/9/9/9 w n 1", "", "undefended drops of the last piece in hand are refuted only by capturing them"},
	{"B6", "8k/9/9/9/7L1/9/9/8L/9 w Rb 1", "", "the last piece in hand spent, a second distant check mates"},
	{"D1", "4l4/4p3p/R7k/6Nln/9/9/9/9/9 w - 1", "5b5c", "the lance supports from behind"},
	{"D1b", "9/4p3p/R7k/6Nln/9/9/9/9/9 w - 1", "", "the same without the lance"},
	{"D2", "9/9/9/9/9/4l3p/R7k/6N2/7G1 w - 1", "", "two moves of one piece do not defend each other"},
	{"S1", "bnkp4l/8R/2G6/6s2/9/9/8B/9/8K w p 1", "", "the checker unpins the mating rook: it must not be taken off the board"},
	{"S2", "7pk/9/7S1/9/8L/9/9/9/8R w Gn 1", "", "a rook stands behind the checking lance"},
	{"F1", "k8/3+B5/9/9/9/9/L8/8B/9 w n 1", "N*9c N*9d N*9e N*9f", ""},
	{"F1b", "4k4/6R2/9/9/9/9/9/8B/4R4 w n 1", "N*5c N*5d N*5e N*5f N*5g", ""},
	{"F2", "6S2/9/1R5k1/6p1p/9/B4B3/9/9/9 w Gl 1", "L*4c L*5c L*6c L*7c", ""},
	{"F3", "2R6/9/1B7/9/9/9/9/7pp/6rkb w n 1", "N*4g N*5f N*6e N*7d", ""},
}

// plainMates returns the moves of b that mate at once, by the plain rules.
func plainMates(b *mailbox.Board) []shogi.Move {
	var list []shogi.Move
	for _, m := range b.LegalMoves() {
		after := *b
		after.Do(m)
		if after.IsMated() {
			list = append(list, m)
		}
	}
	return list
}

func names(moves []shogi.Move) []string {
	var list []string
	for _, m := range moves {
		list = append(list, m.String())
	}
	slices.Sort(list)
	return list
}

func TestInterpositions(t *testing.T) {
	for _, c := range defences {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Fields(c.escapes)
			slices.Sort(want)
			for _, p := range bothSides(c.sfen) {
				if p.SideToMove() == shogi.Black { // the second of the two
					want = rotated(t, want)
				}
				b := mailbox.From(&p)
				var plain, fast []shogi.Move
				for _, d := range b.LegalMoves() {
					after := b
					after.Do(d)
					if len(plainMates(&after)) == 0 {
						plain = append(plain, d)
					}
				}
				s := NewSearcher(Options{})
				var replies shogi.MoveBuffer
				for _, d := range p.Evasions(&replies, shogi.AllMoves) {
					q := p
					q.Do(d)
					if s.mate1.Find(&q) == shogi.NoMove {
						fast = append(fast, d)
					}
				}
				if got := names(plain); !slices.Equal(got, want) {
					t.Errorf("%s: by the plain rules %v escape, want %v", p.SFEN(), got, want)
				}
				if got := names(fast); !slices.Equal(got, want) {
					t.Errorf("%s: by mate1 %v escape, want %v", p.SFEN(), got, want)
				}
				everySwitch(func(o Options) {
					s := NewSearcher(o)
					q := p
					if got := s.lost(&q); got != (len(want) == 0) {
						t.Errorf("%s: %+v says lost %v", p.SFEN(), o, got)
					}
					if q != p {
						t.Errorf("%s: %+v changed the position", p.SFEN(), o)
					}
				})
				if attacker, err := solver.Attacker(&p); err == nil && attacker != p.SideToMove() {
					r := Solver.Solve(t.Context(), p, solver.Limits{})
					if len(want) == 0 {
						if r.Verdict != solver.Mate || len(r.Line) != 2 || !r.Exact {
							t.Errorf("%s: %+v, want a mate in 2", p.SFEN(), r)
						}
						if err := solver.Verify(p, r, nil); err != nil {
							t.Error(err)
						}
					} else if r.Verdict == solver.Mate || r.Verdict == solver.Unknown && r.NoMateWithin != 2 {
						t.Errorf("%s: %+v, want no mate within 2", p.SFEN(), r)
					}
				}
			}
		})
	}
}

// bothSides returns the position, and the same with the colours exchanged.
func bothSides(sfen string) [2]shogi.Position {
	p := shogi.MustParseSFEN(sfen)
	return [2]shogi.Position{p, p.Rotated()}
}

func rotated(t *testing.T, moves []string) []string {
	var list []string
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m.Rotated().String())
	}
	slices.Sort(list)
	return list
}

// everySwitch calls f with every combination of the switches.
func everySwitch(f func(Options)) {
	for bits := range 32 {
		f(Options{
			NoDropOmission: bits&1 != 0,
			NoMoveOmission: bits&2 != 0,
			NoEscapeFirst:  bits&4 != 0,
			NoLastMate:     bits&8 != 0,
			NoKiller:       bits&16 != 0,
		})
	}
}

// A distance is not as good as another: the same bishop drops, with and without an attacker's king.
func TestDistantDrops(t *testing.T) {
	for _, c := range []struct{ name, sfen, mating string }{
		// The bishop on 1g shields the king from the lance on 1a and so unpins the rook 1b (5a6b
		// 1bx6b+).
		{"O1", "s1k1s3l/8R/p1N6/9/9/9/9/9/8K b B 1", "B*1g"},
		{"O1b", "s1k1s3l/8R/p1N6/9/9/9/9/9/9 b B 1", "B*5c B*4d B*3e B*2f B*1g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Fields(c.mating)
			slices.Sort(want)
			for _, p := range bothSides(c.sfen) {
				if p.SideToMove() == shogi.White {
					want = rotated(t, want)
				}
				everySwitch(func(o Options) {
					s := NewSearcher(o)
					q := p
					var buf shogi.MoveBuffer
					var mating []shogi.Move
					for _, m := range q.Checks(&buf, shogi.AllMoves) {
						u := q.Do(m)
						if s.lost(&q) {
							mating = append(mating, m)
						}
						q.Undo(m, u)
					}
					if got := names(mating); !slices.Equal(got, want) {
						t.Errorf("%s: %+v: mate in 3 by %v, want %v", p.SFEN(), o, got, want)
					}
					if line, plies := s.Find(&q); plies != 3 || !slices.Contains(want, line[0].String()) {
						t.Errorf("%s: %+v: found %v in %d plies", p.SFEN(), o, line, plies)
					}
				})
			}
		})
	}
}
