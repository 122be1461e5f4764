package sched

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Config is what a Scheduler is made of. Only Long.Solver must be set: every other zero value
// means the default named here.
type Config struct {
	// Long makes the searches that need more than QuickNodes, and all searches if Quick has no
	// solver. Its default Slots are GOMAXPROCS less one, at least 1, so that quick searches have a
	// processor; its default Wait is 20 s.
	Long PoolConfig
	// Quick is asked before Long, with no more than QuickNodes, and what it answers within them
	// stands: so that short searches never wait for long ones. Its default Slots are GOMAXPROCS;
	// its default Wait is 2 s.
	Quick PoolConfig
	// QuickNodes are a few milliseconds of work. Default: 20,000.
	QuickNodes uint64
	// Sessions are for the Tasks that need one. Default: none.
	Sessions SessionConfig
	// Play is for the Tasks that choose a move in a game. Default: none.
	Play PlayConfig
	// Background runs a function that takes a processor for long, and returns at its end: long
	// searches, and what Tasks do with a session or a slot for play. Default: it is just called.
	Background func(f func())
	// Cache keeps answers. Default: none are kept.
	Cache Cache
	// Render makes the text of an answer, which is kept with it: see Answer.Rendered. It must not
	// keep q. Default: none.
	Render func(q *Question, r *solver.Result) []byte
	// Observer is told what happens. Default: nobody.
	Observer Observer
}

// A PoolConfig is a solver and the slots for its searches.
type PoolConfig struct {
	Solver solver.Solver // called from as many goroutines as there are slots, or from Begun
	Slots  int           // how many searches run at once
	// Queue is how many questions that are no part of a batch may wait for a slot, for the memory
	// that they take; more are refused. Negative: none. Default: 1,024 times Slots.
	Queue int
	// Wait is how long such a question waits before it is refused. It is refused at once where those
	// that wait already need half of that, by the time that searches took lately.
	Wait time.Duration
	// Begun, of the long pool, is how many searches may have begun at once if they take turns: after
	// a second of a slot a search leaves it to one that waits, and waits itself until its turn comes.
	// It is still in its call of Solver with its memory, and its time does not go on. Of one client
	// no more may have begun than Slots and one, and the last only for one that has none, if Begun is
	// at least Slots and two. Default: Slots, and none waits once it has begun.
	Begun int
	// Begins, unless nil, is called with the context of each search before that begins. The search has
	// its slot then, and its time does not go on yet.
	Begins func(ctx context.Context)
}

// A PlayConfig says how many moves are chosen at once. It is a PoolConfig without a solver: the Task
// brings what it plays with.
type PlayConfig struct {
	Slots int // 0: there are none
	Queue int // Default: 1,024 times Slots; negative: none
	// Wait is how long a question waits for a slot. Default: 20 s.
	Wait time.Duration
}

// DefaultQuickNodes is the default of Config.QuickNodes.
const DefaultQuickNodes = 20_000

// A Kind tells apart what has slots of its own.
type Kind uint8

// The pools, the sessions, and the slots for play and for Slots.
const (
	Quick Kind = iota
	Long
	Analysis
	Play
	Picture
	Animation
	NumKinds
)

// String returns "quick", "long", "analysis", "play", "picture" or "animation".
func (k Kind) String() string {
	return [...]string{"quick", "long", "analysis", "play", "picture", "animation"}[k]
}

// A Source says where an answer comes from.
type Source string

// The sources.
const (
	Searched Source = "search" // a call of one's own
	Joined   Source = "joined" // the call of an equal question
	Cached   Source = "cache"
)

// An Observer is told what a Scheduler does. Its methods are called from many goroutines, some of
// them with locks held: they must be quick, and must not call the Scheduler.
type Observer interface {
	// Answering tells the source of an answer: of a Searched one before the search, else at the
	// end.
	Answering(Source)
	// Waiting tells that so many searches more (1) or fewer (-1) wait for a slot.
	Waiting(k Kind, change int)
	// Running tells that so many searches more (1) or fewer (-1) have a slot.
	Running(k Kind, change int)
	// Granted tells how long a search waited for its slot.
	Granted(k Kind, waited time.Duration)
	// SearchEnded tells the result of a search and how long it took. q is that of the leader.
	SearchEnded(ctx context.Context, k Kind, q *Question, r solver.Result, took time.Duration)
	// LastProgress tells what a long search that counts its progress says at its end.
	LastProgress(*solver.Progress)
}

// NoObserver is an Observer that does nothing. It may be embedded by those who want to know little.
type NoObserver struct{}

// Answering does nothing.
func (NoObserver) Answering(Source) {}

// Waiting does nothing.
func (NoObserver) Waiting(Kind, int) {}

// Running does nothing.
func (NoObserver) Running(Kind, int) {}

// Granted does nothing.
func (NoObserver) Granted(Kind, time.Duration) {}

// SearchEnded does nothing.
func (NoObserver) SearchEnded(context.Context, Kind, *Question, solver.Result, time.Duration) {}

// LastProgress does nothing.
func (NoObserver) LastProgress(*solver.Progress) {}

// A Client is on whose account questions wait for slots and use them. Who is one client is up to
// the caller: clients are told apart by their address. The nil Client is one of them.
type Client struct {
	// Charge, unless nil, is told how long a search took that the client asked for.
	Charge func(took time.Duration)
}

// A Question is what is asked.
type Question struct {
	Position shogi.Position
	// SFEN is the Position as its method ProblemSFEN writes it.
	SFEN string
	// Attacker is what solver.Attacker says, or what the Task wants it to be.
	Attacker shogi.Color
	Limits   solver.Limits // NoMateWithin must be 0
	// Time is how long the search may take, waiting left out. 0: any time.
	Time time.Duration
	// Task answers the question with several searches. nil: one search answers it.
	Task *Task
	// Variant says what else the Task is asked, in words of its own: questions that differ in it are
	// not the same. It is kept with the answer. Detail is the same for the Task to use.
	Variant string
	Detail  any
	Client  *Client
	// Batch says that the question is one of many and waits for its slots as long as it takes.
	// It takes turns with the single questions of its client, and is never refused.
	Batch bool
	// Follow, unless nil, is told of the call that is to answer the question, before it begins,
	// and again of another one.
	Follow func(*Call)
}

// NewQuestion returns a question about a position, without limits. The error is that of
// solver.Attacker.
func NewQuestion(p shogi.Position) (*Question, error) {
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return nil, err
	}
	return &Question{Position: p, SFEN: p.ProblemSFEN(), Attacker: attacker}, nil
}

// An OverloadedError says that there was no slot for a search.
type OverloadedError struct {
	Pool       Kind
	RetryAfter time.Duration // a guess when there will be one, by the time that searches took lately
}

// Error says so.
func (e *OverloadedError) Error() string {
	switch e.Pool {
	case Analysis:
		return "sched: all sessions are taken"
	case Play:
		return "sched: all slots for play are taken"
	case Picture, Animation:
		return fmt.Sprintf("sched: all slots for each %s are taken", e.Pool)
	}
	return fmt.Sprintf("sched: all slots for %s searches are taken", e.Pool)
}

// ErrPanic is what those get who joined a call that panicked. The leader has the panic.
var ErrPanic = errors.New("sched: the search of an equal question panicked")

// A Scheduler answers questions: from the cache, with a call that is under way, or with a new one.
// It is safe for concurrent use, and a solver.Solver.
type Scheduler struct {
	pools        []*pool   // in the order in which they are asked
	sessions     *sessions // nil for none
	play         *limiter  // nil for none
	cache        Cache     // nil for none
	render       func(q *Question, r *solver.Result) []byte
	observer     Observer
	quick        uint64 // nodes of a quick search
	inBackground func(f func())

	mu    sync.Mutex
	calls map[callKey]*Call
}

// New returns a Scheduler.
func New(c Config) (*Scheduler, error) {
	if c.Long.Solver == nil {
		return nil, errors.New("sched: Config.Long.Solver is missing")
	}
	s := &Scheduler{calls: map[callKey]*Call{}, render: c.Render, observer: c.Observer,
		quick: DefaultQuickNodes, inBackground: c.Background, cache: c.Cache}
	if s.inBackground == nil {
		s.inBackground = func(f func()) { f() }
	}
	if s.render == nil {
		s.render = func(*Question, *solver.Result) []byte { return nil }
	}
	if s.observer == nil {
		s.observer = NoObserver{}
	}
	processors := runtime.GOMAXPROCS(0)
	if c.Quick.Solver != nil {
		s.quick = cmp.Or(c.QuickNodes, s.quick)
		c.Quick.Slots = cmp.Or(c.Quick.Slots, processors)
		c.Quick.Wait = cmp.Or(c.Quick.Wait, 2*time.Second)
		s.pools = append(s.pools, newPool(Quick, c.Quick, s.quick, s.observer, nil))
	}
	c.Long.Slots = cmp.Or(c.Long.Slots, max(1, processors-1))
	c.Long.Wait = cmp.Or(c.Long.Wait, 20*time.Second)
	s.pools = append(s.pools, newPool(Long, c.Long, 0, s.observer, c.Background))
	for _, p := range s.pools {
		if p.total < 0 || p.wait < 0 {
			return nil, fmt.Errorf("sched: the %s pool has %d slots and a wait of %v", p.kind, p.total, p.wait)
		}
	}
	s.sessions = newSessions(c.Sessions, s.observer)
	if c.Play.Slots > 0 {
		l := limiterFor(Play, PoolConfig{Slots: c.Play.Slots, Queue: c.Play.Queue,
			Wait: cmp.Or(c.Play.Wait, 20*time.Second)}, s.observer)
		s.play = &l
	}
	return s, nil
}

// Ask answers q. The only errors are an *OverloadedError, ErrPanic, and those of the Task. It keeps
// q only until it returns.
func (s *Scheduler) Ask(ctx context.Context, q *Question) (*Answer, Source, error) {
	if a := s.cached(q); a != nil {
		s.observer.Answering(Cached)
		return a, Cached, nil
	}
	return s.share(ctx, q)
}

// share answers q, for which the cache had no answer, with the call of an equal question or with
// one of its own.
func (s *Scheduler) share(ctx context.Context, q *Question) (*Answer, Source, error) {
	k := callKey{q.Key(), q.Time, q.Batch}
	for waited := time.Duration(0); ; {
		call, leads := s.join(k, q.Client)
		if q.Follow != nil {
			q.Follow(call)
		}
		if leads {
			if a := s.cached(q); a != nil { // an equal call has ended since the cache was asked
				call.answer = a
				s.finish(k, call)
				s.observer.Answering(Cached)
				return a, Cached, nil
			}
			s.observer.Answering(Searched)
			s.run(ctx, k, call, q, waited)
			return call.answer, Searched, call.err
		}
		began := time.Now()
		select {
		case <-call.done:
		case <-ctx.Done():
			s.leave(ctx, k, call)
			if q.Task != nil {
				a, err := q.Task.Run(ctx, q, s.parts(q, nil, 0)) // which has no time for any search
				return a, Joined, err
			}
			return s.cancelled(q, waited+time.Since(began)), Joined, nil
		}
		waited += time.Since(began)
		if call.wasRefused() && call.leader != q.Client && waited < s.longestWait() {
			continue
		}
		s.observer.Answering(Joined)
		return call.answer, Joined, call.err
	}
}

// Solve answers as a solver.Solver does, on the account of the nil Client. A search for which there
// is no slot is Unknown with solver.ReasonOverloaded. It panics where a solver does.
func (s *Scheduler) Solve(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	q, err := NewQuestion(p)
	if err != nil {
		panic(err) // callers ask solver.Attacker first
	}
	q.Limits = lim
	q.Limits.NoMateWithin = 0 // what else is known must not be in the cache
	a, _, err := s.Ask(ctx, q)
	var busy *OverloadedError
	switch {
	case errors.As(err, &busy):
		return solver.Result{Reason: solver.ReasonOverloaded}
	case err != nil:
		panic(err)
	}
	r := a.Result
	if r.Reason == solver.ReasonCancelled {
		r.Reason = cmp.Or(solver.StopReason(ctx), r.Reason)
	}
	return r
}

// longestWait is how long a question may wait for the slot of a long search.
func (s *Scheduler) longestWait() time.Duration { return s.pools[len(s.pools)-1].wait }
