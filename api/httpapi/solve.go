package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/sched"
)

// solving is the memory that it takes to answer a question.
type solving struct {
	asked    wire.Question
	question sched.Question
	body     []byte
}

var solvings = sync.Pool{New: func() any { return new(solving) }}

// keepAnswer is the largest body whose memory is kept.
const keepAnswer = 4 << 10

// postSolve answers POST /v1/solve: a question in JSON, or a record.
func (s *Server) postSolve(x *responseRecorder, r *http.Request) *wire.Problem {
	w := solvings.Get().(*solving)
	p := s.solve(x, r, w)
	if cap(w.body) <= keepAnswer {
		*w = solving{body: w.body[:0]}
		solvings.Put(w)
	}
	return p
}

func (s *Server) solve(x *responseRecorder, r *http.Request, w *solving) *wire.Problem {
	a, p := s.answerQuestion(x, r, w)
	if p != nil {
		return p
	}
	e := answer.Timed(a, w.asked.Notes)
	w.body = e.AppendLine(w.body)
	_, _ = x.Write(w.body) // a client that is gone needs no answer
	return nil
}

// postSolveRecord answers POST /v1/solve/record/{format}.
func (s *Server) postSolveRecord(format notation.Format) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		var w solving
		a, p := s.answerQuestion(x, r, &w)
		if p != nil {
			return p
		}
		e := answer.Plain(a, w.asked.Notes)
		body, err := answerRecord(e.AppendLine(nil), &w.asked.Position, format)
		if err != nil {
			panic(err) // it reads what it has just written
		}
		setRecordType(x.Header(), format)
		_, _ = x.Write(body)
		return nil
	}
}

// postSolveEvents answers POST /v1/solve/events.
func (s *Server) postSolveEvents(x *responseRecorder, r *http.Request) *wire.Problem {
	var w solving
	if p := s.readQuestion(x, r, &w.asked); p != nil {
		return p
	}
	s.answers.Question(&w.asked, &w.question)
	s.serveEvents(r.Context(), &w.question, w.asked.Notes, searchEvents(x.started))
	return nil
}

// answerQuestion reads the body of a question, and answers it.
func (s *Server) answerQuestion(x *responseRecorder, r *http.Request, w *solving) (*sched.Answer,
	*wire.Problem) {
	if p := s.readQuestion(x, r, &w.asked); p != nil {
		return nil, p
	}
	s.answers.Question(&w.asked, &w.question)
	return s.answer(r.Context(), &w.question)
}

// readQuestion reads the body of POST /v1/solve.
func (s *Server) readQuestion(x *responseRecorder, r *http.Request,
	q *wire.Question) *wire.Problem {
	if opts, ok := recordOptions(r.Header.Get("Content-Type")); ok && len(x.body) > 0 {
		return s.readRecord(x.body, opts, r.URL.RawQuery, q)
	}
	if p := s.requests.RefuseRecordQuery(r.URL.RawQuery); p != nil {
		return p
	}
	return s.requests.Solve(x.body, q)
}

// getSolve answers GET /v1/solve. What it says of a proven verdict may be kept for ever.
func (s *Server) getSolve(x *responseRecorder, r *http.Request) *wire.Problem {
	var q wire.Question
	if p := s.requests.Link(r.URL.RawQuery, &q); p != nil {
		return p
	}
	var asked sched.Question
	s.answers.Question(&q, &asked)
	return s.answerLink(x, r, &asked, q.Notes)
}

// answerBody answers a POST with the answer to q.
func (s *Server) answerBody(x *responseRecorder, r *http.Request, q *sched.Question,
	notes []wire.Note) *wire.Problem {
	a, p := s.answer(r.Context(), q)
	if p != nil {
		return p
	}
	e := answer.Timed(a, notes)
	_, _ = x.Write(e.AppendLine(nil)) // a client that is gone needs no answer
	return nil
}

// answerLink answers a GET with the answer to q, which may be kept for ever if it is proven.
func (s *Server) answerLink(x *responseRecorder, r *http.Request, q *sched.Question,
	notes []wire.Note) *wire.Problem {
	a, p := s.answer(r.Context(), q)
	if p != nil {
		return p
	}
	h := x.Header()
	setTiming(h, a, x.solved.source)
	e := answer.Plain(a, notes)
	body := e.AppendLine(nil)
	if answer.IsProven(a) {
		h["Cache-Control"] = immutable
		tag := httpheader.ETag(body)
		h["Etag"] = []string{tag}
		if httpheader.MatchesETag(r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Type")
			x.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	_, _ = x.Write(body) // a client that is gone needs no answer
	return nil
}

// Header values that do not vary.
var (
	immutable  = []string{"public, max-age=31536000, immutable"}
	noStore    = []string{"no-store"}
	jsonHeader = []string{jsonType}
	cacheHit   = []string{`cache;desc="hit"`}
)

// answer finds the answer to q and sets the headers that all answers have.
func (s *Server) answer(ctx context.Context, q *sched.Question) (*sched.Answer, *wire.Problem) {
	x := recorderOf(ctx)
	a, p := s.find(x, ctx, q)
	if p != nil {
		return nil, p
	}
	h := x.Header()
	h["Content-Type"] = jsonHeader
	h["Cache-Control"] = noStore
	return a, nil
}

// find finds the answer to q, and notes it for the log and the metrics.
func (s *Server) find(x *responseRecorder, ctx context.Context, q *sched.Question) (
	*sched.Answer, *wire.Problem) {
	q.Client = &x.client.account
	a, source, err := s.scheduler.Ask(ctx, q)
	if err != nil {
		p := s.searchProblem(err)
		p.RequestID = x.id
		return nil, p
	}
	x.solved = solvedBy(a, source)
	s.count(q, a)
	return a, nil
}

// count counts an answer, by what was asked.
func (s *Server) count(q *sched.Question, a *sched.Answer) {
	verdict, reason := a.Result.Verdict.String(), string(a.Result.Reason)
	switch s.answers.KindOf(q) {
	case answer.Solve:
		s.metrics.solved(&a.Result)
	case answer.Moves:
		s.metrics.moves.WithLabelValues(verdict, reason).Inc()
	case answer.Analyze:
		s.metrics.analyses.WithLabelValues(verdict, answer.SoundOf(a), reason).Inc()
	}
}

// setTiming sets the time of the search in a header: the body of a GET has no elapsed_us, since the
// same question must get the same bytes.
func setTiming(h http.Header, a *sched.Answer, source sched.Source) {
	if source == sched.Cached {
		h["Server-Timing"] = cacheHit
		return
	}
	timing := append(make([]byte, 0, 24), "search;dur="...)
	timing = strconv.AppendFloat(timing, float64(a.Elapsed.Microseconds())/1000, 'f', 3, 64)
	h["Server-Timing"] = []string{string(timing)}
}

// searchProblem returns the problem for an error of the scheduler.
func (s *Server) searchProblem(err error) *wire.Problem {
	var busy *sched.OverloadedError
	if errors.As(err, &busy) {
		reason, detail := refusedSearch, searchSlots
		switch busy.Pool {
		case sched.Long:
			reason, detail = refusedLong, longSlots
		case sched.Analysis:
			reason, detail = refusedAnalysis, analysisSlots
		case sched.Play:
			reason, detail = refusedPlay, playSlots
		case sched.Picture, sched.Animation:
			reason, detail = refusedPicture, pictureSlots
		}
		s.metrics.refused.WithLabelValues(reason).Inc()
		p := wire.NewProblem(wire.Overloaded, detail)
		p.RetryAfter = seconds(busy.RetryAfter)
		return p
	}
	return wire.NewProblem(wire.InternalError, wire.AnswerFailed)
}
