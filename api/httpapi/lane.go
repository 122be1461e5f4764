package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/solver"
)

// A lane is a solver and the places for its searches. Every question goes to the quick lane, where a search has so few
// nodes that its place is soon free again, and only those that need more of them go on to the long one: a long search
// takes no place from a short one. Which lane answers depends on the question alone, not on the load.
type lane struct {
	gate
	solver solver.Solver
	most   uint64 // nodes of a search; 0: what the question allows

	metrics *metrics
	logger  *slog.Logger
	seconds [3]prometheus.Observer // of a search, by solver.Verdict
}

// newLane returns a lane. busy is what its gate says when it is closed.
func newLane(name string, with solver.Solver, most uint64, places, room int, wait time.Duration, busy error, c *Config, m *metrics) *lane {
	l := &lane{
		gate: gate{
			places: make(chan struct{}, places), turn: make(chan struct{}, 1), room: int64(room), wait: wait, busy: busy,
			searching: m.searching.WithLabelValues(name), queued: m.queued.WithLabelValues(name),
			queueSeconds: m.queueSeconds.WithLabelValues(name),
		},
		solver: with, most: most, metrics: m, logger: c.Logger,
	}
	for _, v := range []solver.Verdict{solver.Unknown, solver.Mate, solver.NoMate} {
		l.seconds[v] = m.searchSeconds.WithLabelValues(name, v.String())
	}
	return l
}

// A search with bounded nodes needs no timer, unless it may take no longer than this.
const briefTime = 250 * time.Millisecond

// How often a long search says how it goes. More often than anybody is told: who is told gets the latest.
const reportEvery = 100 * time.Millisecond

// begun is the progress of a search that has not said anything yet.
var begun solver.Progress

// search asks the lane's solver, who may take the time left. The caller has a place, and search gives it back.
func (l *lane) search(ctx context.Context, fl *flight, q *question, left time.Duration) (r solver.Result, took time.Duration) {
	fl.progress.Store(&begun)
	defer l.leave()
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

// The errors of a gate that is closed.
var (
	errBusy     = errors.New("httpapi: all places for searches are taken")
	errLongBusy = errors.New("httpapi: all places for long searches are taken")
)

// A gate bounds how many searches run, how many wait for that, and how long.
type gate struct {
	places  chan struct{} // one element for each search that runs
	turn    chan struct{} // taken by the one of the patient who waits beside the others
	waiting atomic.Int64
	room    int64
	wait    time.Duration
	busy    error

	searching, queued prometheus.Gauge
	queueSeconds      prometheus.Observer
}

// tryEnter takes a place if one is free.
func (g *gate) tryEnter() bool {
	select {
	case g.places <- struct{}{}:
		g.searching.Inc()
		g.queueSeconds.Observe(0)
		return true
	default:
		return false
	}
}

// enter waits for a place and takes it. Those who wait get one in the order in which they came. It returns g.busy if
// there is no room to wait or the wait was in vain, and ctx's error if that ends. The patient wait however long it takes,
// but only one of them at a time stands in line, so that no batch fills it.
func (g *gate) enter(ctx context.Context, patient bool) error {
	g.queued.Inc()
	defer g.queued.Dec()
	began := time.Now()
	var timeout <-chan time.Time
	if patient {
		select {
		case g.turn <- struct{}{}:
			defer func() { <-g.turn }()
		case <-ctx.Done():
			return ctx.Err()
		}
	} else {
		if g.waiting.Add(1) > g.room {
			g.waiting.Add(-1)
			return g.busy
		}
		defer g.waiting.Add(-1)
		timer := time.NewTimer(g.wait)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case g.places <- struct{}{}:
		g.searching.Inc()
		g.queueSeconds.Observe(time.Since(began).Seconds())
		return nil
	case <-timeout:
		return g.busy
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place back.
func (g *gate) leave() {
	g.searching.Dec()
	<-g.places
}
