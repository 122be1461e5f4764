package work

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/sched"
)

// MaxLine is how many bytes a line may have.
const MaxLine = 64 << 10

// LineBounds returns the bounds of the lines of a job. maxTime is the largest limit of time of a
// line, and the default where neither the line nor the Defaults of its job say one: those of a
// collection always do, by the much shorter default of a batch. All other limits are as large as the
// API allows.
func LineBounds(maxTime time.Duration) wire.Bounds {
	return wire.Bounds{Plies: 9999, Nodes: wire.MaxJobNodes, Time: maxTime, DefaultTime: maxTime,
		Analysis: wire.AnalysisBounds{Nodes: wire.MaxJobNodes, Time: maxTime, DefaultTime: maxTime}}
}

// reportEvery is how often the progress of a line is reported.
const reportEvery = 250 * time.Millisecond

// A LineAnswerer answers lines. It is safe for concurrent use.
type LineAnswerer struct {
	answerer *answer.Answerer

	mu      sync.Mutex
	parsed  map[defaultsKey]parsedDefaults // of the last items
	clients map[clientKey]*sched.Client    // of the jobs of the last lines
}

// A defaultsKey has all that the defaults of a job are parsed from.
type defaultsKey struct {
	ask, query string
	maxTime    time.Duration
}

// parsedDefaults are the defaults of a key, or what is wrong with them.
type parsedDefaults struct {
	defaults *answer.Defaults
	problem  *wire.Problem
}

// maxParsed is how many parsed defaults are kept: the lines of a job share one.
const maxParsed = 64

// NewLineAnswerer returns a LineAnswerer that asks an Answerer.
func NewLineAnswerer(a *answer.Answerer) *LineAnswerer {
	return &LineAnswerer{answerer: a, parsed: map[defaultsKey]parsedDefaults{},
		clients: map[clientKey]*sched.Client{}}
}

// maxClients is how many clients are known: one that comes after many others is a new one, and has
// no more than its share then either.
const maxClients = 10_000

// A clientKey names a client: clients of two classes are two.
type clientKey struct{ name, class string }

// clientOf returns on whose account a line of a job is answered.
func (a *LineAnswerer) clientOf(j *jobs.Job) *sched.Client {
	key := clientKey{j.Client, j.Class}
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.clients[key]
	if c == nil {
		if len(a.clients) >= maxClients {
			clear(a.clients)
		}
		c = &sched.Client{}
		a.clients[key] = c
	}
	return c
}

// defaultsOf returns the defaults for the fields that lines of a job leave out.
func (a *LineAnswerer) defaultsOf(j *jobs.Job) (*answer.Defaults, *wire.Problem) {
	key := defaultsKey{j.Ask, j.Defaults, j.MaxTime}
	a.mu.Lock()
	defer a.mu.Unlock()
	p, ok := a.parsed[key]
	if !ok {
		if len(a.parsed) >= maxParsed {
			clear(a.parsed)
		}
		reader := wire.NewReader(LineBounds(max(j.MaxTime, time.Millisecond)))
		p.defaults, p.problem = a.answerer.ParseDefaults(answer.Kind(j.Ask), j.Defaults, reader)
		a.parsed[key] = p
	}
	return p.defaults, p.problem
}

// Answer answers a line of a job, see WorkerOptions: with what GET /v1/solve or GET /v1/analyze
// answers, or with a problem as in a batch. report gets the events of the streams of these
// endpoints, and nil before each of them while the line waits for a slot.
func (a *LineAnswerer) Answer(ctx context.Context, j *jobs.Job, l jobs.Line,
	report func(event []byte)) answer.Line {
	if l.TooLong {
		p := wire.NewProblem(wire.LineTooLong, wire.LineExceeds, MaxLine)
		return faulty(wire.Envelope{Problem: p})
	}
	defaults, p := a.defaultsOf(j)
	if p != nil {
		return faulty(wire.Envelope{Problem: p})
	}
	var current atomic.Pointer[sched.Call]
	stop := a.follow(&current, j.Ask, report)
	defer stop()
	return a.answerer.Line(ctx, answer.Kind(j.Ask), l.Text, defaults, a.clientOf(j), current.Store)
}

// faulty returns a line from an envelope with a problem.
func faulty(e wire.Envelope) answer.Line {
	return answer.Line{Envelope: e, Verdict: answer.Faulty}
}

// follow reports the progress of a call every reportEvery until stop is called, so not at all for a
// call that ends sooner. After stop has returned, report is not called any more.
func (a *LineAnswerer) follow(current *atomic.Pointer[sched.Call], ask string,
	report func(event []byte)) (stop func()) {
	began := time.Now()
	var mu sync.Mutex
	var timer *time.Timer
	ended := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(reportEvery, func() {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		call := current.Load()
		if call == nil || call.Progress() == nil {
			report(nil) // it waits for a slot
		}
		report(event(call, ask, time.Since(began)))
		timer.Reset(reportEvery)
	})
	return func() {
		timer.Stop()
		mu.Lock()
		ended = true
		mu.Unlock()
	}
}

// event returns the data of a progress event. call is nil before it begins.
func event(call *sched.Call, ask string, elapsed time.Duration) []byte {
	if ask != jobs.AskAnalyze {
		e := wire.NewProgressEvent(nil, elapsed)
		if call != nil {
			e = wire.NewProgressEvent(call.Progress(), elapsed)
		}
		return wire.AppendJSON(nil, e)
	}
	e := wire.AnalyzeProgressEvent{Phase: "waiting"}
	if call != nil && call.Progress() != nil {
		e.Phase = analysis.Phase(0).String()
		if state, ok := call.Published().(*answer.AnalysisState); ok {
			e = state.AnalyzeProgressEvent
		}
	}
	e.ElapsedMS = elapsed.Milliseconds()
	return wire.AppendJSON(nil, &e)
}
