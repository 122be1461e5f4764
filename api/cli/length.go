package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// A futileDrop is a drop of the shown line that the policy does not count.
type futileDrop struct {
	ply int // of the line, from 1
	length.Reply
}

// addLength adds to the answer of a mate its length under the policy, and which interpositions of
// the line are futile.
func (r *run) addLength(ctx context.Context, a *answer) {
	if a.result.Verdict != solver.Mate {
		return
	}
	by, reason := wire.RawLength(&a.result), solver.NoReason
	if policy := *r.Length; policy != length.F0 && by.High > 1 { // else there is no room for a drop
		e := r.lengths.take()
		defer r.lengths.put(e)
		e.Begin(a.attacker, policy)
		e.Forget() // what another question has left would change the nodes
		var n int
		n, reason = e.Within(ctx, a.position, by.High, r.Limits.Nodes)
		a.addNodes(e.Nodes())
		if by = length.Exactly(n); reason != solver.NoReason {
			by = length.Interval{Low: min(n+(a.plies-n)&1, a.plies), High: a.plies}
		}
		a.futile = r.findFutile(ctx, e, a)
	}
	a.Length = wire.NewLengthAnswer(*r.Length, by, &a.result, reason)
	a.interrupted = a.interrupted || reason == solver.ReasonCancelled
}

func (a *answer) addNodes(n uint64) {
	a.result.Nodes += n
	a.Nodes += n
}

// findFutile returns the futile drops of the line. One of which it is not decided within the limits
// is none.
func (r *run) findFutile(ctx context.Context, e *length.Engine, a *answer) (all []futileDrop) {
	p := a.position
	for i, m := range a.result.Line {
		if p.SideToMove() != a.attacker && m.IsDrop() {
			replies, _ := e.Replies(ctx, p, a.plies-i, r.Limits.Nodes)
			a.addNodes(e.Nodes())
			for _, reply := range replies {
				if reply.Move == m && reply.Futile != length.NotFutile {
					all = append(all, futileDrop{i + 1, reply})
				}
			}
		}
		p.Do(m)
	}
	return all
}

// lengthText says how long a mate is under the policy, and by the raw count where that is another
// length, which verdict says.
func lengthText(l *wire.LengthAnswer, verdict string) string {
	n := fmt.Sprint(l.Low)
	switch {
	case l.High == nil:
		n += " or more"
	case *l.High != l.Low:
		n += fmt.Sprintf(" to %d", *l.High)
	}
	text := fmt.Sprintf("mate in %s by %s", n, l.Policy)
	isRaw := l.Low == l.Raw.Low && l.High != nil && l.Raw.High != nil && *l.High == *l.Raw.High
	rest, isExact := strings.CutPrefix(verdict, fmt.Sprintf("mate in %d:", l.Raw.Low))
	if isRaw && isExact {
		return text + ":" + rest
	}
	if l.Reason != "" {
		text += ", " + reasonText(solver.Reason(l.Reason))
	}
	return text + "; counting every move, " + verdict
}

// markFutile returns the moves of a line in Japanese with the futile drops marked.
func markFutile(moves []string, futile []futileDrop) []string {
	marked := append([]string(nil), moves...)
	for _, f := range futile {
		marked[f.ply-1] += "(無駄合)"
	}
	return marked
}

// futileText says why a drop of the line is futile.
func futileText(p shogi.Position, line []shogi.Move, f *futileDrop) string {
	for _, m := range line[:f.ply-1] {
		p.Do(m)
	}
	drop := string(notation.AppendEnglish(nil, &p, f.Move))
	p.Do(f.Move)
	return fmt.Sprintf("ply %d: %s is futile (type %s): taken by %s, nothing changes", f.ply, drop,
		f.Futile, notation.AppendEnglish(nil, &p, f.Capture))
}
