package answer

import (
	"context"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/sched"
)

// answerMoves answers a question about every move: it is the Task of those.
func answerMoves(ctx context.Context, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	began := time.Now()
	report, err := analysis.Moves(ctx, parts, q.Position, q.Attacker,
		analysis.Limits{Limits: q.Limits, Time: q.Time, QuickNodes: parts.QuickNodes()})
	if err != nil {
		return nil, err
	}
	return &sched.Answer{
		Result:     solver.Result{Verdict: report.Verdict, Reason: report.Reason},
		Rendered:   wire.FieldsOf(wire.NewMovesAnswer(&q.Position, q.Attacker, report)),
		Elapsed:    time.Since(began),
		Repeatable: report.Repeatable,
		Detail:     &finding{closed: !slices.ContainsFunc(report.Moves, isOpen)},
	}, nil
}

// isOpen reports whether a later answer may know more of a move: what is settled stays unknown.
func isOpen(m analysis.MoveVerdict) bool {
	return m.Verdict == solver.Unknown && m.Reason != solver.ReasonSettled
}
