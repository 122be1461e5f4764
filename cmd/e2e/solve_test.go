package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSolve: the exit code is the verdict, so that a script need not read the answer; the answer is
// for people.
func TestSolve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		args   []string
		stdin  string
		code   int
		stdout string // part of it; empty: nothing there
		stderr string // likewise
	}{
		{"mate in one", []string{"solve", mateIn1}, "", 0, "G*5b", ""},
		{"without quotes", append([]string{"solve"}, strings.Fields(mateIn1)...), "", 0, "G*5b", ""},
		{"mate in three", []string{"solve", mateIn3}, "", 0, "mate in 3", ""},
		{"the shortest mate", []string{"solve", "--shortest", mateIn7}, "", 0, "mate in 7: black forces it\n  " + westernOf7 + "\n", ""},
		{"in little memory", []string{"solve", "--shortest", "--memory", "1M", mateIn7}, "", 0, westernOf7, ""},
		{"out of nodes", []string{"solve", "--nodes", "5000", endless}, "", 2, "unknown: the nodes ran out", ""},
		{"out of time", []string{"solve", "--time", "100ms", endless}, "", 2, "unknown: the time ran out", ""},
		{"never mate", []string{"solve", neverMate}, "", 1, "at any length", ""},
		{"unknown", []string{"solve", "--plies", "1", mateIn3}, "", 2, "no mate in 1 or fewer", ""},
		{"a fault", []string{"solve", twoPawns}, "", 3, "", "nifu"},
		{"wrong use", []string{"solve", "--output", "xml", mateIn1}, "", 4, "", "--output"},
		{"no such command", []string{"slove", mateIn1}, "", 4, "", "solve"},
		{"no such file", []string{"solve", "--file", "missing.sfen"}, "", 5, "", "missing.sfen"},
		{"standard input", []string{"solve"}, "# two problems\n" + mateIn1 + "\n\n" + mateIn3 + "\n", 0, "mate in 3", "2 positions"},
		{"the worst of several", []string{"solve", "--plies", "1"}, mateIn1 + "\n" + mateIn3 + "\n" + neverMate + "\n", 2, "unknown", "3 positions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, c.stdin, "tsumero", c.args...)
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			for _, stream := range []struct{ name, text, want string }{
				{"standard output", got.stdout, c.stdout},
				{"standard error", got.stderr, c.stderr},
			} {
				if !strings.Contains(stream.text, stream.want) || stream.want == "" && stream.text != "" {
					t.Errorf("on %s: %q, want %q", stream.name, stream.text, stream.want)
				}
			}
		})
	}
}

// TestSolveFormats: what one format says, the others say too, and the TSV output is input again.
func TestSolveFormats(t *testing.T) {
	long(t)
	problems := filepath.Join(t.TempDir(), "problems.sfen")
	if err := os.WriteFile(problems, []byte(mateIn1+"\n"+neverMate+"\n"+mateIn3+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		SFEN    string
		Verdict string
		Moves   []string
	}
	parseJSON := func(out string) (answers []answer) {
		for line := range strings.Lines(out) {
			var a answer
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			answers = append(answers, a)
		}
		return answers
	}
	fromFile := run(t, "", "tsumero", "solve", "--output", "json", "--file", problems)
	want := parseJSON(fromFile.stdout)
	if len(want) != 3 || want[0].SFEN != mateIn1 || want[0].Verdict != "mate" || want[1].Verdict != "nomate" || len(want[2].Moves) != 3 {
		t.Fatalf("answers %+v to three problems", want)
	}

	table := run(t, "", "tsumero", "solve", "--output", "tsv", "--file", problems)
	rows := strings.Split(strings.TrimSpace(table.stdout), "\n")
	if len(rows) != 4 {
		t.Fatalf("%d rows, want a heading and 3:\n%s", len(rows), table.stdout)
	}
	column := make(map[string]int)
	for i, name := range strings.Split(rows[0], "\t") {
		column[name] = i
	}
	for i, row := range rows[1:] {
		fields := strings.Split(row, "\t")
		got := answer{fields[column["sfen"]], fields[column["verdict"]], strings.Fields(fields[column["moves"]])}
		if got.SFEN != want[i].SFEN || got.Verdict != want[i].Verdict || strings.Join(got.Moves, " ") != strings.Join(want[i].Moves, " ") {
			t.Errorf("row %d: %+v, but JSON said %+v", i+1, got, want[i])
		}
	}

	again := run(t, table.stdout, "tsumero", "solve", "--output", "json")
	if again.code != fromFile.code {
		t.Errorf("exit code %d for the table, %d for the file", again.code, fromFile.code)
	}
	for i, got := range parseJSON(again.stdout) {
		if got.SFEN != want[i].SFEN || got.Verdict != want[i].Verdict {
			t.Errorf("problem %d as a table row: %+v, want %+v", i+1, got, want[i])
		}
	}
}

// TestVersion: a program from anywhere can say what it is.
func TestVersion(t *testing.T) {
	t.Parallel()
	if got := run(t, "", "tsumero", "version"); got.code != 0 || !strings.HasPrefix(got.stdout, "tsumero ") {
		t.Errorf("exit code %d: %q", got.code, got.stdout)
	}
}
