package dfpn

import "github.com/tsumero/tsumero/shogi"

// Delayed moves: of moves so alike that one most likely fails as the other does, the second waits
// until the first is solved against the side to move. Nothing is left out: a node is solved against
// the side to move only after its last move was let in, since release lets one in with each that
// falls. Until then the node looks easier than it is. The published descriptions of KomoringHeights
// and shtsume know such chains.

// chain makes alike moves wait for each other: drops on one square, drops on any square that nobody
// supports, and a move without promotion for its twin with one.
func (s *searcher) chain(f *frame) {
	p := &s.p
	list := s.children[f.first : f.first+f.count]
	var tails [shogi.NumSquares + 1]int16 // index+1 of the last of each chain
	occupied := p.Occupied()
	var checksBack shogi.CheckInfo
	king := p.King(attacker)
	if !f.attacks && king != shogi.NoSquare {
		checksBack = p.CheckInfo()
	}
	for i := range list {
		m := list[i].move
		tail := -1
		if m.IsDrop() {
			if f.attacks || king != shogi.NoSquare && p.GivesCheck(m, &checksBack) {
				continue
			}
			slot := int(m.To())
			if p.AttackersTo(m.To(), defender, occupied).IsEmpty() {
				slot = shogi.NumSquares
			}
			tail = int(tails[slot]) - 1
			tails[slot] = int16(i + 1)
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
		}
	}
}

// release lets in what waited for the child at index, if that is solved against the side to move.
// Whoever was let in may be solved so already.
func (s *searcher) release(f *frame, index int) {
	for {
		ch := &s.children[index]
		if ch.next == noChild || f.attacks && ch.dn != 0 || !f.attacks && ch.pn != 0 {
			return
		}
		index = f.first + int(ch.next)
		ch.next = noChild
		next := &s.children[index]
		next.active = true
		s.lookup(f, next)
	}
}
