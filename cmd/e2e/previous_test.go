package e2e

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

var previous = flag.String("e2e.previous", "",
	"a revision of git, such as HEAD~1, whose programs TestPreviousVersion builds and runs beside these")

// A version is a program of this or of another revision.
type version struct {
	name, path string
	storage    []string // the flags for a server that is alone
	slots      string   // the flag for places
}

// versionOf returns what is known of a program.
func versionOf(t *testing.T, name, path string) *version {
	t.Helper()
	help, err := exec.Command(path, "serve", "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, help)
	}
	v := &version{name: name, path: path, storage: []string{"--nats-storage", "replicas=1,unsafe=true"},
		slots: "--jobs-slots"}
	if !strings.Contains(string(help), "--nats-storage") { // v0.1.0
		v.storage, v.slots = []string{"--nats-replicas", "1", "--jobs-unsafe"}, "--job-places"
	}
	return v
}

// build builds the service of a revision.
func build(t *testing.T, revision string) (path string) {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "source.tar")
	run := func(dir, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	run(strings.TrimSpace(string(root)), "git", "archive", "--output", archive, revision)
	run(dir, "tar", "-xf", archive)
	path = filepath.Join(dir, "previous")
	program := "./cmd/tsumero-server"
	if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
		program = "./cmd/tsumero" // until v0.1.0
	}
	run(dir, "go", "build", "-buildvcs=false", "-o", path, program)
	return path
}

// serve starts a service of the version.
func (v *version) serve(t *testing.T, flags ...string) *service {
	t.Helper()
	const anyPort = "127.0.0.1:0"
	args := append([]string{"serve", "--addr", anyPort, "--admin-addr", anyPort, "--drain-delay", "0s",
		"--rate", "0"}, flags...)
	s := &service{cmd: program(t, v.path, args...), log: &logBuffer{}, ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.start(t, s.findAddresses)
	return s
}

// work starts a worker of the version.
func (v *version) work(t *testing.T, url string) *service {
	t.Helper()
	s := &service{cmd: program(t, v.path, append([]string{"worker", "--nats", url, "--admin-addr", "off",
		"--memory", "64MiB"}, v.storage...)...), log: &logBuffer{}, ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.run(t)
	return s
}

// TestPreviousVersion: during an update programs of two versions share jobs, whichever of them comes
// first, and a store in a directory is that of either. Each line of each job has one answer, that of
// the version which works on it.
func TestPreviousVersion(t *testing.T) {
	if *previous == "" {
		t.Skip("without -e2e.previous")
	}
	t.Parallel()
	before := versionOf(t, "the previous one", build(t, *previous))
	now := versionOf(t, "this one", filepath.Join(bin, "tsumero-server"))
	const limits = "&nodes=40000&time_ms=10000"
	positions, body := jobLines(300)
	submit := func(s *service, key string) (id string) {
		waitFor(t, "a job to be accepted", func() (ok bool) {
			id, ok = s.submitJob(t, ndjsonType, "?"+limits[1:], body, key)
			return ok
		})
		return id
	}
	done := func(s *service, id string) {
		t.Helper()
		waitFor(t, "the end of a job", func() bool {
			return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
		})
	}

	// What both answer by themselves.
	asks := map[*version]*service{before: before.serve(t), now: now.serve(t)}

	t.Run("a cluster", func(t *testing.T) {
		nats, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true,
			StoreDir: t.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true, MaxPayload: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		nats.Start()
		defer nats.Shutdown()
		front := func(v *version) *service {
			return v.serve(t, append([]string{"--nats", nats.ClientURL(), v.slots, "0"}, v.storage...)...)
		}
		var ids []string
		fronts := map[*version]*service{before: front(before)}
		for _, c := range []struct{ serves, works *version }{
			{before, before}, {before, now}, {now, before}, {now, now},
		} {
			if fronts[c.serves] == nil {
				fronts[c.serves] = front(c.serves)
			}
			s, w := fronts[c.serves], c.works.work(t, nats.ClientURL())
			ids = append(ids, submit(s, c.serves.name+c.works.name))
			id := ids[len(ids)-1]
			done(s, id)
			for _, s := range fronts {
				done(s, id) // by what every service says
				s.checkAnswers(t, id, limits, positions, asks[c.works])
			}
			w.stop(t)
			t.Logf("%s serves, %s works: %d lines", c.serves.name, c.works.name, len(positions))
		}
		for i, id := range ids { // what was stored before is there for the one that came later
			fronts[now].checkAnswers(t, id, limits, positions, asks[[]*version{before, now}[i%2]])
		}
	})

	t.Run("a directory", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "jobs")
		ids := map[string]bool{} // whether a job began under one version and ended under the other
		for i, v := range []*version{before, now, before, now} {
			s := v.serve(t, "--jobs", dir)
			for id, both := range ids {
				done(s, id)
				if both {
					s.checkAnswers(t, id, limits, positions, asks[before], asks[now])
				}
			}
			id := submit(s, "ended "+string(rune('a'+i)))
			done(s, id)
			s.checkAnswers(t, id, limits, positions, asks[v])
			ids[id] = false
			ids[submit(s, "begun "+string(rune('a'+i)))] = true
			s.stop(t)
			t.Logf("%s: %d jobs are kept", v.name, len(ids))
		}
	})
}
