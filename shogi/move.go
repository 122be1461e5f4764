package shogi

// A Move is a board move, with or without promotion, or a drop. It names squares and, for a drop,
// the kind; which piece moves and what it captures are facts of the position. The zero Move is no
// move.
//
//	bits 0-6   destination
//	bits 7-13  origin, or the PieceType of a drop
//	bit  14    promotion
//	bit  15    drop
type Move uint16

const (
	movePromotes Move = 1 << 14
	moveDrops    Move = 1 << 15
)

// NoMove is the zero Move.
const NoMove Move = 0

// NewMove returns the board move from one square to another.
func NewMove(from, to Square) Move { return Move(to) | Move(from)<<7 }

// NewPromotion returns the board move from one square to another that promotes.
func NewPromotion(from, to Square) Move { return Move(to) | Move(from)<<7 | movePromotes }

// NewDrop returns the drop of a piece of kind t, a base kind other than King.
func NewDrop(t PieceType, to Square) Move { return Move(to) | Move(t)<<7 | moveDrops }

// To returns the destination.
func (m Move) To() Square { return Square(m & 127) }

// From returns the origin of a board move. It means nothing for a drop.
func (m Move) From() Square { return Square(m >> 7 & 127) }

// IsDrop reports whether m puts a piece from the hand on the board.
func (m Move) IsDrop() bool { return m&moveDrops != 0 }

// IsPromotion reports whether the piece promotes.
func (m Move) IsPromotion() bool { return m&movePromotes != 0 }

// Dropped returns the kind a drop puts on the board. It means nothing for a board move.
func (m Move) Dropped() PieceType { return PieceType(m >> 7 & 15) }

// AppendUSI appends the USI form of m: "7g7f", "8h2b+" or "P*5e" (the letter is upper case for both
// sides).
func (m Move) AppendUSI(dst []byte) []byte {
	if m == NoMove {
		return append(dst, "(none)"...)
	}
	if m.IsDrop() {
		dst = append(dst, pieceLetters[min(m.Dropped(), King)], '*')
		return append(dst, m.To().String()...)
	}
	dst = append(dst, m.From().String()...)
	dst = append(dst, m.To().String()...)
	if m.IsPromotion() {
		dst = append(dst, '+')
	}
	return dst
}

// String returns the USI form of m, or "(none)" for NoMove.
func (m Move) String() string { return string(m.AppendUSI(nil)) }

// ParseMove reads a move in USI form. It checks the form only; whether the move is legal is asked
// of a Position.
func ParseMove(s string) (Move, error) {
	bad := func(why *Text) (Move, error) {
		return NoMove, NewError("shogi", badMove.With(clip(s), why))
	}
	if len(s) < 4 || len(s) > 5 {
		return bad(badMoveLength)
	}
	to, err := ParseSquare(s[2:4])
	if err != nil {
		return bad(badLastSquare)
	}
	if s[1] == '*' {
		t := pieceTypeOf(s[0])
		if t == NoPieceType || t == King {
			return bad(badDrop)
		}
		if len(s) != 4 {
			return bad(promotedDrop)
		}
		return NewDrop(t, to), nil
	}
	from, err := ParseSquare(s[:2])
	if err != nil {
		return bad(badFirstSquare)
	}
	if from == to {
		return bad(noDistance)
	}
	if len(s) == 5 {
		if s[4] != '+' {
			return bad(badSuffix)
		}
		return NewPromotion(from, to), nil
	}
	return NewMove(from, to), nil
}

// Mirrored returns the move in the position that Position.Mirrored returns.
func (m Move) Mirrored() Move {
	switch {
	case m == NoMove:
		return NoMove
	case m.IsDrop():
		return NewDrop(m.Dropped(), m.To().Mirrored())
	case m.IsPromotion():
		return NewPromotion(m.From().Mirrored(), m.To().Mirrored())
	}
	return NewMove(m.From().Mirrored(), m.To().Mirrored())
}

// Rotated returns the move in the position that Position.Rotated returns.
func (m Move) Rotated() Move {
	switch {
	case m == NoMove:
		return m
	case m.IsDrop():
		return NewDrop(m.Dropped(), NumSquares-1-m.To())
	}
	return NewMove(NumSquares-1-m.From(), NumSquares-1-m.To()) | m&movePromotes
}
