package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// The signs of a report, which need no colour.
const (
	signPass = "✓" // as it should be
	signNote = "≈" // worth a word, and no defect
	signFail = "✗" // a defect
	signOpen = "?" // not decided
)

// A reportWriter writes a report for people.
type reportWriter struct {
	*report.Writer
	out      *bufio.Writer
	a        *analysis.Analysis
	japanese bool
}

func newReportWriter(out *bufio.Writer, a *analysis.Analysis, language string) *reportWriter {
	return &reportWriter{report.Of(a), out, a, language == "ja"}
}

// say returns a text in the language of the report.
func (w *reportWriter) say(t report.Text) string {
	if w.japanese {
		return t.Ja
	}
	return t.En
}

func (w *reportWriter) text(ja, en string) string { return w.say(report.Text{Ja: ja, En: en}) }

// printSummary writes one line about a problem: where it is, and what it comes to.
func printSummary(out *bufio.Writer, q *Question, a *analysed, language string) {
	w := newReportWriter(out, a.Analysis, language)
	where := q.place()
	if where == "" {
		where = a.Position.ProblemSFEN()
	}
	parts := []string{w.say(w.Head())}
	switch {
	case a.Verdict != solver.Mate:
	case a.Sound == analysis.No:
		parts = append(parts, w.defects())
	default:
		parts = append(parts, w.say(w.Sound()))
	}
	for _, t := range w.Author() {
		parts = append(parts, w.say(t))
	}
	fmt.Fprintf(out, "%s %s: %s\n", w.soundSign(), where, strings.Join(parts, w.text("。", "; ")))
}

// defects says which rules are broken, and where.
func (w *reportWriter) defects() string {
	var all []string
	for i := range w.a.Rules {
		if r := &w.a.Rules[i]; r.Holds == analysis.No && r.Severity == analysis.Fail {
			all = append(all, w.say(w.Rule(r)))
		}
	}
	return w.text("不完全:", "not sound: ") + strings.Join(all, w.text("、", ", "))
}

func (w *reportWriter) soundSign() string {
	signs := [...]string{analysis.Unknown: signOpen, analysis.Yes: signPass, analysis.No: signFail}
	return signs[w.a.Sound]
}

// printReport writes the whole report on a problem.
func printReport(out *bufio.Writer, q *Question, a *analysed, language string) {
	w := newReportWriter(out, a.Analysis, language)
	if where := q.place(); where != "" {
		w.line(0, where)
	}
	w.line(0, a.Position.ProblemSFEN())
	w.line(0, w.say(w.Head()))
	if a.Verdict == solver.Mate {
		w.line(0, w.soundSign()+" "+w.say(w.Sound()))
	}
	for _, t := range append(w.Author(), w.Leftover()...) {
		w.line(0, w.say(t))
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
	w.line(0, fmt.Sprintf("%s, %s, %s, %v", a.Policy, a.Profile.Name, Plural(a.Nodes, "node"),
		RoundTime(a.elapsed)))
	for _, note := range a.notes {
		w.line(0, w.text("注意:"+note.TextJa, "note: "+note.TextEn))
	}
	if n := a.missing; n > 0 {
		w.line(0, w.text(fmt.Sprintf("注意:駒が%d枚足りない。--hands complete で玉方の持駒になる", n),
			fmt.Sprintf("note: nobody holds the %s missing from the set; --hands complete gives them "+
				"to the defender", Plural(n, "piece"))))
	}
}

// line writes a line, indented by so many steps.
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
		w.head("手順(すべての合駒を数えたもの)", "a line to the mate (every move counted)")
	case w.a.Line.Given:
		w.head("本手順(作意)", "main line (the author's)")
	default:
		w.head("本手順", "main line")
	}
	w.line(1, w.say(w.Line(1, moves...)))
	usi := make([]string, len(moves))
	for i, m := range moves {
		usi[i] = m.String()
	}
	w.line(1, strings.Join(usi, " "))
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
		rows = append(rows, row{w.nodeSign(n), w.say(w.Line(n.Ply, n.Move)), w.checksText(n), n.Ply})
	}
	for i := range w.a.Defence {
		n := &w.a.Defence[i]
		move := w.text("(詰み)", "(mate)")
		if n.Move != shogi.NoMove {
			move = w.say(w.Line(n.Ply, n.Move))
		} else if len(n.Replies) == 0 {
			continue
		}
		rows = append(rows, row{w.replySign(n), move, w.repliesText(n), n.Ply})
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.ply, b.ply) })
	wide := 0
	for _, r := range rows {
		wide = max(wide, cells(r.move))
	}
	w.head("各手の検討", "by ply")
	for _, r := range rows {
		w.line(1, fmt.Sprintf("%3d %s %s%s  %s", r.ply, r.sign, r.move,
			strings.Repeat(" ", wide-cells(r.move)), r.others))
	}
}

// isDefect reports whether a move at a ply breaks a rule by which the profile calls it a defect.
func (w *reportWriter) isDefect(ply int, m shogi.Move) bool {
	place := analysis.Place{Ply: ply, Move: m}
	return slices.ContainsFunc(w.a.Rules, func(r analysis.RuleResult) bool {
		return r.Holds == analysis.No && r.Severity == analysis.Fail && slices.Contains(r.Places, place)
	})
}

func isOpen(c *analysis.OtherCheck) bool {
	return c.Class == analysis.CheckUnknown ||
		c.Class == analysis.DualMove && c.SamePlay == analysis.Unknown
}

// nodeSign says the worst that is known of the other checks at a node.
func (w *reportWriter) nodeSign(n *analysis.AttackNode) string {
	sign := signPass
	for i := range n.Others {
		c := &n.Others[i]
		switch {
		case w.isDefect(n.Ply, c.Move):
			return signFail
		case isOpen(c):
			sign = signOpen
		case c.Class != analysis.Try && sign == signPass:
			sign = signNote
		}
	}
	if n.Open > 0 {
		return signOpen
	}
	return sign
}

// classNames are short names of what another check comes to.
var classNames = map[analysis.CheckClass]report.Text{
	analysis.Mirror: {Ja: "左右対称", En: "mirror image"}, analysis.Detour: {Ja: "迂回", En: "detour"},
	analysis.LastMove: {Ja: "最終手余詰", En: "mating as well"}, analysis.DualMove: {Ja: "非限定", En: "dual"},
	analysis.Transposition: {Ja: "手順前後", En: "transposition"},
	analysis.Early:         {Ja: "早詰", En: "early mate"}, analysis.Cook: {Ja: "余詰", En: "cook"},
}

// kindNames are short names of what another reply comes to.
var kindNames = map[analysis.ReplyKind]report.Text{
	analysis.EqualReply:         {Ja: "変同", En: "as long"},
	analysis.EqualLeftoverReply: {Ja: "同手数駒余り", En: "as long, leaving pieces over"},
	analysis.ShorterReply:       {Ja: "変化", En: "shorter"},
	analysis.LongerReply:        {Ja: "変長", En: "longer than the author's line"},
	analysis.FutileReply:        {Ja: "無駄合", En: "futile"},
	analysis.EscapeReply:        {Ja: "逃れ", En: "escape"},
	analysis.ReplyUnknown:       {Ja: "未確認", En: "not decided"},
}

// A tallied is how many moves come to something.
type tallied struct {
	name string
	n    int
}

func countIn(list []tallied, name string, n int) []tallied {
	for i := range list {
		if list[i].name == name {
			list[i].n += n
			return list
		}
	}
	return append(list, tallied{name, n})
}

// counted writes what moves come to.
func (w *reportWriter) counted(list []tallied) string {
	var parts []string
	for _, t := range list {
		switch {
		case t.n == 0:
		case w.japanese:
			parts = append(parts, t.name+strconv.Itoa(t.n))
		default:
			parts = append(parts, strconv.Itoa(t.n)+" "+t.name)
		}
	}
	return strings.Join(parts, w.text("、", ", "))
}

// checksText says what the other checks at a node come to.
func (w *reportWriter) checksText(n *analysis.AttackNode) string {
	if n.Checks == 1 {
		return w.text("ほかに王手なし", "the only check")
	}
	others := n.Checks - 1
	all := w.text(fmt.Sprintf("ほかの王手%d:", others), Plural(others, "other check")+": ")
	if n.Fail == others {
		return all + w.text("すべて詰まない", "all refuted")
	}
	list := []tallied{{w.text("詰まない", "refuted"), n.Fail}}
	for i := range n.Others {
		switch c := &n.Others[i]; {
		case c.Class == analysis.Try:
		case c.Class == analysis.CheckUnknown && c.Verdict == solver.Mate:
			list = countIn(list, w.text("詰むが種類未確認", "mating, not decided how"), 1)
		case c.Class == analysis.CheckUnknown: // counted by n.Open
		default:
			list = countIn(list, w.say(classNames[c.Class]), 1)
		}
	}
	return all + w.counted(countIn(list, w.text("未確認", "not decided"), n.Open))
}

func (w *reportWriter) replySign(n *analysis.DefenceNode) string {
	sign := signPass
	for i := range n.Replies {
		r := &n.Replies[i]
		switch {
		case w.isDefect(n.Ply, r.Move), r.Kind == analysis.EscapeReply:
			return signFail
		case r.Kind == analysis.ReplyUnknown:
			sign = signOpen
		case sign == signPass && (r.Kind == analysis.EqualReply || r.Kind == analysis.LongerReply):
			sign = signNote
		}
	}
	return sign
}

// repliesText says what the other replies at a node come to.
func (w *reportWriter) repliesText(n *analysis.DefenceNode) string {
	var list []tallied
	for i := range n.Replies {
		if r := &n.Replies[i]; r.Kind != analysis.MainReply {
			list = countIn(list, w.say(kindNames[r.Kind]), 1+len(r.Same))
		}
	}
	if len(list) == 0 {
		return w.text("ほかの応手なし", "the only reply")
	}
	return w.counted(list)
}

// others writes the other checks that mate, and the refuted ones if there are lines of them.
func (w *reportWriter) others() {
	w.checks(w.text("ほかに詰む王手", "other checks that mate"),
		func(c *analysis.OtherCheck) bool { return c.Verdict == solver.Mate })
	w.checks(w.text("紛れ", "tries"),
		func(c *analysis.OtherCheck) bool { return c.Class == analysis.Try && len(c.Line) > 1 })
}

// checks writes the other checks that are wanted, with their lines.
func (w *reportWriter) checks(title string, wanted func(*analysis.OtherCheck) bool) {
	titled := false
	for i := range w.a.Attack {
		n := &w.a.Attack[i]
		for j := range n.Others {
			c := &n.Others[j]
			if !wanted(c) {
				continue
			}
			if !titled {
				titled = true
				w.head(title, title)
			}
			sign := signNote
			switch {
			case w.isDefect(n.Ply, c.Move):
				sign = signFail
			case isOpen(c):
				sign = signOpen
			case c.Class == analysis.Try:
				sign = signPass
			}
			w.line(1, sign+" "+w.say(w.Check(n, c)))
			if len(c.Line) > 1 && c.Class != analysis.Try {
				w.line(3, w.followed(n.Ply, c.Line, c.Raw, c.Leftover))
			}
		}
	}
}

// followed writes a line with what is left over at its end.
func (w *reportWriter) followed(ply int, moves []shogi.Move, raw bool, left shogi.Hand) string {
	text := w.say(w.Line(ply, moves...))
	var notes []string
	if raw {
		notes = append(notes, w.text("無駄合も数えた手順", "every move counted"))
	}
	if !left.IsEmpty() {
		held := report.Hand(left)
		notes = append(notes, w.text(held.Ja+"余り", held.En+" left over"))
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, w.text("、", "; ")) + ")"
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
			w.line(1, w.say(w.Reply(n, r)))
			if len(r.Same) > 0 {
				w.line(3, w.text("同じ応手:", "likewise ")+w.alternatives(n.Ply, r.Same))
			}
			if len(r.Line) > 1 {
				w.line(3, w.followed(n.Ply, r.Line, r.Raw, r.Leftover))
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

// alternatives names moves that may be played at a ply.
func (w *reportWriter) alternatives(ply int, moves []shogi.Move) string {
	var all []string
	for _, m := range moves {
		all = append(all, w.say(w.Line(ply, m)))
	}
	return strings.Join(all, w.text("、", ", "))
}

// futile says which drops are futile, those together that the same capture shows to be.
func (w *reportWriter) futile(n *analysis.DefenceNode) []string {
	var all []string
	for i := range n.Replies {
		r := &n.Replies[i]
		if r.Kind != analysis.FutileReply {
			continue
		}
		told := func(before analysis.Reply) bool { return isFutileAlike(&before, r) }
		if slices.ContainsFunc(n.Replies[:i], told) {
			continue
		}
		var like []shogi.Move
		for j := range n.Replies[i+1:] {
			if other := &n.Replies[i+1+j]; isFutileAlike(r, other) {
				like = append(like, other.Move)
			}
		}
		text := w.text(fmt.Sprintf("%d手目", n.Ply), fmt.Sprintf("ply %d: ", n.Ply)) +
			w.say(w.Reply(n, r))
		if r.Futile != nil {
			text += fmt.Sprintf(" [%s]", r.Futile.Type)
		}
		if like = append(like, r.Same...); len(like) > 0 {
			text += w.text("。同じく", "; likewise ") + w.alternatives(n.Ply, like)
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
			w.line(1, w.text(fmt.Sprintf("%d手目:", m.At), fmt.Sprintf("ply %d: ", m.At))+
				w.say(w.Line(m.Variation.Ply, m.Line...)))
		}
	}
	if len(w.a.Economy) > 0 {
		w.head("無駄駒", "idle pieces")
		signs := [...]string{analysis.Unknown: signOpen, analysis.Yes: signNote, analysis.No: signPass}
		for _, p := range w.a.Economy {
			where := w.text("持駒", "in hand")
			if p.Square != shogi.NoSquare {
				where = p.Square.String()
			}
			idle := [...]report.Text{analysis.Unknown: {Ja: "未確認", En: "not decided"},
				analysis.Yes: {Ja: "なくても同じ", En: "the same without it"},
				analysis.No:  {Ja: "必要", En: "needed"}}[p.Idle]
			w.line(1, fmt.Sprintf("%s %s %s: %s", signs[p.Idle], p.Piece, where, w.say(idle)))
		}
	}
	if len(w.a.Lengths) > 2 {
		w.head("手数", "lengths")
		for _, l := range slices.SortedFunc(slices.Values(w.a.Lengths), func(a, b analysis.Length) int {
			return cmp.Compare(a.Policy, b.Policy)
		}) {
			n := strconv.Itoa(l.Low)
			switch {
			case !l.IsMate():
				n += "–"
			case !l.IsExact():
				n += "–" + strconv.Itoa(l.High)
			}
			w.line(1, fmt.Sprintf("%s %s", l.Policy, n))
		}
	}
	if d := w.a.Difficulty; d != nil {
		w.head("難易度", "difficulty")
		parts := []string{fmt.Sprintf("%.1f", d.Value)}
		for _, f := range d.Features {
			parts = append(parts, fmt.Sprintf("%s %.3g", f.Name, f.Value))
		}
		w.line(1, strings.Join(parts, ", "))
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
		sign := signPass
		if w.a.Author == nil && (r.Rule == analysis.RuleEarly || r.Rule == analysis.RuleLonger) {
			continue // they are about the author's line
		}
		switch {
		case r.Holds == analysis.Unknown && (r.Severity != analysis.Fail || w.a.Verdict == solver.NoMate):
			continue // nobody asked
		case r.Holds == analysis.Unknown:
			sign = signOpen
		case r.Holds == analysis.No && r.Severity == analysis.Fail:
			sign = signFail
		case r.Holds == analysis.No && r.Severity == analysis.Note:
			sign = signNote
		}
		w.line(1, sign+" "+w.say(w.Rule(r)))
	}
}

// open writes what is not decided.
func (w *reportWriter) open() {
	if w.a.Reason == solver.NoReason {
		return
	}
	w.head("未確認", "open")
	w.line(1, w.text("理由:", "because ")+w.because(w.a.Reason))
	byPly := map[int][]shogi.Move{}
	var plies []int
	for _, p := range w.a.Remaining {
		if byPly[p.Ply] == nil {
			plies = append(plies, p.Ply)
		}
		byPly[p.Ply] = append(byPly[p.Ply], p.Move)
	}
	slices.Sort(plies)
	for _, ply := range plies {
		w.line(1, w.text(fmt.Sprintf("%d手目:", ply), fmt.Sprintf("ply %d: ", ply))+
			w.alternatives(ply, byPly[ply]))
	}
}

// because says why something is not decided.
func (w *reportWriter) because(r solver.Reason) string {
	switch r {
	case solver.ReasonNodes:
		return w.text("局面数の制限 (--nodes, --question-nodes)",
			"the nodes ran out (--nodes, --question-nodes)")
	case solver.ReasonTime:
		return w.text("時間切れ (--time)", "the time ran out (--time)")
	case solver.ReasonCancelled:
		return w.text("中断 (cancelled)", "it was interrupted (cancelled)")
	}
	return reasonText(r)
}
