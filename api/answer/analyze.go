package answer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

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
	variant := fmt.Appendf(nil, "%s %v %s %d %v %v %d %d %s", wire.AnalysisSemantics, q.Policy,
		q.Profile.Name, q.Parts, q.Scope, q.Stop, q.Nodes, q.QuestionNodes, q.Record)
	for _, m := range q.Line {
		variant = m.AppendUSI(append(variant, ' '))
	}
	return &sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Attacker, Time: q.Time,
		Task: a.analyses, Variant: string(variant), Detail: q}
}

// A finding is what is kept of a report besides its text.
type finding struct {
	sound  analysis.Answer
	closed bool // nothing is left open
}

// answerAnalysis answers a question about a problem: it is the Task of those.
func (a *Answerer) answerAnalysis(ctx context.Context, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	asked := q.Detail.(*wire.AnalysisQuestion)
	var found *analysis.Analysis
	var fault error
	progress := &analysisProgress{publish: parts.Publish}
	took, err := parts.WithSession(ctx, q.Time,
		func(ctx context.Context, session solver.Session) solver.Result {
			found, fault = a.Analyze(ctx, session, asked.Question, progress.update)
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
		found = &analysis.Analysis{Position: q.Position, Attacker: q.Attacker, Policy: asked.Policy,
			Profile: asked.Profile, Parts: asked.Parts, Reason: solver.ReasonCancelled}
	case fault != nil:
		a.logger.LogAttrs(ctx, slog.LevelError, "analysis failed", slog.String("sfen", q.SFEN),
			slog.String("error", fault.Error()))
		return nil, fault
	}
	answer := wire.NewAnalyzeAnswer(found)
	if asked.Record != "" {
		answer.Record = wire.NewRecordAnswer(report.Record(found, asked.Record, a.version))
	}
	return &sched.Answer{
		Result:     solver.Result{Verdict: found.Verdict, Reason: found.Reason, Nodes: found.Nodes},
		Rendered:   wire.FieldsOf(answer),
		Elapsed:    took,
		Repeatable: found.Repeatable,
		Detail: &finding{found.Sound, found.Verdict == solver.NoMate || found.Verdict == solver.Mate &&
			found.Sound != analysis.Unknown && len(found.Remaining) == 0},
	}, nil
}

// SoundOf returns whether the problem of an analysis is sound: "yes", "no" or "unknown", and "" for
// other answers.
func SoundOf(a *sched.Answer) string {
	if f, ok := a.Detail.(*finding); ok {
		return f.sound.String()
	}
	return ""
}
