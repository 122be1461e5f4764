package httpapi

import (
	"net/http"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/sched"
)

// analyzeBatchPath is where batches of problems to be analysed are taken.
const analyzeBatchPath = "/v1/analyze/batch"

// postAnalyze answers POST /v1/analyze: a question in JSON, or a record whose moves are the
// author's.
func (s *Server) postAnalyze(x *responseRecorder, r *http.Request) *wire.Problem {
	q, notes, p := s.analysis(x, r)
	if p != nil {
		return p
	}
	return s.answerBody(x, r, q, notes)
}

// postAnalyzeEvents answers POST /v1/analyze/events.
func (s *Server) postAnalyzeEvents(x *responseRecorder, r *http.Request) *wire.Problem {
	q, notes, p := s.analysis(x, r)
	if p == nil {
		s.serveEvents(r.Context(), q, notes, newAnalysisEvents(x.started))
	}
	return p
}

// analysis reads the body of POST /v1/analyze.
func (s *Server) analysis(x *responseRecorder, r *http.Request) (*sched.Question, []wire.Note,
	*wire.Problem) {
	var asked wire.AnalysisQuestion
	p := s.readAnalysis(x, r, &asked)
	if p == nil {
		p = s.answers.Offered()
	}
	if p != nil {
		return nil, nil, p
	}
	return s.answers.Analysis(&asked), asked.Notes, nil
}

// getAnalyze answers GET /v1/analyze. A report with nothing left open may be kept for ever.
func (s *Server) getAnalyze(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.AnalysisQuestion
	if p := s.requests.AnalyzeLink(r.URL.RawQuery, &asked); p != nil {
		return p
	}
	if p := s.answers.Offered(); p != nil {
		return p
	}
	return s.answerLink(x, r, s.answers.Analysis(&asked), asked.Notes)
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
		func() (*notation.Record, []wire.Fault) {
			record, err := notation.Parse(x.body, opts)
			if err != nil {
				return nil, wire.RecordFaults("body", err)
			}
			return record, nil
		})
}

// newAnalysisEvents returns a function that sends a client the progress of an analysis, and the
// facts that are new since its last call.
func newAnalysisEvents(began time.Time) progressEvents {
	last := 0 // the number of the last fact that was sent
	return func(e *eventStream, call *sched.Call) error {
		event := wire.AnalyzeProgressEvent{Phase: "waiting"}
		var facts []answer.NumberedFact
		if call != nil && call.Progress() != nil {
			event.Phase = analysis.Phase(0).String()
			if state, ok := call.Published().(*answer.AnalysisState); ok {
				event, facts = state.AnalyzeProgressEvent, state.Facts
			}
		}
		event.ElapsedMS = time.Since(began).Milliseconds()
		if err := e.send("progress", wire.AppendJSON(nil, &event)); err != nil {
			return err
		}
		for _, f := range facts {
			if f.Number <= last {
				continue
			}
			if err := e.send("fact", wire.AppendJSON(nil, &f.FactEvent)); err != nil {
				return err
			}
			last = f.Number
		}
		return nil
	}
}

// isBatch reports whether a path is that of a batch.
func isBatch(path string) bool {
	return path == batchPath || path == analyzeBatchPath
}
