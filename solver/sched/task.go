package sched

import (
	"context"
	"errors"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Task answers questions with several searches, such as one for each move. Questions with the
// same Task are joined and cached like others, and apart from those with another one.
type Task struct {
	// Run answers q. It makes its searches with parts, one after another, and returns what it
	// knows when ctx ends. It is also called with a context that has ended, for somebody who does
	// not wait for the call of an equal question: then it must return at once.
	Run func(ctx context.Context, q *Question, parts *Parts) (*Answer, error)
}

// Parts makes the searches of a Task, on the account of the client that asked. Each is a question
// like any other: it may come from the cache, or join a call. All of them together wait for slots
// no longer than a question without a Task may. Parts must not be used by several goroutines.
type Parts struct {
	s       *Scheduler
	q       *Question
	call    *Call         // nil for somebody who did not wait for it
	waits   time.Duration // left to wait for slots; of no meaning for a batch
	refused bool          // some part got no slot
}

// parts returns the Parts of q, which has waited for slots already.
func (s *Scheduler) parts(q *Question, call *Call, waited time.Duration) *Parts {
	return &Parts{s: s, q: q, call: call, waits: s.longestWait() - waited}
}

// runTask answers q with its Task.
func (s *Scheduler) runTask(ctx context.Context, k callKey, call *Call, q *Question,
	waited time.Duration) (*Answer, error) {
	searchCtx, release := s.cancellable(ctx, k, call)
	defer release()
	parts := s.parts(q, call, waited)
	a, err := q.Task.Run(searchCtx, q, parts)
	if err == nil {
		a.refused = parts.refused
	}
	return a, err
}

// Search answers whether the attacker can force mate in a position, for which it may take so long,
// but a millisecond at least. took is how long the search took, without waiting, and 0 for an
// answer from the cache.
//
// A result with solver.ReasonOverloaded says that a long search was needed and there was no slot.
// That there was none for a quick search is an *OverloadedError.
func (p *Parts) Search(ctx context.Context, pos shogi.Position, lim solver.Limits,
	limit time.Duration) (r solver.Result, took time.Duration, err error) {
	attacker, err := solver.Attacker(&pos)
	if err != nil {
		return solver.Result{}, 0, err
	}
	q := &Question{Position: pos, SFEN: pos.ProblemSFEN(), Attacker: attacker, Limits: lim,
		Time: max(limit, time.Millisecond), Client: p.q.Client, Batch: p.q.Batch}
	began := time.Now()
	a, source, err := p.s.Ask(ctx, q)
	var busy *OverloadedError
	switch {
	case errors.As(err, &busy) && busy.Pool == Long && len(p.s.pools) > 1:
		p.refused = true
		return solver.Result{Reason: solver.ReasonOverloaded}, 0, nil
	case err != nil:
		return solver.Result{}, 0, err
	}
	if source == Cached {
		return a.Result, 0, nil
	}
	p.waits -= max(0, time.Since(began)-a.Elapsed)
	return a.Result, a.Elapsed, nil
}

// Plain answers the question as if it had no Task. Its search is that of the call to those who
// follow that. The errors are those of Scheduler.Ask.
func (p *Parts) Plain(ctx context.Context) (*Answer, error) {
	q := *p.q
	q.Task, q.Variant, q.Detail, q.Follow = nil, "", nil, nil
	if p.call != nil {
		q.Follow = p.call.plain.Store
		defer p.call.plain.Store(nil)
	}
	a, _, err := p.s.Ask(ctx, &q)
	return a, err
}

// Stopped returns solver.ReasonOverloaded if the searches have waited for slots as long as they
// may, and no more should be made; else solver.NoReason.
func (p *Parts) Stopped() solver.Reason {
	if p.waits <= 0 && !p.q.Batch {
		return solver.ReasonOverloaded
	}
	return solver.NoReason
}

// QuickNodes returns how many nodes make no long search.
func (p *Parts) QuickNodes() uint64 { return p.s.quick }
