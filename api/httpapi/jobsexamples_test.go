package httpapi

import (
	"cmp"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/internal/queuetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
)

// exampleID is the id of the job of examples.
const exampleID = "ge3dsmjrgy3tkmjvge3dsmjrgy"

// testJobs are jobs in a directory of the test.
type testJobs struct{ *queuetest.Queue }

// allJobs are the testJobs by their queue.
var allJobs sync.Map

// jobsOf returns those of a service.
func jobsOf(s *Server) *testJobs {
	all, _ := allJobs.Load(s.config.Jobs)
	return all.(*testJobs)
}

// newJobs returns jobs that nobody works on, until the end of the test.
func newJobs(t testing.TB, o queue.Options) *testJobs {
	t.Helper()
	j := &testJobs{queuetest.New(t, o)}
	allJobs.Store(j.Queue.Queue, j)
	t.Cleanup(func() { allJobs.Delete(j.Queue.Queue) })
	return j
}

// worker returns what answers with the solvers of s.
func (j *testJobs) worker(t testing.TB, s *Server) func(*queue.Turn) error {
	t.Helper()
	w, err := work.NewWorker(work.WorkerOptions{Name: "worker", Slots: 2,
		Answer: work.NewLineAnswerer(s.answers).Answer})
	if err != nil {
		t.Fatal(err)
	}
	return w.Work().Do
}

// work works on the jobs until the end of the test, with the solvers of s.
func (j *testJobs) work(t testing.TB, s *Server) {
	t.Helper()
	j.Work(j.worker(t, s))
}

// put submits a job whose ID is that of the examples, of a client that examples do not ask as.
func (j *testJobs) put(t testing.TB, sub queue.Submission, text string) {
	t.Helper()
	sub.Client, sub.Class = cmp.Or(sub.Client, "key:nobody"), queue.Keyed
	sub.Ask, sub.Lines, sub.Longest = jobs.AskSolve, strings.NewReader(text), 64<<10
	j.Put(t, exampleID, &sub)
}

// run makes the job of the examples one that somebody works on.
func (j *testJobs) run(t testing.TB) {
	t.Helper()
	j.Exec(t, []any{exampleID, time.Now().UnixMilli()},
		`update tsumero_job set state = 'running', started = ?2, revision = revision + 1 where id = ?1`)
}

// progress says how the search of line 1 of a job goes.
func (j *testJobs) progress(t testing.TB, id, event string) {
	t.Helper()
	j.Exec(t, []any{id, `{"line":1,"done":0,"event":` + event + `}`},
		`update tsumero_chunk set progress = ?2 where job = ?1`)
}

// testKeys are the keys in testdata/apikeys.
var testKeys = sync.OnceValue(func() *queue.Keys {
	l, err := queue.LoadKeys("testdata/apikeys", []string{queue.Anonymous, queue.Keyed})
	if err != nil {
		panic(err)
	}
	return l
})

func init() {
	const (
		problem    = `{"sfen":"` + mateIn3 + `","limits":{"time_ms":60000}}`
		collection = `{"id":"a","sfen":"` + mateIn1 + `"}` + "\n" + `{"id":"b"}` + "\n\n" +
			`{"id":"c","sfen":"` + neverMate + `"}` + "\n"
	)
	with := func(f func(*testing.T, *Server, *testJobs)) circumstance {
		return circumstance{before: func(t *testing.T, s *Server, _ string) { f(t, s, jobsOf(s)) }}
	}
	doneJob := func(sub queue.Submission, text string) circumstance {
		return with(func(t *testing.T, s *Server, j *testJobs) {
			j.put(t, sub, text)
			j.work(t, s)
			j.Await(t, exampleID, jobs.Done)
		})
	}
	problemJob := queue.Submission{Kind: jobs.Problem}
	submitted := func(class queue.Class) circumstance {
		class.Time, class.Bytes = time.Minute, 1<<20
		return circumstance{
			jobs: queue.Options{Classes: map[string]queue.Class{queue.Anonymous: class}},
			before: func(t *testing.T, _ *Server, url string) {
				r, err := http.NewRequest("POST", url+jobsPath, strings.NewReader(question1(mateIn1)))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Idempotency-Key", "8e03978e")
				resp, err := http.DefaultClient.Do(r)
				if err != nil || resp.StatusCode != http.StatusAccepted {
					t.Fatal(resp, err)
				}
				resp.Body.Close()
			},
		}
	}
	for name, c := range map[string]circumstance{
		"the service keeps no jobs": {config: func(c *Config) { c.Jobs = nil }},
		"the service has API keys":  {config: func(c *Config) { c.APIKeys = testKeys() }},
		"the service has API keys, and anna has a job": {
			config: func(c *Config) { c.APIKeys = testKeys() },
			before: func(t *testing.T, s *Server, _ string) {
				jobsOf(s).put(t, queue.Submission{Kind: jobs.Problem, Client: "key:anna", Note: "No. 7"}, problem)
				jobsOf(s).run(t)
			},
		},
		"the job is done":               doneJob(problemJob, problem),
		"the job is a collection, done": doneJob(queue.Submission{Kind: jobs.Collection}, collection),
		"the job is running": with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, queue.Submission{Kind: jobs.Problem, Priority: -1, Memory: 64}, problem)
			j.run(t)
			j.progress(t, exampleID, `{"phase":"searching","elapsed_ms":60000,"nodes":60000000,`+
				`"nodes_per_second":1000000,"pn":17,"dn":11,"moves":["G*5c"],"table_fill":0.1}`)
		}),
		"the job waits": with(func(t *testing.T, _ *Server, j *testJobs) { j.put(t, problemJob, problem) }),
		"one of three lines is done": with(func(t *testing.T, s *Server, j *testJobs) {
			j.put(t, queue.Submission{Kind: jobs.Collection}, collection)
			stored := make(chan error)
			j.Work(func(turn *queue.Turn) error {
				l := turn.Chunk[0]
				a := work.NewLineAnswerer(s.answers).Answer(turn.Context(), turn.Job, l, func([]byte) {})
				a.Line = l.Number
				stored <- turn.Store(&queue.Part{Text: a.AppendLine(nil), Last: l.Number, Counts: jobs.Counts{Mate: 1}})
				<-turn.Draining()
				return queue.ErrDraining
			})
			if err := <-stored; err != nil {
				t.Fatal(err)
			}
		}),
		"the job was cancelled": with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, problemJob, problem)
			if err := j.Cancel(t.Context(), exampleID); err != nil {
				t.Fatal(err)
			}
			j.Exec(t, []any{exampleID}, `update tsumero_job set revision = 2 where id = ?`) // which an example knows
		}),
		"the upload broke off": with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, problemJob, problem)
			j.Exec(t, []any{exampleID, jobs.UploadIncomplete, "The input was not complete after a day.",
				time.Now().UnixMilli()},
				`update tsumero_job set state = 'failed', failure = ?2, detail = ?3, finished = ?4 where id = ?1`)
		}),
		"the job is forgotten": with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, problemJob, problem)
			if err := j.Purge(t.Context(), exampleID); err != nil {
				t.Fatal(err)
			}
		}),
		"the job store does not answer": with(func(t *testing.T, _ *Server, j *testJobs) { j.Break(t) }),
		"the service has API keys, and the job store does not answer": {
			config: func(c *Config) { c.APIKeys = testKeys() },
			before: func(t *testing.T, s *Server, _ string) { jobsOf(s).Break(t) },
		},
		"the job store is full":                      {jobs: queue.Options{MaxBytes: 1}},
		"the key was used for another job":           submitted(queue.Class{Active: 2, Lines: 9}),
		"the client has as many jobs as it may have": submitted(queue.Class{Active: 1, Lines: 9}),
		"two workers have nothing to do": with(func(t *testing.T, _ *Server, j *testJobs) {
			for _, name := range []string{"a", "b"} {
				j.Exec(t, []any{name, time.Now().UnixMilli()}, `insert into tsumero_worker(name, version, memory, slots, busy, seen)
					values(?1, 'test', 0, 4, 0, ?2)`)
			}
		}),
	} {
		circumstances[name] = c
	}
}
