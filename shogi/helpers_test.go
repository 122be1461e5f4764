package shogi_test

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// rows returns the lines of a tab-separated file that are no comments, split at the tabs.
func rows(t testing.TB, file string) [][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "sfen\t") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", file)
	}
	return rows
}

// A vector is an input and the lines that must come of it, as a vector file has them: the input on
// a line of its own, in Go's quotes where it needs them, and each answer after a tab.
type vector struct {
	input   string
	answers []string
	line    int // of the input
}

// vectors reads a vector file. Empty lines and lines that start with # are for people.
func vectors(t testing.TB, file string) []vector {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var vs []vector
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		switch line := lines.Text(); {
		case line == "" || line[0] == '#':
		case line[0] == '\t':
			if len(vs) == 0 {
				t.Fatalf("%s:%d: an answer before the first input", file, n)
			}
			v := &vs[len(vs)-1]
			v.answers = append(v.answers, line[1:])
		case line[0] == '"':
			s, err := strconv.Unquote(line)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			vs = append(vs, vector{input: s, line: n})
		default:
			vs = append(vs, vector{input: line, line: n})
		}
	}
	if len(vs) == 0 {
		t.Fatalf("%s has no vectors", file)
	}
	return vs
}

// checkVectors compares the answers of a vector file with those that answer gives to its inputs.
// With -update it writes the latter into the file.
func checkVectors(t *testing.T, file string, answer func(input string) []string) {
	t.Helper()
	vs := vectors(t, file)
	if *update {
		updateVectors(t, file, vs, answer)
		return
	}
	for _, v := range vs {
		if got := answer(v.input); !slices.Equal(got, v.answers) {
			t.Errorf("%s:%d: %q\n got:\n\t%s\nwant:\n\t%s", file, v.line, v.input,
				strings.Join(got, "\n\t"), strings.Join(v.answers, "\n\t"))
		}
	}
}

func updateVectors(t *testing.T, file string, vs []vector, answer func(input string) []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		if len(vs) > 0 && vs[0].line == n {
			for _, a := range answer(vs[0].input) {
				out.WriteString("\t" + a + "\n")
			}
			vs = vs[1:]
		}
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// somePositions returns a few hundred legal positions of every sort: those of testdata, and those
// of random games from them, both as they are and turned round.
func somePositions(t testing.TB) []shogi.Position {
	t.Helper()
	rng := shogitest.NewRand(t)
	var positions []shogi.Position
	var buf shogi.MoveBuffer
	for _, row := range rows(t, "testdata/perft.tsv") {
		p := shogi.MustParseSFEN(row[0])
		for range 20 {
			positions = append(positions, p, p.Rotated())
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			// Checks are rare among the legal moves; the tests are about them.
			var checks shogi.MoveBuffer
			if c := p.Checks(&checks, shogi.AllMoves); len(c) > 0 && rng.IntN(2) == 0 {
				moves = c
			}
			p.Do(moves[rng.IntN(len(moves))])
		}
	}
	return positions
}

// moveTexts returns the moves in USI form, sorted.
func moveTexts(moves []shogi.Move) []string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = m.String()
	}
	slices.Sort(texts)
	return texts
}

// mustParseMove is ParseMove for moves known to be right.
func mustParseMove(t testing.TB, s string) shogi.Move {
	t.Helper()
	m, err := shogi.ParseMove(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
