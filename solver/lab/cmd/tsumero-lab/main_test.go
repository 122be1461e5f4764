package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden files with what the program prints now")

// programs are what the test binary is when it is started under their names: first of all the
// command itself.
var programs = map[string]func(){"tsumero-lab": main}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

// runScripts runs each session in a folder with the real program in a process of its own.
func runScripts(t *testing.T, folder string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
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
	path := args[0]
	old := ts.ReadFile(path)
	if path == "stdout" || path == "stderr" {
		path += ".txt"
	}
	out := regexp.MustCompile(args[1]).ReplaceAllString(old, args[2])
	ts.Check(os.WriteFile(ts.MkAbs(path), []byte(out), 0o600))
}
