package mate3

import "github.com/tsumero/tsumero/shogi"

// Interpositions (合い駒, 中合い) against a distant slider are most of the defences there are: up
// to seven squares by seven kinds. Those next to the king are tried one by one; this file saves
// most of the rest.
//
// Words: S is the slider, the only checker; k the king; X a far square, on the line between but not
// next to k; the zone is k's neighbours and the two squares from which a knight checks it. A far
// interposition takes S out of play but for its capture on X, and the piece on X is pinned to the
// line.
//
// A cut mate is a move m that mates on the cut board: the position before the interposition with
// the attacker to move and S an obstacle that attacks nothing. It lands on t in the zone, its piece
// is the only one that checks besides S, every neighbour of k is attacked without S or holds a
// defender, t itself is guarded, and every defender that attacks t is pinned by a slider other than
// S to a line that misses t. Its cross is every square inside a ray these facts rest on, and every
// square m passes over.
//
// Theorem A (transport). After the interposition r on X, the cut mate m still mates if
//
//	A1  X is not in cross(m);
//	A2  if t is the square next to k on the line, the piece on X does not attack it;
//	A3  if r moved from f, f other than t: f is no neighbour of k or is attacked, once empty, by a piece other than S;
//	    and no defender attacks t that did not before;
//	A4  the attacker's king, if any, is not attacked after r and m.
//
// For the guarded squares stay guarded (A1, and an emptied f only lengthens the attacker's rays,
// A3), t cannot be captured (A2, A3, the pins stand by A1), and nothing stands between a contact
// check and the king.
//
// Theorem B: without any cut mate, a drop on a far square leaves no contact mate unless it cuts a
// defender's ray. A drop on a square from which the defender can recapture then nearly always
// escapes, so it is tried first.

// A cutMate is a mate on the cut board and what its transport has to check.
type cutMate struct {
	move      shogi.Move
	kind      shogi.PieceType // the moved piece, after promotion
	cross     shogi.Bitboard
	attackers shogi.Bitboard // the defender's pieces that attack the destination, all of them pinned
}

const mostCutMates = 8 // more are rare and not needed: each is enough by itself

type cutMates struct {
	list [mostCutMates]cutMate
	n    int
}

// farSquares returns the squares of the checking line that are not next to the king, none unless
// the only checker is a slider. checkers must not be empty.
func farSquares(p *shogi.Position, king shogi.Square, checkers shogi.Bitboard) shogi.Bitboard {
	if checkers.HasMany() {
		return shogi.Bitboard{}
	}
	return shogi.Between(king, checkers.First()).AndNot(shogi.Neighbours(king))
}

// lostToFar reports whether every far interposition among replies is refuted.
func (s *Searcher) lostToFar(p *shogi.Position, replies []shogi.Move, king, checker shogi.Square, far shogi.Bitboard) bool {
	first := len(replies)
	for i, r := range replies {
		if far.Has(r.To()) && (r.IsDrop() || r.From() != king) {
			first = i
			break
		}
	}
	replies = replies[first:]
	if len(replies) == 0 {
		return true
	}

	s.cuts.n = 0
	if !s.options.NoDropOmission || !s.options.NoMoveOmission || !s.options.NoEscapeFirst {
		s.findCutMates(p, king, checker)
	}
	var tried shogi.Bitboard // far squares on which every drop was tried already
	if s.cuts.n == 0 && !s.options.NoEscapeFirst {
		them := p.SideToMove()
		for b := far; !b.IsEmpty(); {
			if sq := b.Pop(); !p.AttackersTo(sq, them, p.Occupied()).Without(king).IsEmpty() {
				tried = tried.With(sq)
			}
		}
		for _, r := range replies {
			if r.IsDrop() && tried.Has(r.To()) && s.escapes(p, r) {
				return false
			}
		}
	}
	for _, r := range replies {
		if !far.Has(r.To()) || !r.IsDrop() && r.From() == king || r.IsDrop() && tried.Has(r.To()) {
			continue
		}
		if s.refutedByCut(p, r, king, checker) {
			if s.omitted != nil {
				s.omitted(p, r)
			}
			continue
		}
		if s.escapes(p, r) {
			return false
		}
	}
	return true
}

// refutedByCut reports whether theorem A answers the far interposition r with one of the cut mates.
func (s *Searcher) refutedByCut(p *shogi.Position, r shogi.Move, king, checker shogi.Square) bool {
	if r.IsDrop() && s.options.NoDropOmission || !r.IsDrop() && s.options.NoMoveOmission {
		return false
	}
	for i := range s.cuts.list[:s.cuts.n] {
		if transports(p, &s.cuts.list[i], r, king, checker) {
			return true
		}
	}
	return false
}

// transports reports whether the conditions A1 to A4 hold for the cut mate c and the far
// interposition r.
func transports(p *shogi.Position, c *cutMate, r shogi.Move, king, checker shogi.Square) bool {
	them := p.SideToMove()
	us := them.Opponent()
	x, t := r.To(), c.move.To()
	if c.cross.Has(x) { // A1
		return false
	}
	kind := r.Dropped()
	if !r.IsDrop() {
		kind = p.Piece(r.From()).Type()
		if r.IsPromotion() {
			kind = kind.Promoted()
		}
	}
	// The board after r and m.
	occupied := p.Occupied().With(x).With(t)
	if !c.move.IsDrop() {
		occupied = occupied.Without(c.move.From())
	}
	if !r.IsDrop() && r.From() != t {
		occupied = occupied.Without(r.From())
	}
	if shogi.Between(king, checker).Has(t) && shogi.Attacks(them, kind, x, occupied).Has(t) { // A2
		return false
	}
	if !r.IsDrop() && r.From() != t { // A3
		f := r.From()
		if shogi.Neighbours(king).Has(f) {
			guards := p.AttackersTo(f, us, occupied.Without(king)).Without(checker)
			if !c.move.IsDrop() {
				guards = guards.Without(c.move.From())
			}
			if guards.IsEmpty() && !shogi.Attacks(us, c.kind, t, occupied.Without(king)).Has(f) {
				return false
			}
		}
		now := p.AttackersTo(t, them, occupied).Without(king).Without(f)
		if !now.IsSubsetOf(c.attackers) {
			return false
		}
	}
	own := p.King(us)
	if own == shogi.NoSquare {
		return true
	}
	attackers := p.AttackersTo(own, them, occupied).Without(t) // A4; what stood on t is captured
	if !r.IsDrop() {
		attackers = attackers.Without(r.From())
	}
	return attackers.IsEmpty() && !shogi.Attacks(them, kind, x, occupied).Has(own)
}

// findCutMates fills s.cuts with cut mates of p, in which the defender is to move and checked by
// checker alone. It may miss some: theorem A needs one, and theorem B only orders.
func (s *Searcher) findCutMates(p *shogi.Position, king, checker shogi.Square) {
	us := p.SideToMove().Opponent()
	n := newCutBoard(p, king, checker)
	occupied := p.Occupied()

	hand := p.Hand(us)
	for kind := shogi.Lance; kind <= shogi.Gold; kind++ {
		if !hand.Has(kind) {
			continue
		}
		for b := n.contact(kind).AndNot(occupied); !b.IsEmpty(); {
			s.tryCutMate(&n, shogi.NewDrop(kind, b.Pop()), kind)
		}
	}
	movers := p.Pieces(us).Without(checker).AndNot(n.uncovering)
	if own := p.King(us); own != shogi.NoSquare {
		movers = movers.Without(own)
	}
	for !movers.IsEmpty() {
		from := movers.Pop()
		kind := p.Piece(from).Type()
		to := shogi.Attacks(us, kind, from, occupied).And(n.zone).AndNot(p.Pieces(us))
		for !to.IsEmpty() {
			sq := to.Pop()
			if kind.CanPromote() && (shogi.InPromotionZone(us, from) || shogi.InPromotionZone(us, sq)) {
				if n.contact(kind.Promoted()).Has(sq) {
					s.tryCutMate(&n, shogi.NewPromotion(from, sq), kind.Promoted())
				}
			}
			// Unpromoted knights and silvers may check where promoted ones do not. A mate needs no
			// other.
			if (!kind.CanPromote() || kind == shogi.Knight || kind == shogi.Silver || kind == shogi.Lance ||
				!shogi.InPromotionZone(us, from) && !shogi.InPromotionZone(us, sq)) &&
				n.contact(kind).Has(sq) {
				s.tryCutMate(&n, shogi.NewMove(from, sq), kind)
			}
		}
	}
}

// A cutBoard is what all cut mates of a position share.
type cutBoard struct {
	p           *shogi.Position
	us          shogi.Color
	king        shogi.Square
	checker     shogi.Square
	neighbours  shogi.Bitboard
	zone        shogi.Bitboard
	once, twice shogi.Bitboard // neighbours attacked by at least one, two pieces other than the checker, king lifted
	sliders     shogi.Bitboard // squares attacked by sliders other than the checker
	uncovering  shogi.Bitboard // pieces whose move would uncover a check by another slider
}

func newCutBoard(p *shogi.Position, king, checker shogi.Square) cutBoard {
	them := p.SideToMove()
	us := them.Opponent()
	n := cutBoard{p: p, us: us, king: king, checker: checker, neighbours: shogi.Neighbours(king)}
	n.zone = n.neighbours.Or(shogi.StepAttacks(them, shogi.Knight, king))
	occupied := p.Occupied().Without(king)
	for b := p.SlidersOf(us).Without(checker); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.Attacks(us, p.Piece(sq).Type(), sq, occupied)
		n.sliders = n.sliders.Or(a)
		a = a.And(n.neighbours)
		n.twice = n.twice.Or(n.once.And(a))
		n.once = n.once.Or(a)
	}
	for b := p.SteppersNear(us, king); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.StepAttacks(us, p.Piece(sq).Type(), sq).And(n.neighbours)
		n.twice = n.twice.Or(n.once.And(a))
		n.once = n.once.Or(a)
	}
	n.uncovering = p.SliderBlockers(king, us).And(p.Pieces(us))
	return n
}

// contact returns the squares of the zone from which a piece of the given kind checks the king.
func (n *cutBoard) contact(kind shogi.PieceType) shogi.Bitboard {
	return shogi.Attacks(n.us.Opponent(), kind, n.king, n.neighbours).And(n.zone)
}

// tryCutMate adds m, a contact check by a piece of the given kind, to the cut mates if it is one.
func (s *Searcher) tryCutMate(n *cutBoard, m shogi.Move, kind shogi.PieceType) {
	if s.cuts.n == mostCutMates {
		return
	}
	p, us, t := n.p, n.us, m.To()
	them := us.Opponent()

	// First what costs nothing, as in package mate1.
	uncovers := !m.IsDrop() && n.sliders.Has(m.From())
	if n.neighbours.Has(t) && !uncovers {
		if m.IsDrop() && !n.once.Has(t) || !m.IsDrop() && !n.twice.Has(t) {
			return
		}
	}
	open := n.neighbours.AndNot(p.Pieces(them)).Without(t)
	if !uncovers && !open.AndNot(n.once).IsSubsetOf(shogi.Attacks(us, kind, t, p.Occupied().Without(n.king))) {
		return
	}

	occupied := p.Occupied().With(t)
	gone := shogi.BitboardOf(n.checker) // attackers that are out of play
	c := cutMate{move: m, kind: kind}
	if !m.IsDrop() {
		from := m.From()
		occupied = occupied.Without(from)
		gone = gone.With(from)
		c.cross = shogi.Between(from, t)
		if own := p.King(us); own != shogi.NoSquare &&
			!p.AttackersTo(own, them, occupied).Without(t).IsEmpty() {
			return
		}
	}
	withoutKing := occupied.Without(n.king)

	// Every neighbour is guarded, t itself by a second piece.
	reach := shogi.Attacks(us, kind, t, withoutKing)
	for b := open; !b.IsEmpty(); {
		e := b.Pop()
		guards := p.AttackersTo(e, us, withoutKing).AndNot(gone)
		if reach.Has(e) {
			guards = guards.With(t)
		}
		ray, ok := shortestRay(guards, e)
		if !ok {
			return
		}
		c.cross = c.cross.Or(ray)
	}
	if n.neighbours.Has(t) {
		ray, ok := shortestRay(p.AttackersTo(t, us, withoutKing).AndNot(gone), t)
		if !ok {
			return
		}
		c.cross = c.cross.Or(ray)
	}

	// Every defender that could capture on t is pinned to a line that misses t.
	c.attackers = p.AttackersTo(t, them, occupied).Without(n.king)
	for b := c.attackers; !b.IsEmpty(); {
		w := b.Pop()
		pin, ok := n.pinLine(w, occupied, gone)
		if !ok || shogi.RayThrough(n.king, w).Has(t) {
			return
		}
		c.cross = c.cross.Or(pin)
	}
	s.cuts.list[s.cuts.n] = c
	s.cuts.n++
}

// shortestRay returns the squares between sq and the nearest of its attackers; false if there is no
// attacker.
func shortestRay(attackers shogi.Bitboard, sq shogi.Square) (shogi.Bitboard, bool) {
	var best shogi.Bitboard
	length := -1
	for !attackers.IsEmpty() {
		ray := shogi.Between(attackers.Pop(), sq)
		if n := ray.Len(); length < 0 || n < length {
			best, length = ray, n
		}
	}
	return best, length >= 0
}

// pinLine returns the squares between the king and a slider, not among those gone, that pins the
// defender on w.
func (n *cutBoard) pinLine(w shogi.Square, occupied, gone shogi.Bitboard) (shogi.Bitboard, bool) {
	if !n.p.SliderBlockers(n.king, n.us).Has(w) {
		return shogi.Bitboard{}, false
	}
	behind := shogi.RayThrough(n.king, w)
	for b := n.p.SlidersOf(n.us).AndNot(gone).And(behind); !b.IsEmpty(); {
		q := b.Pop()
		line := shogi.Between(n.king, q)
		if line.And(occupied) == shogi.BitboardOf(w) &&
			shogi.Attacks(n.us, n.p.Piece(q).Type(), q, occupied.Without(w)).Has(n.king) {
			return line, true
		}
	}
	return shogi.Bitboard{}, false
}
