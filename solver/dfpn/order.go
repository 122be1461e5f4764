package dfpn

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
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
		if !m.IsDrop() && couldPromote(p.SideToMove(), m.From(), m.To()) {
			v = 1000 // a promotion declined: the kind would be another
		}
	}
	return v - pieceValue[kind&15] + 10*distance(m.To(), p.King(defender))
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

// inOrder returns the moves in an order that depends on nothing but the position: promotions, other
// moves, drops, and at last the moves that only decline to promote.
func inOrder(p *shogi.Position, moves []shogi.Move) []shogi.Move {
	class := func(m shogi.Move) int {
		switch {
		case m.IsPromotion():
			return 0
		case m.IsDrop():
			return 2
		case couldPromote(p.SideToMove(), m.From(), m.To()):
			switch p.Piece(m.From()).Type() {
			case shogi.Pawn, shogi.Lance, shogi.Bishop, shogi.Rook:
				return 3
			}
		}
		return 1
	}
	list := slices.Clone(moves)
	slices.SortFunc(list, func(a, b shogi.Move) int {
		return cmp.Or(class(a)-class(b), int(a)-int(b))
	})
	return list
}

// couldPromote reports whether a move of side c touches the promotion zone.
func couldPromote(c shogi.Color, from, to shogi.Square) bool {
	return shogi.InPromotionZone(c, from) || shogi.InPromotionZone(c, to)
}

func distance(a, b shogi.Square) int16 {
	f := int16(a.File()) - int16(b.File())
	r := int16(a.Rank()) - int16(b.Rank())
	return max(f, -f, r, -r)
}
