package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
)

// exampleID is the id of the job of examples.
const exampleID = "ge3dsmjrgy3tkmjvge3dsmjrgy"

// testJobs are a store, and what works on it.
type testJobs struct {
	*flaky
	queue *queue.Queue
}

// allJobs are the testJobs by their queue.
var allJobs sync.Map

// jobsOf returns those of a service.
func jobsOf(s *Server) *testJobs {
	all, _ := allJobs.Load(s.config.Jobs)
	return all.(*testJobs)
}

// newJobs returns jobs in memory until the end of the test.
func newJobs(t testing.TB, memory storetest.MemoryOptions, o queue.Options) *testJobs {
	t.Helper()
	j := &testJobs{flaky: &flaky{Store: storetest.NewMemory(memory)}}
	var err error
	if j.queue, err = queue.New(j.flaky, o); err != nil {
		t.Fatal(err)
	}
	allJobs.Store(j.queue, j)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		j.queue.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		allJobs.Delete(j.queue)
	})
	for !j.queue.Stats().Live {
		time.Sleep(time.Millisecond)
	}
	return j
}

// work coordinates and works until the end of the test, with the solvers of s.
func (j *testJobs) work(t testing.TB, s *Server) {
	t.Helper()
	c, err := work.NewCoordinator(work.CoordinatorOptions{Store: j.Store})
	if err != nil {
		t.Fatal(err)
	}
	w, err := work.NewWorker(work.WorkerOptions{Store: j.Store, Name: "worker", Slots: 2,
		Answer: work.NewLineAnswerer(s.answers).Answer})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = c.Run(ctx) })
	all.Go(func() { _ = w.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		all.Wait()
	})
}

// put puts a job with an id into the store.
func (j *testJobs) put(t testing.TB, record jobs.Job, text string) {
	t.Helper()
	record.V, record.State, record.Created = jobs.V, jobs.Receiving, time.Now().UTC()
	record.MaxTime, record.Keep = time.Minute, time.Hour
	if record.Ask == "" {
		record.Ask = jobs.AskSolve
	}
	if _, err := j.Create(t.Context(), &record); err != nil {
		t.Fatal(err)
	}
	splitter := jobs.NewSplitter(strings.NewReader(text), 64<<10)
	accepted := jobs.Accepted{Digest: "0"}
	for {
		chunk, err := splitter.Next()
		if err != nil {
			break
		}
		if err := j.PutInput(t.Context(), record.ID, accepted.Chunks, chunk.Encode()); err != nil {
			t.Fatal(err)
		}
		accepted.Chunks++
		accepted.Lines += len(chunk)
	}
	if err := j.Enqueue(t.Context(), record.ID, accepted); err != nil {
		t.Fatal(err)
	}
}

// wait waits until the queue says that a job is in a state, however long that takes. It fails if the
// job ends in another.
func (j *testJobs) wait(t testing.TB, id jobs.ID, state jobs.State) *queue.View {
	t.Helper()
	for {
		v, changed, err := j.queue.Watch(t.Context(), id)
		if err != nil {
			time.Sleep(time.Millisecond) // the queue has not heard of it, or the store is broken for now
			continue
		}
		if v.State == state {
			return v
		}
		if record, _, err := j.Store.Job(t.Context(), id); err == nil && record.State != state && record.State.Ended() {
			t.Fatalf("not %s: %+v, %+v", state, v, record)
		}
		<-changed
	}
}

// change changes the record of a job.
func (j *testJobs) change(t testing.TB, id jobs.ID, f func(*jobs.Job)) {
	t.Helper()
	record, revision, err := j.Store.Job(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	f(record)
	if _, err := j.Update(t.Context(), record, revision); err != nil {
		t.Fatal(err)
	}
	j.wait(t, id, record.State)
}

// A flaky store fails while it is broken.
type flaky struct {
	jobs.Store
	mu     sync.Mutex
	broken bool
	full   bool // takes no new job
	lost   int  // a chunk whose result is missing, 0 for none
	follow []context.CancelFunc
}

func (f *flaky) setBroken(broken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = broken
	for _, cancel := range f.follow {
		cancel()
	}
	f.follow = nil
}

func (f *flaky) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return jobs.ErrUnavailable
	}
	return nil
}

func (f *flaky) Watch(ctx context.Context, changed func(jobs.Change)) error {
	if err := f.err(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	f.follow = append(f.follow, cancel)
	f.mu.Unlock()
	return f.Store.Watch(ctx, changed)
}

func (f *flaky) Create(ctx context.Context, j *jobs.Job) (jobs.Revision, error) {
	f.mu.Lock()
	full := f.full
	f.mu.Unlock()
	if full {
		return 0, jobs.ErrFull
	}
	return must(f, func() (jobs.Revision, error) { return f.Store.Create(ctx, j) })
}

func (f *flaky) Job(ctx context.Context, id jobs.ID) (j *jobs.Job, rev jobs.Revision, err error) {
	if err := f.err(); err != nil {
		return nil, 0, err
	}
	return f.Store.Job(ctx, id)
}

func (f *flaky) Result(ctx context.Context, id jobs.ID, chunk int) (*jobs.Result, error) {
	f.mu.Lock()
	lost := f.lost > 0 && chunk == f.lost
	f.mu.Unlock()
	if lost {
		return nil, jobs.ErrNotFound
	}
	return must(f, func() (*jobs.Result, error) { return f.Store.Result(ctx, id, chunk) })
}

func must[T any](f *flaky, do func() (T, error)) (v T, err error) {
	if err := f.err(); err != nil {
		return v, err
	}
	return do()
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
	doneJob := func(record jobs.Job, text string) circumstance {
		return with(func(t *testing.T, s *Server, j *testJobs) {
			record.ID = exampleID
			j.put(t, record, text)
			j.work(t, s)
			j.wait(t, exampleID, jobs.Done)
		})
	}
	ended := func(change func(*jobs.Job)) circumstance {
		return with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, jobs.Job{ID: exampleID, Kind: jobs.Problem}, problem)
			j.change(t, exampleID, func(r *jobs.Job) {
				r.Lines, r.Chunks, r.Finished = 1, 1, time.Now().UTC()
				change(r)
			})
		})
	}
	submitted := func(class queue.Class) circumstance {
		return circumstance{
			config: func(c *Config) {
				class.Time, class.Bytes = time.Minute, 1<<20
				c.Jobs.Classes()[queue.Anonymous] = class
			},
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
				jobsOf(s).put(t, jobs.Job{ID: exampleID, Kind: jobs.Problem, Client: "key:anna",
					Note: "No. 7"}, problem)
				jobsOf(s).change(t, exampleID, func(r *jobs.Job) {
					r.State, r.Lines, r.Chunks, r.Started = jobs.Running, 1, 1, time.Now().UTC()
				})
			},
		},
		"the job is done":               doneJob(jobs.Job{Kind: jobs.Problem}, problem),
		"the job is a collection, done": doneJob(jobs.Job{Kind: jobs.Collection}, collection),
		"the job is running": with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, jobs.Job{ID: exampleID, Kind: jobs.Problem, Priority: -1, Memory: 64}, problem)
			j.change(t, exampleID, func(r *jobs.Job) {
				r.State, r.Lines, r.Chunks, r.Started = jobs.Running, 1, 1, time.Now().UTC()
			})
			err := j.Publish(t.Context(), &jobs.Signal{V: 1, Progress: &jobs.Progress{Job: exampleID, Line: 1,
				Event: []byte(`{"phase":"searching","elapsed_ms":60000,"nodes":60000000,` +
					`"nodes_per_second":1000000,"pn":17,"dn":11,"moves":["G*5c"],"table_fill":0.1}`)}})
			if err != nil {
				t.Fatal(err)
			}
			for v := j.wait(t, exampleID, jobs.Running); v.Progress == nil; {
				time.Sleep(time.Millisecond)
				v = j.wait(t, exampleID, jobs.Running)
			}
		}),
		"the job waits": with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, jobs.Job{ID: exampleID, Kind: jobs.Problem}, problem)
			j.change(t, exampleID, func(r *jobs.Job) { r.State, r.Lines, r.Chunks = jobs.Queued, 1, 1 })
		}),
		"one of three lines is done": with(func(t *testing.T, s *Server, j *testJobs) {
			j.put(t, jobs.Job{ID: exampleID, Kind: jobs.Collection}, collection)
			j.change(t, exampleID, func(r *jobs.Job) {
				r.State, r.Lines, r.Chunks, r.Started = jobs.Running, 3, 1, time.Now().UTC()
			})
			l := jobs.Line{Number: 1, Text: []byte(strings.SplitN(collection, "\n", 2)[0])}
			a := work.NewLineAnswerer(s.answers).Answer(t.Context(), &jobs.Item{Ask: jobs.AskSolve,
				MaxTime: time.Minute}, l, nil)
			a.Line = 1
			_, err := j.PutPart(t.Context(), exampleID, 0, 0, &jobs.Result{
				Summary: jobs.Summary{V: 1, First: 1, Last: 1}, Text: a.AppendLine(nil)})
			if err != nil {
				t.Fatal(err)
			}
		}),
		"the job was cancelled": ended(func(r *jobs.Job) { r.State = jobs.Cancelled }),
		"the upload broke off": ended(func(r *jobs.Job) {
			r.State, r.Failure = jobs.Failed, &jobs.Failure{Code: jobs.UploadIncomplete,
				Detail: "The input was not complete after an hour."}
		}),
		"the job is forgotten": with(func(t *testing.T, _ *Server, j *testJobs) {
			j.put(t, jobs.Job{ID: exampleID, Kind: jobs.Problem}, problem)
			j.change(t, exampleID, func(r *jobs.Job) { r.State = jobs.Cancelled })
			if err := j.Remove(t.Context(), exampleID); err != nil {
				t.Fatal(err)
			}
			for {
				if _, err := j.queue.Job(t.Context(), exampleID); errors.Is(err, queue.ErrGone) {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}),
		"the job store does not answer": with(func(_ *testing.T, _ *Server, j *testJobs) {
			breakStore(j)
		}),
		"the service has API keys, and the job store does not answer": {
			config: func(c *Config) { c.APIKeys = testKeys() },
			before: func(t *testing.T, s *Server, _ string) { breakStore(jobsOf(s)) },
		},
		"the job store is full": {before: func(t *testing.T, s *Server, _ string) {
			jobsOf(s).mu.Lock()
			defer jobsOf(s).mu.Unlock()
			jobsOf(s).full = true
		}},
		"the key was used for another job":           submitted(queue.Class{Active: 2, Lines: 9}),
		"the client has as many jobs as it may have": submitted(queue.Class{Active: 1, Lines: 9}),
		"two workers have nothing to do": with(func(t *testing.T, _ *Server, j *testJobs) {
			for _, name := range []string{"a", "b"} {
				err := j.Publish(t.Context(), &jobs.Signal{V: 1, Heartbeat: &jobs.Heartbeat{Worker: name, Slots: 4}})
				if err != nil {
					t.Fatal(err)
				}
			}
			for j.queue.Stats().Slots < 8 {
				time.Sleep(time.Millisecond)
			}
		}),
	} {
		circumstances[name] = c
	}
}

// breakStore breaks a store until everybody knows.
func breakStore(j *testJobs) {
	j.setBroken(true)
	for j.queue.Stats().Live {
		time.Sleep(time.Millisecond)
	}
}
