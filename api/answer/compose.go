//go:build !board

package answer

import (
	"context"
	"errors"
	"fmt"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
)

// composition returns a part of a search for problems as the scheduler takes it.
func (a *Answerer) composition(q *wire.ComposeQuestion) *sched.Question {
	return &sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Position.SideToMove(), Time: q.Time, Task: a.composing,
		Variant: fmt.Sprintf("%s %d %s", wire.ComposeSemantics, q.Part, q.Request), Detail: composeDetail{q}}
}

// A composeDetail is the detail of a part of a search for problems.
type composeDetail struct{ *wire.ComposeQuestion }

// answer makes the problems of the part. One with problems counts as a mate, one without as none.
func (asked composeDetail) answer(ctx context.Context, _ *Answerer, q *sched.Question,
	parts *sched.Parts) (*sched.Answer, error) {
	found := &wire.ComposeAnswer{Problems: []wire.ComposedProblem{}}
	var fault error
	var result solver.Result
	took, err := parts.WithSession(ctx, q.Time, func(ctx context.Context, session solver.Session) solver.Result {
		answer, err := asked.Search(ctx, session.(*analysisSession).Session)
		if fault = err; err != nil {
			return solver.Result{}
		}
		found = answer
		result = solver.Result{Verdict: solver.NoMate, Solver: "compose"}
		if len(found.Problems) > 0 {
			result.Verdict = solver.Mate
		}
		if reason := solver.StopReason(ctx); reason != solver.NoReason {
			result.Verdict, result.Reason = solver.Unknown, reason
		}
		return result
	})
	var busy *sched.OverloadedError
	switch {
	case errors.As(err, &busy):
		return nil, err
	case err != nil: // all who asked have cancelled
		result.Verdict, result.Reason = solver.Unknown, solver.ReasonCancelled
	case fault != nil:
		return nil, fault
	}
	if result.Reason != solver.NoReason {
		found.Reason = string(result.Reason)
	}
	return &sched.Answer{Result: result, Rendered: wire.FieldsOf(found), Elapsed: took,
		Repeatable: result.Reason == solver.NoReason}, nil
}
