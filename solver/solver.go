// Package solver holds the words of mate solving: the question (a position and Limits), the answer
// (a Result with its Verdict), the Solver that turns one into the other, First, which asks the
// cheapest solver first, and Verify, which believes no solver. The subfolders do the work.
//
// Lengths are raw: the attacker takes the shortest mate, the defender the longest defence, and
// every legal move counts, pointless interpositions included.
package solver

import (
	"context"
	"errors"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
)

// A Verdict answers whether the attacker can force mate.
type Verdict uint8

const (
	// Unknown says that nothing is proven either way; Result.Reason says why.
	Unknown Verdict = iota
	// Mate says that the attacker forces mate with Result.Line.
	Mate
	// NoMate says that there is no forced mate, at any length.
	// "None within n plies" is not NoMate: it is Unknown with Result.NoMateWithin.
	NoMate
)

// String returns "unknown", "mate" or "nomate".
func (v Verdict) String() string {
	switch v {
	case Mate:
		return "mate"
	case NoMate:
		return "nomate"
	}
	return "unknown"
}

// A Reason says why a verdict is Unknown, or a length not exact.
type Reason string

// The reasons. They are stable: they appear in answers and as metric labels.
const (
	NoReason        Reason = ""             // nothing is missing
	ReasonPlies     Reason = "limit_plies"  // there is no mate within Limits.Plies; a longer one was not looked for
	ReasonNodes     Reason = "limit_nodes"  // Limits.Nodes ran out
	ReasonTime      Reason = "limit_time"   // the context's deadline passed
	ReasonCancelled Reason = "cancelled"    // the context was cancelled
	ReasonDepth     Reason = "solver_depth" // the solver looks no deeper than this; a longer mate may exist
	// A mate is found, but time, nodes or memory ran out before its proof was made and checked.
	ReasonProof Reason = "limit_proof"
	// A solver claimed a mate that did not verify: a bug, counted and logged. With a Mate: that one
	// is verified, but not the line which would have been the same at every run.
	ReasonUnverified Reason = "unverified"
	// The search was not made: there was no slot for it (package sched).
	ReasonOverloaded Reason = "overloaded"
	// A long search was not made: another move decides (package analysis).
	ReasonSettled Reason = "settled"
)

// Checked says what an answer rests on besides the search.
type Checked string

const (
	// CheckedReplay: all of it was replayed by the rules, each move of it: the plan of a mate, and
	// that no check mates at once where that is all that could be shorter.
	CheckedReplay Checked = "replay"
	// CheckedCertificate: so was a closed set, which shows that there is no mate, or no shorter one;
	// and the plan of a mate.
	CheckedCertificate Checked = "certificate"
	// CheckedSearch: the plan of a mate was replayed, but that there is none, or none shorter, is
	// what the search says.
	CheckedSearch Checked = "search"
)

// Limits bound a search. The zero value bounds nothing; time is bounded by the context.
type Limits struct {
	Plies int    // longest mate looked for, in plies from the position; 0: any
	Nodes uint64 // positions looked at; 0: any number
	// Shortest asks for the shortest mate: for an Exact one, which may take far longer than to find
	// any.
	Shortest bool
	// AnyLine lets the line of an Exact mate be any of its lines, as found: to choose the one that
	// does not depend on the run may take as long as the search.
	AnyLine bool
	// Proof asks for Result.Proof. Without it a mate is proved and verified all the same.
	Proof bool
	// Check asks for CheckedCertificate, which may take as many nodes as the search.
	Check bool
	// NoMateWithin is what others have proven already: there is no mate in so many plies or fewer.
	// 0: nothing.
	NoMateWithin int
}

// A Result is what a solver found out. The zero Result is Unknown without a reason.
type Result struct {
	Verdict Verdict
	// Line is the mating line of a Mate, from the position asked about to the mated position. It
	// may be empty only if the defender was to move and is already mated.
	Line []shogi.Move
	// Exact says that no shorter mate than len(Line) plies exists. Without it len(Line) is an upper
	// bound. The line of an Exact mate without a Reason depends on nothing but the position, with
	// any number of threads, unless Limits.AnyLine lets it.
	Exact bool
	// NoMateWithin is a proven lower bound: there is no mate in that many plies or fewer. 0 if
	// nothing is known. For NoMate it is meaningless and 0.
	NoMateWithin int
	// Reason is why the verdict is Unknown, or why a Mate is less than it could be: not Exact,
	// though Limits.Shortest asked for it, or Exact with a line that another run, with more time or
	// nodes, may replace by an equal one. NoReason otherwise.
	Reason Reason
	// Proof is the plan by which a Mate is forced against every defence, if Limits.Proof asked for
	// it. It is shared and must not be changed.
	Proof *Proof
	// Nodes is how many positions were looked at, no more than Limits.Nodes. It is the same for the
	// same question at every run of one thread; several threads share the work differently each
	// time.
	Nodes uint64
	// Expansions is how many of the Nodes had all their moves looked at. The others, first visits
	// and positions of a short search, cost a third of one each. 0 of a solver that does not count
	// them, and of what the search did before a checkpoint.
	Expansions uint64
	// Resumed says that the search went on from a checkpoint (package checkpoint). Nodes are those of
	// all its runs.
	Resumed bool
	// Checked says how far a Mate or a NoMate was checked (Verified), and Unchecked why it is no more
	// than CheckedSearch although Limits.Check asked.
	Checked   Checked
	Unchecked Reason
	// Solver names the solver that decided, or looked deepest.
	Solver string
}

// Plies returns the length of the mate found, in plies. It means nothing unless the verdict is
// Mate.
func (r *Result) Plies() int { return len(r.Line) }

// IsRepeatable reports whether the same question gets the same result at every run: it was not
// ended by time, by its context or by a want of slots, did not go on from a checkpoint, and is no
// bug. Such a result may be cached.
func (r *Result) IsRepeatable() bool {
	if r.Resumed {
		return false
	}
	switch r.Unchecked {
	case NoReason, ReasonNodes, ReasonMembers, ReasonDepth:
	default:
		return false
	}
	switch r.Reason {
	case ReasonPlies, ReasonNodes, ReasonDepth:
		return true
	case NoReason:
		return r.Verdict != Unknown
	}
	return false
}

// A Solver decides whether the attacker can force mate. Implementations are safe for concurrent use
// and keep no reference to the arguments. Unless the context ends it, or a limit of nodes, a search
// answers the same question with the same Verdict, the same length if it is Exact, and the same
// line if the Exact mate has no Reason and Limits.AnyLine is not set. A search of one thread
// answers with the same Result altogether, also under a limit of nodes. With several threads Nodes
// differ from run to run, and so may the line and length of a Mate that is not Exact, its Proof,
// and what is found before a limit of nodes. The position must have a defender's king: callers ask
// Attacker first.
type Solver interface {
	Solve(ctx context.Context, p shogi.Position, lim Limits) Result
}

// Func makes a function a Solver.
type Func func(ctx context.Context, p shogi.Position, lim Limits) Result

// Solve calls f.
func (f Func) Solve(ctx context.Context, p shogi.Position, lim Limits) Result { return f(ctx, p, lim) }

// The reasons why a position is not a mate problem.
var (
	ErrNoKing = newError("there is no king on the board, so nobody can be mated",
		"盤に玉がありません。")
	ErrNoDefenderKing = newError(
		"the only king belongs to the side to move and is not in check, so there is nobody to mate",
		"詰ます相手の玉がありません。")
)

func newError(en, ja string) error {
	return shogi.NewError("solver", shogi.NewText("no_defender", en, ja).With())
}

// Attacker returns the side that is to force mate. The side to move attacks if the other side has a
// king; if the only king is the mover's own and stands in check, the position is in the middle of a
// problem and the defender is to move. Otherwise it returns ErrNoKing or ErrNoDefenderKing.
func Attacker(p *shogi.Position) (shogi.Color, error) {
	us := p.SideToMove()
	switch {
	case p.King(us.Opponent()) != shogi.NoSquare:
		return us, nil
	case p.King(us) == shogi.NoSquare:
		return us, ErrNoKing
	case p.InCheck():
		return us.Opponent(), nil
	}
	return us, ErrNoDefenderKing
}

// ErrTime is the cause to cancel a context with if its time is over and it had no deadline.
var ErrTime = errors.New("solver: the time ran out")

// StopReason returns why a search under ctx has to stop, NoReason while it need not.
func StopReason(ctx context.Context) Reason {
	Yield()
	switch err := ctx.Err(); {
	case err == nil:
		return NoReason
	case errors.Is(err, context.DeadlineExceeded),
		errors.Is(context.Cause(ctx), context.DeadlineExceeded), // of another one that ended this
		errors.Is(context.Cause(ctx), ErrTime):
		return ReasonTime
	}
	return ReasonCancelled
}

// A VerifyError says where a claimed mate fails.
type VerifyError struct {
	SFEN string // the position at which it fails
	Move shogi.Move
	Msg  string
}

// Error describes the failure.
func (e *VerifyError) Error() string {
	if e.Move == shogi.NoMove {
		return fmt.Sprintf("solver: claimed mate fails in %s: %s", e.SFEN, e.Msg)
	}
	return fmt.Sprintf("solver: claimed mate fails in %s at %s: %s", e.SFEN, e.Move, e.Msg)
}
