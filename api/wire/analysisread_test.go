package wire

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// TestReadAnalysis: of an answer the report is read that it was made of. Answer, sentences, record and
// what is printed below a solution are the same then.
func TestReadAnalysis(t *testing.T) {
	t.Parallel()
	z := analysis.NewAnalyzer(dfpn.NewSession())
	const all = analysis.DefaultParts | analysis.AllLengths | analysis.Tries | analysis.SideMates | analysis.Economy |
		analysis.Difficulty | analysis.Certified
	read := func(q analysis.Question) {
		t.Helper()
		a, err := z.Analyze(context.Background(), q, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := AppendJSON(nil, NewAnalyzeAnswer(a))
		back, err := ReadAnalysis(text, a.Parts)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if a.Sound != back.Sound || a.Repeatable != back.Repeatable || !reflect.DeepEqual(a.Rules, back.Rules) {
			t.Errorf("%s: %v %v, %v %v", q.Position.SFEN(), a.Sound, a.Rules, back.Sound, back.Rules)
		}
		for _, language := range []string{"ja", "en"} {
			if was, is := report.Record(a, language, "").AppendKIF(nil), report.Record(back, language, "").AppendKIF(nil); string(was) != string(is) {
				t.Errorf("the record was\n%s\nbut is\n%s", was, is)
			}
		}
		if was, is := report.Of(a).Footnotes(6), report.Of(back).Footnotes(6); !reflect.DeepEqual(was, is) {
			t.Errorf("the footnotes were %v, but are %v", was, is)
		}
	}
	for i, row := range rows(t, "../../solver/analysis/testdata/problems.tsv") {
		if i%4 > 0 {
			continue
		}
		q := analysis.Question{Position: shogi.MustParseSFEN(row[0]), Attacker: shogi.Black, Policy: length.F2,
			Profile: analysis.Profiles[i%3], Parts: all, Scope: analysis.Scopes[i%3], Stop: analysis.Stops[i%5%3], Nodes: 30_000, QuestionNodes: 2000}
		if q.Position.SideToMove() != shogi.Black {
			q.Attacker = shogi.White
		}
		read(q)
	}
	for i, row := range rows(t, "../../solver/analysis/testdata/edo.tsv") {
		if i%48 != 0 || row[0] == "sfen" {
			continue
		}
		q := analysis.Question{Position: shogi.MustParseSFEN(row[0]), Attacker: shogi.Black, Policy: length.F2,
			Nodes: 60_000, QuestionNodes: 2000}
		for _, text := range strings.Fields(row[3]) {
			m, err := shogi.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			q.Line = append(q.Line, m)
		}
		read(q)
		q.Line = q.Line[:len(q.Line)-2] // which is no line to a mate
		read(q)
	}
}

// rows returns the columns of the lines of a file.
func rows(t *testing.T, path string) (list [][]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			list = append(list, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return list
}

// What is damaged, or of another version, is refused.
func TestReadAnalysisRefuses(t *testing.T) {
	t.Parallel()
	q := analysis.Question{Position: shogi.MustParseSFEN("9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"), Attacker: shogi.Black,
		Policy: length.F2}
	a, err := analysis.NewAnalyzer(dfpn.NewSession()).Analyze(context.Background(), q, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(AppendJSON(nil, NewAnalyzeAnswer(a)))
	for _, c := range [][2]string{
		{`"sound":"yes"`, `"sound":"no"`}, {`"semantics":"analysis/2"`, `"semantics":"analysis/0"`},
		{`"F2":{"low":3,"high":3}`, `"F2":{"low":1,"high":1}`}, {`"class":"none"`, `"class":"new"`},
		{`"verdict":"mate"`, `"verdict":"won"`}, {`"attacker":"black"`, `"attacker":"red"`},
		{`"text_ja":[`, `"text_ja":["", `}, {`"move":"G*5c"`, `"move":"G*5d"`},
	} {
		if !strings.Contains(text, c[0]) {
			t.Fatalf("no %s in %s", c[0], text)
		}
		if _, err := ReadAnalysis([]byte(strings.Replace(text, c[0], c[1], 1)), a.Parts); !errors.Is(err, ErrOtherAnswer) {
			t.Errorf("%s: %v", c[1], err)
		}
	}
	if _, err := ReadAnalysis([]byte(text[:len(text)/2]), a.Parts); err == nil {
		t.Error("half of an answer")
	}
}
