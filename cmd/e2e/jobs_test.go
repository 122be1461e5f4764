package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
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

// TestDatabaseAway: a service whose database is away, or silent, answers questions, says what is wrong, and
// ends when it should. Nobody reads the password in its log.
func TestDatabaseAway(t *testing.T) {
	long(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for name, listener := range map[string]net.Listener{"silent": silent, "gone": gone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := "TSUMERO_JOBS=postgres://me:s3cret@" + listener.Addr().String() + "/jobs"
			s := startServiceIn(t, []string{address}, "--rate", "0", "--grace", "2s")
			if r := s.send(t, "GET", link(mateIn3), ""); r.StatusCode != http.StatusOK || !strings.Contains(r.body, `"verdict":"mate"`) {
				t.Errorf("a question: %d %s", r.StatusCode, r.body)
			}
			if r := s.send(t, "GET", s.admin+"/readyz", ""); r.StatusCode != http.StatusOK ||
				!strings.HasPrefix(r.body, "ok\njobs: the job database is away") {
				t.Errorf("readyz: %d %s", r.StatusCode, r.body)
			}
			if r := s.send(t, "POST", "/v1/jobs", question(mateIn3), "Content-Type", jsonType); r.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("a job: %d %s", r.StatusCode, r.body)
			}
			waitFor(t, "the log to say so", func() bool { return strings.Contains(s.log.whole(), "the job database cannot be opened") })
			began := time.Now()
			s.stop(t)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("the end took %v", took)
			}
			if log := s.log.whole(); strings.Contains(log, "s3cret") {
				t.Errorf("the log has the password:\n%s", log)
			}
		})
	}
}

// TestStopSearchOfJob: a search for hours that SIGTERM ends writes a checkpoint inside --grace, and goes on
// from it at the next start.
func TestStopSearchOfJob(t *testing.T) {
	long(t)
	dir := filepath.Join(t.TempDir(), "jobs")
	start := func() *service {
		return startService(t, "--jobs", dir, "--rate", "0", "--grace", "10s", "--quota-anonymous", "time=1h")
	}
	s := start()
	id, ok := s.submitJob(t, jsonType, "", fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":3600000}}`, endless), "hard")
	if !ok {
		t.Fatal("the problem was not accepted")
	}
	_, body := jobLines(2000)
	if _, ok := s.submitJob(t, ndjsonType, "?nodes=40000", body, "many"); !ok {
		t.Fatal("the collection was not accepted")
	}
	// More nodes than a short search has: only the long one writes a checkpoint.
	waitFor(t, "the long search", func() bool {
		var job struct{ Progress struct{ Nodes int } }
		body := s.send(t, "GET", "/v1/jobs/"+id, "").body
		return json.Unmarshal([]byte(body), &job) == nil && job.Progress.Nodes > 100_000
	})
	began := time.Now()
	s.stop(t)
	if took := time.Since(began); took > time.Minute { // of the hour that the search would take
		t.Errorf("the end took %v\n%s", took, s.log)
	}
	files, err := os.ReadDir(filepath.Join(dir, "checkpoints"))
	if err != nil || len(files) == 0 || !strings.HasPrefix(files[0].Name(), id) {
		t.Errorf("%d checkpoints, %v\n%s", len(files), err, s.log)
	}
	s = start()
	waitFor(t, "the search to go on", func() bool { return strings.Contains(s.log.whole(), "goes on from a checkpoint") })
	if r := s.send(t, "DELETE", "/v1/jobs/"+id, ""); r.StatusCode != http.StatusNoContent {
		t.Errorf("cancel: %d %s", r.StatusCode, r.body)
	}
	waitFor(t, "the checkpoints to be removed", func() bool {
		files, _ := os.ReadDir(filepath.Join(dir, "checkpoints"))
		return len(files) == 0
	})
}

// TestBackupOfService: a store is saved and checked while the service runs. In a service on what is restored
// a job has the same answers and is known by the same key, and what was not done is done.
func TestBackupOfService(t *testing.T) {
	long(t)
	dir, file := filepath.Join(t.TempDir(), "jobs"), filepath.Join(t.TempDir(), "backup")
	flags := []string{"--rate", "0", "--quota-anonymous", "active=8,lines=100000,bytes=1GiB"}
	s := startService(t, append(flags, "--jobs", dir)...)
	positions, body := jobLines(50)
	const limits = "&nodes=40000&time_ms=10000"
	submit := func(s *service, key, body string) string {
		id, ok := s.submitJob(t, ndjsonType, "?"+limits[1:], body, key)
		if !ok {
			t.Fatal("a job was not accepted")
		}
		return id
	}
	done := func(s *service, id string) {
		waitAtMost(t, 2*time.Minute, "the end of a job", func() bool {
			return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
		})
	}
	first := submit(s, "first", body)
	done(s, first)
	more, longBody := jobLines(2000)
	second := submit(s, "second", longBody)
	store := func(args ...string) outcome {
		return run(t, "", "tsumero-server", append([]string{"store"}, args...)...)
	}
	for _, o := range []outcome{store("backup", file, "--jobs", dir), store("check", "--jobs", dir)} {
		if o.code != 0 || o.stdout != "" {
			t.Fatalf("%+v", o)
		}
	}
	if o := store("restore", file, "--jobs", dir); o.code != 5 || !strings.Contains(o.stderr, "in use: "+dir) {
		t.Errorf("%+v", o)
	}
	done(s, second)
	other := filepath.Join(t.TempDir(), "jobs")
	if o := store("restore", file, "--jobs", other); o.code != 0 {
		t.Fatalf("%+v", o)
	}
	restored := startService(t, append(flags, "--jobs", other)...)
	restored.checkResults(t, first, limits, positions)
	if submit(restored, "first", body) != first || submit(restored, "second", longBody) != second {
		t.Error("jobs have other ids")
	}
	done(restored, second)
	restored.checkAnswers(t, second, limits, more[:1000], restored)
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
