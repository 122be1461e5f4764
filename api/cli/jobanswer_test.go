package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// TestJobPrinter: the answers of a service are printed as Solve prints the same answers.
func TestJobPrinter(t *testing.T) {
	const board = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p "
	texts := []string{board + "1", board + "2", board + "3"}
	for _, output := range []string{"text", "tsv"} {
		var want, got, stderr bytes.Buffer
		o := Options{Solver: oneOfEach, Workers: 1, Output: output, Limits: solver.Limits{Nodes: 3000}}
		_, err := Solve(t.Context(), o, Files(strings.NewReader(strings.Join(texts, "\n")), FileFormat{}), &want, &stderr,
			new(Progress))
		if err != nil {
			t.Fatal(err)
		}
		p := NewJobPrinter(English, output, &got, &stderr)
		for i, text := range texts {
			game, err := shogi.ParsePosition(text)
			if err != nil {
				t.Fatal(err)
			}
			position := game.Position()
			r := oneOfEach.Solve(context.Background(), position, o.Limits)
			a := wire.NewAnswer(&position, position.ProblemSFEN(), shogi.Black, &r)
			line := wire.Encode(&a)
			if err := p.Print(i+1, line); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		if p.Tally.Verdicts != [3]int{1, 1, 1} || p.Tally.Questions() != 3 || p.Tally.Nodes != 3210 {
			t.Errorf("%+v", p.Tally)
		}
		printed := got.String()
		if output == "text" { // it has the place of each besides
			for _, place := range []string{"# line 1\n", "# line 2\n", "# line 3\n"} {
				printed = strings.Replace(printed, place, "", 1)
			}
			if printed != want.String() {
				t.Errorf("printed\n%s\nwant\n%s", printed, want.String())
			}
			continue
		}
		wanted := strings.Split(want.String(), "\n")
		for i, row := range strings.Split(strings.TrimSuffix(printed, "\n"), "\n") {
			columns := strings.Split(row, "\t")
			end := strings.Join(columns[12:], " ")
			if wantEnd := []string{"line id", "1 ", "2 ", "3 "}[i]; end != wantEnd {
				t.Errorf("row %d ends in %q", i, end)
			}
			// elapsed_us is of the clock.
			if got := strings.Join(columns[:11], "\t"); !strings.HasPrefix(wanted[i], got+"\t") {
				t.Errorf("row %s\nwant %s", got, wanted[i])
			}
		}
	}
}

// TestJobPrinterOther: faults, reports and ids have their place in each format.
func TestJobPrinterOther(t *testing.T) {
	const fault = `{"id":"a.sfen, line 3","line":1,"type":"/problems/invalid_question","title":"x","status":422,` +
		`"detail":"The request has 2 faults.","errors":[{"location":"line.sfen","message":"no king"},` +
		`{"location":"line.sfen","message":"two\tpawns"}]}` + "\n"
	const report = `{"line":2,"sfen":"4k4/9/4P4/9/9/9/9/9/9 b G 1","verdict":"mate","sound":"yes",` +
		`"text_en":["Sound.","Mate in 1."],"line":{"moves":["G*5b"]},"nodes":7}` + "\n"
	for output, want := range map[string]struct{ out, stderr string }{
		"text": {"# line 2\n4k4/9/4P4/9/9/9/9/9/9 b G 1\n  Sound.\n  Mate in 1.\n  7 nodes\n",
			"tsumero: a.sfen, line 3: no king; two\tpawns\n"},
		"json": {fault + report, ""},
		"tsv": {strings.Join(tsvColumns, "\t") + "\tline\tid\n" +
			"\t\terror\t\t\t\t\t\tno king; two pawns\t\t0\t\t1\ta.sfen, line 3\n" +
			"4k4/9/4P4/9/9/9/9/9/9 b G 1\t\tmate\t\t\t\t\t\t\t\t7\t\t2\t\n", ""},
	} {
		var out, stderr bytes.Buffer
		p := NewJobPrinter(English, output, &out, &stderr)
		for i, line := range []string{fault, report} {
			if err := p.Print(i+1, []byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want.out || stderr.String() != want.stderr {
			t.Errorf("%s: printed\n%s%s\nwant\n%s%s", output, out.String(), stderr.String(), want.out,
				want.stderr)
		}
		if p.Tally.Faulty != 1 || p.Sound != [3]int{0, 1, 0} || p.Tally.Questions() != 2 {
			t.Errorf("%+v %v", p.Tally, p.Sound)
		}
		if got := p.Summary(); got != "2 problems: 1 sound, 0 with a defect, 0 not decided, 1 faulty; 7 nodes" {
			t.Error(got)
		}
	}
	p := NewJobPrinter(English, "text", io.Discard, io.Discard)
	for _, bad := range []string{"{", `{"sfen":"x","verdict":"mate"}`} {
		if p.Print(1, []byte(bad)) == nil {
			t.Errorf("%s is printed", bad)
		}
	}
}

// TestJobPrinterComposed: problems that were made are printed as rows of a collection.
func TestJobPrinterComposed(t *testing.T) {
	const sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
	lines := []string{
		`{"line":1,"figures":5,"problems":[{"sfen":"` + sfen + `","plies":1,"moves":["G*5b"],"themes":["a","b"],` +
			`"changes":[{"kind":"moved","en":"up"},{"kind":"removed","en":"off"}]}]}` + "\n",
		`{"line":2,"figures":3,"problems":[]}` + "\n",
		`{"line":3,"figures":0,"problems":[],"refused":{"message":"no mate"}}` + "\n",
	}
	const rows = "# sfen\tplies\tmoves\tthemes\tchanges\n" + sfen + "\t1\tG*5b\ta b\tup, off\n"
	for output, want := range map[string]string{
		"text": rows,
		"tsv":  rows,
		"json": strings.Join(lines, ""),
	} {
		var out, stderr bytes.Buffer
		p := NewJobPrinter(English, output, &out, &stderr)
		for i, line := range lines {
			if err := p.Print(i+1, []byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%s: printed\n%swant\n%s", output, out.String(), want)
		}
		if output != "json" && stderr.String() != "tsumero: line 3: no mate\n" {
			t.Errorf("%s: %q", output, stderr.String())
		}
		if p.Tally.Faulty != 1 || p.Composed.Figures != 8 || p.Composed.Problems != 1 {
			t.Errorf("%+v %+v", p.Tally, p.Composed)
		}
	}
}

// TestJobQuestion: a question is sent with the place where it stood, a problem with the moves that
// come with it.
func TestJobQuestion(t *testing.T) {
	const text = "4k4/9/9/9/9/9/9/9/9 b G 1 moves G*5b 5a5b"
	one := func(q Question, analyze bool, after int) string {
		t.Helper()
		j, err := q.ToSolve()
		if analyze {
			j, err = q.ToAnalyze(after)
		}
		if err != nil {
			return err.Error()
		}
		line := wire.Encode(j)
		if !json.Valid(line) || line[len(line)-1] != '\n' {
			t.Errorf("no line: %s", line)
		}
		return strings.TrimSpace(string(line))
	}
	long := strings.Repeat("長", 100) + "/x.kif"
	for _, c := range []struct {
		q       Question
		analyze bool
		after   int
		want    string
	}{
		{Question{text: text}, false, 0, `{"sfen":"` + text + `"}`},
		{Question{text: text, file: "a<b.sfen", where: "line 7"}, false, 0,
			`{"id":"a<b.sfen, line 7","sfen":"` + text + `"}`},
		{Question{text: text}, true, 0, `{"sfen":"4k4/9/9/9/9/9/9/9/9 b G 1","line":["G*5b","5a5b"]}`},
		{Question{text: text}, true, 1, `{"sfen":"4k4/4G4/9/9/9/9/9/9/9 w - 2","line":["5a5b"]}`},
		{Question{text: text, where: "line 7"}, true, 3, "line 7: there are 2 moves, none is number 3"},
		{Question{text: "bad", where: "line 7"}, true, 0, `{"id":"line 7","sfen":"bad"}`},
		{Question{fault: io.ErrUnexpectedEOF, file: "x.kif"}, false, 0, "x.kif: unexpected EOF"},
		{Question{text: text, file: long}, false, 0,
			`{"id":"…` + strings.Repeat("長", 31) + `/x.kif","sfen":"` + text + `"}`},
	} {
		if got := one(c.q, c.analyze, c.after); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
