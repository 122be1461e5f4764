package compose

import "github.com/tsumero/tsumero/shogi"

// A predecessor is a position with the attacker to move, and a check and a reply that lead from it
// to another one.
type predecessor struct {
	Position     shogi.Position
	Check, Reply shogi.Move
}

// A retraction is a move and the piece that it captured: what takes the move back.
type retraction struct {
	move     shogi.Move
	captured shogi.Piece
}

// appendRetractions appends what the last move before p may have been, as far as the piece that
// moved and the hands tell. Of each, before says whether there is such a position.
func appendRetractions(dst []retraction, p *shogi.Position) []retraction {
	them := p.SideToMove()
	us := them.Opponent()
	allowed := origins(p)
	for to := range p.Pieces(us).All() {
		kind := p.Piece(to).Type()
		from := allowed(to)
		dst = appendArrivals(dst, p, kind, to, from, shogi.NewMove)
		switch {
		case kind.IsPromoted():
			dst = appendArrivals(dst, p, kind.Base(), to, from, shogi.NewPromotion)
		case kind != shogi.King && from.Has(to):
			dst = append(dst, retraction{shogi.NewDrop(kind, to), shogi.NoPiece})
		}
	}
	return dst
}

// origins returns the squares from which the piece on a square may have come, as far as they depend
// on the checks in p alone; with the square itself if it may have been dropped. Before the last move
// the side to move was not in check, so that each checker arrived or stood behind what moved.
func origins(p *shogi.Position) func(to shogi.Square) shogi.Bitboard {
	king, checkers := p.King(p.SideToMove()), p.Checkers()
	empty := p.Occupied().Not()
	return func(to shogi.Square) shogi.Bitboard {
		from := empty.With(to)
		for c := range checkers.Without(to).All() {
			from = from.And(shogi.Between(king, c))
		}
		return from
	}
}

// appendArrivals appends the moves of a piece that was of that kind when it left one of the squares
// in from, without a capture and with each that the hand allows.
func appendArrivals(dst []retraction, p *shogi.Position, kind shogi.PieceType, to shogi.Square,
	from shogi.Bitboard, newMove func(from, to shogi.Square) shogi.Move) []retraction {
	them := p.SideToMove()
	us := them.Opponent()
	// A piece came from where one of the other colour on its square would go.
	from = from.Without(to).And(shogi.Attacks(them, kind, to, p.Occupied()))
	if zone := shogi.PromotionZone(us); newMove(to, to).IsPromotion() && !zone.Has(to) {
		from = from.And(zone)
	}
	for !from.IsEmpty() {
		m := newMove(from.Pop(), to)
		dst = append(dst, retraction{m, shogi.NoPiece})
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			if !p.Hand(us).Has(t) {
				continue
			}
			dst = append(dst, retraction{m, shogi.PieceOf(them, t)})
			if t.CanPromote() {
				dst = append(dst, retraction{m, shogi.PieceOf(them, t.Promoted())})
			}
		}
	}
	return dst
}

// before returns the position before the move, from which it leads to p. ok is false if there is
// none: if it had two pawns on a file, a piece that could never move or a king that could be taken,
// or if the move is illegal there.
func (r retraction) before(p *shogi.Position) (q shogi.Position, ok bool) {
	s := p.Setup()
	s.Side = s.Side.Opponent()
	s.Ply = max(s.Ply-1, 1)
	to := r.move.To()
	pc := s.Board[to]
	s.Board[to] = r.captured
	hand := &s.Hands[s.Side]
	if r.captured != shogi.NoPiece {
		*hand = hand.Remove(r.captured.Type().Base(), 1)
	}
	kind := pc.Type()
	if r.move.IsPromotion() {
		kind = kind.Base()
	}
	if r.move.IsDrop() {
		*hand = hand.Add(kind, 1)
	} else {
		s.Board[r.move.From()] = shogi.PieceOf(s.Side, kind)
	}
	q, err := s.Position()
	return q, err == nil && q.IsLegal(r.move)
}
