package dfpn

import (
	"math/bits"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// expand lists the children of f and looks them up. It reports whether f is decided by its moves
// alone, and puts into r how.
func (s *searcher) expand(f *frame, r *result) (decided bool) {
	p := &s.p
	var moves []shogi.Move
	if f.attacks {
		moves = p.Checks(&s.moves, shogi.AllMoves)
		if len(moves) == 0 {
			fail := disproofOfAttack(p, total(p))
			*r = result{value: disprovedValue(fail, forever, noLoop)}
			return true
		}
	} else {
		moves = p.Evasions(&s.moves, shogi.AllMoves)
		if len(moves) == 0 {
			*r = result{value: provedValue(proofOfDefence(p, 0), s.mated)}
			return true
		}
	}
	if f.len <= s.mated && s.isTooLong(f, moves) {
		*r = result{value: disprovedValue(f.hand, f.len, noLoop)}
		return true
	}
	if s.shuffle != nil {
		s.shuffle(moves)
	}
	f.count = len(moves)
	s.children = slices.Grow(s.children, len(moves))[:f.first+len(moves)]
	for i, m := range moves {
		ch := &s.children[f.first+i]
		*ch = child{}
		ch.move, ch.key, ch.hand, ch.next, ch.active = m, p.BoardKeyAfter(m), f.hand, noChild, true
		if f.attacks {
			ch.hand = p.HandAfter(m)
		}
		// The defender's drops are many, and most of them wait.
		if f.attacks || !m.IsDrop() {
			s.table.prefetch(ch.key)
		}
	}
	if s.mated > 0 {
		s.addFree(f)
	}
	if !s.options.NoDelay {
		s.chain(f)
	}
	for i := f.first; i < f.first+f.count; i++ {
		ch := &s.children[i]
		if !f.attacks && ch.active && ch.move.IsDrop() {
			s.table.prefetch(ch.key)
		}
		ch.eval = s.eval(ch.move)
	}
	// What a first visit decides is stored. So a child that was there before and is not in the table
	// had its visit for nothing, unless the table has lost it, or the path counts.
	visited := !f.fresh && s.recall(f) && !s.table.partial && s.mated == 0
	for i := f.first; i < f.first+f.count; i++ {
		ch := &s.children[i]
		if !ch.active {
			continue
		}
		s.lookup(f, ch, visited)
		if !f.attacks && ch.dn == 0 && ch.len == forever && ch.loopDepth == noLoop {
			s.leaveOut(f, i+1) // no other answer could be better
			return false
		}
	}
	for i := f.first; i < f.first+f.count; i++ {
		if s.children[i].active {
			s.release(f, i)
		}
	}
	return false
}

// recall has those children of f count by maximum that did so before, and reports whether f was
// expanded before.
func (s *searcher) recall(f *frame) (known bool) {
	var own probed
	s.table.probe(f.key, f.hand, f.len, f.depth, &own)
	if !s.options.NoDCE {
		mask := uint64(s.table.maskOf(&own))
		for m := mask & (1<<min(f.count, 32) - 1); m != 0; m &= m - 1 {
			s.children[f.first+bits.TrailingZeros64(m)].useMax = true
		}
	}
	return own.found
}

// leaveOut has the children of f from the one at index on count for nothing.
func (s *searcher) leaveOut(f *frame, index int) {
	for i := index; i < f.first+f.count; i++ {
		s.children[i].active = false
	}
}
