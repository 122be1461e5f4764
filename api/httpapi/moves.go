package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/sched"
)

// postMoves answers POST /v1/moves.
func (s *Server) postMoves(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.Question
	if p := s.requests.Moves(x.body, &asked); p != nil {
		return p
	}
	var q sched.Question
	if p := s.newQuestion(&asked, &q); p != nil {
		return p
	}
	q.Task = s.moves
	a, p := s.answer(r.Context(), &q)
	if p != nil {
		return p
	}
	_, _ = x.Write(timedBody(a, asked.Missing)) // a client that is gone needs no answer
	return nil
}

// answerMoves answers a question about every move: it is the Task of those.
func answerMoves(ctx context.Context, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	began := time.Now()
	report, err := analysis.Moves(ctx, parts, q.Position, q.Attacker,
		analysis.Limits{Limits: q.Limits, Time: q.Time, QuickNodes: parts.QuickNodes()})
	if err != nil {
		return nil, err
	}
	text := wire.Encode(wire.NewMovesAnswer(&q.Position, q.Attacker, report))
	text = bytes.TrimSuffix(text, []byte("}\n"))
	return &sched.Answer{
		Result:     solver.Result{Verdict: report.Verdict, Reason: report.Reason},
		Rendered:   text[:len(text):len(text)],
		Elapsed:    time.Since(began),
		Repeatable: report.Repeatable,
	}, nil
}
