package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// What jobs clients may have is read from a list, and what the list leaves out stays.
func TestParseQuota(t *testing.T) {
	c := queue.Class{Active: 1, Waiting: 2, Lines: 3, Time: time.Minute, Bytes: 4, Keep: time.Hour}
	if err := parseQuota("active=8,time=90m,bytes=2GiB", &c); err != nil {
		t.Fatal(err)
	}
	want := queue.Class{Active: 8, Waiting: 2, Lines: 3, Time: 90 * time.Minute, Bytes: 2 << 30, Keep: time.Hour}
	if c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	again := queue.Class{}
	if err := parseQuota(quotaText(&c), &again); err != nil || again != c {
		t.Errorf("%s is read as %+v, %v", quotaText(&c), again, err)
	}
	for text, part := range map[string]string{
		"active": "active is a number", "active=-1": "active is a number", "lines=x": "lines is a number",
		"time=5": "time is a duration", "time=1ms": "time is a duration", "keep=200000h": "keep is a duration",
		"bytes=2XB": "bytes is a size", "speed=1": `"speed=1" is none of them`, "active=1,": `"" is none of them`,
	} {
		if err := parseQuota(text, new(queue.Class)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", text, err, part)
		}
	}
}

// Settings of jobs that make no sense are refused before anything starts.
func TestJobSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	for _, c := range []struct {
		args, part string
	}{
		{"serve --job-places 2", "--job-places is for jobs, for which --jobs or --nats is missing"},
		{"serve --api-keys keys", "--api-keys is for jobs"},
		{"serve --jobs " + dir + " --nats nats://a:4222", "two places for the same jobs"},
		{"serve --jobs " + dir + " --job-places 0", "nobody else can work on the jobs in the directory"},
		{"serve --jobs " + dir + " --memory 24MiB", "--memory is 24MiB, of which jobs need 24MiB and questions 24MiB"},
		{"serve --jobs " + dir + " --quota-key time=1", `--quota-key is "time=1", but must be a list in which time is`},
		{"serve --nats localhost", `--nats is "localhost", but must be nats://host:port`},
		{"worker", "--nats is missing"},
		{"worker --nats nats://a:4222 --places 0", "--places is"},
		{"jobs-store verify", "--jobs or --nats is missing"},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(c.args), nil, &stderr, &stderr); code != command.ExitUsage ||
			!strings.Contains(stderr.String(), c.part) {
			t.Errorf("%s: %d, %s", c.args, code, stderr.String())
		}
	}
}
