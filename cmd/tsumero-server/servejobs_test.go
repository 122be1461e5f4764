package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// What jobs clients may have is read from a list, and what the list leaves out stays.
func TestQuota(t *testing.T) {
	class := func() queue.Class {
		return queue.Class{Active: 1, Waiting: 2, Lines: 3, Time: time.Minute, Bytes: 4, Keep: time.Hour}
	}
	resolve := func(text string) (queue.Class, error) {
		flags, c := pflag.NewFlagSet("", pflag.ContinueOnError), class()
		set := cli.NewSettings(cli.English, flags)
		declareQuota(set, &c, "quota", "of ours")
		if err := flags.Set("quota", text); err != nil {
			t.Fatal(err)
		}
		return c, set.Resolve()
	}
	want := class()
	want.Active, want.Time, want.Bytes = 8, 90*time.Minute, 2<<30
	if c, err := resolve("active=8,time=90m,bytes=2GiB"); err != nil || c != want {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
	for text, part := range map[string]string{
		"active": "--quota active is \"active\", but must be a number", "active=-1": "must be a number from 0",
		"lines=x": "--quota lines is \"x\"", "time=5": "must be a duration from 1s to 720h",
		"time=1ms": "must be a duration", "keep=200000h": "--quota keep is",
		"bytes=2XB": "must be a size", "speed=1": `--quota has no key "speed"; its keys are active, waiting,`,
		"active=1,": `--quota has "", which is no KEY=VALUE; its keys are active,`,
	} {
		if _, err := resolve(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", text, err, part)
		}
	}
}

// Settings of jobs that make no sense are refused before anything starts.
func TestJobSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	const database = "postgres://a/jobs"
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, part string
	}{
		{"serve --jobs-slots 2", "--jobs-slots is for jobs, for which --jobs is missing"},
		{"serve --api-keys keys", "--api-keys is for jobs, for which --jobs is missing"},
		{"serve --jobs-max-bytes 1GiB", "--jobs-max-bytes is for jobs"},
		{"serve --jobs " + dir + " --jobs-file " + empty, "--jobs and --jobs-file say the same: give one of them"},
		{"serve --jobs-file " + empty, "--jobs-file: " + empty + " is empty"},
		{"serve --jobs-file " + empty + "y", "--jobs-file: open " + empty + "y: "},
		{"serve --jobs " + dir + " --jobs-slots 0", "nobody else can work on the jobs in the directory"},
		{"serve --jobs " + dir + " --memory 24MiB", "--memory is 24MiB, of which jobs need 24MiB and questions 24MiB"},
		{"serve --jobs " + dir + " --quota-key time=1", `--quota-key time is "1", but must be a duration`},
		{"serve --jobs " + database + " --jobs-max-bytes 1GiB", "--jobs-max-bytes is for a directory: PostgreSQL has its own disk"},
		{"serve --jobs nats://a:4222", "--jobs: a directory, or postgres://user@host/database"},
		{"serve --jobs host=a", "--jobs: a directory, or postgres://user@host/database"},
		{"serve --jobs postgres://%zz/", "--jobs: no address of a database"},
		{"worker", "--jobs is missing: the database"},
		{"worker --jobs " + dir, "--jobs is a directory, which only the service itself works on"},
		{"worker --jobs " + database + " --slots 0", "--slots is"},
		{"store check", "--jobs is missing: where the jobs are"},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(c.args), nil, &stderr, &stderr); code != command.ExitUsage ||
			!strings.Contains(stderr.String(), c.part) {
			t.Errorf("%s: %d, %s", c.args, code, stderr.String())
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("there is %s", dir)
	}
}

// A password is not for the command line, which all on the machine can read. It may stand in a file and in
// the environment, and no message and no help shows it.
func TestPasswords(t *testing.T) {
	for address, secret := range map[string]bool{
		"postgres://me:s3cret@a/jobs":                                                       true,
		"postgresql://me:s3cret@a/jobs":                                                     true,
		"postgres://a/jobs?user=me&password=s3cret":                                         true,
		"postgres://me@a/jobs?sslpassword=s3cret":                                           true,
		"postgres://me:s3cret@a:5432,b:5433/jobs?target_session_attrs=read-write":           true,
		"postgres://me:%zs3cret@a/jobs":                                                     true,
		"postgres://me@a:5432/jobs":                                                         false,
		"postgres://a:5432/jobs?sslmode=require":                                            false,
		"postgres://me@a:5432,b:5433/jobs?target_session_attrs=read-write&passfile=/s3cret": false,
		"dir/me:s3cret@a":                                                                   false,
	} {
		resolve := func(args ...string) (string, error) {
			var s storeSettings
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			set := cli.NewSettings(cli.English, flags)
			s.declare(set, flags, "where")
			if err := flags.Parse(args); err != nil {
				t.Fatal(err)
			}
			if err := set.Resolve(); err != nil {
				t.Fatal(err)
			}
			return s.address, s.resolve()
		}
		if _, err := resolve("--jobs", address); secret != (err != nil && strings.Contains(err.Error(),
			"--jobs has a password, and all on this machine can read")) {
			t.Errorf("--jobs %s: %v", address, err)
		}
		t.Setenv("TSUMERO_JOBS", address)
		valid := !strings.Contains(address, "%z")
		if _, err := resolve(); valid != (err == nil) || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("TSUMERO_JOBS=%s: %v", address, err)
		}
		os.Unsetenv("TSUMERO_JOBS") // t.Setenv puts back what was there
		file := filepath.Join(t.TempDir(), "address")
		if err := os.WriteFile(file, []byte(address+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := resolve("--jobs-file", file); valid != (err == nil) || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("--jobs-file with %s: %v", address, err)
		}
	}
	t.Setenv("TSUMERO_JOBS", "postgres://me:s3cret@a/jobs")
	for _, args := range []string{"serve --help", "worker --help", "store check --help", "serve --jobs-slots x",
		"worker --slots 0", "store backup b", "store restore b"} {
		var said strings.Builder
		if run(t.Context(), strings.Fields(args), nil, &said, &said); said.Len() == 0 ||
			strings.Contains(said.String(), "s3cret") {
			t.Errorf("%s says %s", args, said.String())
		}
	}
}

// A service whose address is taken says so, and does not stay because of its jobs.
func TestJobsAddressTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := filepath.Join(t.TempDir(), "jobs")
	for range 2 { // the directory is free again
		ended := make(chan int, 1)
		var stderr syncBuffer
		go func() {
			ended <- run(t.Context(), []string{"serve", "--addr", taken.Addr().String(), "--admin-addr", "off", "--jobs", dir},
				nil, io.Discard, &stderr)
		}()
		select {
		case code := <-ended:
			if code != command.ExitFailure || !strings.Contains(stderr.String(), taken.Addr().String()) {
				t.Errorf("exit code %d, %s", code, stderr.String())
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("it does not end:\n%s", stderr.String())
		}
	}
}
