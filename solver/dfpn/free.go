package dfpn

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Free interpositions: a game whose lengths are no more than the conventional ones (package length),
// and which the search can play because it is a game like any other.
//
// A candidate is a drop of the defender between his king and S, the one piece that checks it. After
// a candidate the attacker may, besides all checks, take with S on its square, promoting or not, if
// that gives check. What he takes is set aside: nobody holds it any more. Neither the drop nor this
// capture counts as a ply. With V for the length of this game, N for a position in which the
// defender is in check, and M for one with the attacker to move:
//
//	V(M) = 1 + the least V(M after c) of all checks c
//	V(N) = the greatest of
//	    1 + V(N after r)                          for every reply r that is no candidate
//	    the less of 1 + V(N after p*X)
//	    and the least V(N after p*X and S takes)  for every candidate p*X
//
// # A lower bound
//
// V is no more than the conventional length L of policy F2, by induction over L and the pieces in
// play. For M: its checks are the same, and after each V is no more than L. For N: every reply that
// is no candidate lasts 1 + V <= 1 + L <= L(N). A candidate that is not futile counts by 1 + L(N
// after p*X) <= L(N), and V takes no more than 1 + V(N after p*X). If it is futile there is a
// capture after which L <= here, what the defender has nearer to his king, and here <= L(N); so V
// after the capture is no more than L(N), too. Nothing else counts in V(N).
//
// The same holds of F3 if every piece that takes on X with check takes for nothing, and of F1 if S
// does where the only replies are candidates, and only with V = 0 after the capture: F1 calls a drop
// futile only where here is 0, so that L after the capture is 0. A bound of F2 is none of F3, and V
// is no bound from above of anything: L may be greater, where a drop buys something but less than
// its two plies.
//
// A win in V is one in the game without it: the attacker takes, and has a piece more than the game
// gave him. So V and the rules have the same verdict without a limit.
//
// # Why the search may play it
//
//   - Besides what the game has, the attacker may take for nothing and hand the piece back: the
//     defender has more than with the piece set aside, so it mates no sooner. But it is one position
//     for drops of all kinds, so it is tried first, and setting aside waits for it (delay.go).
//   - A state is board, hands, what was set aside, and what may be taken for nothing. The squares
//     between S and the king were empty, so the board and the square of S tell the drop: the key of
//     a position after a candidate is salted with that square, and the keys after a capture with
//     what has been set aside, kinds and counts. Two positions with one key so have one sum of
//     hands, which is what the rules of proof and disproof hands (total) take from the board.
//   - More in the attacker's hand, and less in the defender's, never hurts the attacker. His checks
//     and captures stay, the replies become fewer, and which are candidates depends on the board.
//     F1's condition, that all replies are drops, does so too. The piece captured is in neither
//     hand, so what is needed before a capture is what is needed after it.
//   - A repetition fails: of all plans that mate within so many plies take one with the fewest moves,
//     captures for nothing counted. If it passed a position twice the plan of the second time would
//     do at the first, with no more plies, for plies left never grow between two positions that are
//     alike, and with fewer moves. There is no way round for nothing, because what is set aside
//     never comes back.
//   - A code of a path has what was taken for nothing: the same moves may lead to other ancestors.
//   - Lengths are matedFree greater, so that none is below 0: after the last candidates, which are
//     all taken for nothing, they are -1. The length of a child after a free capture is one greater
//     than that of its parent, or what was left before the drop. A disproof for so many plies then is
//     one for one less before it.
//   - First visits: a mate in one is a mate of V too, and a position without check has no capture
//     either. Whether there is a mate within three by the rules says nothing of V.
//   - Moves that wait, thresholds, numbers: they decide the order of work, here as elsewhere.

// matedFree is the length of a mated position where drops are free.
const matedFree = 2

// freeStep is the part of a path's code that tells a capture for nothing.
const freeStep = 0x6a09e667f3bcc909

// asideSalt is the part of a key that has what was set aside.
func asideSalt(aside shogi.Hand) uint64 {
	if aside == 0 {
		return 0
	}
	return mix(uint64(aside) | 1<<40)
}

// pendingSalt is the part of a key that tells that a drop may be taken for nothing, whose square and
// that of the slider lie on a line with the king.
func pendingSalt(slider shogi.Square) uint64 { return mix(uint64(slider) | 1<<41) }

// stepOf is what tells the step to the free child ch from one that is not free.
func stepOf(ch *child) uint64 {
	if ch.back {
		return freeStep >> 1
	}
	return freeStep
}

// setAside sets aside the piece dropped, which the attacker has just captured, or hands it back.
func (s *searcher) setAside(drop shogi.Move, back bool) {
	k := drop.Dropped()
	if back {
		s.p.SetAside(attacker, k)
		s.p.PutBack(defender, k)
		return
	}
	before := asideSalt(s.aside)
	s.aside = s.aside.Add(k, 1)
	s.p.SetAside(attacker, k)
	s.p.ForSearch().SaltKey(before ^ asideSalt(s.aside))
}

// putBack undoes setAside, but for the key, which Undo brings back.
func (s *searcher) putBack(drop shogi.Move, back bool) {
	k := drop.Dropped()
	if back {
		s.p.SetAside(defender, k)
		s.p.PutBack(attacker, k)
		return
	}
	s.aside = s.aside.Remove(k, 1)
	s.p.PutBack(attacker, k)
}

// gain is how many plies a child has more than others of its parent, before what is true of every
// child: a capture for nothing takes back the drop, and itself costs nothing.
func (ch *child) gain() int32 {
	if ch.free {
		return 2
	}
	return 0
}

// lenAfter returns how many plies are left after the move of a child of f.
func (s *searcher) lenAfter(f *frame, ch *child) int32 {
	switch {
	case !ch.free:
		return f.len - 1
	case s.free == solver.FreeIfFinal:
		return s.mated
	}
	return min(f.len+1, forever)
}

// failedBefore returns the length for which a check fails whose child has no mate within its length.
func (s *searcher) failedBefore(ch *child) int32 {
	switch {
	case !ch.free:
		return lengthen(ch.len)
	case ch.len >= forever || s.free == solver.FreeIfFinal:
		return forever
	}
	return ch.len - 1
}

// handBefore returns the attacker's hand before the move of ch that makes its solvedHand of it.
func (s *searcher) handBefore(ch *child) shogi.Hand {
	if ch.free {
		return ch.solvedHand
	}
	return handBefore(&s.p, ch.move, ch.solvedHand)
}

// isTooLong reports whether no mate can come of the moves of f in the few plies that are left.
func (s *searcher) isTooLong(f *frame, moves []shogi.Move) bool {
	switch {
	case s.mated == 0:
		return true
	case f.attacks:
		return f.drop == shogi.NoMove || f.len < s.mated-1
	case f.len < s.mated:
		return true
	}
	return hasMove(moves)
}

// hasMove reports whether not all moves are drops.
func hasMove(moves []shogi.Move) bool {
	for _, m := range moves {
		if !m.IsDrop() {
			return true
		}
	}
	return false
}

// addFree gives the candidates among the children of f their keys, and adds to those of a position
// after a candidate the captures for nothing.
func (s *searcher) addFree(f *frame) {
	if f.attacks {
		s.addCaptures(f)
		return
	}
	// Whatever is dropped stands in the line of the one piece that checks.
	drops, moves := 0, 0
	for i := range s.children[f.first:] {
		if s.children[f.first+i].move.IsDrop() {
			drops++
		} else {
			moves++
		}
	}
	if drops == 0 || moves > 0 && s.free == solver.FreeIfFinal {
		return
	}
	f.slider = s.p.Checkers().First()
	for i := range s.children[f.first:] {
		if ch := &s.children[f.first+i]; ch.move.IsDrop() {
			ch.key ^= pendingSalt(f.slider)
		}
	}
}

func (s *searcher) addCaptures(f *frame) {
	if f.drop == shogi.NoMove {
		return
	}
	salt := s.asideFrom(f)
	for i := range f.count {
		m := s.children[f.first+i].move
		if !s.takesFree(f, m) {
			continue
		}
		back := child{move: m, key: s.p.BoardKeyAfter(m), hand: f.hand, next: int16(len(s.children) - f.first + 1),
			active: true, free: true, back: true, eval: s.eval(m)}
		aside := back
		aside.key, aside.next, aside.active, aside.back = back.key^salt, noChild, false, false
		if s.options.NoDelay {
			back.next, aside.active = noChild, true
		}
		s.children = append(s.children, back, aside)
	}
	f.count = len(s.children) - f.first
}

// asideFrom is the part of the key by which two children of f differ, of which one has the piece that
// led to f set aside, and the other has it handed back.
func (s *searcher) asideFrom(f *frame) uint64 {
	return asideSalt(s.aside) ^ asideSalt(s.aside.Add(f.drop.Dropped(), 1))
}

// lookupTwin decides the free child ch of f if its twin does: with the piece handed back the defender
// has more.
func (s *searcher) lookupTwin(f *frame, ch *child, length, depth int32) (decided bool) {
	var r probed
	s.table.probe(ch.key^s.asideFrom(f), ch.hand, length, depth, &r)
	if ch.back && r.dn == 0 || !ch.back && r.pn == 0 {
		ch.value = r.value
		return true
	}
	return false
}

// failBack has the twin of the free child ch, which has failed, fail as well if it has more for the
// defender.
func (s *searcher) failBack(f *frame, ch *child) {
	for i := f.first; i < f.first+f.count; i++ {
		if twin := &s.children[i]; twin.back && !ch.back && twin.move == ch.move {
			twin.value = ch.value
		}
	}
}

// takesFree reports whether the check m takes for nothing what led to f.
func (s *searcher) takesFree(f *frame, m shogi.Move) bool {
	return !m.IsDrop() && m.To() == f.drop.To() && (s.free == solver.FreeByAny || m.From() == f.slider)
}

// takesWithMate decides the position behind ch, which is on the board and has the candidate of f
// that led to it, if the slider takes it with mate.
func (s *searcher) takesWithMate(f *frame, ch *child) bool {
	p, x := &s.p, ch.move.To()
	for _, m := range [...]shogi.Move{shogi.NewPromotion(f.slider, x), shogi.NewMove(f.slider, x)} {
		if !p.IsLegal(m) {
			continue
		}
		u := p.Do(m)
		p.SetAside(attacker, ch.move.Dropped())
		mated := p.InCheck() && !p.HasEvasion()
		if mated {
			ch.value = provedValue(proofOfDefence(p, 0), s.mated-1)
			s.table.storeProof(ch.key, ch.solvedHand, ch.len, 1)
		}
		p.PutBack(attacker, ch.move.Dropped())
		p.Undo(m, u)
		if mated {
			return true
		}
	}
	return false
}
