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
// 6,500.
const manyInterpositions = "7k1/5+Bp2/7Ss/9/9/9/1n7/9/9 b 2rb4g2s3n4l17p 1"

// TestProofSize: the proof is small enough to be made in the memory of the search, and its nodes
// are not lost to a limit that the search has hardly met.
func TestProofSize(t *testing.T) {
	t.Parallel()
	p := shogi.MustParseSFEN(manyInterpositions)
	s := dfpn.New(dfpn.Options{TableBytes: 64 << 20})
	free := solve(s, p, solver.Limits{})
	if free.Verdict != solver.Mate || free.Proof.Len() > 10_000 {
		t.Fatalf("%+v", free)
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
