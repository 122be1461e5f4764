package main

import (
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
			"7nl/7k1/9/7P1/9/9/9/9/9 b 2G2r2b2g4s3n3l17p 1\t3\tG*2c ", "36 figures to look at\n1 sound problem in 36 figures, in "},
		{"no hand", []string{"hands", "--hand", "0", board}, command.ExitNegative, "# sfen", "1 no mate"},
		{"a piece added", []string{"place", "--piece", "s", "--on", "3c,4c", "-o", "ndjson", board}, command.ExitOK,
			`"sfen":"7nl/7k1/6s2/7P1/9/9/9/9/9 b GS2r2b3g2s3n3l17p 1"`, "2 figures"},
		{"a piece moved", []string{"place", "--move", "2a", "--on", "3a", board}, command.ExitNegative, "", "1 figure "},
		{"not with so many captures", []string{"place", "--piece", "s", "--on", "3c", "--captures", "0", "--pieces", "3", board},
			command.ExitNegative, "", "1 impossible"},
		{"no king", []string{"hands", "9/9/9/9/9/9/9/9/9 b - 1"}, command.ExitBadPosition, "", "tsumero: the diagram has no king"},
		{"a taken square", []string{"place", "--piece", "s", "--on", "2b", board}, command.ExitBadPosition, "", "2b is not free"},
		{"two ways at once", []string{"place", "--piece", "s", "--move", "2b", board}, command.ExitUsage, "", "either --move or --piece"},
		{"a shape", []string{"shape", "7", "--count", "1"}, command.ExitOK, "# sfen", "figures, tried at random\n"},
		{"a drawn shape", []string{"shape", "#.#/#.#/x", "--cpu", "1ms"}, command.ExitBadPosition, "", "row 3, column 1: x is neither # nor ."},
		{"no such shape", []string{"shape", "QQ"}, command.ExitUsage, "", "there is no shape \"QQ\""},
		{"a list of shapes", []string{"shape", "--list"}, command.ExitOK, "\nT\n###\n.#.\n", ""},
		{"everything wrong", []string{"place", "--piece", "x", "--on", "0a", "--plies", "4", "--box", "5", "--threads", "0",
			"--theme", "x", "--added", "3", board}, command.ExitUsage, "", "--piece is \"x\""},
	} {
		code, stdout, stderr := tsumero(t.Context(), "", append([]string{"compose"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: code %d, want %d\n%s\n%s", c.name, code, c.code, stdout, stderr)
		}
	}
}
