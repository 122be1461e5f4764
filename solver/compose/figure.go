package compose

import (
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
)

// A chance is how often something is chosen, in proportion.
type chance[T any] struct {
	of     T
	weight int
}

// choose returns one of the values, those of greater weight more often. The weights may not all be 0.
func choose[T any](rng *rand.Rand, chances []chance[T]) T {
	sum := 0
	for _, c := range chances {
		sum += c.weight
	}
	n := rng.IntN(sum)
	for _, c := range chances {
		if n -= c.weight; n < 0 {
			return c.of
		}
	}
	panic("unreachable")
}

// The pieces of a final figure: what composers mate with, and what stands beside a king. More of the
// attacker's pieces come into a problem later, as sacrifices.
var (
	attackers = []chance[shogi.PieceType]{{shogi.Gold, 10}, {shogi.Silver, 10}, {shogi.Pawn, 6}, {shogi.Knight, 8},
		{shogi.Lance, 4}, {shogi.Rook, 6}, {shogi.Bishop, 7}, {shogi.Horse, 7}, {shogi.Dragon, 7}, {shogi.Tokin, 5}}
	defenders = []chance[shogi.PieceType]{{shogi.Pawn, 8}, {shogi.Lance, 8}, {shogi.Knight, 8}, {shogi.Silver, 6},
		{shogi.Gold, 4}, {shogi.Bishop, 1}, {shogi.Rook, 1}, {shogi.Tokin, 1}}
	kingRanks = []chance[shogi.Rank]{{0, 10}, {1, 10}, {2, 5}, {3, 1}}
)

// finalFigure returns a random mated position: White has been mated, holds whatever is not on the
// board, and Black holds nothing. Without any one of its pieces it would be no mate.
func finalFigure(rng *rand.Rand) shogi.Position {
	for {
		if p, ok := randomPieces(rng).position(); ok && p.IsCheckmate() {
			return withoutIdle(rng, p)
		}
	}
}

// pieces are what stands on the board of a position with White to move.
type pieces [shogi.NumSquares]shogi.Piece

// position returns the position in which White holds all the rest.
func (f *pieces) position() (p shogi.Position, ok bool) {
	s := shogi.Setup{Board: *f, Side: shogi.White, Ply: 1}
	p, err := s.Position()
	if err != nil {
		return p, false
	}
	p.GiveMissing(shogi.White)
	return p, true
}

// randomPieces puts a king near the top edge, on the right as diagrams show it, and some pieces near
// him.
func randomPieces(rng *rand.Rand) *pieces {
	var f pieces
	king := shogi.SquareAt(shogi.File(rng.IntN(5)), choose(rng, kingRanks))
	f[king] = shogi.PieceOf(shogi.White, shogi.King)
	put := func(c shogi.Color, kinds []chance[shogi.PieceType], reach int) {
		sq, ok := shiftedBy(king, rng.IntN(2*reach+1)-reach, rng.IntN(2*reach+1)-reach)
		if ok && f[sq] == shogi.NoPiece {
			f[sq] = shogi.PieceOf(c, choose(rng, kinds))
		}
	}
	for range 3 + rng.IntN(2) {
		put(shogi.Black, attackers, 2+rng.IntN(3)/2)
	}
	for range rng.IntN(4) {
		put(shogi.White, defenders, 1)
	}
	return &f
}

// withoutIdle takes away the pieces of a mated position that have no part in the mate, in a random
// order.
func withoutIdle(rng *rand.Rand, p shogi.Position) shogi.Position {
	f := pieces(p.Setup().Board)
	for _, i := range rng.Perm(shogi.NumSquares) {
		pc := f[i]
		if pc == shogi.NoPiece || pc.Type() == shogi.King {
			continue
		}
		f[i] = shogi.NoPiece
		if q, ok := f.position(); ok && q.IsCheckmate() {
			p = q
		} else {
			f[i] = pc
		}
	}
	return p
}
