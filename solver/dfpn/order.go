package dfpn

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

var pieceValue = [16]int16{
	shogi.Pawn: 10, shogi.Lance: 20, shogi.Knight: 20, shogi.Silver: 30,
	shogi.Bishop: 50, shogi.Rook: 50, shogi.Gold: 50, shogi.King: 80,
	shogi.Tokin: 50, shogi.ProLance: 50, shogi.ProKnight: 50, shogi.ProSilver: 50,
	shogi.Horse: 80, shogi.Dragon: 80,
}

// eval orders moves whose numbers are equal, less is better: promotions of what gains by it, strong
// pieces, near the king.
func (s *searcher) eval(m shogi.Move) int16 {
	p := &s.p
	kind := kindAfter(p, m)
	var v int16
	switch kind {
	case shogi.Pawn, shogi.Bishop, shogi.Rook:
		us := p.SideToMove()
		if !m.IsDrop() && (shogi.InPromotionZone(us, m.From()) || shogi.InPromotionZone(us, m.To())) {
			v = 1000 // a promotion declined: the kind would be another
		}
	}
	return v - pieceValue[kind&15] + 10*int16(m.To().Distance(p.King(defender)))
}

// kindAfter returns the kind of the piece that m moves or drops, as it stands after it.
func kindAfter(p *shogi.Position, m shogi.Move) shogi.PieceType {
	if m.IsDrop() {
		return m.Dropped()
	}
	kind := p.Piece(m.From()).Type()
	if m.IsPromotion() {
		kind = kind.Promoted()
	}
	return kind
}

// inOrder returns the moves in the order of solver.CompareMoves.
func inOrder(p *shogi.Position, moves []shogi.Move) []shogi.Move {
	list := slices.Clone(moves)
	slices.SortFunc(list, func(a, b shogi.Move) int { return solver.CompareMoves(p, a, b) })
	return list
}
