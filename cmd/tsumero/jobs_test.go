package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// A jobService takes jobs and answers each of their lines at once with the same.
type jobService struct {
	*httptest.Server

	mu      sync.Mutex
	jobs    map[string]*takenJob // by key
	lost    int                  // so many answers of POST are lost
	held    bool                 // nothing is answered
	look    func()               // called when the answer of a POST is lost, or a job looked at
	deleted []string
}

type takenJob struct {
	id                 jobs.ID
	contentType, query string
	lines              []string
}

const answerOfService = `"sfen":"4k4/9/4G4/9/9/9/9/9/9 b G 1","attacker":"black","verdict":"mate","plies":1,` +
	`"exact":true,"moves":["G*5b"],"moves_ja":["▲５二金打"],"moves_en":["G*5b"],"nodes":1,"elapsed_us":5}`

func newJobService(t *testing.T) *jobService {
	s := &jobService{jobs: map[string]*takenJob{}, look: func() {}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Setenv("TSUMERO_SERVER", s.URL)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return s
}

func (s *jobService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch id := strings.TrimPrefix(r.URL.Path, "/v1/jobs/"); {
	case r.Method == http.MethodPost:
		body, _ := io.ReadAll(r.Body)
		key := r.Header.Get("Idempotency-Key")
		if s.jobs[key] == nil {
			s.jobs[key] = &takenJob{jobs.NewID(), r.Header.Get("Content-Type"), r.URL.RawQuery,
				strings.Split(strings.TrimSpace(string(body)), "\n")}
		} else {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		if s.lost > 0 {
			s.lost--
			s.look()
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusAccepted)
		s.tell(w, s.jobs[key])
	case r.Method == http.MethodDelete:
		s.deleted = append(s.deleted, id+"?"+r.URL.RawQuery)
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Path == "/v1/queue":
		fmt.Fprint(w, `{"jobs":{"running":2},"items_waiting":7,"workers":3,"wait_ms":90500}`)
	default:
		id, rest, _ := strings.Cut(id, "/")
		for _, j := range s.jobs {
			switch {
			case string(j.id) != id:
			case rest == "results":
				for i := range j.lines {
					if !s.held {
						fmt.Fprintf(w, `{"line":%d,%s`+"\n", i+1, answerOfService)
					}
				}
				return
			default:
				s.look()
				s.tell(w, j)
				return
			}
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"type":"/problems/job_not_found","status":404,"detail":"There is no such job."}`)
	}
}

func (s *jobService) tell(w io.Writer, j *takenJob) {
	state, done, kind := jobs.Done, len(j.lines), jobs.Collection
	if done == 1 {
		kind = jobs.Problem
	}
	if s.held {
		state, done = jobs.Running, 0
	}
	fmt.Fprintf(w, `{"id":%q,"kind":%q,"state":%q,"lines":%d,"done":%d,"counts":{"mate":%[5]d}}`,
		j.id, kind, state, len(j.lines), done)
}

// only returns the only job that was taken.
func (s *jobService) only(t *testing.T) *takenJob {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.jobs) != 1 {
		t.Fatalf("%d jobs", len(s.jobs))
	}
	for _, j := range s.jobs {
		return j
	}
	return nil
}

// count returns how many jobs were taken.
func (s *jobService) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs)
}

// keys returns how many keys are kept.
func (s *jobService) keys(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("XDG_STATE_HOME"), "tsumero", "submit", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// tsumero runs the program.
func tsumero(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

const jobBoard = "4k4/9/4G4/9/9/9/9/9/9 b G 1"

// TestSubmitProblem: one position is a problem with its limits, and jobs tells how it went.
func TestSubmitProblem(t *testing.T) {
	s := newJobService(t)
	code, stdout, stderr := tsumero(t.Context(), "", "submit", "--time", "2h", "--memory", "8G", "--shortest",
		"--hands", "complete", jobBoard)
	j := s.only(t)
	if code != 0 || stdout != string(j.id)+"\n" || stderr != "" {
		t.Fatalf("%d %s%s", code, stdout, stderr)
	}
	want := `{"sfen":"` + jobBoard + `","hands":"complete","limits":{"time_ms":7200000,"shortest":true,"memory_mib":8192}}`
	if j.contentType != "application/json" || j.lines[0] != want {
		t.Errorf("%s %s", j.contentType, j.lines[0])
	}
	if s.keys(t) != 0 {
		t.Error("the key of an accepted job is kept")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{string(j.id)}, ": done\n  1 of 1 position answered: 1 mate, 0 nomate, 0 unknown, 0 faulty; 0 nodes\n"},
		{[]string{"--results", string(j.id)}, jobBoard + "\nmate in 1: black forces it\n"},
		{[]string{"--results", "-o", "json", string(j.id)}, `{"line":1,` + answerOfService + "\n"},
		{[]string{"--follow", "-o", "json", string(j.id)}, `"state":"done"`},
		{[]string{"-o", "tsv", string(j.id)}, "\tproblem\tdone\t1\t1\t1\t0\t0\t0\t0\t\t\t\t\n"},
		{[]string{}, "running\t2\n"}, {[]string{}, "expected wait\t1m31s\n"},
		{[]string{"--cancel", string(j.id)}, string(j.id) + ": cancelled\n"},
		{[]string{"--purge", string(j.id)}, "cancelled and forgotten\n"},
	} {
		code, stdout, stderr := tsumero(t.Context(), "", append([]string{"jobs"}, c.args...)...)
		if code != 0 || !strings.Contains(stdout, c.want) || stderr != "" {
			t.Errorf("jobs %q: %d %s%s", c.args, code, stdout, stderr)
		}
	}
	if got := strings.Join(s.deleted, " "); got != string(j.id)+"? "+string(j.id)+"?purge=true" {
		t.Error(got)
	}
	code, _, stderr = tsumero(t.Context(), "", "jobs", strings.Repeat("a", 26))
	if code != command.ExitFailure || !strings.Contains(stderr, "There is no such job.") {
		t.Errorf("%d %s", code, stderr)
	}
}

// TestSubmitCollection: what a folder holds is one collection, with the place of each position, and
// without what cannot be read.
func TestSubmitCollection(t *testing.T) {
	s := newJobService(t)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.sfen": "# two\n" + jobBoard + "\n\nno position\n", "b.kif": "no record",
		"c.csa": "V2.2\nPI\n+\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := tsumero(t.Context(), "", "submit", "--wait", "-o", "json", "--nodes", "500",
		"--file", folder)
	j := s.only(t)
	if code != command.ExitBadPosition || strings.Count(stdout, answerOfService+"\n") != len(j.lines) ||
		!strings.Contains(stderr, "left out: "+filepath.Join(folder, "b.kif")) ||
		!strings.Contains(stderr, "job "+string(j.id)) {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	if j.contentType != "application/x-ndjson" || j.query != "nodes=500" || len(j.lines) != 3 {
		t.Fatalf("%+v", j)
	}
	for i, want := range []struct{ id, sfen string }{{"a.sfen, line 2", jobBoard},
		{"a.sfen, line 4", "no position"}, {"c.csa", "lnsgkgsnl/1r"}} {
		var line struct{ ID, SFEN string }
		err := json.Unmarshal([]byte(j.lines[i]), &line)
		if err != nil || line.ID != filepath.Join(folder, want.id) || !strings.HasPrefix(line.SFEN, want.sfen[:9]) {
			t.Errorf("%v %+v, want %+v", err, line, want)
		}
	}
}

// TestSubmitAgain: a command that was stopped after the service accepted its job, and before it
// heard of that, finds the job when it is run again.
func TestSubmitAgain(t *testing.T) {
	s := newJobService(t)
	s.lost = 1
	input := jobBoard + "\n" + jobBoard + "\n"
	ctx, cancel := context.WithCancelCause(t.Context())
	s.look = func() { cancel(command.ErrInterrupt) }
	code, stdout, stderr := tsumero(ctx, input, "submit")
	if code != command.ExitInterrupted || stdout != "" || !strings.Contains(stderr, "the same command again") {
		t.Fatalf("%d %s%s", code, stdout, stderr)
	}
	first := s.only(t).id
	if s.keys(t) != 1 {
		t.Fatal("no key is kept")
	}
	code, stdout, stderr = tsumero(t.Context(), input, "submit")
	if code != 0 || stdout != string(first)+"\n" || !strings.Contains(stderr, "accepted before") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	if s.only(t); s.keys(t) != 0 {
		t.Error("the key is kept")
	}
	// A third time it is another job.
	if code, stdout, stderr = tsumero(t.Context(), input, "submit"); code != 0 || s.count() != 2 || stderr != "" {
		t.Errorf("%d %s%s, %d jobs", code, stdout, stderr, s.count())
	}
}

// TestFollowInterrupted: who stops waiting is told how to go on.
func TestFollowInterrupted(t *testing.T) {
	s := newJobService(t)
	s.held = true
	for _, args := range [][]string{{"submit", "--wait", jobBoard}, {"jobs", "--follow"}} {
		if s.count() > 0 {
			args = append(args, string(s.only(t).id))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		s.mu.Lock()
		s.look = func() { cancel(command.ErrInterrupt) }
		s.mu.Unlock()
		code, _, stderr := tsumero(ctx, "", args...)
		if code != command.ExitInterrupted || !strings.Contains(stderr, "the job goes on; look at it again with\n  tsumero jobs --follow ") ||
			!strings.HasSuffix(stderr, string(s.only(t).id)+"\n") {
			t.Errorf("%q: %d %s", args, code, stderr)
		}
	}
}

// TestJobsUsage: wrong uses are told before anything is asked.
func TestJobsUsage(t *testing.T) {
	s := newJobService(t)
	id := string(jobs.NewID())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"submit"}, "no position was given"},
		{[]string{"submit", "-f", "x", jobBoard}, "not both"},
		{[]string{"submit", "--nodes", "0", "--time", "1us", "--memory", "1K", "-o", "xml", jobBoard},
			`--output is "xml", but must be one of text, json, tsv` + "\n--output goes with --wait only\n" +
				"--nodes must be at least 1\n--time is 1µs, but must be 1ms at least\n--memory is 1KiB, but must be 1MiB at least"},
		{[]string{"submit", "--analyze", "--shortest", jobBoard}, "do not go with --analyze"},
		{[]string{"submit", "--memory", "1G", jobBoard, jobBoard}, "--memory is for one position, and there are 2"},
		{[]string{"submit", "--server", "example.org", jobBoard}, `--server is "example.org", but must be an address`},
		{[]string{"jobs", "--follow"}, "the id of the job is missing"},
		{[]string{"jobs", "--follow", "--cancel", id}, "--cancel and --purge go with nothing else"},
		{[]string{"jobs", "ID"}, `"ID" is not the id of a job: an ID has 26 letters and digits`},
		{[]string{"jobs", id, id}, "accepts at most 1 arg"},
	} {
		code, stdout, stderr := tsumero(t.Context(), "", c.args...)
		if code != command.ExitUsage || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%q: %d %s%s", c.args, code, stdout, stderr)
		}
	}
	if s.count() > 0 {
		t.Error("a job was submitted")
	}
	code, _, stderr := tsumero(t.Context(), "", "submit", "--file", "/nowhere")
	if code != command.ExitFailure || !strings.Contains(stderr, "/nowhere: no such file") {
		t.Errorf("%d %s", code, stderr)
	}
	t.Setenv("TSUMERO_KEY", "hidden")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("enough"))
	defer cancel()
	_, _, stderr = tsumero(ctx, "", "jobs", "--server", "http://192.0.2.1:9", id)
	if !strings.Contains(stderr, "without encryption") || strings.Contains(stderr, "hidden") {
		t.Error(stderr)
	}
}

// TestSubmitRequests: the service understands what is submitted.
func TestSubmitRequests(t *testing.T) {
	reader := wire.NewJobReader(wire.Bounds{Plies: 9999, Nodes: 1e8, Time: time.Second,
		DefaultTime: time.Second, Analysis: wire.AnalysisBounds{Nodes: 1e8, Time: time.Second,
			DefaultTime: time.Second}}, 24*time.Hour)
	for _, c := range []struct {
		args    []string
		analyze bool
		want    string // in the lines, or the defaults
	}{
		{[]string{"--time", "2h", "--memory", "8G", "--shortest", jobBoard}, false, `"time_ms":7200000,"shortest":true`},
		{[]string{"--analyze", "--nodes", "77", "4k4/9/9/9/9/9/9/9/9 b G 1 moves G*5b 5a5b"}, true, `"line":["G*5b","5a5b"]`},
		{[]string{"--analyze", jobBoard}, true, `"sfen":"` + jobBoard},
		{[]string{"--time", "2h", "--nodes", "5", "--hands", "complete", jobBoard, jobBoard}, false,
			"hands=complete&nodes=5&time_ms=7200000"},
		{[]string{"--analyze", "--time", "5s", jobBoard, jobBoard}, true, "time_ms=5000"},
	} {
		s := newJobService(t)
		if code, _, stderr := tsumero(t.Context(), "", append([]string{"submit"}, c.args...)...); code != 0 {
			t.Fatalf("%q: %d %s", c.args, code, stderr)
		}
		j := s.only(t)
		var q wire.JobQuestion
		p := reader.Job([]byte(strings.Join(j.lines, "\n")), &q)
		got := string(q.Lines)
		if len(j.lines) > 1 {
			q = wire.JobQuestion{}
			p = reader.Lines(j.query, &q)
			got = q.Defaults
		}
		if p != nil || q.Analyze != c.analyze || !strings.Contains(got, c.want) {
			t.Errorf("%q: %+v %v %s\n%s %s", c.args, p, q.Analyze, got, j.query, j.lines)
		}
	}
}
