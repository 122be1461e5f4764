// Package deploy tests the files that run Tsumero somewhere, with the programs that will read them.
package deploy

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// TestSystemdUnit lets systemd say what it does not understand in the unit, and how far it is
// locked up: 0 is fully, 10 not at all.
func TestSystemdUnit(t *testing.T) {
	unit, err := os.ReadFile("systemd/tsumero.service")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable() // the program the unit starts has to exist; which one makes no difference here
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "tsumero.service")
	installed := strings.ReplaceAll(string(unit), "ExecStart=/usr/local/bin/tsumero ", "ExecStart="+self+" ")
	if installed == string(unit) {
		t.Fatal("the unit does not start /usr/local/bin/tsumero")
	}
	if err := os.WriteFile(copied, []byte(installed), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(t, "systemd", "systemd-analyze", "verify", "--man=no", copied); out != "" {
		t.Error(out)
	}
	const mostExposed = "15" // 1.5
	run(t, "systemd", "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold="+mostExposed, copied)
}

// TestSystemdRestart: however the service ends, systemd starts it again, since it takes the death
// by some signals for a clean end; and it goes on doing so, except after a fault in the settings,
// which no restart mends.
func TestSystemdRestart(t *testing.T) {
	unit := read(t, "systemd/tsumero.service")
	for _, line := range []string{"Restart=always", "StartLimitIntervalSec=0"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit does not have %s", line)
		}
	}
	const prevent = "\nRestartPreventExitStatus="
	_, after, _ := strings.Cut(unit, prevent)
	codes, _, _ := strings.Cut(after, "\n")

	program := filepath.Join(t.TempDir(), "tsumero")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/tsumero").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
