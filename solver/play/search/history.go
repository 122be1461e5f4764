package search

import "github.com/tsumero/tsumero/shogi"

// histories tell which moves were good elsewhere in the tree. Values lie between -maxHistory and
// maxHistory.
type histories struct {
	// quiet is by whether the piece is dropped, the piece, and its destination.
	quiet [2][32][128]int16
	// capture is by the piece, its destination, and the kind it captures.
	capture [32][128][16]int16
	// reply is by the piece and destination of the move before, and those of the move.
	reply [pieceSquares][pieceSquares]int16
}

// pieceSquares is how many pairs of a piece and a square there are: 15 kinds, two colours.
const pieceSquares = 32 * shogi.NumSquares

const maxHistory = 16384

// pieceSquare returns the index of a piece on a square. 0, a piece that does not exist, stands for
// no move.
func pieceSquare(pc shogi.Piece, to shogi.Square) int {
	return int(pc&31)*shogi.NumSquares + int(to)
}

// bump moves *h towards bonus, the more the farther it is.
func bump(h *int16, bonus int) {
	v := int(*h)
	*h = int16(v + bonus - v*max(bonus, -bonus)/maxHistory)
}

// mover returns the piece that m, a move in p, puts on its destination, as it was before it
// promoted.
func mover(p *shogi.Position, m shogi.Move) shogi.Piece {
	if m.IsDrop() {
		return shogi.PieceOf(p.SideToMove(), m.Dropped())
	}
	return p.Piece(m.From())
}

func drops(m shogi.Move) int {
	if m.IsDrop() {
		return 1
	}
	return 0
}
