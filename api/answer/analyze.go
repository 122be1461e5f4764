//go:build !board

package answer

import (
	"context"
	"errors"
	"fmt"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/sched"
)

// analyze makes a report with a session.
func analyze(ctx context.Context, session solver.Session, q analysis.Question,
	on func(analysis.Update)) (*analysis.Analysis, error) {
	s := session.(*analysisSession)
	s.lengths = nil
	if s.analyzer == nil {
		s.analyzer = analysis.NewAnalyzer(s.Session)
	}
	return s.analyzer.Analyze(ctx, q, on, nil)
}

// Offered returns a problem if there are no sessions, which analyses and lengths need.
func (a *Answerer) Offered() *wire.Problem {
	if a.scheduler.HasSessions() {
		return nil
	}
	return wire.NewProblem(wire.NotOffered, noAnalyses)
}

// Analysis returns a question about a problem as the scheduler takes it, which may be asked if
// Offered returns nil. Its variant is everything that the answer depends on besides the position.
func (a *Answerer) Analysis(q *wire.AnalysisQuestion) *sched.Question {
	variant := fmt.Appendf(nil, "%s %v %s %d %v %v %d %d %s %d", wire.AnalysisSemantics, q.Policy,
		q.Profile.Name, q.Parts, q.Scope, q.Stop, q.Nodes, q.QuestionNodes, q.Record, q.Told)
	for _, m := range q.Line {
		variant = m.AppendUSI(append(variant, ' '))
	}
	return &sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Attacker, Time: q.Time,
		Task: a.analyses, Variant: string(variant), Detail: analysisDetail{q}}
}

// An analysisDetail is the detail of a question about a problem.
type analysisDetail struct{ *wire.AnalysisQuestion }

// answer makes a report.
func (asked analysisDetail) answer(ctx context.Context, a *Answerer, q *sched.Question,
	parts *sched.Parts) (*sched.Answer, error) {
	work := a.Analyze
	if work == nil {
		work = analyze
	}
	var found *analysis.Analysis
	var fault error
	progress := &analysisProgress{publish: parts.Publish}
	took, err := parts.WithSession(ctx, q.Time,
		func(ctx context.Context, session solver.Session) solver.Result {
			found, fault = work(ctx, session, asked.Question, progress.update)
			if fault != nil {
				return solver.Result{}
			}
			return solver.Result{Verdict: found.Verdict, Reason: found.Reason, Nodes: found.Nodes,
				Solver: "analysis"}
		})
	var busy *sched.OverloadedError
	switch {
	case errors.As(err, &busy):
		return nil, err
	case err != nil: // all who asked have cancelled
		found = &analysis.Analysis{Position: q.Position, Attacker: q.Attacker, Policy: asked.Policy, Told: asked.Told,
			Profile: asked.Profile, Parts: asked.Parts, Reason: solver.ReasonCancelled}
	case fault != nil:
		a.failed(ctx, q.SFEN, fault)
		return nil, fault
	}
	answer := wire.NewAnalyzeAnswer(found)
	if asked.Record != "" {
		answer.Record = wire.NewRecordAnswer(report.Record(found, asked.Record, a.version),
			report.Submission(found, asked.Record, "", ""))
	}
	return &sched.Answer{
		Result:     solver.Result{Verdict: found.Verdict, Reason: found.Reason, Nodes: found.Nodes},
		Rendered:   wire.FieldsOf(answer),
		Elapsed:    took,
		Repeatable: found.Repeatable,
		Detail: &finding{sound: found.Sound, closed: found.Verdict == solver.NoMate ||
			found.Verdict == solver.Mate && found.Sound != analysis.Unknown && len(found.Remaining) == 0},
	}, nil
}
