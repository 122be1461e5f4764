// Package e2e tests the real programs from the outside: it builds tsumero, tsumero-server and
// tsumero-usi, starts them as a user would, and talks to them over loopback sockets and pipes. What one package can
// show by itself is tested there; here stands what only the whole shows.
package e2e

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write into the guides what their examples print now")

// bin is the folder of the programs under test.
var bin string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	var err error
	bin, err = os.MkdirTemp("", "tsumero-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	args := append([]string{"build"}, buildFlags...)
	// As people get them, without what a debugger reads, they are linked in half the time.
	args = append(args, "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "../tsumero",
		"../tsumero-server", "../tsumero-usi")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go %q: %v\n%s", args, err, out)
		return 1
	}
	// What runs at once waits.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	return m.Run()
}

// long leaves a test out of the short ones, which show that the programs start, answer and stop, and
// lets it run beside others.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long; in short, a few tests show that the programs start, answer and stop")
	}
	t.Parallel()
}

// program returns a command that runs one of the programs, or the one of a path, with an environment
// that holds no setting of the machine's. It is killed when the test and its cleanups are over; unlike
// the test's context, which ends before the cleanups.
func program(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	if !filepath.IsAbs(name) {
		name = filepath.Join(bin, name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Dir = t.TempDir()
	return cmd
}

// outcome is what a finished program left.
type outcome struct {
	stdout, stderr string
	code           int
}

// run runs a program to its end.
func run(t *testing.T, stdin, name string, args ...string) outcome {
	t.Helper()
	return finish(t, program(t, name, args...), stdin)
}

func finish(t *testing.T, cmd *exec.Cmd, stdin string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewBufferString(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
