package shogi

// CheckInfo is what decides whether a move of the side to move gives check, computed once per
// position.
type CheckInfo struct {
	king                Square        // the king to be checked, NoSquare if there is none
	near                *[16]Bitboard // by kind: from where a piece would check the king on an empty board
	lance, bishop, rook Bitboard      // from where one checks the king
	direct              Bitboard      // from where a piece of some kind checks the king
	discoverer          Bitboard      // own pieces that alone stand between an own slider and the king
}

// CheckInfo returns the check information of p for the side to move.
func (p *Position) CheckInfo() CheckInfo {
	us := p.side & 1
	king := p.king[us^1]
	ci := CheckInfo{king: king, near: &emptyAttacks[us^1][king&127]}
	if king != NoSquare {
		occupied := p.Occupied()
		ci.bishop, ci.rook = BishopAttacks(king, occupied), RookAttacks(king, occupied)
		ci.lance = ci.rook.And(ci.near[Lance])
		ci.direct = ci.bishop.Or(ci.rook).Or(ci.near[King]).Or(ci.near[Knight])
		_, blockers := p.sight(king, us)
		ci.discoverer = blockers.And(p.byColor[us])
	}
	return ci
}

// squares returns from where a piece of kind t checks the king.
func (ci *CheckInfo) squares(t PieceType) Bitboard {
	switch t {
	case Lance:
		return ci.lance
	case Bishop:
		return ci.bishop
	case Rook:
		return ci.rook
	case Horse:
		return ci.bishop.Or(ci.near[King])
	case Dragon:
		return ci.rook.Or(ci.near[King])
	}
	return ci.near[t&15]
}

// GivesCheck reports whether the pseudo-legal move m gives check, directly or by discovery.
// ci must be the CheckInfo of p.
func (p *Position) GivesCheck(m Move, ci *CheckInfo) bool {
	to := m.To()
	if !ci.direct.Has(to) { // most moves
		return !m.IsDrop() && ci.discovers(m)
	}
	if m.IsDrop() {
		return ci.squares(m.Dropped()).Has(to)
	}
	t := p.board[m.From()&127].Type()
	if m.IsPromotion() {
		t = t.Promoted()
	}
	return ci.squares(t).Has(to) || ci.discovers(m)
}

// discovers reports whether m, which is no drop, opens the line of an own slider to the king.
func (ci *CheckInfo) discovers(m Move) bool {
	from := m.From()
	return ci.discoverer.Has(from) && !RayThrough(ci.king, from).Has(m.To())
}

// Checks writes to buf, and returns, every legal move that gives check, each once: direct checks,
// discovered checks, both at once, and drops. If the side to move is itself in check, its check is
// parried too.
func (p *Position) Checks(buf *MoveBuffer, set MoveSet) []Move {
	if p.side == Black {
		return buf[:checks[blackSide](p, buf, set)]
	}
	return buf[:checks[whiteSide](p, buf, set)]
}

// CountChecks returns how many moves Checks returns.
func (p *Position) CountChecks() int {
	var buf MoveBuffer
	return len(p.Checks(&buf, AllMoves))
}

// checkReach[c][k][kind] is, for a king of the colour opposite to c on k, every square from which a
// stepping piece of c may reach a square that checks, promoted or not. It thins out the pieces
// whose moves are looked at.
var checkReach [2][128][16]Bitboard

func init() {
	t := &checkReach
	for c := Black; c <= White; c++ {
		for k := range Square(NumSquares) {
			for _, kind := range []PieceType{Pawn, Knight, Silver, Gold} {
				checking := StepAttacks(c^1, kind, k)
				if kind != Gold {
					checking = checking.Or(StepAttacks(c^1, Gold, k)) // promoted
				}
				for b := checking; !b.IsEmpty(); {
					t[c][k][kind] = t[c][k][kind].Or(StepAttacks(c^1, kind, b.Pop()))
				}
			}
		}
	}
}

// CheckCandidates returns the pieces of c, king left out, that may check a king on sq with a move
// of their own: the steppers near enough and every slider.
func (s *SearchPosition) CheckCandidates(c Color, sq Square) Bitboard {
	p := (*Position)(s)
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
	ci := p.CheckInfo()
	movers := p.byColor[us].AndNot(ci.discoverer)
	discoverers := ci.discoverer
	target := p.byColor[us].Not() // where pieces other than the king may go
	empty := p.Occupied().Not()   // where drops may go
	n := 0
	if king := p.king[us]; king != NoSquare {
		movers = movers.Without(king)
		if discoverers.Has(king) {
			discoverers = discoverers.Without(king)
			n = kingMoves[C, listing](p, buf, n, king, target.AndNot(RayThrough(ci.king, king)))
		}
		checkers, pinned := p.sight(king, them)
		pinned = pinned.And(p.byColor[us])
		switch {
		case checkers.HasMany():
			return n
		case !checkers.IsEmpty():
			empty = Between(king, checkers.First())
			target = empty.Or(checkers)
			discoverers = discoverers.AndNot(pinned)
		default:
			for b := pinned; !b.IsEmpty(); {
				from := b.Pop()
				n = pieceChecks[C](p, buf, n, &ci, from, target.And(RayThrough(king, from)), set)
			}
			discoverers = discoverers.AndNot(pinned)
		}
		movers = movers.AndNot(pinned)
	}
	for b := discoverers; !b.IsEmpty(); {
		n = pieceChecks[C](p, buf, n, &ci, b.Pop(), target, set)
	}
	n = directChecks[C](p, buf, n, &ci, movers, target, set)
	return checkDrops[C](p, buf, n, &ci, empty)
}

// directChecks appends the checks with the piece that moves onto squares of target, of the pieces
// in movers, which neither are kings nor uncover a check.
func directChecks[C aSide](p *Position, buf *MoveBuffer, n int, ci *CheckInfo, movers, target Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	occupied := p.Occupied()
	zone := promotionZone[us]
	reach := &checkReach[us][ci.king&127]
	gold := ci.near[Gold].And(target) // where promoted pawns, lances, knights and silvers check, too

	if from := p.byType[Pawn].And(movers).And(reach[Pawn]); !from.IsEmpty() {
		behind := NewMove(1, 0)
		if us == White {
			behind = -behind
		}
		to := from.towards(us).And(target)
		n = emitPawns[listing](buf, n, behind, movePromotes, to.And(zone).And(gold))
		to = to.And(ci.near[Pawn])
		if set == UsefulMoves {
			to = to.AndNot(zone)
		}
		n = emitPawns[listing](buf, n, behind, 0, to) // a pawn that looks at a king is not on its last rank
	}
	for from := p.byType[Lance].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := LanceAttacks(us, sq, occupied).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, to.And(zone).And(gold))
		to = to.And(ci.lance)
		if set == UsefulMoves {
			to = to.AndNot(lastTwoRanks[us])
		}
		n = emit[listing](buf, n, NewMove(sq, 0), to)
	}
	for from := p.byType[Knight].And(movers).And(reach[Knight]); !from.IsEmpty(); {
		sq := from.Pop()
		to := StepAttacks(us, Knight, sq).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, to.And(zone).And(gold))
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(ci.near[Knight]))
	}
	for from := p.byType[Silver].And(movers).And(reach[Silver]); !from.IsEmpty(); {
		sq := from.Pop()
		to := StepAttacks(us, Silver, sq).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(ci.near[Silver]))
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, promotions(us, sq, to).And(gold))
	}
	for from := p.byType[goldMovers].And(movers).And(reach[Gold]); !from.IsEmpty(); {
		sq := from.Pop()
		n = emit[listing](buf, n, NewMove(sq, 0), StepAttacks(us, Gold, sq).And(gold))
	}
	for from := p.byType[Bishop].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := BishopAttacks(sq, occupied).And(target)
		n = majorChecks(buf, n, us, sq, to, ci.bishop, ci.near[King], set)
	}
	for from := p.byType[Rook].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := RookAttacks(sq, occupied).And(target)
		n = majorChecks(buf, n, us, sq, to, ci.rook, ci.near[King], set)
	}
	for from := p.byType[Horse].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := BishopAttacks(sq, occupied).Or(Neighbours(sq)).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(ci.bishop.Or(ci.near[King])))
	}
	for from := p.byType[Dragon].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := RookAttacks(sq, occupied).Or(Neighbours(sq)).And(target)
		n = emit[listing](buf, n, NewMove(sq, 0), to.And(ci.rook.Or(ci.near[King])))
	}
	return n
}

// majorChecks appends the checks of the bishop or rook on sq that can go to the squares of to: line
// is where one checks as it is, near where it checks promoted, too.
func majorChecks(buf *MoveBuffer, n int, us Color, sq Square, to, line, near Bitboard, set MoveSet) int {
	promoting := promotions(us, sq, to)
	n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, promoting.And(line.Or(near)))
	if set == UsefulMoves {
		to = to.AndNot(promoting)
	}
	return emit[listing](buf, n, NewMove(sq, 0), to.And(line))
}

// pieceChecks appends the direct and the discovered checks of the one piece on sq, not a king, onto
// squares of target.
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
		uncovering = to.AndNot(RayThrough(ci.king, sq))
	}
	if t.CanPromote() {
		promoting := promotions(us, sq, to)
		n = emit[listing](buf, n, NewMove(sq, 0)|movePromotes, promoting.And(ci.squares(t.Promoted()).Or(uncovering)))
		to = withoutPromotion(us, t, to, promoting, set)
	}
	return emit[listing](buf, n, NewMove(sq, 0), to.And(ci.squares(t).Or(uncovering)))
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
		to := p.dropSquares(us, Pawn, target.And(ci.near[Pawn]))
		if !to.IsEmpty() && !p.isPawnDropMate(us, to.First()) {
			n = emit[listing](buf, n, NewDrop(Pawn, 0), to)
		}
	}
	if hand.Has(Lance) { // a checking lance or knight looks at the king, so it does not stand on its last ranks
		n = emit[listing](buf, n, NewDrop(Lance, 0), target.And(ci.lance))
	}
	if hand.Has(Knight) {
		n = emit[listing](buf, n, NewDrop(Knight, 0), target.And(ci.near[Knight]))
	}
	for t := Silver; t <= Gold; t++ {
		if hand.Has(t) {
			n = emit[listing](buf, n, NewDrop(t, 0), target.And(ci.squares(t)))
		}
	}
	return n
}

// HasCheck reports whether the side to move has a legal move that gives check: whether Checks
// returns any, of either MoveSet. It stops at the first.
func (p *Position) HasCheck() bool {
	if p.side == Black {
		return hasCheck[blackSide](p)
	}
	return hasCheck[whiteSide](p)
}

// hasCheck need not ask about dead ends (行き所のない駒): a pawn, lance or knight that looks at the
// king is not on one, and one that uncovers a check there may promote.
func hasCheck[C aSide](p *Position) bool {
	var c C
	us := Color(len(c) - 1)
	them := us ^ 1
	if p.king[them] == NoSquare {
		return false
	}
	own := p.king[us]
	target := p.byColor[us].Not() // where pieces other than the king may go
	empty := p.Occupied().Not()   // where drops may go
	var checkers, pinned Bitboard
	if own != NoSquare {
		checkers, pinned = p.sight(own, them)
	}
	if checkers.IsEmpty() {
		// A slider that may be dropped with check may be dropped next to the king.
		near := &emptyAttacks[them][p.king[them]&127]
		ci := CheckInfo{near: near, lance: near[Pawn], bishop: near[Bishop].And(near[King]), rook: near[Rook].And(near[King])}
		if hasCheckDrop[C](p, &ci, empty) {
			return true
		}
	}
	ci := p.CheckInfo()
	if own != NoSquare && ci.discoverer.Has(own) {
		to := Neighbours(own).And(target).AndNot(RayThrough(ci.king, own))
		if !to.IsSubsetOf(p.ForSearch().AttackedNear(own, them, p.Occupied().Without(own))) {
			return true
		}
	}
	if checkers.HasMany() {
		return false
	}
	if !checkers.IsEmpty() {
		empty = Between(own, checkers.First())
		if hasCheckDrop[C](p, &ci, empty) {
			return true
		}
		target = empty.Or(checkers)
	}
	movers := p.ForSearch().CheckCandidates(us, ci.king).Or(ci.discoverer)
	if own != NoSquare {
		movers = movers.Without(own)
	}
	for !movers.IsEmpty() {
		from := movers.Pop()
		to := target
		if pinned.Has(from) {
			to = target.And(RayThrough(own, from)) // none while in check: see evasions
		}
		if canCheckWith[C](p, &ci, from, to) {
			return true
		}
	}
	return false
}

// canCheckWith reports whether the piece on sq, not a king, checks from one of the squares of
// target or by leaving for one.
func canCheckWith[C aSide](p *Position, ci *CheckInfo, sq Square, target Bitboard) bool {
	var c C
	us := Color(len(c) - 1)
	t := p.board[sq&127].Type()
	to := Attacks(us, t, sq, p.Occupied()).And(target)
	if to.IsEmpty() {
		return false
	}
	return to.Intersects(ci.squares(t)) ||
		t.CanPromote() && promotions(us, sq, to).Intersects(ci.squares(t.Promoted())) ||
		ci.discoverer.Has(sq) && !to.IsSubsetOf(RayThrough(ci.king, sq))
}

// hasCheckDrop reports whether a drop on one of the squares of target, which must be empty, gives
// check.
func hasCheckDrop[C aSide](p *Position, ci *CheckInfo, target Bitboard) bool {
	var c C
	us := Color(len(c) - 1)
	hand := p.hand[us]
	if hand.IsEmpty() {
		return false
	}
	if hand.Has(Gold) && target.Intersects(ci.near[Gold]) ||
		hand.Has(Silver) && target.Intersects(ci.near[Silver]) ||
		hand.Has(Rook) && target.Intersects(ci.rook) ||
		hand.Has(Bishop) && target.Intersects(ci.bishop) ||
		hand.Has(Knight) && target.Intersects(ci.near[Knight]) ||
		hand.Has(Lance) && target.Intersects(ci.lance) {
		return true
	}
	if !hand.Has(Pawn) {
		return false
	}
	to := p.dropSquares(us, Pawn, target.And(ci.near[Pawn]))
	return !to.IsEmpty() && !p.isPawnDropMate(us, to.First())
}
