package usi

import (
	"context"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// An Engine answers the go commands of a GUI. Run calls one method at a time: an option or a new
// game that comes during a search waits until the search is answered.
//
// Search and Mate call report for each info line, at most ten times a second in the long run, and
// only from the goroutine they were called in. It waits until the line is printed.
//
// They must return soon when their context ends: GUIs expect an answer within 100 ms after a stop,
// and Run waits for it. They return the best they have; context.Cause says in words why it ended.
type Engine interface {
	// Options returns the options in the order in which they are declared. Run calls it once,
	// first. USI_Hash and USI_Ponder should be among them: for an engine without them GUIs invent
	// them, with defaults of their own.
	Options() []Option

	// NewGame forgets what the engine remembers of earlier games. It carries out usinewgame.
	NewGame()

	// Search answers every go except go mate.
	Search(ctx context.Context, r Request, report func(Info)) BestMove

	// Mate answers go mate. Only a request without limits may take forever.
	Mate(ctx context.Context, r Request, report func(Info)) Checkmate
}

// A Preparer is an Engine with work that is better done while no clock is running. Run calls its
// methods as it calls those of Engine, and waits for them.
type Preparer interface {
	// Ready is called on isready, unless a search is running. GUIs wait a few seconds for readyok.
	Ready()
	// GameOver is called on gameover.
	GameOver()
}

// A Request is what a go command asks for.
type Request struct {
	// Game has the position to search, and how it came about. The engine must not play moves in it.
	Game shogi.Game

	// Infinite says that no limit of time counts (go infinite). The engine may return at any time:
	// Run holds the bestmove back until stop.
	Infinite bool

	// Ponderhit is nil unless the engine is to ponder (go ponder): no limit of time counts before
	// it delivers. It delivers at most once, on ponderhit, the clock that counts from then on. Run
	// holds the bestmove back until then, or until stop.
	Ponderhit <-chan Clock

	// Time is the limit of go movetime or go mate. It means something only if Timed.
	Time  time.Duration
	Timed bool

	Clock Clock
	Nodes uint64 // limit of nodes; 0: none
	Depth int    // limit of depth in plies; 0: none

	// Moves are those to choose among (searchmoves), legal or not; nil: all.
	Moves []shogi.Move
}

// A Clock is the state of the game clock when a search begins. The zero Clock is no clock.
type Clock struct {
	Given   bool             // the command had at least one of the times
	Left    [2]time.Duration // btime and wtime, by colour; at least 0
	Inc     [2]time.Duration // binc and winc: added with each move, by colour
	Byoyomi time.Duration    // available anew for each move
}

// A BestMove is the answer to every go except go mate. The zero BestMove resigns.
type BestMove struct {
	Move   shogi.Move // NoMove: resign
	Ponder shogi.Move // the reply to ponder on; NoMove: none is named
	Win    bool       // a declared win (入玉宣言); Move does not count then
	// Unasked: there is no position to move in, and so nothing to answer. Nothing is printed.
	Unasked bool
}

// A Checkmate is the answer to go mate. The zero Checkmate says that nothing is decided (timeout).
type Checkmate struct {
	Line           []shogi.Move // mates, from the position searched; empty: no mate was found
	NoMate         bool         // there is proven to be none; counts only without a Line
	NotImplemented bool         // the engine cannot solve such a position; counts only without a Line
	// ThenResign adds "bestmove resign" in a line of its own. It breaks the protocol, but some GUIs
	// wait for a bestmove once they have sent stop.
	ThenResign bool
}

// print writes the answer.
func (b BestMove) print(p *printer) {
	switch {
	case b.Unasked:
	case b.Win:
		p.printf("bestmove win")
	case b.Move == shogi.NoMove:
		p.printf("bestmove resign")
	case b.Ponder != shogi.NoMove:
		p.printf("bestmove %s ponder %s", b.Move, b.Ponder)
	default:
		p.printf("bestmove %s", b.Move)
	}
}

// print writes the answer.
func (c Checkmate) print(p *printer) {
	switch {
	case len(c.Line) > 0:
		p.printf("checkmate %s", formatMoves(c.Line))
	case c.NoMate:
		p.printf("checkmate nomate")
	case c.NotImplemented:
		p.printf("checkmate notimplemented")
	default:
		p.printf("checkmate timeout")
	}
	if c.ThenResign {
		p.printf("bestmove resign")
	}
}
