package compose

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// ParseBox reads two corners of a rectangle, such as 5a-1e.
func ParseBox(text string) (box shogi.Bitboard, ok bool) {
	first, second, _ := strings.Cut(text, "-")
	a, err1 := shogi.ParseSquare(first)
	b, err2 := shogi.ParseSquare(second)
	if err1 != nil || err2 != nil {
		return box, false
	}
	for file := min(a.File(), b.File()); file <= max(a.File(), b.File()); file++ {
		for rank := min(a.Rank(), b.Rank()); rank <= max(a.Rank(), b.Rank()); rank++ {
			box = box.With(shogi.SquareAt(file, rank))
		}
	}
	return box, true
}

// ParsePiece reads a piece as in SFEN: R is a rook of Black's, r one of White's, +R a dragon.
func ParsePiece(text string) (shogi.Piece, bool) {
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		for _, c := range []shogi.Color{shogi.Black, shogi.White} {
			if pc := shogi.PieceOf(c, t); strings.TrimSpace(text) == pc.String() {
				return pc, true
			}
		}
	}
	return shogi.NoPiece, false
}
