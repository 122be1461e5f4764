package cli

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
)

// lengthText says how long a mate is under the policy, and by the raw count where that is another
// length. The policy has its name if it was asked for.
func lengthText(a *answered, raw *report.Verdict) string {
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
	case a.isBounded && l.Reason == string(solver.ReasonNodes):
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
