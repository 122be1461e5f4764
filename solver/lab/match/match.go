package match

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/ordered"
	"github.com/tsumero/tsumero/solver/play"
)

// Options are a match.
type Options struct {
	Games  int // to play, an even number
	Seed   uint64
	AtOnce int // how many games are played at the same time; 0: one
	// Opening returns the opening of a pair, the same each time. It has to be safe for concurrent
	// use.
	Opening func(pair int) shogi.Game
	// NewPlayer returns a player. Each is used for one game at a time, and as many are asked for as
	// games are played at the same time.
	NewPlayer func(Side) (Player, error)
	Limits    [2]Control
	Rules     play.Rules
	// Silence is how long after its time a player is given up; 0: DefaultSilence.
	Silence time.Duration
	// SPRT, if not nil, ends the match when it has decided.
	SPRT *SPRT
	// Played are the results of an earlier run, by the numbers of the games. They are not played
	// again.
	Played map[int]Result
	// Each, if not nil, is called for each game, in order, with the Summary so far; isNew says that
	// the game was played now. An error ends the match.
	Each func(r *Result, s *Summary, isNew bool) error
}

// A Summary is what the games of a match have come to.
type Summary struct {
	Tally
	Ends     map[End]int
	Plies    int            // of the players, in all games
	Nodes    [2]uint64      // of each player
	Spent    [2]int64       // of each player, in microseconds
	Margin   [2]*int64      // the least of each player, in microseconds, nil if there is none
	Faults   [2]map[End]int // of each player
	Same     int            // pairs whose two games were the same, move for move
	Decision Decision
	first    *Result // of a pair that is not complete
}

// NewSummary returns the Summary of no games.
func NewSummary() *Summary {
	return &Summary{Ends: map[End]int{}, Faults: [2]map[End]int{{}, {}}}
}

// add counts a game. Games come in order, but some may be missing.
func (s *Summary) add(r *Result) {
	switch r.points() {
	case 2:
		s.Wins++
	case 1:
		s.Draws++
	default:
		s.Losses++
	}
	s.Ends[r.End]++
	s.Plies += r.Plies
	for i := range s.Nodes {
		s.Nodes[i] += r.Nodes[i]
		s.Spent[i] += r.Spent[i]
		s.Margin[i] = leastMargin(s.Margin[i], r.Margin[i])
		if r.Fault != nil && r.Fault.Player == Side(i).String() {
			s.Faults[i][r.End]++
		}
	}
	if r.Game%2 == 0 {
		s.first = r
		return
	}
	if s.first != nil && s.first.Game == r.Game-1 {
		s.Pairs[s.first.points()+r.points()]++
		if s.first.Position == r.Position {
			s.Same++
		}
	}
	s.first = nil
}

// WorstMargin returns the least time that a player had left over when it moved, negative if it was
// late, and false if it had no limit of time.
func (s *Summary) WorstMargin(side Side) (time.Duration, bool) {
	if s.Margin[side] == nil {
		return 0, false
	}
	return time.Duration(*s.Margin[side]) * time.Microsecond, true
}

// NodesPerSecond returns how many nodes a player looked at in a second of its own time, 0 if that
// is unknown.
func (s *Summary) NodesPerSecond(side Side) float64 {
	if s.Spent[side] == 0 {
		return 0
	}
	return float64(s.Nodes[side]) / (float64(s.Spent[side]) / 1e6)
}

// LLR returns the logarithm of the likelihood ratio of a test, 0 as long as it says nothing.
func (s *Summary) LLR(t SPRT) float64 { return t.LLR(&s.Tally) }

// Run plays a match to its end, until its SPRT has decided, or until ctx ends. Games that are being
// played then are given up; the Summary has all others.
//
// The error is that of ctx, of Each, or says that a player could not be made.
func Run(ctx context.Context, o Options) (*Summary, error) {
	summary := NewSummary()
	if o.Games < 0 || o.Games%2 != 0 {
		return summary, errors.New("match: the number of games must be even")
	}
	if o.Silence == 0 {
		o.Silence = DefaultSilence
	}
	tables := tables{o: &o}
	defer tables.close()
	if missing := o.Games - len(o.Played); missing > 0 {
		// A program that does not even start is no opponent, and the match no match.
		t, err := tables.take()
		if err != nil {
			return summary, err
		}
		tables.give(t)
	}

	type played struct {
		r     Result
		isNew bool
		err   error
	}
	numbers := func(_ context.Context, yield func(int) bool) {
		for n := range o.Games {
			if !yield(n) {
				return
			}
		}
	}
	one := func(ctx context.Context, n int) (p played) {
		if r, ok := o.Played[n]; ok {
			return played{r: r}
		}
		if ctx.Err() != nil {
			return played{err: errInterrupted}
		}
		t, err := tables.take()
		if err != nil {
			return played{err: err}
		}
		defer tables.give(t)
		opening := o.Opening(n / 2)
		p.r, p.err = t.play(ctx, n, seeds(o.Seed, n), again(&opening))
		p.isNew = true
		return p
	}
	for _, p := range ordered.Map(ctx, ordered.Options[int]{Workers: o.AtOnce}, numbers, one) {
		switch {
		case errors.Is(p.err, errInterrupted):
			continue // games after this one may have ended
		case p.err != nil:
			return summary, p.err
		}
		summary.add(&p.r)
		if o.SPRT != nil {
			summary.Decision = o.SPRT.Decide(&summary.Tally)
		}
		if o.Each != nil {
			if err := o.Each(&p.r, summary, p.isNew); err != nil {
				return summary, err
			}
		}
		if summary.Decision != Undecided {
			return summary, nil
		}
	}
	return summary, ctx.Err()
}

// seeds returns those of A and B in a game.
func seeds(seed uint64, game int) (s [2]uint64) {
	rng := rand.New(rand.NewPCG(seed, math.MaxUint64-uint64(game)))
	for i := range s {
		s[i] = rng.Uint64()
	}
	return s
}

// tables are where the games of a match are played, at most as many as there are games at a time.
type tables struct {
	o    *Options
	mu   sync.Mutex
	free []*table
	all  []*table
}

func (ts *tables) take() (*table, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if n := len(ts.free); n > 0 {
		t := ts.free[n-1]
		ts.free = ts.free[:n-1]
		return t, nil
	}
	t := &table{limits: ts.o.Limits, rules: ts.o.Rules, silence: ts.o.Silence}
	for side := range t.players {
		p, err := ts.o.NewPlayer(Side(side))
		if err != nil {
			if side > 0 {
				t.players[A].Close()
			}
			return nil, err
		}
		t.players[side] = p
	}
	ts.all = append(ts.all, t)
	return t, nil
}

func (ts *tables) give(t *table) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.free = append(ts.free, t)
}

func (ts *tables) close() {
	for _, t := range ts.all {
		for _, p := range t.players {
			p.Close()
		}
	}
}
