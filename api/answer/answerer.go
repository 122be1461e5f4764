package answer

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

// Config is what an Answerer is made of. Sched.Long.Solver and Bounds must be set.
type Config struct {
	// Sched says what searches, how much of it at once, and how large the cache may grow. Without
	// Sessions analyses are not offered and lengths not known. Render must be nil.
	Sched sched.Config
	// Bounds are the largest limits that questions may have, and the defaults.
	Bounds wire.Bounds
	// LengthNodes, unless 0, says that lengths are found by the way, for who has not asked for them:
	// the search for one has so many nodes if the question has no limit of them, the shortest raw mate
	// is looked for all the same, and a length that an interrupt leaves half known is left out.
	LengthNodes uint64
	// KeepValues keeps what answers are rendered from: see Value. A cache does not count it.
	KeepValues bool
	// Version of the program is what records of analyses name, so that it is part of their bytes.
	Version string
	// Failed, unless nil, is called with the error of an analysis that there is a bug for.
	Failed func(ctx context.Context, sfen string, err error)
	// Panicked, unless nil, is called with the value of a panic that Line recovers from, in the
	// goroutine that panicked and with its stack still there.
	Panicked func(ctx context.Context, v any)
}

// An Answerer answers questions. It is safe for concurrent use.
type Answerer struct {
	scheduler *sched.Scheduler
	requests  *wire.Reader
	moves     *sched.Task // what answers questions about every move
	analyses  *sched.Task // what answers questions about problems
	composing *sched.Task // what makes problems
	judging   *sched.Task // what judges games
	threats   *sched.Task // what answers questions about threats
	lengths   [length.NumPolicies]*sched.Task
	version   string
	failed    func(context.Context, string, error)
	panicked  func(context.Context, any)

	lengthNodes uint64 // see Config, as of the next
	keepValues  bool

	// Analyze and Length are the work that is done with a session. Tests may set others before the
	// first question; a nil Analyze is what this package does.
	Analyze func(context.Context, solver.Session, analysis.Question, func(analysis.Update)) (
		*analysis.Analysis, error)
	Length func(context.Context, solver.Session, *sched.Question, length.Policy,
		[]shogi.Move) analysis.FoundLength
}

// New returns what answers with c. The error is that of sched.New.
func New(c Config) (*Answerer, error) {
	if create := c.Sched.Sessions.New; create != nil {
		c.Sched.Sessions.New = func() solver.Session { return &analysisSession{Session: create()} }
	}
	c.Sched.Render = render
	scheduler, err := sched.New(c.Sched)
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	a := &Answerer{scheduler: scheduler, requests: wire.NewReader(c.Bounds), version: c.Version,
		lengthNodes: c.LengthNodes, keepValues: c.KeepValues, failed: c.Failed, panicked: c.Panicked, Length: findLength}
	if a.failed == nil {
		a.failed = func(context.Context, string, error) {}
	}
	if a.panicked == nil {
		a.panicked = func(context.Context, any) {}
	}
	a.moves = &sched.Task{Run: a.answerMoves}
	a.analyses = &sched.Task{Run: a.runDetail}
	a.composing = &sched.Task{Run: a.runDetail}
	a.judging = &sched.Task{Run: a.runDetail}
	a.threats = &sched.Task{Run: a.runDetail}
	for policy := range length.NumPolicies {
		a.lengths[policy] = &sched.Task{Run: a.answerLength(policy)}
	}
	return a, nil
}

// A detail is the Detail of a question that knows how to answer it. Who never makes such a question
// has none of the code that answers it: the program that a page loads is small for that reason.
type detail interface {
	answer(context.Context, *Answerer, *sched.Question, *sched.Parts) (*sched.Answer, error)
}

func (a *Answerer) runDetail(ctx context.Context, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	return q.Detail.(detail).answer(ctx, a, q, parts)
}

// Requests returns the reader of questions within the Bounds.
func (a *Answerer) Requests() *wire.Reader { return a.requests }

// Scheduler returns what is to be asked the questions.
func (a *Answerer) Scheduler() *sched.Scheduler { return a.scheduler }

// Question makes into a question about a position as the scheduler takes it, with the length if q
// has one.
func (a *Answerer) Question(q *wire.Question, into *sched.Question) {
	*into = sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Attacker,
		Limits: q.Limits, Time: q.Time}
	if q.HasLength {
		into.Task = a.lengths[q.Length]
	}
}

// A Kind says what is asked. Its text never changes: jobs are stored with it.
type Kind string

// The kinds.
const (
	Solve   Kind = "solve"   // whether there is a mate, and of what length
	Moves   Kind = "moves"   // what every move comes to; not of lines
	Analyze Kind = "analyze" // whether a problem is sound, and why
	Compose Kind = "compose" // which problems a part of a search finds; of lines alone
	Games   Kind = "games"   // what the moves of a game have done; not of lines
	Threat  Kind = "threat"  // whether there is a mate threat or a brinkmate; not of lines
)

// KindOf returns what a question of this Answerer asks.
func (a *Answerer) KindOf(q *sched.Question) Kind {
	switch q.Task {
	case a.moves:
		return Moves
	case a.analyses:
		return Analyze
	case a.composing:
		return Compose
	case a.judging:
		return Games
	case a.threats:
		return Threat
	}
	return Solve // with or without a length
}
