//go:build debug

package shogi

import (
	"fmt"
	"slices"
)

// With the build tag debug a position checks itself after each Do, Undo, DoNull and UndoNull, and
// panics with the position before, the move and what is wrong:
//
//	go test -tags debug ./shogi
//
// It is for those who change how moves are made or generated: a position that is wrong is found at
// the move that made it so, and not when, much later, an answer is. Without the tag the methods of
// debug_off.go stand here, which are empty.

// A Scrutiny is how much a position checks.
type Scrutiny int

// The scrutinies. Each checks what those before it do.
const (
	// CheckNothing is for tests that break positions.
	CheckNothing Scrutiny = iota
	// CheckCheap asks for the key, the hands, the side to move and the kings; that a move which
	// IsLegal allows does not leave the own king in check, and that nothing is played after one that
	// does; and that Undo brings back what Do found, to the last bit.
	CheckCheap
	// CheckAll puts the position together anew from its squares and hands and compares every
	// bitboard. So it also finds two pawns on a file, pieces that can never move, more pieces of a
	// kind than there are, and a second king.
	CheckAll
)

// DebugScrutiny is how much positions check.
var DebugScrutiny = CheckAll

// remembered is the position before a move.
type remembered struct{ position Position }

// remember returns p, from which a move is about to be played.
func (p *Position) remember() remembered {
	if DebugScrutiny > CheckNothing && p.leftInCheck() {
		panic(fmt.Sprintf("shogi: a move in %s, where the side that is not to move is in check", p.SFEN()))
	}
	return remembered{*p}
}

func (p *Position) leftInCheck() bool { return !p.checkersOf(p.side ^ 1).IsEmpty() }

// checkDone checks p after Do played m.
func (p *Position) checkDone(m Move, u *Undo) {
	if DebugScrutiny == CheckNothing {
		return
	}
	before := &u.before.position
	us := before.side
	var fault string
	switch {
	case before.byColor[us&1].Has(m.To()):
		fault = "it takes a piece of its own"
	case p.side != us^1:
		fault = "the side to move is the same"
	case p.ply != before.ply+1:
		fault = fmt.Sprintf("the ply is %d", p.ply)
	case p.boardKey != before.BoardKeyAfter(m):
		fault = "the key is not that of BoardKeyAfter"
	case p.salt() != before.salt():
		fault = "the key is not that of the pieces"
	case p.hand[us] != before.HandAfter(m) || p.hand[us^1] != before.hand[us^1]:
		fault = fmt.Sprintf("the hands are %v and %v", p.hand[Black], p.hand[White])
	case p.leftInCheck() && before.IsLegal(m):
		fault = "the move is legal for IsLegal, but leaves the king in check"
	default:
		fault = p.fault()
	}
	if fault != "" {
		panic(fmt.Sprintf("shogi: %s, after %v: %s", before.SFEN(), m, fault))
	}
}

// checkUndone checks p after Undo took m back.
func (p *Position) checkUndone(m Move, u *Undo) {
	if before := &u.before.position; DebugScrutiny > CheckNothing && *p != *before {
		panic(fmt.Sprintf("shogi: %s, after %v was done and undone: it is %s", before.SFEN(), m, p.SFEN()))
	}
}

// check checks p before and after a pass.
func (p *Position) check() {
	if DebugScrutiny == CheckNothing {
		return
	}
	fault := p.fault()
	if p.leftInCheck() {
		fault = "the side that is not to move is in check"
	}
	if fault != "" {
		panic(fmt.Sprintf("shogi: %s, at a pass: %s", p.SFEN(), fault))
	}
}

// fault says what is wrong with p, nothing if nothing is.
func (p *Position) fault() string {
	for c, king := range p.king {
		if king != NoSquare && p.board[king] != PieceOf(Color(c), King) {
			return fmt.Sprintf("there is no king on %v", king)
		}
	}
	if DebugScrutiny < CheckAll {
		return ""
	}
	s := p.Setup()
	s.Ply = 1 // games may become longer than texts may say
	anew, faults := s.build()
	faults = slices.DeleteFunc(faults, func(f Fault) bool { return f.Code == opponentInCheck.Code })
	if len(faults) > 0 {
		return (&SFENError{Faults: faults}).Error()
	}
	anew.ply, anew.boardKey = p.ply, p.boardKey
	switch {
	case anew.king != p.king:
		return fmt.Sprintf("the kings are on %v, not on %v", anew.king, p.king)
	case anew != *p:
		return "the bitboards are not those of the squares"
	}
	return ""
}

// salt returns what SaltKey has put into the key.
func (p *Position) salt() uint64 { return p.boardKey ^ p.ForSearch().RecomputeBoardKey() }
