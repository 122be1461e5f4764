package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
	problems "github.com/tsumero/tsumero/solver/compose"
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
		{"objects", "--plies 3 --count 1 -o ndjson", command.ExitOK, `","plies":3,"moves":["`, "-cooked"},
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

// The problems of a run depend neither on the threads nor on whether it was stopped in between; the file
// of another run is refused.
func TestComposeKeep(t *testing.T) {
	compose := func(args ...string) (stdout, stderr string, code int) {
		var out, errs bytes.Buffer
		code = run(t.Context(), append([]string{"compose", "reverse", "--plies", "3", "--each", "50", "-o", "ndjson"}, args...),
			strings.NewReader(""), &out, &errs)
		return out.String(), errs.String(), code
	}
	whole, _, _ := compose("--count", "2", "--threads", "1")
	if got, _, _ := compose("--count", "2", "--threads", "3"); got != whole || strings.Count(whole, "\n") != 2 {
		t.Errorf("with three threads there are other problems:\n%s\n%s", got, whole)
	}
	file := filepath.Join(t.TempDir(), "keep")
	for _, count := range []string{"1", "2", "1"} {
		n, _ := strconv.Atoi(count)
		want := strings.Join(strings.SplitAfterN(whole, "\n", 3)[:n], "")
		if got, errs, code := compose("--count", count, "--keep", file); got != want || code != command.ExitOK {
			t.Errorf("--count %s: code %d\n%s%s\nwanted\n%s", count, code, got, errs, want)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// A killed run leaves a line that is cut off.
		if err := os.WriteFile(file, append(text, `{"problem":{"sf`...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, errs, code := compose("--keep", file, "--seed", "2"); code == command.ExitOK || !strings.Contains(errs, "another run, tsumero compose reverse --plies 3 --seed 1 --each 50\n") {
		t.Errorf("another seed: code %d, %s", code, errs)
	}
	known := filepath.Join(t.TempDir(), "known.sfen")
	if err := os.WriteFile(known, []byte("4k4/9/4P4/9/9/9/9/9/9 b G 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := compose("--keep", file, "--not-in", known); code == command.ExitOK || !strings.Contains(errs, "another run") {
		t.Errorf("with a known problem: code %d, %s", code, errs)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	heading, _, _ := strings.Cut(string(text), "\n")
	for _, c := range []struct{ text, want string }{
		{"x\n", "no file that tsumero compose --keep wrote"},
		{"x", "no file that tsumero compose --keep wrote"},
		{heading + "\n{}\n", "line 2 is neither a problem"},
		{heading + "\n{\"next\":-1}\n", "line 2 is neither a problem"},
		{heading + "\n{\"next\":2}\n{\"next\":2}\n", "line 3 is neither a problem"},
		{strings.TrimSuffix(heading, "}") + `,"known":2}` + "\n", "a run with 2 known problems that nothing may be like, not 0"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, errs, code := compose("--keep", file); code == command.ExitOK || !strings.Contains(errs, c.want) {
			t.Errorf("%q: code %d, %s", c.text, code, errs)
		}
		if left, _ := os.ReadFile(file); string(left) != c.text {
			t.Errorf("%q has become %q", c.text, left)
		}
	}
	// A run that was killed at once leaves a part of the heading.
	if err := os.WriteFile(file, []byte(heading[:20]), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, errs, code := compose("--count", "1", "--keep", file); got != whole[:strings.Index(whole, "\n")+1] || code != command.ExitOK {
		t.Errorf("a heading that is cut off: code %d\n%s%s", code, got, errs)
	}
	used, _, err := openComposeKeep(filepath.Join(t.TempDir(), "used"), "x", new(problems.Archive))
	if err != nil {
		t.Fatal(err)
	}
	defer used.close()
	if _, errs, code := compose("--keep", used.file.Name()); code == command.ExitOK || !strings.Contains(errs, "another tsumero uses the file") {
		t.Errorf("a file in use: code %d, %s", code, errs)
	}
}

// What is known is not printed again, and themes, weights and a box are asked for.
func TestComposeConditions(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.tsv")
	var out, errs bytes.Buffer
	if code := run(t.Context(), strings.Fields("compose reverse --plies 3 --count 1"), strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	if err := os.WriteFile(known, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	var others bytes.Buffer
	args := append(strings.Fields("compose reverse --plies 3 --count 1 --box 9a-1e --weight sacrifice=2,pieces=-1 --theme sacrifice "+
		"--hand 1 --captures 0 --not-in"), known)
	if code := run(t.Context(), args, strings.NewReader(""), &others, &errs); code != 0 ||
		strings.Contains(others.String(), strings.Split(out.String(), "\n")[2]) || strings.Count(others.String(), "sacrifice\n") != 1 {
		t.Errorf("code %d\n%s\n%s", code, others.String(), errs.String())
	}
	for _, c := range []struct{ args, want string }{
		{"--weight beauty=1", "--weight is \"beauty=1\", but must be such as sacrifice=2: one of strict, "},
		{"--weight pieces=NaN", "--weight is \"pieces=NaN\""},
		{"--theme beauty", "--theme is \"beauty\""},
		{"--box 5a", "--box is \"5a\""},
		{"--captures 2", "--captures is 2"},
		{"--each -1", "--each is -1"},
		{"--not-in /there/is/none", "/there/is/none"},
	} {
		var errs bytes.Buffer
		code := run(t.Context(), append([]string{"compose", "reverse"}, strings.Fields(c.args)...), strings.NewReader(""), io.Discard, &errs)
		if code == command.ExitOK || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: code %d, %s", c.args, code, errs.String())
		}
	}
}
