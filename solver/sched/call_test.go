package sched

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// TestJoin: equal questions share a search. Who asked it first may leave: the search goes on for
// the others.
func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: block, Slots: 8}})
		first, leave := context.WithCancel(t.Context())
		leader := ask(first, s, about(sfenA, 0))
		synctest.Wait()
		var others []<-chan reply
		for range 9 {
			others = append(others, ask(t.Context(), s, about(sfenA, 0)))
		}
		synctest.Wait()
		if n := len(asked); n != 1 {
			t.Fatalf("%d searches for 10 equal questions", n)
		}
		leave()
		synctest.Wait()
		release <- noMate
		for _, c := range others {
			wantResult(t, <-c, solver.NoMate, "", Joined)
		}
		<-leader
		if n.answering[Joined] != 9 || n.answering[Searched] != 1 {
			t.Errorf("%v", n.answering)
		}
		wantIdle(t, s, n)
	})
}

// TestLeaveJoined: who joined and leaves is told so at once, and changes nothing for the others.
func TestLeaveJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, _, release := blocked()
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: block}})
		leader := ask(t.Context(), s, about(sfenA, 0))
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		joined := ask(ctx, s, about(sfenA, 0))
		time.Sleep(time.Second)
		began := time.Now()
		leave()
		r := <-joined
		wantResult(t, r, solver.Unknown, solver.ReasonCancelled, Joined)
		if r.at != began || r.Elapsed != time.Second {
			t.Errorf("%v late, elapsed %v", r.at.Sub(began), r.Elapsed)
		}
		synctest.Wait()
		release <- noMate
		wantResult(t, <-leader, solver.NoMate, "", Searched)
		wantIdle(t, s, n)
	})
}

// TestLastLeaves: when nobody waits any more, the search ends, and who comes then gets a new one,
// also before the cancelled one has come to its end. That end is not the end of the new one.
func TestLastLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searches := 0
		s, n := newScheduler(t, Config{Long: PoolConfig{Slots: 2, Solver: solver.Func(
			func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
				if searches++; searches > 1 {
					time.Sleep(3 * time.Second)
					return noMate
				}
				<-ctx.Done()
				time.Sleep(time.Second)
				return solver.Result{Reason: solver.StopReason(ctx)}
			})}})
		ctx, leave := context.WithCancel(t.Context())
		leader, joined := ask(ctx, s, about(sfenA, 0)), ask(ctx, s, about(sfenA, 0))
		synctest.Wait()
		leave()
		synctest.Wait()
		again := ask(t.Context(), s, about(sfenA, 0))
		time.Sleep(2 * time.Second)
		wantResult(t, <-ask(t.Context(), s, about(sfenA, 0)), solver.NoMate, "", Joined)
		wantResult(t, <-again, solver.NoMate, "", Searched)
		for _, c := range []<-chan reply{leader, joined} {
			if r := <-c; r.err != nil || r.Result.Reason != solver.ReasonCancelled {
				t.Errorf("%v %+v", r.err, r.Answer)
			}
		}
		if searches != 2 {
			t.Errorf("%d searches, want the cancelled one and one more", searches)
		}
		wantIdle(t, s, n)
	})
}

// TestWhatIsEqual: limits, attacker, task, time and being part of a batch are parts of a question,
// the move number and the client are not.
func TestWhatIsEqual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: block, Slots: 20}})
		one := &Task{Run: func(ctx context.Context, q *Question, parts *Parts) (*Answer, error) {
			r := block.Solve(ctx, q.Position, q.Limits)
			return &Answer{Result: r}, nil
		}}
		another := *one
		var answers []<-chan reply
		for _, change := range []func(*Question){
			func(q *Question) {},
			func(q *Question) { q.Client = &Client{} },                      // equal
			func(q *Question) { *q = *about(sfenA[:len(sfenA)-1]+"57", 0) }, // equal
			func(q *Question) { q.Limits.Plies = 3 },
			func(q *Question) { q.Limits.Nodes = 9 },
			func(q *Question) { q.Limits.Shortest = true },
			func(q *Question) { q.Limits.Proof = true },
			func(q *Question) { q.Time = time.Minute },
			func(q *Question) { q.Batch = true },
			func(q *Question) { q.Attacker = shogi.White },
			func(q *Question) { *q = *about(sfenB, 0) },
			func(q *Question) { q.Task = one },
			func(q *Question) { q.Task = &another },
		} {
			q := about(sfenA, 0)
			change(q)
			answers = append(answers, ask(t.Context(), s, q))
			synctest.Wait()
		}
		const different = 11
		if n := len(asked); n != different {
			t.Errorf("%d searches, want %d", n, different)
		}
		for range different {
			release <- noMate
		}
		for _, c := range answers {
			if r := <-c; r.err != nil || r.Result.Verdict != solver.NoMate {
				t.Errorf("%v %+v", r.err, r.Answer)
			}
		}
		wantIdle(t, s, n)
	})
}

// TestTimeLimit: time runs from the beginning of a search. Who joins one waits no longer than for a
// search of one's own, and who comes after its end gets another.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime()}, Cache: &mapCache{}})
		began := time.Now()
		first := ask(t.Context(), s, within(time.Second, about(sfenA, 0)))
		time.Sleep(600 * time.Millisecond)
		second := <-ask(t.Context(), s, within(time.Second, about(sfenA, 0)))
		wantResult(t, <-first, solver.Unknown, solver.ReasonTime, Searched)
		wantResult(t, second, solver.Unknown, solver.ReasonTime, Joined)
		if took := time.Since(began); took != time.Second || second.Elapsed != time.Second {
			t.Errorf("until %v, elapsed %v; want the end of the first", took, second.Elapsed)
		}
		wantResult(t, <-ask(t.Context(), s, within(time.Second, about(sfenA, 0))), solver.Unknown,
			solver.ReasonTime, Searched)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("the next came after %v", took)
		}
		wantIdle(t, s, n)
	})
}

// TestPanic: the leader gets the panic, those who joined ErrPanic, and the slot is free again.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		explode := make(chan bool)
		s, n := newScheduler(t, Config{Long: PoolConfig{Slots: 1, Solver: solver.Func(
			func(context.Context, shogi.Position, solver.Limits) solver.Result {
				if <-explode {
					panic("as asked")
				}
				return noMate
			})}})
		panicked := make(chan any)
		go func() {
			defer func() { panicked <- recover() }()
			_, _, _ = s.Ask(t.Context(), about(sfenA, 0))
		}()
		synctest.Wait()
		joined := ask(t.Context(), s, about(sfenA, 0))
		synctest.Wait()
		explode <- true
		if v := <-panicked; v != "as asked" {
			t.Errorf("the leader has %v", v)
		}
		if r := <-joined; !errors.Is(r.err, ErrPanic) || r.Answer != nil {
			t.Errorf("who joined has %v %+v", r.err, r.Answer)
		}
		wantIdle(t, s, n)
		again := ask(t.Context(), s, about(sfenA, 0))
		explode <- false
		wantResult(t, <-again, solver.NoMate, "", Searched)
	})
}

// TestNobodyWaitsForOthers: equal questions that come while one is searched are answered with it,
// and not in rounds.
func TestNobodyWaitsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime(), Slots: 1, Wait: time.Minute}})
		const limit = 9 * time.Second
		clients := []*Client{{}, {}, {}}
		waits := make(chan time.Duration, 30)
		for i := range cap(waits) {
			go func() {
				began := time.Now()
				r := <-ask(t.Context(), s, by(clients[i%3], within(limit, about(sfenA, 0))))
				if r.err != nil {
					t.Error(r.err)
				}
				waits <- time.Since(began)
			}()
			time.Sleep(time.Second)
		}
		for range cap(waits) {
			if took := <-waits; took > limit {
				t.Errorf("answered after %v, the limit is %v", took, limit)
			}
		}
		wantIdle(t, s, n)
	})
}

// TestJoinedRefusal: that there is no slot for one client is no answer to another that joined its
// question. It is one to the same client.
func TestJoinedRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime(), Slots: 2, Queue: 3,
			Wait: time.Hour}})
		asks := func(c *Client, n uint64) <-chan reply {
			answer := ask(t.Context(), s, by(c, within(10*time.Second, about(sfenA, n))))
			synctest.Wait()
			return answer
		}
		greedy, other, third := &Client{}, &Client{}, &Client{}
		asks(other, 0) // both run
		asks(other, 1)
		asks(greedy, 2) // three wait
		asks(greedy, 3)
		refused := asks(greedy, 4)
		twin := asks(greedy, 4)
		joined := asks(other, 4)
		last := asks(third, 9) // for which the last of the greedy client goes
		wantOverloaded(t, <-refused, Long)
		r := <-twin
		if wantOverloaded(t, r, Long); r.source != Joined {
			t.Errorf("the same client asks again: %s", r.source)
		}
		for _, c := range []<-chan reply{joined, last} {
			wantResult(t, <-c, solver.Unknown, solver.ReasonTime, Searched)
		}
		time.Sleep(time.Hour)
		wantIdle(t, s, n)
	})
}

// TestJoinedWaitIsCounted: who waited in vain with somebody else waits only for what is left.
func TestJoinedWaitIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime(), Slots: 1,
			Wait: 10 * time.Second}})
		takeSlot(s, Long)
		began := time.Now()
		ask(t.Context(), s, by(&Client{}, about(sfenA, 0)))
		time.Sleep(6 * time.Second)
		wantOverloaded(t, <-ask(t.Context(), s, by(&Client{}, about(sfenA, 0))), Long)
		if took := time.Since(began); took != 16*time.Second {
			t.Errorf("until %v, want 10 s", took)
		}
	})
}

// TestJoinedWaitIsOver: who waited in vain with somebody else for as long as it may gets the
// refusal, and no search of its own.
func TestJoinedWaitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick, searches := noting(takes(2*time.Second, ranOut))
		s, _ := newScheduler(t, Config{Quick: PoolConfig{Solver: quick},
			Long: PoolConfig{Solver: untilTime(), Slots: 1, Wait: time.Second}})
		takeSlot(s, Long)
		ask(t.Context(), s, by(&Client{}, about(sfenA, 0)))
		synctest.Wait()
		began := time.Now()
		r := <-ask(t.Context(), s, by(&Client{}, about(sfenA, 0)))
		wantOverloaded(t, r, Long)
		if took := r.at.Sub(began); took != 3*time.Second || r.source != Joined || len(*searches) != 1 {
			t.Errorf("by %s after %v and %d searches", r.source, took, len(*searches))
		}
	})
}

// TestJoinedWait: who asks the same as a client that waits for many others of its own waits no
// longer than if that client had not asked, whether the wait or the joining comes first.
func TestJoinedWait(t *testing.T) {
	quick := takes(time.Second, ranOut)
	for name, c := range map[string]struct {
		quick solver.Solver
		later time.Duration
	}{
		"the wait":    {quick, 2 * time.Second},
		"the joining": {quick, time.Second / 2},
		"no quick":    {nil, 0},
	} {
		t.Run(name+" first", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, n := newScheduler(t, Config{Quick: PoolConfig{Solver: c.quick, Slots: 2},
					Long: PoolConfig{Solver: untilTime(), Slots: 1, Queue: 16, Wait: time.Hour}})
				greedy := &Client{}
				for i := range 6 { // one runs, five wait
					ask(t.Context(), s, by(greedy, within(11*time.Second, about(sfenA, uint64(i)))))
					time.Sleep(c.later)
					synctest.Wait()
				}
				began := time.Now()
				r := <-ask(t.Context(), s, by(&Client{}, within(11*time.Second, about(sfenA, 5))))
				if took := time.Since(began); r.err != nil || took > 23*time.Second {
					t.Errorf("%v after %v", r.err, took)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				wantIdle(t, s, n)
			})
		})
	}
}

// TestChargedIsTheLeader: the work is that of the client that asked first, also where the search
// waited on the account of another.
func TestChargedIsTheLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t, Config{Long: PoolConfig{Solver: takes(time.Second, noMate), Slots: 1}})
		charged := map[string]time.Duration{}
		client := func(name string) *Client {
			return &Client{Charge: func(took time.Duration) { charged[name] += took }}
		}
		first, second := client("first"), client("second")
		for i := range 3 {
			ask(t.Context(), s, by(first, about(sfenA, uint64(i))))
			synctest.Wait()
		}
		ask(t.Context(), s, by(second, about(sfenA, 2)))
		time.Sleep(time.Minute)
		synctest.Wait()
		if charged["first"] != 3*time.Second || charged["second"] != 0 {
			t.Errorf("%v", charged)
		}
	})
}

// TestFollow: who follows a call learns of it before it begins, and how its search goes.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{
			Quick: PoolConfig{Solver: takes(time.Second, ranOut)},
			Long: PoolConfig{Slots: 1, Solver: solver.Func(
				func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
					report := solver.ReporterOf(ctx).Report
					time.Sleep(time.Second)
					report(solver.Progress{Nodes: 42})
					time.Sleep(time.Second)
					report(solver.Progress{Nodes: 43, Done: true})
					return noMate
				})}})
		release := takeSlot(s, Long)
		var calls []*Call
		q := about(sfenA, 0)
		q.Follow = func(c *Call) { calls = append(calls, c) }
		answer := ask(t.Context(), s, q)
		synctest.Wait()
		if len(calls) != 1 || calls[0].Progress() == nil || calls[0].Progress().Nodes != 0 {
			t.Fatalf("%v of the quick search", calls)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if p := calls[0].Progress(); p != nil {
			t.Errorf("%v while it waits", p)
		}
		release()
		synctest.Wait()
		if p := calls[0].Progress(); p == nil || p.Nodes != 0 {
			t.Errorf("%v at the beginning", p)
		}
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if p := calls[0].Progress(); p == nil || p.Nodes != 42 {
			t.Errorf("%v after a report", p)
		}
		wantResult(t, <-answer, solver.NoMate, "", Searched)
		if len(n.last) != 1 || n.last[0].Nodes != 43 {
			t.Errorf("last %v", n.last)
		}
	})
}
