package sched

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Positions to ask about. What solvers say of them is up to the tests.
const (
	sfenA = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	sfenB = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	sfenC = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
)

var (
	noMate = solver.Result{Verdict: solver.NoMate, Nodes: 7, Solver: "test"}
	ranOut = solver.Result{Reason: solver.ReasonNodes, Nodes: 100, Solver: "quick"}
)

// about returns a question with nodes that tell it from others and end nothing.
func about(sfen string, nodes uint64) *Question {
	q, err := NewQuestion(shogi.MustParseSFEN(sfen))
	if err != nil {
		panic(err)
	}
	q.Limits.Nodes = 1_000_000 + nodes
	return q
}

// by makes a question that of a client.
func by(c *Client, q *Question) *Question {
	q.Client = c
	return q
}

// within gives a question a time limit.
func within(limit time.Duration, q *Question) *Question {
	q.Time = limit
	return q
}

// A mapCache keeps everything.
type mapCache struct{ sync.Map }

func (c *mapCache) GetIfPresent(k Key) (*Answer, bool) {
	a, ok := c.Load(k)
	if !ok {
		return nil, false
	}
	return a.(*Answer), true
}

func (c *mapCache) Set(k Key, a *Answer) (*Answer, bool) {
	_, had := c.Swap(k, a)
	return a, !had
}

// newScheduler returns a Scheduler and what it counts.
func newScheduler(t testing.TB, c Config) (*Scheduler, *counts) {
	t.Helper()
	n := &counts{answering: map[Source]int{}}
	c.Observer = n
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s, n
}

// wantIdle waits until everything has come to its end, and checks that nothing runs, waits or can
// be joined. It is for tests with synctest.
func wantIdle(t testing.TB, s *Scheduler, n *counts) {
	t.Helper()
	synctest.Wait()
	if len(s.calls) != 0 {
		t.Errorf("%d calls are left", len(s.calls))
	}
	limiters := []*limiter{}
	for _, p := range s.pools {
		limiters = append(limiters, &p.limiter)
	}
	if s.sessions != nil {
		limiters = append(limiters, &s.sessions.limiter)
	}
	for _, p := range limiters {
		if len(p.running) != 0 || p.queued != 0 || n.running[p.kind] != 0 || n.waiting[p.kind] != 0 {
			t.Errorf("the %s pool: %d run, %d are queued; counted %d and %d", p.kind, len(p.running),
				p.queued, n.running[p.kind], n.waiting[p.kind])
		}
		for _, own := range p.shares {
			if !own.isIdle() {
				t.Errorf("the %s pool: a client has %+v", p.kind, own)
			}
		}
	}
}

// counts is an Observer.
type counts struct {
	NoObserver
	mu               sync.Mutex
	answering        map[Source]int
	waiting, running [NumKinds]int
	granted          [NumKinds][]time.Duration
	ended            [NumKinds][]solver.Result
	last             []solver.Progress
	began            func() // unless nil, is called when a search gets a slot
}

func (n *counts) Answering(from Source) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answering[from]++
}

func (n *counts) Waiting(k Kind, change int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting[k] += change
}

func (n *counts) Running(k Kind, change int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.running[k] += change
	if change > 0 && n.began != nil {
		n.began()
	}
}

func (n *counts) Granted(k Kind, waited time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.granted[k] = append(n.granted[k], waited)
}

func (n *counts) SearchEnded(_ context.Context, k Kind, _ *Question, r solver.Result, _ time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended[k] = append(n.ended[k], r)
}

func (n *counts) LastProgress(p *solver.Progress) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = append(n.last, *p)
}

// A reply is what Ask returns.
type reply struct {
	*Answer
	source Source
	err    error
	at     time.Time
}

// ask asks in the background.
func ask(ctx context.Context, s *Scheduler, q *Question) <-chan reply {
	c := make(chan reply, 1)
	go func() {
		a, source, err := s.Ask(ctx, q)
		c <- reply{a, source, err, time.Now()}
	}()
	return c
}

func wantResult(t testing.TB, r reply, v solver.Verdict, reason solver.Reason, source Source) {
	t.Helper()
	if r.err != nil || r.Result.Verdict != v || r.Result.Reason != reason || r.source != source {
		t.Errorf("%v %v %+v, want %v %q by %s", r.err, r.source, r.Answer, v, reason, source)
	}
}

func wantOverloaded(t testing.TB, r reply, k Kind) *OverloadedError {
	t.Helper()
	var busy *OverloadedError
	if !errors.As(r.err, &busy) || busy.Pool != k || r.Answer != nil {
		t.Fatalf("%v, %+v; want the %s pool overloaded", r.err, r.Answer, k)
	}
	return busy
}

// blocked returns a solver that says when it is asked, and answers when it is told to or its
// context ends.
func blocked() (s solver.Solver, asked chan shogi.Position, answer chan solver.Result) {
	asked, answer = make(chan shogi.Position, 100), make(chan solver.Result)
	return solver.Func(func(ctx context.Context, p shogi.Position, _ solver.Limits) solver.Result {
		asked <- p
		select {
		case r := <-answer:
			return r
		case <-ctx.Done():
			return solver.Result{Reason: solver.StopReason(ctx), Solver: "blocked"}
		}
	}), asked, answer
}

// untilTime returns a solver that uses all of its time.
func untilTime() solver.Solver {
	return solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		<-ctx.Done()
		return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1, Solver: "long"}
	})
}

// takes returns a solver that takes a test's time for its one answer, unless its context ends
// before.
func takes(d time.Duration, r solver.Result) solver.Solver {
	return solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		select {
		case <-time.After(d):
			return r
		case <-ctx.Done():
			return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1, Solver: r.Solver}
		}
	})
}

// takeSlot takes a slot of a pool in the name of a client that nobody else is, for an hour.
func takeSlot(s *Scheduler, k Kind) (release func()) {
	for _, p := range s.pools {
		if p.kind == k {
			sl := p.tryAcquire(by(&Client{}, about(sfenA, 0)), time.Hour)
			return func() { p.release(sl) }
		}
	}
	panic("no such pool")
}
