package shogi

// Quiets writes to buf, and returns, the legal moves that Captures leaves out. The side to move must
// not be in check.
func (s *SearchPosition) Quiets(buf *MoveBuffer, set MoveSet) []Move {
	p := (*Position)(s)
	if p.side == Black {
		return buf[:quiets[blackSide](p, buf, set)]
	}
	return buf[:quiets[whiteSide](p, buf, set)]
}

func quiets[C aSide](p *Position, buf *MoveBuffer, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	king, empty := p.king[us], p.Occupied().Not()
	movers, pawns, n := p.byColor[us], p.byType[Pawn].And(p.byColor[us]), 0
	// Where a pawn goes without promotion.
	pawnTarget := empty.AndNot(promotionZone[us])
	if set == AllMoves {
		pawnTarget = empty.AndNot(deadEnds[us][Pawn])
	}
	if king != NoSquare {
		_, blockers := p.sight(king, us^1)
		pinned := blockers.And(movers)
		movers, pawns = movers.AndNot(pinned), pawns.AndNot(pinned)
		for !pinned.IsEmpty() {
			from := pinned.Pop()
			ray := RayThrough(king, from)
			if p.byType[Pawn].Has(from) {
				to := StepAttacks(us, Pawn, from).And(pawnTarget).And(ray)
				n = emit[listing](buf, n, NewMove(from, 0), to)
				continue
			}
			n = pieceMoves[C, listing](p, buf, n, from, empty.And(ray), set)
		}
		n = kingMoves[C, listing](p, buf, n, king, empty)
	}
	n = boardMoves[C, listing](p, buf, n, movers.AndNot(p.byType[Pawn]), empty, set)
	behind := NewMove(1, 0)
	if us == White {
		behind = -behind
	}
	n = emitPawns[listing](buf, n, behind, 0, pawns.towards(us).And(pawnTarget))
	return drops[C, listing](p, buf, n, empty, true)
}
