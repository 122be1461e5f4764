package dfpn

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A state is a board with the side to move, and the attacker's hand: all there is to a position.
type state struct {
	key  uint64
	hand shogi.Hand
}

// A proofBuilder makes the proof of the position on the board of its searcher, which was proved to
// be mate.
//
// The search proves positions together that differ only in what the attacker has captured, and so
// does the proof: a node is made for the least hand with which its plan mates (proof hand).
type proofBuilder struct {
	*searcher
	nodes  []solver.ProofNode
	index  map[uint64][]int32   // the nodes by board key
	forced map[state]shogi.Move // the moves of the line that the proof must contain
	onLine map[int32]bool       // the nodes that play them
	bytes  int                  // of all that, and of what it takes to check the proof
	most   int                  // of them
}

const broken = -1

// What the parts of a proof take: a node with its place in the index and the board that the check
// keeps of it, and a reply.
const (
	nodeBytes  = 40 + 24 + 160
	replyBytes = 8
)

// leastProofBytes is what a proof may take however small the memory of the search is.
const leastProofBytes = 1 << 20

// prove makes the proof of the position on the board, which was proved to be mate within length
// plies, and a line of it in which the defender resists longest. Or the line is along, if that is
// not nil, the line of a mate in exactly length. It returns nil if s.reason ends it, or if the proof
// does not hold or has not that line, which is a bug.
func (s *searcher) prove(along []shogi.Move, length int32) (*solver.Proof, []shogi.Move) {
	b := proofBuilder{searcher: s, index: map[uint64][]int32{}, forced: s.statesOn(along),
		onLine: map[int32]bool{}}
	b.most = max(s.options.TableBytes-s.table.bytes(), leastProofBytes)
	var first []solver.ProofReply
	if s.p.SideToMove() == attacker {
		i := b.node(length)
		if i == broken {
			return nil, nil
		}
		first = []solver.ProofReply{{Move: shogi.NoMove, Node: i}}
	} else {
		var ok bool
		if first, ok = b.replies(length - 1); !ok {
			return nil, nil
		}
	}
	line := along
	if line == nil {
		var ok bool
		if line, ok = b.longestLine(first); !ok {
			return nil, nil
		}
	} else if !b.has(first, line) {
		return nil, nil
	}
	return b.proof(first), line
}

// has reports whether the nodes play the line, from the first ones on.
func (b *proofBuilder) has(first []solver.ProofReply, line []shogi.Move) bool {
	replies, d := first, shogi.NoMove
	for i := range line {
		if d == shogi.NoMove && (i > 0 || b.p.SideToMove() != attacker) {
			d = line[i]
			continue
		}
		r := slices.IndexFunc(replies, func(r solver.ProofReply) bool { return r.Move == d })
		if r < 0 || b.nodes[replies[r].Node].Move != line[i] {
			return false
		}
		replies, d = b.nodes[replies[r].Node].Replies, shogi.NoMove
	}
	return true
}

// statesOn returns the attacker's positions on the line, with his moves.
func (s *searcher) statesOn(line []shogi.Move) map[state]shogi.Move {
	forced := map[state]shogi.Move{}
	p := s.p
	for _, m := range line {
		if p.SideToMove() == attacker {
			forced[state{p.BoardKey(), p.Hand(attacker)}] = m
		}
		p.Do(m)
	}
	return forced
}

// step counts a step of making a proof, looks at the clock now and then, and reports whether to go
// on.
func (s *searcher) step() bool {
	if s.steps++; s.steps%256 == 0 {
		if s.keeping != nil {
			s.keep()
		}
		s.poll()
	}
	return s.reason == solver.NoReason
}

// node returns a node for the position on the board, which was proved with a mate within length
// plies and whose attacker is to move. It returns broken if the search for what the table has
// forgotten is cut short, or finds no mate.
func (b *proofBuilder) node(length int32) int32 {
	st := state{b.p.BoardKey(), b.p.Hand(attacker)}
	_, own := b.forced[st]
	if i := b.find(st, length, own); i != broken {
		return i
	}
	return b.make(st, length, own, shogi.NoMove)
}

// find returns the lowest node that stands for st and is no higher than length, broken if there is
// none. If own it must be one for the very hand, and play the move of the line if st is on it: one
// that was made for more in hand may need just this hand, and plays what it likes.
func (b *proofBuilder) find(st state, length int32, own bool) int32 {
	best := int32(broken)
	_, forced := b.forced[st]
	for _, i := range b.index[st.key] {
		n := &b.nodes[i]
		switch {
		case own && forced && !b.onLine[i]:
		case n.Height > length || best != broken && n.Height >= b.nodes[best].Height:
		case own && n.Hand == st.hand || !own && st.hand.Covers(n.Hand):
			best = i
		}
	}
	return best
}

// make makes a node for st, the position on the board. Where the table knows no move, hint may be
// one.
//
// If there is none, the position is searched again: the table has forgotten it, or never kept it.
// It may forget it again while that goes on, so the move is the one that the search has found. So
// every position is searched no more than once, and limits alone can end that, but for a bug.
func (b *proofBuilder) make(st state, length int32, own bool, hint shogi.Move) int32 {
	if !b.step() {
		return broken
	}
	m := b.forced[st]
	if m == shogi.NoMove {
		checks := slices.Clone(b.p.Checks(&b.moves, shogi.AllMoves))
		if m = cmp.Or(b.provingMove(checks, length), hint); m == shogi.NoMove {
			r := b.searcher.root(length)
			if b.reason == solver.NoReason && r.pn != 0 {
				b.reason = solver.ReasonUnverified // two searches contradict each other
			}
			if b.reason != solver.NoReason {
				return broken
			}
			m = cmp.Or(b.provingMove(checks, length), r.best)
		}
	}
	return b.plan(st, m, length, own)
}

// provingMove returns the check after which the table has the shortest mate, if one within length
// plies in all.
func (s *searcher) provingMove(checks []shogi.Move, length int32) shogi.Move {
	if m := s.mate1.Find(&s.p); m != shogi.NoMove {
		return m
	}
	best, bestLen := shogi.NoMove, length
	for _, m := range checks {
		var r probed
		s.table.probe(s.p.BoardKeyAfter(m), s.p.HandAfter(m), bestLen-1, 0, &r)
		if r.pn == 0 && r.len+1 <= bestLen {
			if best == shogi.NoMove || r.len+1 < bestLen {
				best, bestLen = m, r.len+1
			}
		}
	}
	return best
}

// plan makes the node that plays m at st, the position on the board. If own it is for the very
// hand.
func (b *proofBuilder) plan(st state, m shogi.Move, length int32, own bool) int32 {
	u := b.p.Do(m)
	replies, ok := b.replies(length - 2)
	var need shogi.Hand
	if ok && !own {
		need = b.need(replies)
	}
	b.p.Undo(m, u)
	if !ok {
		return broken
	}
	n := solver.ProofNode{Move: m, Height: b.height(replies), Hand: st.hand, Replies: replies}
	if !own && !b.options.NoHands {
		n.Hand = handBefore(&b.p, m, need)
	}
	// A proof that passes st again has a shorter one in it. Without this a line could repeat a
	// position.
	if i := b.find(st, n.Height, own); i != broken {
		return i
	}
	if b.bytes += nodeBytes + len(replies)*replyBytes; b.bytes > b.most {
		b.reason = solver.ReasonProof
		return broken
	}
	i := int32(len(b.nodes))
	if _, forced := b.forced[st]; own && forced {
		b.onLine[i] = true
	}
	b.nodes = append(b.nodes, n)
	b.index[st.key] = append(b.index[st.key], i)
	return i
}

// replies makes the replies to the defences of the position on the board, and reports whether there
// is one to each.
func (b *proofBuilder) replies(length int32) (replies []solver.ProofReply, ok bool) {
	defences := slices.Clone(b.p.Evasions(&b.moves, shogi.AllMoves))
	replies = make([]solver.ProofReply, 0, len(defences))
	for _, d := range defences {
		u := b.p.Do(d)
		i := b.node(length)
		b.p.Undo(d, u)
		if i == broken {
			return nil, false
		}
		replies = append(replies, solver.ProofReply{Move: d, Node: i})
	}
	return replies, true
}

// need returns the least hand of the attacker with which the replies answer all defences of the
// position on the board.
func (b *proofBuilder) need(replies []solver.ProofReply) shogi.Hand {
	var need shogi.Hand
	for _, r := range replies {
		need = maxHand(need, b.nodes[r.Node].Hand)
	}
	return proofOfDefence(&b.p, need)
}

// height returns that of a node with these replies.
func (b *proofBuilder) height(replies []solver.ProofReply) int32 {
	height := int32(1)
	for _, r := range replies {
		height = max(height, b.nodes[r.Node].Height+2)
	}
	return height
}

// A lineStep is a choice of the defender on the line: his replies, the node whose they are, and the
// position in which he makes it, or that of the proof, where the attacker may be to move.
type lineStep struct {
	replies []solver.ProofReply
	node    int32 // broken for the first step
	p       shogi.Position
}

// longestLine returns a line of the proof that is as long as the first nodes are high. For that the
// nodes it passes must be made for the very hands with which it passes them. Such a node may be lower
// than the one that was shared; then the choices are made again that led to it for its height.
func (b *proofBuilder) longestLine(first []solver.ProofReply) (line []shogi.Move, ok bool) {
	root := b.p
	defer func() { b.p = root }()
	steps := []lineStep{{first, broken, root}}
	for {
		step := &steps[len(steps)-1]
		if len(step.replies) == 0 {
			break
		}
		r := b.highest(step.replies)
		b.p = step.p
		if r.Move != shogi.NoMove {
			b.p.Do(r.Move)
		}
		height := b.nodes[r.Node].Height
		if r.Node = b.own(r.Node); r.Node == broken {
			return nil, false
		}
		n := &b.nodes[r.Node]
		if n.Height = b.height(n.Replies); n.Height < height {
			for len(steps) > 1 && b.lower(steps[len(steps)-1].node) {
				steps = steps[:len(steps)-1]
			}
			continue
		}
		b.p.Do(n.Move)
		steps = append(steps, lineStep{n.Replies, r.Node, b.p})
	}
	for i, step := range steps[:len(steps)-1] {
		if m := b.highest(step.replies).Move; m != shogi.NoMove {
			line = append(line, m)
		}
		line = append(line, b.nodes[steps[i+1].node].Move)
	}
	return line, true
}

// highest returns the reply that leads to the highest node, the first of several.
func (b *proofBuilder) highest(replies []solver.ProofReply) *solver.ProofReply {
	best := &replies[0]
	for i := range replies {
		if b.nodes[replies[i].Node].Height > b.nodes[best.Node].Height {
			best = &replies[i]
		}
	}
	return best
}

// own returns node i, which stands for the position on the board, if it is made for the very hand, or
// one that is, and is no higher.
func (b *proofBuilder) own(i int32) int32 {
	shared := b.nodes[i]
	st := state{b.p.BoardKey(), b.p.Hand(attacker)}
	if shared.Hand == st.hand {
		return i
	}
	if own := b.find(st, shared.Height, true); own != broken {
		return own
	}
	return b.make(st, shared.Height, true, shared.Move)
}

// lower gives node i the height that its replies have now, and reports whether it is a lower one.
func (b *proofBuilder) lower(i int32) bool {
	n := &b.nodes[i]
	before := n.Height
	n.Height = b.height(n.Replies)
	return n.Height < before
}

// proof returns the proof, of the nodes that can be reached. It returns nil if it does not hold,
// which is a bug, or s.reason ends its replay.
func (b *proofBuilder) proof(first []solver.ProofReply) *solver.Proof {
	nodes := b.reached(first)
	p, side := b.p, attacker
	if b.progress.rotated {
		p, side = p.Rotated(), defender
		rotate(nodes, first)
	}
	proof, err := solver.NewProof(b.ctx, p, side, nodes, first, b.reportIfDue)
	if err != nil {
		b.poll()
		return nil
	}
	return proof
}

// reached returns the nodes that can be reached, and has the replies lead to them.
func (b *proofBuilder) reached(first []solver.ProofReply) []solver.ProofNode {
	places := make([]int32, len(b.nodes)) // 1 + the node's index among those reached
	var nodes []solver.ProofNode
	var add func(replies []solver.ProofReply)
	add = func(replies []solver.ProofReply) {
		for i := range replies {
			r := &replies[i]
			if places[r.Node] == 0 {
				n := b.nodes[r.Node]
				add(n.Replies)
				nodes = append(nodes, n)
				places[r.Node] = int32(len(nodes))
			}
			r.Node = places[r.Node] - 1
		}
	}
	add(first)
	return slices.Clip(nodes)
}

// rotate turns the board of a proof round.
func rotate(nodes []solver.ProofNode, first []solver.ProofReply) {
	turn := func(replies []solver.ProofReply) {
		for i, r := range replies {
			if r.Move != shogi.NoMove {
				replies[i].Move = r.Move.Rotated()
			}
		}
	}
	turn(first)
	for i := range nodes {
		nodes[i].Move = nodes[i].Move.Rotated()
		turn(nodes[i].Replies)
	}
}
