package theme

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Themes of the defender's moves.

// isInterposed reports whether move i of the line stands between the king and what checks it.
func (f *finder) isInterposed(i int) bool {
	p, m := &f.at[i], f.line[i]
	checkers, king := p.Checkers(), p.King(shogi.White)
	return checkers.Len() == 1 && (m.IsDrop() || m.From() != king) &&
		shogi.Between(king, checkers.First()).Has(m.To())
}

// eachInterposition is each for the defender's interpositions, none of which is futile.
func (f *finder) eachInterposition(has func(i int, m shogi.Move) bool) ([]int, bool) {
	if f.Raw {
		return nil, false
	}
	return f.each(shogi.White, func(i int, m shogi.Move) bool { return f.isInterposed(i) && has(i, m) })
}

func (f *finder) interposition() ([]int, bool) {
	return f.eachInterposition(func(_ int, m shogi.Move) bool { return m.IsDrop() })
}

func (f *finder) movedInterposition() ([]int, bool) {
	return f.eachInterposition(func(_ int, m shogi.Move) bool { return !m.IsDrop() })
}

func (f *finder) unsupportedInterposition() ([]int, bool) {
	return f.eachInterposition(func(i int, m shogi.Move) bool {
		next := &f.at[i+1]
		return !next.IsAttacked(m.To(), shogi.White, next.Occupied())
	})
}

func (f *finder) sacrificedInterposition() ([]int, bool) {
	return f.eachInterposition(func(i int, m shogi.Move) bool {
		return f.isTakenAt(i+1, m.To()) && !f.isTakenAt(i+2, m.To())
	})
}

func (f *finder) defenderNonpromotion() ([]int, bool) {
	return f.each(shogi.White, func(i int, m shogi.Move) bool {
		if !couldPromote(&f.at[i], m) {
			return false
		}
		switch f.at[i].Piece(m.From()).Type() {
		case shogi.Pawn, shogi.Lance, shogi.Bishop, shogi.Rook:
		default:
			return false // a silver or knight loses something by promoting
		}
		twin := shogi.NewPromotion(m.From(), m.To())
		if f.Attacker == shogi.White {
			twin = twin.Rotated()
		}
		return f.IsAsGood == nil || !f.IsAsGood(i+1, twin)
	})
}

func (f *finder) counterCheck() ([]int, bool) {
	return f.each(shogi.White, func(i int, _ shogi.Move) bool { return f.at[i+1].InCheck() })
}

func (f *finder) restrictedInterposition() ([]int, bool) {
	if f.Ask == nil || f.Raw {
		return nil, false
	}
	return f.each(shogi.Black, func(i int, _ shogi.Move) bool {
		p := &f.at[i+1]
		checkers := p.Checkers()
		if checkers.Len() != 1 {
			return false
		}
		between := shogi.Between(p.King(shogi.White), checkers.First())
		if between.IsEmpty() {
			return false
		}
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			if f.isSoldOut(p, t, between) {
				return true
			}
		}
		return f.isKeptByPawn(p, between)
	})
}

// isSoldOut reports whether the defender in p lacks a piece of a kind because the attacker has it in
// hand, and with it would escape by dropping it on one of the squares.
func (f *finder) isSoldOut(p *shogi.Position, t shogi.PieceType, between shogi.Bitboard) bool {
	if p.Hand(shogi.White).Has(t) || !p.Hand(shogi.Black).Has(t) || !f.diagram().Hand(shogi.White).Has(t) {
		return false
	}
	s := p.Setup()
	s.Hands[shogi.Black] = s.Hands[shogi.Black].Remove(t, 1)
	without := s
	s.Hands[shogi.White] = s.Hands[shogi.White].Add(t, 1)
	return f.escapesBy(s, without, t, between)
}

// isKeptByPawn reports whether the defender in p has a pawn but may not drop it for one on the file,
// which was not there in the diagram, and would escape by the drop if that one were gone.
func (f *finder) isKeptByPawn(p *shogi.Position, between shogi.Bitboard) bool {
	if !p.Hand(shogi.White).Has(shogi.Pawn) || between.Intersects(p.DropSquares(shogi.White, shogi.Pawn)) {
		return false
	}
	for pawn := range p.PiecesOf(shogi.White, shogi.Pawn).All() {
		isThere := func(q *shogi.Position) bool {
			for sq := range q.PiecesOf(shogi.White, shogi.Pawn).All() {
				if sq.File() == pawn.File() {
					return true
				}
			}
			return false
		}
		on := between
		for sq := range between.All() {
			if sq.File() != pawn.File() {
				on = on.Without(sq)
			}
		}
		if on.IsEmpty() || isThere(f.diagram()) {
			continue
		}
		s := p.Setup()
		s.Board[pawn] = shogi.NoPiece
		without := s
		without.Hands[shogi.White] = without.Hands[shogi.White].Remove(shogi.Pawn, s.Hands[shogi.White].Count(shogi.Pawn))
		if f.escapesBy(s, without, shogi.Pawn, on) {
			return true
		}
	}
	return false
}

// escapesBy reports whether a drop on one of the squares leaves no mate in the position of with,
// where the defender has such a piece to drop, and there is a mate in that of without.
func (f *finder) escapesBy(with, without shogi.Setup, t shogi.PieceType, squares shogi.Bitboard) bool {
	p, err := with.Position()
	if err != nil {
		return false
	}
	q, err := without.Position()
	if err != nil || f.ask(q, 0) != solver.Mate {
		return false
	}
	for sq := range squares.All() {
		if m := shogi.NewDrop(t, sq); p.IsLegal(m) && f.ask(p.After(m), 0) == solver.NoMate {
			return true
		}
	}
	return false
}
