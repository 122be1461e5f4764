package length

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// The order of moves that are equally good. It depends on nothing but the position.

// PreferredChecks returns the attacker's checks, those first that a solution shows: promotions, drops
// and moves of sliders from near the king, and then in the order of inOrder.
func PreferredChecks(p *shogi.Position) []shogi.Move {
	var buf shogi.MoveBuffer
	king := p.King(p.SideToMove().Opponent())
	far := func(m shogi.Move) int {
		if m.IsDrop() || p.Piece(m.From()).Type().IsSlider() {
			return distance(m.To(), king)
		}
		return 0
	}
	moves := slices.Clone(p.Checks(&buf, shogi.AllMoves))
	slices.SortFunc(moves, func(a, b shogi.Move) int {
		return cmp.Or(promotes(b)-promotes(a), far(a)-far(b), inOrder(p, a, b))
	})
	return moves
}

// ComparePreferred compares two replies of the defender: moves before drops, drops near the king and of
// lesser pieces first.
func ComparePreferred(p *shogi.Position, a, b shogi.Move) int {
	drop := func(m shogi.Move) int {
		if !m.IsDrop() {
			return 0
		}
		return 1 + 16*distance(m.To(), p.King(p.SideToMove())) + dropOrder[m.Dropped()&7]
	}
	return cmp.Or(drop(a)-drop(b), inOrder(p, a, b))
}

// dropOrder is the order of interposed pieces: pawn, lance, knight, silver, gold, bishop, rook.
var dropOrder = [8]int{shogi.Pawn: 0, shogi.Lance: 1, shogi.Knight: 2, shogi.Silver: 3, shogi.Gold: 4,
	shogi.Bishop: 5, shogi.Rook: 6}

// CompareDropped compares two drops by the piece, in that order.
func CompareDropped(a, b shogi.Move) int {
	return dropOrder[a.Dropped()&7] - dropOrder[b.Dropped()&7]
}

// inOrder compares two moves: promotions, other moves, drops, and at last moves that only decline to
// promote; then by square.
func inOrder(p *shogi.Position, a, b shogi.Move) int {
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

func promotes(m shogi.Move) int {
	if m.IsPromotion() {
		return 1
	}
	return 0
}

func distance(a, b shogi.Square) int {
	f := int(a.File()) - int(b.File())
	r := int(a.Rank()) - int(b.Rank())
	return max(f, -f, r, -r)
}
