package dfpn

import "github.com/tsumero/tsumero/shogi"

// Delayed moves: of moves so alike that one most likely fails as the other does, the second waits
// for the first. Nothing is left out: a node is solved against the side to move only after its last
// move was let in, since release lets one in with each that falls, and combine those that are held
// back. Until then the node looks easier than it is. The published descriptions of KomoringHeights
// and shtsume know such chains.
//
// The defender has to answer with every move sooner or later, so a drop of his waits until the one
// before it has failed completely. Drops that nobody supports most often lose at once and are many,
// so the first of them is held back until all other defences have failed.
//
// The attacker needs one move. The old masters liked to mate with a promotion declined, where the
// promotion itself fails, but only after a long search. So a move without promotion waits for its
// twin only while that looks easy; then both are searched, and count by maximum.

// twinPatience is the proof number of a promotion at which the same move without it need not wait
// any more.
const twinPatience = 6 * unit

// chain makes alike moves wait for each other: drops on one square, drops on any square that nobody
// supports, and a move without promotion for its twin with one.
func (s *searcher) chain(f *frame) {
	p := &s.p
	list := s.children[f.first : f.first+f.count]
	var tails [shogi.NumSquares + 1]int16 // index+1 of the last of each chain
	const unsupported = shogi.NumSquares
	unsupportedHead, waiting := noChild, 0
	occupied := p.Occupied()
	var checksBack shogi.CheckInfo
	king := p.King(attacker)
	if !f.attacks && king != shogi.NoSquare {
		checksBack = p.CheckInfo()
	}
	for i := range list {
		m := list[i].move
		if list[i].free {
			continue
		}
		tail := -1
		if m.IsDrop() {
			if f.attacks || king != shogi.NoSquare && p.GivesCheck(m, &checksBack) {
				continue
			}
			slot := int(m.To())
			if !p.IsAttacked(m.To(), defender, occupied) {
				slot = unsupported
			}
			tail = int(tails[slot]) - 1
			tails[slot] = int16(i + 1)
			if slot == unsupported && tail < 0 {
				unsupportedHead = int16(i)
			}
		} else if !m.IsPromotion() {
			kind := p.Piece(m.From()).Type()
			switch kind {
			case shogi.Pawn, shogi.Lance, shogi.Bishop, shogi.Rook:
			default:
				continue
			}
			for j := i - 1; j >= 0; j-- {
				if o := list[j].move; o.IsPromotion() && o.From() == m.From() && o.To() == m.To() {
					tail = j
					break
				}
			}
		}
		if tail >= 0 {
			list[tail].next = int16(i)
			list[i].active = false
			waiting++
		}
	}
	if unsupportedHead != noChild && waiting+1 < len(list) && !s.options.NoDropsLast {
		f.held = unsupportedHead
		list[f.held].active = false
	}
}

// release lets in what waited for the child at index, if that is solved against the side to move,
// or is the attacker's and has become hard to prove. Whoever was let in may be so already.
func (s *searcher) release(f *frame, index int) {
	for {
		ch := &s.children[index]
		if ch.next == noChild {
			return
		}
		failed, hard := ch.pn == 0, false
		if f.attacks {
			failed = ch.dn == 0
			hard = ch.pn >= twinPatience && !failed && !s.options.NoSoftTwins
		}
		if !failed && !hard {
			return
		}
		index = f.first + int(ch.next)
		ch.next = noChild
		next := &s.children[index]
		next.active = true
		if hard {
			ch.useMax, next.useMax = true, true
		}
		s.lookup(f, next, false)
	}
}

// admitHeld lets in the child that was held back until all others had failed.
func (s *searcher) admitHeld(f *frame) {
	index := f.first + int(f.held)
	f.held = noChild
	ch := &s.children[index]
	ch.active = true
	s.lookup(f, ch, false)
	s.release(f, index)
}
