package solver

import (
	"cmp"

	"github.com/tsumero/tsumero/shogi"
)

// CompareMoves compares two moves in p that are equally good, by nothing but the position: promotions,
// other moves, drops, and at last moves that only decline to promote; then by square.
func CompareMoves(p *shogi.Position, a, b shogi.Move) int {
	return cmp.Or(moveClass(p, a)-moveClass(p, b), int(a)-int(b))
}

func moveClass(p *shogi.Position, m shogi.Move) int {
	switch {
	case m.IsPromotion():
		return 0
	case m.IsDrop():
		return 2
	}
	us := p.SideToMove()
	if shogi.InPromotionZone(us, m.From()) || shogi.InPromotionZone(us, m.To()) {
		switch p.Piece(m.From()).Type() {
		case shogi.Pawn, shogi.Lance, shogi.Bishop, shogi.Rook:
			return 3
		}
	}
	return 1
}
