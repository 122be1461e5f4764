package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// TestTerms: everything that an analysis can find has a name in both languages.
func TestTerms(t *testing.T) {
	check := func(what any, names ...Text) {
		t.Helper()
		for _, name := range names {
			if name.Ja == "" || name.En == "" || name.Ja == name.En {
				t.Errorf("%v is called %q", what, name)
			}
		}
	}
	for c := analysis.CheckUnknown; c <= analysis.Cook; c++ {
		check(c, checkNames[c])
	}
	for d := analysis.Promotion; d <= analysis.Side; d++ {
		check(d, dualNames[d])
	}
	for k := analysis.ReplyUnknown; k <= analysis.EscapeReply; k++ {
		check(k, replyNames[k])
	}
	for f := analysis.NoMateAfter; f <= analysis.PrefersEqual; f++ {
		check(f, authorNames[f])
	}
	for p := analysis.Phase(0); p < analysis.NumPhases; p++ {
		check(p, Phase(p.String()))
	}
	for p := solver.Phase(0); p < solver.NumPhases; p++ {
		check(p, Phase(p.String()))
	}
	for r := range reasons {
		check(r, reasons[r], Why(r))
	}
	for f := length.X; f <= length.Any; f++ {
		check(f, Say("futile_by_"+f.String()))
	}
	for m := Pass; m <= Fail; m++ {
		check(m, m.Name())
	}
	for name, text := range phrases {
		check(name, text)
	}
	z := analysis.NewAnalyzer(dfpn.NewSession())
	a, err := z.Analyze(t.Context(), analysis.Question{Nodes: 1,
		Position: shogi.MustParseSFEN(problem), Profile: analysis.Strict}, nil, nil)
	if err != nil || len(a.Rules) < 18 {
		t.Fatalf("%d rules, %v", len(a.Rules), err)
	}
	for _, r := range a.Rules {
		check(r.Rule, ruleNames[r.Rule].holds, ruleNames[r.Rule].broken)
	}
}

// TestTheme: four of the plies that show a theme are named, and the rest are counted.
func TestTheme(t *testing.T) {
	for _, c := range []struct {
		id, ja, en string
		plies      []int
	}{
		{"central_mate", "都詰", "mate on the central square", []int{9}}, // that is the last anyway
		{"nonpromotion", "不成（3手目）", "non-promotion (ply 3)", []int{3}},
		{"nonpromotion", "不成（1、3、5、7手目）", "non-promotion (plies 1, 3, 5, 7)", []int{1, 3, 5, 7}},
		{"nonpromotion", "不成（1、3、5、7手目ほか1手）", "non-promotion (plies 1, 3, 5, 7 and 1 more)",
			[]int{1, 3, 5, 7, 9}},
	} {
		want(t, Theme(&theme.Found{Theme: theme.ByID(c.id), Plies: c.plies}), c.ja, c.en)
	}
}

// TestMarks: what a finding is for the problem, by the profile.
func TestMarks(t *testing.T) {
	rule := func(r analysis.Rule, s analysis.Severity) analysis.RuleResult {
		return analysis.RuleResult{Rule: r, Severity: s}
	}
	a := report(t)
	a.Rules = []analysis.RuleResult{rule(analysis.RuleCook, analysis.Fail),
		rule(analysis.RulePromotion, analysis.Fail), rule(analysis.RuleOrigin, analysis.Note),
		rule(analysis.RuleMirror, analysis.Allowed), rule(analysis.RuleEqual, analysis.Note),
		rule(analysis.RuleLonger, analysis.Fail)}
	w := Of(a)
	for _, c := range []struct {
		o    analysis.OtherCheck
		want Mark
	}{
		{analysis.OtherCheck{}, Open},
		{analysis.OtherCheck{Class: analysis.Try}, Pass},
		{analysis.OtherCheck{Class: analysis.Cook}, Fail},
		{analysis.OtherCheck{Class: analysis.Mirror}, Note},
		{analysis.OtherCheck{Class: analysis.DualMove, Dual: analysis.Promotion}, Fail},
		{analysis.OtherCheck{Class: analysis.DualMove, Dual: analysis.Origin}, Open},
		{analysis.OtherCheck{Class: analysis.DualMove, Dual: analysis.Origin, SamePlay: analysis.Yes}, Note},
	} {
		if got := w.checkMark(&c.o); got != c.want {
			t.Errorf("%v %v is marked %v, want %v", c.o.Class, c.o.Dual, got, c.want)
		}
	}
	for kind, want := range map[analysis.ReplyKind]Mark{analysis.ReplyUnknown: Open,
		analysis.MainReply: Pass, analysis.EqualReply: Note, analysis.EqualLeftoverReply: Pass,
		analysis.ShorterReply: Pass, analysis.LongerReply: Fail, analysis.FutileReply: Futile,
		analysis.EscapeReply: Fail} {
		if got := w.replyMark(&analysis.Reply{Kind: kind}); got != want {
			t.Errorf("%v is marked %v, want %v", kind, got, want)
		}
	}
	for _, c := range []struct {
		holds    analysis.Answer
		severity analysis.Severity
		want     Mark
	}{
		{analysis.Unknown, analysis.Allowed, Open}, {analysis.Yes, analysis.Fail, Pass},
		{analysis.No, analysis.Allowed, Pass}, {analysis.No, analysis.Note, Note},
		{analysis.No, analysis.Fail, Fail},
	} {
		if got := ruleMark(&analysis.RuleResult{Holds: c.holds, Severity: c.severity}); got != c.want {
			t.Errorf("%+v is marked %v", c, got)
		}
	}
}

// TestTallies: what is counted at a ply, with the worst mark for the ply.
func TestTallies(t *testing.T) {
	a := report(t)
	a.Rules = []analysis.RuleResult{{Rule: analysis.RuleCook, Severity: analysis.Fail}}
	n := &analysis.AttackNode{Checks: 12, Fail: 5, Mate: 4, Open: 2, Others: []analysis.OtherCheck{
		{Class: analysis.Detour, Verdict: solver.Mate}, {Class: analysis.Try},
		{Class: analysis.Cook, Verdict: solver.Mate}, {Class: analysis.Cook, Verdict: solver.Mate},
		{Verdict: solver.Mate}, {Verdict: solver.Unknown}, {Verdict: solver.Unknown}}}
	w := Of(a)
	sum := func(all []Tally) string {
		var parts []string
		for _, one := range all {
			parts = append(parts, fmt.Sprintf("%v %d %s", one.Mark, one.Count, one.En))
		}
		return strings.Join(parts, ", ")
	}
	checks := w.CheckTally(n)
	if got := sum(checks); got != "pass 5 refuted, note 1 detour, fail 2 cook, "+
		"unknown 1 mating, not decided how, unknown 2 not decided" || Worst(checks) != Fail {
		t.Errorf("%v: %s", Worst(checks), got)
	}
	replies := w.ReplyTally(&analysis.DefenceNode{Replies: []analysis.Reply{
		{Kind: analysis.MainReply}, {Kind: analysis.FutileReply, Same: moves(t, "P*4b", "L*4b")},
		{Kind: analysis.EqualReply}, {Kind: analysis.ShorterReply}}})
	if got := sum(replies); got != "futile 3 futile, note 1 as long, pass 1 shorter" || Worst(replies) != Note {
		t.Errorf("%v: %s", Worst(replies), got)
	}
	want(t, w.ChecksText(n), "ほかの王手11：詰まない5、迂回手順1、余詰2、詰むが分類は未確認1、未確認2",
		"11 other checks: 5 refuted, 1 detour, 2 cooks, 1 mating, not decided how, 2 not decided")
	want(t, w.ChecksText(&analysis.AttackNode{Checks: 3, Fail: 2}), "ほかの王手2：すべて詰まない",
		"2 other checks: all refuted")
	want(t, w.ChecksText(&analysis.AttackNode{Checks: 1}), "ほかに王手なし", "the only check")
	want(t, w.RepliesText(&analysis.DefenceNode{Replies: []analysis.Reply{{Kind: analysis.MainReply}}}),
		"ほかの応手なし", "the only reply")
	a.Attack = []analysis.AttackNode{*n}
	a.Defence = []analysis.DefenceNode{{Replies: []analysis.Reply{{Kind: analysis.EqualReply}, {Kind: analysis.ShorterReply}}}}
	if some, all := len(w.Findings(false)), len(w.Findings(true)); some != 2 || all != 4 {
		t.Errorf("%d findings, in full %d", some, all)
	}
	if Worst(nil) != Pass {
		t.Error("nothing is no pass")
	}
}

// TestRemarks: a name, and in brackets what is known of a length and of a line.
func TestRemarks(t *testing.T) {
	interval := func(low, high int) length.Interval { return length.Interval{Low: low, High: high} }
	for _, c := range []struct {
		length length.Interval
		raw    bool
		ja, en string
	}{
		{length.Exactly(1), false, "余詰（1手）", "cook (1 ply)"},
		{interval(1, 7), false, "余詰（7手以内）", "cook (within 7 plies)"},
		{interval(3, 7), false, "余詰（3手以上7手以下）", "cook (between 3 and 7 plies)"},
		{interval(5, 7), true, "余詰（5手以上7手以下、無駄合も含めた手順）",
			"cook (between 5 and 7 plies, every move counted)"},
		{interval(5, length.Unbounded), false, "余詰", "cook"},
	} {
		o := &analysis.OtherCheck{Class: analysis.Cook, Verdict: solver.Mate, Length: c.length, Raw: c.raw}
		want(t, CheckRemark(o), c.ja, c.en)
	}
	o := &analysis.OtherCheck{Class: analysis.DualMove, Dual: analysis.Origin, Verdict: solver.Mate,
		Length: length.Exactly(3)}
	want(t, CheckRemark(o), "非限定（動かす駒、以下同じかは未確認）",
		"dual (piece that moves, not decided whether the play is the same)")
	o.SamePlay = analysis.Yes
	want(t, CheckRemark(o), "非限定（動かす駒）", "dual (piece that moves)")
	want(t, CheckRemark(&analysis.OtherCheck{}), "未確認", "not decided")
	want(t, CheckRemark(&analysis.OtherCheck{Verdict: solver.Mate, Length: length.Exactly(3)}),
		"詰むが分類は未確認（3手）", "mating, not decided how (3 plies)")

	a := report(t)
	w := Of(a)
	r := &analysis.Reply{Kind: analysis.LongerReply, Length: length.Exactly(5)}
	want(t, w.ReplyRemark(r), "変長（5手）", "longer than the author's line (5 plies)")
	a.Author = &analysis.Author{Plies: 3}
	want(t, w.ReplyRemark(r), "変長（作意より2手長い）", "longer than the author's line (by 2 plies)")
	r = &analysis.Reply{Kind: analysis.ShorterReply, Length: interval(3, length.Unbounded)}
	want(t, w.ReplyRemark(r), "変化（3手以上）", "shorter (3 plies or more)")
	r = &analysis.Reply{Kind: analysis.EqualLeftoverReply, Leftover: shogi.Hand(0).Add(shogi.Gold, 1)}
	want(t, w.ReplyRemark(r), "同手数駒余り（金余り）", "as long, leaving pieces over (G left over)")
}

// TestSay: names in braces are replaced, and clauses become sentences.
func TestSay(t *testing.T) {
	want(t, Say("plies_between", "low", "5", "high", "9"), "5手以上9手以下", "5 to 9")
	want(t, Say("shortest"), "最短と証明済み。検証した手順です。",
		"Proven to be the shortest. The line was verified.")
	want(t, Sentence(Why(solver.ReasonTime)), "時間切れです。", "The time ran out.")
	want(t, Sentence(Why(solver.NoReason)), "", "")
	want(t, Why("new"), "new", "new")
	if got := Names("en")["reasons"]["limit_nodes"]; got != "The nodes ran out." {
		t.Errorf("%q", got)
	}
	item := Item{Code: "cook", Args: []any{"ply", 3, one(t, "G*4c"), "mate", 7}}
	if got := item.String(); got != "cook ply 3 G*4c mate 7" {
		t.Errorf("%q", got)
	}
}

// TestVerdict: what is not asked for is not missed.
func TestVerdict(t *testing.T) {
	v := Verdict{Verdict: "mate", Plies: 7, NoMateWithin: 3, Attacker: "black"}
	want(t, v.Text(), "7手以内で詰む。3手以内では詰まない。", "mate in 7 or fewer: black forces it")
	v.Why = "the time ran out"
	want(t, v.Text(), "7手以内で詰む。3手以内では詰まない。", "mate in 7 or fewer: black forces it; "+
		"the time ran out before the shortest was proven; there is no mate in 3 or fewer")
	v.Exact, v.Why, v.Policy = true, "", "F2"
	want(t, v.Text(), "7手詰。最短と証明済み。", "mate in 7 by F2: black forces it")
	v.Policy, v.NamesCount = "", true
	want(t, v.Text(), "7手詰（無駄合も数えて）。最短と証明済み。", "mate in 7 (every move counted): black forces it")
	v.Plies = 1
	want(t, v.Text(), "1手詰。最短と証明済み。", "mate in 1: black forces it")
	v = Verdict{Verdict: "unknown", NoMateWithin: 3, Why: "the nodes ran out"}
	want(t, v.Text(), "不明。3手以内では詰まない。",
		"unknown: the nodes ran out; there is no mate in 3 or fewer")
}
