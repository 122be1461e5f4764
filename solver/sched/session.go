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
	// Queue and Wait are those of a PoolConfig. Their defaults are 1,024 times Slots, and a minute.
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
	waits := func(sl *slot) {
		p.call.progress.Store(nil)
		p.s.shareWait(p.call, l, sl)
	}
	return l.do(ctx, p.q, limit, waits, func() {
		p.call.progress.Store(&begun)
		within, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		p.s.inBackground(func() { do(within) })
	})
}

// do calls f once there is a slot for q, on whose client's account it is. queued is that of acquire.
func (l *limiter) do(ctx context.Context, q *Question, limit time.Duration, queued func(*slot), f func()) (
	took time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	sl := l.tryAcquire(q, limit)
	if sl == nil {
		if sl, err = l.acquire(ctx, q, limit, l.wait, queued); err != nil {
			return 0, err
		}
	}
	defer l.release(sl)
	began := time.Now()
	f()
	took = time.Since(began)
	if q.Client != nil && q.Client.Charge != nil {
		q.Client.Charge(took)
	}
	return took, nil
}

// Slots are for work that is no search and answers no question, such as the drawing of pictures. They
// are shared out among the clients as those of a Scheduler are.
type Slots struct{ limiter }

// NewSlots returns slots as c says, all of which must be set. The Solver is not used.
func NewSlots(k Kind, c PoolConfig, o Observer) *Slots { return &Slots{limiterFor(k, c, o)} }

// Do calls f once there is a slot for it, on the account of a client. f should take no longer than
// limit. The error is an *OverloadedError, or that of ctx if it ends before f begins.
func (s *Slots) Do(ctx context.Context, c *Client, limit time.Duration, f func()) error {
	_, err := s.do(ctx, &Question{Client: c}, limit, nil, f)
	return err
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
