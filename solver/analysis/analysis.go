// Package analysis answers the questions that go beyond whether there is a mate.
//
// Moves says what each move of a position comes to: which checks mate and in how many plies, which
// reply refutes the others, and which replies of the defender escape or resist longest. It works
// with any solver:
//
//	report, err := analysis.Moves(ctx, analysis.Using(s), p, attacker, analysis.Limits{})
//
// Analyzer.Analyze says what authors, editors and readers ask about a problem: its length as books
// print it (package length), its main line and what is left over, whether it is sound, and why. It
// asks a session, which keeps what it finds:
//
//	z := analysis.NewAnalyzer(mate.NewSession())
//	report, err := z.Analyze(ctx, analysis.Question{Position: p}, nil, nil)
//
// # The report on a problem
//
// Every fact is yes, no or unknown, and every length an interval; a sum of facts is no if one of
// them is, else unknown if one of them is. So a problem is called sound only if every other check
// on its main line was refuted, or is known to be harmless.
//
//   - The main line is the author's, if it is given and ends in mate. Else both sides play best under
//     the policy, and of equally good moves what people prefer to see (prefer.go).
//   - Equal lines are those of best play in which the defender lasts as long with nothing left over
//     (equal.go). Which of them is called the main line is a choice, so that they are looked along
//     too, and if there are more than a few the problem is not called sound.
//   - For every other check on these lines it is asked whether it mates at any length, in rounds, each
//     with eight times the nodes of the one before (attack.go). A round begins by putting the mates
//     from the positions of the line into the table, the last first, for the checks that come back to
//     them. The last few questions get what nodes are left, and those that stay open are asked whether
//     there is a mate within Horizon plies more than the main line has. What mates gets a class, by
//     searches in which positions of the line count as failures.
//   - For every other reply its length is found, and whether it can leave nothing over (defence.go).
//   - The rules of a profile say which of all that is a defect (profile.go).
//
// Limits are nodes, so the same question gets the same report: the mirrored problem and the one with
// colours exchanged get it too, turned. Each phase leaves nodes to those after it. A Log lets an
// analysis that was cut short go on from the last phase that was whole.
//
// notes.md has what it costs, and where it differs from other definitions.
//
// # What Moves searches
//
// The rules alone decide a check that is mate at once, and a reply after which there is no check.
// For everything else there are searches, one after another, which share the limits:
//
//  1. A quick search of the position itself, and of what follows each move.
//  2. A long search of the position itself, with half of what is left of the limits: it may decide
//     every move at once, and it says which of equal moves is played.
//  3. Long searches of what follows the moves that are still open, each with its part of the rest.
//  4. For each check that does not mate, searches for a reply that refutes it.
//
// Once a reply is known to escape, the defender needs no more, and step 3 ends: what is unknown
// then is so for the reason solver.ReasonSettled.
//
// The numbers of nodes are rounded so that the same position is the same question from wherever it
// is met, which a cache below the searches makes use of. What the searches are and what they find
// depends on the position and the limits alone, unless time, the context or a want of slots ends
// them: see Report.Repeatable.
//
// # What is proven
//
// A Verdict of Mate or NoMate is that of a solver, or follows from those of solvers by the rules of
// an AND/OR tree: the attacker needs one move, the defender's moves must all lose. A length is
// Exact only if a solver proved that there is none shorter, or a bound that a solver proved leaves
// no room: lengths of mates from one position differ by two.
//
// A solver takes the side to move for the attacker where both kings are on the board. There the
// defender's side cannot be asked about, and is judged by every reply.
package analysis

import (
	"context"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Limits bound all searches for one report together. The zero value bounds nothing.
type Limits struct {
	// Limits has the most plies of a mate, counted from the position before the move, the nodes of
	// all searches together, and whether the shortest mates are asked for. With Shortest, the moves
	// that may be best are searched until their lengths are exact, as far as the other limits
	// allow; others need not be. NoMateWithin and Proof are not looked at.
	solver.Limits
	// Time is how long all searches may take, waits for them left out. 0: until the deadline of the
	// context, if it has one.
	Time time.Duration
	// QuickNodes are the nodes of a quick search, a few milliseconds of work. 0: 20,000.
	QuickNodes uint64
}

// A Searcher makes the searches of an analysis, one after another. Using makes one of a solver.
type Searcher interface {
	// Search answers whether the attacker can force mate in p, as a solver.Solver does, and may
	// take limit for it. took is how long the search took, waits left out. An error ends the
	// analysis. A result with solver.ReasonOverloaded says that a long search was needed and not
	// made: no more of them are asked for.
	Search(ctx context.Context, p shogi.Position, lim solver.Limits, limit time.Duration) (
		r solver.Result, took time.Duration, err error)
	// Stopped returns why no more searches should be made, solver.NoReason if they may.
	Stopped() solver.Reason
}

// Using returns a Searcher that asks s.
func Using(s solver.Solver) Searcher { return direct{s} }

type direct struct{ solver.Solver }

func (d direct) Search(ctx context.Context, p shogi.Position, lim solver.Limits,
	limit time.Duration) (solver.Result, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	r := d.Solve(ctx, p, lim)
	return r, time.Since(began), nil
}

func (d direct) Stopped() solver.Reason { return solver.NoReason }

// A Report is what the moves of a position come to.
type Report struct {
	// ByDefender says that the moves are the defender's replies. Else they are the attacker's
	// checks.
	ByDefender bool
	// Verdict is that of the position, as that of a solver.Result.
	Verdict solver.Verdict
	// Plies is the length of a Mate with the best move, 0 if the defender is mated already.
	// Exact says that no shorter mate exists; without it, Plies is an upper bound.
	Plies int
	Exact bool
	// Best is the attacker's check with the shortest mate known, or the defender's reply that
	// escapes, else the one that resists longest. Of moves that are equally good it is the one that
	// a solver plays. It is shogi.NoMove if there is none, or not enough is known.
	Best shogi.Move
	// Reason says why a move is Unknown, of the first that is. NoReason if each is decided.
	Reason solver.Reason
	// Moves are all legal checks, or all legal replies: the best first, those that come to little
	// last.
	Moves []MoveVerdict
	// Nodes is how many positions were looked at, as if nothing had been in a cache.
	Nodes uint64
	// Repeatable says that the same question gets the same report again: no search was ended by
	// time, by the context, or by a want of slots.
	Repeatable bool
	// Counted is what Count found out, nil if it was not asked or there is no Mate.
	Counted *Counted
}

// A MoveVerdict is what one move comes to.
type MoveVerdict struct {
	Move shogi.Move
	// Verdict is that of the position after the move. A reply with NoMate escapes; a check with
	// NoMate is refuted.
	Verdict solver.Verdict
	// Line begins with the move. Of a Mate, it has all moves to the mate; of a check with NoMate,
	// the check and a reply that refutes it, if one was found within the limits.
	Line []shogi.Move
	// Exact says of a Mate that there is no shorter one after this move.
	Exact bool
	// NoMateWithin is a proven lower bound: after this move there is no mate in that many plies or
	// fewer, the move counted. 0 if nothing is known. For NoMate it is meaningless.
	NoMateWithin int
	// Reason says why the verdict is Unknown, or the length of a Mate is not Exact though
	// Limits.Shortest asked for it. solver.ReasonNodes and solver.ReasonTime: the move's part of
	// the limit was used up. solver.ReasonOverloaded: a long search was needed, and there was no
	// slot for it. solver.ReasonSettled: a long search was needed, and not made, since another
	// reply escapes.
	Reason solver.Reason
}

// Plies returns the length of a Mate, the move counted.
func (m *MoveVerdict) Plies() int { return len(m.Line) }

// shortest is the least that the length of a Mate can turn out to be. Lengths differ by two.
func (m *MoveVerdict) shortest() int {
	if m.Exact {
		return m.Plies()
	}
	least := m.NoMateWithin + 1
	return least + (m.Plies()-least)%2
}

// setLine makes the line the move and what follows it.
func (m *MoveVerdict) setLine(rest []shogi.Move) {
	m.Line = append([]shogi.Move{m.Move}, rest...)
}

// The reasons why a side cannot be the one that is to force mate.
var (
	ErrNoKing = shogi.NewError("analysis", shogi.NewText("no_defender",
		"the side that is to be mated has no king on the board", "詰まされる側の玉がありません。").With())
	ErrDefenderMoves = shogi.NewError("analysis", shogi.NewText("defender_to_move",
		"the defender is to move, so this is no diagram of a problem",
		"玉方の手番なので、詰将棋の図ではありません。").With())
	ErrNoCheck = shogi.NewError("analysis", shogi.NewText("no_check",
		"the defender is to move and not in check, so there is no attack to reply to",
		"玉方の手番で王手もかかっていないので、受ける手がありません。").With())
)

// ValidAttacker returns why attacker cannot be the side that is to force mate in p, ErrNoKing or
// ErrNoCheck, or nil. Where both kings are on the board and the side to move is in check, either
// side can be; solver.Attacker says the side to move.
func ValidAttacker(p *shogi.Position, attacker shogi.Color) error {
	switch {
	case p.King(attacker.Opponent()) == shogi.NoSquare:
		return ErrNoKing
	case attacker != p.SideToMove() && !p.InCheck():
		return ErrNoCheck
	}
	return nil
}
