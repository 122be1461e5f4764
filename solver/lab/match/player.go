package match

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A Player plays games, one at a time.
type Player interface {
	// NewGame prepares for a game; the seed decides what the player leaves to chance. It is called
	// again after a failure.
	NewGame(ctx context.Context, seed uint64) error

	// Move answers in the current position of g, which it must not change. When ctx ends, the
	// answer is no longer waited for.
	Move(ctx context.Context, g *shogi.Game, t Turn) (Reply, error)

	// GameOver tells how a game ended: 1 the player won, 0 a draw, -1 it lost.
	GameOver(result int)

	// Dialogue returns the last lines that were exchanged with the player, nil if there are none.
	Dialogue() []string

	// Close ends the player.
	Close()
}

// A Turn is what a player is given for a move.
type Turn struct {
	Control
	// Left is what each side's clock shows, by colour, without Byoyomi; the Increment for this move
	// is in it. It means something only if the Control has a clock.
	Left [2]time.Duration
	// Opponent is the Control of the other side.
	Opponent Control
	Rules    play.Rules
}

// A Control is what limits a player's moves. Zero values are no limits.
type Control struct {
	Nodes uint64
	Depth int // plies
	// MoveTime is for each move.
	MoveTime time.Duration
	// Main is for the game, and Increment is added to it for each move. Byoyomi is for each move
	// when Main is used up.
	Main, Increment, Byoyomi time.Duration
}

// HasClock reports whether time is counted over the game.
func (c *Control) HasClock() bool { return c.Main > 0 || c.Increment > 0 || c.Byoyomi > 0 }

// IsTimed reports whether moves have to be made in time.
func (c *Control) IsTimed() bool { return c.MoveTime > 0 || c.HasClock() }

// IsZero reports whether there is no limit at all.
func (c *Control) IsZero() bool { return *c == Control{} }

// allowed returns how long a move may take, and whether there is a limit.
func (t *Turn) allowed(side shogi.Color) (time.Duration, bool) {
	switch {
	case t.MoveTime > 0 && t.HasClock():
		return min(t.MoveTime, t.Left[side]+t.Byoyomi), true
	case t.MoveTime > 0:
		return t.MoveTime, true
	case t.HasClock():
		return t.Left[side] + t.Byoyomi, true
	}
	return 0, false
}

// A Reply is a player's answer.
type Reply struct {
	Move     shogi.Move
	Resigns  bool
	Declares bool   // it declares its win instead of moving
	Nodes    uint64 // that it looked at, 0 if unknown
	Score    play.Score
	HasScore bool
	// Text is what the player said, if it is no move at all. Then nothing else counts.
	Text string
}

// Engine returns a player that is a play.Engine of this process. newEngine makes one for each game.
// budget divides the clock of a Turn in the current position of a game; it is asked only if there
// is one.
func Engine(newEngine func(seed uint64) (play.Engine, error),
	budget func(g *shogi.Game, t *Turn) play.Budget) Player {
	return &enginePlayer{newEngine: newEngine, budget: budget}
}

type enginePlayer struct {
	newEngine func(seed uint64) (play.Engine, error)
	budget    func(g *shogi.Game, t *Turn) play.Budget
	engine    play.Engine
}

func (e *enginePlayer) NewGame(_ context.Context, seed uint64) (err error) {
	defer recoverTo(&err)
	e.engine, err = e.newEngine(seed)
	return err
}

func (e *enginePlayer) Move(ctx context.Context, g *shogi.Game, t Turn) (r Reply, err error) {
	defer recoverTo(&err)
	lim := play.Limits{Depth: t.Depth, Nodes: t.Nodes, Rules: t.Rules}
	if t.IsTimed() {
		lim.Time = e.budget(g, &t)
	}
	c := e.engine.Search(ctx, g, lim, nil)
	return Reply{Move: c.Move, Resigns: c.Move == shogi.NoMove, Declares: c.Declares, Nodes: c.Nodes,
		Score: c.Score, HasScore: true}, nil
}

func (e *enginePlayer) GameOver(int) {}

func (e *enginePlayer) Dialogue() []string { return nil }

func (e *enginePlayer) Close() {}

// recoverTo makes an error of a panic of an engine: the match goes on, and its report has the
// stack.
func recoverTo(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n\n%s", v, debug.Stack())
	}
}
