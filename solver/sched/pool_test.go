package sched

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint"
	"github.com/tsumero/tsumero/solver/checkpoint/disk"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// A search is what a solver was asked.
type search struct {
	limits solver.Limits
	left   time.Duration // until the context's deadline, 0 for none
}

// noting returns a solver that notes what it is asked.
func noting(s solver.Solver) (solver.Solver, *[]search) {
	searches := new([]search)
	return solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		one := search{limits: lim}
		if deadline, ok := ctx.Deadline(); ok {
			one.left = time.Until(deadline)
		}
		*searches = append(*searches, one)
		return s.Solve(ctx, p, lim)
	}), searches
}

// TestPools: what the quick solver answers stands, except where it was its own nodes that ran out.
// Then the other one answers, alone, and within what is left of the time.
func TestPools(t *testing.T) {
	type limits = solver.Limits
	line := []shogi.Move{shogi.NewDrop(shogi.Gold, 40)}
	ranOut := solver.Result{Reason: solver.ReasonNodes, NoMateWithin: 3, Nodes: 100, Solver: "quick"}
	bounded := solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonNodes, Solver: "quick"}
	never := solver.Result{Verdict: solver.NoMate, Nodes: 7777, Solver: "long"}
	timeOut := func(nodes uint64, by string) solver.Result {
		return solver.Result{Reason: solver.ReasonTime, Nodes: nodes, Solver: by}
	}
	const left = 1900 * time.Millisecond
	for _, c := range []struct {
		name      string
		limits    limits
		time      time.Duration // 2 s if 0
		quick     solver.Result
		longTakes time.Duration
		searches  []search // of the quick solver, then the long one
		want      solver.Result
		elapsed   time.Duration // 100 ms if 0
	}{
		{name: "a mate", quick: solver.Result{Verdict: solver.Mate, Line: line, Solver: "quick"},
			searches: []search{{limits{Nodes: 100}, 0}},
			want:     solver.Result{Verdict: solver.Mate, Line: line, Solver: "quick"}},
		{name: "no mate", limits: limits{Nodes: 500}, quick: noMate,
			searches: []search{{limits{Nodes: 100}, 0}}, want: noMate},
		{name: "not within the plies", limits: limits{Plies: 3, Nodes: 1000},
			quick:    solver.Result{Reason: solver.ReasonPlies},
			searches: []search{{limits{Nodes: 100, Plies: 3}, 0}},
			want:     solver.Result{Reason: solver.ReasonPlies}},
		{name: "its nodes ran out", limits: limits{Plies: 9, Nodes: 1000, Shortest: true}, quick: ranOut,
			searches: []search{{limits{Nodes: 100, Plies: 9, Shortest: true}, 0},
				{limits{Nodes: 1000, Plies: 9, Shortest: true}, left}},
			want: never},
		{name: "any nodes", quick: ranOut,
			searches: []search{{limits{Nodes: 100}, 0}, {limits{}, left}}, want: never},
		{name: "any time", limits: limits{Nodes: 1000}, quick: ranOut, time: -1,
			searches: []search{{limits{Nodes: 100}, 0},
				{limits{Nodes: 1000}, 0}}, want: never},
		{name: "its memory had no room for a proof", limits: limits{Nodes: 100},
			quick:    solver.Result{Reason: solver.ReasonProof, Nodes: 80, Solver: "quick"},
			searches: []search{{limits{Nodes: 100}, 0}, {limits{Nodes: 100}, left}}, want: never},
		{name: "the client's nodes ran out", limits: limits{Nodes: 100}, quick: ranOut,
			searches: []search{{limits{Nodes: 100}, 0}}, want: ranOut},
		{name: "fewer nodes than its own", limits: limits{Nodes: 50}, quick: ranOut,
			searches: []search{{limits{Nodes: 50}, 0}}, want: ranOut},
		{name: "a node more than its own", limits: limits{Nodes: 101}, quick: ranOut,
			searches: []search{{limits{Nodes: 100}, 0}, {limits{Nodes: 101}, left}}, want: never},
		{name: "a mate, not yet the shortest", limits: limits{Nodes: 1000, Shortest: true}, quick: bounded,
			searches: []search{{limits{Nodes: 100, Shortest: true}, 0},
				{limits{Nodes: 1000, Shortest: true}, left}}, want: never},
		{name: "little time", limits: limits{Nodes: 1000}, time: 200 * time.Millisecond, quick: ranOut,
			longTakes: time.Hour,
			searches: []search{{limits{Nodes: 100}, 200 * time.Millisecond},
				{limits{Nodes: 1000}, 100 * time.Millisecond}},
			want: timeOut(1, "long"), elapsed: 200 * time.Millisecond},
		{name: "too little time", limits: limits{Nodes: 1000}, time: 50 * time.Millisecond, quick: ranOut,
			searches: []search{{limits{Nodes: 100}, 50 * time.Millisecond}},
			want:     timeOut(1, "quick"), elapsed: 50 * time.Millisecond},
		{name: "a mate, and no time to find it again", limits: limits{Nodes: 1000, Shortest: true},
			quick: bounded, longTakes: time.Hour,
			searches: []search{{limits{Nodes: 100, Shortest: true}, 0},
				{limits{Nodes: 1000, Shortest: true}, left}},
			want:    solver.Result{Verdict: solver.Mate, Line: line, Reason: solver.ReasonTime, Solver: "quick"},
			elapsed: 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				quick, quickSearches := noting(takes(100*time.Millisecond, c.quick))
				long, longSearches := noting(takes(c.longTakes, never))
				s, n := newScheduler(t, Config{Quick: PoolConfig{Solver: quick},
					QuickNodes: 100, Long: PoolConfig{Solver: long}})
				q := about(sfenA, 0)
				q.Limits, q.Time = c.limits, max(0, cmp.Or(c.time, 2*time.Second))
				r := <-ask(t.Context(), s, q)
				if r.err != nil || !reflect.DeepEqual(r.Result, c.want) {
					t.Errorf("%v, %+v; want %+v", r.err, r.Answer, c.want)
				}
				if want := cmp.Or(c.elapsed, 100*time.Millisecond); r.Elapsed != want {
					t.Errorf("elapsed %v, want %v", r.Elapsed, want)
				}
				got := append(*quickSearches, *longSearches...)
				if fmt.Sprint(got) != fmt.Sprint(c.searches) {
					t.Errorf("asked with %v, want %v", got, c.searches)
				}
				for i, k := range []Kind{Quick, Long} {
					want := 0
					if i < len(c.searches) {
						want = 1
					}
					if len(n.ended[k]) != want || len(n.granted[k]) != want {
						t.Errorf("the %s pool: %d searches, %d slots; want %d", k, len(n.ended[k]),
							len(n.granted[k]), want)
					}
				}
				wantIdle(t, s, n)
			})
		})
	}
}

// quickKnowsA returns a solver for the quick pool that knows sfenA and nothing else.
func quickKnowsA() solver.Solver {
	known := shogi.MustParseSFEN(sfenA)
	return solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
		if p == known {
			return solver.Result{Verdict: solver.NoMate, Solver: "quick"}
		}
		return ranOut
	})
}

// TestLongSearchesStarveNobody: with all slots for long searches and their queue taken, by a batch
// too, quick searches are made at once, and only long ones are refused.
func TestLongSearchesStarveNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s, n := newScheduler(t, Config{Quick: PoolConfig{Solver: quickKnowsA(), Slots: 1, Queue: -1},
			Long: PoolConfig{Solver: block, Slots: 2, Queue: 1, Wait: time.Hour}})
		var long []<-chan reply
		for i := range 4 { // two search, one waits, and a part of a batch
			q := within(time.Hour, about(sfenB, uint64(i)))
			q.Batch = i == 3
			long = append(long, ask(t.Context(), s, q))
			synctest.Wait()
		}
		if n := len(asked); n != 2 {
			t.Fatalf("%d long searches at once, want 2", n)
		}
		if n.running != [NumKinds]int{0, 2} || n.waiting != [NumKinds]int{0, 2} {
			t.Errorf("%d run, %d wait", n.running, n.waiting)
		}

		began := time.Now()
		for _, batch := range []bool{false, true} {
			q := about(sfenA, 0)
			q.Batch = batch
			if r := <-ask(t.Context(), s, q); r.err != nil || r.Result.Solver != "quick" {
				t.Errorf("%v %+v", r.err, r.Answer)
			}
		}
		busy := wantOverloaded(t, <-ask(t.Context(), s, about(sfenC, 0)), Long)
		if busy.RetryAfter != time.Hour {
			t.Errorf("retry after %v", busy.RetryAfter)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("they waited %v", took)
		}
		for range 4 {
			release <- noMate
		}
		for _, c := range long {
			wantResult(t, <-c, solver.NoMate, "", Searched)
		}
		wantIdle(t, s, n)
	})
}

// TestBatchLeavesRoom: of all the questions of batches that wait for a long search, one at a time
// stands in line with the single ones.
func TestBatchLeavesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, release := blocked()
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: block, Slots: 1, Queue: 1, Wait: time.Hour}})
		var batch []<-chan reply
		for i := range 9 {
			q := about(sfenB, uint64(i))
			q.Batch = true
			batch = append(batch, ask(t.Context(), s, q))
			synctest.Wait()
		}
		single := ask(t.Context(), s, about(sfenC, 0))
		synctest.Wait()
		if n.waiting[Long] != 9 {
			t.Fatalf("%v wait, want 8 of the batch and a question", n.waiting)
		}
		for i := range 10 {
			release <- noMate
			synctest.Wait()
			if i == 2 { // one of the batch was searched, one was in line already
				select {
				case r := <-single:
					wantResult(t, r, solver.NoMate, "", Searched)
				default:
					t.Error("the question still waits after three searches")
				}
			}
		}
		for _, c := range batch {
			wantResult(t, <-c, solver.NoMate, "", Searched)
		}
		wantIdle(t, s, n)
	})
}

// TestBatchWaitsForEver: part of a batch is not refused, however long it waits.
func TestBatchWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: takes(0, noMate), Slots: 1, Queue: -1,
			Wait: time.Second}})
		release := takeSlot(s, Long)
		q := about(sfenA, 0)
		q.Batch = true
		answer := ask(t.Context(), s, q)
		time.Sleep(1000 * time.Hour)
		release()
		wantResult(t, <-answer, solver.NoMate, "", Searched)
		wantIdle(t, s, n)
	})
}

// TestAdmission: so many searches at once, so many that wait, and only so long.
func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: block, Slots: 2, Queue: 3, Wait: time.Second}})
		var answers []<-chan reply
		for i := range 6 {
			answers = append(answers, ask(t.Context(), s, within(10*time.Second, about(sfenA, uint64(i)))))
			synctest.Wait()
		}
		if n := len(asked); n != 2 {
			t.Errorf("%d searches at once, want 2", n)
		}
		if n.running[Long] != 2 || n.waiting[Long] != 3 {
			t.Errorf("%d searches run, %d wait; want 2 and 3", n.running[Long], n.waiting[Long])
		}
		// The sixth has no room to wait. The others give up in a second, and who comes a second
		// before a search must have ended gets its slot.
		busy := wantOverloaded(t, <-answers[5], Long)
		if want := 10*time.Second + 2*lateEnd - time.Second; busy.RetryAfter < want-time.Second || busy.RetryAfter > want+time.Second {
			t.Errorf("retry after %v", busy.RetryAfter)
		}
		time.Sleep(500 * time.Millisecond)
		release <- noMate // one of the first two, and the third begins
		synctest.Wait()
		time.Sleep(time.Second)
		for _, c := range answers[3:5] {
			wantOverloaded(t, <-c, Long)
		}
		release <- noMate
		release <- noMate
		for _, c := range answers[:3] {
			wantResult(t, <-c, solver.NoMate, "", Searched)
		}
		if got := n.granted[Long]; fmt.Sprint(got) != "[0s 0s 500ms]" {
			t.Errorf("the searches waited %v", got)
		}
		wantIdle(t, s, n)
	})
}

// TestLeavingThePools: a client that goes gives up its place in each queue it may stand in, and
// those who joined keep it.
func TestLeavingThePools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s, n := newScheduler(t, Config{Quick: PoolConfig{Solver: quickKnowsA(), Slots: 1, Wait: time.Hour},
			Long: PoolConfig{Solver: block, Slots: 1, Wait: time.Hour}})
		releaseQuick := takeSlot(s, Quick)
		ctx, leave := context.WithCancel(t.Context())
		gone := ask(ctx, s, about(sfenB, 0))
		synctest.Wait()
		if n.waiting[Quick] != 1 {
			t.Fatal("nobody waits for a quick search")
		}
		leave()
		wantResult(t, <-gone, solver.Unknown, solver.ReasonCancelled, Searched)
		releaseQuick()

		running := ask(t.Context(), s, about(sfenB, 0))
		synctest.Wait()
		ctx, leave = context.WithCancel(t.Context())
		first := ask(ctx, s, about(sfenC, 0))
		synctest.Wait()
		second := ask(t.Context(), s, about(sfenC, 0))
		synctest.Wait()
		if n.waiting[Long] != 1 || len(asked) != 1 {
			t.Fatalf("%v wait, %d searches; want 1 and 1", n.waiting, len(asked))
		}
		leave()
		synctest.Wait()
		if n.waiting[Long] != 1 {
			t.Error("the place in the queue of a question that somebody still asks is given up")
		}
		release <- noMate
		release <- noMate
		wantResult(t, <-running, solver.NoMate, "", Searched)
		wantResult(t, <-second, solver.NoMate, "", Joined)
		<-first
		wantIdle(t, s, n)
	})
}

// The checkpoints of a question are those of its long search, which the short one before it must
// not take.
func TestCheckpoints(t *testing.T) {
	keeper := disk.New(disk.Options{})
	var seen []checkpoint.Keeper
	asks := func(r solver.Result) solver.Solver {
		return solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
			seen = append(seen, checkpoint.Of(ctx))
			return r
		})
	}
	s, _ := newScheduler(t, Config{QuickNodes: 100,
		Quick: PoolConfig{Solver: asks(solver.Result{Reason: solver.ReasonNodes, Nodes: 100})},
		Long:  PoolConfig{Solver: asks(noMate)}})
	q, err := NewQuestion(shogi.MustParseSFEN(sfenA))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Ask(checkpoint.With(t.Context(), keeper), q); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []checkpoint.Keeper{nil, keeper}) {
		t.Errorf("%v", seen)
	}
}

// TestTurnsOfSearches: searches that take turns find what they find alone, node for node.
func TestTurnsOfSearches(t *testing.T) {
	questions := []*Question{
		about("7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1", 0),
		about("7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1", 0),
		about("6k2/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1", 0),
	}
	for i, q := range questions {
		q.Limits.Nodes, q.Batch = 30_000+uint64(i)*1000, true
	}
	answer := func(begun int) (results []solver.Result, turns int) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Slots: 1, Begun: begun,
			Solver: dfpn.New(dfpn.Options{TableBytes: 8 << 20, Searches: begun})}})
		s.pools[0].turn, s.pools[0].report = time.Nanosecond, time.Nanosecond
		n.began = func() { turns++ }
		var replies []<-chan reply
		for _, q := range questions {
			replies = append(replies, ask(t.Context(), s, by(&Client{}, q)))
		}
		for _, r := range replies {
			results = append(results, (<-r).Result)
		}
		return results, turns
	}
	alone, turns := answer(1)
	if turns != len(questions) {
		t.Errorf("%d turns alone", turns)
	}
	together, turns := answer(3)
	if turns < 10*len(questions) {
		t.Errorf("%d turns", turns)
	}
	if !reflect.DeepEqual(together, alone) {
		t.Errorf("%+v\nalone:\n%+v", together, alone)
	}
}

// TestBegins: what is called before a search has its slot and its context, and takes none of its time.
func TestBegins(t *testing.T) {
	for _, begun := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			type key struct{}
			var values []any
			s, _ := newScheduler(t, Config{Long: PoolConfig{Solver: needs(10 * time.Second), Slots: 1, Begun: begun,
				Begins: func(ctx context.Context) {
					values = append(values, ctx.Value(key{}))
					time.Sleep(time.Minute)
				}}})
			start := time.Now()
			var replies []<-chan reply
			for i, name := range []string{"a", "b"} {
				q := within(15*time.Second, about(sfenA, uint64(i)))
				q.Batch = true
				replies = append(replies, ask(context.WithValue(t.Context(), key{}, name), s, q))
				synctest.Wait()
			}
			for _, r := range replies {
				if got := <-r; got.err != nil || got.Answer.Elapsed != 10*time.Second {
					t.Errorf("%+v", got)
				}
			}
			if took := time.Since(start); took != 140*time.Second || !slices.Equal(values, []any{"a", "b"}) {
				t.Errorf("%v in %v", values, took)
			}
		})
	}
}
