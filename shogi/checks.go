package shogi

// CheckInfo is what decides whether a move gives check, computed once per position.
type CheckInfo struct {
	king       Square       // the king to be checked, NoSquare if there is none
	squares    [16]Bitboard // by PieceType: from where a piece of that kind checks the king
	discoverer Bitboard     // own pieces that alone stand between an own slider and the king
}

// CheckInfo returns the check information of p for the side to move.
func (p *Position) CheckInfo() CheckInfo {
	var ci CheckInfo
	p.fillCheckInfo(&ci)
	return ci
}

func (p *Position) fillCheckInfo(ci *CheckInfo) {
	us := p.side & 1
	them := us ^ 1
	k := p.king[them]
	ci.king = k
	if k == NoSquare {
		*ci = CheckInfo{king: NoSquare}
		return
	}
	occupied := p.Occupied()
	bishop, rook := bishopAttacks(k, occupied), rookAttacks(k, occupied)
	gold, near := stepAttacks(them, Gold, k), kingAttacks(k)
	ci.squares = [16]Bitboard{
		Pawn:   stepAttacks(them, Pawn, k),
		Lance:  rook.And(rays[forwardDir(them)][k&127]),
		Knight: stepAttacks(them, Knight, k),
		Silver: stepAttacks(them, Silver, k),
		Bishop: bishop, Rook: rook,
		Gold: gold, Tokin: gold, ProLance: gold, ProKnight: gold, ProSilver: gold,
		Horse: bishop.Or(near), Dragon: rook.Or(near),
	}
	ci.discoverer = p.sliderBlockers(k, us).And(p.byColor[us])
}

// GivesCheck reports whether the pseudo-legal move m gives check, directly or by discovery.
// ci must be the CheckInfo of p.
func (p *Position) GivesCheck(m Move, ci *CheckInfo) bool {
	to := m.To()
	if m.IsDrop() {
		return ci.squares[m.Dropped()&15].Has(to)
	}
	from := m.From()
	t := p.board[from&127].Type()
	if m.IsPromotion() {
		t = t.Promoted()
	}
	return ci.squares[t&15].Has(to) || ci.discoverer.Has(from) && !rayThrough(ci.king, from).Has(to)
}

// Checks writes to buf, and returns, every legal move that gives check, each once: direct checks, discovered
// checks, both at once, and drops. If the side to move is itself in check, its check is parried too.
func (p *Position) Checks(buf *MoveBuffer, set MoveSet) []Move {
	if p.side == Black {
		return buf[:checks[blackSide](p, buf, set)]
	}
	return buf[:checks[whiteSide](p, buf, set)]
}

// checkReach[c][k][kind] is, for a king of the colour opposite to c on k, every square from which a stepping piece
// of c may reach a square that checks, promoted or not. It thins out the pieces whose moves are looked at.
var checkReach = func() (t [2][128][16]Bitboard) {
	for c := Black; c <= White; c++ {
		for k := range Square(NumSquares) {
			for _, kind := range []PieceType{Pawn, Knight, Silver, Gold} {
				checking := stepAttacks(c^1, kind, k)
				if kind != Gold {
					checking = checking.Or(stepAttacks(c^1, Gold, k)) // promoted
				}
				for b := checking; !b.IsEmpty(); {
					t[c][k][kind] = t[c][k][kind].Or(stepAttacks(c^1, kind, b.Pop()))
				}
			}
		}
	}
	return t
}()

// CheckCandidates returns the pieces of c, king left out, that may check a king on sq with a move of their own:
// the steppers near enough and every slider.
func (p *Position) CheckCandidates(c Color, sq Square) Bitboard {
	reach := &checkReach[c&1][sq&127]
	return p.byType[Pawn].And(reach[Pawn]).
		Or(p.byType[Knight].And(reach[Knight])).
		Or(p.byType[Silver].And(reach[Silver])).
		Or(p.byType[goldMovers].And(reach[Gold])).
		Or(p.byType[Lance]).Or(p.byType[Bishop]).Or(p.byType[Rook]).Or(p.byType[Horse]).Or(p.byType[Dragon]).
		And(p.byColor[c&1])
}

func checks[C aSide](p *Position, buf *MoveBuffer, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	if p.king[us^1] == NoSquare {
		return 0
	}
	var ci CheckInfo
	p.fillCheckInfo(&ci)
	king := p.king[us]
	target := p.byColor[us].Not() // where pieces other than the king may go
	empty := p.Occupied().Not()   // where drops may go
	pinned := Bitboard{}
	if king != NoSquare {
		pinned = p.sliderBlockers(king, us^1).And(p.byColor[us])
		if checkers := p.AttackersTo(king, us^1, p.Occupied()); !checkers.IsEmpty() {
			n := kingChecks[C](p, buf, 0, &ci)
			if checkers.HasMany() {
				return n
			}
			line := between(king, checkers.First())
			n = checksOnto[C](p, buf, n, &ci, p.byColor[us].AndNot(pinned), line.Or(checkers), set)
			return checkDrops[C](p, buf, n, &ci, line)
		}
	}
	n := checksOnto[C](p, buf, 0, &ci, p.byColor[us].AndNot(pinned), target, set)
	for b := pinned; !b.IsEmpty(); {
		from := b.Pop()
		n = pieceChecks[C](p, buf, n, &ci, from, target.And(rayThrough(king, from)), set)
	}
	n = kingChecks[C](p, buf, n, &ci)
	return checkDrops[C](p, buf, n, &ci, empty)
}

// kingChecks appends the king moves that uncover a slider's check.
func kingChecks[C aSide](p *Position, buf *MoveBuffer, n int, ci *CheckInfo) int {
	var c C
	us := Color(len(c) - 1)
	king := p.king[us]
	if king == NoSquare || !ci.discoverer.Has(king) {
		return n
	}
	return kingMoves[C](p, buf, n, king, p.byColor[us].Or(rayThrough(ci.king, king)).Not())
}

// checksOnto appends the checking moves onto squares of target of the pieces in movers other than the king.
func checksOnto[C aSide](p *Position, buf *MoveBuffer, n int, ci *CheckInfo, movers, target Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	candidates := p.CheckCandidates(us, ci.king).Or(ci.discoverer).And(movers).AndNot(p.byType[King])
	for !candidates.IsEmpty() {
		n = pieceChecks[C](p, buf, n, ci, candidates.Pop(), target, set)
	}
	return n
}

// pieceChecks appends the checking moves of the piece on sq, not a king, onto squares of target.
func pieceChecks[C aSide](p *Position, buf *MoveBuffer, n int, ci *CheckInfo, sq Square, target Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	t := p.board[sq&127].Type()
	to := Attacks(us, t, sq, p.Occupied()).And(target)
	if to.IsEmpty() {
		return n
	}
	var uncovering Bitboard // squares off the line: going there uncovers the slider behind
	if ci.discoverer.Has(sq) {
		uncovering = to.AndNot(rayThrough(ci.king, sq))
	}
	if t.CanPromote() {
		promoting := to
		if !promotionZone[us].Has(sq) || t == Pawn || t == Lance || t == Knight {
			promoting = to.And(promotionZone[us])
		}
		n = emit(buf, n, NewMove(sq, 0)|movePromotes, promoting.And(ci.squares[t.Promoted()&15].Or(uncovering)))
		switch {
		case t == Knight:
			to = to.AndNot(lastTwoRanks[us])
		case t == Lance && set == UsefulMoves:
			to = to.AndNot(lastTwoRanks[us])
		case t == Lance || t == Pawn && set == AllMoves:
			to = to.AndNot(lastRank[us])
		case t != Silver && set == UsefulMoves:
			to = to.AndNot(promoting)
		}
	}
	return emit(buf, n, NewMove(sq, 0), to.And(ci.squares[t&15].Or(uncovering)))
}

// checkDrops appends the drops on squares of target, which must be empty, that give check.
func checkDrops[C aSide](p *Position, buf *MoveBuffer, n int, ci *CheckInfo, target Bitboard) int {
	var c C
	us := Color(len(c) - 1)
	hand := p.hand[us]
	if hand.IsEmpty() {
		return n
	}
	if hand.Has(Pawn) {
		to := p.pawnDropSquares(us, target.And(ci.squares[Pawn]))
		if !to.IsEmpty() && !p.isPawnDropMate(us, to.First()) {
			n = emit(buf, n, NewDrop(Pawn, 0), to)
		}
	}
	if hand.Has(Lance) { // a checking lance or knight looks at the king, so it does not stand on its last ranks
		n = emit(buf, n, NewDrop(Lance, 0), target.And(ci.squares[Lance]))
	}
	if hand.Has(Knight) {
		n = emit(buf, n, NewDrop(Knight, 0), target.And(ci.squares[Knight]))
	}
	for t := Silver; t <= Gold; t++ {
		if hand.Has(t) {
			n = emit(buf, n, NewDrop(t, 0), target.And(ci.squares[t&15]))
		}
	}
	return n
}
