package httpapi

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
	"github.com/tsumero/tsumero/solver/sched/cache"
)

// newAnswerer returns what answers the questions.
func newAnswerer(c *Config, o *searchObserver) (*answer.Answerer, error) {
	kept, err := cache.New(c.CacheBytes)
	if err != nil {
		return nil, err
	}
	return answer.New(answer.Config{
		Sched: sched.Config{
			Quick: sched.PoolConfig{Solver: c.Quick, Slots: c.MaxSearches, Queue: c.MaxQueue,
				Wait: c.QueueWait},
			Long: sched.PoolConfig{Solver: c.Solver, Slots: c.LongSearches, Queue: c.LongQueue,
				Wait: c.LongWait},
			Sessions: sched.SessionConfig{New: c.Sessions, Slots: c.MaxAnalyses,
				Queue: c.AnalysisQueue, Wait: c.AnalysisWait},
			Play: sched.PlayConfig{Slots: c.MaxPlays, Queue: c.PlayQueue,
				Wait: c.PlayWait},
			QuickNodes: c.QuickNodes,
			Cache:      kept,
			Background: c.Background,
			Observer:   o,
		},
		Bounds: wire.Bounds{
			Plies: c.MaxPlies, Nodes: c.MaxNodes, Time: c.MaxTime, DefaultTime: c.DefaultTime,
			Analysis: wire.AnalysisBounds{Nodes: c.MaxAnalysisNodes, Time: c.MaxAnalysisTime,
				DefaultTime: c.DefaultAnalysisTime},
			Play: wire.PlayBounds{Levels: c.Levels, Nodes: c.MaxPlayNodes,
				DefaultNodes: min(defaultPlayNodes, c.MaxPlayNodes)}},
		Version: c.Version,
		Failed: func(ctx context.Context, sfen string, err error) {
			c.Logger.ErrorContext(ctx, "analysis failed", "sfen", sfen, "error", err.Error())
		},
	})
}

// solvedBy returns what the log says of an answer.
func solvedBy(a *sched.Answer, source sched.Source) solved {
	r := &a.Result
	return solved{verdict: r.Verdict.String(), reason: string(r.Reason), solver: r.Solver,
		sound: answer.SoundOf(a), source: source}
}

// A searchObserver counts and logs what the scheduler does. Its pools are by sched.Kind.
type searchObserver struct {
	metrics   *metrics
	logger    *slog.Logger
	pools     [sched.NumKinds]poolMetrics
	analyzing *activity
	late      atomic.Int64 // when a short search last had to wait, in ns since 1970
}

// poolMetrics are the metrics of one pool, looked up once.
type poolMetrics struct {
	searching, waiting prometheus.Gauge
	queueSeconds       prometheus.Observer
	seconds            [3]prometheus.Observer // of a search, by solver.Verdict
}

func newSearchObserver(c *Config, m *metrics, analyzing *activity) *searchObserver {
	o := &searchObserver{metrics: m, logger: c.Logger, analyzing: analyzing}
	for k := range sched.NumKinds {
		if k == sched.Quick && c.Quick == nil || k == sched.Analysis && c.Sessions == nil ||
			k == sched.Play && c.NewEngine == nil || k > sched.Play && c.Diagrams == nil {
			continue
		}
		name := k.String()
		p := &o.pools[k]
		p.searching, p.waiting = m.searching.WithLabelValues(name), m.queued.WithLabelValues(name)
		p.queueSeconds = m.queueSeconds.WithLabelValues(name)
		if k >= sched.Play { // which have no verdicts
			continue
		}
		for _, v := range []solver.Verdict{solver.Unknown, solver.Mate, solver.NoMate} {
			p.seconds[v] = m.searchSeconds.WithLabelValues(name, v.String())
		}
	}
	return o
}

func (o *searchObserver) Answering(from sched.Source) {
	switch from {
	case sched.Searched:
		o.metrics.miss.Inc()
	case sched.Joined:
		o.metrics.joined.Inc()
	case sched.Cached:
		o.metrics.hit.Inc()
	}
}

func (o *searchObserver) Waiting(k sched.Kind, change int) {
	o.pools[k].waiting.Add(float64(change))
}

func (o *searchObserver) Running(k sched.Kind, change int) {
	o.pools[k].searching.Add(float64(change))
	switch {
	case k != sched.Analysis:
	case change > 0:
		o.analyzing.begin()
	default:
		o.analyzing.end()
	}
}

func (o *searchObserver) Granted(k sched.Kind, waited time.Duration) {
	o.pools[k].queueSeconds.Observe(waited.Seconds())
	if k == sched.Quick && waited > longWait {
		o.late.Store(time.Now().UnixNano())
	}
}

// A question that waits longer than longWait for its short search is short of processors. For
// lateTime after that, background work such as jobs should pause.
const (
	longWait = 50 * time.Millisecond
	lateTime = time.Second
)

// QuestionsWait reports whether a short search had to wait lately, so that background work should
// pause.
func (s *Server) QuestionsWait() bool {
	return time.Since(time.Unix(0, s.searches.late.Load())) < lateTime
}

func (o *searchObserver) SearchEnded(ctx context.Context, k sched.Kind, q *sched.Question,
	r solver.Result, took time.Duration) {
	o.pools[k].seconds[r.Verdict].Observe(took.Seconds())
	o.metrics.nodesBy.with(r.Solver).Add(float64(r.Nodes))
	if r.Reason == solver.ReasonUnverified {
		o.metrics.unverifiedMates.WithLabelValues(r.Solver).Inc()
		o.logger.LogAttrs(ctx, slog.LevelError, "unverified mate", slog.String("sfen", q.SFEN),
			slog.String("solver", r.Solver))
	}
}

func (o *searchObserver) LastProgress(p *solver.Progress) {
	o.metrics.tableFill.Observe(p.TableFill)
	o.metrics.collections.Add(float64(p.Collections))
	for phase, spent := range p.Spent {
		o.metrics.phaseSeconds.WithLabelValues(solver.Phase(phase).String()).Add(spent.Seconds())
	}
}
