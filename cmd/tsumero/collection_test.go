package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// What the command prints and how it ends.
func TestCollection(t *testing.T) {
	const problem = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	dir := t.TempDir()
	good := filepath.Join(dir, "good.tsv")
	if err := os.WriteFile(good, []byte(problem+"\t1\n"+problem+"\t1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "nothing")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, args, stdin string
		code              int
		stdout, stderr    string // parts
	}{
		{"a file", good, "", command.ExitOK, "\tduplicate:1\t", "2 problems, 0 faulty, 1 there before, duplicate 1; in "},
		{"a folder, without a search", "--search none " + dir, "", command.ExitOK, "\tt1:4k4/9/4G4/9/9/9/9/9/9:G:rest\t", ""},
		{"standard input", "-o json -", problem, command.ExitOK, `"where":"line 1"`, ""},
		{"no arguments", "--relations all", problem, command.ExitOK, "\tmate\t1\t1\tG*5b\t", ""},
		{"other relations", "--relations contained,same_end " + good, "", command.ExitOK, "G*5b\tnone\t\t\t\t\t\t\n", "0 there before"},
		{"a report", "--search report --profile strict --policy F1 " + good, "", command.ExitOK, "\tyes\t0\t0\t", ""},
		{"a fault", "-", "nonsense", command.ExitBadPosition, "\terror\t", "1 problem, 1 faulty"},
		{"a file that is not there", filepath.Join(dir, "none.sfen"), "", command.ExitBadPosition, "no such file", ""},
		{"an empty folder", empty, "", command.ExitUsage, "", "there is no file of a notation"},
		{"empty input", "", "", command.ExitUsage, "", "no position was given"},
		{"flags that mean nothing", "--search far --output xml --relations uncle --policy F9 --profile lax --nodes 0 x", "", command.ExitUsage, "",
			"--policy is \"F9\", but must be one of F0, F1, F2, F3\n"},
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"collection"}, strings.Fields(c.args)...),
			strings.NewReader(c.stdin), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.stdout) || !strings.Contains(errs.String(), c.stderr) {
			t.Errorf("%s: code %d, want %d\n%s\n%s", c.name, code, c.code, out.String(), errs.String())
		}
	}
}

// An interrupt prints what is there, even while the input is open.
func TestCollectionInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer feed.Close()
	if _, err := feed.WriteString("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1\n"); err != nil {
		t.Fatal(err)
	}
	out := &signalling{cancel: cancel}
	var errs bytes.Buffer
	code := run(ctx, []string{"collection", "--search", "none", "-"}, in, out, &errs)
	if code != command.ExitInterrupted || !strings.Contains(out.String(), "t1:4k4") ||
		!strings.Contains(errs.String(), "1 problem printed") {
		t.Errorf("code %d\n%s\n%s", code, out.String(), errs.String())
	}
}

// signalling is a buffer that interrupts at the first write.
type signalling struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (s *signalling) Write(p []byte) (int, error) {
	s.cancel()
	return s.Buffer.Write(p)
}
