package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

func TestHeadline(t *testing.T) {
	a := report(t)
	want(t, Of(a).Headline(), "3手詰", "Mate in 3")
	a.Lengths[1].Interval = length.Interval{Low: 3, High: 7}
	want(t, Of(a).Headline(), "3～7手詰", "Mate in 3 to 7")
	a.Lengths[1].Low = 1
	want(t, Of(a).Headline(), "7手以内", "Mate in 7 or fewer")
	a.Lengths[1].Interval = length.Interval{Low: 3, High: length.Unbounded}
	want(t, Of(a).Headline(), "3手以上", "Mate in 3 or more")
	a.Lengths = a.Lengths[:1]
	want(t, Of(a).Headline(), "手数未確認", "Length not decided")
	a.Verdict = solver.NoMate
	want(t, Of(a).Headline(), "不詰", "No mate")
	a.Verdict = solver.Unknown
	want(t, Of(a).Headline(), "詰むかどうか未確認", "Not decided whether it mates")
	want(t, Unverified(MateIn(length.Exactly(9))), "9手詰（未確認）", "Mate in 9 (not verified)")
}

// Footnotes are the defects and the variations that are worth a line: no tries, no futile drops, no
// replies that are mated at once, and not more than asked for, with the number of the others.
func TestFootnotes(t *testing.T) {
	a := report(t)
	if notes := Of(a).Footnotes(6); len(notes) != 0 {
		t.Errorf("a problem without them has %v", notes)
	}
	a.Parts, a.Sound = analysis.Attack|analysis.Defence, analysis.No
	a.Rules = []analysis.RuleResult{{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No},
		{Rule: analysis.RuleLonger, Severity: analysis.Fail, Holds: analysis.No}}
	a.Leftover.Class = analysis.LeftoverForced
	cook := analysis.OtherCheck{Move: one(t, "G*6b"), Verdict: solver.Mate, Class: analysis.Cook,
		Length: length.Exactly(5), Line: moves(t, "G*6b")}
	try := analysis.OtherCheck{Move: one(t, "G*5a"), Verdict: solver.NoMate, Class: analysis.Try}
	last := analysis.OtherCheck{Move: one(t, "G*5b"), Verdict: solver.Mate, Class: analysis.LastMove, Length: length.Exactly(3)}
	a.Attack[0].Others = []analysis.OtherCheck{try, cook, cook, cook}
	a.Attack[1].Others = []analysis.OtherCheck{last}
	shorter := analysis.Reply{Move: one(t, "5b6a"), Kind: analysis.ShorterReply, Length: length.Exactly(3),
		Line: moves(t, "5b6a", "G*6b")}
	longer := shorter
	longer.Kind, longer.Line = analysis.LongerReply, moves(t, "5b6a")
	equal := shorter
	equal.Kind = analysis.EqualReply
	futile := analysis.Reply{Move: one(t, "P*5c"), Kind: analysis.FutileReply}
	a.Defence[0].Replies = []analysis.Reply{{Move: one(t, "5b4a"), Kind: analysis.MainReply}, shorter, futile, longer, equal, equal, equal}
	notes := Of(a).Footnotes(2)
	if summary := &notes[0]; !summary.SaidBy(notes) || summary.SaidBy(notes[:2]) || notes[1].SaidBy(notes) {
		t.Error("a summary is said by the lines of all its defects alone")
	}
	var ja, en []string
	for _, n := range notes {
		ja = append(ja, strings.TrimSpace(n.Mark.String()+" "+n.Name.Ja+" "+n.Moves.Ja))
		en = append(en, strings.TrimSpace(n.Mark.String()+" "+n.Name.En+" "+n.Moves.En))
	}
	for _, c := range []struct{ got, want string }{
		{strings.Join(ja, "\n"), `fail 不完全：余詰、変長
fail 駒余り
fail 余詰（5手） ６二金
fail 余詰（5手） ６二金
fail ほかに詰む王手1
fail 変長（3手） ６一玉
note 変同 ６一玉、６二金打
note 変同 ６一玉、６二金打
pass ほかに変化1`},
		{strings.Join(en, "\n"), `fail not sound: cook, longer variation
fail pieces are always left over
fail cook (5 plies) G*6b
fail cook (5 plies) G*6b
fail and 1 other check that mates
fail longer than the author's line (3 plies) K-6a
note as long K-6a G*6b
note as long K-6a G*6b
pass and 1 other variation`},
	} {
		if c.got != c.want {
			t.Errorf("got\n%s\nwant\n%s", c.got, c.want)
		}
	}
}

// Beside a diagram there is a word or two, and on its page what an editor wants to know of the whole.
func TestStatus(t *testing.T) {
	a := report(t)
	a.Parts = analysis.Attack
	want(t, Of(a).Status().Text, "完全", "Sound")
	a.Author = &analysis.Author{Moves: a.Line.Moves, Plies: 3, Finding: analysis.Agrees}
	var ja, en []string
	for _, s := range Of(a).Summary() {
		ja, en = append(ja, s.Ja), append(en, s.En)
	}
	decided := a.Attack[0].Fail + a.Attack[1].Fail
	if ja, en := strings.Join(ja, "\n"), strings.Join(en, "\n"); !strings.Contains(ja, "3手詰") || !strings.Contains(ja, "作意は3手\n作意どおり\n") ||
		!strings.Contains(ja, fmt.Sprintf("王手%d通りのうち、詰まない%d、詰む0、未確認0", decided, decided)) ||
		!strings.Contains(en, "the author's line has 3 plies\nthe author's line is best play\n") || !strings.Contains(en, "0 mate and 0 are not decided") {
		t.Errorf("%s\n%s", ja, en)
	}
	for f := analysis.AuthorUnknown; f <= analysis.Faulty; f++ {
		a.Author.Finding = f
		switch got := Of(a).Status(); f {
		case analysis.NoMateAfter, analysis.IsEarly, analysis.Faulty:
			want(t, got.Text, "完全、作意に誤り", "Sound, but the author's line is at fault")
			if got.Mark != Fail {
				t.Errorf("%v: the mark is %v", f, got.Mark)
			}
		default:
			if want(t, got.Text, "完全", "Sound"); got.Mark != Pass {
				t.Errorf("%v: the mark is %v", f, got.Mark)
			}
		}
	}
	a.Sound, a.Remaining = analysis.Unknown, []analysis.Place{{Ply: 1, Move: one(t, "G*6b")}}
	want(t, Of(a).Status().Text, "未確認1", "1 not decided")
	a.Remaining = nil
	want(t, Of(a).Status().Text, "未確認あり", "Not all decided")
	a.Sound = analysis.No
	a.Rules = []analysis.RuleResult{{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No},
		{Rule: analysis.RuleEarly, Severity: analysis.Fail, Holds: analysis.No}}
	want(t, Of(a).Status().Text, "余詰、早詰", "cook, early mate")
	a.Verdict = solver.NoMate
	want(t, Of(a).Status().Text, "不詰", "No mate")
	if a.Parts, a.Verdict = 0, solver.Mate; Of(a).Status().Text != (Text{}) {
		t.Error("nothing was asked, and something is said")
	}
}

// A cook along an equal line is a footnote that names the line.
func TestFootnotesOfEqualLines(t *testing.T) {
	a := report(t)
	a.Parts, a.Sound = analysis.Attack, analysis.No
	a.EqualLines = []analysis.EqualLine{{Moves: moves(t, "G*5c", "5b5a", "G*5b"), Reply: analysis.Place{Ply: 2, Move: one(t, "5b5a")},
		Attack: []analysis.AttackNode{{Place: analysis.Place{Ply: 3, Move: one(t, "G*5b")}, Checks: 2, Mate: 1,
			Others: []analysis.OtherCheck{{Move: one(t, "G*4a"), Verdict: solver.Mate, Class: analysis.Cook, Length: length.Exactly(3),
				Line: moves(t, "G*4a")}}}}}}
	for _, n := range Of(a).Footnotes(6) {
		if n.Ply == 3 {
			want(t, n.Name, "変同（2手目△５一玉）の余詰（3手）", "cook (3 plies) in the equal line with ply 2 K-5a")
			want(t, n.Moves, "４一金", "G*4a")
			return
		}
	}
	t.Error("there is none")
}
