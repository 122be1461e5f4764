package shogi

// Evasions writes to buf, and returns, every legal move of a side that is in check: king moves,
// captures of the checker and interpositions. It returns none if the side to move is not in check.
func (p *Position) Evasions(buf *MoveBuffer, set MoveSet) []Move {
	us := p.side & 1
	king := p.king[us]
	if king == NoSquare {
		return buf[:0]
	}
	checkers, pinned := p.sight(king, us^1)
	if checkers.IsEmpty() {
		return buf[:0]
	}
	if us == Black {
		return buf[:evasions[blackSide, listing](p, buf, checkers, pinned, set)]
	}
	return buf[:evasions[whiteSide, listing](p, buf, checkers, pinned, set)]
}

// evasions serves a king in check by checkers; pinned may hold pieces of the other side too.
func evasions[C aSide, S aSink](p *Position, buf *MoveBuffer, checkers, pinned Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	king := p.king[us]
	n := kingMoves[C, S](p, buf, 0, king, p.byColor[us].Not())
	if checkers.HasMany() {
		return n
	}
	// A pinned piece cannot help: its line and the checker's meet only at the king.
	checker := checkers.First()
	line := Between(king, checker)
	movers := p.byColor[us].AndNot(pinned).Without(king)
	n = movesTo[C, S](p, buf, n, movers, checker, set)
	for b := line; !b.IsEmpty(); {
		n = movesTo[C, S](p, buf, n, movers, b.Pop(), set)
	}
	return drops[C, S](p, buf, n, line, true)
}

// CheckerCaptures writes to buf, and returns, those of Evasions that capture the first of checkers,
// in the order they have there. The side to move must be in check, and checkers and pinned be those
// of CheckersAndPinned.
func (s *SearchPosition) CheckerCaptures(
	buf *MoveBuffer, checkers, pinned Bitboard, set MoveSet,
) []Move {
	p := (*Position)(s)
	if p.side == Black {
		return buf[:checkerCaptures[blackSide](p, buf, checkers, pinned, set)]
	}
	return buf[:checkerCaptures[whiteSide](p, buf, checkers, pinned, set)]
}

func checkerCaptures[C aSide](
	p *Position, buf *MoveBuffer, checkers, pinned Bitboard, set MoveSet,
) int {
	var c C
	us := Color(len(c) - 1)
	king, checker := p.king[us], checkers.First()
	n := 0
	if Neighbours(king).Has(checker) && !p.IsAttacked(checker, us^1, p.Occupied().Without(king)) {
		n = emitOne[listing](buf, n, NewMove(king, checker))
	}
	if checkers.HasMany() {
		return n
	}
	movers := p.byColor[us].AndNot(pinned).Without(king)
	return movesTo[C, listing](p, buf, n, movers, checker, set)
}

// movesTo appends the moves onto one square of the pieces in movers other than the king. For a few
// squares it is cheaper to ask who gets there than where everybody can go.
func movesTo[C aSide, S aSink](p *Position, buf *MoveBuffer, n int, movers Bitboard, to Square, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	zone := promotionZone[us]
	for b := p.AttackersTo(to, us, p.Occupied()).And(movers); !b.IsEmpty(); {
		from := b.Pop()
		t := p.board[from&127].Type()
		if t.CanPromote() && (zone.Has(to) || zone.Has(from)) {
			n = emitOne[S](buf, n, NewPromotion(from, to))
			if mayStay(us, t, to, set) {
				n = emitOne[S](buf, n, NewMove(from, to))
			}
		} else {
			n = emitOne[S](buf, n, NewMove(from, to))
		}
	}
	return n
}

// mayStay reports whether set has the move of a piece of kind t onto to without the promotion that
// it could make.
func mayStay(us Color, t PieceType, to Square, set MoveSet) bool {
	promoting := bit(to) // else nobody asks
	return withoutPromotion(us, t, promoting, promoting, set).Has(to)
}

// HasEvasion reports whether the side to move, which must be in check, has a legal move. It stops
// at the first.
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

	checkers, pinned := p.sight(king, them)
	single := !checkers.HasMany()
	var free, line Bitboard
	if single {
		// The cheap answers first: a capture of the checker, a drop in between.
		if checkers.IsEmpty() {
			return false
		}
		checker := checkers.First()
		free = p.byColor[us].AndNot(pinned).Without(king)
		if p.AttackersTo(checker, us, occupied).Intersects(free) {
			return true
		}
		line = Between(king, checker)
		if !line.IsEmpty() && p.canDropOnto(us, line) {
			return true
		}
	}
	attacked := p.ForSearch().AttackedNear(king, them, occupied.Without(king))
	if !Neighbours(king).AndNot(p.byColor[us]).IsSubsetOf(attacked) {
		return true
	}
	for b := line; !b.IsEmpty(); {
		// Every piece but a pawn moves where it attacks, and so does a pawn: shogi has no separate
		// capture.
		if p.AttackersTo(b.Pop(), us, occupied).Intersects(free) {
			return true
		}
	}
	return false
}

// canDropOnto reports whether us, in check by one piece that no other of us may capture, may drop
// something on one of line, the empty squares between. It need not ask whether a pawn drop mates
// (打ち歩詰め): a pawn on x between the checker S and the king K, which checks the other king k,
//
//	.  .  .  .  w
//	K  .  x  S  .
//	.  .  k  .  .
//
// is attacked by S. To mate, S would have to be pinned to k by a slider w of us. But then w may
// capture S: it could only be pinned to K, and wherever S, k, x and K are, w and K share no line.
func (p *Position) canDropOnto(us Color, line Bitboard) bool {
	hand := p.hand[us&1]
	if hand.IsEmpty() {
		return false
	}
	if hand.HasUnconfined() {
		return true
	}
	if hand.Has(Lance) && !p.dropSquares(us, Lance, line).IsEmpty() ||
		hand.Has(Knight) && !p.dropSquares(us, Knight, line).IsEmpty() {
		return true
	}
	if !hand.Has(Pawn) {
		return false
	}
	return !p.dropSquares(us, Pawn, line).IsEmpty()
}

// IsCheckmate reports whether the side to move is in check and has no legal move.
func (p *Position) IsCheckmate() bool { return p.InCheck() && !p.HasEvasion() }
