package dfpn

import (
	"math/bits"

	"github.com/tsumero/tsumero/shogi"
)

// expand lists the children of f and looks them up. It reports whether f is decided by its moves
// alone.
func (s *searcher) expand(f *frame) (done bool, r result) {
	p := &s.p
	var moves []shogi.Move
	if f.attacks {
		moves = p.Checks(&s.moves, shogi.AllMoves)
		if len(moves) == 0 {
			fail := disproofOfAttack(p, total(p))
			return true, result{value: disprovedValue(fail, forever, noLoop)}
		}
	} else {
		moves = p.Evasions(&s.moves, shogi.AllMoves)
		if len(moves) == 0 {
			return true, result{value: provedValue(proofOfDefence(p, 0), s.mated)}
		}
	}
	if f.len <= s.mated && s.isTooLong(f, moves) {
		return true, result{value: disprovedValue(f.hand, f.len, noLoop)}
	}
	if s.shuffle != nil {
		s.shuffle(moves)
	}
	f.count = len(moves)
	for _, m := range moves {
		ch := child{move: m, key: p.BoardKeyAfter(m), hand: f.hand, next: noChild, active: true}
		if f.attacks {
			ch.hand = p.HandAfter(m)
		}
		ch.eval = s.eval(m)
		s.children = append(s.children, ch)
	}
	if s.mated > 0 {
		s.addFree(f)
	}
	if !s.options.NoDelay {
		s.chain(f)
	}
	if !s.options.NoDCE {
		var own probed
		s.table.probe(f.key, f.hand, f.len, f.depth, &own)
		mask := uint64(s.table.maskOf(&own))
		for m := mask & (1<<min(f.count, 32) - 1); m != 0; m &= m - 1 {
			s.children[f.first+bits.TrailingZeros64(m)].useMax = true
		}
	}
	// Go cannot prefetch, but loads that nobody waits for overlap all the same.
	var touched uint64
	for i := f.first; i < f.first+f.count; i++ {
		if ch := &s.children[i]; ch.active {
			touched ^= s.table.touch(ch.key)
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
