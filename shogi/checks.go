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
		Lance:  rook.And(emptyAttacks[them][k&127][Lance]),
		Knight: stepAttacks(them, Knight, k),
		Silver: stepAttacks(them, Silver, k),
		Bishop: bishop, Rook: rook,
		Gold: gold, Tokin: gold, ProLance: gold, ProKnight: gold, ProSilver: gold,
		Horse: bishop.Or(near), Dragon: rook.Or(near),
	}
	ci.discoverer = p.SliderBlockers(k, us).And(p.byColor[us])
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
	them := us ^ 1
	if p.king[them] == NoSquare {
		return 0
	}
	var k kingLines
	k.fill(p, p.king[them], us)
	_, blockers := p.sight(k.king, us)
	k.discoverer = blockers.And(p.byColor[us])
	movers := p.byColor[us].AndNot(k.discoverer)
	discoverers := k.discoverer
	target := p.byColor[us].Not() // where pieces other than the king may go
	empty := p.Occupied().Not()   // where drops may go
	n := 0
	if king := p.king[us]; king != NoSquare {
		movers = movers.Without(king)
		if discoverers.Has(king) {
			discoverers = discoverers.Without(king)
			n = kingMoves[C, listing](p, buf, n, king, target.AndNot(rayThrough(k.king, king)))
		}
		checkers, pinned := p.sight(king, them)
		checkers = checkers.Or(p.stepAttackers(king, them))
		pinned = pinned.And(p.byColor[us])
		switch {
		case checkers.HasMany():
			return n
		case !checkers.IsEmpty():
			empty = between(king, checkers.First())
			target = empty.Or(checkers)
			discoverers = discoverers.AndNot(pinned)
		default:
			for b := pinned; !b.IsEmpty(); {
				from := b.Pop()
				n = pieceChecks[C](p, buf, n, &k, from, target.And(rayThrough(king, from)), set)
			}
			discoverers = discoverers.AndNot(pinned)
		}
		movers = movers.AndNot(pinned)
	}
	for b := discoverers; !b.IsEmpty(); {
		n = pieceChecks[C](p, buf, n, &k, b.Pop(), target, set)
	}
	n = directChecks[C](p, buf, n, &k, movers, target, set)
	return checkDrops[C](p, buf, n, &k, empty)
}

// kingLines is what the check generator knows about the king to be checked.
type kingLines struct {
	king         Square
	near         *[16]Bitboard // by kind: from where a piece would check the king on an empty board
	lance        Bitboard      // from where a lance, bishop, rook checks the king
	bishop, rook Bitboard
	discoverer   Bitboard // own pieces that alone stand between an own slider and the king
}

func (k *kingLines) fill(p *Position, king Square, us Color) {
	occupied := p.Occupied()
	k.king, k.near = king, &emptyAttacks[(us^1)&1][king&127]
	k.bishop, k.rook = bishopAttacks(king, occupied), rookAttacks(king, occupied)
	k.lance = k.rook.And(k.near[Lance])
}

// squares returns from where a piece of kind t checks the king.
func (k *kingLines) squares(t PieceType) Bitboard {
	switch t {
	case Lance:
		return k.lance
	case Bishop:
		return k.bishop
	case Rook:
		return k.rook
	case Horse:
		return k.bishop.Or(k.near[King])
	case Dragon:
		return k.rook.Or(k.near[King])
	}
	return k.near[t&15]
}

// directChecks appends the checks with the piece that moves onto squares of target, of the pieces in movers, which
// neither are kings nor uncover a check.
func directChecks[C aSide](p *Position, buf *MoveBuffer, n int, k *kingLines, movers, target Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	occupied := p.Occupied()
	zone := promotionZone[us]
	reach := &checkReach[us][k.king&127]
	gold := k.near[Gold].And(target) // where promoted pawns, lances, knights and silvers check, too

	if from := p.byType[Pawn].And(movers).And(reach[Pawn]); !from.IsEmpty() {
		behind := NewMove(1, 0)
		if us == White {
			behind = -behind
		}
		to := from.towards(us).And(target)
		n = emitPawns[listing](buf, n, behind, movePromotes, to.And(zone).And(gold))
		to = to.And(k.near[Pawn])
		if set == UsefulMoves {
			to = to.AndNot(zone)
		}
		n = emitPawns[listing](buf, n, behind, 0, to) // a pawn that looks at a king is not on its last rank
	}
	for from := p.byType[Lance].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := lanceAttacks(us, sq, occupied).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, to.And(zone).And(gold))
		to = to.And(k.lance)
		if set == UsefulMoves {
			to = to.AndNot(lastTwoRanks[us])
		}
		n = emit[listing](buf, n, NewMove(sq, 0), to)
	}
	for from := p.byType[Knight].And(movers).And(reach[Knight]); !from.IsEmpty(); {
		sq := from.Pop()
		to := stepAttacks(us, Knight, sq).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, to.And(zone).And(gold))
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(k.near[Knight]))
	}
	for from := p.byType[Silver].And(movers).And(reach[Silver]); !from.IsEmpty(); {
		sq := from.Pop()
		to := stepAttacks(us, Silver, sq).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(k.near[Silver]))
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, promotions(us, sq, to).And(gold))
	}
	for from := p.byType[goldMovers].And(movers).And(reach[Gold]); !from.IsEmpty(); {
		sq := from.Pop()
		n = emit[listing](buf, n, NewMove(sq, 0), stepAttacks(us, Gold, sq).And(gold))
	}
	for from := p.byType[Bishop].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := bishopAttacks(sq, occupied).And(target)
		n = majorChecks(buf, n, us, sq, to, k.bishop, k.near[King], set)
	}
	for from := p.byType[Rook].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := rookAttacks(sq, occupied).And(target)
		n = majorChecks(buf, n, us, sq, to, k.rook, k.near[King], set)
	}
	for from := p.byType[Horse].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := bishopAttacks(sq, occupied).Or(kingAttacks(sq)).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(k.bishop.Or(k.near[King])))
	}
	for from := p.byType[Dragon].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := rookAttacks(sq, occupied).Or(kingAttacks(sq)).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(k.rook.Or(k.near[King])))
	}
	return n
}

// majorChecks appends the checks of the bishop or rook on sq that can go to the squares of to: line is where one checks
// as it is, near where it checks promoted, too.
func majorChecks(buf *MoveBuffer, n int, us Color, sq Square, to, line, near Bitboard, set MoveSet) int {
	promoting := promotions(us, sq, to)
	n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, promoting.And(line.Or(near)))
	if set == UsefulMoves {
		to = to.AndNot(promoting)
	}
	return emit[listing](buf, n, NewMove(sq, 0), to.And(line))
}

// pieceChecks appends the direct and the discovered checks of the one piece on sq, not a king, onto squares of target.
func pieceChecks[C aSide](p *Position, buf *MoveBuffer, n int, k *kingLines, sq Square, target Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	t := p.board[sq&127].Type()
	to := Attacks(us, t, sq, p.Occupied()).And(target)
	if to.IsEmpty() {
		return n
	}
	var uncovering Bitboard // squares off the line: going there uncovers the slider behind
	if k.discoverer.Has(sq) {
		uncovering = to.AndNot(rayThrough(k.king, sq))
	}
	if t.CanPromote() {
		promoting := promotions(us, sq, to)
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, promoting.And(k.squares(t.Promoted()).Or(uncovering)))
		to = withoutPromotion(us, t, to, promoting, set)
	}
	return emit[listing](buf, n, NewMove(sq, 0), to.And(k.squares(t).Or(uncovering)))
}

// checkDrops appends the drops on squares of target, which must be empty, that give check.
func checkDrops[C aSide](p *Position, buf *MoveBuffer, n int, k *kingLines, target Bitboard) int {
	var c C
	us := Color(len(c) - 1)
	hand := p.hand[us]
	if hand.IsEmpty() {
		return n
	}
	if hand.Has(Pawn) {
		to := p.dropSquares(us, Pawn, target.And(k.near[Pawn]))
		if !to.IsEmpty() && !p.isPawnDropMate(us, to.First()) {
			n = emit[listing](buf, n, NewDrop(Pawn, 0), to)
		}
	}
	if hand.Has(Lance) { // a checking lance or knight looks at the king, so it does not stand on its last ranks
		n = emit[listing](buf, n, NewDrop(Lance, 0), target.And(k.lance))
	}
	if hand.Has(Knight) {
		n = emit[listing](buf, n, NewDrop(Knight, 0), target.And(k.near[Knight]))
	}
	for t := Silver; t <= Gold; t++ {
		if hand.Has(t) {
			n = emit[listing](buf, n, NewDrop(t, 0), target.And(k.squares(t)))
		}
	}
	return n
}
