package dfpn_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// manyInterpositions is mate in some hundred plies, and every piece that comes between may be any
// of those in hand: as positions of their own they would be 100,000 nodes, by proof hands they are
// some 10,000.
const manyInterpositions = "7k1/5+Bp2/7Ss/9/9/9/1n7/9/9 b 2rb4g2s3n4l17p 1"

// TestProofSize: the proof is small enough to be made in the memory of the search, and its nodes
// are not lost to a limit that the search has hardly met.
func TestProofSize(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine")
	}
	t.Parallel()
	p := shogi.MustParseSFEN(manyInterpositions)
	s := dfpn.New(dfpn.Options{TableBytes: 64 << 20})
	free := solve(s, p, solver.Limits{})
	if free.Verdict != solver.Mate || free.Proof.Len() > 20_000 {
		t.Fatalf("%s, %d nodes of proof", free.Verdict, free.Proof.Len())
	}
	if err := solver.Verify(p, free, nil); err != nil {
		t.Fatal(err)
	}
	r := solve(s, p, solver.Limits{Nodes: free.Nodes})
	if r.Verdict != solver.Mate || r.Nodes > free.Nodes {
		t.Errorf("with just as many nodes: %+v", r)
	}
}

// TestProofLimits: a proof that takes more memory than the search has is none, and a reason says
// so. What is known besides stays.
func TestProofLimits(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine")
	}
	t.Parallel()
	p := shogi.MustParseSFEN(manyInterpositions)
	r := solve(dfpn.New(dfpn.Options{TableBytes: 1 << 20}), p, solver.Limits{NoMateWithin: 3})
	if r.Verdict != solver.Unknown || r.Reason != solver.ReasonProof || r.NoMateWithin != 3 || r.Line != nil || r.Proof != nil {
		t.Errorf("in 1 MiB: %+v", r)
	}
	// An end that comes while the proof is made.
	full := solve(dfpn.New(dfpn.Options{}), p, solver.Limits{})
	for _, test := range []struct {
		err  error
		want solver.Reason
	}{{context.Canceled, solver.ReasonCancelled}, {context.DeadlineExceeded, solver.ReasonProof}} {
		polls := 0
		ctx := newHook(func() error {
			if polls++; polls > int(full.Nodes/1024)+5 { // the clock is looked at every 1,024 nodes, and every 256 steps of a proof
				return test.err
			}
			return nil
		})
		r := dfpn.New(dfpn.Options{}).Solve(ctx, p, solver.Limits{})
		if r.Verdict != solver.Unknown || r.Reason != test.want {
			t.Errorf("%v while the proof is made: %+v", test.err, r)
		}
	}
}

// TestShorterProof: where the proof of a shorter mate is cut short, the mate before it stays.
func TestShorterProof(t *testing.T) {
	notShort(t)
	t.Parallel()
	p := shogi.MustParseSFEN(manyInterpositions)
	first := solve(dfpn.New(dfpn.Options{}), p, solver.Limits{})
	polls, kept := 0, 0
	for _, after := range []int{60, 300} {
		ctx := newHook(func() error {
			if polls++; polls > int(first.Nodes/1024)+after {
				return context.DeadlineExceeded
			}
			return nil
		})
		polls = 0
		r := dfpn.New(dfpn.Options{}).Solve(ctx, p, solver.Limits{Shortest: true, Proof: true})
		if r.Verdict == solver.Mate {
			kept++
			if err := solver.Verify(p, r, nil); err != nil || len(r.Line) > len(first.Line) || r.Reason != solver.ReasonTime {
				t.Errorf("%+v: %v", r, err)
			}
		} else if r.Reason != solver.ReasonProof {
			t.Errorf("%+v", r)
		}
	}
	if kept == 0 {
		t.Errorf("the mate was kept %d times", kept)
	}
}

// TestSearchContext: the search ends before the time does, so that some is left for the proof.
func TestSearchContext(t *testing.T) {
	if ctx, cancel := dfpn.SearchContext(t.Context()); ctx != t.Context() {
		t.Error("a context without an end was replaced")
	} else {
		cancel()
	}
	for _, left := range []time.Duration{-time.Hour, 0, time.Hour, math.MaxInt64} {
		now := time.Now()
		ctx, stop := context.WithDeadline(t.Context(), now.Add(left))
		searching, cancel := dfpn.SearchContext(ctx)
		end, ok := searching.Deadline()
		if share := end.Sub(now); !ok || left > 0 && (share < left/16*14 || share > left/16*15+time.Minute) || left <= 0 && searching.Err() == nil {
			t.Errorf("%v of %v are for the search", share, left)
		}
		cancel()
		if left > 0 && ctx.Err() != nil {
			t.Errorf("%v: the end of the search ends the proof", left)
		}
		stop()
	}
}

// TestProofLimit: some nodes more are for the proof, as far as a number can count them.
func TestProofLimit(t *testing.T) {
	const most = uint64(math.MaxUint64)
	for _, test := range [][3]uint64{ // limit, nodes, what is allowed
		{1, 1, 1001},
		{1600, 7, 2700},
		{1600, 1650, 2750}, // a second proof
		{most, 7, most},
		{most - most/17, 7, most}, // the sum would begin again at 0
		{most - 5, 7, most},
	} {
		if got := dfpn.ProofLimit(test[0], test[1]); got != test[2] {
			t.Errorf("%d of %d nodes: %d allowed for the proof, want %d", test[1], test[0], got, test[2])
		}
	}
}

// TestProve makes proofs when the search has come to its limits and the table has forgotten all.
func TestProve(t *testing.T) {
	t.Parallel()
	five := shogi.MustParseSFEN("8+P/1+R2G4/1pS4+B+L/2p1pp1p1/1PsP5/k1n6/p1K2P2G/L1N3+n2/3G1R3 b BG2SL6Pnl2p 1")
	many := shogi.MustParseSFEN(manyInterpositions)
	on := t.Context()
	over, cancel := context.WithDeadline(on, time.Unix(1, 0))
	defer cancel()
	left, leave := context.WithCancel(on)
	leave()
	unknown := solver.Result{NoMateWithin: 3}
	before := solver.Result{Verdict: solver.Mate, Line: make([]shogi.Move, 9), Proof: &solver.Proof{}, NoMateWithin: 3}
	for _, test := range []struct {
		name         string
		proving      context.Context
		p            shogi.Position
		length       int
		nodes, limit uint64
		out          solver.Result
		mate         bool
		reason       solver.Reason
	}{
		{"the time of the search is over", on, five, 5, 0, 0, unknown, true, ""},
		{"its nodes too", on, five, 5, 100_000, 100_000, unknown, true, ""},
		{"a second proof", on, five, 5, 100_000, 100_000, before, true, ""},
		{"all time is over", over, five, 5, 0, 0, unknown, false, solver.ReasonProof},
		{"all time is over, with a mate known", over, five, 5, 0, 0, before, false, solver.ReasonTime},
		{"nobody waits", left, five, 5, 0, 0, unknown, false, solver.ReasonCancelled},
		{"nobody waits, with a mate known", left, five, 5, 0, 0, before, false, solver.ReasonCancelled},
		{"too few nodes", on, many, 471, 1, 1, unknown, false, solver.ReasonProof},
		{"too few nodes, with a mate known", on, many, 471, 1, 1, before, false, solver.ReasonNodes},
		{"there is no such mate", on, five, 3, 0, 0, unknown, false, solver.ReasonUnverified},
		{"there is no such mate, with one known", on, five, 3, 0, 0, before, false, solver.ReasonUnverified},
	} {
		out := test.out
		s := dfpn.NewSearch(dfpn.Options{TableBytes: 4 << 20})
		reason, nodes, ok := s.Prove(over, test.proving, test.p, test.length, test.nodes, test.limit, &out)
		if reason != test.reason || !ok || test.limit > 0 && nodes > test.limit {
			t.Errorf("%s: %q after %d nodes, %v", test.name, reason, nodes, ok)
		}
		if test.mate {
			if err := solver.Verify(test.p, out, nil); err != nil || len(out.Line) != 5 || !out.Exact {
				t.Errorf("%s: %+v: %v", test.name, out, err)
			}
		} else if out.Verdict != test.out.Verdict || out.Proof != test.out.Proof || len(out.Line) != len(test.out.Line) || out.NoMateWithin != 3 {
			t.Errorf("%s: %+v", test.name, out)
		}
	}
}

// TestFindNode: a node stands for a position with no less in hand, in which there are no fewer
// plies left, and the lowest of them is taken.
func TestFindNode(t *testing.T) {
	gold, pawn := shogi.Hand(0).Add(shogi.Gold, 1), shogi.Hand(0).Add(shogi.Pawn, 1)
	nodes := []solver.ProofNode{
		{Hand: gold, Height: 5},
		{Hand: gold, Height: 3},
		{Hand: gold, Height: 3},
		{Hand: gold + pawn, Height: 1},
		{Hand: gold + gold, Height: 1},
	}
	for _, test := range []struct {
		hand   shogi.Hand
		length int32
		own    bool
		want   int32
	}{
		{gold, 9, false, 1},
		{gold, 3, false, 1},
		{gold, 1, false, -1},
		{gold + pawn, 9, false, 3},
		{gold + gold + pawn, 1, false, 3},
		{pawn, 9, false, -1},
		{gold, 9, true, 1},
		{gold, 1, true, -1},
		{gold + pawn, 3, true, 3},
		{gold + gold + pawn, 9, true, -1},
	} {
		if got := dfpn.FindNode(nodes, test.hand, test.length, test.own, shogi.NoMove); got != test.want {
			t.Errorf("%v in hand, %d plies, own %v: node %d, want %d", test.hand, test.length, test.own, got, test.want)
		}
	}
	if got := dfpn.FindNode(nodes[:1], gold, 3, false, shogi.NoMove); got != -1 {
		t.Errorf("a node that is too high: %d", got)
	}
	// On the line, one that was made for more in hand does not do, though it needs just this hand.
	forced := shogi.NewDrop(shogi.Gold, shogi.Square(40))
	if got := dfpn.FindNode(nodes, gold, 9, true, forced); got != -1 {
		t.Errorf("node %d for the line, which is not on it", got)
	}
	if got := dfpn.FindNode(nodes, gold, 9, true, forced, 0); got != 0 {
		t.Errorf("node %d for the line, want 0", got)
	}
}

// TestProveStops: the making of a proof looks at its context now and then, not only its replay.
func TestProveStops(t *testing.T) {
	t.Parallel()
	p := shogi.MustParseSFEN(manyInterpositions)
	s := dfpn.NewSearch(dfpn.Options{})
	known := s.Solve(t.Context(), p, solver.Limits{Proof: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := s.Steps()
	var out solver.Result
	reason, _, _ := s.Prove(ctx, ctx, p, known.Proof.Plies()+100, 0, 0, &out)
	if steps := s.Steps() - before; reason != solver.ReasonCancelled || steps > 256 {
		t.Errorf("%q after %d steps, of %d", reason, steps, known.Proof.Len())
	}
}

// TestProofAsked: nobody gets a proof that he did not ask for.
func TestProofAsked(t *testing.T) {
	p := shogi.MustParseSFEN("3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1")
	for _, asked := range []bool{false, true} {
		r := dfpn.New(dfpn.Options{}).Solve(t.Context(), p, solver.Limits{Proof: asked})
		if r.Verdict != solver.Mate || (r.Proof != nil) != asked {
			t.Errorf("asked: %v: %+v", asked, r)
		}
	}
}
