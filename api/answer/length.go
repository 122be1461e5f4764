package httpapi

import (
	"context"
	"errors"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
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
		found := foundLength{by: wire.RawLength(&a.Result)}
		if policy != length.F0 && found.by.High > 1 { // a mate at once is one under every policy
			// Both together take no longer than was asked for, but the length gets some time always.
			took, err := parts.WithSession(ctx, max(q.Time-plain.Elapsed, q.Time/8),
				func(ctx context.Context, session solver.Session) solver.Result {
					s.analyzing.begin()
					defer s.analyzing.end()
					found = s.length(ctx, session, q, policy, a.Result.Line)
					a.Result.Nodes += found.nodes
					return solver.Result{Verdict: solver.Mate, Reason: found.reason, Nodes: found.nodes,
						Solver: "length"}
				})
			var busy *sched.OverloadedError
			switch {
			case errors.As(err, &busy):
				return nil, err
			case err != nil: // nobody waits any more
				found.by.Low, found.reason = found.by.High%2, solver.ReasonCancelled
			}
			a.Elapsed += took
		}
		a.Repeatable = a.Repeatable &&
			(found.reason == solver.NoReason || found.reason == solver.ReasonNodes)
		answer := wire.NewLengthAnswer(policy, found.by, &a.Result, found.reason)
		answer.SetFutile(q.Position, a.Result.Line, found.futile)
		text := wire.AppendLength(renderAnswer(q, &a.Result), answer)
		a.Rendered = text[:len(text):len(text)]
		return &a, nil
	}
}

// A foundLength is the length of a mate under a policy.
type foundLength struct {
	by     length.Interval
	nodes  uint64
	reason solver.Reason        // why the length is not exact
	futile map[int]length.Reply // the futile moves of the line that was found, by their index
}

// findLength finds the length of a mate under a policy, and which moves of its raw line are futile
// as far as the limits allow. No policy makes a mate longer than the line.
func findLength(ctx context.Context, session solver.Session, q *sched.Question,
	policy length.Policy, line []shogi.Move) foundLength {
	s := session.(*analysisSession)
	s.analyzer = nil
	if s.lengths == nil {
		s.lengths = length.NewEngine(s.Session)
	}
	e, raw := s.lengths, len(line)
	e.Begin(q.Attacker, policy)
	e.Forget() // what another question has left would change the nodes
	n, reason := e.Within(ctx, q.Position, raw, q.Limits.Nodes)
	nodes := e.Nodes()
	if reason != solver.NoReason {
		return foundLength{length.Interval{Low: min(n+(raw-n)&1, raw), High: raw}, nodes, reason, nil}
	}
	found := foundLength{by: length.Exactly(n), futile: map[int]length.Reply{}}
	p := q.Position
	for i, m := range line {
		if p.SideToMove() != q.Attacker && m.IsDrop() && n < raw {
			least, reason := e.Within(ctx, p, raw-i, q.Limits.Nodes)
			nodes += e.Nodes()
			if reason == solver.NoReason {
				replies, _ := e.Replies(ctx, p, least, q.Limits.Nodes)
				nodes += e.Nodes()
				for _, r := range replies {
					if r.Move == m && r.Futile != length.NotFutile {
						found.futile[i] = r
					}
				}
			}
		}
		p.Do(m)
	}
	found.nodes = nodes
	return found
}
