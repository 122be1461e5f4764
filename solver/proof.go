package solver

import (
	"math"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// A Proof is the attacker's plan for a forced mate of one position: in each position in which he is
// to move one check, and after it the position that follows each legal defence. NewProof makes it
// and replays it by the plain rules, so that there is none that does not hold. It does not change.
//
// It is a graph: a position reached in several ways is one node. A node also stands for the same
// board with more in the attacker's hand, and so less in the defender's: what mated before mates
// then too, and the defender has no other defence. What he has to reply with may be less; see
// [Proof.Line].
type Proof struct {
	board    mailbox.Board // without a move number
	attacker shogi.Color
	nodes    []ProofNode
	first    []ProofReply
}

// A ProofNode is a position with the attacker to move.
type ProofNode struct {
	Move shogi.Move // the check he gives
	// Height is the length of the mate in plies, Move included: 1 if Move mates, and at least two
	// more than that of each node that follows. So no line of the plan is longer, and none is
	// endless.
	Height int32
	// Hand is the least that the attacker must hold. The node is the position in which he holds
	// just that, and the defender all else that is in hand.
	Hand    shogi.Hand
	Replies []ProofReply // one for each legal move of the defender after Move, no move twice
}

// A ProofReply is a move of the defender and the index of the node that follows it.
type ProofReply struct {
	Move shogi.Move
	Node int32
}

// Len returns the number of nodes. Node returns one of them, and First the replies that lead to the
// first ones: with the attacker to move a single one without a move (shogi.NoMove), with the
// defender to move one for each of his legal moves, none if he is mated. The slices are shared: do
// not change them.
func (f *Proof) Len() int { return len(f.nodes) }

// Node returns a node; see Len.
func (f *Proof) Node(i int32) ProofNode { return f.nodes[i] }

// First returns the first replies; see Len.
func (f *Proof) First() []ProofReply { return f.first }

// Plies returns how long the mate takes at most, in plies: 0 if the defender is mated already.
func (f *Proof) Plies() int {
	plies := 0
	for _, r := range f.first {
		n := int(f.nodes[r.Node].Height)
		if r.Move != shogi.NoMove {
			n++
		}
		plies = max(plies, n)
	}
	return plies
}

// Bytes returns about how much memory the proof takes.
func (f *Proof) Bytes() int {
	const node, reply, rest = 40, 8, 256
	n := len(f.nodes)*node + len(f.first)*reply + rest
	for i := range f.nodes {
		n += len(f.nodes[i].Replies) * reply
	}
	return n
}

// Walk calls visit with every node that can be reached from p, the position of the proof, once
// each: its index, the moves that lead to it on the first way there, and the node's position. The
// nodes that follow are visited if visit returns true. The moves and the position are valid only
// during the call.
func (f *Proof) Walk(p shogi.Position,
	visit func(node int32, moves []shogi.Move, p *shogi.Position) bool) {
	w := proofWalk{proof: f, visit: visit, seen: make([]bool, len(f.nodes))}
	w.replies(&p, f.first)
}

type proofWalk struct {
	proof *Proof
	visit func(int32, []shogi.Move, *shogi.Position) bool
	seen  []bool
	moves []shogi.Move
}

func (w *proofWalk) replies(p *shogi.Position, replies []ProofReply) {
	for _, r := range replies {
		if w.seen[r.Node] {
			continue
		}
		w.seen[r.Node] = true
		n := &w.proof.nodes[r.Node]
		length, at := len(w.moves), *p
		if r.Move != shogi.NoMove {
			at.Do(r.Move)
			w.moves = append(w.moves, r.Move)
		}
		at.GiveAway(at.SideToMove(), n.Hand)
		if w.visit(r.Node, w.moves, &at) {
			at.Do(n.Move)
			w.moves = append(w.moves, n.Move)
			w.replies(&at, n.Replies)
		}
		w.moves = w.moves[:length]
	}
}

// Line returns a line of the proof of p in which the defender holds out long: at each defence he
// chooses the legal reply with the highest node, the first of several. It may be shorter
// than Plies, for a height is a bound where the attacker holds more than the node needs.
func (f *Proof) Line(p shogi.Position) []shogi.Move {
	var line []shogi.Move
	for replies := f.first; ; {
		best, height := -1, int32(math.MinInt32)
		for i, r := range replies {
			if n := f.nodes[r.Node].Height; n > height &&
				(r.Move == shogi.NoMove || p.IsLegal(r.Move)) {
				best, height = i, n
			}
		}
		if best < 0 {
			return line
		}
		if m := replies[best].Move; m != shogi.NoMove {
			line = append(line, m)
			p.Do(m)
		}
		n := &f.nodes[replies[best].Node]
		line = append(line, n.Move)
		p.Do(n.Move)
		replies = n.Replies
	}
}
