package shogi

// IsLegal reports whether m, which may be any value at all, is a legal move of p.
func (p *Position) IsLegal(m Move) bool {
	if !p.isPseudoLegal(m) {
		return false
	}
	us := p.side & 1
	king, to := p.king[us], m.To()
	occupied := p.Occupied()
	if m.IsDrop() {
		if king != NoSquare {
			if checkers := p.AttackersTo(king, us^1, occupied); !checkers.IsEmpty() &&
				(checkers.HasMany() || !Between(king, checkers.First()).Has(to)) {
				return false
			}
		}
		return m.Dropped() != Pawn || to != p.pawnCheckSquare(us) || !p.isPawnDropMate(us, to)
	}
	if king == NoSquare {
		return true
	}
	from := m.From()
	if from == king {
		return !p.IsAttacked(to, us^1, occupied.Without(king))
	}
	// The king must not be attacked on the board after the move by anything but the captured piece.
	return p.AttackersTo(king, us^1, occupied.Without(from).With(to)).Without(to).IsEmpty()
}

// isPseudoLegal reports whether m is one of PseudoLegalMoves(AllMoves).
func (p *Position) isPseudoLegal(m Move) bool {
	us := p.side & 1
	to := m.To()
	if !to.IsValid() {
		return false
	}
	if m.IsDrop() {
		t := m.Dropped()
		return m == NewDrop(t, to) && t != NoPieceType && t < King && p.hand[us].Has(t) && p.board[to] == NoPiece &&
			p.dropSquares(us, t, bit(to)).Has(to)
	}
	from := m.From()
	if !from.IsValid() || !p.byColor[us].Has(from) || p.byColor[us].Has(to) {
		return false
	}
	t := p.board[from].Type()
	if !Attacks(us, t, from, p.Occupied()).Has(to) {
		return false
	}
	if m.IsPromotion() {
		return t.CanPromote() && (promotionZone[us].Has(from) || promotionZone[us].Has(to))
	}
	return !IsDead(us, t, to)
}
