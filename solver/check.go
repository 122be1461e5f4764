package solver

import (
	"context"
	"fmt"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// A proofChecker replays a Proof by the plain rules, each node once: on the board on which it is
// met first, with the least hand of the attacker that the node asks for and all else in the
// defender's. That settles every greater hand (dominance): each check is still legal then, and the
// defender has no move that he did not have. That a pawn drop must not mate changes nothing: it
// checks from the next square, and whether that is mate does not depend on what anybody holds.
//
// When the node is met again it must be on the same board. It is the board itself that is
// remembered: a key of it could be that of another.
type proofChecker struct {
	ctx      context.Context
	progress func()
	proof    *Proof
	attacker shogi.Color
	seen     []bool          // by node
	slots    []int32         // by node: 1 + its place in boards, 0 for a node with one way to it
	boards   []mailbox.Board // of the nodes with several, as they were met first
	moves    []shogi.Move    // the legal defences of the position looked at
	steps    int
}

// NewProof replays a plan of the attacker for p by the plain rules and returns it as a Proof, which
// owns the slices then. A reply that leads to a node names its index. First is as [Proof.First]
// says.
//
// It returns a *VerifyError if anything is wrong: a check that is not legal or does not check, a
// legal defence without a reply or with two, a reply to what is no legal move, a height that does
// not fall with every step, or a node that stands for two boards. It returns the error of ctx if
// that ends first. Unless progress is nil it is called now and then, as a plan may be long: some
// 100,000 nodes are replayed in a second.
func NewProof(ctx context.Context, p shogi.Position, attacker shogi.Color, nodes []ProofNode,
	first []ProofReply, progress func()) (*Proof, error) {
	b := mailbox.From(&p)
	if attacker != shogi.Black && attacker != shogi.White {
		return nil, fault(&b, shogi.NoMove, "the attacker is %d, neither Black nor White", attacker)
	}
	f := &Proof{board: b.Position(), attacker: attacker, nodes: nodes, first: first}
	c := proofChecker{ctx: ctx, progress: progress, proof: f, attacker: attacker}
	if err := c.count(&b); err != nil {
		return nil, err
	}
	if b.SideToMove() != attacker {
		if !b.InCheck(b.SideToMove()) {
			return nil, fault(&b, shogi.NoMove, "the defender is to move and not in check")
		}
		if err := c.replies(&b, first, maxLine); err != nil {
			return nil, err
		}
		return f, nil
	}
	if len(first) != 1 || first[0].Move != shogi.NoMove {
		return nil, fault(&b, shogi.NoMove, "the attacker is to move, so the proof must begin with one node")
	}
	if err := c.node(&b, first[0].Node, maxLine); err != nil {
		return nil, err
	}
	return f, nil
}

func fault(b *mailbox.Board, m shogi.Move, format string, args ...any) error {
	return &VerifyError{SFEN: b.SFEN(), Move: m, Msg: fmt.Sprintf(format, args...)}
}

// count finds the nodes that several replies lead to, and refuses replies that lead nowhere.
func (c *proofChecker) count(b *mailbox.Board) error {
	c.slots = make([]int32, len(c.proof.nodes))
	see := func(replies []ProofReply) error {
		for _, r := range replies {
			if r.Node < 0 || int(r.Node) >= len(c.slots) {
				return fault(b, r.Move, "a reply leads to node %d, and the proof has %d", r.Node, len(c.slots))
			}
			c.slots[r.Node]++
		}
		return nil
	}
	if err := see(c.proof.first); err != nil {
		return err
	}
	for i := range c.proof.nodes {
		if err := see(c.proof.nodes[i].Replies); err != nil {
			return err
		}
	}
	shared := int32(0)
	for i, ways := range c.slots {
		c.slots[i] = 0
		if ways > 1 {
			shared++
			c.slots[i] = shared
		}
	}
	c.boards = make([]mailbox.Board, shared)
	c.seen = make([]bool, len(c.slots))
	return nil
}

// step looks now and then whether the check has to end, and lets others know how it goes.
func (c *proofChecker) step() error {
	if c.steps++; c.steps%256 != 1 {
		return nil
	}
	if c.progress != nil {
		c.progress()
	}
	return c.ctx.Err()
}

// node replays the plan of node i, which must stand for b, with the attacker to move, and mate
// within so many plies.
func (c *proofChecker) node(b *mailbox.Board, i, plies int32) error {
	n := &c.proof.nodes[i]
	if n.Height > plies || n.Height < 1 {
		return fault(b, n.Move, "node %d says mate in %d, where at most %d plies are left", i, n.Height, plies)
	}
	least := *b
	if !least.GiveAway(c.attacker, n.Hand) {
		return fault(b, n.Move, "node %d needs %v in hand", i, n.Hand)
	}
	slot := c.slots[i] - 1
	if c.seen[i] {
		if slot < 0 || c.boards[slot] != least.Position() {
			return fault(b, n.Move, "node %d is another position", i)
		}
		return nil
	}
	c.seen[i] = true
	if slot >= 0 {
		c.boards[slot] = least.Position()
	}
	if !isHand(n.Hand) {
		return fault(b, n.Move, "node %d has no hand but the value %#x", i, uint32(n.Hand))
	}
	if err := c.step(); err != nil {
		return err
	}
	if !least.IsLegal(n.Move) {
		return fault(&least, n.Move, "the move is not legal")
	}
	least.Do(n.Move)
	if !least.InCheck(least.SideToMove()) {
		return fault(&least, n.Move, "the move does not check")
	}
	return c.replies(&least, n.Replies, n.Height-2)
}

// isHand reports whether h has no bits set but those that count pieces. What reads the Proof later
// calculates with it.
func isHand(h shogi.Hand) bool {
	var counted shogi.Hand
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		counted = counted.Add(kind, h.Count(kind))
	}
	return h == counted
}

// replies replays the plans after all defences of b, with the defender to move.
func (c *proofChecker) replies(b *mailbox.Board, replies []ProofReply, plies int32) error {
	c.moves = b.AppendLegalMoves(c.moves[:0])
	for i, r := range replies {
		for _, other := range replies[:i] {
			if other.Move == r.Move {
				return fault(b, r.Move, "the defence has two replies")
			}
		}
		if !slices.Contains(c.moves, r.Move) {
			return fault(b, r.Move, "the plan has a reply to a move that is not legal")
		}
	}
	if len(replies) < len(c.moves) {
		for _, d := range c.moves {
			if _, ok := replyTo(replies, d); !ok {
				return fault(b, d, "the plan has no reply to this defence")
			}
		}
	}
	for _, r := range replies {
		after := *b
		after.Do(r.Move)
		if err := c.node(&after, r.Node, plies); err != nil {
			return err
		}
	}
	return nil
}

// replyTo returns the node that follows the defence d.
func replyTo(replies []ProofReply, d shogi.Move) (node int32, ok bool) {
	for _, r := range replies {
		if r.Move == d {
			return r.Node, true
		}
	}
	return 0, false
}

// contains returns nil if the line, which is one of legal moves to a mate, is one of the proof.
func (f *Proof) contains(b mailbox.Board, line []shogi.Move) error {
	replies, m := f.first, shogi.NoMove
	for i := 0; ; i++ {
		if b.SideToMove() != f.attacker {
			if i == len(line) {
				return nil
			}
			m = line[i]
			b.Do(m)
			i++
		}
		node, ok := replyTo(replies, m)
		if !ok || f.nodes[node].Move != line[i] {
			return fault(&b, line[i], "the line leaves the proof")
		}
		b.Do(line[i])
		replies = f.nodes[node].Replies
	}
}
