package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/sched"
)

// defaultPlayNodes is the limit of nodes of a request that has none.
const defaultPlayNodes = 50_000

// maxPlayTime is when a search for a move is given up. It is no limit that answers depend on: nodes
// end every search long before on a machine that is not stuck, and a search that it ends has no
// answer.
const maxPlayTime = 30 * time.Second

// errPlayUnfinished is why there is no move: its search was ended before its nodes were.
var errPlayUnfinished = errors.New("httpapi: the search for a move was ended")

// playCaching lets copies be kept for a day: the same question has the same answer, until another
// version of the program plays differently.
var playCaching = []string{"public, max-age=86400"}

// postPlay answers POST /v1/play.
func (s *Server) postPlay(x *responseRecorder, r *http.Request) *wire.Problem {
	if p := s.playOffered(); p != nil {
		return p
	}
	var asked wire.PlayQuestion
	if p := s.requests.Play(x.body, &asked); p != nil {
		return p
	}
	a, p := s.play(x, r, &asked)
	if a == nil {
		return p
	}
	h := x.Header()
	h["Content-Type"], h["Cache-Control"] = jsonHeader, noStore
	_, _ = x.Write(a.Rendered) // a client that is gone needs no answer
	return nil
}

// getPlay answers GET /v1/play.
func (s *Server) getPlay(x *responseRecorder, r *http.Request) *wire.Problem {
	if p := s.playOffered(); p != nil {
		return p
	}
	var asked wire.PlayQuestion
	if p := s.requests.PlayLink(r.URL.RawQuery, &asked); p != nil {
		return p
	}
	a, p := s.play(x, r, &asked)
	if a == nil {
		return p
	}
	h := x.Header()
	setTiming(h, a, x.solved.source)
	h["Cache-Control"] = playCaching
	if httpheader.NotModified(x, r, httpheader.ETag(a.Rendered)) {
		return nil
	}
	h["Content-Type"] = jsonHeader
	_, _ = x.Write(a.Rendered) // likewise
	return nil
}

// playOffered returns a problem if nothing plays here.
func (s *Server) playOffered() *wire.Problem {
	if s.scheduler.HasPlay() {
		return nil
	}
	return wire.NewProblem(wire.NotOffered, noPlay)
}

// play returns the answer to q. It returns neither an answer nor a problem if the client is gone.
func (s *Server) play(x *responseRecorder, r *http.Request, q *wire.PlayQuestion) (
	*sched.Answer, *wire.Problem) {
	ctx, p := r.Context(), q.Game.Position()
	a, source, err := s.scheduler.Ask(ctx, &sched.Question{Position: p, SFEN: p.SFEN(),
		Attacker: p.SideToMove(), Time: maxPlayTime, Task: s.plays, Variant: playVariant(q),
		Detail: q, Client: &x.client.account})
	switch {
	case err == nil:
		x.solved = solved{level: q.Level, source: source}
		s.metrics.playAnswers.WithLabelValues(q.Level, a.Detail.(string)).Inc()
		return a, nil
	case s.isEnding(ctx):
		problem := wire.NewProblem(wire.ShuttingDown, playEnded)
		problem.RetryAfter = 1
		return nil, problem
	case ctx.Err() != nil:
		return nil, nil
	case errors.Is(err, errPlayUnfinished):
		problem := wire.NewProblem(wire.Overloaded, playSlow, maxPlayTime)
		problem.RetryAfter = seconds(s.config.PlayWait)
		return nil, problem
	}
	return nil, s.searchProblem(err)
}

// playVariant is everything that an answer depends on besides the position.
func playVariant(q *wire.PlayQuestion) string {
	l, start := &q.Limits, q.Game.Start()
	variant := fmt.Appendf(nil, "%s %d %d %d %d %d %d %s", q.Level, q.Seed, l.Nodes, l.Depth,
		l.Rules.MaxMoves, l.Rules.LastMove, l.Rules.EnteringKing, start.SFEN())
	for _, m := range q.Game.Moves() {
		variant = m.AppendUSI(append(variant, ' '))
	}
	return string(variant)
}

// answerPlay answers a question about a game: it is the Task of those. The Detail of its answers is
// the outcome, empty for a game that goes on.
func (s *Server) answerPlay(ctx context.Context, question *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	q := question.Detail.(*wire.PlayQuestion)
	if o := q.Limits.Rules.Outcome(&q.Game); o.End != play.NotOver {
		return playAnswer(wire.NewOutcomeAnswer(q, o), 0), nil
	}
	var c play.Choice
	var fault error
	took, err := parts.WithPlaySlot(ctx, question.Time, func(ctx context.Context) {
		s.playing.begin()
		defer s.playing.end()
		began := time.Now()
		c, fault = s.choose(ctx, q)
		s.metrics.playSeconds.WithLabelValues(q.Level).Observe(time.Since(began).Seconds())
		s.metrics.playNodes.WithLabelValues(q.Level).Add(float64(c.Nodes))
		if ctx.Err() != nil && fault == nil {
			fault = errPlayUnfinished // how far it came depends on the load
		}
	})
	if err = errors.Join(err, fault); err != nil {
		return nil, err
	}
	return playAnswer(wire.NewPlayAnswer(q, &c), took), nil
}

// choose has an engine choose a move.
func (s *Server) choose(ctx context.Context, q *wire.PlayQuestion) (play.Choice, error) {
	taken, err := s.engines.take(q.Level, q.Seed)
	if err != nil {
		return play.Choice{}, err
	}
	var back freeEngine // none after a panic
	defer func() { s.engines.done(back) }()
	c := answer.Choose(ctx, taken.engine, q)
	back = taken
	return c, nil
}

// An enginePool keeps engines that are not in use: to make one may take a tenth of the time of a
// search. It must not be asked for more engines at once than its capacity.
type enginePool struct {
	make     func(level string, seed uint64) (play.Engine, error)
	capacity int

	mu   sync.Mutex
	used int          // engines that are in use
	free []freeEngine // the one kept last is last; no more than capacity together with used
}

// A freeEngine is an engine and what it was made of.
type freeEngine struct {
	level  string
	seed   uint64
	engine play.Engine
}

// take returns an engine; done must follow if there is no error.
func (p *enginePool) take(level string, seed uint64) (freeEngine, error) {
	p.mu.Lock()
	p.used++
	for i, e := range slices.Backward(p.free) {
		if e.level == level && e.seed == seed {
			p.free = slices.Delete(p.free, i, i+1)
			p.mu.Unlock()
			return e, nil
		}
	}
	if p.used+len(p.free) > p.capacity {
		p.free = slices.Delete(p.free, 0, 1)
	}
	p.mu.Unlock()
	engine, err := p.make(level, seed)
	if err != nil {
		p.done(freeEngine{})
	}
	return freeEngine{level, seed, engine}, err
}

// done says that an engine is not in use any more, and keeps it unless it is the zero one.
func (p *enginePool) done(e freeEngine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used--
	if e.engine != nil {
		p.free = append(p.free, e)
	}
}

func playAnswer(a *wire.PlayAnswer, took time.Duration) *sched.Answer {
	text := wire.Encode(a)
	return &sched.Answer{Rendered: text[:len(text):len(text)], Elapsed: took, Repeatable: true,
		Detail: a.Outcome}
}
