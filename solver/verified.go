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
	v := newVerifier(s.mateIn1)
	defer verifiers.Put(v)
	r := s.solver.Solve(ctx, p, lim)
	err := v.verify(p, &r)
	if err == nil && r.Verdict != Unknown && r.Checked == "" {
		r.Checked, err = checked(p, &r)
	}
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

// checked returns how far a result that verify has accepted is checked: that there is no check, or
// that none mates at once, is soon replayed.
func checked(p shogi.Position, r *Result) (Checked, error) {
	attacker, _ := Attacker(&p)
	plies := 0 // within which there must be no mate
	switch {
	case r.Verdict == NoMate:
		plies = maxLine
	case r.Exact:
		plies = len(r.Line) - 2
	}
	switch {
	case plies < 1:
		return CheckedReplay, nil
	case p.SideToMove() != attacker, plies > 1 && r.Verdict == Mate:
		return CheckedSearch, nil
	}
	var buf shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		if plies > 1 {
			return CheckedSearch, nil
		}
		u := p.Do(m)
		mates := p.IsCheckmate()
		p.Undo(m, u)
		if mates {
			return "", &VerifyError{SFEN: p.SFEN(), Move: m,
				Msg: "the move mates, but the claim is that there is no mate as short"}
		}
	}
	return CheckedReplay, nil
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
