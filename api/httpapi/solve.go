package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/tsumero/tsumero/api/etag"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/sched"
)

// postSolve answers POST /v1/solve: a question in JSON, or a record.
func (s *Server) postSolve(x *responseRecorder, r *http.Request) *wire.Problem {
	asked, p := s.readQuestion(x, r)
	if p != nil {
		return p
	}
	q := newQuestion(asked)
	accepted := answerType(r.Header.Get("Accept"))
	if accepted == eventStreamType {
		s.serveEvents(r.Context(), q, asked.Missing)
		return nil
	}
	a, p := s.answer(r.Context(), q)
	if p != nil {
		return p
	}
	body := timedBody(a, asked.Missing)
	if accepted != jsonType {
		contentType := accepted
		if !isJSON(contentType) { // which is UTF-8 by definition
			contentType += "; charset=utf-8"
		}
		x.Header().Set("Content-Type", contentType)
		body = appendRecord(nil, asked, a, accepted)
	}
	_, _ = x.Write(body) // a client that is gone needs no answer
	return nil
}

// readQuestion reads the body of POST /v1/solve.
func (s *Server) readQuestion(x *responseRecorder, r *http.Request) (
	*wire.Question, *wire.Problem) {
	q := &wire.Question{}
	if opts, ok := recordOptions(r.Header.Get("Content-Type")); ok && len(x.body) > 0 {
		return q, s.readRecord(x.body, opts, r.URL.RawQuery, q)
	}
	if p := s.requests.RefuseRecordQuery(r.URL.RawQuery); p != nil {
		return nil, p
	}
	return q, s.requests.Solve(x.body, q)
}

// newQuestion returns a question as the scheduler takes it.
func newQuestion(q *wire.Question) *sched.Question {
	return &sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Attacker,
		Limits: q.Limits, Time: q.Time}
}

// getSolve answers GET /v1/solve. What it says of a proven verdict may be kept for ever.
func (s *Server) getSolve(x *responseRecorder, r *http.Request) *wire.Problem {
	var q wire.Question
	if p := s.requests.Link(r.URL.RawQuery, &q); p != nil {
		return p
	}
	a, p := s.answer(r.Context(), newQuestion(&q))
	if p != nil {
		return p
	}
	h := x.Header()
	setTiming(h, a, x.solved.source)
	if isProven(a) {
		h["Cache-Control"] = immutable
		tag := etag.Of(plainBody(a, q.Missing))
		h["Etag"] = []string{tag}
		if etag.Matches(r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Type")
			x.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	_, _ = x.Write(plainBody(a, q.Missing)) // a client that is gone needs no answer
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

// find finds the answer to q, and records what is logged of it.
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
	if q.Task == nil {
		s.metrics.solved(&a.Result)
	} else {
		s.metrics.moves.WithLabelValues(x.solved.verdict, x.solved.reason).Inc()
	}
	return a, nil
}

// setTiming says in a header what the body of a GET cannot: see elapsed_us.
func setTiming(h http.Header, a *sched.Answer, source sched.Source) {
	if source == sched.Cached {
		h["Server-Timing"] = cacheHit
		return
	}
	timing := append(make([]byte, 0, 24), "search;dur="...)
	timing = strconv.AppendFloat(timing, float64(a.Elapsed.Microseconds())/1000, 'f', 3, 64)
	h["Server-Timing"] = []string{string(timing)}
}

// searchProblem returns what a client is told of an error of the scheduler.
func (s *Server) searchProblem(err error) *wire.Problem {
	var busy *sched.OverloadedError
	if errors.As(err, &busy) {
		reason, detail := refusedSearch, "All slots for searches are taken."
		if busy.Pool == sched.Long {
			reason, detail = refusedLong, "The question needs a long search, and all slots for "+
				"those are taken."
		}
		s.metrics.refused.WithLabelValues(reason).Inc()
		p := wire.NewProblem(wire.Overloaded, detail)
		p.RetryAfter = seconds(busy.RetryAfter)
		return p
	}
	return wire.NewProblem(wire.InternalError, "The request could not be answered.")
}
