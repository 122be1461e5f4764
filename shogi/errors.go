package shogi

import (
	"errors"
	"strconv"
	"strings"
)

// The fields of a position text, as a Fault names them.
const (
	FieldBoard = "board"
	FieldSide  = "side"
	FieldHands = "hands"
	FieldPly   = "ply"
	FieldMoves = "moves"
)

// The codes of a Fault. They are stable: programs may compare them.
const (
	CodeMissingField    = "missing_field"     // the text ends too early
	CodeTrailingText    = "trailing_text"     // something follows the last field
	CodeTooLong         = "too_long"          // the text exceeds MaxPositionText
	CodeRankCount       = "rank_count"        // not nine ranks
	CodeRankWidth       = "rank_width"        // a rank that is not nine squares wide
	CodePieceLetter     = "piece_letter"      // a character that is no piece and no digit
	CodePromotedKind    = "promoted_kind"     // "+" before a king or gold, or before no piece
	CodeSide            = "side"              // neither b nor w
	CodeHandLetter      = "hand_letter"       // a character that names no piece
	CodeHandCount       = "hand_count"        // a count of 0, above the set, or without a piece
	CodeKingInHand      = "king_in_hand"      // K or k among the hands
	CodePly             = "ply"               // not a number from 1 to MaxPly
	CodePieceCount      = "piece_count"       // more of a kind than a set has
	CodeKingCount       = "king_count"        // two kings of one colour
	CodeNifu            = "nifu"              // two unpromoted pawns of one colour on a file (二歩)
	CodeDeadPiece       = "dead_piece"        // a pawn, lance or knight that can never move (行き所のない駒)
	CodeOpponentInCheck = "opponent_in_check" // the side to move could take the king
	CodeMoveSyntax      = "move_syntax"       // not a USI move
	CodeIllegalMove     = "illegal_move"      // a move the rules do not allow there
)

// A Fault is one thing that is wrong with a position or its text.
type Fault struct {
	Code   string // one of the Code constants
	Field  string // one of the Field constants
	Offset int    // byte offset into the text, -1 if the position did not come from text
	// Square is where the fault is on the board: the piece that should not be there, the king that
	// stands in check, for an illegal move the Square of its IllegalError. NoSquare if the fault is
	// about no single square.
	Square Square
	Msg    Message // what was found and what was expected
}

// An SFENError lists everything that is wrong with a position, in the order of the text.
type SFENError struct {
	Input  string // the text as given, cut short if it was too long, empty if the position did not come from text
	Faults []Fault
}

// Error names every fault: field, byte offset, what was found and what was expected.
func (e *SFENError) Error() string { return "shogi: " + e.Message().String() }

// Message returns the message that Error has after the name of the package.
func (e *SFENError) Message() Message { return badPosition.With(faultList(e.Faults)) }

// A faultList is several faults in a sentence.
type faultList []Fault

func (l faultList) String() string {
	var b strings.Builder
	for i, f := range l {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Field)
		if f.Offset >= 0 {
			b.WriteString(", byte ")
			b.WriteString(strconv.Itoa(f.Offset))
		}
		b.WriteString(": ")
		b.WriteString(f.Msg.String())
	}
	return b.String()
}

func (l faultList) Japanese() string {
	var b strings.Builder
	for _, f := range l {
		if f.Offset >= 0 {
			b.WriteString(strconv.Itoa(f.Offset) + "バイト目：")
		}
		b.WriteString(f.Msg.Japanese())
	}
	return b.String()
}

// The reasons why a move is illegal, one for each rule. An IllegalError wraps one of them, so that
// errors.Is tells them apart.
var (
	ErrNoMove        = errors.New("not a move")                              // no value that NewMove, NewPromotion or NewDrop gives
	ErrEmptyOrigin   = errors.New("no piece on the origin")                  // nothing stands on From
	ErrOpponentPiece = errors.New("the piece is the opponent's")             // on From
	ErrOwnPiece      = errors.New("an own piece on the destination")         // of a board move
	ErrCannotReach   = errors.New("the piece does not move that way")        // on any board
	ErrBlocked       = errors.New("a piece is in the way")                   // of a slider
	ErrMustPromote   = errors.New("the piece must promote")                  // or could never move again (行き所のない駒)
	ErrMayNotPromote = errors.New("the piece may not promote")               // its kind never does, or the move does not touch the zone
	ErrNotInHand     = errors.New("no such piece in hand")                   // of the side to move
	ErrOccupied      = errors.New("a drop on an occupied square")            // of either side
	ErrNifu          = errors.New("a second pawn on the file (nifu)")        // 二歩
	ErrDeadEnd       = errors.New("a drop where the piece could never move") // 行き所のない駒
	ErrInCheck       = errors.New("the king is left in check")               // or put into check (王手放置, 自殺手)
	ErrUchifuzume    = errors.New("mate by dropping a pawn (uchifuzume)")    // 打ち歩詰め
)

// An IllegalError says why a move is illegal in a position.
type IllegalError struct {
	Move   Move
	SFEN   string // the position
	Reason error  // one of ErrNoMove to ErrUchifuzume
	// Square is where to look: the origin for ErrEmptyOrigin, ErrOpponentPiece and ErrCannotReach,
	// the first piece in the way for ErrBlocked, the pawn on the file for ErrNifu, the own king
	// after the move for ErrInCheck, NoSquare for ErrNoMove and ErrNotInHand, and else the
	// destination.
	Square Square
	Msg    Message // the reason with the names of pieces and squares
}

// Error names the move, what speaks against it, and the position.
func (e *IllegalError) Error() string { return "shogi: " + e.Message().String() }

// Message returns the message that Error has after the name of the package.
func (e *IllegalError) Message() Message { return illegalMove.With(e.Move, e.Msg, e.SFEN) }

// Unwrap returns the reason.
func (e *IllegalError) Unwrap() error { return e.Reason }

// Illegal returns nil if m, which may be any value at all, is a legal move of p, and else an
// *IllegalError that wraps the rule it breaks. Of several broken rules it names the one a player
// sees first: where the pieces stand, then how they move, then promotion, and the king last.
// Illegal makes the move on a copy of p; where the answer alone counts, IsLegal is many times
// faster.
func (p *Position) Illegal(m Move) error {
	if e := p.illegal(m); e != nil {
		return e
	}
	return nil
}

func (p *Position) illegal(m Move) *IllegalError {
	sq, msg, reason := p.brokenRule(m)
	if reason == nil {
		return nil
	}
	return &IllegalError{Move: m, SFEN: p.SFEN(), Reason: reason, Square: sq, Msg: msg}
}

// brokenRule returns the rule that m breaks, nil if none, where to look, and a message.
func (p *Position) brokenRule(m Move) (sq Square, msg Message, reason error) {
	us, to := p.side&1, m.To()
	if m.IsDrop() {
		t := m.Dropped()
		switch {
		case !to.IsValid() || t == NoPieceType || t >= King || m != NewDrop(t, to):
			return NoSquare, noMove.With(), ErrNoMove
		case !p.hand[us].Has(t):
			return NoSquare, notInHand.With(us, t), ErrNotInHand
		case p.board[to] != NoPiece:
			return to, isOccupied.With(to), ErrOccupied
		case IsDead(us, t, to):
			return to, deadDrop.With(t, to), ErrDeadEnd
		}
		if !p.DropSquares(us, t).Has(to) {
			file := ForwardRay(Black, to).Or(ForwardRay(White, to))
			pawn := p.PiecesOf(us, Pawn).And(file).First()
			return pawn, pawnOnFile.With(us, int(to.File())+1), ErrNifu
		}
	} else {
		from := m.From()
		if !from.IsValid() || !to.IsValid() || from == to {
			return NoSquare, noMove.With(), ErrNoMove
		}
		pc := p.board[from]
		t := pc.Type()
		switch {
		case pc == NoPiece:
			return from, emptyOrigin.With(us, from), ErrEmptyOrigin
		case pc.Color() != us:
			return from, notOwn.With(us, from, us^1, t), ErrOpponentPiece
		case !Attacks(us, t, from, Bitboard{}).Has(to):
			return from, cannotReach.With(t, from, to), ErrCannotReach
		case !Attacks(us, t, from, p.Occupied()).Has(to):
			first := to
			for b := Between(from, to).And(p.Occupied()); !b.IsEmpty(); {
				if sq := b.Pop(); Between(from, first).Has(sq) {
					first = sq
				}
			}
			return first, isBlocked.With(t, from, to, first), ErrBlocked
		case p.byColor[us].Has(to):
			return to, ownPiece.With(t, from, to, us), ErrOwnPiece
		case !m.IsPromotion() && IsDead(us, t, to):
			return to, mustPromote.With(t, to), ErrMustPromote
		case m.IsPromotion() && (!t.CanPromote() || !promotionZone[us].Has(from) && !promotionZone[us].Has(to)):
			return to, mayNotPromote.With(t), ErrMayNotPromote
		}
	}
	after := *p
	after.Do(m)
	if king := after.king[us]; king != NoSquare && after.IsAttacked(king, us^1, after.Occupied()) {
		return king, leavesInCheck.With(), ErrInCheck
	}
	if m.IsDrop() && m.Dropped() == Pawn && after.IsCheckmate() {
		return to, mateByPawn.With(), ErrUchifuzume
	}
	return NoSquare, Message{}, nil
}
