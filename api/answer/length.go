package answer

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
func (a *Answerer) answerLength(policy length.Policy) func(
	context.Context, *sched.Question, *sched.Parts) (*sched.Answer, error) {
	return func(ctx context.Context, q *sched.Question, parts *sched.Parts) (*sched.Answer, error) {
		plain, err := parts.Plain(ctx)
		if err != nil || plain.Result.Verdict != solver.Mate {
			return plain, err
		}
		with := *plain
		found := FoundLength{By: wire.RawLength(&with.Result)}
		if policy != length.F0 && found.By.High > 1 { // a mate at once is one under every policy
			// Both together take no longer than was asked for, but the length gets some time always.
			took, err := parts.WithSession(ctx, max(q.Time-plain.Elapsed, q.Time/8),
				func(ctx context.Context, session solver.Session) solver.Result {
					found = a.Length(ctx, session, q, policy, with.Result.Line)
					with.Result.Nodes += found.Nodes
					return solver.Result{Verdict: solver.Mate, Reason: found.Reason, Nodes: found.Nodes,
						Solver: "length"}
				})
			var busy *sched.OverloadedError
			switch {
			case errors.As(err, &busy):
				return nil, err
			case err != nil: // all who asked have cancelled
				found.By.Low, found.Reason = found.By.High%2, solver.ReasonCancelled
			}
			with.Elapsed += took
		}
		with.Repeatable = with.Repeatable &&
			(found.Reason == solver.NoReason || found.Reason == solver.ReasonNodes)
		answer := wire.NewAnswer(&q.Position, q.SFEN, q.Attacker, &with.Result)
		answer.Length = wire.NewLengthAnswer(policy, found.By, &with.Result, found.Reason)
		answer.Length.SetFutile(q.Position, with.Result.Line, found.Futile)
		answer.Length.SetLine(&q.Position, found.Line)
		with.Rendered = answer.Fields()
		return &with, nil
	}
}

// A FoundLength is the length of a mate under a policy.
type FoundLength struct {
	By     length.Interval
	Nodes  uint64
	Reason solver.Reason        // why the length is not exact
	Futile map[int]length.Reply // the futile moves of the line that was found, by their index
	Line   []shogi.Move         // of best play, if it is known and shorter than that
}

// findLength finds the length of a mate under a policy, and which moves of its raw line are futile
// as far as the limits allow. No policy makes a mate longer than the line.
func findLength(ctx context.Context, session solver.Session, q *sched.Question,
	policy length.Policy, line []shogi.Move) FoundLength {
	e, raw := session.(*analysisSession).engine(), len(line)
	e.Begin(q.Attacker, policy)
	e.Forget() // what another question has left would change the nodes
	n, reason := e.Within(ctx, q.Position, raw, q.Limits.Nodes)
	nodes := e.Nodes()
	if reason != solver.NoReason {
		return FoundLength{By: length.Interval{Low: min(n+(raw-n)&1, raw), High: raw}, Nodes: nodes, Reason: reason}
	}
	found := FoundLength{By: length.Exactly(n), Futile: map[int]length.Reply{}}
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
						found.Futile[i] = r
					}
				}
			}
		}
		p.Do(m)
	}
	found.Nodes = nodes
	if n < raw {
		found.Line, found.Nodes = bestLine(ctx, e, q, policy, n, nodes)
	}
	return found
}

// lineNodes is how many nodes a line of best play may take once its length is known: most of what it
// asks is remembered.
const lineNodes = 1_000_000

// bestLine returns the line of best play of a mate of so many plies, nil if that takes too long, and
// how many nodes it took more than some.
func bestLine(ctx context.Context, e *length.Engine, q *sched.Question, policy length.Policy, plies int,
	nodes uint64) ([]shogi.Move, uint64) {
	turn := length.Orient(&q.Position, q.Attacker)
	e.Begin(shogi.Black, policy)
	budget := e.Budget(ctx, lineNodes)
	line, ok := length.NewPlay(budget, shogi.Black).Line(turn.Position(q.Position), plies)
	nodes += budget.Nodes
	if !ok {
		return nil, nodes
	}
	return turn.Moves(line), nodes
}
