package cli

import (
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
)

// lengthText says how long a mate is under the policy, and by the raw count where that is another
// length. The policy has its name if it was asked for.
func (l Language) lengthText(a *answered, raw *report.Verdict) string {
	f, isNamed := a.Length, a.isCounted
	if raw.Exact && f.High != nil && f.Low == raw.Plies && *f.High == raw.Plies {
		if isNamed {
			raw.Policy = f.Policy
		}
		return l.verdictLine(raw)
	}
	n := l.Sprintf("%d", "%d手詰", f.Low)
	switch {
	case f.High == nil:
		n = l.Sprintf("%d or more", "%d手以上", f.Low)
	case *f.High != f.Low:
		n = l.Sprintf("%d to %d", "%d～%d手詰", f.Low, *f.High)
	}
	text := l.Text("mate in "+n, n)
	if isNamed {
		text += l.Sprintf(" by %s", "（%s）", f.Policy)
	}
	switch {
	case a.isBounded && f.Reason == string(solver.ReasonNodes):
		text += l.Sprintf(", %s (--length %s)", "、%s（--length %s）", l.In(report.Why(solver.ReasonNodes)), f.Policy)
	case f.Reason != "":
		text += l.Text(", ", "、") + l.reasonText(solver.Reason(f.Reason))
	}
	return text + l.Text("; counting every move, ", "。すべての合駒を数えると") + l.verdictLine(raw)
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
func (l Language) futileTexts(a *wire.LengthAnswer) (texts []string) {
	if a == nil {
		return nil
	}
	for _, f := range a.Futile {
		texts = append(texts, l.In(report.Say("futile_taken", "ply", strconv.Itoa(f.Ply), "move", l.Text(f.MoveEn, f.MoveJa),
			"kind", l.In(report.Say("futile_by_"+f.Type)), "capture", l.Text(f.CaptureEn, f.CaptureJa))))
	}
	return texts
}
