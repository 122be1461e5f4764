package shogi

// Captures writes to buf, and returns, the legal moves that capture, and those that promote a pawn:
// the moves that change what the pieces are worth. The side to move must not be in check; then every
// move that answers the check matters, and LegalMoves has them.
func (p *Position) Captures(buf *MoveBuffer, set MoveSet) []Move {
	if p.side == Black {
		return buf[:captures[blackSide](p, buf, set)]
	}
	return buf[:captures[whiteSide](p, buf, set)]
}

func captures[C aSide](p *Position, buf *MoveBuffer, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	king, enemies := p.king[us], p.byColor[us^1]
	movers, n := p.byColor[us], 0
	if king != NoSquare {
		_, blockers := p.sight(king, us^1)
		pinned := blockers.And(movers)
		movers = movers.AndNot(pinned)
		quiet := promotionZone[us].AndNot(p.Occupied())
		for !pinned.IsEmpty() {
			from := pinned.Pop()
			ray := RayThrough(king, from)
			n = pieceMoves[C, listing](p, buf, n, from, enemies.And(ray), set)
			if p.byType[Pawn].Has(from) {
				to := StepAttacks(us, Pawn, from).And(quiet).And(ray)
				n = emit[listing](buf, n, NewMove(from, 0)|movePromotes, to)
			}
		}
		n = kingMoves[C, listing](p, buf, n, king, enemies)
	}
	n = boardMoves[C, listing](p, buf, n, movers, enemies, set)
	behind := NewMove(1, 0)
	if us == White {
		behind = -behind
	}
	to := p.byType[Pawn].And(movers).towards(us).And(promotionZone[us]).AndNot(p.Occupied())
	return emitPawns[listing](buf, n, behind, movePromotes, to)
}

// DoNull lets the side to move pass, which the rules do not allow but a search may ask about. The
// side must not be in check.
func (s *SearchPosition) DoNull() {
	p := (*Position)(s)
	p.check()
	p.side ^= 1
	p.ply++
	p.boardKey ^= zobristWhite
	p.check()
}

// UndoNull takes DoNull back.
func (s *SearchPosition) UndoNull() {
	p := (*Position)(s)
	p.side ^= 1
	p.ply--
	p.boardKey ^= zobristWhite
	p.check()
}
