// Package threat answers two questions about moves that do not check.
//
// Is there a mate threat (詰めろ)? That is whether the side that is not to move would mate, by checks
// alone, if the side to move passed.
//
// Is there a brinkmate (必至) in k attacks? An attack is a legal move that checks, or that makes a
// threat. A position with the attacker to move is a brinkmate in k attacks if one of them leads to
// nothing but lost positions: after each legal move of the defender, whatever it is, the attacker
// mates by checks alone, or has a brinkmate in fewer attacks. The last attack is a threat, for a
// check after every reply to which he mates is the beginning of a mate. Books count the plies up to
// it: k attacks are 2k-1 plies. A position in which the attacker mates is a mate and no brinkmate.
//
// # What it may say
//
// Brinkmate and Threat, only with a plan each move of which was replayed by the plain rules of
// package mailbox, and each mate of which is one that solver.NewProof has replayed (plan.go).
//
// NoThreat, and None within so many attacks, only if the mate solver has decided every mate that it
// hangs on, and every legal move of the attacker was tried. They are as good as its NoMate.
//
// Unknown otherwise, with the limit that ended the search.
//
// # Why it may
//
// Attacks are counted, so no line is endless, and nothing need be said of repetition: of two equal
// positions in a line the second one has fewer attacks left, and a plan for it serves the first. The
// game before the position, declarations of a win and limits of moves are no part of the question.
//
// Which question is asked next, of how many nodes, and in which order moves come, decides how soon
// the answer comes and never what it is.
//
// # Hands
//
// A mate problem may have pieces out of play. These questions may not: the best defence to a threat
// is often a drop. A position that lacks any is refused with what it lacks; GiveMissing completes
// it.
package threat

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Verdict answers one of the two questions.
type Verdict uint8

// The verdicts. NoThreat and Threat answer Searcher.Threat, and the others Searcher.Brinkmate.
const (
	Unknown   Verdict = iota // nothing is proven; Reason says why
	Threat                   // after a pass there is a mate
	NoThreat                 // after a pass there is none
	Mate                     // the attacker mates by checks alone
	Brinkmate                // in Attacks attacks
	None                     // no mate, and no brinkmate within Attacks attacks
)

var verdicts = [...]string{"unknown", "threat", "no_threat", "mate", "brinkmate", "none_within"}

// String returns "unknown", "threat", "no_threat", "mate", "brinkmate" or "none_within".
func (v Verdict) String() string { return verdicts[v] }

// Limits bound a search. Time is bounded by the context.
type Limits struct {
	Nodes   uint64 // positions looked at; 0: any number
	Attacks int    // at most so many; 0: DefaultAttacks
	// FirstMoves asks for all first moves that make a brinkmate as short. It takes about as long as
	// to show that there is none.
	FirstMoves bool
	// Only, unless it is NoMove, is the first move that is asked about: whether it begins a brinkmate.
	// It has to be legal.
	Only shogi.Move
}

// DefaultAttacks and MaxAttacks are how many attacks are looked for, and at most.
const (
	DefaultAttacks = 2
	MaxAttacks     = 10
)

// A Result is what a search found out.
type Result struct {
	Verdict Verdict
	Reason  solver.Reason // why it is Unknown
	// Attacks is how many a Brinkmate takes at most, and within how many there is None. Of Unknown it
	// is within how many there is none as well, 0 if nothing is known.
	Attacks int
	// Exact says of a Brinkmate that there is none in fewer attacks, and no mate.
	Exact bool
	// Line is the mate of a Threat or a Mate. Of a Brinkmate it is the attacks and the defences that
	// hold out longest, up to the last attack.
	Line []shogi.Move
	// Mate is the proof of a Threat, for the position after the pass, and of a Mate.
	Mate *solver.Proof
	// Plan is that of a Brinkmate.
	Plan *Plan
	// Refutation is, of None where only one first move was asked about, a reply to it that refutes it.
	// NoMove: the move neither checks nor threatens mate, or it checks and there is one attack alone.
	Refutation shogi.Move
	// FirstMoves are all that make a brinkmate in Attacks attacks, if Limits.FirstMoves asked for
	// them, in the order of solver.CompareMoves. Open are those of which the search does not know it.
	FirstMoves, Open []shogi.Move
	Nodes            uint64
}

// ReasonMemory says that what the search keeps has outgrown its memory.
const ReasonMemory solver.Reason = "limit_memory"

// Plies returns how long a brinkmate in so many attacks is as books count.
func Plies(attacks int) int { return 2*attacks - 1 }

// The reasons why a question has no meaning.
var (
	ErrInCheck = newError("in_check",
		"the side to move is in check, and so cannot pass", "手番の玉に王手がかかっているので、パスできません。")
	ErrNoKing = newError("no_defender",
		"the defender has no king on the board", "玉方の玉が盤上にありません。")
)

func newError(code, en, ja string) error {
	return shogi.NewError("threat", shogi.NewText(code, en, ja).With())
}

var missing = shogi.NewText("missing_pieces",
	"pieces are missing (%v); a defence may be a drop, so that hands must be complete",
	"駒が足りません（%v）。受けに駒を打つことがあるので、残りの駒の持ち主を決めてください。")

// Valid returns nil if it can be asked whether attacker has a brinkmate in p, being to move, or a
// threat, not being to move, and otherwise an error that says why not.
func Valid(p *shogi.Position, attacker shogi.Color) error {
	switch {
	case p.King(attacker.Opponent()) == shogi.NoSquare:
		return ErrNoKing
	case p.SideToMove() != attacker && p.InCheck():
		return ErrInCheck
	case !p.Missing().IsEmpty():
		return shogi.NewError("threat", missing.With(p.Missing()))
	}
	return nil
}

// A Searcher answers questions. It is for one goroutine, and each answer depends on the question
// alone, if the context does not end it.
type Searcher struct {
	session solver.Session
	maxTree int
}

// New returns a Searcher that asks s about mates. Nobody else may use s meanwhile.
func New(s solver.Session) *Searcher { return &Searcher{s, maxTree} }

// Threat answers whether the side that is not to move in p threatens mate. It returns the error of
// Valid.
func (s *Searcher) Threat(ctx context.Context, p shogi.Position, lim Limits) (Result, error) {
	if err := Valid(&p, p.SideToMove().Opponent()); err != nil {
		return Result{}, err
	}
	return s.threat(ctx, p, lim), nil
}

func (s *Searcher) threat(ctx context.Context, p shogi.Position, lim Limits) Result {
	attacker := p.SideToMove().Opponent()
	p.ForSearch().DoNull()
	s.session.Reset()
	r := s.session.Ask(ctx, solver.Question{Position: p, Attacker: attacker,
		Limits: solver.Limits{Nodes: lim.Nodes, Proof: true}})
	out := Result{Reason: r.Reason, Line: r.Line, Mate: r.Proof, Nodes: r.Nodes}
	switch r.Verdict {
	case solver.Mate:
		out.Verdict, out.Reason = Threat, solver.NoReason
	case solver.NoMate:
		out.Verdict = NoThreat
	}
	return out
}
