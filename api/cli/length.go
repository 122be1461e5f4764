package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// addLength adds to the answer of a mate its length under the policy, and which interpositions of
// the line are futile.
func (r *run) addLength(ctx context.Context, a *answer, attacker shogi.Color,
	result *solver.Result) {
	if result.Verdict != solver.Mate {
		return
	}
	found := analysis.FoundLength{By: wire.RawLength(result)}
	if policy := *r.Length; policy != length.F0 && found.By.High > 1 { // else there is no room for a drop
		e := r.lengths.take()
		defer r.lengths.put(e)
		e.Reset() // an answer depends on no other
		found = analysis.FindLength(ctx, e, a.position, attacker, policy, result.Line,
			cmp.Or(r.Limits.Nodes, r.LengthNodes))
		a.Nodes += found.Nodes
	}
	a.isCounted, a.isBounded = r.LengthNodes == 0, r.isBounded(found.Reason)
	a.interrupted = a.interrupted || found.Reason == solver.ReasonCancelled
	if a.interrupted && !a.isCounted {
		return // nobody asked for what is half known
	}
	a.Length = wire.NewLengthAnswer(*r.Length, found.By, result, found.Reason)
	a.Length.SetFutile(a.position, result.Line, found.Futile)
	a.Length.SetLine(&a.position, found.Line)
}

// isBounded reports whether it was LengthNodes that ended the search for a length.
func (r *run) isBounded(reason solver.Reason) bool {
	return reason == solver.ReasonNodes && r.LengthNodes > 0 && r.Limits.Nodes == 0
}

// lengthText says how long a mate is under the policy, and by the raw count where that is another
// length. The policy has its name if it was asked for.
func lengthText(a *answer, raw *report.Verdict) string {
	l, isNamed := a.Length, a.isCounted
	if raw.Exact && l.High != nil && l.Low == raw.Plies && *l.High == raw.Plies {
		if isNamed {
			raw.Policy = l.Policy
		}
		return raw.Text().En
	}
	n := fmt.Sprint(l.Low)
	switch {
	case l.High == nil:
		n += " or more"
	case *l.High != l.Low:
		n += fmt.Sprintf(" to %d", *l.High)
	}
	text := "mate in " + n
	if isNamed {
		text += " by " + l.Policy
	}
	switch {
	case a.isBounded:
		text += fmt.Sprintf(", %s (--length %s)", report.Why(solver.ReasonNodes).En, l.Policy)
	case l.Reason != "":
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
