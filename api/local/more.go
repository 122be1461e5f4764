//go:build !board

package local

import (
	"context"
	"sync"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/sched"
)

// Play returns the route of games against a level, for which newEngine makes the engines.
func Play(newEngine func(level string, seed uint64) (play.Engine, error)) Route {
	var last struct { // a game goes on with the same level and seed
		sync.Mutex
		level  string
		seed   uint64
		engine play.Engine
	}
	return Route{"POST", "/v1/play", func(ctx context.Context, s *Server, r *Request) ([]byte, *wire.Problem) {
		var q wire.PlayQuestion
		if p := s.answers.Requests().Play(r.Body, &q); p != nil {
			return nil, p
		}
		if o := q.Limits.Rules.Outcome(&q.Game); o.End != play.NotOver {
			return wire.Encode(wire.NewOutcomeAnswer(&q, o)), nil
		}
		last.Lock()
		defer last.Unlock()
		if last.engine == nil || last.level != q.Level || last.seed != q.Seed {
			engine, err := newEngine(q.Level, q.Seed)
			if err != nil {
				return nil, wire.NewProblem(wire.InternalError, wire.AnswerFailed)
			}
			last.level, last.seed, last.engine = q.Level, q.Seed, engine
		}
		c := answer.Choose(ctx, last.engine, &q)
		if ctx.Err() != nil { // how far it came depends on when it was ended
			return nil, wire.NewProblem(wire.ShuttingDown, ended)
		}
		return wire.Encode(wire.NewPlayAnswer(&q, &c)), nil
	}}
}

var ended = shogi.NewText("", "The search was ended.", "探索を打ち切りました。")

// Analyze, Threat and Read are the routes of the tools of an author, Games that of those who look at
// games.
var (
	Analyze = tool("/v1/analyze", (*wire.Reader).Analyze,
		func(a *answer.Answerer, q *wire.AnalysisQuestion) (*sched.Question, []wire.Note) {
			return a.Analysis(q), q.Notes
		})
	Threat = tool("/v1/threat", (*wire.Reader).Threat,
		func(a *answer.Answerer, q *wire.ThreatQuestion) (*sched.Question, []wire.Note) {
			return a.Threat(q), nil
		})
	Games = tool("/v1/games", func(r *wire.Reader, body []byte, q *wire.GameQuestion) *wire.Problem {
		return r.Game("", body, q)
	}, func(a *answer.Answerer, q *wire.GameQuestion) (*sched.Question, []wire.Note) {
		return a.Game(q), q.Notes
	})
	Read = Route{"POST", "/v1/read", func(_ context.Context, s *Server, r *Request) ([]byte, *wire.Problem) {
		records, hands, p := s.answers.Requests().ReadText(r.Body)
		if p != nil {
			return nil, p
		}
		return wire.Encode(wire.NewReadAnswer(records, hands)), nil
	}}
)

// tool returns a route of POST for questions that a service may not offer.
func tool[Q any](path string, read func(*wire.Reader, []byte, *Q) *wire.Problem,
	question func(*answer.Answerer, *Q) (*sched.Question, []wire.Note)) Route {
	return Route{"POST", path, func(ctx context.Context, s *Server, r *Request) ([]byte, *wire.Problem) {
		var asked Q
		if p := read(s.answers.Requests(), r.Body, &asked); p != nil {
			return nil, p
		}
		if p := s.answers.Offered(); p != nil {
			return nil, p
		}
		q, notes := question(s.answers, &asked)
		return s.ask(ctx, r, q, notes, nil)
	}}
}
