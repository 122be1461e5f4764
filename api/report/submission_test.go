package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// submitted is a problem with the author's line, an equal reply, a shorter one that is mated at once, and
// two tries, of which the search took longer for the second.
func submitted(t *testing.T) *analysis.Analysis {
	a := report(t)
	a.Parts = analysis.DefaultParts | analysis.Tries
	a.Line.Given = true
	a.Author = &analysis.Author{Moves: a.Line.Moves, Plies: 3, Finding: analysis.Agrees}
	a.Attack[0].Others = []analysis.OtherCheck{
		{Move: one(t, "G*4b"), Verdict: solver.NoMate, Class: analysis.Try, Line: moves(t, "G*4b", "5b6a"), Nodes: 5},
		{Move: one(t, "G*6b"), Verdict: solver.NoMate, Class: analysis.Try, Line: moves(t, "G*6b", "5b6b"), Nodes: 9},
		{Move: one(t, "G*5a"), Verdict: solver.NoMate, Class: analysis.Try},
	}
	a.Defence[0].Replies = []analysis.Reply{
		{Move: one(t, "5b4a"), Kind: analysis.MainReply},
		{Move: one(t, "5b6a"), Kind: analysis.EqualReply, Length: length.Exactly(3), Line: moves(t, "5b6a", "G*6b")},
		{Move: one(t, "5b5a"), Kind: analysis.ShorterReply, Length: length.Exactly(3), Line: moves(t, "5b5a", "G*5b")},
	}
	return a
}

func TestSubmission(t *testing.T) {
	a := submitted(t)
	board := string(notation.AppendBOD(nil, &a.Position))
	for language, want := range map[string]string{
		"ja": `作品名：頭 金\u202e
作者：某
手数：3手詰

` + board + `
【検討】
3手詰
作意は3手
作意どおり
完全：余詰なし（全13通りの王手を確認）
本手順のほかの王手13通りのうち、詰まない13、詰む0、未確認0

【作意】
５三金打、４一玉、４二金打 まで３手詰

【変化】
2手目 変同：６一玉、６二金打
2手目 変化（3手）：５一玉、５二金打

【紛れ】
1手目：６二金、同玉で詰まない
1手目：４二金、６一玉で詰まない
`,
		"en": `Title: 頭 金\u202e
Author: 某
Length: Mate in 3
SFEN: ` + a.Position.ProblemSFEN() + `

` + board + `
Report:
mate in 3 plies
the author's line has 3 plies
the author's line is best play
sound: no cook (all 13 other checks refuted)
of 13 checks beside the main line 13 fail, 0 mate and 0 are not decided

Solution:
G*5c K-4a G*4b (3 plies)

Variations:
ply 2, as long: K-6a G*6b
ply 2, shorter (3 plies): K-5a G*5b

Tries:
ply 1: G*6b Kx6b (no mate)
ply 1: G*4b K-6a (no mate)
`} {
		got := Submission(a, language, "頭\n金\u202e", "某")
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if language == "en" {
			continue
		}
		// It is a problem with its solution again. The reader takes spaces for the commas.
		r, err := notation.Parse([]byte(got), notation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Start.SamePosition(&a.Position) || r.Get("作品名") != `頭 金\u202e` || r.Get("作者") != "某" ||
			!slices.Equal(r.Moves(), a.Line.Moves) {
			t.Errorf("read as %s by %s: %s %v", r.Get("作品名"), r.Get("作者"), r.Start.SFEN(), r.Moves())
		}
	}
}

// TestSubmissionStates: nothing is claimed that is not known, and what is left out is counted.
func TestSubmissionStates(t *testing.T) {
	lines := moves(t, "G*5c", "5b5a", "G*5b")
	for name, c := range map[string]struct {
		change    func(a *analysis.Analysis)
		has, lack []string
	}{
		"without title, variations and tries": {func(a *analysis.Analysis) {
			a.Author, a.Attack[0].Others, a.Defence[0].Replies = nil, nil, nil
		}, []string{"手数：3手詰\n", "【作意】\n", "【変化】\nなし\n"}, []string{"作品名", "作者", "紛れ"}},
		"variations that were not asked for": {func(a *analysis.Analysis) {
			a.Parts, a.Defence[0].Replies = analysis.Attack, nil
		}, nil, []string{"変化"}},
		"a cook": {func(a *analysis.Analysis) {
			a.Author, a.Sound = nil, analysis.No
			a.Rules = []analysis.RuleResult{{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No}}
			a.Attack[0].Others = []analysis.OtherCheck{{Move: one(t, "G*6b"), Verdict: solver.Mate,
				Class: analysis.Cook, Length: length.Exactly(5)}}
		}, []string{"不完全：余詰\n", "【本手順】\n", "【余詰】\n1手目 余詰（5手）：６二金\n"}, []string{"完全：余詰なし", "作意"}},
		"another line of the author": {func(a *analysis.Analysis) {
			a.Author = &analysis.Author{Moves: lines, Plies: 3, Finding: analysis.IsLonger}
		}, []string{"【作意】\n５三金打、５一玉、５二金打 まで３手詰\n", "【本手順】\n５三金打、４一玉"}, nil},
		"a faulty line of the author": {func(a *analysis.Analysis) {
			a.Author = &analysis.Author{Moves: lines[:2], Finding: analysis.Faulty}
		}, []string{"【作意】\n５三金打、５一玉\n"}, []string{"５一玉 まで"}},
		"no mate": {func(a *analysis.Analysis) {
			a.Verdict, a.Sound, a.Author, a.Attack, a.Defence = solver.NoMate, analysis.No, nil, nil, nil
			a.Line.Moves = nil
		}, []string{"手数：不詰\n", "不詰：詰まない"}, []string{"作意", "本手順", "変化", "まで"}},
		"not known to mate": {func(a *analysis.Analysis) {
			a.Verdict, a.Sound, a.Author, a.Attack, a.Defence = solver.Unknown, analysis.Unknown, nil, nil, nil
			a.Line.Moves = nil
		}, []string{"手数：詰むかどうか未確認\n"}, []string{"作意", "本手順", "変化", "まで"}},
		"too many": {func(a *analysis.Analysis) {
			for range 30 {
				a.Attack[0].Others = append(a.Attack[0].Others, a.Attack[0].Others[0])
				a.Defence[0].Replies = append(a.Defence[0].Replies, a.Defence[0].Replies[1])
			}
		}, []string{"1手目：６二金", "ほかに紛れ12\n", "ほかに変化12\n"}, nil},
		"futile moves in the line": {func(a *analysis.Analysis) { a.Author, a.Line.Raw = nil, true },
			[]string{"まで３手詰、無駄合も含めた手順\n"}, nil},
	} {
		a := submitted(t)
		c.change(a)
		got := Submission(a, "ja", "", "")
		for _, part := range c.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %q in\n%s", name, part, got)
			}
		}
		for _, part := range c.lack {
			if strings.Contains(got, part) {
				t.Errorf("%s: %q in\n%s", name, part, got)
			}
		}
		if en := Submission(a, "en", "", ""); strings.Contains(en, "【") || !strings.Contains(en, "SFEN: ") {
			t.Errorf("%s in English\n%s", name, en)
		}
		if shogi.Visible(got) != got {
			t.Errorf("%s: %q", name, got)
		}
	}
}
