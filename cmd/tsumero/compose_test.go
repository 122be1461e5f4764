package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// What the command prints and how it ends.
func TestComposeReverse(t *testing.T) {
	for _, c := range []struct {
		name, args     string
		code           int
		stdout, stderr string // parts
	}{
		{"two problems", "--plies 3 --count 2", command.ExitOK,
			"# made by: tsumero compose reverse --plies 3 --seed 1 --count 2\n# sfen\tplies\tmoves\tthemes\n", "final figure"},
		{"objects", "--plies 3 --count 1 -o ndjson", command.ExitOK, `","plies":3,"moves":["`, "-unique"},
		{"some processor time", "--plies 3 --cpu 1ms --seed 2 --pieces 5 --strict=false", command.ExitOK,
			"--plies 3 --seed 2 --pieces 5 --strict=false --cpu 1ms\n", ""},
		{"even plies", "--plies 4", command.ExitUsage, "", "must be an odd number from 3 to 31, or two of them such as 3-9\n"},
		{"plies the wrong way round", "--plies 9-3", command.ExitUsage, "", `--plies is "9-3"`},
		{"plies that are no number", "--plies 3-", command.ExitUsage, "", `--plies is "3-"`},
		{"no time and too many pieces", "--cpu -1s --pieces 40 --count -1", command.ExitUsage, "", "--pieces is 40, but must be 2 to 38\n"},
		{"an argument", "3", command.ExitUsage, "", ""},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"compose", "reverse"}, strings.Fields(c.args)...), strings.NewReader(""),
			&out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.stdout) || !strings.Contains(errs.String(), c.stderr) {
			t.Errorf("%s: code %d, want %d\n%s\n%s", c.name, code, c.code, out.String(), errs.String())
		}
	}
}

// An interrupt ends the run with what was found.
func TestComposeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &signalling{cancel: cancel}
	var errs bytes.Buffer
	code := run(ctx, []string{"compose", "reverse", "--plies", "3", "--count", "1000", "-o", "ndjson"},
		strings.NewReader(""), out, &errs)
	if code != command.ExitInterrupted || strings.Count(out.String(), "\n") != 1 ||
		!strings.Contains(errs.String(), "interrupted: 1 problem printed") {
		t.Errorf("code %d\n%s\n%s", code, out.String(), errs.String())
	}
}
