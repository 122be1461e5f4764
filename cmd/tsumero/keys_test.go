package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// What the keys of a problem keep compose from making, and what is told of bad files.
func TestKeys(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	reverse := []string{"compose", "reverse", "--plies", "3", "--count", "1"}
	code, made, stderr := tsumero(t.Context(), "", reverse...)
	if code != command.ExitOK {
		t.Fatal(stderr)
	}
	rows := strings.Split(strings.TrimSpace(made), "\n")
	code, keys, stderr := tsumero(t.Context(), "", "keys", file("a.tsv", "sfen\tplies\tmoves\n"+rows[len(rows)-1]+"\n"))
	columns := strings.Split(strings.TrimSpace(keys), "\t")
	if code != command.ExitOK || len(columns) != 5 || !strings.HasPrefix(columns[3], "t1lh:") || columns[4] != "a.tsv:1" {
		t.Fatalf("code %d\n%s%s", code, keys, stderr)
	}
	code, other, stderr := tsumero(t.Context(), "", append(reverse, "--not-in", file("a.keys", keys))...)
	if code != command.ExitOK || strings.Contains(other, rows[len(rows)-1]) || !strings.Contains(other, " b ") {
		t.Errorf("the problem is made again, or none:\n%s%s", other, stderr)
	}
	heading, _, _ := strings.Cut(keys, "\n")
	for _, c := range []struct{ text, want string }{
		{heading + "\nt1h:x\t-\t-\t-\ta\n", `line 2: column 1 is "t1h:x", which is no key`},
		{heading + "\nt1h:x\n", "line 2 has 1 columns"},
		{"no problem\n", "--not-in "},
	} {
		code, _, stderr := tsumero(t.Context(), "", append(reverse, "--not-in", file("a.keys", keys), "--not-in", file("b.keys", c.text))...)
		if code != command.ExitFailure || !strings.Contains(stderr, c.want) {
			t.Errorf("code %d, %q, want %q", code, stderr, c.want)
		}
	}
	code, _, stderr = tsumero(t.Context(), "", "keys", file("c.sfen", "9/9/9/9/9/9/9/9/9 b G 1\n4k4/9/4G4/9/9/9/9/9/9 b G 1\n"))
	if code != command.ExitBadPosition || !strings.Contains(stderr, "c.sfen:1: ") {
		t.Errorf("code %d, %q", code, stderr)
	}
}
