package shogi

// Evasions writes to buf, and returns, every legal move of a side that is in check: king moves, captures of the
// checker and interpositions. It returns none if the side to move is not in check.
func (p *Position) Evasions(buf *MoveBuffer, set MoveSet) []Move {
	checkers := p.Checkers()
	if checkers.IsEmpty() {
		return buf[:0]
	}
	if p.side == Black {
		return buf[:evasions[blackSide](p, buf, checkers, set)]
	}
	return buf[:evasions[whiteSide](p, buf, checkers, set)]
}

func evasions[C aSide](p *Position, buf *MoveBuffer, checkers Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	king := p.king[us]
	n := kingMoves[C](p, buf, 0, king, p.byColor[us].Not())
	if checkers.HasMany() {
		return n
	}
	// A pinned piece cannot help: its line and the checker's meet only at the king.
	line := between(king, checkers.First())
	movers := p.byColor[us].AndNot(p.sliderBlockers(king, us^1)).Without(king)
	n = boardMoves[C](p, buf, n, movers, line.Or(checkers), set)
	return drops[C](p, buf, n, line, true)
}

// HasEvasion reports whether the side to move, which must be in check, has a legal move. It stops at the first.
func (p *Position) HasEvasion() bool {
	if p.side == Black {
		return hasEvasion[blackSide](p)
	}
	return hasEvasion[whiteSide](p)
}

func hasEvasion[C aSide](p *Position) bool {
	var c C
	us := Color(len(c) - 1)
	them := us ^ 1
	king := p.king[us]
	occupied := p.Occupied()

	checkers := p.AttackersTo(king, them, occupied)
	single := !checkers.HasMany()
	var free, line Bitboard
	if single {
		// The cheap answers first: a capture of the checker, a drop in between.
		if checkers.IsEmpty() {
			return false
		}
		checker := checkers.First()
		free = p.byColor[us].AndNot(p.sliderBlockers(king, them)).Without(king)
		if p.AttackersTo(checker, us, occupied).Intersects(free) {
			return true
		}
		line = between(king, checker)
		if !line.IsEmpty() && p.canDropOnto(us, line) {
			return true
		}
	}
	withoutKing := occupied.Without(king)
	for to := kingAttacks(king).AndNot(p.byColor[us]); !to.IsEmpty(); {
		if !p.IsAttacked(to.Pop(), them, withoutKing) {
			return true
		}
	}
	for b := line; !b.IsEmpty(); {
		// Every piece but a pawn moves where it attacks, and so does a pawn: shogi has no separate capture.
		if p.AttackersTo(b.Pop(), us, occupied).Intersects(free) {
			return true
		}
	}
	return false
}

// canDropOnto reports whether us, in check, may drop something on one of the empty squares of line.
func (p *Position) canDropOnto(us Color, line Bitboard) bool {
	hand := p.hand[us&1]
	if hand.IsEmpty() {
		return false
	}
	if hand>>handShift[Silver] != 0 { // silver, bishop, rook and gold may be dropped anywhere
		return true
	}
	if hand.Has(Lance) && !line.IsSubsetOf(lastRank[us&1]) || hand.Has(Knight) && !line.IsSubsetOf(lastTwoRanks[us&1]) {
		return true
	}
	if !hand.Has(Pawn) {
		return false
	}
	to := p.pawnDropSquares(us, line)
	if sq := p.pawnCheckSquare(us); to.Has(sq) && p.isPawnDropMate(us, sq) {
		to = to.Without(sq)
	}
	return !to.IsEmpty()
}

// IsCheckmate reports whether the side to move is in check and has no legal move.
func (p *Position) IsCheckmate() bool { return p.InCheck() && !p.HasEvasion() }
