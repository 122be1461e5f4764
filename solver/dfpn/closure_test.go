package dfpn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// closedSet returns the closed set of p, after a search for a mate within so many plies, and the
// nodes of the two.
func closedSet(t *testing.T, s *dfpn.Session, p shogi.Position, attacker shogi.Color, plies int) (
	first shogi.Move, members []solver.Member, searched, again uint64) {
	t.Helper()
	ctx, c := context.Background(), s.Closure()
	c.Begin(p, attacker)
	first, d := c.Cover(ctx, p, plies, 0)
	if d.Verdict != solver.NoMate {
		t.Fatalf("%s: %v %s", p.SFEN(), d.Verdict, d.Reason)
	}
	e := c.Close(ctx, 100_000, 0)
	if e.Verdict != solver.NoMate {
		t.Fatalf("%s: not closed: %v %s", p.SFEN(), e.Verdict, e.Reason)
	}
	return first, c.Members(), d.Nodes, e.Nodes
}

// Every position without a mate has a closed set, and what a search has found is hardly searched for
// again, repetition or not. A small table, and one that has forgotten, only cost nodes.
func TestClosure(t *testing.T) {
	ctx := context.Background()
	small, large := dfpn.NewSmallSession(1<<20), dfpn.NewSmallSession(16<<20)
	sets, members := 0, 0
	for i, k := range solvertest.Positions(t) {
		if i%20 > 0 || !k.HasMateIn(solvertest.Never) {
			continue
		}
		p := k.Position
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*dfpn.Session{small, large} {
			for _, plies := range []int{solver.Endless, 7} {
				s.Reset()
				first, list, searched, again := closedSet(t, s, p, attacker, plies)
				if err := solver.VerifyClosed(ctx, p, attacker, plies, first, list); err != nil {
					t.Fatalf("%s: %v", p.SFEN(), err)
				}
				if s == large && again > searched/4+200 {
					t.Errorf("%s within %d: %d nodes after %d", p.SFEN(), plies, again, searched)
				}
				sets++
				members += len(list)
			}
		}
	}
	t.Logf("%d sets, %d members", sets, members)
	if sets < 16 || members < 10*sets {
		t.Errorf("%d sets with %d members are too few", sets, members)
	}
}

// What the set needs: no ply, no check, only checks that do not mate in time, a member with the same
// board, no smaller a hand and no fewer plies.
func TestClosureCovers(t *testing.T) {
	const member, mateInOne = "3k5/9/9/9/9/9/9/9/4R4 b PGp 1", "4k4/9/4P4/9/9/9/9/9/9 b Gp 1"
	s := dfpn.NewSmallSession(1 << 20)
	for _, test := range []struct {
		sfen    string
		plies   int
		verdict solver.Verdict
		more    int // members beside the first, which is within 5 plies
	}{
		{member, 5, solver.NoMate, 0},
		{member, 3, solver.NoMate, 0},
		{member, 7, solver.NoMate, 1},
		{member, solver.Endless, solver.NoMate, 1},
		{"3k5/9/9/9/9/9/9/9/4R4 b G2p 1", 5, solver.NoMate, 0},
		{"3k5/9/9/9/9/9/9/9/4R4 b 2PG 1", 5, solver.NoMate, 1},
		{"3k5/9/9/9/9/9/9/9/5R3 b PGp 1", 5, solver.NoMate, 1},
		{"9/9/9/9/9/9/9/9/4k4 b RGP 1", 2, solver.NoMate, 0}, // no check mates, and no time for two
		{"9/9/9/9/9/9/9/9/4k4 b RGP 1", 3, solver.NoMate, 1},
		{mateInOne, 0, solver.NoMate, 0},
		{mateInOne, 1, solver.Mate, 0},
		{mateInOne, solver.Endless, solver.Mate, 0},
	} {
		ctx, c := context.Background(), s.Closure()
		first := shogi.MustParseSFEN(member)
		c.Begin(first, shogi.Black)
		if _, d := c.Cover(ctx, first, 5, 0); d.Verdict != solver.NoMate {
			t.Fatal(d)
		}
		_, d := c.Cover(ctx, shogi.MustParseSFEN(test.sfen), test.plies, 0)
		if more := len(c.Members()) - 1; d.Verdict != test.verdict || more != test.more {
			t.Errorf("%s, %d plies: %v, %d more members, want %v, %d", test.sfen, test.plies, d.Verdict, more,
				test.verdict, test.more)
		}
	}
}

// A set that is not closed is refused, for just what is wrong with it.
func TestVerifyClosed(t *testing.T) {
	ctx := context.Background()
	p := shogi.MustParseSFEN("4k4/9/9/9/4R4/9/9/9/9 w P2p 1")
	s := dfpn.NewSmallSession(1 << 20)
	first, members, _, _ := closedSet(t, s, p, shogi.Black, solver.Endless)
	verify := func(first shogi.Move, members []solver.Member) error {
		return solver.VerifyClosed(ctx, p, shogi.Black, solver.Endless, first, members)
	}
	if err := verify(first, members); err != nil || len(members) == 0 {
		t.Fatal(err, len(members))
	}
	change := func(f func(m *solver.Member)) []solver.Member {
		list := append([]solver.Member{}, members...)
		f(&list[0])
		return list
	}
	for name, err := range map[string]error{
		"no reply":       verify(shogi.NoMove, members),
		"not covered":    verify(first, members[1:]),
		"a check less":   verify(first, change(func(m *solver.Member) { m.Checks, m.Replies = m.Checks[1:], m.Replies[1:] })),
		"illegal reply":  verify(first, change(func(m *solver.Member) { m.Replies = make([]shogi.Move, len(m.Checks)) })),
		"fewer plies":    verify(first, change(func(m *solver.Member) { m.Plies = 5 })),
		"other material": verify(first, change(func(m *solver.Member) { m.Position.SetAside(shogi.White, shogi.Pawn) })),
		"the other side": solver.VerifyClosed(ctx, p.Rotated(), shogi.Black, solver.Endless, first, members),
	} {
		var fault *solver.VerifyError
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
