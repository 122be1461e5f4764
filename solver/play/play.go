// Package play holds the words of game play: the Engine that chooses a move, its Limits and its
// Choice, the Score with which it explains itself, and the Rules that end a game. The subfolders do
// the work.
//
// A Score is an opinion. What is proven is the business of package solver, and no Score ever enters
// a verdict of it.
package play

import (
	"context"
	"slices"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// An Engine chooses moves. It plays one game at a time, and one goroutine at a time may use it.
type Engine interface {
	// NewGame forgets what the engine remembers of earlier games.
	NewGame()

	// Search chooses a move in the current position of g, in which one of the kings may be missing,
	// and changes nothing in g. It calls report for what it has found so far, only in the goroutine
	// it was called in, and only before it returns; report may be nil. When ctx ends, it soon
	// returns the best move so far. If the position has a legal move among lim.Moves, it returns
	// one, whatever the rules say of the game.
	Search(ctx context.Context, g *shogi.Game, lim Limits, report func(Info)) Choice
}

// Limits bound a search. With no limit at all a search ends with ctx. An engine may stop earlier
// than its limits say, when nothing is left to find.
type Limits struct {
	Depth int    // full plies; 0: any
	Nodes uint64 // positions; 0: any number. It is exact: with one thread a run can be repeated.
	// Time is how long the search may take. The zero Budget is no limit.
	Time Budget
	// Ponderhit, if not nil, delivers at most once the Budget that counts from then on. Until then
	// the opponent's clock is running.
	Ponderhit <-chan Budget
	MultiPV   int          // how many moves to value, each with a line of its own; 0 is 1
	Moves     []shogi.Move // the moves to choose among; nil: all
	Rules     Rules
}

// A Budget is the time for one move, from the beginning of the search.
type Budget struct {
	Soft time.Duration // begin no further iteration after this
	Hard time.Duration // answer by now; 0: the Budget is no limit
}

// Allowed writes to buf, and returns, the legal moves of g that may be played, in the order of the
// generator. Perpetual check, which loses by a foul, is among them only if there is nothing else: an
// engine to which every other move is mated must not commit it.
func (lim *Limits) Allowed(g *shogi.Game, buf *shogi.MoveBuffer) []shogi.Move {
	p := g.Position()
	moves := p.LegalMoves(buf, shogi.AllMoves)
	if lim.Moves != nil {
		moves = slices.DeleteFunc(moves, func(m shogi.Move) bool { return !slices.Contains(lim.Moves, m) })
	}
	played := len(g.Moves())
	if played < leastRepetition || !g.GaveCheck(played-2) {
		return moves
	}
	fair := 0
	for i, m := range moves {
		if !completesPerpetual(g, m) {
			moves[i], moves[fair] = moves[fair], m
			fair++
		}
	}
	if fair == 0 {
		return moves
	}
	return moves[:fair]
}

// leastRepetition is how many moves come before the one that makes a position occur for the fourth
// time, or before the last one of the side that checks.
const leastRepetition = 10

// completesPerpetual reports whether m makes a position occur for the fourth time by perpetual
// check, or lets the opponent's reply do so.
func completesPerpetual(g *shogi.Game, m shogi.Move) bool {
	p := g.Position()
	ci := p.CheckInfo()
	if !p.GivesCheck(m, &ci) {
		return false
	}
	foul := shogi.PerpetualByBlack
	if p.SideToMove() == shogi.White {
		foul = shogi.PerpetualByWhite
	}
	next := g.After(m)
	if next.Repetition() == foul {
		return true
	}
	p = next.Position()
	var buf shogi.MoveBuffer
	return slices.ContainsFunc(p.LegalMoves(&buf, shogi.AllMoves), func(reply shogi.Move) bool {
		last := next.After(reply)
		return last.Repetition() == foul
	})
}

// A Choice is what a search has come to.
type Choice struct {
	Move   shogi.Move // NoMove only if there was none to choose
	Ponder shogi.Move // the reply that is expected; NoMove: none
	Score  Score      // of Move
	Line   []shogi.Move
	Depth  int // full plies searched
	Nodes  uint64
	// Declares says that the side to move should declare its win instead of moving; Move is what it
	// would play if nobody listened.
	Declares bool
	// Verified says that the Score is a mate whose every defence was replayed (package solver).
	Verified bool
}

// Info returns the choice as a report.
func (c *Choice) Info() Info {
	return Info{Depth: c.Depth, SelDepth: c.Depth, MultiPV: 1, Score: c.Score, Nodes: c.Nodes, Line: c.Line}
}

// An Info is what a search has found so far.
type Info struct {
	Depth    int // full plies
	SelDepth int // the longest line, in plies
	MultiPV  int // the rank of Line among the lines wanted, 1 is the best
	Score    Score
	Bound    Bound
	Nodes    uint64
	HashFull float64 // how much of the table is in use, 0 to 1
	Line     []shogi.Move
	Text     string // for the user; then nothing else counts
}

// A Bound says what a Score is to the value of a position.
type Bound uint8

// The bounds.
const (
	Exact Bound = iota
	LowerBound
	UpperBound
)

// A Score is the value of a position from the view of its side to move: centipawns, or a mate.
type Score int32

// MaxMatePlies is the longest mate that a Score can tell from a shorter one.
const MaxMatePlies = 2000

// The scores of mates are next to MateScore: a mate in n plies is MateScore - n.
const (
	MateScore Score = 32000
	// MaxCentipawns is the largest score that is no mate.
	MaxCentipawns Score = MateScore - MaxMatePlies - 1
)

// MateIn is the score of a side that mates in n plies.
func MateIn(n int) Score { return MateScore - Score(min(n, MaxMatePlies)) }

// MatedIn is the score of a side that is mated in n plies, 0 if it is mated already.
func MatedIn(n int) Score { return -MateIn(n) }

// Mate returns in how many plies the side to move mates, or, if negative, is mated. It is false for
// a score that is no mate. Of a side mated already it returns 0.
func (s Score) Mate() (plies int, ok bool) {
	switch {
	case s > MaxCentipawns:
		return int(MateScore - s), true
	case s < -MaxCentipawns:
		return -int(MateScore + s), true
	}
	return 0, false
}

// MaxSpread bounds by how many centipawns less than the best move one may be worth that a weakened
// engine plays: it is more than any position is worth.
const MaxSpread = 10_000
