package httpapi

import (
	"context"
	"errors"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

// answerLength returns what answers a question for the length under a policy, besides what it gets
// without it: the Run of a Task.
func (s *Server) answerLength(policy length.Policy) func(
	context.Context, *sched.Question, *sched.Parts) (*sched.Answer, error) {
	return func(ctx context.Context, q *sched.Question, parts *sched.Parts) (*sched.Answer, error) {
		plain, err := parts.Plain(ctx)
		if err != nil || plain.Result.Verdict != solver.Mate {
			return plain, err
		}
		a := *plain
		by, reason := wire.RawLength(&a.Result), solver.NoReason
		if policy != length.F0 && by.High > 1 { // a mate at once is one under every policy
			took, err := parts.WithSession(ctx, q.Time,
				func(ctx context.Context, session solver.Session) solver.Result {
					s.analyzing.begin()
					defer s.analyzing.end()
					var nodes uint64
					by, nodes, reason = s.length(ctx, session, q, policy, by.High)
					a.Result.Nodes += nodes
					return solver.Result{Verdict: solver.Mate, Reason: reason, Nodes: nodes, Solver: "length"}
				})
			var busy *sched.OverloadedError
			switch {
			case errors.As(err, &busy):
				return nil, err
			case err != nil: // nobody waits any more
				by.Low, reason = by.High%2, solver.ReasonCancelled
			}
			a.Elapsed += took
		}
		a.Repeatable = a.Repeatable && (reason == solver.NoReason || reason == solver.ReasonNodes)
		text := wire.AppendLength(renderAnswer(q, &a.Result),
			wire.NewLengthAnswer(policy, by, &a.Result, reason))
		a.Rendered = text[:len(text):len(text)]
		return &a, nil
	}
}

// findLength finds the length of a mate in so many raw plies under a policy. No policy makes a mate
// longer, so that it is at most as long.
func findLength(ctx context.Context, session solver.Session, q *sched.Question,
	policy length.Policy, raw int) (by length.Interval, nodes uint64, reason solver.Reason) {
	s := session.(*analysisSession)
	s.analyzer = nil
	if s.lengths == nil {
		s.lengths = length.NewEngine(s.Session)
	}
	e := s.lengths
	e.Begin(q.Attacker, policy)
	e.Forget() // what another question has left would change the nodes
	n, reason := e.Within(ctx, q.Position, raw, q.Limits.Nodes)
	if reason == solver.NoReason {
		return length.Exactly(n), e.Nodes(), reason
	}
	return length.Interval{Low: min(n+(raw-n)&1, raw), High: raw}, e.Nodes(), reason
}
