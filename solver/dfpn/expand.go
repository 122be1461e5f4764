package dfpn

import (
	"math/bits"

	"github.com/tsumero/tsumero/shogi"
)

// expand lists the children of f and looks them up. It reports whether f is decided by its moves alone.
func (s *searcher) expand(f *frame) (done bool, r result) {
	p := &s.p
	var moves []shogi.Move
	if f.attacks {
		moves = p.Checks(&s.moves, shogi.AllMoves)
		if len(moves) == 0 {
			return true, result{pn: inf, dn: 0, hand: disproofOfAttack(p, total(p)), len: forever, loopTop: never}
		}
	} else {
		moves = p.Evasions(&s.moves, shogi.AllMoves)
		if len(moves) == 0 {
			return true, result{pn: 0, dn: inf, hand: proofOfDefence(p, 0), loopTop: never}
		}
	}
	if f.len <= 0 {
		return true, result{pn: inf, dn: 0, hand: f.hand, len: f.len, loopTop: never}
	}
	if s.shuffle != nil {
		s.shuffle(moves)
	}
	f.count = len(moves)
	for _, m := range moves {
		ch := child{move: m, key: p.BoardKeyAfter(m), hand: f.hand, next: -1, active: true, loopTop: never}
		if f.attacks {
			ch.hand = p.HandAfter(m)
		}
		ch.eval = s.eval(m)
		s.children = append(s.children, ch)
	}
	if !s.options.NoDelay {
		s.chain(f)
	}
	if !s.options.NoDCE {
		var own look
		s.table.look(f.key, f.hand, f.len, f.depth, &own)
		for m := own.mask; m != 0; m &= m - 1 {
			s.children[f.first+bits.TrailingZeros64(m)].useMax = true
		}
	}
	// Go cannot prefetch, but loads that nobody waits for overlap all the same.
	var touched uint64
	for i := f.first; i < f.first+f.count; i++ {
		if ch := &s.children[i]; ch.active {
			touched ^= s.table.entries[s.table.home(ch.key)].touch
		}
	}
	s.touched = touched
	for i := f.first; i < f.first+f.count; i++ {
		if s.children[i].active {
			s.lookup(f, &s.children[i])
		}
	}
	for i := f.first; i < f.first+f.count; i++ {
		if s.children[i].active {
			s.release(f, i)
		}
	}
	return false, result{}
}

// lookup fills ch with what is known about it, or with the numbers of a new node.
func (s *searcher) lookup(f *frame, ch *child) {
	depth, length := f.depth+1, f.len-1
	if top := s.repeats(ch.key, ch.hand); top != never {
		ch.pn, ch.dn, ch.solved, ch.len, ch.loopTop = inf, 0, ch.hand, forever, top
		return
	}
	var r look
	s.table.look(ch.key, ch.hand, length, depth, &r)
	ch.amount = r.amount
	if r.pn == 0 || r.dn == 0 {
		ch.pn, ch.dn, ch.solved, ch.len, ch.loopTop = r.pn, r.dn, r.hand, r.len, never
		return
	}
	if r.mayRepeat {
		pathKey := f.pathKey ^ stepKey(ch.move, f.depth)
		if top, n, ok := s.paths.get(pathKey, ch.key, ch.hand, length); ok {
			ch.pn, ch.dn, ch.solved, ch.len, ch.loopTop = inf, 0, ch.hand, n, top
			return
		}
	}
	ch.pn, ch.dn = r.pn, r.dn
	if r.found {
		ch.old = r.minDepth < depth
		if from := (state{r.parentKey, r.parentHand}); from.key != 0 && from != (state{f.key, f.hand}) {
			ch.from = from
		}
		return
	}
	ch.fresh = true
	if !f.attacks && !s.options.NoFirstVisit && s.firstVisit(f, ch, length) {
		return
	}
	pn, dn := unit, unit
	if !s.options.NoHints {
		pn, dn = s.hints(f, ch.move)
	}
	ch.pn, ch.dn = max(ch.pn, pn), max(ch.dn, dn)
}

// firstVisit decides the new attacker's node behind ch if it has no check or a mate in one.
func (s *searcher) firstVisit(f *frame, ch *child, length int32) bool {
	if !s.count() {
		return false
	}
	p := &s.p
	u := p.Do(ch.move)
	decided := false
	if m := s.mate1.Find(p); m != shogi.NoMove && length >= 1 {
		v := p.Do(m)
		need := proofOfDefence(p, 0)
		p.Undo(m, v)
		ch.pn, ch.dn, ch.solved, ch.len, ch.loopTop = 0, inf, proofBefore(p, m, need), 1, never
		if s.options.NoHands {
			ch.solved = ch.hand
		}
		s.table.proved(ch.key, ch.solved, 1, m, 1)
		decided = true
	} else if m == shogi.NoMove && len(p.Checks(&s.moves, shogi.UsefulMoves)) == 0 {
		ch.pn, ch.dn, ch.solved, ch.len, ch.loopTop = inf, 0, disproofOfAttack(p, total(p)), forever, never
		if s.options.NoHands {
			ch.solved = ch.hand
		}
		s.table.disproved(ch.key, ch.solved, forever, 1)
		decided = true
	}
	p.Undo(ch.move, u)
	return decided
}

// release lets the moves in that waited for the child at index, if it is settled against the side to move.
func (s *searcher) release(f *frame, index int) {
	for {
		ch := &s.children[index]
		if ch.next < 0 || f.attacks && ch.dn != 0 || !f.attacks && ch.pn != 0 {
			return
		}
		index = f.first + int(ch.next)
		ch.next = -1
		f.waiting--
		next := &s.children[index]
		next.active = true
		s.lookup(f, next)
	}
}

func (s *searcher) hasOld(f *frame) bool {
	for i := range s.children[f.first : f.first+f.count] {
		if ch := &s.children[f.first+i]; ch.old && ch.active {
			return true
		}
	}
	return false
}
