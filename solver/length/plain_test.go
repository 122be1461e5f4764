package length_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// more is what plainLength returns for a length beyond its bound, and where there is no mate.
const more = math.MaxInt32

// plainLength returns the length of b in plies under the policy if it is at most the given number,
// more otherwise. It is the definition of the package documentation, word for word, on the plain
// rules of package mailbox. It cuts off only what cannot matter because a bound is passed already,
// and remembers only whether the very same board was futile before.
func plainLength(b mailbox.Board, attacker shogi.Color, policy length.Policy, most int) int {
	w := plain{policy, map[within]bool{}}
	if b.SideToMove() == attacker {
		return w.attack(b, most)
	}
	return w.defence(b, most)
}

// plain computes lengths under a policy. The pieces that were set aside for a test of futility
// often are the same ones in another order, so it remembers the answers.
type plain struct {
	policy length.Policy
	known  map[within]bool
}

// within is the question whether a board, with its hands and without its move number, has a length
// of at most so many plies.
type within struct {
	board mailbox.Board
	most  int
}

// attack is the length with the attacker to move.
func (w *plain) attack(b mailbox.Board, most int) int {
	if most < 1 {
		return more
	}
	var checked []mailbox.Board
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		if after.InCheck(after.SideToMove()) {
			checked = append(checked, after)
		}
	}
	for n := 1; n <= most; n += 2 { // so the first found is the least
		for _, after := range checked {
			if w.defence(after, n-1) < n {
				return n
			}
		}
	}
	return more
}

// defence is the length with the defender to move. He must stand in check: without one he is not
// being mated.
//
// A legal drop answers a check only from between the king and the one piece that checks, which so
// is a slider. That is why every legal drop is a candidate, and why there is one checker if there
// is a candidate.
func (w *plain) defence(b mailbox.Board, most int) int {
	if most < 0 || !b.InCheck(b.SideToMove()) {
		return more
	}
	here := 0
	king := b.King(b.SideToMove())
	var candidates [9][]shogi.Move // by distance from the king
	for _, m := range b.LegalMoves() {
		if m.IsDrop() {
			k := distance(king, m.To())
			candidates[k] = append(candidates[k], m)
			continue
		}
		here = max(here, w.reply(b, m, most))
		if here > most {
			return more
		}
	}
	for _, drops := range candidates {
		next := here
		for _, m := range drops {
			if w.futile(b, m, here) {
				continue
			}
			next = max(next, w.reply(b, m, most))
			if next > most {
				return more
			}
		}
		here = next
	}
	return here
}

// reply is 1 + the length after a reply, more if that is beyond most.
func (w *plain) reply(b mailbox.Board, m shogi.Move, most int) int {
	b.Do(m)
	if n := w.attack(b, most-1); n < more {
		return n + 1
	}
	return more
}

// futile reports whether the drop, a candidate, does nothing compared with the length that the
// defender has without it.
func (w *plain) futile(b mailbox.Board, drop shogi.Move, here int) bool {
	if w.policy == length.F0 || w.policy == length.F1 && here > 0 {
		return false
	}
	defender := b.SideToMove()
	attacker := defender.Opponent()
	capturers := b.Attackers(b.King(defender), attacker) // the checking piece
	if len(capturers) != 1 {
		panic(fmt.Sprintf("%s: %v answers the check of %d pieces", b.SFEN(), drop, len(capturers)))
	}
	b.Do(drop)
	if w.policy == length.F3 {
		capturers = b.Attackers(drop.To(), attacker)
	}
	for _, from := range capturers {
		x := drop.To()
		for _, capture := range []shogi.Move{shogi.NewPromotion(from, x), shogi.NewMove(from, x)} {
			if !b.IsLegal(capture) {
				continue
			}
			after := b
			after.Do(capture)
			after.SetAside(attacker, drop.Dropped())
			question := within{after.Position(), here}
			answer, known := w.known[question]
			if !known {
				answer = w.defence(after, here) <= here // more where it gives no check
				w.known[question] = answer
			}
			if answer {
				return true
			}
		}
	}
	return false
}

// distance is the number of king's steps between two squares.
func distance(a, b shogi.Square) int {
	file, rank := int(a.File())-int(b.File()), int(a.Rank())-int(b.Rank())
	return max(file, -file, rank, -rank)
}

// The plain search finds the lengths that two other programs and the published numbers confirm.
func TestPlainKnown(t *testing.T) {
	const most = 5
	exact := 0
	for _, r := range rows(t) {
		b := mailbox.From(&r.p)
		for i, want := range r.lengths {
			policy := length.Policies[i]
			switch {
			case want == -2:
				continue
			case want < 0 || want > most:
				want = more
			default:
				exact++
			}
			if got := plainLength(b, shogi.Black, policy, most); got != want {
				t.Errorf("%s: %v %d, want %d", r.p.SFEN(), policy, got, want)
			}
		}
	}
	if exact < 250 {
		t.Errorf("%d lengths of at most %d plies, want more", exact, most)
	}
}

// What holds of every position: raw lengths are those of a search without policies, the more drops
// are futile, the shorter the length, and neither the colour of the attacker nor a mirror matters.
func TestPlainProperties(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and is of one goroutine")
	}
	positions, shorter := 250, 0
	r := solvertest.NewRandom(7, 0)
	for range positions {
		p := r.Next()
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatal(err)
		}
		var lengths [length.NumPolicies]int
		turned := p.Rotated()
		for policy := range lengths {
			by := length.Policy(policy)
			n := plainLength(mailbox.From(&p), attacker, by, 3)
			lengths[policy] = n
			got := plainLength(mailbox.From(&turned), attacker.Opponent(), by, 3)
			if got != n {
				t.Errorf("%s: %v %d, turned round %d", p.SFEN(), by, n, got)
			}
		}
		raw := solvertest.Shortest(&p, 3)
		if raw == solvertest.Never {
			raw = more
		}
		if lengths[length.F0] != raw {
			t.Errorf("%s: F0 %d, want %d", p.SFEN(), lengths[length.F0], raw)
		}
		if lengths[length.F1] > raw || lengths[length.F2] > lengths[length.F1] {
			t.Errorf("%s: lengths %v do not fall", p.SFEN(), lengths)
		}
		if lengths[length.F2] < raw {
			shorter++
		}
	}
	if shorter == 0 {
		t.Error("no length by convention is shorter than the raw one")
	}
}
