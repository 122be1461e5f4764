package certificate

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A member covers its board with no more in the attacker's hand and no more plies. Without one
// nothing needs to be shown where there is no check, no ply, or only one check to give and none mates.
func TestCovered(t *testing.T) {
	c := newCloser(context.Background(), shogi.Black, 5, nil, Limits{})
	member := shogi.MustParseSFEN("3k5/9/9/9/9/9/9/9/4R4 b PGp 1")
	if err := c.add(&member, 5); err != nil {
		t.Fatal(err)
	}
	const mateInOne = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
	for _, test := range []struct {
		sfen  string
		plies int
		want  bool
	}{
		{"3k5/9/9/9/9/9/9/9/4R4 b PGp 1", 5, true},
		{"3k5/9/9/9/9/9/9/9/4R4 b PGp 1", 3, true},
		{"3k5/9/9/9/9/9/9/9/4R4 b PGp 1", 7, false},
		{"3k5/9/9/9/9/9/9/9/4R4 b PGp 1", forever, false},
		{"3k5/9/9/9/9/9/9/9/4R4 b G2p 1", 5, true},
		{"3k5/9/9/9/9/9/9/9/4R4 b 2pg 1", 5, true},
		{"3k5/9/9/9/9/9/9/9/4R4 b 2PG 1", 5, false},
		{"3k5/9/9/9/9/9/9/9/4R4 b S2p 1", 5, false},
		{"3k5/9/9/9/9/9/9/9/5R3 b PGp 1", 5, false}, // another board

		{"4k4/9/9/9/9/9/9/9/9 b - 1", forever, true}, // no check
		{"9/9/9/9/9/9/9/9/4k4 b N 1", 3, true},
		{"4k4/9/9/9/9/9/9/9/9 b G 1", 3, false},
		{"4k4/9/9/9/9/9/9/9/9 b G 1", 2, true}, // checks, of which none mates
		{"4k4/9/9/9/9/9/9/9/9 b G 1", 1, true},
		{mateInOne, 2, false},
		{mateInOne, 1, false},
		{mateInOne, 0, true},
		{mateInOne, -1, true},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		if got := c.covered(&p, test.plies); got != test.want {
			t.Errorf("%s, %d plies: %v, want %v", test.sfen, test.plies, got, test.want)
		}
	}
}

// What the solver says of a mate, for a certificate of any length and for one within 3 plies.
func TestAsk(t *testing.T) {
	line := func(plies int) []shogi.Move { return make([]shogi.Move, plies) }
	for _, test := range []struct {
		answer          solver.Result
		forever, within solver.Verdict
	}{
		{solver.Result{Verdict: solver.NoMate}, solver.NoMate, solver.NoMate},
		{solver.Result{Verdict: solver.Mate, Line: line(3)}, solver.Mate, solver.Mate},
		{solver.Result{Verdict: solver.Mate, Line: line(5)}, solver.Mate, solver.Unknown},
		{solver.Result{Verdict: solver.Mate, Line: line(5), Exact: true}, solver.Mate, solver.NoMate},
		{solver.Result{Verdict: solver.Mate, Line: line(5), NoMateWithin: 3}, solver.Mate, solver.NoMate},
		{solver.Result{NoMateWithin: 3}, solver.Unknown, solver.NoMate},
		{solver.Result{NoMateWithin: 1}, solver.Unknown, solver.Unknown},
	} {
		for plies, want := range map[int]solver.Verdict{forever: test.forever, 3: test.within} {
			var asked solver.Limits
			s := solver.Func(func(_ context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
				asked, test.answer.Nodes = lim, 30
				return test.answer
			})
			c := newCloser(context.Background(), shogi.Black, plies, s, Limits{Nodes: 50})
			p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/9 b G 1")
			if got, _ := c.ask(&p, plies, 40); got != want || asked.Nodes != 40 || asked.Plies != plies%forever {
				t.Errorf("%+v within %d plies: %v, want %v; asked with %+v", test.answer, plies, got, want, asked)
			}
			// 20 nodes are left.
			if c.ask(&p, plies, 40); asked.Nodes != 20 {
				t.Errorf("within %d plies: asked with %+v", plies, asked)
			}
			if got, reason := c.ask(&p, plies, 40); got != solver.Unknown || reason != solver.ReasonNodes {
				t.Errorf("within %d plies, no nodes left: %v %s", plies, got, reason)
			}
		}
	}
}
