package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/record"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

// analyzeBatchPath is where batches of problems to be analysed are taken.
const analyzeBatchPath = "/v1/analyze/batch"

// An analysisSession is a session and the memory of what works with it: of one thing at a time, so
// that it is no more than MemoBytes of package length besides the session's.
type analysisSession struct {
	solver.Session
	analyzer *analysis.Analyzer
	lengths  *length.Engine
}

// report makes a report with a session.
func report(ctx context.Context, session solver.Session, q analysis.Question,
	on func(analysis.Update)) (*analysis.Analysis, error) {
	s := session.(*analysisSession)
	s.lengths = nil
	if s.analyzer == nil {
		s.analyzer = analysis.NewAnalyzer(s.Session)
	}
	return s.analyzer.Analyze(ctx, q, on, nil)
}

// offered returns a problem if there are no analyses here.
func (s *Server) offered() *wire.Problem {
	if s.scheduler.HasSessions() {
		return nil
	}
	return wire.NewProblem(wire.NotOffered,
		"Analyses need more memory than this service has, so that it does not offer them.")
}

// postAnalyze answers POST /v1/analyze: a question in JSON, or a record whose moves are the
// author's.
func (s *Server) postAnalyze(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.AnalysisQuestion
	if p := s.readAnalysis(x, r, &asked); p != nil {
		return p
	}
	if p := s.offered(); p != nil {
		return p
	}
	q := s.newAnalysis(&asked)
	if answerType(r.Header.Get("Accept")) == eventStreamType {
		s.serveEvents(r.Context(), q, asked.Missing, newAnalysisEvents(x.started))
		return nil
	}
	a, p := s.answer(r.Context(), q)
	if p != nil {
		return p
	}
	_, _ = x.Write(timedBody(a, asked.Missing)) // a client that is gone needs no answer
	return nil
}

// getAnalyze answers GET /v1/analyze. A report with nothing left open may be kept for ever.
func (s *Server) getAnalyze(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.AnalysisQuestion
	if p := s.requests.AnalyzeLink(r.URL.RawQuery, &asked); p != nil {
		return p
	}
	if p := s.offered(); p != nil {
		return p
	}
	return s.answerLink(x, r, s.newAnalysis(&asked), asked.Missing)
}

// readAnalysis reads the body of POST /v1/analyze.
func (s *Server) readAnalysis(x *responseRecorder, r *http.Request,
	q *wire.AnalysisQuestion) *wire.Problem {
	opts, ok := recordOptions(r.Header.Get("Content-Type"))
	if !ok || len(x.body) == 0 {
		if p := s.requests.RefuseAnalyzeQuery(r.URL.RawQuery); p != nil {
			return p
		}
		return s.requests.Analyze(x.body, q)
	}
	return s.requests.AnalyzeRecord(r.URL.RawQuery, q,
		func() (shogi.Position, []shogi.Move, []wire.Fault) {
			record, err := notation.Parse(x.body, opts)
			if err != nil {
				return shogi.Position{}, nil, recordFaults(err)
			}
			return record.Start, record.Moves(), nil
		})
}

// newAnalysis returns a question as the scheduler takes it. Its variant is everything that the
// answer depends on besides the position.
func (s *Server) newAnalysis(q *wire.AnalysisQuestion) *sched.Question {
	variant := fmt.Appendf(nil, "%s %v %s %d %t %t %d %d %s", wire.AnalysisSemantics, q.Policy,
		q.Profile.Name, q.Parts, q.Equal, q.StopAtDefect, q.Nodes, q.QuestionNodes, q.Record)
	for _, m := range q.Line {
		variant = m.AppendUSI(append(variant, ' '))
	}
	return &sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Attacker, Time: q.Time,
		Task: s.analyses, Variant: string(variant), Detail: q}
}

// analyzeLine reads a line of a batch of problems to be analysed.
func (s *Server) analyzeLine(line []byte) (id wire.ID, q *sched.Question, missing int,
	p *wire.Problem) {
	var asked wire.AnalysisQuestion
	if id, p = s.requests.AnalyzeLine(line, &asked); p != nil {
		return id, nil, 0, p
	}
	return id, s.newAnalysis(&asked), asked.Missing, nil
}

// A finding is what is kept of a report besides its text.
type finding struct {
	sound  analysis.Answer
	closed bool // nothing is left open
}

// answerAnalysis answers a question about a problem: it is the Task of those.
func (s *Server) answerAnalysis(ctx context.Context, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	asked := q.Detail.(*wire.AnalysisQuestion)
	var a *analysis.Analysis
	var fault error
	progress := &analysisProgress{publish: parts.Publish}
	took, err := parts.WithSession(ctx, q.Time,
		func(ctx context.Context, session solver.Session) solver.Result {
			s.analyzing.begin()
			defer s.analyzing.end()
			if a, fault = s.analyze(ctx, session, asked.Question, progress.update); fault != nil {
				return solver.Result{}
			}
			return solver.Result{Verdict: a.Verdict, Reason: a.Reason, Nodes: a.Nodes, Solver: "analysis"}
		})
	var busy *sched.OverloadedError
	switch {
	case errors.As(err, &busy):
		return nil, err
	case err != nil: // nobody waits any more
		a = &analysis.Analysis{Position: q.Position, Attacker: q.Attacker, Policy: asked.Policy,
			Profile: asked.Profile, Parts: asked.Parts, Reason: solver.ReasonCancelled}
	case fault != nil:
		s.logger.LogAttrs(ctx, slog.LevelError, "analysis failed", slog.String("sfen", q.SFEN),
			slog.String("error", fault.Error()))
		return nil, fault
	}
	answer := wire.NewAnalyzeAnswer(a)
	if asked.Record != "" {
		language := record.Japanese
		if asked.Record == "en" {
			language = record.English
		}
		answer.Record = wire.NewRecordAnswer(record.FromAnalysis(a, language, s.config.Version))
	}
	text := bytes.TrimSuffix(wire.Encode(answer), []byte("}\n"))
	return &sched.Answer{
		Result:     solver.Result{Verdict: a.Verdict, Reason: a.Reason, Nodes: a.Nodes},
		Rendered:   text[:len(text):len(text)],
		Elapsed:    took,
		Repeatable: a.Repeatable,
		Detail: &finding{a.Sound, a.Verdict == solver.NoMate ||
			a.Verdict == solver.Mate && a.Sound != analysis.Unknown && len(a.Remaining) == 0},
	}, nil
}

// factsEvery is how much time lies between two looks at what is new in an analysis, at least: each
// writes the whole report.
const factsEvery = 50 * time.Millisecond

// An analysisProgress publishes how an analysis goes.
type analysisProgress struct {
	publish func(any)
	state   analysisState
	fresh   []string // pointers to what is new and not yet published
	written time.Time
}

// An analysisState is how an analysis goes, as those who follow it see it. It does not change.
type analysisState struct {
	wire.AnalyzeProgressEvent
	facts []numberedFact // the latest of each pointer, in the order in which they were found out
}

// A numberedFact is a fact and its number, by which a client is not told twice.
type numberedFact struct {
	number int
	wire.FactEvent
}

// update is called by the analysis.
func (p *analysisProgress) update(u analysis.Update) {
	p.state.AnalyzeProgressEvent = wire.AnalyzeProgressEvent{Phase: u.Phase.String(), Done: u.Done,
		Total: u.Total, Nodes: u.Nodes}
	if u.Pointer != "" && !slices.Contains(p.fresh, u.Pointer) {
		p.fresh = append(p.fresh, u.Pointer)
	}
	if now := time.Now(); len(p.fresh) > 0 && now.Sub(p.written) >= factsEvery {
		p.written = now
		p.add(wire.FactsOf(wire.NewAnalyzeAnswer(u.Report()), p.fresh))
		p.fresh = p.fresh[:0]
	}
	state := p.state
	p.publish(&state)
}

// add puts new facts into a copy of those that there are.
func (p *analysisProgress) add(facts []wire.FactEvent) {
	number := 0
	if n := len(p.state.facts); n > 0 {
		number = p.state.facts[n-1].number
	}
	all := slices.DeleteFunc(slices.Clone(p.state.facts), func(old numberedFact) bool {
		return slices.ContainsFunc(facts, func(f wire.FactEvent) bool { return f.Pointer == old.Pointer })
	})
	for _, f := range facts {
		number++
		all = append(all, numberedFact{number, f})
	}
	p.state.facts = all
}

// newAnalysisEvents returns what tells one client how an analysis goes: what is new since the last
// time.
func newAnalysisEvents(began time.Time) progressEvents {
	told := 0
	return func(e *eventStream, call *sched.Call) error {
		event := wire.AnalyzeProgressEvent{Phase: "waiting"}
		var facts []numberedFact
		if call != nil && call.Progress() != nil {
			event.Phase = analysis.Phase(0).String()
			if state, ok := call.Published().(*analysisState); ok {
				event, facts = state.AnalyzeProgressEvent, state.facts
			}
		}
		event.ElapsedMS = time.Since(began).Milliseconds()
		if err := e.send("progress", wire.Encode(&event)); err != nil {
			return err
		}
		for _, f := range facts {
			if f.number <= told {
				continue
			}
			if err := e.send("fact", wire.Encode(&f.FactEvent)); err != nil {
				return err
			}
			told = f.number
		}
		return nil
	}
}

// soundOf returns whether the problem of a report is sound, "" for other answers.
func soundOf(a *sched.Answer) string {
	if f, ok := a.Detail.(*finding); ok {
		return f.sound.String()
	}
	return ""
}

// isBatch reports whether a path is that of a batch.
func isBatch(path string) bool {
	return path == batchPath || path == analyzeBatchPath
}
