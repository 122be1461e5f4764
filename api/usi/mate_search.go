package usi

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

const (
	// stopTimeout is how long a solver may take to return its result after its context has ended.
	// After that the engine answers without it: a GUI expects an answer within 100 ms.
	stopTimeout = 70 * time.Millisecond
	// progressInterval is the time between two info lines. GUIs log every line they get.
	progressInterval = time.Second
)

// errTimeLimit says why a search ended.
var errTimeLimit = errors.New("the time limit is reached")

// A mateSearch is one request to a MateEngine.
type mateSearch struct {
	engine    *MateEngine
	request   Request
	report    func(Info)
	timeLimit func(r *Request, side shogi.Color) (limit time.Duration, limited bool)

	position  shogi.Position
	defending bool   // the side to move is the one to be mated
	problem   string // why the position is not a mate problem, "" if it is one

	began    time.Time
	progress atomic.Pointer[solver.Progress] // the latest; the solver's goroutine writes it
	phase    solver.Phase                    // the last one reported
	depth    int                             // the length of the longest line reported

	// The result. It is the zero Result if there was a problem.
	result solver.Result
	took   time.Duration
	ended  error // why the search was ended before the solver had decided; nil if it was not
}

// run searches until there is a result, the time is up, or ctx ends. While pondering it returns
// only when ctx ends.
func (s *mateSearch) run(ctx context.Context) {
	limit, limited := s.limit()
	switch {
	case s.problem != "":
	case limited && limit == 0:
		if last := &s.engine.last; last.position.SamePosition(&s.position) {
			s.result = last.result
		}
		s.ended = errTimeLimit
	default:
		s.solve(ctx)
	}
	s.took = time.Since(s.began)
	if s.result.Verdict != solver.Unknown {
		s.engine.last = decided{s.position, s.result}
	}
	if s.request.Ponderhit != nil && s.ended == nil {
		select {
		case <-s.request.Ponderhit:
		case <-ctx.Done():
			s.ended = context.Cause(ctx)
		}
	}
}

// limit returns how long the search may take from now on, if its time is limited.
func (s *mateSearch) limit() (limit time.Duration, limited bool) {
	if s.request.Ponderhit != nil {
		return 0, false
	}
	return s.timeLimit(&s.request, s.position.SideToMove())
}

// solve asks the solver. It is the loop of a search that takes time.
func (s *mateSearch) solve(ctx context.Context) {
	s.engine.prepareSolver()
	solverCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The channels have room for one, so that a result that comes too late blocks no goroutine.
	found, progress := make(chan solver.Result, 1), make(chan solver.Progress, 1)
	solverCtx = solver.WithProgress(solverCtx, progressInterval, func(p solver.Progress) {
		s.progress.Store(&p)
		if p.Done {
			return // the result follows
		}
		select {
		case progress <- p:
		default: // the GUI is slow to read
		}
	})
	by, position := s.engine.solver, s.position
	limits := solver.Limits{
		Plies: s.request.Depth, Nodes: s.request.Nodes, Shortest: s.engine.shortest,
		AnyLine: true, // a GUI shows one line, and it need not be that of another engine run
	}
	go func() { found <- by.Solve(solverCtx, position, limits) }()

	var timeUp <-chan time.Time
	startTimer := func() {
		if limit, limited := s.limit(); limited {
			timeUp = time.After(limit)
		}
	}
	startTimer()
	for s.ended == nil {
		select {
		case s.result = <-found:
			if s.result.Reason == solver.ReasonCancelled {
				s.ended = context.Cause(ctx) // which the solver saw first
			}
			return
		case p := <-progress:
			if s.request.Ponderhit == nil { // GUIs expect no line while they let an engine ponder
				s.reportProgress(&p)
			}
		case clock := <-s.request.Ponderhit:
			s.request.Ponderhit, s.request.Clock = nil, clock
			startTimer()
		case <-timeUp:
			s.ended = errTimeLimit
		case <-ctx.Done():
			s.ended = context.Cause(ctx)
		}
	}
	cancel()
	select {
	case s.result = <-found:
	case <-time.After(stopTimeout):
		s.result = s.reportedMate()
	}
}

// reportedMate returns what is known from a solver that does not return its result in time: the
// last mate that it reported, if that verifies. A busy processor is no reason to lose a mate.
func (s *mateSearch) reportedMate() solver.Result {
	r := solver.Result{Reason: solver.ReasonCancelled}
	p := s.progress.Load()
	if p == nil {
		return r
	}
	r.Nodes = p.Nodes
	if p.Mate == 0 || p.Mate != len(p.Line) {
		return r
	}
	mate := r
	mate.Verdict, mate.Line = solver.Mate, p.Line
	if solver.VerifyLine(s.position, mate.Line) != nil {
		return r
	}
	return mate
}
