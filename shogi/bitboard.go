package shogi

import (
	"iter"
	"math/bits"
	"strings"
)

// A Bitboard is a set of squares. The zero value is empty.
//
// Files 1 to 7 fill the low 63 bits of lo, files 8 and 9 the low 18 bits of hi, in the order of
// Square: no file is split between the words, so a step along a file, a lance's reach and the pawns
// of a file never carry from one word to the other. A struct of two words stays in registers, an
// array of two does not.
type Bitboard struct{ lo, hi uint64 }

const (
	loSquares = 63
	loMask    = 1<<loSquares - 1
	hiMask    = 1<<(NumSquares-loSquares) - 1
)

// BitboardOf returns the set of the given squares.
func BitboardOf(squares ...Square) Bitboard {
	var b Bitboard
	for _, sq := range squares {
		b = b.With(sq)
	}
	return b
}

// squareBit is padded to a power of two so that an index masked with 127 needs no bounds check.
var squareBit = func() (t [128]Bitboard) {
	for sq := range Square(NumSquares) {
		if sq < loSquares {
			t[sq].lo = 1 << sq
		} else {
			t[sq].hi = 1 << (sq - loSquares)
		}
	}
	return t
}()

func bit(sq Square) Bitboard { return squareBit[sq&127] }

// Has reports whether sq is in the set.
func (b Bitboard) Has(sq Square) bool { return b.Intersects(bit(sq)) }

// With returns the set with sq added.
func (b Bitboard) With(sq Square) Bitboard { return b.Or(bit(sq)) }

// Without returns the set with sq removed.
func (b Bitboard) Without(sq Square) Bitboard { return b.AndNot(bit(sq)) }

// And returns the squares in both sets.
func (b Bitboard) And(o Bitboard) Bitboard { return Bitboard{b.lo & o.lo, b.hi & o.hi} }

// Or returns the squares in either set.
func (b Bitboard) Or(o Bitboard) Bitboard { return Bitboard{b.lo | o.lo, b.hi | o.hi} }

// Xor returns the squares in exactly one of the sets.
func (b Bitboard) Xor(o Bitboard) Bitboard { return Bitboard{b.lo ^ o.lo, b.hi ^ o.hi} }

// AndNot returns the squares of b that are not in o.
func (b Bitboard) AndNot(o Bitboard) Bitboard { return Bitboard{b.lo &^ o.lo, b.hi &^ o.hi} }

// Not returns the squares of the board that are not in b.
func (b Bitboard) Not() Bitboard { return Bitboard{^b.lo & loMask, ^b.hi & hiMask} }

// IsEmpty reports whether the set has no square.
func (b Bitboard) IsEmpty() bool { return b.lo|b.hi == 0 }

// Intersects reports whether the sets share a square.
func (b Bitboard) Intersects(o Bitboard) bool { return b.lo&o.lo|b.hi&o.hi != 0 }

// IsSubsetOf reports whether every square of b is in o.
func (b Bitboard) IsSubsetOf(o Bitboard) bool { return b.lo&^o.lo|b.hi&^o.hi == 0 }

// Len returns the number of squares in the set.
func (b Bitboard) Len() int { return bits.OnesCount64(b.lo) + bits.OnesCount64(b.hi) }

// HasMany reports whether the set has two squares or more.
func (b Bitboard) HasMany() bool {
	return b.lo&(b.lo-1) != 0 || b.hi&(b.hi-1) != 0 || (b.lo != 0 && b.hi != 0)
}

// First returns the lowest square of the set, which must not be empty.
func (b Bitboard) First() Square {
	if b.lo != 0 {
		return Square(bits.TrailingZeros64(b.lo))
	}
	return Square(loSquares + bits.TrailingZeros64(b.hi))
}

// Pop removes the lowest square of the set, which must not be empty, and returns it.
func (b *Bitboard) Pop() Square {
	if b.lo != 0 {
		sq := Square(bits.TrailingZeros64(b.lo))
		b.lo &= b.lo - 1
		return sq
	}
	sq := Square(loSquares + bits.TrailingZeros64(b.hi))
	b.hi &= b.hi - 1
	return sq
}

// All yields the squares in ascending order. It is for callers outside hot loops, where Pop is
// several times faster.
func (b Bitboard) All() iter.Seq[Square] {
	return func(yield func(Square) bool) {
		for !b.IsEmpty() {
			if !yield(b.Pop()) {
				return
			}
		}
	}
}

// towards returns the set moved one rank in c's forward direction. No square of b may be on c's far
// rank.
func (b Bitboard) towards(c Color) Bitboard {
	if c == Black {
		return Bitboard{b.lo >> 1, b.hi >> 1}
	}
	return Bitboard{b.lo << 1, b.hi << 1}
}

// String draws the set as nine lines, file 9 on the left, with "*" for a member.
func (b Bitboard) String() string {
	var s strings.Builder
	for r := RankA; r <= RankI; r++ {
		for f := int(File9); f >= 0; f-- {
			if b.Has(SquareAt(File(f), r)) {
				s.WriteByte('*')
			} else {
				s.WriteByte('.')
			}
		}
		s.WriteByte('\n')
	}
	return s.String()
}
