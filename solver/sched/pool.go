package sched

import (
	"context"
	"time"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint"
)

// A pool is a solver and the slots for its searches. Every question goes to the quick pool, where a
// search has so few nodes that its slot is soon free again, and only those that need more of them
// go on to the long one: a long search takes no slot from a short one. Which pool answers depends
// on the question alone, not on the load.
type pool struct {
	limiter
	solver solver.Solver
	begins func(ctx context.Context) // nil: none
	most   uint64                    // nodes of a search; 0: what the question allows
	report time.Duration             // how often a long search says how it goes
	run    func(f func())            // runs a search; nil: it is just called
}

func newPool(kind Kind, c PoolConfig, most uint64, o Observer, run func(f func())) *pool {
	return &pool{limiter: limiterFor(kind, c, o), solver: c.Solver,
		begins: c.Begins, most: most, report: reportEvery, run: run}
}

// A search with bounded nodes takes no longer than this, and needs no timer if it may.
const briefTime = 250 * time.Millisecond

// longest returns how long a search may take that has the time left.
func (p *pool) longest(left time.Duration) time.Duration {
	if p.most > 0 {
		return min(left, briefTime)
	}
	return left
}

// reportEvery is pool.report but in tests: more often than anybody is told, who gets the latest.
const reportEvery = 100 * time.Millisecond

// begun is the progress of a search that has not said anything yet.
var begun solver.Progress

// search runs the pool's solver for at most left, on the account of the question's client. The
// caller must hold sl, which search releases.
func (p *pool) search(ctx context.Context, sl *slot, call *Call, q *Question, left time.Duration) (
	r solver.Result, took time.Duration) {
	call.progress.Store(&begun)
	defer p.release(sl)
	if p.begins != nil {
		p.begins(ctx)
	}
	limits := q.Limits
	if p.most > 0 {
		if limits.Nodes == 0 || limits.Nodes > p.most {
			limits.Nodes = p.most
		}
		if checkpoint.Of(ctx) != nil { // it is for the search that lasts
			ctx = checkpoint.With(ctx, nil)
		}
	}
	began := time.Now()
	used := func() time.Duration { return time.Since(began) }
	yield := func(*solver.Progress) {}
	switch {
	case p.takesTurns():
		within, clock, cancel := solver.WithClock(ctx, left)
		defer cancel()
		ctx, used = within, clock.Used
		yield = func(last *solver.Progress) {
			p.yield(within, sl, func() {
				clock.Stop()
				call.progress.Store(nil)
			}, func() {
				call.progress.Store(last)
				clock.Start()
			})
		}
	case p.most == 0 && left < Unlimited || left < briefTime:
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	if p.most == 0 {
		ctx = solver.WithProgress(ctx, p.report, func(progress solver.Progress) {
			call.progress.Store(&progress)
			if progress.Done {
				p.observer.LastProgress(&progress)
				return
			}
			yield(&progress)
		})
	}
	if p.run == nil {
		r = p.solver.Solve(ctx, q.Position, limits)
	} else {
		r = p.solveInBackground(ctx, q, limits)
	}
	took = used()
	if q.Client != nil && q.Client.Charge != nil {
		q.Client.Charge(took)
	}
	p.observer.SearchEnded(ctx, p.kind, q, r, took)
	return r, took
}

func (p *pool) solveInBackground(ctx context.Context, q *Question, limits solver.Limits) (
	r solver.Result) {
	p.run(func() { r = p.solver.Solve(ctx, q.Position, limits) })
	return r
}

// ranOut reports whether the pool's nodes ended a search rather than those that q allows, or the
// memory of its solver, which is small, had no room for the proof of a mate.
func (p *pool) ranOut(q *Question, r *solver.Result) bool {
	if p.most == 0 {
		return false
	}
	more := q.Limits.Nodes == 0 || q.Limits.Nodes > p.most
	return r.Reason == solver.ReasonProof || more && r.Reason == solver.ReasonNodes
}
