package certificate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Mate writes a certificate that the attacker forces mate in p, by the proof, which must be that of
// p and this attacker. A proof of the first mate found makes a smaller one than that of the
// shortest.
//
// It returns the error of ctx, or that of w, or a *solver.VerifyError if the proof is that of
// another position. What is written then is no certificate.
func Mate(ctx context.Context, w io.Writer, p shogi.Position, attacker shogi.Color,
	proof *solver.Proof) error {
	m := mateWriter{ctx: ctx, attacker: attacker, proof: proof, shared: shared(proof)}
	// The number of plies stands before the plan, so the plan is walked once to count them.
	plies, err := m.plan(p, &words{w: io.Discard})
	if err != nil {
		return err
	}
	m.numbers = 0
	out := &words{w: w}
	header(out, "mate", &p, attacker)
	out.line("plies " + strconv.Itoa(plies))
	if _, err := m.plan(p, out); err != nil {
		return err
	}
	return out.flush()
}

// shared returns for each node of the proof whether several replies lead to it.
func shared(proof *solver.Proof) []bool {
	ways := make([]uint8, proof.Len())
	count := func(replies []solver.ProofReply) {
		for _, r := range replies {
			ways[r.Node] = min(ways[r.Node]+1, 2)
		}
	}
	count(proof.First())
	for i := range ways {
		count(proof.Node(int32(i)).Replies)
	}
	list := make([]bool, len(ways))
	for i, n := range ways {
		list[i] = n > 1
	}
	return list
}

type mateWriter struct {
	ctx      context.Context
	attacker shogi.Color
	proof    *solver.Proof
	shared   []bool
	done     []finished // by node
	numbers  int        // given so far
	steps    int
	out      *words
	buf      shogi.MoveBuffer
}

// finished is what is written of a shared node.
type finished struct{ number, plies int }

// plan writes the plan from p on, and returns its plies.
func (m *mateWriter) plan(p shogi.Position, out *words) (plies int, err error) {
	m.out, m.done = out, make([]finished, m.proof.Len())
	first := m.proof.First()
	if p.SideToMove() != m.attacker {
		return m.replies(&p, first)
	}
	if len(first) != 1 || first[0].Move != shogi.NoMove {
		return 0, fault(&p, shogi.NoMove)
	}
	return m.node(p, first[0].Node)
}

// fault is the error of a proof that is that of another position.
func fault(p *shogi.Position, m shogi.Move) error {
	return &solver.VerifyError{SFEN: p.SFEN(), Move: m, Msg: "the proof is that of another position"}
}

// node writes the plan of a node for p, with the attacker to move.
func (m *mateWriter) node(p shogi.Position, i int32) (plies int, err error) {
	if m.steps++; m.steps%256 == 0 {
		if err := cmp.Or(m.ctx.Err(), m.out.err); err != nil {
			return 0, err
		}
	}
	if f := m.done[i]; f.number > 0 {
		m.out.word("=" + strconv.Itoa(f.number))
		return f.plies, nil
	}
	n := m.proof.Node(i)
	if !p.Hand(m.attacker).Covers(n.Hand) {
		return 0, fault(&p, n.Move)
	}
	word := n.Move.String()
	if m.shared[i] {
		// With the least hand it can be referred to whatever he holds the next time.
		word += "!"
		if p.Hand(m.attacker) != n.Hand {
			word += n.Hand.String()
			p.GiveAway(m.attacker, n.Hand)
		}
	}
	m.out.word(word)
	if !p.IsLegal(n.Move) {
		return 0, fault(&p, n.Move)
	}
	p.Do(n.Move)
	plies, err = m.replies(&p, n.Replies)
	if err != nil {
		return 0, err
	}
	plies++
	if m.shared[i] {
		m.numbers++
		m.done[i] = finished{m.numbers, plies}
	}
	return plies, nil
}

// replies writes the plans after all legal moves of p, with the defender in check.
func (m *mateWriter) replies(p *shogi.Position, replies []solver.ProofReply) (int, error) {
	plies := 0
	if !p.InCheck() {
		return 0, fault(p, shogi.NoMove)
	}
	for _, d := range sorted(p.Evasions(&m.buf, shogi.AllMoves)) {
		i := slices.IndexFunc(replies, func(r solver.ProofReply) bool { return r.Move == d })
		if i < 0 {
			return 0, fault(p, d)
		}
		after := *p
		after.Do(d)
		n, err := m.node(after, replies[i].Node)
		if err != nil {
			return 0, err
		}
		plies = max(plies, n+1)
	}
	return plies, nil
}

// sorted returns a copy of the moves in the order of their texts.
func sorted(moves []shogi.Move) []shogi.Move {
	moves = slices.Clone(moves)
	slices.SortFunc(moves, func(a, b shogi.Move) int {
		var x, y [8]byte
		return slices.Compare(a.AppendUSI(x[:0]), b.AppendUSI(y[:0]))
	})
	return moves
}

// header writes what every certificate begins with.
func header(out *words, kind string, p *shogi.Position, attacker shogi.Color) {
	out.line(fmt.Sprintf("tsumero-cert 1 %s", kind))
	out.line("sfen " + p.SFEN())
	out.line("attacker " + attacker.String())
}
