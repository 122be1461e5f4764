package usi

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A search is one go command that has not been answered yet.
type search struct {
	request
	options   options // as they were when it began
	position  shogi.Position
	defending bool   // the side to move is the one to be mated
	problem   string // why there is nothing to search, "" if there is something

	cancel context.CancelFunc
	found  chan solver.Result // gets the solver's result; nil if the solver was not asked
	news   chan solver.Progress
	last   atomic.Pointer[solver.Progress] // the latest, that of the end included
	phase  solver.Phase                    // the one the user was told of
	depth  int                             // the length of the longest line shown
	timer  *time.Timer                     // runs out with the time limit; nil if there is none
	began  time.Time

	over     bool          // result is what the search has come to
	result   solver.Result // the zero Result if there was a problem
	took     time.Duration
	reported bool // the info lines about result are out
}

// known is the last decided answer, which is what go mate 0 may answer from. The zero known is about no position.
type known struct {
	position shogi.Position
	result   solver.Result
}

// A cause is why a search was ended from outside.
type cause string

const (
	timeIsUp    cause = "the time limit is reached"
	stopped     cause = "stopped"
	interrupted cause = "ended by the next command"
	inputEnded  cause = "the input has ended"
)

// start carries out a go command, given the words after go. No search is running.
func (e *engine) start(words []string) {
	s := &search{options: e.options, began: time.Now(), cancel: func() {}}
	var complaints []string
	s.request, complaints = parseGo(words)
	for _, c := range complaints {
		e.infof("%s", c)
	}
	s.position, s.defending, s.problem = e.position.question()
	e.search = s
	if !s.mate && !s.ponder {
		e.greet()
	}

	limit, limited := s.timeFor(s.position.SideToMove())
	switch {
	case s.problem != "":
		s.done(solver.Result{})
		e.settle()
	case limited && limit == 0:
		var r solver.Result
		if e.known.position.SamePosition(&s.position) {
			r = e.known.result
		}
		s.done(r)
		e.answer(timeIsUp)
	default:
		e.equip()
		s.ask(e.ctx, e.solver)
		if limited {
			s.timer = time.NewTimer(limit)
		}
	}
}

// ponderhit lets the clock of a go ponder run, which is in the words after ponderhit or was in the go itself.
func (e *engine) ponderhit(words []string) {
	s := e.search
	if s == nil || !s.ponder {
		return
	}
	s.ponder = false
	if r, _ := parseGo(words); r.clock.given {
		s.clock = r.clock
	}
	if s.over {
		e.settle()
	} else if limit, limited := s.timeFor(s.position.SideToMove()); limited {
		s.timer = time.NewTimer(limit)
	}
}

// newsEvery is the time between two accounts of a search. GUIs log every line they get.
const newsEvery = time.Second

// ask lets the solver search in a goroutine of its own.
func (s *search) ask(ctx context.Context, by solver.Solver) {
	ctx, s.cancel = context.WithCancel(ctx)
	// They have room, so that what nobody waits for any more holds nothing up.
	s.found, s.news = make(chan solver.Result, 1), make(chan solver.Progress, 1)
	ctx = solver.WithProgress(ctx, newsEvery, func(p solver.Progress) {
		s.last.Store(&p)
		if p.Done {
			return // the result follows
		}
		select {
		case s.news <- p:
		default: // the loop is held up by who reads its output
		}
	})
	s.limits.Shortest = s.options.shortest
	found, p, limits := s.found, s.position, s.limits
	go func() { found <- by.Solve(ctx, p, limits) }()
}

// events returns the channels on which the search, if there is one and it is not over, will report.
func (s *search) events() (found <-chan solver.Result, timeUp <-chan time.Time, news <-chan solver.Progress) {
	if s == nil || s.over {
		return nil, nil, nil
	}
	if s.timer != nil {
		timeUp = s.timer.C
	}
	return s.found, timeUp, s.news
}

// done records what the search has come to.
func (s *search) done(r solver.Result) {
	s.over, s.result, s.took = true, r, time.Since(s.began)
	s.cancel()
}

// halt stops the solver and waits for what it has, but only for so long.
func (s *search) halt() {
	if s.over {
		return
	}
	s.cancel()
	select {
	case r := <-s.found:
		s.done(r)
	case <-time.After(haltGrace):
		s.done(s.told())
	}
}

// told returns what is to be had from a solver that does not hand over its result: the last mate that it told of, if that
// holds. A processor that is busy with other things is no reason to lose it.
func (s *search) told() solver.Result {
	r := solver.Result{Reason: solver.ReasonCancelled}
	p := s.last.Load()
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

// settle answers the search that is over, unless its answer has to wait.
//
// go infinite and go ponder wait for stop or ponderhit by protocol, bad positions included.
//
// go mate without any limit waits too if the solver gave up undecided, because its depth is all it can do. "timeout"
// would be false where no time was set, and a user who asked for an infinite search ends it; GUIs that drop the
// connection at "timeout" without a word (ShogiHome) would hide why. So the reason is told at once, and the
// answer follows on stop. With a limit of any kind the caller counts on an answer, and gets it at once.
func (e *engine) settle() {
	s := e.search
	unlimited := !s.timed && s.limits.Plies == 0 && s.limits.Nodes == 0
	switch {
	case s.ponder:
	case s.infinite:
		e.report(s, "", "")
	case s.mate && unlimited && s.problem == "" && s.result.Verdict == solver.Unknown:
		e.report(s, "", "; the answer comes on stop")
	default:
		e.answer("")
	}
}

// finish ends the search and answers it.
func (e *engine) finish(why cause) {
	e.search.halt()
	e.answer(why)
}

// answer writes the one line that ends a search, after the info lines that belong to it, and makes the engine idle.
// The search is over.
func (e *engine) answer(why cause) {
	s := e.search
	e.search = nil
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.result.Verdict != solver.Unknown {
		e.known = known{s.position, s.result}
	}
	switch {
	case !s.reported:
		e.report(s, why, "")
	case s.mate: // undecided and held back until now
		e.infof("%s", s.undecided(why))
	}
	line := s.result.Line // none unless there is a mate
	switch {
	case s.mate && len(line) > 0:
		e.printf("checkmate %s", usi(line))
	case s.mate && s.result.Verdict == solver.NoMate:
		e.printf("checkmate nomate")
	case s.mate: // also a position that is mated already: it has no moves, and "nomate" would be false
		e.printf("checkmate timeout")
	case len(line) > 1 && s.options.ponder:
		e.printf("bestmove %s ponder %s", line[0], line[1])
	case len(line) > 0:
		e.printf("bestmove %s", line[0])
	default:
		e.printf("bestmove resign")
	}
	if s.mate && why == stopped && s.options.bestmoveAfterStop {
		e.printf("bestmove resign")
	}
}
