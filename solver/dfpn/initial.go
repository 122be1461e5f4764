package dfpn

import "github.com/tsumero/tsumero/shogi"

// What a position starts with when it becomes the child of a node: what is known about it, or the
// numbers of a new one.
//
// The numbers of new nodes (df-pn+, Nagai 2002) are guesses, and decide the order of work alone.
// The tests of a first visit decide the position. Mate in one: package mate1 finds no mate that is
// none, and without a legal check there is none. With fewer than five plies left, package mate3
// says whether there is a mate within three: it misses none. It looks at fewer positions than the
// search would, and stores none. To it each of the defender's drops counts, so it is not asked where
// they are free (free.go); that positions are marked as failures takes mates away and adds none.

// lookup fills ch with what is known about it, or with the numbers of a new node. visited says that
// ch had its first visit when f was expanded before.
func (s *searcher) lookup(f *frame, ch *child, visited bool) {
	depth, length := f.depth+1, s.lenAfter(f, ch)
	if f.attacks && length < s.mated { // of a capture for nothing something may be left
		ch.value = disprovedValue(ch.hand, length, noLoop)
		return
	}
	if top := s.repetition(ch.key, ch.hand); top != noLoop {
		ch.value = disprovedValue(ch.hand, forever, top)
		return
	}
	if len(s.marks) > 0 && !f.attacks && s.markFails(ch) {
		return
	}
	var r probed
	s.table.probe(ch.key, ch.hand, length, depth, &r)
	ch.amount = r.amount
	if r.isSolved() {
		ch.value = r.value
		return
	}
	if r.mayRepeat {
		pathKey := f.pathKey ^ stepKey(ch.move, f.depth)
		if ch.free {
			pathKey ^= stepOf(ch)
		}
		if v, ok := s.paths.get(pathKey, ch.key, ch.hand, length); ok {
			ch.value = v
			return
		}
	}
	if ch.free && s.lookupTwin(f, ch, length, depth) {
		return
	}
	ch.value.set(&r.value)
	if r.found {
		ch.old = r.minDepth < depth
		f.old = f.old || ch.old
		ch.from = s.table.parentOf(&r, state{f.key, f.hand})
		return
	}
	ch.fresh = true
	first := !f.attacks && !s.options.NoFirstVisit && !(visited && length >= firstVisitPlies)
	if first && s.firstVisit(f, ch, length) {
		return
	}
	pn, dn := unit, unit
	// Where drops are free, most searches are to show that there is no mate in time: the hints of what
	// may mate cost more than they save.
	if !s.options.NoHints && s.mated == 0 {
		pn, dn = s.initialNumbers(f, ch.move)
	}
	ch.pn, ch.dn = max(ch.pn, pn), max(ch.dn, dn)
}

// firstVisitPlies is how many plies must be left that a first visit has nothing to do with them.
const firstVisitPlies = 5

// firstVisit decides the new attacker's node behind ch if it has a mate in one or no check at all,
// or if there are so few plies left that package mate3 can rule a mate out.
func (s *searcher) firstVisit(f *frame, ch *child, length int32) (decided bool) {
	if !s.count() {
		return false
	}
	p := &s.p
	u := p.Do(ch.move)
	if s.mated > 0 && ch.move.IsDrop() && f.slider != shogi.NoSquare && s.takesWithMate(f, ch) {
		p.Undo(ch.move, u)
		return true
	}
	m := s.mate1.Find(p)
	switch {
	case m != shogi.NoMove && length > s.mated:
		v := p.Do(m)
		need := proofOfDefence(p, 0)
		p.Undo(m, v)
		ch.value = provedValue(handBefore(p, m, need), s.mated+1)
		if s.options.NoHands {
			ch.solvedHand = ch.hand
		}
		s.table.storeProof(ch.key, ch.solvedHand, s.mated+1, 1)
		decided = true
	case m == shogi.NoMove && !p.HasCheck():
		ch.value = disprovedValue(disproofOfAttack(p, total(p)), forever, noLoop)
		if s.options.NoHands {
			ch.solvedHand = ch.hand
		}
		s.table.storeDisproof(ch.key, ch.solvedHand, forever, 1)
		decided = true
	case length < firstVisitPlies && !s.options.NoMate3 && s.mated == 0 && (length < 3 || s.mateWithin3() == 0):
		// Few plies are left. The mate itself is left to the search, which finds its proof hand.
		ch.value = disprovedValue(ch.hand, length, noLoop)
		s.table.storeDisproof(ch.key, ch.hand, length, 1)
		decided = true
	}
	p.Undo(ch.move, u)
	return decided
}

// initialNumbers returns the numbers of the new node behind m.
func (s *searcher) initialNumbers(f *frame, m shogi.Move) (pn, dn uint32) {
	pn, dn = s.supportNumbers(f, m)
	if f.attacks && !s.options.NoFlights {
		pn += uint32(s.flightsAfter(f, m)) * unit / 4
	}
	return pn, dn
}

// flightsAfter returns how many flight squares the check m leaves the king, but for those that it
// opens.
func (s *searcher) flightsAfter(f *frame, m shogi.Move) int {
	p := &s.p
	king := p.King(defender)
	if !f.flightsKnown {
		attacked := p.ForSearch().AttackedNear(king, attacker, p.Occupied().Without(king))
		f.flights = shogi.Neighbours(king).AndNot(p.Pieces(defender)).AndNot(attacked)
		f.flightsKnown = true
	}
	occupied := p.Occupied().Without(king)
	if !m.IsDrop() {
		occupied = occupied.Without(m.From())
	}
	attacked := shogi.Attacks(attacker, kindAfter(p, m), m.To(), occupied)
	return f.flights.AndNot(attacked).Without(m.To()).Len()
}

// supportNumbers returns the numbers of the new node behind m: a move that is well supported is
// likely to succeed.
func (s *searcher) supportNumbers(f *frame, m shogi.Move) (pn, dn uint32) {
	if f.attacks {
		return s.checkNumbers(m)
	}
	p := &s.p
	switch {
	case p.Piece(m.To()) != shogi.NoPiece:
		return 2 * unit, unit
	case !m.IsDrop() && m.From() == p.King(defender):
		return unit, unit
	}
	attackers, defenders := s.support(m, attacker), s.support(m, defender)
	if m.IsDrop() {
		defenders++
	}
	if attackers < defenders {
		return 2 * unit, unit
	}
	return unit, 2 * unit
}

// checkNumbers is supportNumbers for a check.
func (s *searcher) checkNumbers(m shogi.Move) (pn, dn uint32) {
	defenders := s.support(m, defender)
	if defenders >= 2 {
		return 2 * unit, unit
	}
	attackers := s.support(m, attacker)
	if m.IsDrop() {
		attackers++
	}
	if attackers > defenders {
		return unit, 2 * unit
	}
	switch s.p.Piece(m.To()).Type().Base() {
	case shogi.Gold, shogi.Silver: // to be gained
		return unit, 2 * unit
	}
	return 2 * unit, unit
}

// support returns how many pieces of side c attack the square that m goes to.
func (s *searcher) support(m shogi.Move, c shogi.Color) int {
	return s.p.AttackersTo(m.To(), c, s.p.Occupied()).Len()
}
