package sched

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// asks makes a question one with a task of so many searches, as much as Parts lets it, and returns
// that with their results.
func asks(parts int, results *[]solver.Result) *Task {
	return &Task{Run: func(ctx context.Context, q *Question, p *Parts) (*Answer, error) {
		*results = nil
		a := &Answer{Repeatable: true}
		began := time.Now()
		for i := range parts {
			if p.Stopped() != solver.NoReason || ctx.Err() != nil {
				a.Repeatable = false
				break
			}
			lim := solver.Limits{Nodes: q.Limits.Nodes + uint64(i)}
			r, _, err := p.Search(ctx, shogi.MustParseSFEN(sfenB), lim, cmp.Or(q.Time, time.Hour))
			if err != nil {
				return nil, err
			}
			a.Repeatable = a.Repeatable && r.IsRepeatable()
			a.Result = r
			*results = append(*results, r)
		}
		a.Elapsed = time.Since(began)
		return a, nil
	}}
}

func with(task *Task, q *Question) *Question {
	q.Task = task
	return q
}

// TestTask: its parts are questions like others, the answer is kept, and apart from that of the
// question without the task.
func TestTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Cache: &mapCache{}, Long: PoolConfig{Solver: takes(time.Second, noMate)}})
		var results []solver.Result
		task := asks(3, &results)
		<-ask(t.Context(), s, about(sfenB, 1)) // the second part
		r := <-ask(t.Context(), s, with(task, about(sfenA, 0)))
		if r.err != nil || r.source != Searched || len(results) != 3 || r.Elapsed != 2*time.Second {
			t.Errorf("%v %+v, %v", r.err, r.Answer, results)
		}
		if r := <-ask(t.Context(), s, with(task, about(sfenA, 0))); r.source != Cached {
			t.Errorf("again: %s", r.source)
		}
		if r := <-ask(t.Context(), s, about(sfenA, 0)); r.source != Searched {
			t.Errorf("without the task: %s", r.source)
		}
		wantIdle(t, s, n)
	})
}

// TestTaskNotKept: what the task says is not repeatable is not kept.
func TestTaskNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t, Config{Cache: &mapCache{}, Long: PoolConfig{Solver: untilTime()}})
		var results []solver.Result
		task := asks(1, &results)
		for range 2 {
			r := <-ask(t.Context(), s, with(task, within(time.Second, about(sfenA, 0))))
			if r.err != nil || r.source != Searched || r.Elapsed != time.Second {
				t.Errorf("%v %+v", r.err, r)
			}
		}
	})
}

// TestPartsWait: a question waits for the slots of all its searches, quick or long, no longer than
// others do for one. Part of a batch waits as long as it takes.
func TestPartsWait(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		batch bool
	}{{Quick, false}, {Long, false}, {Long, true}} {
		synctest.Test(t, func(t *testing.T) {
			queue := 0
			if c.batch {
				queue = -1 // for the parts of a batch that is as good as any
			}
			s, _ := newScheduler(t, Config{
				Quick: PoolConfig{Solver: takes(0, ranOut), Slots: 1, Wait: time.Hour},
				Long: PoolConfig{Solver: takes(time.Millisecond, noMate), Slots: 1, Queue: queue,
					Wait: time.Second}})
			slots := &s.pools[c.kind].limiter
			ctx, cancel := context.WithCancel(t.Context())
			var others sync.WaitGroup
			for range 2 { // one of them has the slot, the other one is the next
				q := by(&Client{}, about(sfenC, 0))
				q.Batch = true // it waits, also where there is no queue
				others.Go(func() {
					for ctx.Err() == nil {
						if sl, err := slots.acquire(ctx, q, time.Second, time.Hour, nil); err == nil {
							time.Sleep(300 * time.Millisecond)
							slots.release(sl)
						}
					}
				})
			}
			synctest.Wait()
			var results []solver.Result
			q := with(asks(20, &results), about(sfenA, 0))
			q.Batch = c.batch
			r := <-ask(t.Context(), s, q)
			if c.batch {
				if r.err != nil || len(results) != 20 {
					t.Errorf("part of a batch: %v after %v and %d", r.err, r.Elapsed, len(results))
				}
			} else if r.err != nil || r.Elapsed < time.Second || r.Elapsed > 2*time.Second {
				t.Errorf("%s: %v after %v and %d", c.kind, r.err, r.Elapsed, len(results))
			}
			cancel()
			others.Wait()
		})
	}
}

// TestPartsOverloaded: that there is no slot for a long search is a result, and for a quick one, or
// where there are no quick ones, an error.
func TestPartsOverloaded(t *testing.T) {
	quick := PoolConfig{Solver: takes(0, ranOut), Slots: 1, Queue: -1}
	for _, c := range []struct {
		name  string
		quick PoolConfig
		taken Kind
		err   bool
	}{{"long", quick, Long, false}, {"quick", quick, Quick, true}, {"the only", PoolConfig{}, Long, true}} {
		synctest.Test(t, func(t *testing.T) {
			s, n := newScheduler(t, Config{Cache: &mapCache{}, Quick: c.quick,
				Long: PoolConfig{Solver: takes(0, noMate), Slots: 1, Queue: -1}})
			release := takeSlot(s, c.taken)
			var results []solver.Result
			task := asks(1, &results)
			r := <-ask(t.Context(), s, with(task, about(sfenA, 0)))
			if c.err {
				wantOverloaded(t, r, c.taken)
			} else if r.err != nil || r.Repeatable || len(results) != 1 || results[0].Reason != solver.ReasonOverloaded {
				t.Errorf("%s: %v %+v %v", c.name, r.err, r.Answer, results)
			}
			release()
			r = <-ask(t.Context(), s, with(task, about(sfenA, 0)))
			if r.err != nil || !r.Repeatable || results[0].Verdict != solver.NoMate {
				t.Errorf("%s, when it is free: %v %+v %v", c.name, r.err, r.Answer, results)
			}
			wantIdle(t, s, n)
		})
	}
}

// TestTaskLeave: equal questions share the searches; who joined and leaves gets what is known
// without them; the last who leaves ends them.
func TestTaskLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block, asked, release := blocked()
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: block}})
		runs := 0
		task := &Task{Run: func(ctx context.Context, _ *Question, p *Parts) (*Answer, error) {
			runs++
			a := &Answer{}
			for ctx.Err() == nil {
				r, _, err := p.Search(ctx, shogi.MustParseSFEN(sfenB), solver.Limits{}, time.Hour)
				if err != nil {
					return nil, err
				}
				a.Result.Nodes++
				a.Result.Reason = r.Reason
			}
			return a, nil
		}}
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		leader := ask(first, s, with(task, about(sfenA, 0)))
		synctest.Wait()
		joined := ask(second, s, with(task, about(sfenA, 0)))
		synctest.Wait()
		if len(asked) != 1 || runs != 1 {
			t.Fatalf("%d searches, %d runs", len(asked), runs)
		}
		leaveFirst()
		synctest.Wait()
		release <- noMate
		synctest.Wait()
		if len(asked) != 2 || len(leader) != 0 {
			t.Fatalf("%d searches: the one who joined does not get them", len(asked))
		}
		leaveSecond()
		if r := <-joined; r.err != nil || r.source != Joined || r.Result.Nodes != 0 || runs != 2 {
			t.Errorf("%v %+v", r.err, r)
		}
		if r := <-leader; r.err != nil || r.Result.Nodes != 2 || r.Result.Reason != solver.ReasonCancelled {
			t.Errorf("%v %+v", r.err, r)
		}
		wantIdle(t, s, n)
	})
}

// TestTaskOfAnotherClient: that there is no slot for a client's long searches is no answer to
// another client that joined its question.
func TestTaskOfAnotherClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := make(chan struct{})
		s, n := newScheduler(t, Config{
			Quick: PoolConfig{Slots: 2, Solver: solver.Func(
				func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
					if p == shogi.MustParseSFEN(sfenB) {
						<-begin
					}
					return ranOut
				})},
			Long: PoolConfig{Solver: takes(time.Second, noMate), Slots: 1, Queue: 2, Wait: time.Minute}})
		free := takeSlot(s, Long)
		var results []solver.Result
		task := asks(1, &results)
		greedy, other := &Client{}, &Client{}
		leader := ask(t.Context(), s, by(greedy, with(task, about(sfenA, 0))))
		synctest.Wait()
		joined := ask(t.Context(), s, by(other, with(task, about(sfenA, 0))))
		synctest.Wait()
		for i := range 2 { // the queue is full of the greedy client's
			ask(t.Context(), s, by(greedy, about(sfenC, uint64(i))))
			synctest.Wait()
		}
		close(begin)
		if r := <-leader; r.err != nil || r.Result.Reason != solver.ReasonOverloaded {
			t.Errorf("the greedy client: %v %+v", r.err, r.Answer)
		}
		synctest.Wait()
		free()
		if r := <-joined; r.err != nil || r.source != Searched || r.Result.Verdict != solver.NoMate {
			t.Errorf("who joined it: %v %s %+v", r.err, r.source, r.Answer)
		}
		time.Sleep(time.Minute)
		wantIdle(t, s, n)
	})
}

// TestTaskError: an error of a task is that of all who asked.
func TestTaskError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Cache: &mapCache{}, Long: PoolConfig{Solver: untilTime()}})
		wrong := errors.New("as asked")
		task := &Task{Run: func(context.Context, *Question, *Parts) (*Answer, error) {
			time.Sleep(time.Second)
			return nil, wrong
		}}
		first := ask(t.Context(), s, with(task, about(sfenA, 0)))
		second := ask(t.Context(), s, by(&Client{}, with(task, about(sfenA, 0))))
		for _, c := range []<-chan reply{first, second} {
			if r := <-c; r.err != wrong || r.Answer != nil {
				t.Errorf("%v %+v", r.err, r.Answer)
			}
		}
		wantIdle(t, s, n)
	})
}
