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
	// Interpositions, for Decide, says what drops of the defender come to. Ask counts each.
	Interpositions Interpositions
	// Aside, for Decide, is what the problem has besides and nobody holds. It only says that questions
	// with more and less aside are of one problem, and so may share what is found.
	Aside shogi.Hand
}

// Interpositions say what comes of drops between the king and the one slider that checks it. Where
// they are free, such a drop may be taken for nothing: the attacker takes on its square and gives
// check, the piece taken is in nobody's hand any more, and neither of the two moves counts as a ply.
// That there is no mate within so many plies then bounds a conventional length (package length);
// that there is one says nothing about its length. A mate at any length is one by the rules, too.
type Interpositions uint8

const (
	// Counted interpositions are moves like all others.
	Counted Interpositions = iota
	// FreeIfFinal: the checking slider may take for nothing where there is no reply but drops, and
	// where that is mate.
	FreeIfFinal
	// FreeBySlider: the checking slider may take for nothing.
	FreeBySlider
	// FreeByAny: any piece may.
	FreeByAny
)

// A Decision is what Session.Decide found out.
type Decision struct {
	Verdict Verdict
	Plies   int        // of a Mate: there is one within so many
	Move    shogi.Move // of a Mate: the check that mates, where the attacker is to move
	Reason  Reason     // why it is Unknown
	Nodes   uint64
}
