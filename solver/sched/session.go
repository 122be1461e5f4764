package sched

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/tsumero/tsumero/solver"
)

// A SessionConfig says how many sessions there are for the Tasks that need one. A session belongs
// to one Task for as long as it runs, so that they have slots of their own.
type SessionConfig struct {
	New   func() solver.Session // nil: there are none
	Slots int                   // sessions in use at once. Default: half of GOMAXPROCS, at least 1
	// Queue and Wait are those of a PoolConfig. Their defaults are 16 times Slots, and a minute.
	Queue int
	Wait  time.Duration
}

// sessions are the sessions and the slots for them.
type sessions struct {
	limiter
	create func() solver.Session

	mu   sync.Mutex
	free []solver.Session
}

// newSessions returns nil if there are none.
func newSessions(c SessionConfig, o Observer) *sessions {
	if c.New == nil {
		return nil
	}
	slots := cmp.Or(c.Slots, max(1, runtime.GOMAXPROCS(0)/2))
	wait := cmp.Or(c.Wait, time.Minute)
	return &sessions{create: c.New,
		limiter: limiterFor(Analysis, PoolConfig{Slots: slots, Queue: c.Queue, Wait: wait}, o)}
}

// take returns a session that is like a new one. The caller must hold a slot.
func (s *sessions) take() solver.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		last := s.free[n-1]
		s.free = s.free[:n-1]
		return last
	}
	return s.create()
}

// put makes a session available again.
func (s *sessions) put(session solver.Session) {
	session.Reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, session)
}

// HasSessions reports whether there are sessions.
func (s *Scheduler) HasSessions() bool { return s.sessions != nil }

// HasPlay reports whether there are slots for play.
func (s *Scheduler) HasPlay() bool { return s.play != nil }

// WithSession calls do with a session that nobody else uses meanwhile, once there is a slot for it,
// on the account of the client that asked. do may take limit, after which its context ends, and
// returns what is told of it: verdict, nodes and who decided. took is how long it took.
//
// The error is an *OverloadedError if there was no slot, or that of ctx. A session that do panics
// with is not used again. The Scheduler must have sessions.
func (p *Parts) WithSession(ctx context.Context, limit time.Duration,
	do func(ctx context.Context, session solver.Session) solver.Result) (
	took time.Duration, err error) {
	all := p.s.sessions
	return p.withSlot(ctx, &all.limiter, limit, func(ctx context.Context) {
		session := all.take()
		began := time.Now()
		r := do(ctx, session)
		all.observer.SearchEnded(ctx, Analysis, p.q, r, time.Since(began))
		all.put(session)
	})
}

// WithPlaySlot calls do once there is a slot of Config.Play, on the account of the client that
// asked. do may take limit, after which its context ends. took is how long it took.
//
// The error is an *OverloadedError if there was no slot, or that of ctx. The Scheduler must have
// such slots.
func (p *Parts) WithPlaySlot(ctx context.Context, limit time.Duration,
	do func(ctx context.Context)) (took time.Duration, err error) {
	return p.withSlot(ctx, p.s.play, limit, do)
}

// withSlot calls do with a slot of l.
func (p *Parts) withSlot(ctx context.Context, l *limiter, limit time.Duration,
	do func(ctx context.Context)) (took time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	sl := l.tryAcquire(p.q, limit)
	if sl == nil {
		p.call.progress.Store(nil)
		sl, err = l.acquire(ctx, p.q, limit, l.wait,
			func(sl *slot) { p.s.shareWait(p.call, l, sl) })
		if err != nil {
			return 0, err
		}
	}
	defer l.release(sl)
	p.call.progress.Store(&begun)
	began := time.Now()
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p.s.inBackground(func() { do(within) })
	took = time.Since(began)
	if c := p.q.Client; c != nil && c.Charge != nil {
		c.Charge(took)
	}
	return took, nil
}

// Publish makes v what Call.Published returns to those who follow the call. v must not change any
// more.
func (p *Parts) Publish(v any) {
	if p.call != nil {
		p.call.published.Store(&v)
	}
}

// Published returns what the Task published last, nil for nothing.
func (c *Call) Published() any {
	if v := c.published.Load(); v != nil {
		return *v
	}
	return nil
}
