package solver

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// Verified returns a Solver that asks s, for a proof too, and lets nothing out that Verify does not
// accept: it is turned into Unknown with ReasonUnverified, without a line or a bound, and handed to
// report, which may be nil. So is what s itself gives up as unverified. Either is a bug in s.
// report is called from the goroutine that called Solve.
func Verified(s Solver, mateIn1 func(*shogi.Position) shogi.Move,
	report func(p shogi.Position, r Result, err error)) Solver {
	return verified{s, mateIn1, report}
}

type verified struct {
	solver  Solver
	mateIn1 func(*shogi.Position) shogi.Move
	report  func(p shogi.Position, r Result, err error)
}

func (s verified) Solve(ctx context.Context, p shogi.Position, lim Limits) Result {
	asked := lim.Proof
	lim.Proof = true
	v := verifier{mateIn1: s.mateIn1}
	r := s.solver.Solve(ctx, p, lim)
	err := v.verify(p, &r)
	bug := err
	if err == nil && r.Reason == ReasonUnverified { // s has found out by itself
		bug = &VerifyError{SFEN: p.SFEN(), Msg: "the solver's proofs contradict each other"}
	}
	if bug != nil && s.report != nil {
		s.report(p, r, bug)
	}
	if err != nil || bug != nil && r.Verdict != Mate {
		return Result{Verdict: Unknown, Reason: ReasonUnverified, Nodes: r.Nodes, Resumed: r.Resumed, Solver: r.Solver}
	}
	if !asked {
		r.Proof = nil
	} else if r.Verdict == Mate && r.Proof == nil {
		r.Proof, err = v.shortProof(p, r.Line)
		if err != nil {
			panic(err) // verify has looked at each of its moves
		}
	}
	return r
}

// shortProof returns the proof of a mate that verify has accepted without one.
func (v *verifier) shortProof(p shogi.Position, line []shogi.Move) (*Proof, error) {
	attacker, err := Attacker(&p)
	if err != nil {
		return nil, err
	}
	var nodes []ProofNode
	root := p
	if len(line)%2 == 1 {
		p.Do(line[0])
	}
	b := mailbox.From(&p)
	replies := []ProofReply{}
	for _, d := range b.LegalMoves() {
		after := p
		after.Do(d)
		m := line[len(line)-1]
		if d != line[len(line)-2] {
			m = v.mateAfter(&p, &b, d)
		}
		replies = append(replies, ProofReply{d, int32(len(nodes))})
		nodes = append(nodes, ProofNode{Move: m, Height: 1, Hand: after.Hand(attacker)})
	}
	if len(line)%2 == 1 {
		n := ProofNode{Move: line[0], Height: int32(len(line)), Hand: root.Hand(attacker), Replies: replies}
		replies = []ProofReply{{shogi.NoMove, int32(len(nodes))}}
		nodes = append(nodes, n)
	}
	return NewProof(context.Background(), root, attacker, nodes, replies, nil)
}
