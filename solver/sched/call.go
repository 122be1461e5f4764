package sched

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/solver"
)

// A callKey is what two questions must have in common to share a call.
type callKey struct {
	Key
	time  time.Duration
	batch bool
}

// A Call is the work on a question. Several clients may be waiting for it.
type Call struct {
	leader *Client
	answer *Answer
	err    error

	progress  atomic.Pointer[solver.Progress] // of the search; nil while it waits for a slot
	published atomic.Pointer[any]             // by the Task
	plain     atomic.Pointer[Call]            // of the same question without the Task

	// Guarded by Scheduler.mu.
	listed  bool          // in Scheduler.calls
	done    chan struct{} // nil until somebody joins; closed when answer and err are set
	joined  []*Client     // clients other than the leader's
	move    func(*Client) // while it waits for a slot: lets it wait on the account of another
	waiting int           // questions; with the last of them the search is cancelled
	// cancel is nil at first, when the leader does not leave: see cancellable.
	cancel context.CancelCauseFunc
}

// Progress returns the latest that the search of the call said about itself, nil while it waits for
// a slot. Quick searches say nothing: theirs is the zero Progress.
func (c *Call) Progress() *solver.Progress {
	if plain := c.plain.Load(); plain != nil {
		return plain.Progress()
	}
	return c.progress.Load()
}

// wasRefused reports whether the call, which is done, got no slot for want of room for its client.
func (c *Call) wasRefused() bool {
	var busy *OverloadedError
	return errors.As(c.err, &busy) || c.err == nil && c.answer.refused
}

// join joins the call of an equal question, or begins one and leads it.
func (s *Scheduler) join(k callKey, c *Client) (call *Call, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if call, ok := s.calls[k]; ok {
		if call.done == nil {
			call.done = make(chan struct{})
		}
		call.waiting++
		if call.leader != c && !slices.Contains(call.joined, c) {
			call.joined = append(call.joined, c)
			if call.move != nil {
				call.move(c)
			}
		}
		return call, false
	}
	call = &Call{leader: c, waiting: 1, listed: true}
	s.calls[k] = call
	return call, true
}

// shareWait lets call, which waits for a slot, wait on the account of whichever of its clients has
// the fewest searches before it: nobody waits for the other searches of somebody who asked the
// same.
func (s *Scheduler) shareWait(call *Call, l *limiter, sl *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call.move = func(c *Client) { l.move(sl, c) }
	for _, c := range call.joined {
		call.move(c)
	}
}

// cancellable makes the leader of a call one who leaves when ctx ends, and returns the context of
// the search, which ends when all have left, for the reason for which the last one did. To release it
// ends it too. Until then nobody can end the search, so it must be done before the search takes any
// time worth mentioning, or waits.
func (s *Scheduler) cancellable(ctx context.Context, k callKey, call *Call) (
	searchCtx context.Context, release func()) {
	searchCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.mu.Lock()
	call.cancel = cancel
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { s.leave(ctx, k, call) })
	return searchCtx, func() {
		stop()
		cancel(nil)
	}
}

// leave says that somebody, whose context has ended, does not wait for the call any more.
func (s *Scheduler) leave(ctx context.Context, k callKey, call *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if call.waiting--; call.waiting == 0 {
		call.cancel(context.Cause(ctx))
		s.remove(k, call) // who asks the same now gets a search that is not cancelled
	}
}

// remove takes a call out of those that can be joined. s.mu is held.
func (s *Scheduler) remove(k callKey, call *Call) {
	if call.listed {
		delete(s.calls, k)
		call.listed = false
	}
}

// finish makes the call done.
func (s *Scheduler) finish(k callKey, call *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(k, call) // nobody joins it any more
	if call.done != nil {
		close(call.done)
	}
}

// Unlimited is the Time of a question without a limit of it. So is whatever is longer.
const Unlimited = 100 * 365 * 24 * time.Hour

// run answers q through the pools, in the goroutine of the leader, also for those who joined after
// its client went away. Whatever happens, the call is done afterwards. waited is how long q has
// waited for slots already.
func (s *Scheduler) run(ctx context.Context, k callKey, call *Call, q *Question, waited time.Duration) {
	call.err = ErrPanic
	defer s.finish(k, call)
	if q.Task != nil {
		call.answer, call.err = s.runTask(ctx, k, call, q, waited)
	} else {
		call.answer, call.err = s.search(ctx, k, call, q, waited)
	}
	if call.err == nil {
		s.keep(k.Key, call.answer)
	}
}

// search answers q with the searches of one pool after the other.
func (s *Scheduler) search(ctx context.Context, k callKey, call *Call, q *Question,
	waited time.Duration) (*Answer, error) {
	searchCtx, held := context.WithoutCancel(ctx), false
	var r solver.Result
	var elapsed time.Duration
	for _, p := range s.pools {
		limit := Unlimited
		if q.Time > 0 {
			limit = q.Time - elapsed
		}
		sl := p.tryAcquire(q, p.longest(limit))
		if !held && (sl == nil || p.kind == Long) {
			var release func()
			searchCtx, release = s.cancellable(ctx, k, call)
			defer release()
			held = true
		}
		if sl == nil {
			call.progress.Store(nil)
			var err error
			sl, err = p.acquire(searchCtx, q, p.longest(limit), max(0, p.wait-waited),
				func(sl *slot) { s.shareWait(call, &p.limiter, sl) })
			if err != nil {
				var busy *OverloadedError
				if errors.As(err, &busy) {
					return nil, err
				}
				return s.cancelled(q, elapsed), nil // nobody waits any more
			}
		}
		before := r
		var took time.Duration
		r, took = p.search(searchCtx, sl, call, q, limit)
		elapsed += took
		if before.Verdict == solver.Mate && r.Verdict == solver.Unknown &&
			(r.Reason == solver.ReasonTime || r.Reason == solver.ReasonCancelled) {
			before.Reason = r.Reason // the longer search did not come as far as the shorter
			r = before
		}
		if !p.ranOut(q, &r) {
			break
		}
	}
	return s.newAnswer(q, &r, elapsed), nil
}
