//go:build !board

package answer

import (
	"context"
	"errors"
	"fmt"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
	"github.com/tsumero/tsumero/solver/threat"
)

// Threat returns a question about a mate threat or a brinkmate as the scheduler takes it, which may be
// asked if Offered returns nil.
func (a *Answerer) Threat(q *wire.ThreatQuestion) *sched.Question {
	return &sched.Question{Position: q.Position, SFEN: q.SFEN, Attacker: q.Attacker(),
		Limits: solver.Limits{Nodes: q.Limits.Nodes}, Time: q.Time, Task: a.threats,
		Variant: fmt.Sprint(q.Kind, q.Limits), Detail: threatQuestion{q}}
}

// A threatQuestion is a detail.
type threatQuestion struct{ *wire.ThreatQuestion }

func (t threatQuestion) answer(ctx context.Context, a *Answerer, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	var r threat.Result
	took, err := parts.WithSession(ctx, q.Time, func(ctx context.Context, session solver.Session) solver.Result {
		r, _ = t.Ask(ctx, threat.New(session)) // the question is valid
		return resultOf(&r)
	})
	if _, isBusy := errors.AsType[*sched.OverloadedError](err); isBusy {
		return nil, err
	} else if err != nil { // all who asked have left
		r = threat.Result{Reason: solver.ReasonCancelled}
	}
	result := resultOf(&r)
	return &sched.Answer{Result: result, Rendered: wire.FieldsOf(wire.NewThreatAnswer(t.ThreatQuestion, &r)),
		Elapsed: took, Repeatable: result.IsRepeatable(), Detail: &finding{closed: r.Verdict != threat.Unknown}}, nil
}

// resultOf returns what is told of a threat as of a search: whether the attacker gets what was asked
// about.
func resultOf(r *threat.Result) solver.Result {
	v := solver.Mate
	switch r.Verdict {
	case threat.Unknown:
		v = solver.Unknown
	case threat.NoThreat, threat.None:
		v = solver.NoMate
	}
	return solver.Result{Verdict: v, Reason: r.Reason, Nodes: r.Nodes, Solver: "threat"}
}
