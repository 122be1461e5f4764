package length_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/solvertest"
)

var freePositions = flag.Int("length.free", 200, "how many random positions TestFreeIsPlain looks at")

// plainFree returns the length of b with the free interpositions that go with a policy, if it is at
// most the given number, more otherwise. It is the game of package dfpn (free.go), word for word, on
// the plain rules of package mailbox.
func plainFree(b mailbox.Board, attacker shogi.Color, policy length.Policy, most int) int {
	w := plainGame{attacker, policy, map[within]int{}}
	if b.SideToMove() == attacker {
		return w.attack(b, most)
	}
	return w.defence(b, most)
}

type plainGame struct {
	attacker shogi.Color
	policy   length.Policy
	known    map[within]int // of defences after a capture for nothing
}

func (w *plainGame) attack(b mailbox.Board, most int) int {
	least := more
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		if most < 1 || !after.InCheck(after.SideToMove()) {
			continue
		}
		if n := w.defence(after, most-1); n < more {
			least, most = n+1, n-1 // only a shorter one is of interest now
		}
	}
	return least
}

func (w *plainGame) defence(b mailbox.Board, most int) int {
	if most < 0 {
		return more
	}
	longest, moves := 0, 0
	var drops []shogi.Move
	for _, m := range b.LegalMoves() {
		if m.IsDrop() {
			drops = append(drops, m)
			continue
		}
		moves++
		longest = max(longest, w.reply(b, m, most))
		if longest == more {
			return more
		}
	}
	for _, m := range drops {
		n := w.free(b, m, most, moves)
		if n > 0 {
			n = min(n, w.reply(b, m, most))
		}
		if longest = max(longest, n); longest == more {
			return more
		}
	}
	return longest
}

func (w *plainGame) reply(b mailbox.Board, m shogi.Move, most int) int {
	b.Do(m)
	if n := w.attack(b, most-1); n < more {
		return n + 1
	}
	return more
}

// free is the least length after a capture for nothing of the drop, the defender having so many moves
// besides drops.
func (w *plainGame) free(b mailbox.Board, drop shogi.Move, most, moves int) int {
	switch {
	case w.policy == length.F0, w.policy == length.F1 && moves > 0:
		return more
	case w.policy == length.F1:
		most = 0
	}
	checkers := b.Attackers(b.King(b.SideToMove()), w.attacker)
	b.Do(drop)
	if w.policy == length.F3 {
		checkers = b.Attackers(drop.To(), w.attacker)
	}
	least := more
	for _, from := range checkers {
		for _, m := range []shogi.Move{shogi.NewPromotion(from, drop.To()), shogi.NewMove(from, drop.To())} {
			if !b.IsLegal(m) {
				continue
			}
			after := b
			after.Do(m)
			if !after.InCheck(after.SideToMove()) {
				continue
			}
			after.SetAside(w.attacker, drop.Dropped())
			question := within{after.Position(), most}
			n, known := w.known[question]
			if !known {
				n = w.defence(after, most)
				w.known[question] = n
			}
			least = min(least, n)
		}
	}
	return least
}

var freeBy = [length.NumPolicies]solver.Interpositions{length.F0: solver.Counted,
	length.F1: solver.FreeIfFinal, length.F2: solver.FreeBySlider, length.F3: solver.FreeByAny}

// TestFreeIsPlain: with free interpositions a session finds the lengths of the plain game, and they
// are no greater than those of the policies, which are no greater than the raw ones. Sessions that
// are asked about all policies and positions find what new ones do.
func TestFreeIsPlain(t *testing.T) {
	r := solvertest.NewRandom(shogitest.Seed(t), 2)
	used := dfpn.NewSession()
	mates, shorter, below := 0, 0, 0
	for i := range *freePositions {
		most := 3
		if i%100 == 99 {
			most = 5
		}
		if i%8 == 0 {
			used.Reset()
		}
		for _, policy := range length.Policies[1:] {
			v, l, raw := checkFree(t, used, r.Interposition(), policy, most)
			if v < more {
				mates++
			}
			if v < raw {
				shorter++
			}
			if v < l {
				below++
			}
		}
	}
	t.Logf("%d mates, %d shorter than by the rules, %d shorter than by the policy", mates, shorter, below)
	if shorter < *freePositions/20 {
		t.Errorf("of %d positions %d have interpositions that matter", *freePositions, shorter)
	}
}

// checkFree compares what the session and the engine find about p with the plain searches, up to so
// many plies with the attacker to move, and returns the lengths: with free interpositions, by the
// policy, and the raw one.
func checkFree(t *testing.T, s solver.Session, p shogi.Position, policy length.Policy, most int) (v, l, raw int) {
	t.Helper()
	attacker, err := solver.Attacker(&p)
	if err != nil {
		t.Fatal(err)
	}
	if p.SideToMove() != attacker {
		most--
	}
	b := mailbox.From(&p)
	v = plainFree(b, attacker, policy, most)
	checkDecides(t, s, p, attacker, policy, v, most)
	if v == more {
		// That is dear to see to the end, but only here a bound from below could be too great.
		if l = plainLength(b, attacker, policy, min(most, 3)); l < more {
			t.Errorf("%s %v: %d, and no mate with free interpositions", p.SFEN(), policy, l)
		}
		return v, v, v
	}
	l, raw = plainLength(b, attacker, policy, most), plainLength(b, attacker, length.F0, most)
	if v > l || l > raw {
		t.Errorf("%s %v: %d with free interpositions, %d, raw %d", p.SFEN(), policy, v, l, raw)
	}
	checkInterval(t, s, p, attacker, policy, l, raw, most)
	return v, l, raw
}

// checkDecides asks for mates within up to so many plies, where the length is n.
func checkDecides(t *testing.T, s solver.Session, p shogi.Position, attacker shogi.Color, policy length.Policy,
	n, most int) {
	t.Helper()
	// What is found about few plies must not answer for more, nor the other way round.
	for i := range 2 * most {
		plies := i + 1
		if i >= most {
			plies = 2*most - i
		}
		if (most-plies)%2 != 0 {
			continue
		}
		d := s.Decide(context.Background(), solver.Question{Position: p, Attacker: attacker,
			Interpositions: freeBy[policy], Limits: solver.Limits{Plies: plies, Nodes: 1_000_000}})
		want := solver.NoMate
		if n <= plies {
			want = solver.Mate
		}
		if d.Verdict != want || want == solver.Mate && (d.Plies < n || d.Plies > plies) {
			t.Errorf("%s %v within %d: %v %d, the plain game finds %d", p.SFEN(), policy, plies, d.Verdict, d.Plies, n)
		}
	}
}

// checkInterval narrows the interval of a length n, where the raw one is known or there is none of so
// few plies, with few nodes and with many.
func checkInterval(t *testing.T, s solver.Session, p shogi.Position, attacker shogi.Color, policy length.Policy,
	n, raw, most int) {
	t.Helper()
	if p.SideToMove() != attacker {
		return
	}
	e := length.NewEngine(s)
	for i, nodes := range []uint64{300, 3000, 1_000_000} {
		e.Begin(attacker, policy)
		e.Forget()
		known := length.Interval{Low: 1, High: length.Unbounded - 1}
		if raw < more {
			known.High = raw
		}
		got, reason := e.Interval(context.Background(), p, known, []int{0, 3, 4}[i], nodes)
		if n == more && got.High > most {
			continue
		}
		if got.Low > n || got.High < n || e.Nodes() > nodes ||
			i == 2 && (raw < more && got != length.Exactly(n) || reason != solver.NoReason && got.High > n) {
			t.Errorf("%s %v: %d..%d %s with %d nodes, the plain search finds %d, raw %d",
				p.SFEN(), policy, got.Low, got.High, reason, nodes, n, raw)
		}
	}
}

// TestFreeCases is TestFreeIsPlain on positions in which interpositions matter, and most often which
// of them are free: lengths differ between the policies, or from the raw one.
func TestFreeCases(t *testing.T) {
	text, err := os.ReadFile("testdata/free.sfen")
	if err != nil {
		t.Fatal(err)
	}
	s := dfpn.NewSession()
	for line := range strings.Lines(string(text)) {
		for _, policy := range length.Policies[1:] {
			s.Reset()
			checkFree(t, s, shogi.MustParseSFEN(strings.TrimSpace(line)), policy, 3)
		}
	}
}
