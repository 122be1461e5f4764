package answer

import (
	"cmp"
	"context"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
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
		found := analysis.FoundLength{By: length.Raw(&with.Result)}
		switch {
		case policy == length.F0 || found.By.High <= 1: // a mate at once is one under every policy
		case !a.scheduler.HasSessions():
			found.By.Low, found.Reason = found.By.High%2, analysis.ReasonNotOffered
		default:
			// Both together take no longer than was asked for, but the length gets some time always.
			took, err := forLength(ctx, q, parts, max(q.Time-plain.Elapsed, q.Time/8),
				func(ctx context.Context, session solver.Session) solver.Result {
					asked := *q
					asked.Limits.Nodes = cmp.Or(q.Limits.Nodes, a.lengthNodes)
					found = a.Length(ctx, session, &asked, policy, with.Result.Line)
					with.Result.Nodes += found.Nodes
					return solver.Result{Verdict: solver.Mate, Reason: found.Reason, Nodes: found.Nodes,
						Solver: "length"}
				})
			if err != nil {
				found.By.Low, found.Reason = found.By.High%2, solver.ReasonOverloaded
				if ctx.Err() != nil { // all who asked have cancelled
					found.Reason = solver.ReasonCancelled
				}
			}
			with.Elapsed += took
		}
		with.Repeatable = with.Repeatable &&
			(found.Reason == solver.NoReason || found.Reason == solver.ReasonNodes)
		if found.Reason == solver.ReasonCancelled && a.lengthNodes > 0 {
			with.Rendered = render(q, &with.Result)
			return &with, nil
		}
		answer := wire.NewAnswer(&q.Position, q.SFEN, q.Attacker, &with.Result)
		answer.Length = wire.NewLengthAnswer(policy, found.By, &with.Result, found.Reason)
		answer.Length.SetFutile(q.Position, with.Result.Line, found.Futile)
		answer.Length.SetLine(&q.Position, found.Line)
		with.Rendered = answer.Fields()
		if a.keepValues {
			kept := answer
			with.Detail = &finding{closed: true, value: &kept}
		}
		return &with, nil
	}
}

// An analysisSession is a session and the memory of what works with it: of one thing at a time, so
// that it is no more than MemoBytes of package length besides the session's.
type analysisSession struct {
	solver.Session
	analyzer *analysis.Analyzer
	lengths  *length.Engine
}

// engine returns what finds lengths with the session.
func (s *analysisSession) engine() *length.Engine {
	s.analyzer = nil
	if s.lengths == nil {
		s.lengths = length.NewEngine(s.Session)
	}
	return s.lengths
}

// sessionWait is how long a question waits for a session that it can be answered without: somebody
// sits at a board.
const sessionWait = 2 * time.Second

// forLength calls do with a session, as parts.WithSession does. Unless the question is one of a
// batch, the wait for the session and do together take no longer than limit and sessionWait.
func forLength(ctx context.Context, q *sched.Question, parts *sched.Parts, limit time.Duration,
	do func(context.Context, solver.Session) solver.Result) (took time.Duration, err error) {
	if !q.Batch {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit+sessionWait)
		defer cancel()
	}
	return parts.WithSession(ctx, limit, do)
}

// findLength finds the length of a mate under a policy with a session.
func findLength(ctx context.Context, session solver.Session, q *sched.Question,
	policy length.Policy, line []shogi.Move) analysis.FoundLength {
	e := session.(*analysisSession).engine()
	return analysis.FindLength(ctx, e, q.Position, q.Attacker, policy, line, q.Limits.Nodes)
}
