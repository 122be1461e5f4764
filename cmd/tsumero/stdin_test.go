package main

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// TestStandardInput: - is standard input wherever a command takes a position or a file, and the hands
// of a position without quotes.
func TestStandardInput(t *testing.T) {
	const sfen = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	runs := func(stdin, line string, args ...string) (string, string, int) {
		var stdout, stderr strings.Builder
		code := run(t.Context(), append(strings.Fields(line), args...), strings.NewReader(stdin), &stdout, &stderr)
		return stdout.String(), stderr.String(), code
	}
	for line, part := range map[string]string{"solve": "G*5b", "analyze": "✓ G*5b", "certificate": "attacker black",
		"diagram": "<svg", "compose hands --hand 1": "R*5b 5a4a", "collection": "\tmate\t1\t1\tG*5b"} {
		if got, stderr, code := runs(sfen, line, "-"); code != command.ExitOK || !strings.Contains(got, part) {
			t.Errorf("%s -: %q, %s, exit code %d, want %q", line, got, stderr, code, part)
		}
	}
	for line, part := range map[string]string{"solve": "no mate: black", "analyze": "no mate"} {
		got, stderr, _ := runs("", line, strings.Fields("4k4/9/4G4/9/9/9/9/9/9 b - 1")...)
		if !strings.Contains(got, part) {
			t.Errorf("%s, without quotes: %q, %s, want %q", line, got, stderr, part)
		}
	}
	for _, line := range []string{"solve ▲", "solve ▲5二金", "solve +", "analyze ▲5二金_", "diagram ▲", "play --sfen -", "play --sfen ▲"} {
		if got, stderr, code := runs("", line); code != command.ExitBadPosition ||
			!strings.Contains(got+stderr, "found no diagram") {
			t.Errorf("%s: %q, %q, exit code %d", line, got, stderr, code)
		}
	}
}
