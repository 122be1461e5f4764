//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var stopJobs = flag.Bool("e2e.stop", false,
	"stop a service with jobs for so long that their chunks are given to others, which takes a minute")

// rescue is after how long without a sign of life the chunks of a worker are given to others.
const rescue = 35 * time.Second

// TestStopWithJobs: a service that is stopped for so long that its chunks would be given to others, as when its
// machine is suspended or has no processor time, goes on with its jobs: each line has one answer.
func TestStopWithJobs(t *testing.T) {
	if !*stopJobs {
		t.Skip("without -e2e.stop")
	}
	t.Parallel()
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"), "--rate", "0", "--jobs-slots", "2",
		"--quota-anonymous", "active=8,waiting=100,lines=1000000,bytes=1GiB")
	positions, body := jobLines(1000)
	const limits = "&nodes=40000&time_ms=10000"
	ids := map[string]bool{} // whether it is a collection
	for key := range 8 {
		id, ok := s.submitJob(t, ndjsonType, "?"+limits[1:], body, fmt.Sprint(key))
		if !ok {
			t.Fatal("a job was not accepted")
		}
		ids[id] = true
	}
	hard, ok := s.submitJob(t, jsonType, "", fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":2000000}}`, endless), "hard")
	if !ok {
		t.Fatal("the hard problem was not accepted")
	}
	ids[hard] = false
	waitFor(t, "progress", func() bool {
		return strings.Contains(s.send(t, "GET", "/v1/jobs/"+hard, "").body, `"phase":"searching"`)
	})
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := s.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if signal == syscall.SIGSTOP {
			time.Sleep(rescue + 5*time.Second)
		}
	}
	for id, collection := range ids {
		waitAtMost(t, 5*time.Minute, "a job to be done", func() bool {
			return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
		})
		if collection {
			s.checkResults(t, id, limits, positions)
		}
	}
	if a := s.send(t, "GET", "/v1/jobs/"+hard+"/result", "").body; !strings.Contains(a, `"reason":"limit_nodes"`) {
		t.Errorf("the hard problem: %s", a)
	}
	t.Logf("%d jobs", len(ids))
}
