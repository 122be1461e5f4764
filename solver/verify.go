package solver

import (
	"fmt"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// maxLine is the longest line, in plies, that Verify looks at. The longest mate known to shogi has
// 1525.
const maxLine = 1 << 16

// Verify replays what r claims about p by the plain rules of package mailbox. It returns nil if it
// holds and a *VerifyError if not.
//
// A Mate must have a line of legal moves in which each move of the attacker checks and the last
// position is mated; that no pawn drop mates is part of legality, and no position may come for the
// fourth time (連続王手の千日手). And every other defence must be answered. Of a mate that leaves
// the defender at most one choice (up to three plies with the attacker to move, up to two with the
// defender) Verify finds out by itself: every other defence must allow a mate in one. A longer one
// needs Result.Proof, which NewProof has replayed: it must be that of p and as short as the line,
// and the line one of its own.
//
// mateIn1 is a quick way to a mate in one, or nil. What it finds is replayed too, and where it
// finds nothing all moves are tried. No shorter mate may be known where r says that there is none
// (Exact, NoMateWithin, NoMate): mateIn1 is asked about p itself.
//
// A NoMate and an Unknown have no line, and what the fields of a Result say must fit together.
func Verify(p shogi.Position, r Result, mateIn1 func(*shogi.Position) shogi.Move) error {
	v := newVerifier(mateIn1)
	defer verifiers.Put(v)
	return v.verify(p, &r)
}

// VerifyFor is Verify for a result that says whether attacker can force mate, where the side to
// move need not be the one that Attacker would say.
func VerifyFor(p shogi.Position, attacker shogi.Color, r Result,
	mateIn1 func(*shogi.Position) shogi.Move) error {
	v := newVerifier(mateIn1)
	defer verifiers.Put(v)
	if msg := contradiction(&r); msg != "" {
		return &VerifyError{SFEN: p.SFEN(), Msg: msg}
	}
	return v.verifyFor(p, attacker, &r)
}

// VerifyLine returns nil if the moves are a line from p to a mate, as Verify wants one, and a
// *VerifyError otherwise. That a line exists does not say that mate can be forced.
func VerifyLine(p shogi.Position, line []shogi.Move) error {
	b := mailbox.From(&p)
	attacker, err := Attacker(&p)
	if err != nil {
		return &VerifyError{SFEN: b.SFEN(), Msg: err.Error()}
	}
	return replay(b, attacker, line)
}

func (v *verifier) verify(p shogi.Position, r *Result) error {
	if msg := contradiction(r); msg != "" {
		return &VerifyError{SFEN: p.SFEN(), Msg: msg}
	}
	attacker, err := Attacker(&p)
	if err != nil {
		if r.Verdict == Mate {
			return &VerifyError{SFEN: p.SFEN(), Msg: err.Error()}
		}
		return nil
	}
	return v.verifyFor(p, attacker, r)
}

// verifyFor is verify for a result that does not contradict itself.
func (v *verifier) verifyFor(p shogi.Position, attacker shogi.Color, r *Result) error {
	b := mailbox.From(&p)
	if noMateWithin(r) > 0 {
		if p.SideToMove() == attacker {
			if m := v.findMate(&p, &b); m != shogi.NoMove {
				return &VerifyError{SFEN: b.SFEN(), Move: m, Msg: "the move mates, but the claim is that there is no mate as short"}
			}
		} else if b.IsMated() {
			return &VerifyError{SFEN: b.SFEN(), Msg: "the defender is mated already, but the claim is that there is no mate as short"}
		}
	}
	if r.Verdict != Mate {
		return nil
	}
	if err := replay(b, attacker, r.Line); err != nil {
		return err
	}
	if f := r.Proof; f != nil {
		switch {
		case f.board != b.Position() || f.attacker != attacker:
			return &VerifyError{SFEN: b.SFEN(), Msg: "the proof is that of another position"}
		case f.Plies() > len(r.Line):
			return fault(&b, shogi.NoMove, "the line has %d plies, but the proof %d", len(r.Line), f.Plies())
		}
		return f.contains(b, r.Line)
	}
	return v.short(&p, &b, attacker, r.Line)
}

// short verifies a mate without a proof: every defence against its only check but the last.
func (v *verifier) short(p *shogi.Position, b *mailbox.Board, attacker shogi.Color,
	line []shogi.Move) error {
	if p.SideToMove() != attacker {
		switch len(line) {
		case 0:
			return nil
		case 2:
			return v.everyDefence(p, b, line)
		}
	} else {
		switch len(line) {
		case 1:
			return nil
		case 3:
			after, board := *p, *b
			after.Do(line[0])
			board.Do(line[0])
			return v.everyDefence(&after, &board, line[1:])
		}
	}
	return &VerifyError{SFEN: b.SFEN(),
		Msg: fmt.Sprintf("a line of %d plies proves nothing without a proof", len(line))}
}

// contradiction returns what in r does not fit together, "" if all does.
func contradiction(r *Result) string {
	switch {
	case r.Verdict > NoMate:
		return fmt.Sprintf("verdict %d does not exist", r.Verdict)
	case r.Verdict != Mate && len(r.Line) > 0:
		return fmt.Sprintf("the verdict is %s, but there is a line of %d plies", r.Verdict, len(r.Line))
	case r.Verdict != Mate && r.Proof != nil:
		return fmt.Sprintf("the verdict is %s, but there is a proof of a mate", r.Verdict)
	case len(r.Line) > maxLine:
		return fmt.Sprintf("the line has %d plies, more than %d", len(r.Line), maxLine)
	case r.Verdict == Mate && r.NoMateWithin > 0 && r.NoMateWithin >= len(r.Line):
		return fmt.Sprintf("there is a line of %d plies, but no mate within %d", len(r.Line), r.NoMateWithin)
	case r.Verdict == Unknown && r.Reason == NoReason:
		return "the verdict is unknown without a reason"
	case r.Verdict == NoMate && r.Reason != NoReason:
		return fmt.Sprintf("the verdict is nomate, but there is a reason why something is missing: %s", r.Reason)
	}
	return ""
}

// noMateWithin returns the number of plies within which r says that there is no mate, 0 if it says
// nothing of the kind.
func noMateWithin(r *Result) int {
	switch {
	case r.Verdict == NoMate:
		return maxLine
	case r.Verdict == Mate && r.Exact:
		return max(len(r.Line)-1, r.NoMateWithin)
	}
	return r.NoMateWithin
}

// replay plays the line from b to the mate.
func replay(b mailbox.Board, attacker shogi.Color, line []shogi.Move) error {
	var seen map[mailbox.Board]int
	if len(line) > 3*4 { // the shortest way to a fourth time
		seen = make(map[mailbox.Board]int, len(line))
	}
	for _, m := range line {
		if seen != nil {
			p := b.Position()
			if seen[p]++; seen[p] == 4 {
				return &VerifyError{SFEN: b.SFEN(), Msg: "the position is there for the fourth time, by checks alone, with which the attacker loses"}
			}
		}
		if !b.IsLegal(m) {
			return &VerifyError{SFEN: b.SFEN(), Move: m, Msg: "the move is not legal"}
		}
		before := b
		b.Do(m)
		if b.SideToMove() != attacker && !b.InCheck(b.SideToMove()) {
			return &VerifyError{SFEN: before.SFEN(), Move: m, Msg: "the move does not check"}
		}
	}
	if b.SideToMove() == attacker {
		return &VerifyError{SFEN: b.SFEN(), Msg: "the line ends with the attacker to move, so the defender is not mated"}
	}
	if !b.IsMated() {
		return &VerifyError{SFEN: b.SFEN(), Msg: "the line ends, but the defender is not mated"}
	}
	return nil
}

type verifier struct {
	mateIn1 func(*shogi.Position) shogi.Move
	asked   shogi.Position // what mateIn1 is given; what it does to it is no matter
}

// verifiers are kept because what a function is given that nothing is known of is on the heap.
var verifiers = sync.Pool{New: func() any { return new(verifier) }}

// newVerifier returns a verifier, to be put back into verifiers.
func newVerifier(mateIn1 func(*shogi.Position) shogi.Move) *verifier {
	v := verifiers.Get().(*verifier)
	v.mateIn1 = mateIn1
	return v
}

// everyDefence tries every legal move of p, which is b, with the defender to move: each must allow
// a mate in one. For the two moves of the line that is known already.
func (v *verifier) everyDefence(p *shogi.Position, b *mailbox.Board, line []shogi.Move) error {
	var buf [64]shogi.Move // seldom as many
	for _, d := range b.AppendLegalMoves(buf[:0]) {
		if d == line[0] {
			continue
		}
		if v.mateAfter(p, b, d) == shogi.NoMove {
			return &VerifyError{SFEN: b.SFEN(), Move: d, Msg: "the defence allows no mate in one"}
		}
	}
	return nil
}

// mateAfter returns a move that mates after the move d of p, which is b, NoMove if there is none.
func (v *verifier) mateAfter(p *shogi.Position, b *mailbox.Board, d shogi.Move) shogi.Move {
	v.asked = *p
	v.asked.Do(d)
	after := *b
	after.Do(d)
	if m := v.ask(&after); m != shogi.NoMove {
		return m
	}
	return anyMate(&after)
}

// findMate asks mateIn1 about p, which is b, and returns its answer if it mates by the plain rules,
// NoMove otherwise.
func (v *verifier) findMate(p *shogi.Position, b *mailbox.Board) shogi.Move {
	v.asked = *p
	return v.ask(b)
}

// ask is findMate for v.asked, which is b.
func (v *verifier) ask(b *mailbox.Board) shogi.Move {
	if v.mateIn1 == nil {
		return shogi.NoMove
	}
	m := v.mateIn1(&v.asked)
	if m == shogi.NoMove || !mates(b, m) {
		return shogi.NoMove
	}
	return m
}

// anyMate returns a move that mates, found by trying them all, NoMove if there is none.
func anyMate(b *mailbox.Board) shogi.Move {
	for _, m := range b.LegalMoves() {
		if mates(b, m) {
			return m
		}
	}
	return shogi.NoMove
}

// mates reports whether m is legal and mates.
func mates(b *mailbox.Board, m shogi.Move) bool {
	if !b.IsLegal(m) {
		return false
	}
	after := *b
	after.Do(m)
	return after.IsMated()
}
