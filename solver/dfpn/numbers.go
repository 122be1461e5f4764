package dfpn

import "github.com/tsumero/tsumero/shogi"

// The numbers of the search, and the values that stand for "none" or "no limit".
//
// # Proof and disproof numbers
//
// pn is how many open leaves must at least be proved to prove a position, dn how many disproved to
// disprove it (Allis 1994). Both count in halves of a leaf, so that a preference can be smaller
// than a leaf. A position is open while both lie in 1..infinity-1, proved at (0, infinity) and
// disproved at (infinity, 0); there is nothing between. Sums are cut off at infinity-1: no open
// position may look solved.
//
// # Lengths and depths
//
// Lengths count plies from the position itself, depths plies from the root. Both are at most
// maxPath, but for the lengths that have no limit.
const (
	// unit is one open leaf.
	unit uint32 = 2
	// infinity is what can never be proved, or disproved: half the range of uint32, so that one
	// addition does not overflow.
	infinity uint32 = 1<<31 - 1
	// huge is where sums become maxima (combine.go). No position has 1024 moves, so a
	// sum of smaller numbers stays below infinity.
	huge uint32 = infinity >> 10

	// forever is the length of a search without a limit of length, and of a disproof that holds
	// for any length. Greater than every real length, and entry.mateIn must be able to hold less.
	forever int32 = 60_000
	// maxPath is the longest line looked at. Where a search comes to its end it stops, undecided.
	maxPath int32 = 20_000
	// noLoop is the loopDepth of a value that leans on no repetition: greater than every depth.
	noLoop int32 = 1 << 30
	// noFrame ends a list of frames (frame.sameSlot), and is the state of an empty slot.
	noFrame int32 = -1
)

// A value is what is known about a position: its numbers and, once it is solved, for which hands
// and lengths. Frames, children, probes of the table and results of a search all carry one.
type value struct {
	pn, dn uint32
	// solvedHand: the value holds for every hand of the attacker that covers it (proof hand, pn is
	// 0) or that it covers (disproof hand, dn is 0). Open: nothing.
	solvedHand shogi.Hand
	// len: there is a mate within so many plies (pn is 0), or none (dn is 0; forever: at all).
	// Open: nothing.
	len int32
	// loopDepth is the least depth of an ancestor whose repetition a disproof leans on, noLoop if
	// it leans on none (repeat.go). A proof leans on none. Open: nothing.
	loopDepth int32
}

// provedValue returns the value of a mate within length plies for every hand that covers hand.
func provedValue(hand shogi.Hand, length int32) value {
	return value{pn: 0, dn: infinity, solvedHand: hand, len: length, loopDepth: noLoop}
}

// disprovedValue returns the value of a position without a mate within length plies, for every hand
// that hand covers, as long as the ancestor at loopDepth is on the path.
func disprovedValue(hand shogi.Hand, length, loopDepth int32) value {
	return value{pn: infinity, dn: 0, solvedHand: hand, len: length, loopDepth: loopDepth}
}

// set is *v = *o, word by word. A wide load of words that were just written singly would wait until
// they, and all that was written before, have reached the cache.
func (v *value) set(o *value) {
	v.pn, v.dn = o.pn, o.dn
	v.solvedHand, v.len, v.loopDepth = o.solvedHand, o.len, o.loopDepth
}

func (v *value) isSolved() bool { return v.pn == 0 || v.dn == 0 }

// phiDelta returns the numbers as the side to move at the parent sees them: phi is what it wants at
// 0, delta what the other side wants at 0. With them one code serves both sides (Nagai 2002).
func (v *value) phiDelta(parentAttacks bool) (phi, delta uint32) {
	if parentAttacks {
		return v.pn, v.dn
	}
	return v.dn, v.pn
}

// clamp cuts n off at infinity.
func clamp(n uint64) uint32 { return uint32(min(n, uint64(infinity))) }

// clampOpen cuts n off at the greatest number of an open position.
func clampOpen(n uint64) uint32 { return uint32(min(n, uint64(infinity-1))) }

// lengthen adds a ply to a length within which there is no mate.
func lengthen(n int32) int32 {
	if n >= forever {
		return forever
	}
	return n + 1
}
