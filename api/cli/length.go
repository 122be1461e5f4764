package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// addLength adds to the answer of a mate its length under the policy, and which interpositions of
// the line are futile.
func (r *run) addLength(ctx context.Context, a *answer, attacker shogi.Color,
	result *solver.Result) {
	if result.Verdict != solver.Mate {
		return
	}
	by, reason := wire.RawLength(result), solver.NoReason
	var futile map[int]length.Reply
	if policy := *r.Length; policy != length.F0 && by.High > 1 { // else there is no room for a drop
		e := r.lengths.take()
		defer r.lengths.put(e)
		e.Begin(attacker, policy)
		e.Forget() // what another question has left would change the nodes
		var n int
		n, reason = e.Within(ctx, a.position, by.High, r.Limits.Nodes)
		a.Nodes += e.Nodes()
		if raw := result.Plies(); reason == solver.NoReason {
			by = length.Exactly(n)
		} else {
			by = length.Interval{Low: min(n+(raw-n)&1, raw), High: raw}
		}
		futile = r.findFutile(ctx, e, a, attacker, result.Line)
	}
	a.Length = wire.NewLengthAnswer(*r.Length, by, result, reason)
	a.Length.SetFutile(a.position, result.Line, futile)
	a.interrupted = a.interrupted || reason == solver.ReasonCancelled
}

// findFutile returns the futile drops of a line, by their index. One of which it is not decided
// within the limits is none.
func (r *run) findFutile(ctx context.Context, e *length.Engine, a *answer, attacker shogi.Color,
	line []shogi.Move) map[int]length.Reply {
	futile := map[int]length.Reply{}
	p := a.position
	for i, m := range line {
		if p.SideToMove() != attacker && m.IsDrop() {
			replies, _ := e.Replies(ctx, p, len(line)-i, r.Limits.Nodes)
			a.Nodes += e.Nodes()
			for _, reply := range replies {
				if reply.Move == m && reply.Futile != length.NotFutile {
					futile[i] = reply
				}
			}
		}
		p.Do(m)
	}
	return futile
}

// lengthText says how long a mate is under the policy, and by the raw count where that is another
// length.
func lengthText(l *wire.LengthAnswer, raw *report.Verdict) string {
	if raw.Exact && l.High != nil && l.Low == raw.Plies && *l.High == raw.Plies {
		raw.Policy = l.Policy
		return raw.Text().En
	}
	n := fmt.Sprint(l.Low)
	switch {
	case l.High == nil:
		n += " or more"
	case *l.High != l.Low:
		n += fmt.Sprintf(" to %d", *l.High)
	}
	text := fmt.Sprintf("mate in %s by %s", n, l.Policy)
	if l.Reason != "" {
		text += ", " + reasonText(solver.Reason(l.Reason))
	}
	return text + "; counting every move, " + raw.Text().En
}

// markFutile returns the moves of a line in Japanese with the futile drops marked.
func markFutile(moves []string, l *wire.LengthAnswer) []string {
	if l == nil {
		return moves
	}
	marked := slices.Clone(moves)
	for _, f := range l.Futile {
		marked[f.Ply-1] += report.Say("futile_mark").Ja
	}
	return marked
}

// futileTexts say why drops of a line are futile.
func futileTexts(l *wire.LengthAnswer) (texts []string) {
	if l == nil {
		return nil
	}
	for _, f := range l.Futile {
		texts = append(texts, report.Say("futile_taken", "ply", strconv.Itoa(f.Ply),
			"move", f.MoveEn, "kind", report.Say("futile_by_"+f.Type).En, "capture", f.CaptureEn).En)
	}
	return texts
}
