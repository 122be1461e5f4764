package length

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// The order of moves that are equally good. It depends on nothing but the position.

// PreferredChecks returns the attacker's checks, those first that a solution shows: promotions, drops
// and moves of sliders from near the king, and then in the order of solver.CompareMoves.
func PreferredChecks(p *shogi.Position) []shogi.Move {
	var buf shogi.MoveBuffer
	king := p.King(p.SideToMove().Opponent())
	far := func(m shogi.Move) int {
		if m.IsDrop() || p.Piece(m.From()).Type().IsSlider() {
			return m.To().Distance(king)
		}
		return 0
	}
	moves := slices.Clone(p.Checks(&buf, shogi.AllMoves))
	slices.SortFunc(moves, func(a, b shogi.Move) int {
		return cmp.Or(promotes(b)-promotes(a), far(a)-far(b), solver.CompareMoves(p, a, b))
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
		return 1 + 16*m.To().Distance(p.King(p.SideToMove())) + dropOrder[m.Dropped()&7]
	}
	return cmp.Or(drop(a)-drop(b), solver.CompareMoves(p, a, b))
}

// dropOrder is the order of interposed pieces: pawn, lance, knight, silver, gold, bishop, rook.
var dropOrder = [8]int{shogi.Pawn: 0, shogi.Lance: 1, shogi.Knight: 2, shogi.Silver: 3, shogi.Gold: 4,
	shogi.Bishop: 5, shogi.Rook: 6}

// CompareDropped compares two drops by the piece, in that order.
func CompareDropped(a, b shogi.Move) int {
	return dropOrder[a.Dropped()&7] - dropOrder[b.Dropped()&7]
}

func promotes(m shogi.Move) int {
	if m.IsPromotion() {
		return 1
	}
	return 0
}
