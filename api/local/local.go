// Package local answers requests without a server: with the same paths and the same bytes as package
// httpapi, for the one page whose browser it runs in. So a client of the service works with it as it
// is, and what a page shows does not depend on who answered.
//
// What it leaves out is what a service needs against strangers: rates, quotas, headers, logs and the
// cache. An endpoint is a Route, and a program has the code of those alone that it gives to New.
package local

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/sched"
)

// A Request is what a page asks.
type Request struct {
	Method, Path string
	Body         []byte
	// Progress, unless nil, is called with each event about a search that goes on, from another
	// goroutine than that of Serve, but not after its end.
	Progress func(event string, data []byte)
}

// A Response is the answer, or a problem in its place.
type Response struct {
	Status int
	Body   []byte
}

// A Route answers the requests for one method and path.
type Route struct {
	Method, Path string
	answer       func(ctx context.Context, s *Server, r *Request) ([]byte, *wire.Problem)
}

// maxWait is how long a question should wait for those before it, at most.
const maxWait = time.Minute

// MaxBody is how many bytes a request may have: those of a collection, which a person drops on a page.
const MaxBody = 4 << 20

// A Server answers requests. It is safe for concurrent use.
type Server struct {
	answers *answer.Answerer
	routes  []Route
}

// New returns a Server. What answers must wait for its slots as long as it takes: a page has nobody
// else to ask.
func New(answers *answer.Answerer, routes ...Route) *Server { return &Server{answers, routes} }

// Has reports whether there is a route for a path.
func (s *Server) Has(path string) bool {
	for i := range s.routes {
		if s.routes[i].Path == path {
			return true
		}
	}
	return false
}

var (
	notHere  = shogi.NewText("", "The solver of the page has no %s.", "ページ内の詰将棋エンジンに %s はありません。")
	tooLarge = shogi.NewText("", "The body has %d bytes, more than %d.",
		"本文が %d バイトあります（最大 %d バイト）。")
	otherMethod = shogi.NewText("", "%s is asked for with %s.", "%s は %s で使います。")
)

// Serve answers a request. A panic of a solver is a problem, as everywhere.
func (s *Server) Serve(ctx context.Context, r *Request) (response Response) {
	defer func() {
		if v := recover(); v != nil {
			response = failed(wire.NewProblem(wire.InternalError, wire.AnswerFailed))
		}
	}()
	problem := wire.NewProblem(wire.NotFound, notHere, r.Path)
	for i := range s.routes {
		route := &s.routes[i]
		switch {
		case route.Path != r.Path:
			continue
		case route.Method != r.Method:
			problem = wire.NewProblem(wire.MethodNotAllowed, otherMethod, r.Path, route.Method)
		case len(r.Body) > MaxBody:
			problem = wire.NewProblem(wire.TooLarge, tooLarge, len(r.Body), MaxBody)
		default:
			body, p := route.answer(ctx, s, r)
			if p == nil {
				return Response{200, body}
			}
			problem = p
		}
	}
	return failed(problem)
}

func failed(p *wire.Problem) Response { return Response{p.Status, wire.Encode(p)} }

// Solve, Moves and Limits are the routes of a board.
var (
	Solve = Route{"POST", "/v1/solve", func(ctx context.Context, s *Server, r *Request) ([]byte, *wire.Problem) {
		var asked wire.Question
		if p := s.answers.Requests().Solve(r.Body, &asked); p != nil {
			return nil, p
		}
		var q sched.Question
		s.answers.Question(&asked, &q)
		return s.ask(ctx, r, &q, asked.Notes, searchEvents())
	}}
	Moves = Route{"POST", "/v1/moves", func(ctx context.Context, s *Server, r *Request) ([]byte, *wire.Problem) {
		var asked wire.Question
		if p := s.answers.Requests().Moves(r.Body, &asked); p != nil {
			return nil, p
		}
		var q sched.Question
		s.answers.Moves(&asked, &q)
		return s.ask(ctx, r, &q, asked.Notes, nil)
	}}
	Limits = Route{"GET", "/v1/limits", func(_ context.Context, s *Server, _ *Request) ([]byte, *wire.Problem) {
		limits := s.answers.Requests().Bounds.Limits()
		limits.MaxWaitMS, limits.MaxBodyBytes, limits.MaxBatches = maxWait.Milliseconds(), MaxBody, 1
		if !s.Has("/v1/analyze") {
			limits.Analysis = nil
		}
		if !s.Has("/v1/play") {
			limits.Play = nil
		}
		return wire.Encode(limits), nil
	}}
)

// ask finds the answer to q and writes it as the body of a response. events, unless nil, tell how a
// call goes, which is nil before it begins.
func (s *Server) ask(ctx context.Context, r *Request, q *sched.Question, notes []wire.Note,
	events func(call *sched.Call, tell func(event string, data []byte))) ([]byte, *wire.Problem) {
	if r.Progress != nil && events != nil {
		var current atomic.Pointer[sched.Call]
		q.Follow = current.Store
		ended, quiet := make(chan struct{}), make(chan struct{})
		defer func() {
			close(ended)
			<-quiet
		}()
		go func() {
			defer close(quiet)
			for ticker := time.NewTicker(progressEvery); ; {
				select {
				case <-ended:
					ticker.Stop()
					return
				case <-ticker.C:
					events(current.Load(), r.Progress)
				}
			}
		}()
	}
	a, _, err := s.answers.Scheduler().Ask(ctx, q)
	if err != nil {
		return nil, wire.NewProblem(wire.InternalError, wire.AnswerFailed)
	}
	e := answer.Timed(a, notes)
	return e.AppendLine(nil), nil
}

// progressEvery is how much time lies between two events.
const progressEvery = 250 * time.Millisecond

// searchEvents returns what tells how the search for an answer goes.
func searchEvents() func(*sched.Call, func(string, []byte)) {
	began := time.Now()
	return func(call *sched.Call, tell func(string, []byte)) {
		tell("progress", wire.AppendJSON(nil, answer.ProgressOf(call, time.Since(began))))
	}
}
