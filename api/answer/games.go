//go:build !board

package answer

import (
	"context"
	"errors"
	"fmt"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/games"
	"github.com/tsumero/tsumero/solver/sched"
)

// Game returns a question about a game as the scheduler takes it, which may be asked if Offered
// returns nil.
func (a *Answerer) Game(q *wire.GameQuestion) *sched.Question {
	variant := fmt.Appendf(nil, "%d %d", q.Start.Ply(), q.Limits.Nodes)
	for _, m := range q.Moves {
		variant = m.AppendUSI(append(variant, ' '))
	}
	return &sched.Question{Position: q.Start, SFEN: q.Start.ProblemSFEN(), Attacker: q.Start.SideToMove(),
		Time: q.Time, Task: a.judging, Variant: string(variant), Detail: gameDetail{q}}
}

// A gameDetail is the detail of a question about a game.
type gameDetail struct{ *wire.GameQuestion }

// answer judges the game. One with marks counts as a mate, one without as none.
func (asked gameDetail) answer(ctx context.Context, _ *Answerer, q *sched.Question, parts *sched.Parts) (
	*sched.Answer, error) {
	found := &games.Game{Reason: solver.ReasonCancelled}
	var result solver.Result
	took, err := parts.WithSession(ctx, q.Time, func(ctx context.Context, session solver.Session) solver.Result {
		found = games.Judge(ctx, session, asked.Start, asked.Moves, asked.Limits)
		result = solver.Result{Verdict: solver.NoMate, Nodes: found.Nodes, Solver: "games"}
		if len(found.Marks) > 0 {
			result.Verdict = solver.Mate
		}
		return result
	})
	var busy *sched.OverloadedError
	if errors.As(err, &busy) {
		return nil, err
	} // else all who asked have cancelled
	if result.Reason = found.Reason; result.Reason != solver.NoReason {
		result.Verdict = solver.Unknown
	}
	return &sched.Answer{Result: result, Elapsed: took, Repeatable: result.Reason == solver.NoReason,
		Rendered: wire.FieldsOf(wire.NewGameAnswer(asked.Start, asked.Moves, found))}, nil
}
