package answer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

// Moves makes into a question about every move of a position as the scheduler takes it.
func (a *Answerer) Moves(q *wire.Question, into *sched.Question) {
	*into = sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Attacker,
		Limits: q.Limits, Time: q.Time, Task: a.moves}
	if q.HasLength {
		into.Detail = &analysis.Convention{Policy: q.Length, Turning: q.Turning, Author: q.Author,
			Nodes: cmp.Or(q.Limits.Nodes, a.lengthNodes)}
		into.Variant = fmt.Sprint(q.Length, q.Turning.Mirror, q.Author)
	}
}

// answerMoves answers a question about every move: it is the Task of those. If it asks for the
// length by a convention, that decides what the best move is. Where it cannot be found out the raw
// count does, of which the shortest mates are then asked for, if they are wanted.
func (a *Answerer) answerMoves(ctx context.Context, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	began := time.Now()
	ask := func(shortest bool) (*analysis.Report, error) {
		lim := q.Limits
		lim.Shortest = shortest
		return analysis.Moves(ctx, parts, q.Position, q.Attacker, analysis.Limits{Limits: lim,
			Time: max(q.Time-time.Since(began), q.Time/8), QuickNodes: parts.QuickNodes()})
	}
	c, _ := q.Detail.(*analysis.Convention)
	isCounted := c != nil && c.Policy != length.F0 && a.scheduler.HasSessions() && a.lengthNodes == 0
	report, err := ask(q.Limits.Shortest && !isCounted)
	if err != nil {
		return nil, err
	}
	if report.Verdict == solver.Mate && c != nil {
		a.count(ctx, q, parts, report, *c, q.Time-time.Since(began))
		if isCounted && q.Limits.Shortest && report.Counted.Reason != solver.NoReason {
			raw, err := ask(true)
			if err != nil {
				return nil, err
			}
			raw.Nodes += report.Nodes
			raw.Repeatable = raw.Repeatable && report.Repeatable
			if raw.Verdict == solver.Mate {
				raw.Counted = report.Counted
				raw.Counted.Length.High = min(raw.Counted.Length.High, raw.Plies)
				report = raw
			}
		}
	}
	answer, detail := wire.NewMovesAnswer(&q.Position, q.Attacker, report), &finding{closed: !isOpen(report)}
	if a.keepValues {
		detail.value = answer
	}
	return &sched.Answer{
		Result:     solver.Result{Verdict: report.Verdict, Reason: report.Reason, Nodes: report.Nodes},
		Rendered:   wire.FieldsOf(answer),
		Elapsed:    time.Since(began),
		Repeatable: report.Repeatable,
		Detail:     detail,
	}, nil
}

// count adds what moves come to by a convention to the report of a mate. It may take what is left of
// the time, and some always.
func (a *Answerer) count(ctx context.Context, q *sched.Question, parts *sched.Parts,
	report *analysis.Report, c analysis.Convention, left time.Duration) {
	switch {
	case c.Policy == length.F0 || len(report.Moves) == 0:
		report.CountRaw(c.Policy, solver.NoReason)
		return
	case !a.scheduler.HasSessions():
		report.CountRaw(c.Policy, analysis.ReasonNotOffered)
		return
	}
	_, err := forLength(ctx, q, parts, max(left, q.Time/8),
		func(ctx context.Context, session solver.Session) solver.Result {
			report.Count(ctx, session.(*analysisSession).engine(), q.Position, q.Attacker, c)
			return solver.Result{Verdict: solver.Mate, Reason: report.Counted.Reason,
				Nodes: report.Counted.Nodes, Solver: "length"}
		})
	if err != nil {
		report.CountRaw(c.Policy, solver.ReasonOverloaded)
		report.Repeatable = false
	}
	if a.lengthNodes > 0 && report.Counted.Reason == solver.ReasonCancelled {
		report.Counted = nil
	}
}

// isOpen reports whether a later answer may know more: of a move, unless it is settled, or of a
// length.
func isOpen(r *analysis.Report) bool {
	return r.Counted != nil && r.Counted.Reason != solver.NoReason ||
		slices.ContainsFunc(r.Moves, func(m analysis.MoveVerdict) bool {
			return m.Verdict == solver.Unknown && m.Reason != solver.ReasonSettled
		})
}
