package threat

import "github.com/tsumero/tsumero/shogi"

// A number is a proof or disproof number: about how much work is needed at least.
type number = uint32

// infinity is the number of what cannot be done. Those of what may be done are less.
const infinity number = 1 << 30

// An answer to a question.
type answer uint8

const (
	open answer = iota
	yes
	no
)

// A node is a position of the tree, after its move. With the attacker to move it is proved by a
// mate, or by one of its children, which are his attacks. With the defender to move it is proved if
// there is a mate after a pass, or the attack checks, and if all children are proved, which are his
// replies.
type node struct {
	move     shogi.Move
	mate     answer // to the question about a mate: of the attacker to move, or after a pass
	asked    uint8  // how often that was asked in vain
	check    bool   // move is an attack that checks: nothing is asked about a pass, and mate is yes
	expanded bool   // the children are all there
	pn, dn   number // of the mate and the children together
	children []node
}

// solved returns whether n is proved or disproved.
func (n *node) solved() answer {
	switch {
	case n.pn == 0:
		return yes
	case n.dn == 0:
		return no
	}
	return open
}

// mateNumbers returns the numbers of the question about a mate, by what it costs to ask it again:
// the square root of that, for else an attack with two hard replies would be left for many whose
// replies look easy only as long as nobody asks.
func (n *node) mateNumbers() (pn, dn number) {
	switch n.mate {
	case yes:
		return 0, infinity
	case no:
		return infinity, 0
	}
	w := number(1) << (moreNodes * n.asked / 2)
	return w, w
}

// addUp gives n the numbers that its question and its children come to: for the side to move those
// of the best. A proof for the defender to move needs one of every child, and so their sum. For a
// disproof of some hundred attacks a sum would say more about their number than about the work, so
// the hardest counts and a part of how many are open. What is not expanded counts as guess.
func (n *node) addUp(attacking bool, guess number) {
	pn, dn := n.mateNumbers()
	if !n.expanded && attacking {
		pn, dn = min(pn, guess), max(dn, guess)
	}
	if !attacking {
		if n.mate == open {
			pn = min(pn*noThreatYet, infinity-1)
		}
		if !n.expanded {
			pn, dn = plus(pn, guess), min(dn, guess)
		}
	}
	unsolved := number(0)
	for i := range n.children {
		c := &n.children[i]
		if !attacking {
			pn, dn = plus(pn, c.pn), min(dn, c.dn)
			continue
		}
		pn, dn = min(pn, c.pn), max(dn, c.dn)
		if c.dn > 0 {
			unsolved++
		}
	}
	if attacking && dn > 0 {
		dn = plus(dn, unsolved/openShare)
	}
	switch {
	case pn == 0:
		dn = infinity
	case dn == 0:
		pn = infinity
	}
	n.pn, n.dn = pn, dn
}

// plus adds numbers. What may be done may be done however much work it is.
func plus(a, b number) number {
	if a == infinity || b == infinity {
		return infinity
	}
	return min(a+b, infinity-1)
}

// noThreatYet is how much harder a move counts of which it is open whether it is a threat at all.
const noThreatYet = 64

// openShare is the part of the open children that a number counts: one in so many.
const openShare = 8

// size returns how many nodes there are below n.
func (n *node) size() int {
	sum := len(n.children)
	for i := range n.children {
		sum += n.children[i].size()
	}
	return sum
}
