package dfpn

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

var pieceValue = [16]int16{
	shogi.Pawn: 10, shogi.Lance: 20, shogi.Knight: 20, shogi.Silver: 30, shogi.Bishop: 50, shogi.Rook: 50, shogi.Gold: 50,
	shogi.King: 80, shogi.Tokin: 50, shogi.ProLance: 50, shogi.ProKnight: 50, shogi.ProSilver: 50, shogi.Horse: 80, shogi.Dragon: 80,
}

// eval orders moves whose numbers are equal, less is better: promotions of what gains by it, strong pieces, near the king.
func (s *searcher) eval(m shogi.Move) int16 {
	p := &s.p
	kind := m.Dropped()
	var v int16
	if !m.IsDrop() {
		kind = p.Piece(m.From()).Type()
		if m.IsPromotion() {
			kind = kind.Promoted()
		} else if (kind == shogi.Pawn || kind == shogi.Bishop || kind == shogi.Rook) &&
			(shogi.InPromotionZone(p.SideToMove(), m.From()) || shogi.InPromotionZone(p.SideToMove(), m.To())) {
			v = 1000
		}
	}
	return v - pieceValue[kind&15] + 10*distance(m.To(), p.King(defender))
}

// inOrder returns the moves in an order that depends on nothing but the position: promotions, other moves, drops, and at last
// the moves that only decline to promote.
func inOrder(p *shogi.Position, moves []shogi.Move) []shogi.Move {
	class := func(m shogi.Move) int {
		switch {
		case m.IsPromotion():
			return 0
		case m.IsDrop():
			return 2
		case shogi.InPromotionZone(p.SideToMove(), m.From()) || shogi.InPromotionZone(p.SideToMove(), m.To()):
			switch p.Piece(m.From()).Type() {
			case shogi.Pawn, shogi.Lance, shogi.Bishop, shogi.Rook:
				return 3
			}
		}
		return 1
	}
	list := slices.Clone(moves)
	slices.SortFunc(list, func(a, b shogi.Move) int { return cmp.Or(class(a)-class(b), int(a)-int(b)) })
	return list
}

func distance(a, b shogi.Square) int16 {
	f := int16(a.File()) - int16(b.File())
	r := int16(a.Rank()) - int16(b.Rank())
	return max(f, -f, r, -r)
}

// hints returns the numbers of the new node behind m, after the ideas of df-pn+.
func (s *searcher) hints(f *frame, m shogi.Move) (pn, dn uint32) {
	p := &s.p
	occupied := p.Occupied()
	a := p.AttackersTo(m.To(), attacker, occupied).Len()
	d := p.AttackersTo(m.To(), defender, occupied).Len()
	captured := p.Piece(m.To()).Type()
	pn, dn = unit, unit
	if f.attacks {
		if m.IsDrop() {
			a++
		}
		switch {
		case d >= 2:
			pn += unit
		case a > d:
			dn += unit
		case captured != shogi.NoPieceType && (captured.Base() == shogi.Gold || captured.Base() == shogi.Silver):
			dn += unit
		default:
			pn += unit
		}
		return pn, dn
	}
	if m.IsDrop() {
		d++
	}
	switch {
	case captured != shogi.NoPieceType:
		return 2 * unit, unit
	case !m.IsDrop() && m.From() == p.King(defender):
		return unit, unit
	case a < d:
		return 2 * unit, unit
	}
	return unit, 2 * unit
}

// chain makes alike moves wait for each other: drops on one square, drops on any square that nobody supports, and a move
// without promotion for its twin with one.
func (s *searcher) chain(f *frame) {
	p := &s.p
	list := s.children[f.first : f.first+f.count]
	var tails [shogi.NumSquares + 1]int16 // index+1 of the last of each chain
	occupied := p.Occupied()
	var checksBack shogi.CheckInfo
	king := p.King(attacker)
	if !f.attacks && king != shogi.NoSquare {
		checksBack = p.CheckInfo()
	}
	for i := range list {
		m := list[i].move
		tail := -1
		if m.IsDrop() {
			if f.attacks || king != shogi.NoSquare && p.GivesCheck(m, &checksBack) {
				continue
			}
			slot := int(m.To())
			if p.AttackersTo(m.To(), defender, occupied).IsEmpty() {
				slot = shogi.NumSquares
			}
			tail = int(tails[slot]) - 1
			tails[slot] = int16(i + 1)
		} else if !m.IsPromotion() {
			kind := p.Piece(m.From()).Type()
			if kind != shogi.Pawn && kind != shogi.Bishop && kind != shogi.Rook && kind != shogi.Lance {
				continue
			}
			for j := i - 1; j >= 0; j-- {
				if o := list[j].move; o.IsPromotion() && o.From() == m.From() && o.To() == m.To() {
					tail = j
					break
				}
			}
		}
		if tail >= 0 {
			list[tail].next = int16(i)
			list[i].active = false
			f.waiting++
		}
	}
}
