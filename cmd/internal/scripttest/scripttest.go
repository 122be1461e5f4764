// Package scripttest runs the sessions of a command-line program that stand in its testdata/script.
package scripttest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// GoWords are what the standard library and we say to programmers, and not to people.
var GoWords = regexp.MustCompile(`strconv|time: |json: |parsing "|invalid syntax|unexpected EOF|` +
	`invalid character|cannot unmarshal|runtime error|<nil>|%!|net/url|mime: |notation: |shogi: |wire: `)

// Main runs the tests of a program in English, whoever runs them, or the program that the test binary is
// started as, in the language that its environment says.
func Main(m *testing.M, programs map[string]func()) {
	if _, ok := programs[filepath.Base(os.Args[0])]; !ok {
		os.Setenv("LC_ALL", "C")
	}
	testscript.Main(m, programs)
}

// Run runs each session with the real program in a process of its own. With update it rewrites the
// files that a session compares with.
func Run(t *testing.T, update bool) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"replace": replaceAll,
		},
	})
}

// exits is the script command "exits CODE PROGRAM [ARG]...": exec that wants an exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s exits with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// replaceAll is the script command "replace FILE PATTERN TEXT": it puts TEXT for what differs from
// run to run.
func replaceAll(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE PATTERN TEXT")
	}
	old := ts.ReadFile(args[0])
	path := args[0]
	if path == "stdout" || path == "stderr" {
		path += ".txt"
	}
	out := regexp.MustCompile(args[1]).ReplaceAllString(old, args[2])
	ts.Check(os.WriteFile(ts.MkAbs(path), []byte(out), 0o600))
}
