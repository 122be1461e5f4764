package report

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// problem is a mate in 3 with two equal variations.
const problem = "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"

func moves(t testing.TB, texts ...string) (all []shogi.Move) {
	t.Helper()
	for _, text := range texts {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func one(t testing.TB, text string) shogi.Move { return moves(t, text)[0] }

// report returns a report on the problem as far as it is the same in all tests.
func report(t testing.TB) *analysis.Analysis {
	a := &analysis.Analysis{Position: shogi.MustParseSFEN(problem), Attacker: shogi.Black,
		Policy: length.F2, Verdict: solver.Mate, Sound: analysis.Yes,
		Lengths: []analysis.Length{{Policy: length.F0, Interval: length.Exactly(3)},
			{Policy: length.F2, Interval: length.Exactly(3)}},
		Line:     analysis.Line{Moves: moves(t, "G*5c", "5b4a", "G*4b")},
		Leftover: analysis.Leftover{Class: analysis.LeftoverNone}}
	a.Attack = []analysis.AttackNode{
		{Place: analysis.Place{Ply: 1, Move: one(t, "G*5c")}, Checks: 8, Fail: 7},
		{Place: analysis.Place{Ply: 3, Move: one(t, "G*4b")}, Checks: 7, Fail: 6},
	}
	a.Defence = []analysis.DefenceNode{{Place: analysis.Place{Ply: 2, Move: one(t, "5b4a")}},
		{Place: analysis.Place{Ply: 4}}}
	return a
}

func want(t *testing.T, got Text, ja, en string) {
	t.Helper()
	if got.Ja != ja || got.En != en {
		t.Errorf("%s\n%s\nwant\n%s\n%s", got.Ja, got.En, ja, en)
	}
}

func TestHead(t *testing.T) {
	for _, c := range []struct {
		verdict solver.Verdict
		reason  solver.Reason
		policy  length.Policy
		raw, by length.Interval
		ja, en  string
	}{
		{solver.Mate, "", length.F2, length.Exactly(15), length.Exactly(9),
			"9手詰（無駄合を除く）。すべての合駒を数えると15手",
			"mate in 9 plies (futile interpositions not counted); 15 counting every move"},
		{solver.Mate, "", length.F2, length.Exactly(9), length.Exactly(9),
			"9手詰", "mate in 9 plies"},
		{solver.Mate, "", length.F0, length.Exactly(9), length.Exactly(9),
			"9手詰（すべての合駒を数えて）", "mate in 9 plies (every move counted)"},
		{solver.Mate, "", length.F2, length.Exactly(15), length.Interval{Low: 9, High: 13},
			"9手以上13手以下で詰み（無駄合を除く）。すべての合駒を数えると15手",
			"between 9 and 13 plies (futile interpositions not counted); 15 counting every move"},
		{solver.Mate, "", length.F2, length.Interval{Low: 9, High: 15},
			length.Interval{Low: 9, High: length.Unbounded},
			"9手以上で詰み（無駄合を除く）。すべての合駒を数えると9手以上15手以下",
			"mate in 9 or more plies (futile interpositions not counted); between 9 and 15 counting every move"},
		{solver.NoMate, "", length.F2, length.Interval{}, length.Interval{}, "不詰：詰まない", "no mate"},
		{solver.Unknown, solver.ReasonNodes, length.F2, length.Interval{}, length.Interval{},
			"詰むかどうか未確認（局面数の制限）", "not decided whether it mates (limit of nodes)"},
	} {
		a := report(t)
		a.Verdict, a.Reason, a.Policy = c.verdict, c.reason, c.policy
		a.Lengths = []analysis.Length{{Policy: length.F0, Interval: c.raw}}
		if c.policy != length.F0 {
			a.Lengths = append(a.Lengths, analysis.Length{Policy: c.policy, Interval: c.by})
		}
		want(t, Of(a).Head(), c.ja, c.en)
	}
	a := report(t)
	a.Lengths = nil
	want(t, Of(a).Head(), "詰む（手数は未確認）", "mates (the length is not known yet)")
}

func TestSound(t *testing.T) {
	a := report(t)
	want(t, Of(a).Sound(), "完全：余詰なし（全13通りの王手を確認）",
		"sound: no cook (all 13 other checks refuted)")

	a.Attack[1].Fail, a.Attack[1].Mate = 5, 1
	want(t, Of(a).Sound(), "完全：余詰なし（全13通りの王手を確認、うち1通りは詰むが規定上は可）",
		"sound: no cook (all 13 other checks decided; 1 mate as well, which the profile allows)")

	a.Sound = analysis.No
	a.Rules = []analysis.RuleResult{
		{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No},
		{Rule: analysis.RuleEqual, Severity: analysis.Note, Holds: analysis.No},
		{Rule: analysis.RuleLonger, Severity: analysis.Fail, Holds: analysis.Unknown},
		{Rule: analysis.RuleLeftover, Severity: analysis.Fail, Holds: analysis.No},
	}
	want(t, Of(a).Sound(), "不完全：余詰、駒余り", "not sound: cook, pieces left over")

	a.Sound = analysis.Unknown
	place := func(ply int, move string) analysis.Place { return analysis.Place{Ply: ply, Move: one(t, move)} }
	a.Remaining = []analysis.Place{place(2, "5b6a"), place(3, "G*5b"), place(1, "G*4c"), place(1, "G*6c")}
	want(t, Of(a).Sound(), "未確認の王手が3通り、応手が1通り（3手目▲５二金打など）",
		"3 checks and 1 reply not decided (ply 3: G*5b, …)")
	a.Remaining = a.Remaining[:2]
	want(t, Of(a).Sound(), "未確認の王手が1通り、応手が1通り（3手目▲５二金打など）",
		"1 check and 1 reply not decided (ply 3: G*5b, …)")
	a.Remaining = a.Remaining[1:2]
	want(t, Of(a).Sound(), "未確認の王手が1通り（3手目▲５二金打）", "1 check not decided (ply 3: G*5b)")
	a.Remaining = []analysis.Place{place(2, "5b6a")}
	want(t, Of(a).Sound(), "未確認の応手が1通り（2手目△６一玉）", "1 reply not decided (ply 2: K-6a)")
	a.Remaining, a.Reason = nil, solver.ReasonTime
	want(t, Of(a).Sound(), "完全かどうか未確認（時間切れ）", "not decided whether it is sound (limit of time)")
}

// TestNeverSoundWhileOpen: whatever a report has, the words for sound and for no cook come with a
// count, and only where Sound is Yes.
func TestNeverSoundWhileOpen(t *testing.T) {
	for _, sound := range []analysis.Answer{analysis.Unknown, analysis.No} {
		a := report(t)
		a.Sound = sound
		for _, holds := range []analysis.Answer{analysis.Unknown, analysis.No} {
			a.Rules = nil
			for rule := range ruleNames {
				a.Rules = append(a.Rules, analysis.RuleResult{Rule: rule, Severity: analysis.Fail, Holds: holds})
			}
			all := Of(a).Sentences()
			for i := range a.Rules {
				all = append(all, Of(a).Rule(&a.Rules[i]).Text)
			}
			for _, text := range all {
				en := strings.NewReplacer("not sound", "", "whether it is sound", "").Replace(text.En)
				ja := strings.NewReplacer("不完全", "", "完全かどうか未確認", "").Replace(text.Ja)
				if strings.Contains(en, "sound") || strings.Contains(ja, "完全") ||
					strings.Contains(en, "no cook") || strings.Contains(ja, "余詰なし") {
					t.Errorf("sound is %v, and holds %v: %v", sound, holds, text)
				}
			}
		}
	}
	a := report(t)
	cook := Of(a).Rule(&analysis.RuleResult{Rule: analysis.RuleCook, Holds: analysis.Yes})
	want(t, cook.Text, "余詰なし（ほかの王手13通りを確認）", "no cook (13 other checks decided)")
}

func TestCheck(t *testing.T) {
	within := func(low, high int) length.Interval { return length.Interval{Low: low, High: high} }
	open := within(3, length.Unbounded)
	for _, c := range []struct {
		ply    int
		move   string
		o      analysis.OtherCheck
		ja, en string
	}{
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Cook, Verdict: solver.Mate, Length: within(3, 11)},
			"1手目▲４三金打で余詰（11手以内）", "cook at ply 1: G*4c also mates (within 11 plies)"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Cook, Verdict: solver.Mate, Length: within(7, 7)},
			"1手目▲４三金打で余詰（7手）", "cook at ply 1: G*4c also mates (in 7 plies)"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Cook, Verdict: solver.Mate, Length: open},
			"1手目▲４三金打で余詰", "cook at ply 1: G*4c also mates"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Early, Verdict: solver.Mate, Length: within(1, 1)},
			"1手目▲４三金打で早詰（1手）", "ply 1: G*4c mates early (in 1 ply)"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Transposition, Verdict: solver.Mate},
			"1手目▲４三金打は手順前後（本手順に合流）", "ply 1: G*4c joins the main line further on"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Detour, Verdict: solver.Mate},
			"1手目▲４三金打は迂回手順（本手順に戻るだけ）", "ply 1: G*4c only comes back to the main line"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Mirror, Verdict: solver.Mate},
			"1手目▲４三金打は左右対称の同手順", "ply 1: G*4c is the mirror image of the main move"},
		{3, "G*5b", analysis.OtherCheck{Class: analysis.LastMove, Verdict: solver.Mate},
			"最終手は▲５二金打でも詰み", "last ply: G*5b mates as well"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Try, Verdict: solver.NoMate,
			Line: moves(t, "G*4c", "5b6a")},
			"1手目▲４三金打は△６一玉で逃れ", "ply 1: G*4c fails to K-6a"},
		{1, "G*4c", analysis.OtherCheck{Class: analysis.Try, Verdict: solver.NoMate},
			"1手目▲４三金打では詰まない", "ply 1: G*4c does not mate"},
		{1, "4d4c", analysis.OtherCheck{Class: analysis.DualMove, Dual: analysis.Origin,
			Verdict: solver.Mate, SamePlay: analysis.Yes},
			"1手目は▲４三金でも同じ（動かす駒非限定）", "ply 1: G-4c comes to the same"},
		{1, "4d4c", analysis.OtherCheck{Class: analysis.DualMove, Dual: analysis.Side,
			Verdict: solver.Mate, SamePlay: analysis.Unknown},
			"1手目は▲４三金でも同じ。その後が同じかどうか未確認",
			"ply 1: G-4c comes to the same; not decided whether the play is the same"},
		{1, "4d4c", analysis.OtherCheck{Class: analysis.DualMove, Dual: analysis.Promotion,
			Verdict: solver.Mate, SamePlay: analysis.Yes},
			"1手目は成・不成どちらでも同じ", "ply 1: promotion does not matter"},
		{1, "G*4c", analysis.OtherCheck{Reason: solver.ReasonNodes},
			"1手目▲４三金打は未確認（局面数の制限）", "ply 1: G*4c is not decided (limit of nodes)"},
		{1, "G*4c", analysis.OtherCheck{Verdict: solver.Mate, Reason: solver.ReasonTime},
			"1手目▲４三金打でも詰むが、余詰かどうか未確認（時間切れ）",
			"ply 1: G*4c mates too, not decided whether as a cook (limit of time)"},
		{9, "G*4c", analysis.OtherCheck{Class: analysis.Cook, Length: open},
			"9手目G*4cで余詰", "cook at ply 9: G*4c also mates"}, // beyond the line
	} {
		a := report(t)
		c.o.Move = one(t, c.move)
		want(t, Of(a).Check(&analysis.AttackNode{Place: analysis.Place{Ply: c.ply, Move: one(t, "G*5c")}}, &c.o).Text, c.ja, c.en)
	}
}

// TestDistance: a lance from afar. All squares are one sentence.
func TestDistance(t *testing.T) {
	a := report(t)
	a.Position = shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/9 b L2r2b4g4s4n3l18p 1")
	a.Line.Moves = moves(t, "L*5b")
	n := &analysis.AttackNode{Place: analysis.Place{Ply: 1, Move: one(t, "L*5b")}}
	for _, m := range moves(t, "L*5d", "L*5i", "L*5c") {
		n.Others = append(n.Others, analysis.OtherCheck{Move: m, Verdict: solver.Mate,
			Class: analysis.DualMove, Dual: analysis.DistanceDrop, SamePlay: analysis.Yes})
	}
	n.Others = append(n.Others, analysis.OtherCheck{Move: one(t, "L*5e")}) // not decided
	got := Of(a).checkSentences(n)
	if len(got) != 1 {
		t.Fatal(got)
	}
	want(t, got[0], "1手目は打ち場所非限定（５九～５二）", "ply 1: the square of the drop does not matter (5i–5b)")
	want(t, Of(a).Check(n, &n.Others[0]).Text,
		"1手目は打ち場所非限定（５四～５二）", "ply 1: the square of the drop does not matter (5d–5b)")
	n.Others[0].Dual, n.Others[0].SamePlay = analysis.DistanceMove, analysis.Unknown
	want(t, Of(a).Check(n, &n.Others[0]).Text, "1手目は移動先非限定（５四～５二）。その後が同じかどうか未確認",
		"ply 1: the square of the move does not matter (5d–5b); not decided whether the play is the same")
}

// TestTransposition: the same moves in another order come back to the main line after ply 3.
func TestTransposition(t *testing.T) {
	a := report(t)
	a.Position = shogi.MustParseSFEN("k8/9/9/9/9/9/9/9/9 b 2R2b4g4s4n4l18p 1")
	a.Line.Moves = moves(t, "R*9i", "9a8a", "R*8i", "8a7a", "9i9a+")
	n := &analysis.AttackNode{Place: analysis.Place{Ply: 1, Move: one(t, "R*9i")}}
	o := &analysis.OtherCheck{Class: analysis.Transposition, Move: one(t, "R*9e"),
		Line: moves(t, "R*9e", "9a8a", "R*8i", "8a7a", "9e9i", "7a6a")}
	want(t, Of(a).Check(n, o).Text, "1手目▲９五飛は手順前後（本手順に合流）",
		"ply 1: R*9e joins the main line further on")
	o.Line = moves(t, "R*9i", "9a8a", "R*8i")
	want(t, Of(a).Check(n, o).Text, "1手目▲９五飛は手順前後（3手目で本手順に戻る）",
		"ply 1: R*9e joins the main line at ply 3")
}

func TestReply(t *testing.T) {
	exactly := length.Exactly
	for _, c := range []struct {
		ply    int
		move   string
		r      analysis.Reply
		ja, en string
	}{
		{2, "5b5a", analysis.Reply{Kind: analysis.EqualReply},
			"2手目△５一玉は変同", "ply 2: K-5a lasts as long, nothing left over"},
		{2, "5b5a", analysis.Reply{Kind: analysis.EqualLeftoverReply},
			"2手目△５一玉は同手数駒余り", "ply 2: K-5a lasts as long, but leaves pieces over"},
		{2, "5b5a", analysis.Reply{Kind: analysis.LongerReply, Length: exactly(5)},
			"2手目△５一玉は変長（作意より2手長い）", "ply 2: K-5a lasts 2 plies longer than the author's line"},
		{2, "5b5a", analysis.Reply{Kind: analysis.LongerReply, Length: length.Interval{Low: 5, High: 9},
			Leftover: shogi.Hand(0).Add(shogi.Gold, 1)},
			"2手目△５一玉は変長（作意より2手以上長い）、駒余り",
			"ply 2: K-5a lasts at least 2 plies longer than the author's line, with pieces left over"},
		{2, "5b5a", analysis.Reply{Kind: analysis.ShorterReply, Length: exactly(3)},
			"2手目△５一玉は変化（3手）", "ply 2: K-5a is shorter (in 3 plies)"},
		{2, "5b4a", analysis.Reply{Kind: analysis.MainReply}, "2手目△４一玉は本手順", "ply 2: K-4a is the main line"},
		{2, "5b5a", analysis.Reply{Kind: analysis.EscapeReply},
			"不詰：▲５三金打に△５一玉で逃れ", "no mate: after G*5c K-5a escapes"},
		{2, "5b5a", analysis.Reply{Reason: solver.ReasonNodes},
			"2手目△５一玉は未確認（局面数の制限）", "ply 2: K-5a is not decided (limit of nodes)"},
	} {
		a := report(t)
		a.Author = &analysis.Author{Plies: 3}
		c.r.Move = one(t, c.move)
		want(t, Of(a).Reply(&analysis.DefenceNode{Place: analysis.Place{Ply: c.ply}}, &c.r).Text, c.ja, c.en)
	}

	// An interposition against a rook from afar.
	a := report(t)
	a.Position = shogi.MustParseSFEN("k8/9/9/9/9/9/9/9/9 b 2R2b4g4s4n4l18p 1")
	a.Line.Moves = moves(t, "R*9i")
	n := &analysis.DefenceNode{Place: analysis.Place{Ply: 2}}
	r := &analysis.Reply{Move: one(t, "P*9d"), Kind: analysis.FutileReply,
		Futile: &analysis.Futile{Type: length.Narrow, Capture: one(t, "9i9d")}}
	want(t, Of(a).Reply(n, r).Text, "△９四歩合は無駄合（▲同飛で前と同じ）",
		"P*9d is futile (taken by Rx9d, nothing changes)")
	for _, mates := range []length.FutileType{length.X, length.XY, length.XYZ} {
		r.Futile.Type = mates
		want(t, Of(a).Reply(n, r).Text, "△９四歩合は無駄合（▲同飛までで詰み）", "P*9d is futile (Rx9d is mate)")
	}
	r.Futile.Capture = shogi.NoMove
	want(t, Of(a).Reply(n, r).Text, "△９四歩合は無駄合", "P*9d is futile (taken, nothing changes)")
	r.Futile = nil
	want(t, Of(a).Reply(n, r).Text, "△９四歩合は無駄合", "P*9d is futile")
}

func TestLeftover(t *testing.T) {
	hand := func(kinds ...shogi.PieceType) (h shogi.Hand) {
		for _, k := range kinds {
			h = h.Add(k, 1)
		}
		return h
	}
	for _, c := range []struct {
		class  analysis.LeftoverClass
		hand   shogi.Hand
		ja, en string
	}{
		{analysis.LeftoverForced, hand(shogi.Gold), "駒余り：金が余る", "a gold is always left over"},
		{analysis.LeftoverForced, hand(shogi.Gold, shogi.Pawn, shogi.Pawn), "駒余り：金歩2枚が余る",
			"a gold and 2 pawns are always left over"},
		{analysis.LeftoverForced, hand(shogi.Pawn, shogi.Pawn), "駒余り：歩2枚が余る",
			"2 pawns are always left over"},
		{analysis.LeftoverForced, hand(shogi.Rook, shogi.Gold, shogi.Pawn), "駒余り：飛金歩が余る",
			"a rook, a gold and a pawn are always left over"},
		{analysis.LeftoverForced, 0, "駒余り", "pieces are always left over"},
		{analysis.LeftoverAvoidable, 0, "駒を余して詰ますこともできる",
			"pieces can be left over, but need not be"},
		{analysis.LeftoverUnknown, 0, "駒余りは未確認", "not decided whether pieces are left over"},
	} {
		a := report(t)
		a.Leftover.Class, a.Line.Leftover = c.class, c.hand
		got := Of(a).Leftover()
		if len(got) != 1 {
			t.Fatal(got)
		}
		want(t, got[0], c.ja, c.en)
	}
	if got := Of(report(t)).Leftover(); len(got) != 0 {
		t.Errorf("nothing is left over: %v", got)
	}
}

func TestAuthor(t *testing.T) {
	place := func(ply int, move string) analysis.Place { return analysis.Place{Ply: ply, Move: one(t, move)} }
	for _, c := range []struct {
		finding analysis.AuthorFinding
		places  []analysis.Place
		ja, en  string
	}{
		{analysis.Agrees, nil, "作意どおり", "the author's line is best play"},
		{analysis.NoMateAfter, []analysis.Place{place(2, "5b6a")},
			"不詰：▲４三金打に△６一玉で逃れ", "no mate: after G*4c K-6a escapes"},
		{analysis.NoMateAfter, []analysis.Place{place(4, "5a6a")},
			"不詰：▲４二金打に△６一玉で逃れ", "no mate: after G*4b K-6a escapes"},
		{analysis.IsLonger, nil, "作意より長い変化あり", "the defender lasts longer than the author's line"},
		{analysis.IsEarly, []analysis.Place{place(1, "G*5c")},
			"早詰：作意9手、実際は3手（1手目▲５三金打）", "mates in 3, not in 9 (ply 1: G*5c)"},
		{analysis.PrefersEqual, nil, "作意と同手数で駒の余らない受けあり",
			"the defender can last as long as in the author's line with nothing left over"},
		{analysis.Faulty, []analysis.Place{place(3, "G*4a")}, "作意の手順に誤り：3手目▲４一金は王手でない",
			"the author's moves are no line to a mate: ply 3, G*4a, gives no check"},
		{analysis.AuthorUnknown, nil, "作意との比較は未確認", "not decided how the author's line compares"},
	} {
		a := report(t)
		a.Author = &analysis.Author{Moves: moves(t, "G*4c", "5b5a", "G*4b"), Plies: 9, Finding: c.finding, Places: c.places}
		if c.finding == analysis.Faulty {
			a.Author.Fault = analysis.NoCheck
		}
		got := Of(a).Author()
		if len(got) != 1 {
			t.Fatal(got)
		}
		want(t, got[0], c.ja, c.en)
	}
}

// What a text tells of the length is only contradicted by what is known.
func TestTold(t *testing.T) {
	for _, c := range []struct {
		told, low, high int
		verdict         solver.Verdict
		en              string
	}{
		{0, 3, 3, solver.Mate, ""}, {3, 3, 3, solver.Mate, ""}, {5, 3, 7, solver.Mate, ""}, {5, 3, 3, solver.NoMate, ""},
		{5, 3, 3, solver.Mate, "another length than told: the text says 5, it is 3"},
		{1, 3, 7, solver.Mate, "another length than told: the text says 1, it is between 3 and 7"},
		{9, 3, 7, solver.Mate, "another length than told: the text says 9, it is between 3 and 7"},
	} {
		a := report(t)
		a.Told, a.Verdict = c.told, c.verdict
		a.Lengths = []analysis.Length{{Policy: a.Policy, Interval: length.Interval{Low: c.low, High: c.high}}}
		got := ""
		for _, text := range Of(a).Told() {
			got += text.En
		}
		if got != c.en {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A fault of the author's line is said with its ply, its move and what is wrong.
func TestLineFaults(t *testing.T) {
	for _, c := range []struct {
		line  string
		fault analysis.LineFault
		ply   int
		move  string
		ja    string
		en    string
	}{
		{"G*4c 5b5c", analysis.IllegalMove, 2, "5b5c", "2手目△５三玉は指せない：", "ply 2, 5b5c, is illegal: "},
		{"G*4c 5b5a G*4a", analysis.NoCheck, 3, "G*9i", "3手目▲９九金は王手でない", "ply 3, G*9i, gives no check"},
		{"G*4c 5b5a", analysis.DefenderLast, 2, "5b5a", "2手目△５一玉で終わり、攻方の手で詰んでいない",
			"ply 2, K-5a, is the last, and the defender's"},
		{"G*4c", analysis.WithoutMate, 2, "5b5a", "1手目の局面は詰みでない（△５一玉と応じられる）",
			"after ply 1 it is no mate: the defender has K-5a"},
	} {
		a := report(t)
		a.Author = &analysis.Author{Moves: moves(t, strings.Fields(c.line)...), Finding: analysis.Faulty, Fault: c.fault,
			Places: []analysis.Place{{Ply: c.ply, Move: one(t, c.move)}}}
		got := Of(a).Fault()
		if !strings.HasPrefix(got.Ja, c.ja) || !strings.HasPrefix(got.En, c.en) ||
			c.fault != analysis.IllegalMove && got != (Text{c.ja, c.en}) {
			t.Errorf("%v: %q", c.fault, got)
		}
	}
}

// Missing pieces come first, with what the problem is in the other case, and are no defect among others.
func TestMissing(t *testing.T) {
	a := report(t)
	a.Position = shogi.MustParseSFEN(strings.Replace(problem, "4s", "3s", 1))
	a.Sound, a.Profile = analysis.No, analysis.Magazine
	a.Rules = []analysis.RuleResult{{Rule: analysis.RuleHands, Severity: analysis.Fail, Holds: analysis.No},
		{Rule: analysis.RuleEqual, Severity: analysis.Note}} // not decided, and no defect either way
	want(t, Of(a).Sound(), "不完全：玉方の持駒が残り全部でない", "not sound: the defender does not hold all the rest")
	a.Completed = &analysis.Completed{Position: shogi.MustParseSFEN(problem), Verdict: solver.Mate, Sound: analysis.Yes,
		Lengths: a.Lengths, Decided: 12}
	all := Of(a).Sentences()
	want(t, all[0], "銀1枚が足りない。玉方の持駒に加えると：3手詰。完全：余詰なし（全12通りの王手を確認）",
		"one silver is missing; with it in the defender's hand: mate in 3 plies; "+
			"sound: no cook (all 12 other checks refuted)")
	want(t, Of(a).Sound(), "図のままでは駒が不足（ほかに欠陥なし）", "as it stands, pieces are missing (no other defect)")
	a.Rules = append(a.Rules, analysis.RuleResult{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No})
	want(t, Of(a).Sound(), "不完全：余詰", "not sound: cook")
	a.Completed.Sound, a.Completed.Open, a.Completed.Reason = analysis.Unknown, 2, solver.ReasonNodes
	if got := Of(a).Missing()[0]; !strings.HasSuffix(got.En, "; 2 checks not decided (limit of nodes)") {
		t.Error(got)
	}
	a.Completed.Sound, a.Completed.Broken = analysis.No, []analysis.Rule{analysis.RuleCook}
	if got := Of(a).Missing()[0]; !strings.HasSuffix(got.Ja, "。不完全：余詰") {
		t.Error(got)
	}
}

// Of the checks that mate, and were not looked at further, there is a count.
func TestMore(t *testing.T) {
	a := report(t)
	n := &a.Attack[0]
	n.Others = []analysis.OtherCheck{{Move: one(t, "G*4c"), Verdict: solver.Mate, Class: analysis.Cook},
		{Move: one(t, "G*6c"), Verdict: solver.Mate, Reason: solver.ReasonSettled},
		{Move: one(t, "G*5a"), Reason: solver.ReasonSettled}}
	all := Of(a).Sentences()
	want(t, all[len(all)-1], "ほかにも1通りの王手で詰む", "1 more check mates too")
	for _, text := range all[:len(all)-1] {
		if strings.Contains(text.En, "G*6c") {
			t.Error(text)
		}
	}
	r := &analysis.RuleResult{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No,
		Places: []analysis.Place{{Ply: 1, Move: one(t, "G*4c")}}}
	want(t, Of(a).Rule(r).Text, "余詰：1手目▲４三金打、他1件", "cook: ply 1 G*4c, 1 more")
}

// What is on an equal line says so, with its moves in notation.
func TestInEqualLine(t *testing.T) {
	a := report(t)
	a.EqualLines = []analysis.EqualLine{{Moves: moves(t, "G*5c", "5b5a", "G*5b"), Reply: analysis.Place{Ply: 2, Move: one(t, "5b5a")},
		Attack: []analysis.AttackNode{{Place: analysis.Place{Ply: 3, Move: one(t, "G*5b")}, Checks: 2, Mate: 1,
			Others: []analysis.OtherCheck{{Move: one(t, "G*4a"), Verdict: solver.Mate, Class: analysis.Cook}}}}}}
	all := Of(a).Sentences()
	want(t, all[len(all)-1], "2手目△５一玉の変同では3手目▲４一金で余詰（0手）",
		"in the equal line with ply 2 K-5a: cook at ply 3: G*4a also mates (in 0 plies)")
	r := &analysis.RuleResult{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No,
		Places: []analysis.Place{{Ply: 3, Move: one(t, "G*4a"), Line: 1}}}
	want(t, Of(a).Rule(r).Text, "余詰：3手目▲４一金（変同：2手目△５一玉）", "cook: ply 3 G*4a (equal line with ply 2 K-5a)")
	a.Sound, a.Remaining, a.NoMateWithin = analysis.Unknown, r.Places, 23
	want(t, Of(a).Sound(), "未確認の王手が1通り（2手目△５一玉の変同では3手目▲４一金）。いずれも23手以内では詰まない",
		"1 check not decided (in the equal line with ply 2 K-5a: ply 3: G*4a); none of them mates within 23 plies")
}

// How many checks are open is said of cooks, be it one or more.
func TestOpenChecks(t *testing.T) {
	a := report(t)
	r := &analysis.RuleResult{Rule: analysis.RuleCook, Severity: analysis.Fail}
	for _, c := range []struct {
		open   int
		ja, en string
	}{
		{0, "余詰：未確認", "cook: not decided"},
		{1, "余詰：未確認の王手が1通り", "cook: 1 check not decided"},
		{2, "余詰：未確認の王手が2通り", "cook: 2 checks not decided"},
	} {
		a.Attack[1].Open = c.open
		want(t, Of(a).Rule(r).Text, c.ja, c.en)
	}
}

// A piece that can be spared is noted, and one that may be is open.
func TestIdle(t *testing.T) {
	square, err := shogi.ParseSquare("5f")
	if err != nil {
		t.Fatal(err)
	}
	for idle, mark := range map[analysis.Answer]Mark{analysis.Yes: Note, analysis.No: Pass, analysis.Unknown: Open} {
		for at, place := range map[shogi.Square]string{square: "5f", shogi.NoSquare: "in hand"} {
			item := Idle(analysis.IdlePiece{Square: at, Piece: shogi.Pawn, Idle: idle})
			if item.Mark != mark || !strings.HasPrefix(item.En, "P "+place+": ") {
				t.Errorf("%v: %v %q, want %v", idle, item.Mark, item.En, mark)
			}
		}
	}
}

// TestRules: every rule has words of its own for both cases, and places are named, three at most.
func TestRules(t *testing.T) {
	seen := map[string]analysis.Rule{}
	for rule, name := range ruleNames {
		for _, text := range []string{name.holds.Ja, name.holds.En, name.broken.Ja, name.broken.En} {
			if other, ok := seen[text]; ok || text == "" {
				t.Errorf("%s and %s: %q", rule, other, text)
			}
			seen[text] = rule
		}
	}
	a := report(t)
	place := func(ply int, move string) analysis.Place { return analysis.Place{Ply: ply, Move: one(t, move)} }
	r := &analysis.RuleResult{Rule: analysis.RuleEqual, Holds: analysis.No,
		Places: []analysis.Place{place(2, "5b5a"), place(2, "5b6a")}}
	want(t, Of(a).Rule(r).Text, "変同：2手目△５一玉、2手目△６一玉", "equal variation: ply 2 K-5a, ply 2 K-6a")
	r.Places = append(r.Places, r.Places...)
	want(t, Of(a).Rule(r).Text, "変同：2手目△５一玉、2手目△６一玉、2手目△５一玉、他1件",
		"equal variation: ply 2 K-5a, ply 2 K-6a, ply 2 K-5a, 1 more")
	r.Holds, r.Places = analysis.Yes, nil
	want(t, Of(a).Rule(r).Text, "変同なし", "no equal variation")
	r.Holds = analysis.Unknown
	want(t, Of(a).Rule(r).Text, "変同：未確認", "equal variation: not decided")
	r.Rule = analysis.RuleCook
	a.Attack[0].Open = 2
	want(t, Of(a).Rule(r).Text, "余詰：未確認の王手が2通り", "cook: 2 checks not decided")
	want(t, Of(a).Rule(&analysis.RuleResult{Rule: "new", Holds: analysis.No}).Text, "new", "new")
}

// TestSentences: what the whole report says, in its order.
func TestSentences(t *testing.T) {
	a := report(t)
	a.Defence[0].Replies = []analysis.Reply{
		{Move: one(t, "5b4a"), Kind: analysis.MainReply}, {Move: one(t, "5b5a"), Kind: analysis.EqualReply}}
	a.Attack[0].Others = []analysis.OtherCheck{{Move: one(t, "G*4c"), Class: analysis.Try, Verdict: solver.NoMate}}
	var ja []string
	for _, text := range Of(a).Sentences() {
		ja = append(ja, text.Ja)
	}
	if got, want := strings.Join(ja, "|"), "3手詰|"+
		"完全：余詰なし（全13通りの王手を確認）|2手目△５一玉は変同"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	a.Verdict = solver.NoMate
	a.Attack, a.Defence = nil, nil
	if got := Of(a).Sentences(); len(got) != 1 || got[0].En != "no mate" {
		t.Error(got)
	}
}
