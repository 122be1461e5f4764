// Package deploy tests the files that run Tsumero somewhere, with the programs that will read them.
package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// run runs a program of a Debian package and fails the test unless it ends with exit code 0.
// Without the program the test is skipped, except in CI, where it has to be there.
func run(t *testing.T, debianPackage, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v; it is in Debian's package %s", err, debianPackage)
		}
		t.Skipf("%v; it is in Debian's package %s", err, debianPackage)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// built is a folder for the programs, which all tests share.
var built string

// build makes the programs in built.
var build = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", built, "../cmd/tsumero", "../cmd/tsumero-server").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

// programDir returns the folder of the programs.
func programDir(t *testing.T) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return built
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tsumero-deploy")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	built = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestSystemdUnits lets systemd say what it does not understand in the units, and how far they are
// locked up: 0 is fully, 10 not at all.
func TestSystemdUnits(t *testing.T) {
	for _, test := range []struct{ name, unit, dropIn string }{
		{"service", "tsumero.service", ""},
		{"service with jobs", "tsumero.service", "tsumero.service.d/jobs.conf"},
		{"service with jobs in a database", "tsumero.service", "tsumero.service.d/postgres.conf"},
		{"worker", "tsumero-worker.service", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			unit := install(t, test.unit, test.dropIn)
			if out := run(t, "systemd", "systemd-analyze", "verify", "--man=no", unit); out != "" {
				t.Error(out)
			}
			const mostExposed = "15" // 1.5
			run(t, "systemd", "systemd-analyze", "security", "--no-pager", "--offline=true",
				"--threshold="+mostExposed, unit)
		})
	}
}

// install copies a unit, and a drop-in unless that is empty, to where systemd looks for both. The
// program that the unit starts has to exist; which one makes no difference here.
func install(t *testing.T, unit, dropIn string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{unit, dropIn} {
		if name == "" {
			continue
		}
		text := read(t, filepath.Join("systemd", name))
		const program = "ExecStart=/usr/local/bin/tsumero-server"
		if name == unit && !strings.Contains(text, program) {
			t.Fatalf("%s does not start /usr/local/bin/tsumero-server", name)
		}
		text = strings.ReplaceAll(text, program, "ExecStart="+self)
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, unit)
}

// TestSystemdStop: whoever may be in a search of hours has the time to write its checkpoint, and a
// place to write it to.
func TestSystemdStop(t *testing.T) {
	for _, name := range []string{"tsumero.service.d/jobs.conf", "tsumero-worker.service"} {
		for _, line := range []string{"TimeoutStopSec=120s", "StateDirectoryMode=0700"} {
			if !strings.Contains(read(t, filepath.Join("systemd", name)), "\n"+line+"\n") {
				t.Errorf("%s does not have %s", name, line)
			}
		}
	}
}

// TestSystemdRestart: however the service ends, systemd starts it again, since it takes the death
// by some signals for a clean end; and it goes on doing so, except after a fault in the settings,
// which no restart mends.
func TestSystemdRestart(t *testing.T) {
	t.Parallel()
	unit := read(t, "systemd/tsumero.service")
	for _, text := range []string{unit, read(t, "systemd/tsumero-worker.service")} {
		for _, line := range []string{"Restart=always", "StartLimitIntervalSec=0"} {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("a unit does not have %s", line)
			}
		}
	}
	const prevent = "\nRestartPreventExitStatus="
	_, after, _ := strings.Cut(unit, prevent)
	codes, _, _ := strings.Cut(after, "\n")

	if testing.Short() {
		t.Skip("it runs the program, which takes seconds to build")
	}
	program := filepath.Join(programDir(t), "tsumero-server")
	for _, setting := range []string{"TSUMERO_ADDR=nowhere", "TSUMERO_MAX_TIME=never", "TSUMERO_MAX_NODES=-1"} {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		serve := exec.CommandContext(ctx, program, "serve")
		serve.Env = append(os.Environ(), setting)
		out, err := serve.CombinedOutput()
		stop()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !slices.Contains(strings.Fields(codes), strconv.Itoa(exit.ExitCode())) {
			t.Errorf("with %s it ends with %v, want one of the codes %q\n%s", setting, err, codes, out)
		}
	}
}
