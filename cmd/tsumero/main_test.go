package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/scripttest"
)

var update = flag.Bool("update", false, "rewrite the golden files with what the program prints now")

// programs are what the test binary is when it is started under their names: first of all the
// command itself.
var programs = map[string]func(){"tsumero": main}

func TestMain(m *testing.M) { scripttest.Main(m, programs) }

// TestScripts runs the sessions in testdata/script with the real command in a process of its own.
func TestScripts(t *testing.T) { scripttest.Run(t, *update) }

// self is the path of the test binary, which is the program if it is called that.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// command is the real program as a process that a test talks to.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(self(t))
	cmd.Args = append([]string{"tsumero"}, args...)
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	return cmd
}

const headGold = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"

// An interrupt ends a solve that waits for more input. What was answered is out already, in order.
func TestSolveInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := program(t, "solve", "--output", "tsv")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(in, "%s\n%s\n", headGold, headGold)
			want := strings.Count(headGold, "") // read until both answers are there: they come without the input's end
			got := make([]byte, 0, 4*want)
			for bytes.Count(got, []byte("\n")) < 3 {
				var b [1]byte
				if _, err := out.Read(b[:]); err != nil {
					t.Fatalf("after %q: %v", got, err)
				}
				got = append(got, b[0])
			}
			if n := bytes.Count(got, []byte("\tmate\t1\ttrue\tG*5b\t")); n != 2 {
				t.Errorf("%d mates in 1 before the interrupt, want 2:\n%s", n, got)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(out)
			if err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != command.ExitInterrupted || len(rest) != 0 {
				t.Errorf("exit code %d and %q more, want %d and nothing", code, rest, command.ExitInterrupted)
			}
			if want := "interrupted: 2 answers printed, the last for line 2\n"; !strings.Contains(stderr.String(), want) {
				t.Errorf("stderr %q, want %q in it", stderr.String(), want)
			}
		})
	}
}

// An output that fails ends the program with the code of a failure, and does not hang.
func TestSolveOutputFails(t *testing.T) {
	input := strings.Repeat(headGold+"\n", 5000)
	for _, format := range []string{"text", "json", "tsv"} {
		var stderr bytes.Buffer
		code := run(context.Background(), []string{"solve", "-o", format}, strings.NewReader(input), fullDisk{}, &stderr)
		if code != command.ExitFailure || !strings.Contains(stderr.String(), "disk full") {
			t.Errorf("%s: exit code %d, stderr %q; want %d and the reason", format, code, stderr.String(), command.ExitFailure)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestDefaultJobs(t *testing.T) {
	for _, c := range []struct{ processors, threads, want int }{
		{1, 1, 1}, {8, 1, 8}, {8, 3, 2}, {8, 8, 1}, {8, 9, 1},
	} {
		if got := defaultJobs(c.processors, c.threads); got != c.want {
			t.Errorf("%d processors, %d threads: %d, want %d", c.processors, c.threads, got, c.want)
		}
	}
}

// What solve says of itself and of wrong use is the same with the other commands and without.
func TestRootOfSolve(t *testing.T) {
	for _, args := range [][]string{{"solve", "--help"}, {"solve", "--moive"}, {"solve", "x"}, {"solve", "--version"},
		{"solve", "--help", "--lang", "ja"}, {"solve", "--lang", "ja", "--moive"}} {
		said := func(newRoot func(cli.Language) *cobra.Command) string {
			var out bytes.Buffer
			code := command.Run(t.Context(), newRoot(command.Spoken(args)), args, strings.NewReader(""), &out, &out)
			return fmt.Sprintf("%s\nexit code %d", &out, code)
		}
		if got, want := said(newRootOfSolve), said(newRoot); got != want {
			t.Errorf("%q: %s\nwant: %s", args, got, want)
		}
	}
}
