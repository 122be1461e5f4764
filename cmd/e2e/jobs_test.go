package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// A jobAnswer is what the service says of a job.
type jobAnswer struct {
	ID, State   string
	Lines, Done int
	Counts      map[string]int
}

// jobPositions returns positions of all kinds, one of which is none.
func jobPositions() []string {
	return []string{
		"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1",
		"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
		"5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1",
		"7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1",
		"4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1",
		"7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",
		"7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1", // more nodes than a short search has
		"9/9/9/9/9/9/2b+R5/9/1K1+p5 w rpB4G4S4N4L16P 1",
		"no position",
	}
}

// submitJob submits a job until it is accepted, and returns its id. It reports false if the service
// is gone.
func (s *service) submitJob(t *testing.T, mediaType, query, body, key string) (id string, ok bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/v1/jobs"+query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", mediaType)
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return "", false
	}
	defer resp.Body.Close()
	var j jobAnswer
	if err := json.NewDecoder(resp.Body).Decode(&j); err != nil || resp.StatusCode != http.StatusAccepted {
		if resp.StatusCode == http.StatusServiceUnavailable {
			return "", false
		}
		t.Fatalf("%s: %d, %v", key, resp.StatusCode, err)
	}
	return j.ID, true
}

// checkResults wants exactly one answer for each line of a job, in order, and each to be the bytes
// of the same question to /v1/solve.
func (s *service) checkResults(t *testing.T, id, limits string, positions []string) {
	t.Helper()
	s.checkAnswers(t, id, limits, positions, s)
}

// checkAnswers is checkResults with the answers of other services, each of which may be right.
func (s *service) checkAnswers(t *testing.T, id, limits string, positions []string, by ...*service) {
	t.Helper()
	results := s.send(t, "GET", "/v1/jobs/"+id+"/results?limit=1000", "")
	answers := strings.Split(strings.TrimSuffix(results.body, "\n"), "\n")
	if results.StatusCode != 200 || len(answers) != len(positions) {
		t.Fatalf("job %s: %d, %d answers to %d lines", id, results.StatusCode, len(answers), len(positions))
	}
	known := map[string][]string{}
	number := regexp.MustCompile(`^\{("id":"p\d+",)?"line":(\d+),("id":"p\d+",)?`)
	for i, got := range answers {
		m := number.FindStringSubmatch(got)
		if m == nil || m[2] != fmt.Sprint(i+1) || m[1]+m[3] != fmt.Sprintf(`"id":"p%d",`, i) {
			t.Fatalf("answer %d begins with %q", i+1, got[:min(len(got), 40)])
		}
		want := known[positions[i]]
		if want == nil {
			for _, other := range by {
				r := other.send(t, "GET", "/v1/solve?sfen="+url.QueryEscape(positions[i])+limits, "")
				text := strings.TrimSuffix(r.body, "\n")
				if r.StatusCode == 422 {
					text = `"type":"/problems/invalid_question"`
				}
				want = append(want, text)
			}
			known[positions[i]] = want
		}
		got = "{" + strings.TrimPrefix(got, m[0])
		if !slices.ContainsFunc(want, func(text string) bool {
			return got == text || strings.HasPrefix(text, `"type"`) && strings.HasPrefix(got, "{"+text)
		}) {
			t.Errorf("line %d of a job: %s\nfrom /v1/solve: %s", i+1, got, want)
		}
	}
}

// jobLines returns a collection of so many positions.
func jobLines(n int) (positions []string, body string) {
	var b bytes.Buffer
	all := jobPositions()
	for i := range n {
		sfen := all[i*i%len(all)]
		positions = append(positions, sfen)
		fmt.Fprintf(&b, "{\"id\":\"p%d\",\"sfen\":%q}\n", i, sfen)
	}
	return positions, b.String()
}

// TestWorkers: a front without places of its own, and workers that come and go, share the jobs of a
// NATS server. A worker that leaves gives back what it has, with a checkpoint, and the answers are
// those of one machine.
func TestWorkers(t *testing.T) {
	long(t)
	nats, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true,
		StoreDir: t.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true, MaxPayload: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	defer nats.Shutdown()
	store := []string{"--nats", nats.ClientURL(), "--nats-storage", "replicas=1,unsafe=true"}
	checkpoints := t.TempDir()
	front := startService(t, append(store, "--jobs-slots", "0", "--rate", "0", "--quota-anonymous", "active=8,time=1h")...)
	startWorker := func() *service {
		s := &service{cmd: program(t, "tsumero-server", append([]string{"worker", "--admin-addr", "off", "--memory", "64MiB",
			"--slots", "2", "--grace", "0s", "--checkpoints", checkpoints}, store...)...), log: &logBuffer{}, ended: make(chan struct{})}
		s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
		s.run(t)
		return s
	}
	worker := startWorker()
	positions, body := jobLines(100)
	const limits = "&nodes=40000&time_ms=10000"
	var id string
	waitFor(t, "a job to be accepted", func() (ok bool) {
		id, ok = front.submitJob(t, "application/x-ndjson", "?"+limits[1:], body, "collection")
		return ok
	})
	state := func(id string) jobAnswer {
		return decode[jobAnswer](t, front.send(t, "GET", "/v1/jobs/"+id, "").body)
	}
	waitFor(t, "the end of the collection", func() bool { return state(id).State == "done" })
	front.checkResults(t, id, limits, positions)

	// No mate is known in this position, which keeps a search busy.
	hard := `{"sfen":"7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1","limits":{"time_ms":3600000}}`
	id, ok := front.submitJob(t, "application/json", "", hard, "hard")
	if !ok {
		t.Fatal("the hard problem was not accepted")
	}
	waitFor(t, "progress of the hard problem", func() bool {
		return strings.Contains(front.send(t, "GET", "/v1/jobs/"+id, "").body, `"phase":"searching"`)
	})
	if err := worker.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-worker.ended
	files, err := os.ReadDir(checkpoints)
	if err != nil || len(files) == 0 || !strings.HasPrefix(files[0].Name(), id) {
		t.Errorf("a worker that left: %d checkpoints, %v\n%s", len(files), err, worker.log)
	}
	second := startWorker()
	waitFor(t, "the other worker to go on", func() bool {
		return strings.Contains(second.log.whole(), "goes on from a checkpoint")
	})
	if r := front.send(t, "DELETE", "/v1/jobs/"+id, ""); r.StatusCode != 204 {
		t.Errorf("cancel: %d %s", r.StatusCode, r.body)
	}
	waitFor(t, "the end of the cancelled problem", func() bool { return state(id).State == "cancelled" })
	waitFor(t, "the checkpoints to be removed", func() bool {
		files, _ := os.ReadDir(checkpoints)
		return len(files) == 0
	})
}

// TestJobStoreInUse: a second service says who has the directory.
func TestJobStoreInUse(t *testing.T) {
	long(t)
	dir := filepath.Join(t.TempDir(), "jobs")
	s := startService(t, "--jobs", dir)
	o := run(t, "", "tsumero-server", "serve", "--addr", "127.0.0.1:0", "--admin-addr", "off", "--jobs", dir)
	if want := fmt.Sprintf("in use: %s, by process %d\n", dir, s.cmd.Process.Pid); o.code != 5 || !strings.Contains(o.stderr, want) {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}
