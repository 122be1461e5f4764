package solver

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
)

// A Session answers many questions about one problem. It remembers what it has found, so that one
// answer helps the next, and knows questions that a Solver does not. It is for one goroutine.
//
// What it answers depends on its questions so far, in their order, and on nothing else: not on the
// memory of the machine, nor on what was asked before it was made.
type Session interface {
	// Ask answers q. The result is like that of a Solver, its Mate verified by a replay; but with
	// Marks neither the proof nor its replay shows that the plan avoids them.
	Ask(ctx context.Context, q Question) Result
	// Decide answers q quickly: Mate if there is one within Limits.Plies, of any length if that is 0,
	// and NoMate if there is none within as many. Nothing is replayed, so that a Mate is only as good
	// as the search, and of Limits only Plies and Nodes count.
	Decide(ctx context.Context, q Question) Decision
	// Reset makes the Session like a new one.
	Reset()
}

// A Question is whether the attacker can force mate.
type Question struct {
	Position shogi.Position
	// Attacker is the side that is to force mate. If the other side is to move it must be in check,
	// whether there is one king or two.
	Attacker shogi.Color
	// Limits as for a Solver.
	Limits Limits
	// Marks are positions, the attacker to move, in which he is taken to have failed, with what he
	// has in hand there and with less. They may not be the position asked about. A Mate with marks
	// is one without. A NoMate with marks only says that every mate passes one of them.
	Marks []shogi.Position
	// NoDrops, for Decide, forbids the defender to drop anything. A NoMate is one with drops, too.
	NoDrops bool
}

// A Decision is what Session.Decide found out.
type Decision struct {
	Verdict Verdict
	Reason  Reason // why it is Unknown
	Nodes   uint64
}
