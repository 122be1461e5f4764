package shogi

import (
	"strconv"
)

// A Hand is the pieces a side holds, packed so that counting, adding and comparing need no loop:
// one field per kind, each with a spare bit above it that stays clear.
//
//	bits  0-4  pawn   (0..18)     spare 5
//	bits  6-8  lance  (0..4)      spare 9
//	bits 10-12 knight (0..4)      spare 13
//	bits 14-16 silver (0..4)      spare 17
//	bits 18-19 bishop (0..2)      spare 20
//	bits 21-22 rook   (0..2)      spare 23
//	bits 24-26 gold   (0..4)      spare 27
//
// The zero Hand is empty. Two hands are equal exactly when their values are.
type Hand uint32

const handSpare Hand = 1<<5 | 1<<9 | 1<<13 | 1<<17 | 1<<20 | 1<<23 | 1<<27

var (
	handShift = [16]uint8{Pawn: 0, Lance: 6, Knight: 10, Silver: 14, Bishop: 18, Rook: 21, Gold: 24}
	handMask  = [16]Hand{Pawn: 31, Lance: 7, Knight: 7, Silver: 7, Bishop: 3, Rook: 3, Gold: 7}
)

// Count returns how many pieces of kind t, a base kind other than King, the hand holds.
func (h Hand) Count(t PieceType) int {
	return int(h >> (handShift[t&15] & 31) & handMask[t&15])
}

// Has reports whether the hand holds a piece of kind t.
func (h Hand) Has(t PieceType) bool { return h>>(handShift[t&15]&31)&handMask[t&15] != 0 }

// Kinds returns the kinds the hand holds, bit t for a PieceType t.
func (h Hand) Kinds() uint16 {
	// Adding the largest value to each field sets its spare bit unless the field is 0.
	spare := uint32(h+(1<<28-1-handSpare)) & uint32(handSpare)
	return uint16(spare>>4&(1<<Pawn) | spare>>7&(1<<Lance) | spare>>10&(1<<Knight) | spare>>13&(1<<Silver) |
		spare>>15&(1<<Bishop) | spare>>17&(1<<Rook) | spare>>20&(1<<Gold))
}

// IsEmpty reports whether nothing is held.
func (h Hand) IsEmpty() bool { return h == 0 }

// IsValid reports whether h is packed as described above, whatever the counts.
func (h Hand) IsValid() bool { return h>>28 == 0 && h&handSpare == 0 }

// Len returns how many pieces the hand holds.
func (h Hand) Len() int {
	n := 0
	for _, t := range handKinds {
		n += h.Count(t)
	}
	return n
}

// HasUnconfined reports whether the hand holds a piece that may be dropped on any empty square: a
// silver, bishop, rook or gold.
func (h Hand) HasUnconfined() bool { return h>>14 != 0 }

// Add returns the hand with n more pieces of kind t. The sum must not exceed FullSet[t].
func (h Hand) Add(t PieceType, n int) Hand { return h + Hand(n)<<(handShift[t&15]&31) }

// Remove returns the hand with n fewer pieces of kind t, of which it must hold at least n.
func (h Hand) Remove(t PieceType, n int) Hand { return h - Hand(n)<<(handShift[t&15]&31) }

// Covers reports whether h holds at least as many of every kind as other does (h is a superior
// hand, 優越).
func (h Hand) Covers(other Hand) bool { return ((h|handSpare)-other)&handSpare == handSpare }

// handKinds lists the kinds in the order SFEN writes them.
var handKinds = [7]PieceType{Rook, Bishop, Gold, Silver, Knight, Lance, Pawn}

// appendSFEN appends the hand in SFEN order, in the letters of colour c; nothing for an empty hand.
func (h Hand) appendSFEN(dst []byte, c Color) []byte {
	for _, t := range handKinds {
		n := h.Count(t)
		if n == 0 {
			continue
		}
		if n > 1 {
			dst = strconv.AppendInt(dst, int64(n), 10)
		}
		dst = append(dst, pieceLetters[t]|byte(c)<<5)
	}
	return dst
}

// String returns the hand in SFEN order and upper case, or "-" when it is empty.
func (h Hand) String() string {
	if h.IsEmpty() {
		return "-"
	}
	return string(h.appendSFEN(nil, Black))
}
