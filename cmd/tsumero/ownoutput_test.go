package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// No command reads what it prints, whichever file it goes into: of a folder it is left out, and named
// as input it is a fault. What is printed is the same as into a pipe.
func TestOwnOutput(t *testing.T) {
	elapsed := regexp.MustCompile(`[0-9]+\n|"elapsed_us":[0-9]+`) // the last column of solve
	const problem = "sfen\ttitle\n" + headGold + "\tone\n"
	for _, c := range []struct {
		args string
		code int // for the file itself
	}{
		{"solve -o tsv", command.ExitBadPosition},
		{"analyze -o ndjson", command.ExitBadPosition},
		{"collection", command.ExitBadPosition},
		{"collection --search none -o json", command.ExitBadPosition},
		{"keys", command.ExitFailure},
	} {
		t.Run(c.args, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			start := func(out *os.File, args ...string) (string, string, int) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a loop would fill the disk
				defer cancel()
				cmd := exec.CommandContext(ctx, self(t))
				cmd.Args, cmd.Dir = append(append([]string{"tsumero"}, strings.Fields(c.args)...), args...), dir
				var piped, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &piped, &stderr
				if out != nil {
					cmd.Stdout = out
				}
				_ = cmd.Run() // the code says it
				if ctx.Err() != nil {
					t.Fatalf("%v: the command goes on and on", args)
				}
				return piped.String(), stderr.String(), cmd.ProcessState.ExitCode()
			}
			appended := func(path string) *os.File {
				out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { out.Close() })
				return out
			}
			read := func(path string) string {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}

			in := write("problem.tsv", problem)
			want, stderr, code := start(nil, ".")
			if code > command.ExitNegative || want == "" {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			// Another name leads to the same file, and what is in it already is no problem, either.
			out := write("list.tsv", "")
			if err := os.Link(out, filepath.Join(dir, "link.tsv")); err != nil {
				t.Log(err) // a file system without
			}
			for _, before := range []string{"", problem} {
				write("list.tsv", before)
				_, stderr, code := start(appended(out), ".")
				got := elapsed.ReplaceAllString(read(out), "")
				if want := elapsed.ReplaceAllString(before+want, ""); code > command.ExitNegative || got != want {
					t.Errorf("after %q: exit code %d, %s\n%s\nwant\n%s", before, code, stderr, got, want)
				}
			}
			if err := os.RemoveAll(filepath.Join(dir, "link.tsv")); err != nil {
				t.Fatal(err)
			}

			printed, stderr, code := start(appended(in), "problem.tsv")
			if printed += read(in); code != c.code || !strings.Contains(stderr+printed, "input file is output file") ||
				strings.Count(printed, headGold) > 1+strings.Count(want, headGold) {
				t.Errorf("named: exit code %d, want %d; %s\n%s", code, c.code, stderr, printed)
			}
		})
	}
}

// Nor does a command read a file that its standard input and its output are, or that a flag names.
func TestOwnOutputElsewhere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.sfen")
	for _, c := range []struct {
		args []string
		in   bool
	}{
		{[]string{"solve"}, true}, {[]string{"analyze"}, true}, {[]string{"collection"}, true},
		{[]string{"solve", "--file", path}, false}, {[]string{"diagram"}, true}, {[]string{"certificate"}, true},
		{[]string{"certificate", "--file", path, "-o", path}, false}, {[]string{"certificate", path, "-o", path}, false},
		{[]string{"diagram", "--format", "svg", "--file", path, "-o", path}, false},
	} {
		if err := os.WriteFile(path, []byte(headGold+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, self(t))
		cmd.Args = append([]string{"tsumero"}, c.args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = out, &stderr
		if c.in {
			in, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			cmd.Stdin = in
		}
		_ = cmd.Run()
		cancel()
		out.Close()
		text, err := os.ReadFile(path)
		if err != nil || cmd.ProcessState.ExitCode() < command.ExitBadPosition ||
			!strings.Contains(stderr.String()+string(text), "input file is output file") || !strings.HasPrefix(string(text), headGold) {
			t.Errorf("%q: exit code %d, %v, %s\n%s", c.args, cmd.ProcessState.ExitCode(), err, stderr.String(), text)
		}
	}
}

// A folder of records inside the folder that is read is not read again the next time, and no record
// replaces a problem.
func TestOwnRecords(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.sfen": headGold, "a-1.kif": headGold} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"analyze", "--kif", filepath.Join(dir, "out") + string(filepath.Separator), dir}
	_, first, _ := tsumero(t.Context(), "", args...)
	_, second, stderr := tsumero(t.Context(), "", args...)
	if first != second || strings.Count(second, "\n") < 2 {
		t.Errorf("first\n%sthen\n%s%s", first, second, stderr)
	}
	to := filepath.Join(dir, "site")
	for range 2 {
		args := []string{"collection", "-o", "folder", "--to", to, "--keep", filepath.Join(dir, "keep.tsv"), dir}
		if code, _, stderr := tsumero(t.Context(), "", args...); code != command.ExitOK || !strings.Contains(stderr, "4 problems") {
			t.Errorf("exit code %d, %s", code, stderr)
		}
	}
	if code, _, stderr := tsumero(t.Context(), "", "analyze", "--kif", dir, filepath.Join(dir, "a.sfen"),
		filepath.Join(dir, "a-1.kif")); code != command.ExitFailure || !strings.Contains(stderr, "which the record would replace") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
