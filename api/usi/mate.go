package usi

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// MateConfig is what a MateEngine is made of.
type MateConfig struct {
	// NewSolver makes the solver, with a table of so many bytes and so many threads. It is called
	// at the first go, and again when USI_Hash or Threads has changed; the solver before is not
	// used any more. It must be quick: a solver should take its memory as it needs it. Required.
	NewSolver func(tableBytes, threads int) solver.Solver
	// MaxTableBytes is the largest table that the machine has memory for, which no USI_Hash
	// exceeds. Default: 64 GiB.
	MaxTableBytes int64
	// TableBytes is what USI_Hash is at first, MaxTableBytes at most. Default: 512 MiB.
	TableBytes int64
	MaxThreads int // the largest Threads; default: 1
	// NewSession makes the session that the options Analysis and MultiPV need, and the length that
	// books print. It is called when it is first used. nil: there are no such options.
	NewSession func() solver.Session
	// SessionBytes is the memory that a session takes besides the table. A table that leaves less of
	// MaxTableBytes is made smaller for the options, and for the length there is no session then.
	SessionBytes int64
}

// A MateEngine is an Engine for mate problems.
type MateEngine struct {
	config MateConfig

	// The options; see Options.
	hash              int // in MiB
	threads           int
	ponder            bool
	shortest          bool
	bestmoveAfterStop bool
	analysis          string
	multiPV           int
	mode              string

	solver        solver.Solver // nil before the first search
	solverHash    int           // the hash and the threads of solver
	solverThreads int

	held sessionHolder

	last      decided
	explained bool // explain has reported
}

// decided is a position with its mate, or the proof that there is none. "go mate 0" is answered
// from the last one. The zero decided matches no position.
type decided struct {
	position shogi.Position
	result   solver.Result
}

// The defaults of the options. Shortest is true because the solution of a problem is the shortest
// mate; the mate found first is not lost if the time runs out during the proof.
const (
	defaultHash     = 512 // MiB
	defaultThreads  = 1
	defaultShortest = true
)

// maxHash is the largest USI_Hash on any machine, in MiB.
const maxHash = 64 << 10

// NewMateEngine returns an engine for mate problems.
func NewMateEngine(config MateConfig) *MateEngine {
	return &MateEngine{config: config,
		hash: config.hash(), threads: defaultThreads, shortest: defaultShortest,
		analysis: analysisNone, multiPV: 1, mode: modeMate}
}

// maxHash returns the largest USI_Hash on this machine, in MiB.
func (c *MateConfig) maxHash() int {
	if c.MaxTableBytes == 0 {
		return maxHash
	}
	return int(min(max(c.MaxTableBytes>>20, 1), maxHash))
}

// hash returns what USI_Hash is at first, in MiB.
func (c *MateConfig) hash() int {
	hash := defaultHash
	if c.TableBytes > 0 {
		hash = int(min(max(c.TableBytes>>20, 1), maxHash))
	}
	return min(hash, c.maxHash())
}

// Options returns the options:
//
//	USI_Hash           size of the search table in MiB; a new size counts from the next go
//	USI_Ponder         whether bestmove also gives the expected reply, as "ponder <move>"
//	Threads            threads that search together; with more than one the nodes vary between
//	                   runs, and so does the line of a mate
//	Shortest           after the first mate, search on until the shortest is proven
//	BestmoveAfterStop  print "bestmove resign" after the answer to a stopped go mate; the ShogiGUI
//	                   family waits for it
//	Clear              forget the answer that is kept for "go mate 0"
//	Analysis           what go mate says of a mate besides its moves, in the time that is left: none,
//	                   cooks (conventional length and cooks) or full (whether it is sound, and why)
//	MultiPV            of how many mating first moves go mate and go infinite give the length and the
//	                   moves, as far as the time allows
//
//	MateMode           what go mate asks: mate, threat (whether the side that is not to move threatens
//	                   mate, 詰めろ) or brinkmate (必至, in as many attacking moves as go mate's depth
//	                   allows, two without one)
//
// For the last three there has to be a NewSession.
func (m *MateEngine) Options() []Option {
	options := []Option{
		SpinVar(&m.hash, "USI_Hash", 1, m.config.maxHash()),
		CheckVar(&m.ponder, "USI_Ponder"),
		SpinVar(&m.threads, "Threads", 1, max(m.config.MaxThreads, 1)),
		CheckVar(&m.shortest, "Shortest"),
		CheckVar(&m.bestmoveAfterStop, "BestmoveAfterStop"),
		{Name: "Clear", Type: Button, Set: func(string) { m.last = decided{} }},
	}
	if m.config.NewSession != nil {
		options = append(options,
			ComboVar(&m.analysis, "Analysis", analysisNone, analysisCooks, analysisFull),
			SpinVar(&m.multiPV, "MultiPV", 1, maxMultiPV),
			ComboVar(&m.mode, "MateMode", modeMate, modeThreat, modeBrinkmate))
	}
	return options
}

// NewGame forgets the last answer.
func (m *MateEngine) NewGame() { m.last = decided{} }

// Search plays the first move of a mate. It resigns if there is none, or none is found in time.
func (m *MateEngine) Search(ctx context.Context, r Request, report func(Info)) BestMove {
	if r.Ponderhit == nil {
		m.explain(report) // early, for a search may be long
	}
	s := m.newSearch(r, report)
	s.timeLimit = gameTimeLimit
	s.run(ctx)
	m.explain(report)
	s.elaborate(ctx, r.Infinite, false)
	s.reportResult("")

	line := s.result.Line
	switch {
	case len(line) > 1 && m.ponder:
		return BestMove{Move: line[0], Ponder: line[1]}
	case len(line) > 0:
		return BestMove{Move: line[0]}
	}
	return BestMove{}
}

// explain reports, once, why the engine resigns so easily.
func (m *MateEngine) explain(report func(Info)) {
	if m.explained {
		return
	}
	m.explained = true
	report(Info{String: "this is a mate engine: " +
		"it plays the first move of a mate, and without one it resigns"})
}

// Mate answers go mate.
//
// A go mate without any limit waits for stop if the solver gives up undecided. "timeout" would be
// false where no time was set, and a user who asked for an infinite search ends it. GUIs that close
// the connection at "timeout" without a word (ShogiHome) would hide the reason, so it is reported
// at once. With a limit of any kind the caller counts on an answer, and gets it at once.
func (m *MateEngine) Mate(ctx context.Context, r Request, report func(Info)) Checkmate {
	s := m.newSearch(r, report)
	s.timeLimit = mateTimeLimit
	if m.mode != modeMate {
		return s.threaten(ctx)
	}
	if len(r.Moves) > 0 {
		s.text("searchmoves does not count for go mate: it looks at all moves")
	}
	s.run(ctx)
	unlimited := !r.Timed && r.Depth == 0 && r.Nodes == 0
	if unlimited && s.problem == "" && s.ended == nil && s.result.Verdict == solver.Unknown {
		s.reportResult("; the answer comes on stop")
		<-ctx.Done()
		s.ended = context.Cause(ctx)
		s.text("%s", s.undecided())
	} else {
		s.elaborate(ctx, true, true)
		s.countAsBooks(ctx)
		s.reportResult("")
	}
	return Checkmate{
		// The line of a position that is mated already is empty, and the answer to it is timeout:
		// there are no moves to give, and "nomate" would be false.
		Line:       s.result.Line,
		NoMate:     s.result.Verdict == solver.NoMate,
		ThenResign: m.bestmoveAfterStop && errors.Is(s.ended, errStopped),
	}
}

// newSearch returns a search that has not begun.
func (m *MateEngine) newSearch(r Request, report func(Info)) *mateSearch {
	s := &mateSearch{engine: m, request: r, report: report, began: time.Now()}
	s.position = r.Game.Position()
	attacker, err := solver.Attacker(&s.position)
	if err != nil {
		s.problem = reason(err)
	}
	s.defending = attacker != s.position.SideToMove()
	return s
}

// prepareSolver makes a solver with the table and the threads that are set, unless there is one.
func (m *MateEngine) prepareSolver() {
	if !m.needsSession() && !m.hasRoomBeside() {
		m.held = sessionHolder{} // its memory was for the options that are off now
	}
	hash := m.tableMiB()
	if m.solver != nil && m.solverHash == hash && m.solverThreads == m.threads {
		return
	}
	m.solver = nil // first, so that its memory is free for the next
	m.solver = m.config.NewSolver(int(min(int64(hash)<<20, math.MaxInt)), m.threads)
	m.solverHash, m.solverThreads = hash, m.threads
}

// mateTimeLimit returns the time limit of a go mate, if it has one.
func mateTimeLimit(r *Request, _ shogi.Color) (limit time.Duration, limited bool) {
	return r.Time, r.Timed
}

// gameTimeLimit returns how long a search in a game may take when side is to move, if its time is
// limited at all.
func gameTimeLimit(r *Request, side shogi.Color) (limit time.Duration, limited bool) {
	switch {
	case r.Infinite:
		return 0, false
	case r.Timed && r.Time > 0:
		return r.Time, true
	case r.Timed || r.Clock.Given:
		return moveTime(&r.Clock, side), true // a movetime of 0 counts as a clock of zeros
	}
	return 0, false
}

const (
	// moveOverhead is what it takes to send a move to the GUI and play it there.
	moveOverhead = 150 * time.Millisecond
	// untimed is the time for a move on a clock of zeros: the game has no limits, or the flag is
	// down.
	untimed = time.Second
)

// moveTime returns how long to think about one move: all that is new with each move, and a
// thirtieth of what is left.
func moveTime(c *Clock, side shogi.Color) time.Duration {
	t := c.Left[side]/30 + c.Inc[side] + c.Byoyomi
	if t == 0 {
		return untimed
	}
	return t - min(moveOverhead, t/2)
}
