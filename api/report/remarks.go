package report

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// A remark stands beside a move, so it names neither the move nor its ply: it has the name of the
// finding, and details in brackets.

// remark returns a name with details.
func remark(name Text, details []Text) Text {
	if len(details) == 0 {
		return name
	}
	t := join(details, "、", ", ")
	return Text{name.Ja + "（" + t.Ja + "）", name.En + " (" + t.En + ")"}
}

// CheckRemark says what another check is.
func CheckRemark(o *analysis.OtherCheck) Text {
	name := checkNames[o.Class]
	if o.Class == analysis.CheckUnknown && o.Verdict == solver.Mate {
		name = unclassified
	}
	var details []Text
	if what, ok := dualNames[o.Dual]; ok {
		details = append(details, what)
		if o.Class == analysis.DualMove && o.SamePlay != analysis.Yes {
			details = append(details,
				Text{"以下同じかは未確認", "not decided whether the play is the same"})
		}
	}
	if o.Verdict == solver.Mate && o.Length.IsMate() && o.Class != analysis.DualMove {
		details = append(details, howLong(o.Length))
	}
	return remark(name, append(details, LineNotes(o.Raw, 0)...))
}

// ReplyRemark says what another reply is.
func (w *Writer) ReplyRemark(r *analysis.Reply) Text {
	var details []Text
	switch r.Kind {
	case analysis.ShorterReply:
		details = append(details, howLong(r.Length))
	case analysis.LongerReply:
		details = append(details, howLong(r.Length))
		if more, ok := w.longerBy(r); ok {
			details[0] = Text{"作意より" + more.Ja + "長い", "by " + more.En}
		}
	}
	return remark(replyNames[r.Kind], append(details, LineNotes(r.Raw, r.Leftover)...))
}

// longerBy says by how much a reply lasts longer than the author's line, if that is known.
func (w *Writer) longerBy(r *analysis.Reply) (Text, bool) {
	f := w.a.Author
	if f == nil || f.Plies == 0 || r.Length.Low <= f.Plies || r.Length.Low >= length.Unbounded {
		return Text{}, false
	}
	more := r.Length.Low - f.Plies
	t := Text{fmt.Sprintf("%d手", more), count(more, "ply", "plies")}
	if !r.Length.IsExact() {
		t = Text{t.Ja + "以上", "at least " + t.En}
	}
	return t, true
}

// SideMateRemark says what a second mate in a variation is.
func SideMateRemark(m *analysis.SideMate) Text {
	return remark(sideMate, []Text{howLong(m.Length)})
}

// AuthorRemark says what the author's line is.
func AuthorRemark(a *analysis.Author) Text {
	line := Text{"作意", "the author's line"}
	if fault, ok := authorNames[a.Finding]; ok {
		return remark(line, []Text{fault})
	}
	return line
}

// LineNotes says of a line that futile drops count in it, if raw, and what the attacker holds at
// its end.
func LineNotes(raw bool, left shogi.Hand) (all []Text) {
	if raw {
		all = append(all, Text{"無駄合も含めた手順", "every move counted"})
	}
	if !left.IsEmpty() {
		ja, _ := heldText(left)
		all = append(all, Text{ja + "余り", left.String() + " left over"})
	}
	return all
}

// howLong says the length of a mate, or both bounds if it is not settled.
func howLong(i length.Interval) Text {
	if i.IsMate() && !i.IsExact() && i.Low > 1 {
		t := plies(i)
		return Text{t.Ja, t.En + " plies"}
	}
	return atMost(i)
}

// atMost says the length of a mate, else the upper bound, else the lower bound if there is no
// other.
func atMost(i length.Interval) Text {
	switch {
	case i.IsExact():
		return Text{fmt.Sprintf("%d手", i.High), count(i.High, "ply", "plies")}
	case i.IsMate():
		return Text{fmt.Sprintf("%d手以内", i.High), "within " + count(i.High, "ply", "plies")}
	}
	return Text{fmt.Sprintf("%d手以上", i.Low), count(i.Low, "ply", "plies") + " or more"}
}
