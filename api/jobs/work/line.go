package work

import (
	"context"
	"fmt"
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

// Bounds returns the bounds of the lines of jobs that may take so long each, which is also the time
// of a line that names none. What else ends its search is up to the line.
func LineBounds(maxTime time.Duration) wire.Bounds {
	return wire.Bounds{Plies: 9999, Nodes: wire.MaxJobNodes, Time: maxTime, DefaultTime: maxTime,
		Analysis: wire.AnalysisBounds{Nodes: wire.MaxJobNodes, Time: maxTime, DefaultTime: maxTime}}
}

// progressEvery is how often an item says how its search goes.
const reportEvery = 250 * time.Millisecond

// Answers answers lines. It is safe for concurrent use.
type LineAnswerer struct {
	answerer *answer.Answerer

	mu       sync.Mutex
	readers  map[time.Duration]*wire.Reader
	defaults map[defaultsKey]*answer.Defaults
}

// A defaultsKey is what the meaning of a line depends on besides its text.
type defaultsKey struct {
	ask, query string
	maxTime    time.Duration
}

// maxKept is how many readers, and how many defaults, are kept for the next lines.
const maxKept = 64

// New returns what answers lines with an Answerer.
func NewLineAnswerer(a *answer.Answerer) *LineAnswerer {
	return &LineAnswerer{answerer: a, readers: map[time.Duration]*wire.Reader{},
		defaults: map[defaultsKey]*answer.Defaults{}}
}

// defaultsOf returns what the lines of an item mean that do not say otherwise.
func (a *LineAnswerer) defaultsOf(it *jobs.Item) (*answer.Defaults, *wire.Problem) {
	key := defaultsKey{it.Ask, it.Defaults, it.MaxTime}
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.defaults[key]; d != nil {
		return d, nil
	}
	reader := a.readers[it.MaxTime]
	if reader == nil {
		if len(a.readers) >= maxKept {
			clear(a.readers)
		}
		reader = wire.NewReader(LineBounds(max(it.MaxTime, time.Millisecond)))
		a.readers[it.MaxTime] = reader
	}
	d, p := a.answerer.ParseDefaults(answer.Kind(it.Ask), it.Defaults, reader)
	if p != nil {
		return nil, p
	}
	if len(a.defaults) >= maxKept {
		clear(a.defaults)
	}
	a.defaults[key] = d
	return d, nil
}

// Answer answers a line of an item: see WorkerOptions. The text is what GET /v1/solve or
// GET /v1/analyze says, behind the number of the line and its id, or a problem as in a batch. report
// gets events as streams of events have them, and nil while the line waits for a slot.
func (a *LineAnswerer) Answer(ctx context.Context, it *jobs.Item, l jobs.Line,
	report func(event []byte)) answer.Line {
	if l.TooLong {
		p := wire.NewProblem(wire.LineTooLong, fmt.Sprintf("The line exceeds %d bytes.", MaxLine))
		return faulty(wire.Envelope{Problem: p})
	}
	d, p := a.defaultsOf(it)
	if p != nil {
		return faulty(wire.Envelope{Problem: p})
	}
	var current atomic.Pointer[sched.Call]
	stop := a.follow(&current, it.Ask, report)
	defer stop()
	return a.answerer.Line(ctx, answer.Kind(it.Ask), l.Text, d, current.Store)
}

// faulty returns a line with a problem in place of its answer.
func faulty(problem wire.Envelope) answer.Line {
	return answer.Line{Envelope: problem, Verdict: answer.Faulty}
}

// follow reports how a call goes until stop is called. What is over before the first report has
// none.
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
		report(event(call, ask, time.Since(began)))
		if call == nil || call.Progress() == nil {
			report(nil) // for a slot
		}
		timer.Reset(reportEvery)
	})
	return func() {
		timer.Stop()
		mu.Lock()
		ended = true
		mu.Unlock()
	}
}

// event returns the data of an event that says how a call goes, which is nil before it begins.
func event(call *sched.Call, ask string, elapsed time.Duration) []byte {
	if ask == jobs.AskSolve {
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
