package report_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// A problem builds the report on one; its lines must be legal.
type problem struct {
	t *testing.T
	analysis.Analysis
}

func newProblem(t *testing.T, sfen, main string, plies, raw int) *problem {
	t.Helper()
	p := shogi.MustParseSFEN(sfen)
	q := &problem{t, analysis.Analysis{Position: p, Attacker: shogi.Black, Policy: length.F2,
		Profile: analysis.Magazine, Verdict: solver.Mate, Sound: analysis.Yes,
		Lengths: []analysis.Length{{Policy: length.F0, Interval: length.Exactly(raw)},
			{Policy: length.F2, Interval: length.Exactly(plies)}}}}
	q.Line.Moves = line(t, p, strings.Fields(main)...)
	for ply := 1; ply <= len(q.Line.Moves); ply += 2 {
		place := analysis.Place{Ply: ply, Move: q.Line.Moves[ply-1]}
		q.Attack = append(q.Attack, analysis.AttackNode{Place: place, Checks: 8, Fail: 7})
		place = analysis.Place{Ply: ply + 1}
		if ply < len(q.Line.Moves) {
			place.Move = q.Line.Moves[ply]
		}
		q.Defence = append(q.Defence, analysis.DefenceNode{Place: place})
	}
	return q
}

// before returns the position before a ply of the main line.
func (q *problem) before(ply int) shogi.Position {
	p := q.Position
	for _, m := range q.Line.Moves[:ply-1] {
		p.Do(m)
	}
	return p
}

// reply adds a reply at a ply: what follows is its line.
func (q *problem) reply(ply int, kind analysis.ReplyKind, plies int, moves string) *analysis.Reply {
	q.t.Helper()
	p := q.before(ply)
	l := line(q.t, p, strings.Fields(moves)...)
	n := &q.Defence[ply/2-1]
	n.Replies = append(n.Replies, analysis.Reply{Move: l[0], Kind: kind, Line: l, Length: length.Exactly(plies)})
	return &n.Replies[len(n.Replies)-1]
}

// check adds another check at a ply.
func (q *problem) check(ply int, class analysis.CheckClass, plies int, moves string) *analysis.OtherCheck {
	q.t.Helper()
	p := q.before(ply)
	l := line(q.t, p, strings.Fields(moves)...)
	n := &q.Attack[ply/2]
	n.Others = append(n.Others, analysis.OtherCheck{Move: l[0], Verdict: solver.Mate, Class: class, Line: l,
		Length: length.Exactly(plies)})
	return &n.Others[len(n.Others)-1]
}

// kif returns the KIF of the record from its moves on. What is read of the KIF and of the JKF must
// be the same tree, with the same comments.
func (q *problem) kif(l string) string {
	q.t.Helper()
	r := report.Record(&q.Analysis, l, "tsumero 1.2.3")
	text := r.AppendKIF(nil)
	again := report.Record(&q.Analysis, l, "tsumero 1.2.3")
	if !bytes.Equal(again.AppendKIF(nil), text) {
		q.t.Error("the same report gives two records")
	}
	want := tree(r.Root)
	for _, format := range []notation.Format{notation.KIF, notation.JKF} {
		got, err := notation.Parse(r.Append(nil, format), notation.Options{})
		if err != nil {
			q.t.Fatalf("%s: %v\n%s", format, err, text)
		}
		if tree(got.Root) != want {
			q.t.Errorf("%s is read as\n%s\nwant\n%s", format, tree(got.Root), want)
		}
	}
	if _, err := notation.Encode(text, notation.ShiftJIS); err != nil {
		q.t.Error(err)
	}
	_, body, _ := strings.Cut(string(text), "消費時間--\n")
	return body
}

// tree returns a node and all below it as text.
func tree(n *notation.Node) string {
	text := fmt.Sprintln(n.Move, n.End, n.Comments)
	for _, next := range n.Next {
		text += strings.ReplaceAll(" "+tree(next), "\n", "\n ")
	}
	return text
}

// shows compares what kif returns.
func (q *problem) shows(l string, want string) {
	q.t.Helper()
	if got := q.kif(l); got != want {
		q.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The positions are of public test sets and collections; main lines, equal variations and cooks
// were confirmed with a reference engine.

// Four kinds of replies: equal, mated at once, futile and with others of the same continuation.
func TestVariations(t *testing.T) {
	q := newProblem(t, "9/7G1/8k/6G2/9/9/9/9/9 b BG2rbg4s4n4l18p 1", "B*2d 1c2b 3d3c 2b1a G*2b", 5, 5)
	q.reply(2, analysis.MainReply, 5, "1c2b")
	q.reply(2, analysis.ShorterReply, 3, "1c1d G*1e")
	q.reply(4, analysis.MainReply, 5, "2b1a")
	q.reply(4, analysis.EqualReply, 5, "2b1b G*2b")
	q.reply(4, analysis.EqualReply, 5, "2b2a G*2b")
	q.reply(4, analysis.EqualReply, 5, "2b3a G*3b")
	q.check(3, analysis.Cook, 7, "2d3c+ 2b1b 3c2c 1b1a G*1b")
	q.Sound = analysis.No
	q.Rules = []analysis.RuleResult{
		{Rule: analysis.RuleMate, Severity: analysis.Fail, Holds: analysis.Yes},
		{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No},
		{Rule: analysis.RuleEqual, Severity: analysis.Note, Holds: analysis.No}}
	q.shows("ja", `*5手詰
*不完全：余詰
*policy F2, profile magazine, L2 5, L0 5, sound no, tsumero 1.2.3
   1 ２四角打
*他は▲１五金まで
   2 ２二玉(13)
   3 ３三金(34)+
   4 １一玉(22)+
   5 ２二金打
   6 詰み
まで5手で詰み

変化：4手
   4 １二玉(22)+
*変同
   5 ２二金打
   6 詰み

変化：4手
   4 ２一玉(22)+
*変同
   5 ２二金打
   6 詰み

変化：4手
   4 ３一玉(22)
*変同
   5 ３二金打
   6 詰み

変化：3手
   3 ３三角成(24)
*余詰（7手）
   4 １二玉(22)
   5 ２三馬(33)
   6 １一玉(12)
   7 １二金打
   8 詰み
`)
	q.shows("en", `*mate in 5 plies
*not sound: cook
*policy F2, profile magazine, L2 5, L0 5, sound no, tsumero 1.2.3
   1 ２四角打
*other replies: G*1e mates
   2 ２二玉(13)
   3 ３三金(34)+
   4 １一玉(22)+
   5 ２二金打
   6 詰み
まで5手で詰み

変化：4手
   4 １二玉(22)+
*as long
   5 ２二金打
   6 詰み

変化：4手
   4 ２一玉(22)+
*as long
   5 ２二金打
   6 詰み

変化：4手
   4 ３一玉(22)
*as long
   5 ３二金打
   6 詰み

変化：3手
   3 ３三角成(24)
*cook (7 plies)
   4 １二玉(22)
   5 ２三馬(33)
   6 １一玉(12)
   7 １二金打
   8 詰み
`)
}

// A variation ends where it comes to a position that is shown: in another variation, or in the main
// line.
func TestReferences(t *testing.T) {
	q := newProblem(t, "9/9/5k3/9/4G4/4P4/9/9/9 b 3G2r2b4s4n4l17p 1", "G*4d 4c3b G*3c 3b2a G*2b", 5, 5)
	q.reply(2, analysis.EqualReply, 5, "4c4b G*4c 4b5a G*5b")
	q.reply(2, analysis.EqualReply, 5, "4c5b G*4c 5b5a G*5b")
	q.shows("ja", `*5手詰
*完全：余詰なし（全21通りの王手を確認）
*policy F2, profile magazine, L2 5, L0 5, sound yes, tsumero 1.2.3
   1 ４四金打
   2 ３二玉(43)+
   3 ３三金打
   4 ２一玉(32)
   5 ２二金打
   6 詰み
まで5手で詰み

変化：2手
   2 ４二玉(43)+
*変同
   3 ４三金打
   4 ５一玉(42)
   5 ５二金打
   6 詰み

変化：2手
   2 ５二玉(43)
*変同
   3 ４三金打
   4 ５一玉(52)
*（2手目の変化と同じ）
`)

	q = newProblem(t, "9/6GBp/7k1/9/9/7S1/9/9/9 b N2rb3g3s3n4l17p 1", "2b3c+ 2c1c N*2e 1c1d 3c1e 1d2c 3b3c", 7, 7)
	q.check(7, analysis.Detour, 11, "1e3c 2c1d 3c1e 1d2c 3b3c")
	q.Sound, q.Remaining = analysis.Unknown, []analysis.Place{{Ply: 3, Move: line(t, q.before(3), "3c2b")[0]}}
	q.Lengths[1].Interval = length.Interval{Low: 5, High: 7}
	q.shows("ja", `*5手以上7手以下で詰み（無駄合を除く）。すべての合駒を数えると7手
*未確認の王手が1通り（3手目▲２二馬）
*policy F2, profile magazine, L2 5..7, L0 7, sound unknown, tsumero 1.2.3
   1 ３三角成(22)
   2 １三玉(23)
   3 ２五桂打
   4 １四玉(13)
   5 １五馬(33)
   6 ２三玉(14)
   7 ３三金(32)+
   8 詰み
まで7手で詰み

変化：7手
   7 ３三馬(15)
*迂回手順（11手）
   8 １四玉(23)
*（本手順の4手目と同じ）
`)
}

// Tries, duals that are one, moves that are not decided, futile drops, and what is left over.
func TestChecks(t *testing.T) {
	q := newProblem(t, "8k/+s7p/7S1/4G4/6B2/5+s3/9/9/9 b BP2r3gs4n4l16p 1", "B*3c 1a2a 2c2b+", 3, 3)
	for _, m := range []string{"R*2b", "P*2b"} {
		r := q.reply(2, analysis.FutileReply, 3, m)
		r.Line, r.Futile = nil, &analysis.Futile{Type: length.X}
	}
	p := q.before(2)
	q.Defence[0].Replies[1].Same = line(t, p, "L*2b")
	o := q.check(3, analysis.LastMove, 3, "3c2b+")
	o.Dual = analysis.Origin
	o.Leftover = shogi.Hand(0).Add(shogi.Pawn, 1)
	q.check(3, analysis.Detour, 7, "P*2b 2a1a 2b2a+ 1a2a 2c2b+")
	for _, m := range []string{"B*4d P*3c 4d3c+ 1a2a 2c2b+", "B*5e P*4d", "B*6f P*4d"} {
		o := q.check(1, analysis.DualMove, 3, m)
		o.Dual, o.SamePlay = analysis.DistanceDrop, analysis.Yes
	}
	o = q.check(1, analysis.CheckUnknown, 3, "3e4d")
	o.Verdict, o.Line, o.Length = solver.Unknown, nil, length.Interval{Low: 1, High: length.Unbounded}
	o = q.check(1, analysis.Try, 3, "2c2b+ 1a2b")
	o.Verdict = solver.NoMate
	o = q.check(1, analysis.Try, 3, "B*2b") // no refutation is known, so it is not shown
	o.Verdict, o.Line = solver.NoMate, nil
	q.Lengths[0].Interval = length.Exactly(5)
	q.shows("ja", `*3手詰（無駄合を除く）。すべての合駒を数えると5手
*完全：余詰なし（全14通りの王手を確認）
*policy F2, profile magazine, L2 3, L0 5, sound yes, tsumero 1.2.3
   1 ３三角打+
*無駄合3通り（△２二飛など）
   2 ２一玉(11)
   3 ２二銀成(23)+
   4 詰み
まで3手で詰み

変化：3手
   3 ２二角成(33)+
*最終手余詰（動かす駒、3手）
   4 詰み

変化：3手
   3 ２二歩打
*迂回手順（7手）
   4 １一玉(21)
   5 ２一歩成(22)
   6 同　玉(11)
   7 ２二銀成(23)
   8 詰み

変化：1手
   1 ４四角打+
*非限定（打ち場所）
*▲５五角、▲６六角も同じ
   2 ３三歩打
   3 同　角成(44)
   4 ２一玉(11)
   5 ２二銀成(23)
   6 詰み

変化：1手
   1 ４四角(35)+
*未確認

変化：1手
   1 ２二銀成(23)
*紛れ
   2 同　玉(11)
   3 不詰
`)
}

// Replies that escape or last longer than the author's line, one with something left over and drops
// of other kinds; the author's line is shown where it leaves the main line.
func TestAuthor(t *testing.T) {
	q := newProblem(t, "9/5k3/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1", "G*4c 4b3a G*3b", 3, 3)
	q.reply(2, analysis.EqualLeftoverReply, 3, "4b4a G*4b").Leftover = shogi.Hand(0).Add(shogi.Gold, 1).Add(shogi.Pawn, 2)
	q.reply(2, analysis.LongerReply, 5, "4b5a G*5b")
	q.Author = &analysis.Author{Moves: line(t, q.Position, "G*4c", "4b4a", "G*4b"), Plies: 3, Finding: analysis.IsLonger}
	body := q.kif("ja")
	for _, want := range []string{
		"   2 ４一玉(42)+\n*同手数駒余り（金歩2枚余り）\n*作意（変長）\n   3 ４二金打\n   4 詰み\n",
		"   2 ５一玉(42)\n*変長（作意より2手長い）\n",
	} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%q is not there once in\n%s", want, body)
		}
	}
	if body := q.kif("en"); !strings.Contains(body, "*as long, leaving pieces over (G2P left over)\n*the author's line (the defender can last longer)\n") {
		t.Error(body)
	}

	q.Author.Finding = analysis.Faulty
	r := q.Defence[0].Replies
	r[0].Kind, r[0].Leftover = analysis.EscapeReply, 0
	r[0].Line = r[0].Line[:1]
	r[1].Kind, r[1].Line, r[1].Same = analysis.ReplyUnknown, nil, r[1].Line[:1]
	body = q.kif("ja")
	for _, want := range []string{
		"   2 ４一玉(42)+\n*逃れ\n   3 不詰\n",
		"   2 ５一玉(42)\n*未確認\n*△５一玉も同じ\n",
	} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%q is not there once in\n%s", want, body)
		}
	}
}

// The checks of an equal variation and second mates in a shorter one are variations of those.
func TestBelowVariations(t *testing.T) {
	q := newProblem(t, "9/9/5k3/9/4G4/4P4/9/9/9 b 3G2r2b4s4n4l17p 1", "G*4d 4c3b G*3c 3b2a G*2b", 5, 5)
	q.reply(2, analysis.EqualReply, 5, "4c4b G*4c 4b5a G*5b")
	r := q.reply(4, analysis.ShorterReply, 5, "3b4a G*4b")
	other := line(t, q.before(2), "4c4b", "4d4c", "4b5a", "G*5b")[1:]
	reply := q.Defence[0].Replies[0]
	q.EqualLines = []analysis.EqualLine{{Moves: append(q.Line.Moves[:1:1], reply.Line...), Reply: analysis.Place{Ply: 2, Move: reply.Move},
		Attack: []analysis.AttackNode{{Place: analysis.Place{Ply: 3}, Checks: 2, Mate: 1, Others: []analysis.OtherCheck{
			{Move: other[0], Verdict: solver.Mate, Class: analysis.Cook, Line: other, Length: length.Interval{Low: 1, High: 5}}}}}}}
	q.SideMates = []analysis.SideMate{{Variation: analysis.Place{Ply: 4, Move: r.Move}, At: 5,
		Length: length.Exactly(7), Line: line(t, q.before(4), "3b4a", "3c4b")}}
	q.shows("en", `*mate in 5 plies
*sound: no cook (all 22 other checks decided; 1 mate as well, which the profile allows)
*policy F2, profile magazine, L2 5, L0 5, sound yes, tsumero 1.2.3
   1 ４四金打
   2 ３二玉(43)+
   3 ３三金打
   4 ２一玉(32)+
   5 ２二金打
   6 詰み
まで5手で詰み

変化：4手
   4 ４一玉(32)
*shorter (5 plies)
   5 ４二金打+
   6 詰み

変化：5手
   5 ４二金(33)
*side mate (7 plies)
   6 詰み

変化：2手
   2 ４二玉(43)
*as long
   3 ４三金打+
   4 ５一玉(42)
   5 ５二金打
   6 詰み

変化：3手
   3 ４三金(44)
*cook (within 5 plies)
   4 ５一玉(42)
   5 ５二金打
   6 詰み
`)
}

// Of replies of one kind those that last longer come first.
func TestOrderOfReplies(t *testing.T) {
	q := newProblem(t, "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1", "G*5c 5b4a G*4b", 3, 3)
	q.reply(2, analysis.LongerReply, 5, "5b5a G*4b 5a6a 5c6b")
	q.reply(2, analysis.LongerReply, 7, "5b6a G*7b 6a5a 5c5b")
	var got []string
	for _, n := range report.Record(&q.Analysis, "en", "").Root.Next[0].Next {
		got = append(got, n.Move.String())
	}
	if want := []string{"5b4a", "5b6a", "5b5a"}; !slices.Equal(got, want) {
		t.Errorf("replies %v, want %v", got, want)
	}
}

// Of too many variations those that say least are left out.
func TestTooManyVariations(t *testing.T) {
	q := newProblem(t, "4k4/9/4P4/9/9/9/9/9/9 b RBGSNLPrb3g3s3n3l16p 1", "G*5b", 1, 1)
	tries := 0
	for _, m := range q.Position.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves) {
		// Most of them are no checks, which does not matter here.
		if m != q.Line.Moves[0] && m.String() != "R*5b" && tries < report.MaxVariations+12 {
			q.check(1, analysis.Try, 3, m.String()).Verdict = solver.NoMate
			tries++
		}
	}
	q.check(1, analysis.Cook, 3, "R*5b 5a4a 5b4b")
	r := report.Record(&q.Analysis, "ja", "x")
	if shown := len(r.Root.Next) - 1; tries != report.MaxVariations+12 || shown != report.MaxVariations {
		t.Errorf("%d of %d tries and a cook", shown, tries)
	}
	if !slices.Contains(r.Root.Comments, "…他13件") {
		t.Errorf("comments %q", r.Root.Comments)
	}
	if last := r.Root.Next[report.MaxVariations]; last.Move.String() != "R*5b" || last.Comments[0] != "余詰（3手）" {
		t.Errorf("the cook is left out for %s", last.Move)
	}
}

// Without a mate there is a position, and how it ends.
func TestNoMainLine(t *testing.T) {
	for _, test := range []struct {
		verdict solver.Verdict
		end     notation.Ending
		head    string
	}{
		{solver.NoMate, notation.NoMate, "不詰：詰まない"},
		{solver.Unknown, notation.Interrupted, "詰むかどうか未確認"},
	} {
		a := &analysis.Analysis{Position: shogi.MustParseSFEN(mateInThree), Policy: length.F0, Verdict: test.verdict}
		r := report.Record(a, "ja", "tsumero")
		if want := []string{test.head, "policy F0, sound unknown, tsumero"}; !slices.Equal(r.Root.Comments, want) || r.Ending() != test.end {
			t.Errorf("%q, ends in %q", r.Root.Comments, r.Ending())
		}
	}
}

// TestReports makes records of whole reports. Which checks mate as well, and which replies last as
// long, was found by other programs: solver/analysis/testdata/problems.tsv says how.
func TestReports(t *testing.T) {
	data, err := os.ReadFile("../../solver/analysis/testdata/problems.tsv")
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"act-05", "antma-3-05", "antma-5-01", "tanuki-3-32", "tanuki-5-210", "tanuki-7-100", "tanuki-7-109", "rules-06"}
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for row := range strings.Lines(string(data)) {
		c := strings.Split(row, "\t")
		if len(c) < 12 || !slices.Contains(ids, c[11]) {
			continue
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == c[11] })
		p := shogi.MustParseSFEN(c[0])
		a, err := z.Analyze(t.Context(), analysis.Question{Position: p, Policy: length.F2,
			Line: line(t, p, strings.Fields(c[6])...), QuestionNodes: 20_000, Nodes: 2_000_000}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		q := &problem{t, *a}
		text := q.kif("ja")
		// What there is beside the main line, as the columns of the file write it.
		var mates, equal []string
		n := report.Record(a, "ja", "").Root
		for ply := 1; ply <= len(a.Line.Moves); ply++ {
			for _, next := range n.Next[1:] {
				comments := strings.Join(next.Comments, " ")
				switch {
				case ply%2 == 1 && !strings.HasPrefix(comments, "未確認"):
					mates = append(mates, fmt.Sprintf("%d:%s", ply, next.Move))
					// A branch that stands for several has them in a comment; here they are counted.
					if _, others, ok := strings.Cut(comments, "▲"); ok {
						for range 1 + strings.Count(others, "▲") {
							mates = append(mates, "alike")
						}
					}
				case ply%2 == 0 && strings.HasPrefix(comments, "変同"):
					equal = append(equal, fmt.Sprintf("%s@%d", next.Move, ply))
				}
			}
			n = n.Next[0]
		}
		want := strings.Fields(c[7])
		if len(mates) != len(want) {
			t.Errorf("%s: checks %q, want %q\n%s", c[11], mates, want, text)
		}
		for _, m := range mates {
			if m != "alike" && !slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(w, m+":") }) {
				t.Errorf("%s: %s is not among the checks %q\n%s", c[11], m, want, text)
			}
		}
		wantEqual := strings.Fields(c[9])
		slices.Sort(equal)
		slices.Sort(wantEqual)
		if !slices.Equal(equal, wantEqual) {
			t.Errorf("%s: equal variations %q, want %q\n%s", c[11], equal, wantEqual, text)
		}
		if !strings.Contains(text, ", sound "+c[10]+", ") {
			t.Errorf("%s: want sound %s\n%s", c[11], c[10], text)
		}
		if testing.Verbose() {
			t.Logf("%s\n%s", c[11], text)
		}
	}
	if len(ids) > 0 {
		t.Errorf("no rows %q", ids)
	}
}
