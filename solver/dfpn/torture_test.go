package dfpn_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// A hook is a context that calls back each time it is asked whether it has ended, which is every
// thousand nodes or so.
type hook struct {
	context.Context
	asked func() error
}

func (h hook) Err() error { return h.asked() }

func newHook(asked func() error) hook { return hook{context.Background(), asked} }

// TestCollections clears the table out, partly or wholly, in the middle of searches: slower, and
// right all the same.
func TestCollections(t *testing.T) {
	notShort(t)
	t.Parallel()
	seed := shogitest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	// Proofs that the table forgot in part can take more than 1 MiB.
	s := dfpn.NewSearch(dfpn.Options{TableBytes: 2 << 20})
	collected, cleared := 0, 0
	for _, k := range knownPositions(t, quick, exact) {
		attacker, _ := solver.Attacker(&k.Position)
		if attacker == shogi.White {
			k.Position = k.Position.Rotated()
		}
		for _, shortest := range []bool{false, true} {
			if shortest && k.effort == exact {
				continue
			}
			clears := 0
			forgetful := newHook(func() error {
				if s.Busy() {
					return nil
				}
				switch rng.IntN(16) {
				case 0, 1, 2, 3:
					s.Collect()
					collected++
				case 4:
					if clears++; clears <= 8 { // or it might never come to an end
						s.Clear()
						cleared++
					}
				}
				return nil
			})
			s.Forget()
			r := s.Solve(forgetful, k.Position, solver.Limits{Nodes: 8 * enough, Shortest: shortest, Proof: true})
			k.decided(t, &r, "with a table that forgets")
			if shortest && r.Verdict == solver.Mate && (!r.Exact || r.Reason != solver.NoReason) {
				t.Errorf("%s: sfen %s: with a table that forgets: %+v", k.Source, k.Position.SFEN(), r)
			}
		}
	}
	t.Logf("%d collections, %d times everything forgotten", collected, cleared)
	if collected < 5 || cleared < 2 {
		t.Error("too few to tell")
	}
}

// TestGoOn stops searches at random nodes, by limit and by context, and goes on with the same
// table: nothing half done may have been stored.
func TestGoOn(t *testing.T) {
	notShort(t)
	t.Parallel()
	seed := shogitest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	s := dfpn.NewSearch(dfpn.Options{TableBytes: 1 << 20})
	stops := 0
	for _, k := range knownPositions(t, quick) {
		attacker, _ := solver.Attacker(&k.Position)
		if attacker == shogi.White {
			k.Position = k.Position.Rotated()
		}
		if rng.IntN(2) == 0 {
			s.Forget()
			for range 1 + rng.IntN(30) {
				lim := solver.Limits{Nodes: 1 + uint64(rng.ExpFloat64()*300), Shortest: rng.IntN(2) == 0, Proof: true}
				if rng.IntN(3) == 0 {
					lim.Plies = 1 + rng.IntN(20)
				}
				ctx := context.Background()
				if rng.IntN(3) == 0 {
					left := 1 + rng.IntN(4)
					ctx = newHook(func() error {
						if left--; left <= 0 {
							return context.Canceled
						}
						return nil
					})
					lim.Nodes = 0
				}
				r := s.Solve(ctx, k.Position, lim)
				if msg := k.wrong(&r); msg != "" {
					t.Errorf("%s: sfen %s: %+v: %s: %+v", k.Source, k.Position.SFEN(), lim, msg, r)
				}
				if r.Reason == solver.ReasonNodes || r.Reason == solver.ReasonCancelled {
					stops++
				}
			}
			r := s.Solve(context.Background(), k.Position, solver.Limits{Nodes: enough, Shortest: true, Proof: true})
			k.decided(t, &r, "after stops")
			if r.Verdict == solver.Mate && (!r.Exact || r.Reason != solver.NoReason) {
				t.Errorf("%s: sfen %s: after stops: %+v", k.Source, k.Position.SFEN(), r)
			}
		}
	}
	t.Logf("stopped %d times", stops)
	if stops < 30 {
		t.Error("too few stops to tell")
	}
}

// TestCancelled ends the contexts of a Solver's searches at random moments. The next question gets
// the answer that it would have got from a new Solver, to the node.
func TestCancelled(t *testing.T) {
	t.Parallel()
	seed := shogitest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	used, fresh := dfpn.New(dfpn.Options{TableBytes: 4 << 20}), dfpn.New(dfpn.Options{TableBytes: 4 << 20})
	works := knownPositions(t, exact, verdict)
	cancelled := 0
	for _, k := range knownPositions(t, quick) {
		left := rng.IntN(20)
		work := works[rng.IntN(len(works))]
		r := used.Solve(newHook(func() error {
			if left--; left < 0 {
				return context.Canceled
			}
			return nil
		}), work.Position, solver.Limits{Shortest: true, Proof: true})
		if msg := work.wrong(&r); msg != "" || r.Reason != solver.NoReason && r.Reason != solver.ReasonCancelled {
			t.Errorf("%s: sfen %s: cancelled: %s: %+v", work.Source, work.Position.SFEN(), msg, r)
		}
		if r.Reason == solver.ReasonCancelled {
			cancelled++
		}
		lim := solver.Limits{Nodes: enough, Shortest: true, Proof: true}
		if got, want := solve(used, k.Position, lim), solve(fresh, k.Position, lim); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: sfen %s: after a cancelled search %+v, otherwise %+v", k.Source, k.Position.SFEN(), got, want)
		}
	}
	if cancelled == 0 {
		t.Error("nothing was cancelled")
	}
}

// TestLongestPath goes down one line to where searches give up: that is unknown and no disproof,
// and the stack it takes is bounded.
func TestLongestPath(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine")
	}
	// A dragon and a horse chase a king over the empty board, and a bishop may come between.
	p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/3+R1+B3 b b 1")
	s := dfpn.NewSearch(dfpn.Options{TableBytes: 64 << 20})
	var before, at runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var stack uint64
	deepest := 0
	watch := newHook(func() error {
		if d := s.Depth(); d > deepest {
			deepest = d
			runtime.ReadMemStats(&at)
			stack = max(stack, at.StackInuse-min(at.StackInuse, before.StackInuse))
		}
		return nil
	})
	decided, reason := s.Dive(watch, p, 3_000_000)
	t.Logf("%d plies deep, stack %d KiB, %d bytes a ply", deepest, stack>>10, stack/uint64(max(deepest, 1)))
	if decided || reason != solver.ReasonDepth {
		t.Fatalf("decided %v, reason %q, want the end of the path", decided, reason)
	}
	if deepest < dfpn.MaxPath-2000 {
		t.Errorf("only %d plies deep", deepest)
	}
	if stack > 64<<20 {
		t.Errorf("%d bytes of stack", stack)
	}
	// The next search is not disturbed.
	s.Forget()
	mate := shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")
	if r := s.Solve(context.Background(), mate, solver.Limits{}); r.Verdict != solver.Mate || len(r.Line) != 1 {
		t.Errorf("after it: %+v", r)
	}
}

// TestAllocations solves problems a second time: what a search needs it has by then, but for the
// mating tree.
func TestAllocations(t *testing.T) {
	s := dfpn.NewSearch(dfpn.Options{TableBytes: 8 << 20})
	ctx := context.Background()
	for _, k := range knownPositions(t, quick, verdict) {
		attacker, _ := solver.Attacker(&k.Position)
		if !k.noMate() || attacker == shogi.White {
			continue
		}
		lim := solver.Limits{Nodes: 100_000}
		if n := testing.AllocsPerRun(1, func() { s.Forget(); s.Solve(ctx, k.Position, lim) }); n > 1 {
			t.Errorf("%s: %v allocations", k.Source, n)
		}
	}
}

// TestThreads asks with several threads: the same verdicts and lengths, the same line of a shortest
// mate, and no more nodes than allowed.
func TestThreads(t *testing.T) {
	t.Parallel()
	one := dfpn.New(dfpn.Options{TableBytes: 4 << 20})
	for _, threads := range []int{2, 4} {
		many := dfpn.NewAtOnce(dfpn.Options{TableBytes: 4 << 20, Threads: threads})
		for i, k := range knownPositions(t, quick) {
			if i%2 == 1 && threads == 2 {
				continue
			}
			lim := solver.Limits{Nodes: enough, Shortest: true, Proof: true}
			want, got := solve(one, k.Position, lim), solve(many, k.Position, lim)
			k.decided(t, &got, "several threads")
			if got.Verdict == solver.Mate && (!got.Exact || got.Reason != solver.NoReason || !reflect.DeepEqual(got.Line, want.Line)) {
				t.Errorf("%s: sfen %s: %d threads: %+v, one: %+v", k.Source, k.Position.SFEN(), threads, got, want)
			}
			for _, n := range []uint64{1, 2, 3, 10, 100, 1000} {
				r := solve(many, k.Position, solver.Limits{Nodes: n, Shortest: true, Proof: true})
				if msg := k.wrong(&r); msg != "" || r.Nodes > n {
					t.Errorf("%s: sfen %s: %d threads, limit %d: %s: %+v", k.Source, k.Position.SFEN(), threads, n, msg, r)
				}
			}
		}
	}
	// Collections with several threads, and verdicts on positions nobody has chosen.
	seed := shogitest.Seed(t)
	r := solvertest.NewRandom(seed, 0)
	small := dfpn.NewAtOnce(dfpn.Options{TableBytes: 1 << 20, Threads: 4})
	for range howMany(45) {
		p := r.Next()
		lim := solver.Limits{Nodes: 20_000, Proof: true}
		want, got := solve(one, p, lim), solve(small, p, lim)
		if err := solver.Verify(p, got, nil); err != nil {
			t.Errorf("%v: %+v", err, got)
		}
		if want.Verdict != got.Verdict && want.Verdict != solver.Unknown && got.Verdict != solver.Unknown {
			t.Errorf("sfen %s: one thread %+v, four %+v", p.SFEN(), want, got)
		}
	}
}

// TestThreadsBeginLate has the other threads begin when the first one is somewhere below the root.
func TestThreadsBeginLate(t *testing.T) {
	t.Parallel()
	long := 0
	for i, k := range knownPositions(t, exact, verdict) {
		if i > 20 || testing.Short() && i > 8 {
			break
		}
		many := dfpn.NewAfter(dfpn.Options{TableBytes: 4 << 20, Threads: 3}, 1)
		r := solve(many, k.Position, solver.Limits{Nodes: fair, Proof: true})
		if msg := k.wrong(&r); msg != "" || r.Reason == solver.ReasonUnverified {
			t.Errorf("%s: sfen %s: %s: %+v", k.Source, k.Position.SFEN(), msg, r)
		}
		if r.Verdict != solver.Unknown && r.Nodes > 4096 {
			long++
		}
	}
	if long < 3 {
		t.Errorf("%d searches that took long enough to tell", long)
	}
}

var shuffles = flag.Int("dfpn.shuffles", 1, "orders of moves in which TestShuffled asks each position")

// TestShuffled puts the moves of every node into a random order, again and again: whatever
// repetition or hand is met first, the verdict stays, and so does the line of the shortest mate.
func TestShuffled(t *testing.T) {
	notShort(t)
	seed := shogitest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	s := dfpn.NewSearch(dfpn.Options{TableBytes: 4 << 20})
	shuffled := 0
	for _, k := range knownPositions(t, quick) {
		if side, err := solver.Attacker(&k.Position); err != nil || side != shogi.Black {
			k.Position = k.Position.Rotated() // the search itself knows Black as attacker only
		}
		s.Shuffle(nil)
		want := s.Solve(t.Context(), k.Position, solver.Limits{Shortest: true, Nodes: enough, Proof: true})
		s.Forget()
		k.decided(t, &want, "in order")
		for range *shuffles {
			s.Shuffle(func(moves []shogi.Move) {
				rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
			})
			r := s.Solve(t.Context(), k.Position, solver.Limits{Shortest: true, Nodes: enough, Proof: true})
			s.Forget()
			if r.Reason == solver.ReasonNodes {
				continue // an unlucky order
			}
			shuffled++
			if r.Verdict != want.Verdict || r.Exact != want.Exact || !slices.Equal(r.Line, want.Line) {
				t.Errorf("%s: sfen %s: %+v, and in another order %+v", k.Source, k.Position.SFEN(), want, r)
			}
		}
	}
	t.Logf("%d searches in another order", shuffled)
	if shuffled == 0 {
		t.Error("no search in another order came to an end")
	}
}
