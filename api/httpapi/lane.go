package httpapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/solver"
)

// A lane is a solver and the slots for its searches. Every question goes to the quick lane, where a
// search has so few nodes that its slot is soon free again, and only those that need more of them
// go on to the long one: a long search takes no slot from a short one. Which lane answers depends
// on the question alone, not on the load.
type lane struct {
	slots
	solver solver.Solver
	most   uint64 // nodes of a search; 0: what the question allows

	metrics *metrics
	logger  *slog.Logger
	seconds [3]prometheus.Observer // of a search, by solver.Verdict
}

// newLane returns a lane with so many slots, a queue for them, and the longest wait in it.
func newLane(name string, with solver.Solver, most uint64, total, queueSize int, wait time.Duration,
	c *Config, m *metrics) *lane {
	l := &lane{
		slots: slots{
			total: total, queueSize: queueSize, wait: wait, long: most == 0,
			shares:    map[*client]*share{},
			searching: m.searching.WithLabelValues(name), waiting: m.queued.WithLabelValues(name),
			queueSeconds: m.queueSeconds.WithLabelValues(name),
		},
		solver: with, most: most, metrics: m, logger: c.Logger,
	}
	for _, v := range []solver.Verdict{solver.Unknown, solver.Mate, solver.NoMate} {
		l.seconds[v] = m.searchSeconds.WithLabelValues(name, v.String())
	}
	return l
}

// A search with bounded nodes takes no longer than this, and needs no timer if it may.
const briefTime = 250 * time.Millisecond

// longest returns how long a search may take that has the time left.
func (l *lane) longest(left time.Duration) time.Duration {
	if l.most > 0 {
		return min(left, briefTime)
	}
	return left
}

// How often a long search says how it goes. More often than anybody is told: who is told gets the latest.
const reportEvery = 100 * time.Millisecond

// begun is the progress of a search that has not said anything yet.
var begun solver.Progress

// search runs the lane's solver for at most left, on the client's account. The caller must hold sl,
// which search releases.
func (l *lane) search(ctx context.Context, sl *slot, fl *flight, q *question,
	left time.Duration) (r solver.Result, took time.Duration) {
	fl.progress.Store(&begun)
	defer l.release(sl)
	limits := q.limits
	if l.most > 0 {
		limits.Nodes = min(limits.Nodes, l.most)
	} else {
		ctx = solver.WithProgress(ctx, reportEvery, func(p solver.Progress) {
			fl.progress.Store(&p)
			if p.Done {
				l.metrics.ended(&p)
			}
		})
	}
	if l.most == 0 || left < briefTime {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	began := time.Now()
	r = l.solver.Solve(ctx, q.position, limits)
	took = time.Since(began)
	q.client.charge(time.Now(), took)
	l.seconds[r.Verdict].Observe(took.Seconds())
	l.metrics.nodes.WithLabelValues(r.Solver).Add(float64(r.Nodes))
	if r.Reason == solver.ReasonUnverified {
		l.metrics.unverifiedMates.WithLabelValues(r.Solver).Inc()
		l.logger.LogAttrs(ctx, slog.LevelError, "unverified mate", slog.String("sfen", q.sfen), slog.String("solver", r.Solver))
	}
	return r, took
}

// ranOut reports whether the lane's nodes ended a search rather than those that q allows.
func (l *lane) ranOut(q *question, r *solver.Result) bool {
	return l.most > 0 && q.limits.Nodes > l.most && r.Reason == solver.ReasonNodes
}
