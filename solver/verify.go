package solver

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// maxLine is the longest line, in plies, that Verify looks at. The longest mate known to shogi has 1525.
const maxLine = 1 << 16

// Verify replays what r claims about p with the slow rules of package mailbox and returns nil if it holds as far as it
// can be seen from r alone, a *VerifyError otherwise.
//
// A Mate must have a line of legal moves in which each move of the attacker checks and the last position is mated; that
// no pawn drop mates is part of legality. If the line leaves the defender one choice or none to make before the end (up
// to three plies with the attacker to move, up to two with the defender), every other defence must allow a mate in one
// as well: mateIn1 is asked for it, and its answer is replayed too. It may be nil, and then all moves are tried.
//
// A NoMate and an Unknown claim no line, so only that is checked.
func Verify(p shogi.Position, r Result, mateIn1 func(*shogi.Position) shogi.Move) error {
	if r.Verdict != Mate {
		if len(r.Line) > 0 {
			return &VerifyError{SFEN: p.SFEN(), Msg: fmt.Sprintf("the verdict is %s, but there is a line of %d plies", r.Verdict, len(r.Line))}
		}
		return nil
	}
	attacker, err := Attacker(&p)
	if err != nil {
		return &VerifyError{SFEN: p.SFEN(), Msg: err.Error()}
	}
	if len(r.Line) > maxLine {
		return &VerifyError{SFEN: p.SFEN(), Msg: fmt.Sprintf("the line has %d plies, more than %d", len(r.Line), maxLine)}
	}
	v := verifier{attacker: attacker, mateIn1: mateIn1}
	if err := v.replay(p, r.Line); err != nil {
		return err
	}

	start := p
	line := r.Line
	if p.SideToMove() == attacker {
		if len(line) > 3 || len(line) < 2 {
			return nil // a single move has no alternatives
		}
		start.Do(line[0])
		line = line[1:]
	}
	if len(line) == 2 {
		return v.everyDefence(start)
	}
	return nil
}

type verifier struct {
	attacker shogi.Color
	mateIn1  func(*shogi.Position) shogi.Move
}

// replay plays the line from p to the mate.
func (v *verifier) replay(p shogi.Position, line []shogi.Move) error {
	b := mailbox.From(&p)
	for _, m := range line {
		if !b.IsLegal(m) {
			return &VerifyError{SFEN: p.SFEN(), Move: m, Msg: "the move is not legal"}
		}
		if b.SideToMove() == v.attacker && !b.GivesCheck(m) {
			return &VerifyError{SFEN: p.SFEN(), Move: m, Msg: "the move does not check"}
		}
		b.Do(m)
		p.Do(m)
	}
	if b.SideToMove() == v.attacker || !b.IsMated() {
		return &VerifyError{SFEN: p.SFEN(), Msg: "the line ends, but the defender is not mated"}
	}
	return nil
}

// everyDefence tries every legal move of p, with the defender to move: each must allow a mate in one.
func (v *verifier) everyDefence(p shogi.Position) error {
	b := mailbox.From(&p)
	for _, d := range b.LegalMoves() {
		q, after := p, b
		q.Do(d)
		after.Do(d)
		if !v.matesInOne(q, &after) {
			return &VerifyError{SFEN: p.SFEN(), Move: d, Msg: "the defence allows no mate in one"}
		}
	}
	return nil
}

// matesInOne reports whether the attacker, to move in q, which is b, has a move that mates.
func (v *verifier) matesInOne(q shogi.Position, b *mailbox.Board) bool {
	if v.mateIn1 != nil {
		if m := v.mateIn1(&q); m != shogi.NoMove && b.IsLegal(m) {
			after := *b
			after.Do(m)
			if after.IsMated() {
				return true
			}
		}
	}
	for _, m := range b.LegalMoves() {
		after := *b
		after.Do(m)
		if after.IsMated() {
			return true
		}
	}
	return false
}

// Verified returns a Solver that asks s and lets no Mate out that Verify does not accept: it is turned into Unknown with
// ReasonUnverified, without any bound, and handed to report, which may be nil. That is a bug in s.
// report is called from the goroutine that called Solve.
func Verified(s Solver, mateIn1 func(*shogi.Position) shogi.Move, report func(p shogi.Position, r Result, err error)) Solver {
	return Func(func(ctx context.Context, p shogi.Position, lim Limits) Result {
		r := s.Solve(ctx, p, lim)
		err := Verify(p, r, mateIn1)
		if err == nil {
			return r
		}
		if report != nil {
			report(p, r, err)
		}
		return Result{Verdict: Unknown, Reason: ReasonUnverified, Nodes: r.Nodes, Solver: r.Solver}
	})
}
