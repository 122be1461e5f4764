package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// signs are those of marks, which need no colour.
var signs = [...]string{report.Pass: "✓", report.Futile: "✓", report.Note: "≈", report.Open: "?",
	report.Fail: "✗"}

// A reportWriter writes a report for people.
type reportWriter struct {
	*report.Writer
	out      *bufio.Writer
	a        *analysis.Analysis
	language Language
}

func newReportWriter(out *bufio.Writer, a *analysis.Analysis, language Language) *reportWriter {
	return &reportWriter{report.Of(a), out, a, language}
}

// say returns a text in the language of the report.
func (w *reportWriter) say(t report.Text) string { return w.language.In(t) }

func (w *reportWriter) text(ja, en string) string { return w.say(report.Text{Ja: ja, En: en}) }

// printSummary writes one line about a problem: where it is, and what it comes to.
func printSummary(out *bufio.Writer, q *Question, a *analysed, language Language) {
	w := newReportWriter(out, a.Analysis, language)
	where := w.text(q.place().Japanese(), q.place().String())
	if where == "" {
		where = a.Position.ProblemSFEN()
	}
	var parts []string
	for _, t := range append(w.Missing(), w.Head()) {
		parts = append(parts, w.say(t))
	}
	switch {
	case a.Verdict != solver.Mate:
	case a.Sound == analysis.No:
		parts = append(parts, w.say(w.Defects()))
	default:
		parts = append(parts, w.say(w.Sound()))
	}
	for _, t := range append(w.Told(), w.Author()...) {
		parts = append(parts, w.say(t))
	}
	sign := signs[max(report.SoundMark(w.a), report.AuthorMark(w.a))]
	fmt.Fprintf(out, "%s %s: %s\n", sign, where, strings.Join(parts, w.text("。", "; ")))
}

// printReport writes the whole report on a problem.
func printReport(out *bufio.Writer, q *Question, a *analysed, language Language) {
	w := newReportWriter(out, a.Analysis, language)
	if where := w.text(q.place().Japanese(), q.place().String()); where != "" {
		w.line(0, where)
	}
	w.line(0, a.Position.ProblemSFEN())
	for _, t := range append(w.Missing(), w.Head()) {
		w.line(0, w.say(t))
	}
	if a.Verdict == solver.Mate {
		w.line(0, signs[report.SoundMark(w.a)]+" "+w.say(w.Sound()))
	}
	for _, t := range w.Told() {
		w.line(0, signs[report.Fail]+" "+w.say(t))
	}
	sign := ""
	if report.AuthorMark(w.a) == report.Fail {
		sign = signs[report.Fail] + " "
	}
	for _, t := range w.Author() {
		w.line(0, sign+w.say(t))
	}
	for _, t := range w.Leftover() {
		w.line(0, w.say(t))
	}
	if t := w.say(report.ThemesText(a.Themes)); t != "" {
		w.line(0, t)
	}
	if a.Verdict == solver.Mate {
		w.mainLine()
		w.table()
		w.others()
		w.variations()
		w.optional()
	}
	w.rules()
	w.open()
	w.certificate()
	w.line(0, "")
	w.line(0, w.language.Sprintf("%s, %s, %s, %v", "%s、%s、%s、%v", a.Policy, a.Profile.Name, Plural(a.Nodes, "node"),
		RoundTime(a.elapsed)))
	for i := range a.notes {
		w.line(0, w.text("注意：", "note: ")+w.say(noteText(&a.notes[i], &a.Position)))
	}
}

// line writes a line, indented by a number of steps.
func (w *reportWriter) line(indent int, text string) {
	fmt.Fprintf(w.out, "%s\n", strings.TrimRight(strings.Repeat("  ", indent)+text, " "))
}

// head begins a section.
func (w *reportWriter) head(ja, en string) {
	w.line(0, "")
	w.line(0, w.text(ja, en))
}

func (w *reportWriter) mainLine() {
	moves := w.a.Line.Moves
	if len(moves) == 0 {
		return
	}
	switch {
	case w.a.Line.Raw:
		w.head("手順（すべての合駒を数えたもの）", "a line to the mate (every move counted)")
	case w.a.Line.Given:
		w.head("本手順（作意）", "main line (the author's)")
	default:
		w.head("本手順", "main line")
	}
	w.line(1, w.say(w.Line(1, moves...)))
	w.line(1, strings.Join(movetext.USILine(moves), " "))
}

// table writes a row for each ply of the main line: the move, and what other moves come to.
func (w *reportWriter) table() {
	type row struct {
		sign, move, others string
		ply                int
	}
	var rows []row
	for i := range w.a.Attack {
		n := &w.a.Attack[i]
		rows = append(rows, row{signs[report.Worst(w.CheckTally(n))],
			w.say(w.Line(n.Ply, n.Move)), w.say(w.ChecksText(n)), n.Ply})
	}
	for i := range w.a.Defence {
		n := &w.a.Defence[i]
		move := w.text("（詰み）", "(mate)")
		if n.Move != shogi.NoMove {
			move = w.say(w.Line(n.Ply, n.Move))
		} else if len(n.Replies) == 0 {
			continue
		}
		rows = append(rows, row{signs[report.Worst(w.ReplyTally(n))], move,
			w.say(w.RepliesText(n)), n.Ply})
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.ply, b.ply) })
	wide := 0
	for _, r := range rows {
		wide = max(wide, Cells(r.move))
	}
	w.head("各手の検討", "by ply")
	for _, r := range rows {
		w.line(1, fmt.Sprintf("%3d %s %s%s  %s", r.ply, r.sign, r.move,
			strings.Repeat(" ", wide-Cells(r.move)), r.others))
	}
}

// others writes the other checks that mate, and the refuted ones if there are lines of them.
func (w *reportWriter) others() {
	w.checks(w.text("ほかに詰む王手", "other checks that mate"), func(c *analysis.OtherCheck) bool {
		return c.Verdict == solver.Mate && c.Reason != solver.ReasonSettled
	})
	for _, t := range w.More() {
		w.line(1, w.say(t)+" (--stop all)")
	}
	w.checks(w.text("紛れ", "tries"),
		func(c *analysis.OtherCheck) bool { return c.Class == analysis.Try && len(c.Line) > 1 })
}

// checks writes the other checks that are wanted, with their lines.
func (w *reportWriter) checks(title string, wanted func(*analysis.OtherCheck) bool) {
	titled := false
	for line, n := range w.a.AttackNodes() {
		in := w.InLine(line)
		for j := range n.Others {
			c := &n.Others[j]
			if !wanted(c) {
				continue
			}
			if !titled {
				titled = true
				w.head(title, title)
			}
			item := in.Check(n, c)
			w.line(1, signs[item.Mark]+" "+w.say(item.Text))
			if len(c.Line) > 1 && c.Class != analysis.Try {
				w.line(3, w.followed(in, n.Ply, c.Line, c.Raw, c.Leftover))
			}
		}
	}
}

// followed writes a line that leaves another with what is left over at its end.
func (w *reportWriter) followed(in *report.Writer, ply int, moves []shogi.Move, raw bool, left shogi.Hand) string {
	text := w.say(in.Line(ply, moves...))
	var notes []string
	for _, t := range report.LineNotes(raw, left) {
		notes = append(notes, w.say(t))
	}
	if len(notes) > 0 {
		text += w.text("（", " (") + strings.Join(notes, w.text("、", "; ")) + w.text("）", ")")
	}
	return text
}

// variations writes the other replies of the defender with their lines, those that last longest
// first, and the futile drops.
func (w *reportWriter) variations() {
	titled := false
	for i := range w.a.Defence {
		n := &w.a.Defence[i]
		var shown []*analysis.Reply
		for j := range n.Replies {
			switch r := &n.Replies[j]; r.Kind {
			case analysis.MainReply, analysis.FutileReply, analysis.ReplyUnknown: // see open
			default:
				shown = append(shown, r)
			}
		}
		slices.SortStableFunc(shown, func(a, b *analysis.Reply) int {
			return cmp.Compare(urgency(b), urgency(a))
		})
		futile := w.futile(n)
		if len(shown) == 0 && len(futile) == 0 {
			continue
		}
		if !titled {
			titled = true
			w.head("変化", "variations")
		}
		for _, r := range shown {
			w.line(1, w.say(w.Reply(n, r).Text))
			if len(r.Same) > 0 {
				w.line(3, w.text("同じ応手：", "likewise ")+w.say(w.Alternatives(n.Ply, r.Same)))
			}
			if len(r.Line) > 1 {
				w.line(3, w.followed(w.Writer, n.Ply, r.Line, r.Raw, r.Leftover))
			}
		}
		for _, text := range futile {
			w.line(1, text)
		}
	}
}

// urgency orders replies: what escapes first, then by length.
func urgency(r *analysis.Reply) int {
	if r.Kind == analysis.EscapeReply {
		return 2 * length.Unbounded
	}
	return r.Length.Low
}

// futile says which drops are futile. Those that the same capture refutes share a line.
func (w *reportWriter) futile(n *analysis.DefenceNode) []string {
	var all []string
	for i := range n.Replies {
		r := &n.Replies[i]
		if r.Kind != analysis.FutileReply {
			continue
		}
		isNamed := func(earlier analysis.Reply) bool { return isFutileAlike(&earlier, r) }
		if slices.ContainsFunc(n.Replies[:i], isNamed) {
			continue
		}
		var like []shogi.Move
		for j := range n.Replies[i+1:] {
			if other := &n.Replies[i+1+j]; isFutileAlike(r, other) {
				like = append(like, other.Move)
			}
		}
		text := w.text(fmt.Sprintf("%d手目", n.Ply), fmt.Sprintf("ply %d: ", n.Ply)) +
			w.say(w.Reply(n, r).Text)
		if r.Futile != nil {
			text += fmt.Sprintf(" [%s]", r.Futile.Type)
		}
		if like = append(like, r.Same...); len(like) > 0 {
			text += w.text("。同じく", "; likewise ") + w.say(w.Alternatives(n.Ply, like))
		}
		all = append(all, text)
	}
	return all
}

// isFutileAlike reports whether two drops on a square are futile by the same capture.
func isFutileAlike(a, b *analysis.Reply) bool {
	return a.Kind == analysis.FutileReply && b.Kind == analysis.FutileReply &&
		a.Futile != nil && b.Futile != nil && a.Futile.Type == b.Futile.Type &&
		a.Futile.Capture == b.Futile.Capture && a.Move.To() == b.Move.To()
}

// optional writes the parts that were asked for.
func (w *reportWriter) optional() {
	if len(w.a.SideMates) > 0 {
		w.head("変別", "side mates")
		for _, m := range w.a.SideMates {
			w.line(1, w.text(fmt.Sprintf("%d手目：", m.At), fmt.Sprintf("ply %d: ", m.At))+
				w.say(w.Line(m.Variation.Ply, m.Line...)))
		}
	}
	if len(w.a.Economy) > 0 {
		w.head("無駄駒", "idle pieces")
		for _, p := range w.a.Economy {
			item := report.Idle(p)
			w.line(1, fmt.Sprintf("%s %s", signs[item.Mark], w.say(item.Text)))
		}
	}
	if len(w.a.Lengths) > 2 {
		w.head("手数", "lengths")
		for _, l := range slices.SortedFunc(slices.Values(w.a.Lengths), func(a, b analysis.Length) int {
			return cmp.Compare(a.Policy.String(), b.Policy.String())
		}) {
			w.line(1, fmt.Sprintf("%s %s", l.Policy, strings.ReplaceAll(l.Range(), "..", "–")))
		}
	}
	if d := w.a.Difficulty; d != nil {
		w.head("難しさ", "difficulty")
		parts := []string{w.say(report.Class(d.Class))}
		for _, f := range d.Features {
			parts = append(parts, w.say(report.Feature(f)))
		}
		w.line(1, strings.Join(parts, w.text("、", ", ")))
	}
}

// certificate writes the file by which anybody can check the raw verdict.
func (w *reportWriter) certificate() {
	if w.a.Certificate != "" {
		w.head("証明書", "certificate")
		w.out.WriteString(w.a.Certificate)
	}
}

// rules writes what the problem comes to under each rule of the profile that says something.
func (w *reportWriter) rules() {
	w.head("規定", "rules")
	for i := range w.a.Rules {
		r := &w.a.Rules[i]
		if w.a.Author == nil && (r.Rule == analysis.RuleEarly || r.Rule == analysis.RuleLonger) {
			continue // they are about the author's line
		}
		if r.Holds == analysis.Unknown &&
			(r.Severity != analysis.Fail || w.a.Verdict == solver.NoMate || w.a.Reason == solver.ReasonSettled) {
			continue // nobody asked
		}
		item := w.Rule(r)
		w.line(1, signs[item.Mark]+" "+w.say(item.Text))
	}
}

// open writes what is not decided.
func (w *reportWriter) open() {
	if w.a.Reason == solver.NoReason {
		return
	}
	w.head("未確認", "open")
	why := w.say(report.Why(w.a.Reason))
	switch w.a.Reason {
	case solver.ReasonSettled:
		why += w.text("（--stop all）", " (--stop all)")
	case solver.ReasonNodes:
		why += w.text("（--nodes、--question-nodes）", " (--nodes, --question-nodes)")
	case solver.ReasonTime:
		why += w.text("（--time）", " (--time)")
	}
	w.line(1, w.text("理由：", "because ")+why)
	type at struct{ line, ply int }
	byPly := map[at][]shogi.Move{}
	var plies []at
	for _, p := range w.a.Remaining {
		here := at{p.Line, p.Ply}
		if byPly[here] == nil {
			plies = append(plies, here)
		}
		byPly[here] = append(byPly[here], p.Move)
	}
	slices.SortFunc(plies, func(a, b at) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.ply, b.ply))
	})
	for _, p := range plies {
		in := w.InLine(p.line)
		w.line(1, w.text(fmt.Sprintf("%d手目：", p.ply), fmt.Sprintf("ply %d: ", p.ply))+
			w.say(in.InEqual(in.Alternatives(p.ply, byPly[p]))))
	}
	if t := w.NoneWithin(); t.Ja != "" {
		w.line(1, w.say(t))
	}
}
