package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// A Footnote is a line below the solution of a problem in print: another way to play from a ply on, or a
// finding about the whole problem, which has neither ply nor moves.
type Footnote struct {
	Mark  Mark
	Ply   int
	Name  Text // 変化（5手）
	Moves Text // from the ply on

	defects []Text // that it sums up
}

// SaidBy reports whether it sums up defects that others each have a line for.
func (f *Footnote) SaidBy(others []Footnote) bool {
	for _, d := range f.defects {
		if !slices.ContainsFunc(others, func(o Footnote) bool {
			return o.Mark == Fail && o.defects == nil && strings.HasPrefix(o.Name.Ja, d.Ja)
		}) {
			return false
		}
	}
	return len(f.defects) > 0
}

// Headline says beside a diagram what is asked: 7手詰, or the bounds where the length is not settled.
func (w *Writer) Headline() Text {
	switch w.a.Verdict {
	case solver.NoMate:
		return soundNames["nomate"]
	case solver.Unknown:
		return Text{"詰むかどうか未確認", "Not decided whether it mates"}
	}
	if i, ok := w.a.LengthUnder(w.a.Policy); ok {
		return MateIn(i)
	}
	return Text{"手数未確認", "Length not decided"}
}

// Status says in a word or two what the report comes to, beside a diagram among many; it is empty where
// no more than the line was asked for.
func (w *Writer) Status() Item {
	a := w.a
	open := len(a.Remaining)
	switch {
	case a.Verdict == solver.NoMate:
		return Item{Code: "nomate", Mark: Fail, Text: soundNames["nomate"]}
	case a.Parts&analysis.Attack == 0:
		return Item{}
	case a.Sound == analysis.No:
		return Item{Code: "no", Mark: Fail, Text: join(w.broken(), "、", ", ")}
	case a.Sound == analysis.Unknown && open > 0:
		return Item{Code: "unknown", Args: []any{open}, Mark: Open,
			Text: textf("未確認%d", "%d not decided", open)}
	case a.Sound == analysis.Yes && AuthorMark(a) == Fail:
		return Item{Code: "yes", Mark: Fail, Text: soundNames["fault"]}
	}
	return Item{Code: a.Sound.String(), Mark: SoundMark(a), Text: soundNames[a.Sound.String()]}
}

// Summary says what an editor wants to know of the problem as a whole: its length, by convention and
// counting every move, how the author's line compares, whether it is sound, and how many of the other
// checks are decided. Single moves are among the footnotes.
func (w *Writer) Summary() []Text {
	a := w.a
	all := append(w.Missing(), w.Head())
	if f := a.Author; f != nil && f.Plies > 0 {
		all = append(all, Text{fmt.Sprintf("作意は%d手", f.Plies), "the author's line has " + count(f.Plies, "ply", "plies")})
	}
	all = append(all, w.Author()...)
	if a.Verdict == solver.Mate {
		all = append(append(all, w.Leftover()...), w.Sound())
	}
	if decided, mate, open := w.countChecks(); a.Verdict == solver.Mate && decided+open > 0 {
		all = append(all, Text{
			fmt.Sprintf("本手順のほかの王手%d通りのうち、詰まない%d、詰む%d、未確認%d", decided+open, decided-mate, mate, open),
			fmt.Sprintf("of %s beside the main line %d fail, %d mate and %d are not decided",
				count(decided+open, "check", "checks"), decided-mate, mate, open)})
	}
	if within := w.NoneWithin(); within.Ja != "" && a.Sound != analysis.Unknown { // else Sound says so
		all = append(all, Text{"未確認の王手は" + within.Ja, "of those that are not decided " + within.En})
	}
	return all
}

// MateIn names a problem by its length.
func MateIn(i length.Interval) Text {
	switch {
	case i.IsExact():
		return textf("%d手詰", "Mate in %d", i.Low)
	case i.IsMate() && i.Low <= 1:
		return textf("%d手以内", "Mate in %d or fewer", i.High)
	case i.IsMate():
		return textf("%d～%d手詰", "Mate in %d to %d", i.Low, i.High)
	}
	return textf("%d手以上", "Mate in %d or more", i.Low)
}

// Unverified marks a length that a record claims.
func Unverified(t Text) Text { return Text{t.Ja + "（未確認）", t.En + " (not verified)"} }

// Footnotes returns what belongs below the solution: what is wrong with the problem as a whole, its
// cooks and other checks that break it, and variations that are worth a line, which those are not
// that are mated at once. Of checks and of variations there are most at most, and how many more there
// are is said. The order is that of the plies.
func (w *Writer) Footnotes(most int) []Footnote {
	all := w.wholeFootnotes()
	all = append(all, w.checkFootnotes(most)...)
	return append(all, w.replyFootnotes(most, 3)...)
}

// wholeFootnotes are those about the problem as a whole.
func (w *Writer) wholeFootnotes() (all []Footnote) {
	a := w.a
	add := func(mark Mark, t Text) { all = append(all, Footnote{Mark: mark, Name: t}) }
	if a.Verdict == solver.Mate && a.Parts&analysis.Attack != 0 && a.Sound != analysis.Yes {
		all = append(all, Footnote{Mark: SoundMark(a), Name: w.Sound(), defects: w.broken()})
	}
	if f := a.Author; f != nil && f.Finding != analysis.Agrees && f.Finding != analysis.AuthorUnknown {
		for _, t := range w.Author() {
			add(Fail, t)
		}
	}
	if a.Leftover.Class == analysis.LeftoverForced {
		for _, t := range w.Leftover() {
			add(Fail, t)
		}
	}
	return all
}

// checkFootnotes are those on other checks that mate, without the harmless ones.
func (w *Writer) checkFootnotes(most int) (all []Footnote) {
	left := 0
	for line, n := range w.a.AttackNodes() {
		in := w.InLine(line)
		for j := range n.Others {
			o := &n.Others[j]
			switch o.Class {
			case analysis.Cook, analysis.Early, analysis.Transposition:
			case analysis.LastMove, analysis.DualMove, analysis.Detour, analysis.Mirror:
				if w.checkMark(o) != Fail {
					continue
				}
			default:
				continue
			}
			if len(all) == most {
				left++
				continue
			}
			moves := o.Line
			if len(moves) == 0 {
				moves = append(moves, o.Move)
			}
			all = append(all, Footnote{Mark: w.checkMark(o), Ply: n.Ply, Name: in.inEqual(CheckRemark(o)),
				Moves: in.Printed(n.Ply, moves...)})
		}
	}
	if left > 0 {
		all = append(all, Footnote{Mark: Fail, Name: Text{fmt.Sprintf("ほかに詰む王手%d", left),
			"and " + count(left, "other check that mates", "other checks that mate")}})
	}
	return all
}

// inEqual adds the name of the equal line to that of a footnote.
func (w *Writer) inEqual(t Text) Text {
	if len(w.equal) == 0 {
		return t
	}
	name := join(w.equal, "、", ", ")
	return Text{"変同（" + name.Ja + "）の" + t.Ja, t.En + " in the equal line with " + name.En}
}

// replyFootnotes are those on other replies of the defender, without shorter variations that have fewer
// moves than shortest.
func (w *Writer) replyFootnotes(most, shortest int) (all []Footnote) {
	type variation struct {
		Footnote
		plies, at int
	}
	var found []variation
	for i := range w.a.Defence {
		n := &w.a.Defence[i]
		for j := range n.Replies {
			r := &n.Replies[j]
			moves := r.Line
			if len(moves) == 0 {
				moves = append(moves, r.Move)
			}
			v := Footnote{Mark: w.replyMark(r), Ply: n.Ply, Name: w.ReplyRemark(r),
				Moves: w.Printed(n.Ply, moves...)}
			switch r.Kind {
			case analysis.EscapeReply, analysis.LongerReply:
				all = append(all, v)
			case analysis.EqualReply, analysis.EqualLeftoverReply:
				found = append(found, variation{v, n.Ply + len(moves), len(found)})
			case analysis.ShorterReply:
				if len(r.Line) >= shortest {
					found = append(found, variation{v, n.Ply + len(moves), len(found)})
				}
			}
		}
	}
	for i := range w.a.SideMates {
		m := &w.a.SideMates[i]
		all = append(all, Footnote{Mark: Note, Ply: m.Variation.Ply, Name: SideMateRemark(m),
			Moves: w.Printed(m.Variation.Ply, m.Line...)})
	}
	// The longest are the hardest to find. What is left out is counted.
	slices.SortStableFunc(found, func(a, b variation) int { return cmp.Compare(b.plies, a.plies) })
	left := len(found) - most
	found = found[:min(len(found), most)]
	slices.SortFunc(found, func(a, b variation) int { return cmp.Compare(a.at, b.at) })
	for _, v := range found {
		all = append(all, v.Footnote)
	}
	if left > 0 {
		all = append(all, Footnote{Name: Text{fmt.Sprintf("ほかに変化%d", left),
			"and " + count(left, "other variation", "other variations")}})
	}
	return all
}
