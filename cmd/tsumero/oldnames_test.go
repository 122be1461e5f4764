package main

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// A command that was given an old name does as with the new one, and says so on standard error.
func TestOldNamesWarn(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"solve", "--format", "sfen", "-f", "-"}, "--format goes with the next version; write --notation sfen"},
		{[]string{"analyze", "--format", "json", headGold}, "--format goes with the next version; write --output json"},
		{[]string{"collection", "--rest", "--search", "none"}, "--rest goes with the next version; write --hands complete"},
		{[]string{"play", "--moves-limit", "8"}, "--moves-limit goes with the next version; write --max-moves 8"},
	} {
		code, stdout, stderr := tsumero(t.Context(), headGold+"\n", c.args...)
		if code != command.ExitOK || !strings.Contains(stderr, "tsumero: warning: "+c.want+"\n") || strings.Contains(stdout, c.want) {
			t.Errorf("%q: exit code %d\n%s\n%s", c.args, code, stdout, stderr)
		}
	}
}
