package length_test

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// definition has a position for each part of the definition, the defender to move and in check, with
// its lengths under F0 to F3 if they are at most 4 plies.
var definition = []struct {
	name     string
	sfen     string
	attacker shogi.Color
	lengths  [length.NumPolicies]int
}{
	// A drop is futile only if the checking piece may take it: not where it is pinned to its own king.
	//
	//	9  8  7  6  5
	//	.  .  .  B  .  b
	//	.  .  .  .  .  c
	//	vL vB .  .  .  d
	//	vK .  R  .  .  e
	//	vN vL .  .  .  f
	//	.  .  N  .  K  g
	//
	// The bishop that pins the rook cannot take it, being pinned itself, and P*8e saves the king. With
	// the king on 5i the rook takes the pawn, with mate.
	{"pinned", "9/3B5/9/lb7/k1R6/nl7/2N1K4/9/9 w p 1", shogi.Black, [...]int{more, more, more, more}},
	{"not pinned", "9/3B5/9/lb7/k1R6/nl7/2N6/9/4K4 w p 1", shogi.Black, [...]int{2, 0, 0, 0}},
	{"nothing to drop", "9/3B5/9/lb7/k1R6/nl7/2N1K4/9/9 w - 1", shogi.Black, [...]int{0, 0, 0, 0}},
	{"the king takes the rook", "9/3B5/9/lb7/k1R6/nl7/9/9/4K4 w p 1", shogi.Black,
		[...]int{more, more, more, more}},
	{"two kinds", "9/3B5/9/lb7/k1R6/nl7/2N6/9/4K4 w rg 1", shogi.Black, [...]int{2, 0, 0, 0}},

	// A captured piece is set aside: the attacker may not use it.
	//
	//	4  3  2  1
	//	.  .  vB .  g
	//	. v+L S  .  h
	//	.  .  .  K  i   and White's rook on 9i gives check
	//
	// The silver may step to 3i, and the rook takes it with mate: 2 plies, so 2 is what a futile drop
	// on 3i may last. Black's gold there is taken by the rook, the silver takes that, and only with the
	// gold in hand White would mate at once, on 1h. So the drop is not futile, and after it no move
	// mates at once: 4 plies.
	{"set aside", "9/9/9/9/9/9/7b1/6+lS1/r7K b G 1", shogi.White, [...]int{4, 4, 4, 4}},
	{"without the gold", "9/9/9/9/9/9/7b1/6+lS1/r7K b - 1", shogi.White, [...]int{2, 2, 2, 2}},
	//	7  6  5  4  3  2
	//	vK .  .  R  .  .  a
	//	.  .  .  .  .  R  b
	//	.  .  .  .  .  .  c
	//	.  .  .  .  B vH  d
	//
	// The horse may step to 5a: 2 plies. G*5a is taken by the rook, that by the horse, and then G*7b
	// would mate, but there is no gold.
	{"set aside, with a mate", "2k2R3/7R1/9/6B+b1/9/9/9/9/9 w g 1", shogi.Black, [...]int{4, 4, 4, 4}},
	// The mates that a gold handed back, or left to the attacker, would make shorter.
	{"handed back", "7k1/5+R3/9/9/5r3/7L1/9/9/9 w bs 1", shogi.Black, [...]int{more, more, more, more}},

	// The squares are looked at from the king outwards.
	//
	//	3  2  1
	//	.  .  vK a
	//	.  L  .  b
	//	.  .  .  c
	//	.  .  R  d
	//	.  .  .  e
	//	.  R  .  f
	//
	// On 1b a piece cannot be taken without loss of the rook, and L-2a mates: 2 plies. A piece on 1c is
	// taken by the rook, and then the other one goes to 1b: 4 plies, and 2 without both the first drop
	// and its capture, no more than what the drop on 1b has. Seen from the rook it would have to be
	// compared with 0.
	{"from the king outwards", "8k/7L1/9/8R/9/7R1/9/9/9 w bl 1", shogi.Black, [...]int{4, 4, 2, 2}},

	// All drops on a square are compared with what there is without that square. In the first position
	// the pawn on 4b lasts for 4 plies, and the rook there would be futile compared with that; in the
	// second it is so with the silver on 2h, 2 plies, and the lance.
	{"drops on one square", "9/4k3R/7S1/3S1G3/9/9/9/9/9 w Grp 1", shogi.Black,
		[...]int{more, more, more, more}},
	{"drops on one square, the other order", "9/9/3B5/5+R1R1/9/9/6B2/9/8k w sl 1", shogi.Black,
		[...]int{4, 4, 4, 4}},
}

// undecided is a Session that never has an answer.
type undecided struct{ solver.Session }

func (undecided) Decide(context.Context, solver.Question) solver.Decision {
	return solver.Decision{Reason: solver.ReasonNodes}
}

// TestDefinition: the plain search and the Engine, whatever its session, and whatever it was asked
// before, find the lengths of the definition, from either side of the board and in a mirror.
func TestDefinition(t *testing.T) {
	const most = 4
	type asked struct {
		name     string
		p        shogi.Position
		attacker shogi.Color
		lengths  [length.NumPolicies]int
	}
	var list []asked
	for _, d := range definition {
		p := shogi.MustParseSFEN(d.sfen)
		for _, q := range []shogi.Position{p, p.Mirrored()} {
			list = append(list, asked{d.name, q, d.attacker, d.lengths},
				asked{d.name + ", turned round", q.Rotated(), d.attacker.Opponent(), d.lengths})
		}
	}
	for _, a := range list {
		for i, policy := range length.Policies {
			want := a.lengths[i]
			if got := plainLength(mailbox.From(&a.p), a.attacker, policy, most); got != want {
				t.Errorf("%s, plain: %s %v %d, want %d", a.name, a.p.SFEN(), policy, got, want)
			}
		}
	}
	for session, e := range map[string]*length.Engine{
		"no session": length.NewEngine(nil), "dfpn": length.NewEngine(dfpn.NewSession()),
		"a session that is undecided": length.NewEngine(undecided{}),
	} {
		for i, policy := range length.Policies {
			for _, attacker := range []shogi.Color{shogi.Black, shogi.White} {
				e.Begin(attacker, policy)
				for _, a := range list {
					if a.attacker != attacker {
						continue
					}
					got, reason := e.Within(context.Background(), a.p, most, 0)
					if got > most {
						got = more
					}
					if want := a.lengths[i]; reason != solver.NoReason || got != want {
						t.Errorf("%s, %s: %s %v %d %s, want %d", a.name, session, a.p.SFEN(), policy, got, reason, want)
					}
				}
			}
		}
	}
}
