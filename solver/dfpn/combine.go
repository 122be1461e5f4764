package dfpn

import "github.com/tsumero/tsumero/shogi"

// From the children's numbers to the parent's, and from solved children to a solved parent.
//
// phi of a node is the least phi of its children, delta their sum (numbers.go, phiDelta). Three
// things soften the sum. Children known to lead to the same leaves count by maximum
// (doublecount.go), and so do all of them once one delta is huge. A child that waits for another
// does not count at all until its turn comes (delay.go). And on a long line other checks count for
// less (weakDepth). All make a node look easier than it is, which costs time and no more: an open
// child keeps both numbers above 0, so phi and delta of the parent reach 0 only when a child is
// solved in favour of the side to move, or every child, waiting ones included, against it.

// On a long line every check that is not on it adds to the dn of the root, which says little about
// how hard the line is to refute, and sends the search elsewhere before the line has come to its
// end. So from weakDepth on the checks of a node beside the one with the greatest dn count for less:
// weakSlope plies deeper for half, but each that is open for a leaf at least, as with weak proof
// numbers (Ueda et al. 2008). Replies are summed up at any depth.
const (
	weakDepth = 40
	weakSlope = 10
)

// combined is what the children of a node come to together.
type combined struct {
	pn, dn uint32
	best   int    // index in searcher.children of the child to search next
	second uint32 // phi of the next best child, infinity if there is none
	rest   uint32 // delta without the best child's part
}

func (c *combined) isSolved() bool { return c.pn == 0 || c.dn == 0 }

// combine computes the numbers of f from its active children. It lets in the child that is held
// back once all others have failed: without it the node is not solved.
func (s *searcher) combine(f *frame, c *combined) {
	s.combineActive(f, c)
	for c.pn == 0 && f.held != noChild {
		s.admitHeld(f)
		s.combineActive(f, c)
	}
}

func (s *searcher) combineActive(f *frame, c *combined) {
	var best selection
	s.selectBest(f, &best)
	sum := best.sum + uint64(best.most)
	greatest := uint64(best.greatest)
	rest, delta := sum, sum
	switch {
	case best.greatest >= huge && best.phi > 0:
		rest, delta = 0, greatest
	case f.attacks && f.depth >= weakDepth && !s.options.NoLongLines:
		others := (sum - greatest) * weakSlope / uint64(weakSlope+f.depth-weakDepth)
		rest = max(others, uint64(unit)*uint64(max(best.open-1, 0)))
		delta = greatest + rest
	case best.byMaximum:
		rest = best.sum
	default:
		rest -= uint64(best.delta)
	}
	d := clampOpen(delta)
	switch best.phi {
	case 0:
		d = infinity
	case infinity:
		d = 0
	}
	c.best, c.second, c.rest = f.first+best.index, best.second, clampOpen(rest)
	if f.attacks {
		c.pn, c.dn = best.phi, d
	} else {
		c.pn, c.dn = d, best.phi
	}
}

// A selection is the best child of a node, as the side to move sees it.
type selection struct {
	index      int    // among the children of the node; -1: none yet
	phi, delta uint32 // of the best child
	second     uint32 // least phi of the others
	byMaximum  bool   // the best child counts by maximum, not in the sum
	sum        uint64 // of the deltas that are added up, the best child's among them
	open       int    // how many of these are not 0
	most       uint32 // of those that count by maximum
	greatest   uint32 // of all deltas
}

// selectBest finds the active child with the least phi. Ties go to whoever isBetter prefers.
func (s *searcher) selectBest(f *frame, best *selection) {
	list := s.children[f.first : f.first+f.count]
	best.index, best.second = -1, infinity
	for i := range list {
		ch := &list[i]
		if !ch.active {
			continue
		}
		phi, delta := ch.phiDelta(f.attacks)
		if s.parallel && ch.amount >= sharedAmount && phi != 0 && phi < infinity {
			phi = s.threads.virtual(phi, ch)
		}
		if ch.useMax {
			best.most = max(best.most, delta)
		} else {
			best.sum += uint64(delta)
			best.open += int(min(delta, 1))
		}
		best.greatest = max(best.greatest, delta)
		switch {
		case best.index < 0:
			best.index, best.phi, best.delta = i, phi, delta
		case phi < best.phi,
			phi == best.phi && isBetter(f, ch, &list[best.index], phi, delta, best.delta):
			best.second = min(best.second, best.phi)
			best.index, best.phi, best.delta = i, phi, delta
		default:
			best.second = min(best.second, phi)
		}
	}
	best.byMaximum = list[best.index].useMax
}

// isBetter reports whether ch is to be searched before b, which has the same phi. Of children that
// decide the node the attacker prefers the shortest mate, and the defender the refutation that
// leans on the latest repetition, because it holds on most paths. Otherwise the child comes first
// that less work was spent on, and at last the one whose move looks better.
func isBetter(f *frame, ch, b *child, phi, delta, bestDelta uint32) bool {
	switch {
	case delta != bestDelta:
		return delta < bestDelta
	case phi == 0 && !f.attacks && ch.loopDepth != b.loopDepth:
		return ch.loopDepth > b.loopDepth
	case phi == 0 && f.attacks && ch.len-ch.gain() != b.len-b.gain():
		return ch.len-ch.gain() < b.len-b.gain()
	case ch.amount != b.amount:
		return ch.amount < b.amount
	}
	return ch.eval < b.eval
}

// conclude puts into r what f has come to, whose numbers are those of c.
func (s *searcher) conclude(f *frame, c *combined, r *result) {
	best := &s.children[c.best]
	switch {
	case !c.isSolved():
		r.pn, r.dn, r.solvedHand, r.len, r.loopDepth = c.pn, c.dn, 0, 0, noLoop
		r.best = best.move
	case f.attacks && c.pn == 0:
		hand := s.handBefore(best)
		*r = result{provedValue(hand, best.len+1-best.gain()), best.move}
	case f.attacks:
		*r = s.concludeNoCheckMates(f, best.move)
	case c.dn == 0:
		hand := disproofOfDefence(&s.p, best.move, best.solvedHand)
		*r = result{disprovedValue(hand, lengthen(best.len), best.loopDepth), best.move}
	default:
		*r = s.concludeNoDefenceHolds(f, best.move)
	}
}

// concludeNoCheckMates returns the disproof of an attacker's node, all of whose checks are refuted.
// It holds for the least of the lengths for which they are, and while all the ancestors they lean
// on are on the path.
func (s *searcher) concludeNoCheckMates(f *frame, best shogi.Move) result {
	list := s.children[f.first : f.first+f.count]
	fail, length, loopDepth := total(&s.p), forever, noLoop
	for i := range list {
		ch := &list[i]
		fail = minHand(fail, s.handBefore(ch))
		length = min(length, s.failedBefore(ch))
		loopDepth = min(loopDepth, ch.loopDepth)
	}
	return result{disprovedValue(disproofOfAttack(&s.p, fail), length, loopDepth), best}
}

// concludeNoDefenceHolds returns the proof of a defender's node, all of whose moves lose. The move
// of the result is the longest defence, as far as is known.
func (s *searcher) concludeNoDefenceHolds(f *frame, best shogi.Move) result {
	list := s.children[f.first : f.first+f.count]
	var need shogi.Hand
	var length int32
	for i := range list {
		ch := &list[i]
		need = maxHand(need, ch.solvedHand)
		if ch.len+1 > length {
			length, best = ch.len+1, ch.move
		}
	}
	return result{provedValue(proofOfDefence(&s.p, need), length), best}
}
