package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

// Moves makes into a question about every move of a position as the scheduler takes it. The problem
// is that lengths are asked for and not offered.
func (a *Answerer) Moves(q *wire.Question, into *sched.Question) *wire.Problem {
	p := a.Question(q, into)
	into.Task = a.moves
	if q.HasLength {
		into.Detail = &analysis.Convention{Policy: q.Length, Turning: q.Turning, Author: q.Author,
			Nodes: q.Limits.Nodes}
		into.Variant = fmt.Sprint(q.Length, q.Turning.Mirror, q.Author)
	}
	return p
}

// answerMoves answers a question about every move: it is the Task of those. If it asks for the
// length by a convention, that decides what the best move is.
func (a *Answerer) answerMoves(ctx context.Context, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	began := time.Now()
	report, err := analysis.Moves(ctx, parts, q.Position, q.Attacker,
		analysis.Limits{Limits: q.Limits, Time: q.Time, QuickNodes: parts.QuickNodes()})
	if err != nil {
		return nil, err
	}
	if c, ok := q.Detail.(*analysis.Convention); ok && report.Verdict == solver.Mate {
		if err := a.count(ctx, q, parts, report, *c, q.Time-time.Since(began)); err != nil {
			return nil, err
		}
	}
	return &sched.Answer{
		Result:     solver.Result{Verdict: report.Verdict, Reason: report.Reason},
		Rendered:   wire.FieldsOf(wire.NewMovesAnswer(&q.Position, q.Attacker, report)),
		Elapsed:    time.Since(began),
		Repeatable: report.Repeatable,
		Detail:     &finding{closed: !isOpen(report)},
	}, nil
}

// count adds what moves come to by a convention to the report of a mate. It may take what is left of
// the time, and some always.
func (a *Answerer) count(ctx context.Context, q *sched.Question, parts *sched.Parts,
	report *analysis.Report, c analysis.Convention, left time.Duration) error {
	if c.Policy == length.F0 || len(report.Moves) == 0 {
		report.CountRaw(c.Policy)
		return nil
	}
	_, err := parts.WithSession(ctx, max(left, q.Time/8),
		func(ctx context.Context, session solver.Session) solver.Result {
			report.Count(ctx, session.(*analysisSession).engine(), q.Position, q.Attacker, c)
			return solver.Result{Verdict: solver.Mate, Reason: report.Counted.Reason,
				Nodes: report.Counted.Nodes, Solver: "length"}
		})
	var busy *sched.OverloadedError
	if errors.As(err, &busy) {
		return err
	}
	if err != nil { // all who asked have cancelled
		report.Repeatable = false
	}
	return nil
}

// isOpen reports whether a later answer may know more: of a move, unless it is settled, or of a
// length.
func isOpen(r *analysis.Report) bool {
	return r.Counted != nil && r.Counted.Reason != solver.NoReason ||
		slices.ContainsFunc(r.Moves, func(m analysis.MoveVerdict) bool {
			return m.Verdict == solver.Unknown && m.Reason != solver.ReasonSettled
		})
}
