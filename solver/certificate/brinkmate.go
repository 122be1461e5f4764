//go:build !board

package certificate

import (
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/threat"
)

// Brinkmate writes a certificate that the side to move in p mates or has a brinkmate by the plan,
// which must be that of p. That there is none in fewer attacks, no other one and no mate has no
// certificate. Errors are as for Mate.
func Brinkmate(ctx context.Context, w io.Writer, p shogi.Position, plan *threat.Plan) error {
	b := brinkmateWriter{mateWriter{ctx: ctx, attacker: p.SideToMove(), out: &words{w: w}}}
	header(b.mates.out, "brinkmate", &p, b.mates.attacker)
	b.mates.out.line("attacks " + strconv.Itoa(plan.Attacks))
	if err := b.attack(p, plan); err != nil {
		return err
	}
	return b.mates.out.flush()
}

// A brinkmateWriter writes the mates of a plan one after the other, whose numbers go on.
type brinkmateWriter struct{ mates mateWriter }

// attack writes the plan for p, with the attacker to move.
func (b *brinkmateWriter) attack(p shogi.Position, plan *threat.Plan) error {
	if !p.IsLegal(plan.Attack) {
		return fault(&p, plan.Attack)
	}
	b.mates.out.word("~" + plan.Attack.String())
	p.Do(plan.Attack)
	if p.InCheck() != (plan.Pass == nil) {
		return fault(&p, plan.Attack)
	}
	if plan.Pass != nil {
		after := p
		after.ForSearch().DoNull()
		if err := b.mate(after, plan.Pass); err != nil {
			return err
		}
	}
	var buf shogi.MoveBuffer
	for _, d := range sorted(p.LegalMoves(&buf, shogi.AllMoves)) {
		i := slices.IndexFunc(plan.Replies, func(r threat.Reply) bool { return r.Move == d })
		if i < 0 {
			return fault(&p, d)
		}
		var err error
		if r := &plan.Replies[i]; r.Plan != nil {
			err = b.attack(p.After(d), r.Plan)
		} else {
			err = b.mate(p.After(d), r.Mate)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mate writes the plan of the mate in p.
func (b *brinkmateWriter) mate(p shogi.Position, proof *solver.Proof) error {
	b.mates.proof, b.mates.shared = proof, shared(proof)
	_, err := b.mates.plan(p, b.mates.out)
	return err
}
