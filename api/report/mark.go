package report

import (
	"fmt"
	"slices"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// A Mark says how bad a finding is for the problem under its profile. Greater is worse.
type Mark uint8

const (
	Pass   Mark = iota // as it should be
	Futile             // a reply that does not count
	Note               // worth mentioning, but no defect
	Open               // not decided
	Fail               // a defect
)

// String returns "pass", "futile", "note", "unknown" or "fail".
func (m Mark) String() string {
	return [...]string{"pass", "futile", "note", "unknown", "fail"}[m]
}

// Name says what a mark means, for screen readers and others who do not see its sign.
func (m Mark) Name() Text {
	return [...]Text{{"問題なし", "fine"}, {"数えない", "not counted"}, {"注記", "noted"}, undecided,
		{"欠陥", "defect"}}[m]
}

// SoundMark returns the mark of the whole problem.
func SoundMark(a *analysis.Analysis) Mark {
	return [...]Mark{analysis.Unknown: Open, analysis.Yes: Pass, analysis.No: Fail}[a.Sound]
}

// AuthorMark returns the mark of the author's line, Pass if there is none.
func AuthorMark(a *analysis.Analysis) Mark {
	switch f := a.Author; {
	case f == nil || f.Finding == analysis.Agrees:
		return Pass
	case f.Finding.IsFault():
		return Fail
	case f.Finding == analysis.AuthorUnknown:
		return Open
	}
	return Note
}

// isDefect reports whether the profile has the rule with severity Fail: broken, it is a defect.
func (w *Writer) isDefect(rule analysis.Rule) bool {
	return slices.ContainsFunc(w.a.Rules, func(r analysis.RuleResult) bool {
		return r.Rule == rule && r.Severity == analysis.Fail
	})
}

// checkMark returns the mark of another check.
func (w *Writer) checkMark(o *analysis.OtherCheck) Mark {
	switch {
	case w.isDefect(w.a.Breaks(o)):
		return Fail
	case o.Class == analysis.CheckUnknown,
		o.Class == analysis.DualMove && o.SamePlay == analysis.Unknown:
		return Open
	case o.Class == analysis.Try:
		return Pass
	}
	return Note
}

// replyMark returns the mark of another reply.
func (w *Writer) replyMark(r *analysis.Reply) Mark {
	switch r.Kind {
	case analysis.ReplyUnknown:
		return Open
	case analysis.FutileReply:
		return Futile
	case analysis.EscapeReply:
		return Fail
	case analysis.EqualReply, analysis.LongerReply:
		rule := analysis.RuleEqual
		if r.Kind == analysis.LongerReply {
			rule = analysis.RuleLonger
		}
		if w.isDefect(rule) {
			return Fail
		}
		return Note
	}
	return Pass
}

// ruleMark returns the mark of a rule. A broken rule passes if the profile allows that.
func ruleMark(r *analysis.RuleResult) Mark {
	switch {
	case r.Holds == analysis.Unknown:
		return Open
	case r.Holds == analysis.Yes:
		return Pass
	}
	return [...]Mark{analysis.Allowed: Pass, analysis.Note: Note, analysis.Fail: Fail}[r.Severity]
}

// A Tally is the number of moves with the same outcome.
type Tally struct {
	Mark  Mark
	Count int
	Text
}

// addTo adds n moves to the tally of their outcome.
func addTo(all []Tally, mark Mark, name Text, n int) []Tally {
	if n == 0 {
		return all
	}
	for i := range all {
		if all[i].Mark == mark && all[i].Text == name {
			all[i].Count += n
			return all
		}
	}
	return append(all, Tally{mark, n, name})
}

// CheckTally counts the other checks at a node by outcome. Tries are among those that fail.
func (w *Writer) CheckTally(n *analysis.AttackNode) []Tally {
	all := addTo(nil, Pass, refuted, n.Fail)
	for i := range n.Others {
		switch o := &n.Others[i]; {
		case o.Class == analysis.Try:
		case o.Class == analysis.CheckUnknown && o.Verdict != solver.Mate: // counted in n.Open
		case o.Class == analysis.CheckUnknown:
			all = addTo(all, Open, unclassified, 1)
		default:
			all = addTo(all, w.checkMark(o), checkNames[o.Class], 1)
		}
	}
	return addTo(all, Open, undecided, n.Open)
}

// ReplyTally counts the other replies at a node by outcome.
func (w *Writer) ReplyTally(n *analysis.DefenceNode) []Tally {
	var all []Tally
	for i := range n.Replies {
		if r := &n.Replies[i]; r.Kind != analysis.MainReply {
			all = addTo(all, w.replyMark(r), replyNames[r.Kind], 1+len(r.Same))
		}
	}
	return all
}

// Worst returns the worst mark of the tallies.
func Worst(all []Tally) Mark {
	worst := Pass
	for _, t := range all {
		worst = max(worst, t.Mark)
	}
	return worst
}

// ChecksText says how many other checks a node has, by outcome.
func (w *Writer) ChecksText(n *analysis.AttackNode) Text {
	others := n.Checks - 1
	switch {
	case others == 0:
		return Text{"ほかに王手なし", "the only check"}
	case n.Fail == others:
		return Text{fmt.Sprintf("ほかの王手%d：すべて%s", others, refuted.Ja),
			count(others, "other check", "other checks") + ": all " + refuted.En}
	}
	t := tallyText(w.CheckTally(n))
	return Text{fmt.Sprintf("ほかの王手%d：%s", others, t.Ja),
		count(others, "other check", "other checks") + ": " + t.En}
}

// RepliesText says how many other replies a node has, by outcome.
func (w *Writer) RepliesText(n *analysis.DefenceNode) Text {
	if all := w.ReplyTally(n); len(all) > 0 {
		return tallyText(all)
	}
	return Text{"ほかの応手なし", "the only reply"}
}

// hasPlural reports whether a name takes a plural s in English: the classes of checks are nouns.
func hasPlural(name Text) bool {
	for class, t := range checkNames {
		if t == name && class != analysis.CheckUnknown {
			return true
		}
	}
	return false
}

// tallyText lists tallies. Those of one name are one entry, even if their marks differ.
func tallyText(all []Tally) Text {
	counts := map[Text]int{}
	var names []Text
	for _, t := range all {
		if counts[t.Text] == 0 {
			names = append(names, t.Text)
		}
		counts[t.Text] += t.Count
	}
	parts := make([]Text, len(names))
	for i, name := range names {
		parts[i] = Text{fmt.Sprint(name.Ja, counts[name]), fmt.Sprint(counts[name], " ", name.En)}
		if counts[name] > 1 && hasPlural(name) {
			parts[i].En += "s"
		}
	}
	return join(parts, "、", ", ")
}
