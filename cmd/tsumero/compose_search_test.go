package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// What the searches over a diagram print and how they end.
func TestComposeSearches(t *testing.T) {
	const board = "7nl/7k1/9/7P1/9/9/9/9/9 b GS 1"
	for _, c := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string // parts
	}{
		{"hands", []string{"hands", "--hand", "2", board}, command.ExitOK,
			"7nl/7k1/9/7P1/9/9/9/9/9 b 2G2r2b2g4s3n3l17p 1\t3\tG*2c ", "36 figures to look at\n1 sound problem in all 36 figures, in "},
		{"no hand", []string{"hands", "--hand", "0", board}, command.ExitNegative, "# sfen", "1 no mate"},
		{"a piece added", []string{"place", "--piece", "s", "--on", "3c,4c", "-o", "ndjson", board}, command.ExitOK,
			`"sfen":"7nl/7k1/6s2/7P1/9/9/9/9/9 b GS2r2b3g2s3n3l17p 1"`, "2 figures"},
		{"a piece moved", []string{"place", "--move", "2a", "--on", "3a", board}, command.ExitNegative, "", "1 figure "},
		{"not with so many captures", []string{"place", "--piece", "s", "--on", "3c", "--captures", "0", "--pieces", "3", board},
			command.ExitNegative, "", "1 impossible"},
		{"no king", []string{"hands", "9/9/9/9/9/9/9/9/9 b - 1"}, command.ExitBadPosition, "", "tsumero: the diagram has no king"},
		{"a taken square", []string{"place", "--piece", "s", "--on", "2b", board}, command.ExitBadPosition, "", "2b is not free"},
		{"two ways at once", []string{"place", "--piece", "s", "--move", "2b", board}, command.ExitUsage, "", "either --move or --piece"},
		{"a shape", []string{"shape", "7", "--count", "2"}, command.ExitOK, "# sfen", "figures tried at random, in "},
		{"a drawn shape", []string{"shape", "#.#/#.#/x", "--cpu", "1ms"}, command.ExitBadPosition, "", "row 3, column 1: x is neither # nor ."},
		{"no such shape", []string{"shape", "QQ"}, command.ExitUsage, "", "there is no shape \"QQ\""},
		{"a list of shapes", []string{"shape", "--list"}, command.ExitOK, "\nT\n###\n.#.\n", ""},
		{"a line", []string{"line", "--helpers", "1", "--count", "1", "22歩成(22)", "同玉(11)", "12銀打"}, command.ExitBadPosition, "", "move 1"},
		{"a line that can be", []string{"line", "--helpers", "1", "--count", "1", "21歩成(22)", "同玉(11)", "12銀打"}, command.ExitOK,
			"8k/5+R1P1/9/9/9/9/9/9/9 b Sr2b4g3s4n4l17p 1\t3\t2b2a+ 1a2a S*1b", "387 figures to look at"},
		{"a misprint", []string{"repair", "6+P1k/7g1/9/8S/9/9/9/9/9 b G2r2b2g3s4n4l17p 1 moves G*2a 2b2a 3a2a 1a2a G*2b"}, command.ExitOK,
			"6+P1k/7g1/8S/9/9/9/9/9/9 b G2r2b2g3s4n4l17p 1\t5\tG*2a 2b2a 3a2a 1a2a G*2b\t", "5 of its 5 moves can be played"},
		{"a misprint in a file", []string{"repair", "--plies", "7", "../../shogi/notation/testdata/reading/23-misprint.ki2"}, command.ExitOK,
			"\tthe dragon on 5d to 4d\tthe line is the solution of a sound problem", "3 of its 7 moves can be played"},
		{"two misprints", []string{"repair", "5+P2k/7g1/9/9/9/9/9/9/9 b G 1 moves G*2a 2b2a 3a2a 1a2a G*2b"}, command.ExitNegative,
			"\tchanges\tfit\n", "0 changes, in "},
		{"no moves", []string{"line"}, command.ExitUsage, "", "the moves of the line are missing"},
		{"moves that are none", []string{"line", "52x"}, command.ExitBadPosition, "", "tsumero: bad text: line 1, column 3"},
		{"a great space", []string{"line", "--helpers", "4", "23銀 同玉 24金"}, command.ExitUsage, "", "ask for fewer pieces"},
		{"everything wrong", []string{"place", "--piece", "x", "--on", "0a", "--plies", "4", "--box", "5", "--threads", "0",
			"--theme", "x", "--added", "3", board}, command.ExitUsage, "", "--piece is \"x\""},
	} {
		code, stdout, stderr := tsumero(t.Context(), "", append([]string{"compose"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: code %d, want %d\n%s\n%s", c.name, code, c.code, stdout, stderr)
		}
	}
}

// An interrupt ends a search with what was found, and the next call with the same file goes on.
func TestComposeSearchKept(t *testing.T) {
	args := []string{"compose", "place", "--piece", "b,p,r", "-o", "ndjson", "7nl/7k1/9/7P1/9/9/9/9/9 b GS 1"}
	_, whole, _ := tsumero(t.Context(), "", args...)
	if strings.Count(whole, "\n") < 2 {
		t.Fatalf("only %q", whole)
	}
	args = append(args, "--keep", filepath.Join(t.TempDir(), "kept"))
	ctx, cancel := context.WithCancel(t.Context())
	var errs bytes.Buffer
	if code := run(ctx, args, strings.NewReader(""), &signalling{cancel: cancel}, &errs); code != command.ExitInterrupted {
		t.Errorf("code %d\n%s", code, errs.String())
	}
	for range 2 {
		if code, stdout, stderr := tsumero(t.Context(), "", args...); code != command.ExitOK || stdout != whole {
			t.Errorf("code %d\n%s\nwant\n%s\n%s", code, stdout, whole, stderr)
		}
	}
	first := whole[:strings.Index(whole, "\n")+1]
	counted := append(slices.Clone(args), "--count", "1")
	if code, stdout, _ := tsumero(t.Context(), "", counted...); code != command.ExitOK || stdout != first {
		t.Errorf("one of those that are kept: code %d\n%s\nwant\n%s", code, stdout, first)
	}
	other := slices.Replace(slices.Clone(args), 3, 4, "b")
	if code, _, stderr := tsumero(t.Context(), "", other...); code != command.ExitFailure ||
		!strings.Contains(stderr, "another run") {
		t.Errorf("another search: code %d\n%s", code, stderr)
	}
}

// Repair says what it changed, and what is wrong with what cannot be mended.
func TestComposeRepair(t *testing.T) {
	const cooked = "9/8G/7N1/3B3RN/4B3k/9/9/9/9 b Gr2g4s2n4l18p 1"
	for _, c := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string // parts
	}{
		{"tsv", []string{"--count", "1", cooked}, command.ExitOK, "\twithout the bishop on 5e\n", "kept line: G*2e K-1f "},
		{"ndjson", []string{"--count", "1", "--changes", "1", "-o", "ndjson", cooked}, command.ExitOK,
			`"changes":[{"kind":"removed","old":"B","from":"5e","en":"without the bishop on 5e","ja":"5五の角を除く"}]`, ""},
		{"two changes", []string{"7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1"}, command.ExitOK, "", " chosen diagrams looked at; there are more that were not chosen\n"},
		{"idle pieces", []string{"9/5G3/4k1S2/6L2/3+R5/3N5/9/9/P7P b r2b3g3s3n3l16p 1"}, command.ExitOK, "", "two changes: 1 of 1 diagrams looked at\n"},
		{"sound", []string{"4k4/9/4P4/9/9/9/9/9/9 b G 1"}, command.ExitBadPosition, "", "nothing to mend"},
		{"no mate", []string{"4k4/9/9/9/9/9/9/9/9 b G 1"}, command.ExitBadPosition, "", "has no mate"},
		{"no king", []string{"9/9/9/9/9/9/9/9/9 b - 1"}, command.ExitBadPosition, "", "no king of White's"},
		{"a line that is none", []string{"position sfen " + cooked + " moves G*2e", "--count", "1"}, command.ExitOK, "\tchanges\tfit\n", "1 of its 1 moves can be played"},
		{"in Japanese", []string{"--lang", "ja", "4k4/9/9/9/9/9/9/9/9 b G 1"}, command.ExitBadPosition, "", "不詰なので"},
		{"nothing", nil, command.ExitUsage, "", "one problem is wanted"},
		{"three changes", []string{"--changes", "3", cooked}, command.ExitUsage, "", "must be 1 or 2"},
	} {
		code, stdout, stderr := tsumero(t.Context(), "", append([]string{"compose", "repair"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: code %d, want %d\n%s\n%s", c.name, code, c.code, stdout, stderr)
		}
	}
}
