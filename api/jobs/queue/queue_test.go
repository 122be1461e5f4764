package queue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// begin returns a queue over a store, that follows it until the end of the test.
func begin(t *testing.T, store jobs.Store, o queue.Options) *queue.Queue {
	t.Helper()
	q, err := queue.New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	for !q.Stats().Live {
		time.Sleep(time.Millisecond)
	}
	return q
}

// bubble runs a test by its own clock.
func bubble(t *testing.T, f func(t *testing.T, store *storetest.Memory, q *queue.Queue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory(storetest.MemoryOptions{})
		f(t, store, begin(t, store, queue.Options{}))
	})
}

// collection returns a submission of so many lines.
func collection(n int) *queue.Submission {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"n\":%d}\n", i+1)
	}
	return of(b.String())
}

func of(lines string) *queue.Submission {
	return &queue.Submission{Client: "me", Class: queue.Keyed, Kind: jobs.Collection,
		Ask: jobs.AskSolve, Lines: strings.NewReader(lines), Longest: 1000}
}

// submit submits what must be accepted.
func submit(t *testing.T, q *queue.Queue, s *queue.Submission) *queue.View {
	t.Helper()
	v, _, err := q.Submit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// change changes a record.
func change(t *testing.T, store jobs.Store, id jobs.ID, f func(*jobs.Job)) {
	t.Helper()
	j, revision, err := store.Job(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	f(j)
	if _, err := store.Update(t.Context(), j, revision); err != nil {
		t.Fatal(err)
	}
}

// take takes a job as a coordinator does.
func take(t *testing.T, store jobs.Store) *jobs.QueuedJob {
	t.Helper()
	taken, err := store.AcquireJob(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	change(t, store, taken.ID, func(j *jobs.Job) {
		j.State, j.Accepted, j.Started = jobs.Running, taken.Accepted, time.Now().UTC()
	})
	return taken
}

// answers returns what is answered to some lines of a chunk.
func answers(c jobs.Chunk, parts int) *jobs.Result {
	p := &jobs.Result{Summary: jobs.Summary{V: jobs.V, First: c[0].Number, Last: c[len(c)-1].Number,
		Parts: parts}}
	for _, l := range c {
		p.Text = fmt.Appendf(p.Text, "{\"line\":%d,\"was\":%q}\n", l.Number, l.Text)
		p.Counts.Mate++
	}
	return p
}

func input(t *testing.T, store jobs.Store, id jobs.ID, n int) jobs.Chunk {
	t.Helper()
	data, err := store.Input(t.Context(), id, n)
	if err != nil {
		t.Fatal(err)
	}
	c, err := jobs.DecodeChunk(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// work answers a chunk.
func work(t *testing.T, store jobs.Store, id jobs.ID, n int) {
	t.Helper()
	if _, err := store.PutResult(t.Context(), id, n, answers(input(t, store, id, n), 0)); err != nil {
		t.Fatal(err)
	}
}

// finish ends a job that is answered.
func finish(t *testing.T, store jobs.Store, taken *jobs.QueuedJob) {
	t.Helper()
	change(t, store, taken.ID, func(j *jobs.Job) {
		j.State, j.Finished, j.DoneChunks = jobs.Done, time.Now().UTC(), taken.Chunks
		j.Counts.Mate, j.OutBytes = taken.Lines, 100
	})
	if err := store.DropInput(t.Context(), taken.ID); err != nil {
		t.Fatal(err)
	}
	if err := taken.Ack(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// doAll does the next job.
func doAll(t *testing.T, store jobs.Store) jobs.ID {
	t.Helper()
	taken := take(t, store)
	for n := range taken.Chunks {
		work(t, store, taken.ID, n)
	}
	finish(t, store, taken)
	return taken.ID
}

// read returns results of a job.
func read(t *testing.T, q *queue.Queue, id jobs.ID, r queue.ResultsQuery) (string, queue.End) {
	t.Helper()
	var b bytes.Buffer
	end, err := q.Results(t.Context(), id, r, func(line []byte) error {
		b.Write(line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), end
}

// Of analyses there are few lines in a chunk, the fewer the more nodes they are allowed: a chunk is for one
// worker.
func TestInputOfAnalyses(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		for _, c := range []struct {
			ask, defaults string
			chunks        int
		}{{jobs.AskSolve, "nodes=10000000", 1}, {jobs.AskAnalyze, "nodes=10000000&question_nodes=1", 5}, {jobs.AskAnalyze, "nodes=90000000", 9},
			{jobs.AskAnalyze, "time_ms=5", 3}, {jobs.AskAnalyze, "nodes=1000", 1}} {
			s := collection(9)
			s.Ask, s.Defaults = c.ask, c.defaults
			if v := submit(t, q, s); v.Lines != 9 || v.Chunks != c.chunks {
				t.Errorf("%s %s: %d chunks", c.ask, c.defaults, v.Chunks)
			}
		}
	})
}

func TestLife(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		v := submit(t, q, collection(3))
		if v.State != jobs.Queued || v.Lines != 3 || v.Chunks != 1 || v.Position != 1 ||
			v.Client != "me" {
			t.Errorf("accepted: %+v", v)
		}
		taken := take(t, store)
		synctest.Wait()
		v, err := q.Job(t.Context(), taken.ID)
		if err != nil || v.State != jobs.Running || v.DoneLines != 0 || v.Position != 0 {
			t.Errorf("running: %+v, %v", v, err)
		}
		p := jobs.Progress{Job: taken.ID, Line: 2, Done: 1, Event: []byte("{}")}
		if err := store.Publish(t.Context(), &jobs.Signal{V: 1, Progress: &p}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		v, _ = q.Job(t.Context(), taken.ID)
		if v.Progress == nil || v.Progress.Line != 2 || v.DoneLines != 1 {
			t.Errorf("progress: %+v", v)
		}
		work(t, store, taken.ID, 0)
		synctest.Wait()
		if v, _ := q.Job(t.Context(), taken.ID); v.Progress != nil || v.DoneLines != 1 {
			t.Errorf("before the record: %+v", v)
		}
		finish(t, store, taken)
		synctest.Wait()
		if v, _ := q.Job(t.Context(), taken.ID); v.State != jobs.Done || v.DoneLines != 3 {
			t.Errorf("done: %+v", v)
		}
		if err := store.Remove(t.Context(), taken.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := q.Job(t.Context(), taken.ID); !errors.Is(err, queue.ErrGone) {
			t.Errorf("removed: %v", err)
		}
		time.Sleep(7*24*time.Hour + 1)
		if _, err := q.Job(t.Context(), taken.ID); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("a week later: %v", err)
		}
		if _, err := q.Job(t.Context(), jobs.NewID()); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("never: %v", err)
		}
	})
}

// The input is stored as it is sent, in chunks, empty lines counted and too long ones told.
func TestInput(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		var want jobs.Chunk
		var b strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&b, "%d\n\n", i)
			want = append(want, jobs.Line{Number: 2*i + 1, Text: []byte(fmt.Sprint(i))})
		}
		b.WriteString(strings.Repeat("x", 1001))
		want = append(want, jobs.Line{Number: 6001, TooLong: true})
		checked := 0
		s := of(b.String())
		s.Check = func(number int, line []byte) error {
			if l := want[checked]; number != l.Number || !bytes.Equal(line, l.Text) {
				t.Fatalf("checked: %d %q", number, line)
			}
			checked++
			return nil
		}
		v := submit(t, q, s)
		var got jobs.Chunk
		for n := range v.Chunks {
			got = append(got, input(t, store, v.ID, n)...)
		}
		if v.Lines != 3001 || v.Chunks != 3 || checked != 3000 || len(got) != len(want) {
			t.Fatalf("%+v, %d checked", v, checked)
		}
		for i := range want {
			if got[i].Number != want[i].Number || !bytes.Equal(got[i].Text, want[i].Text) ||
				got[i].TooLong != want[i].TooLong {
				t.Fatalf("line %d: %+v", i, got[i])
			}
		}
	})
}

func TestIdempotency(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		keyed := func(n int) *queue.Submission {
			s := collection(n)
			s.Key = "k"
			return s
		}
		first := submit(t, q, keyed(5))
		check := func(when string) {
			t.Helper()
			v, replayed, err := q.Submit(t.Context(), keyed(5))
			if err != nil || v.ID != first.ID || v.Lines != 5 || !replayed {
				t.Errorf("%s, again: %+v, %v, %v", when, v, replayed, err)
			}
			for name, s := range map[string]*queue.Submission{
				"more": keyed(6), "fewer": keyed(4), "other": func() *queue.Submission {
					s := of(`{"m":1}`)
					s.Key = "k"
					return s
				}(),
			} {
				if _, _, err := q.Submit(t.Context(), s); !errors.Is(err, queue.ErrMismatch) {
					t.Errorf("%s, %s: %v", when, name, err)
				}
			}
		}
		check("waiting")
		doAll(t, store)
		synctest.Wait()
		check("done")
		stranger := keyed(5)
		stranger.Client = "you"
		if v := submit(t, q, stranger); v.ID == first.ID {
			t.Error("the key of another client")
		}
		if a, b := submit(t, q, collection(5)), submit(t, q, collection(5)); a.ID == b.ID {
			t.Error("one job without a key")
		}
		text, _ := read(t, q, first.ID, queue.ResultsQuery{})
		if n := strings.Count(text, "\n"); n != 5 {
			t.Errorf("%d results: %s", n, text)
		}
	})
}

// reader returns a body that breaks off.
func broken(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
}

// lines returns so many lines.
func lines(n int) string {
	b, _ := io.ReadAll(collection(n).Lines)
	return string(b)
}

// otherwise is a submission that asks for something else by the same key, in one thing each.
var otherwise = map[string]func(*queue.Submission){
	"kind":     func(s *queue.Submission) { s.Kind = jobs.Problem },
	"ask":      func(s *queue.Submission) { s.Ask = jobs.AskAnalyze },
	"note":     func(s *queue.Submission) { s.Note = "two" },
	"priority": func(s *queue.Submission) { s.Priority = -1 },
	"defaults": func(s *queue.Submission) { s.Defaults = "nodes=1" },
	"memory":   func(s *queue.Submission) { s.Memory = 64 },
}

// A key stands for all that was asked by it, whether the job was accepted or its upload broke off.
func TestKeyedOtherwise(t *testing.T) {
	for name, differ := range otherwise {
		for _, state := range []string{"accepted", "done", "broken off"} {
			t.Run(name+" "+state, func(t *testing.T) {
				bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
					keyed := func(body io.Reader) *queue.Submission {
						s := of("")
						s.Key, s.Note, s.Lines = "k", "one", body
						return s
					}
					first := keyed(strings.NewReader(lines(3)))
					if state == "broken off" {
						first.Lines = broken(lines(3))
					}
					if _, _, err := q.Submit(t.Context(), first); (err != nil) != (state == "broken off") {
						t.Fatal(err)
					}
					if state == "done" {
						doAll(t, store)
						synctest.Wait()
					}
					other := keyed(strings.NewReader(lines(3)))
					differ(other)
					if _, _, err := q.Submit(t.Context(), other); !errors.Is(err, queue.ErrMismatch) {
						t.Errorf("another one: %v", err)
					}
					if _, replayed, err := q.Submit(t.Context(), keyed(strings.NewReader(lines(3)))); err != nil ||
						replayed != (state != "broken off") {
						t.Errorf("the same one: %v, %v", replayed, err)
					}
				})
			})
		}
	}
}

// An upload that is cut off can be completed with the same key, by the same lines alone. Without a
// key nothing is left of it.
func TestTornUpload(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		all := lines(2500) // three chunks
		upload := func(r io.Reader, key string) (*queue.View, bool, error) {
			s := of("")
			s.Lines, s.Key = r, key
			return q.Submit(t.Context(), s)
		}
		for _, key := range []string{"k", ""} {
			if _, _, err := upload(broken(all[:len(all)-10]), key); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("key %q: %v", key, err)
			}
			synctest.Wait()
			if n := q.Stats().Jobs[jobs.Receiving]; n != 1 {
				t.Errorf("key %q: %d jobs are left", key, n)
			}
		}
		other := strings.Replace(all, "7", "8", 1)
		if _, _, err := upload(strings.NewReader(other), "k"); !errors.Is(err, queue.ErrMismatch) {
			t.Errorf("other lines: %v", err)
		}
		// It ends where a chunk does, and is not all of what came before.
		if _, _, err := upload(strings.NewReader(lines(1024)), "k"); !errors.Is(err, queue.ErrMismatch) {
			t.Errorf("fewer lines: %v", err)
		}
		v, replayed, err := upload(strings.NewReader(all), "k")
		if err != nil || replayed || v.Lines != 2500 || v.Chunks != 3 || v.State != jobs.Queued {
			t.Fatalf("completed: %+v, %v, %v", v, replayed, err)
		}
		doAll(t, store)
		if text, _ := read(t, q, v.ID, queue.ResultsQuery{}); strings.Count(text, "\n") != 2500 {
			t.Errorf("results: %.200s", text)
		}
	})
}

// Two processes with uploads under one key at the same time: one body is taken, never a mixture.
func TestTwoUploads(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		other := begin(t, store, queue.Options{})
		one, two := lines(2500), strings.Replace(lines(2500), "2", "3", -1)
		var wait sync.WaitGroup
		errs := make([]error, 2)
		for i, text := range []string{one, two} {
			body, w := io.Pipe()
			go func() {
				for line := range strings.Lines(text) {
					_, _ = io.WriteString(w, line)
					time.Sleep(time.Duration(i+1) * time.Microsecond)
				}
				w.Close()
			}()
			s := of("")
			s.Lines, s.Key = body, "k"
			wait.Go(func() {
				_, _, errs[i] = []*queue.Queue{q, other}[i].Submit(t.Context(), s)
				_, _ = io.Copy(io.Discard, body)
			})
		}
		wait.Wait()
		accepted := slices.IndexFunc(errs, func(err error) bool { return err == nil })
		if accepted < 0 || !errors.Is(errs[1-accepted], queue.ErrMismatch) {
			t.Fatal(errs)
		}
		var got strings.Builder
		taken := take(t, store)
		for n := range taken.Chunks {
			for _, l := range input(t, store, taken.ID, n) {
				got.Write(append(l.Text, '\n'))
			}
		}
		if want := []string{one, two}[accepted]; got.String() != want {
			t.Error("the input is a mixture")
		}
	})
}

func TestWait(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		v := submit(t, q, collection(3))
		began := time.Now()
		same, err := q.Wait(t.Context(), v.ID, v.Revision, 30*time.Second)
		if err != nil || same.Revision != v.Revision || time.Since(began) != 30*time.Second {
			t.Errorf("nothing happens: %+v, %v after %v", same, err, time.Since(began))
		}
		if _, err := q.Wait(t.Context(), v.ID, v.Revision+1, time.Hour); err != nil ||
			time.Since(began) != 30*time.Second {
			t.Errorf("another revision: %v", err)
		}
		go func() {
			time.Sleep(time.Second)
			take(t, store)
		}()
		changed, err := q.Wait(t.Context(), v.ID, v.Revision, time.Hour)
		if err != nil || changed.State != jobs.Running || time.Since(began) != 31*time.Second {
			t.Errorf("running: %+v, %v", changed, err)
		}
		go func() { // the record changes, but not the state
			time.Sleep(time.Second)
			change(t, store, v.ID, func(j *jobs.Job) { j.Nodes = 1 })
		}()
		lines, err := q.Wait(t.Context(), v.ID, changed.Revision, 30*time.Second)
		if err != nil || lines.State != jobs.Running || lines.Nodes != 1 ||
			time.Since(began) != 61*time.Second {
			t.Errorf("still running: %+v, %v", lines, err)
		}
		go func() {
			time.Sleep(time.Second)
			if err := store.Remove(t.Context(), v.ID); err != nil {
				t.Error(err)
			}
		}()
		_, err = q.Wait(t.Context(), v.ID, lines.Revision, time.Hour)
		if !errors.Is(err, queue.ErrGone) {
			t.Errorf("removed: %v", err)
		}
	})
}

// No change between a look and a wait is missed.
func TestWaitRace(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		for range 200 {
			v := submit(t, q, collection(1))
			go func() {
				taken, err := store.AcquireJob(t.Context())
				if err != nil {
					return
				}
				_ = q.Cancel(t.Context(), taken.ID)
				_ = taken.Ack(t.Context())
			}()
			got, err := q.Wait(t.Context(), v.ID, v.Revision, 10*time.Second)
			if err != nil || got.State != jobs.Cancelled {
				t.Fatalf("%+v, %v", got, err)
			}
		}
	})
}

func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		var heard []jobs.ID
		go store.Subscribe(t.Context(), func(s *jobs.Signal) { heard = append(heard, s.Cancel) })
		synctest.Wait()
		v := submit(t, q, collection(3))
		for range 2 {
			if err := q.Cancel(t.Context(), v.ID); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if !slices.Equal(heard, []jobs.ID{v.ID}) {
			t.Errorf("heard %v", heard)
		}
		got, _ := q.Job(t.Context(), v.ID)
		if got.State != jobs.Cancelled || got.Lines != 3 || !got.Finished.Equal(time.Now()) {
			t.Errorf("%+v", got)
		}
		taken, err := store.AcquireJob(t.Context()) // the message is its coordinator's to drop
		if err != nil {
			t.Fatal(err)
		}
		if err := taken.Ack(t.Context()); err != nil {
			t.Fatal(err)
		}

		submit(t, q, collection(3))
		id := doAll(t, store)
		if err := q.Cancel(t.Context(), id); !errors.Is(err, queue.ErrFinished) {
			t.Errorf("done: %v", err)
		}
		if err := q.Purge(t.Context(), id); err != nil {
			t.Error(err)
		}
		for _, err := range []error{q.Purge(t.Context(), id), q.Cancel(t.Context(), id)} {
			if !errors.Is(err, queue.ErrGone) {
				t.Errorf("purged: %v", err)
			}
		}
		if _, err := store.Result(t.Context(), id, 0); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("the result is left: %v", err)
		}
		if err := q.Cancel(t.Context(), jobs.NewID()); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("never: %v", err)
		}
	})
}

// A removing store calls after when it has removed a job.
type removing struct {
	jobs.Store
	after func()
}

func (r *removing) Remove(ctx context.Context, id jobs.ID) error {
	err := r.Store.Remove(ctx, id)
	r.after()
	return err
}

// TestPurgeAndSubmit: a job that comes under the key of one that is being removed is there.
func TestPurgeAndSubmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &removing{Store: storetest.NewMemory(storetest.MemoryOptions{})}
		q := begin(t, store, queue.Options{})
		keyed := func(n int) *queue.Submission {
			s := collection(n)
			s.Key = "key"
			return s
		}
		id := submit(t, q, keyed(3)).ID
		store.after = func() {
			time.Sleep(time.Second)
			submit(t, q, keyed(5))
		}
		if err := q.Purge(t.Context(), id); err != nil {
			t.Error(err)
		}
		if v, err := q.Job(t.Context(), id); err != nil || v.Lines != 5 || v.State != jobs.Queued {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// A key goes on to stand for its job after that was cancelled, whoever did it.
func TestCancelledReplayed(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		keyed := func(n int) *queue.Submission {
			s := collection(n)
			s.Key = "k"
			return s
		}
		v := submit(t, q, keyed(3))
		other := begin(t, store, queue.Options{}) // knows only the record, which says nothing yet
		if err := other.Cancel(t.Context(), v.ID); err != nil {
			t.Fatal(err)
		}
		for _, q := range []*queue.Queue{q, other} {
			again, replayed, err := q.Submit(t.Context(), keyed(3))
			if err != nil || !replayed || again.ID != v.ID || again.State != jobs.Cancelled {
				t.Errorf("%+v, %v, %v", again, replayed, err)
			}
		}
	})
}

// What was uploaded of a job that is cancelled or forgotten meanwhile is stored no longer: it
// counts for no quota, and no coordinator hears of it.
func TestCancelledUpload(t *testing.T) {
	for _, purge := range []bool{false, true} {
		for _, breaks := range []bool{false, true} {
			bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
				keyed := func(r io.Reader) *queue.Submission {
					s := of("")
					s.Lines, s.Key = r, "k"
					return s
				}
				// The client knows the id from a job that is forgotten.
				id := submit(t, q, keyed(strings.NewReader(lines(1)))).ID
				if err := q.Purge(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				body, w := io.Pipe()
				ended := make(chan struct{})
				var v *queue.View
				var err error
				go func() {
					defer close(ended)
					v, _, err = q.Submit(t.Context(), keyed(body))
				}()
				_, _ = io.WriteString(w, lines(1500))
				synctest.Wait()
				if n, err := store.CountInput(t.Context(), id); n != 1 || err != nil {
					t.Fatalf("%d chunks while it is received, %v", n, err)
				}
				end := q.Cancel
				if purge {
					end = q.Purge
				}
				if err := end(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				_, _ = io.WriteString(w, lines(1500))
				if breaks {
					w.CloseWithError(io.ErrUnexpectedEOF)
				} else {
					w.Close()
				}
				<-ended
				switch {
				case breaks && !errors.Is(err, io.ErrUnexpectedEOF),
					!breaks && purge && !errors.Is(err, queue.ErrGone),
					!breaks && !purge && (err != nil || v.State != jobs.Cancelled):
					t.Errorf("purged %v, broken off %v: %+v, %v", purge, breaks, v, err)
				}
				if n, err := store.CountInput(t.Context(), id); n != 0 || err != nil {
					t.Errorf("purged %v, broken off %v: %d chunks are left, %v", purge, breaks, n, err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if taken, err := store.AcquireJob(ctx); err == nil {
					t.Errorf("purged %v, broken off %v: %s is queued", purge, breaks, taken.ID)
				}
			})
		}
	}
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) { // and after it broke off
		s := of("")
		s.Lines, s.Key = broken(lines(1500)), "k"
		if _, _, err := q.Submit(t.Context(), s); err == nil {
			t.Fatal("a broken body was taken")
		}
		secret, err := store.Secret(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		id := jobs.DeriveID(secret, "me", "k")
		if err := q.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if n, err := store.CountInput(t.Context(), id); n != 0 || err != nil {
			t.Errorf("%d chunks are left, %v", n, err)
		}
	})
}

// Pages of a job that is worked on, and one answer that grows with it, are the results that it has
// at the end.
func TestResults(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		const n = 2500
		text := strings.ReplaceAll(lines(n), "\n", "\n\n") // a line and an empty one
		v := submit(t, q, of(text))
		taken := take(t, store)
		var followed string
		idle := 0
		end := make(chan queue.End)
		go func() {
			text, e := read(t, q, v.ID, queue.ResultsQuery{Follow: true, Idle: func() error {
				idle++
				return nil
			}})
			followed = text
			end <- e
		}()

		var paged strings.Builder
		next := 1
		page := func() (more bool) {
			text, e := read(t, q, v.ID, queue.ResultsQuery{From: next, Limit: 700})
			paged.WriteString(text)
			if n := strings.Count(text, "\n"); e.More && n != 700 || n > 700 || e.Next < next {
				t.Fatalf("page from %d: %d lines, %+v", next, n, e)
			}
			next = e.Next
			return e.More
		}
		if page() || paged.Len() > 0 {
			t.Error("answers before anybody worked")
		}
		// The second chunk comes first, and the first one in parts.
		work(t, store, v.ID, 1)
		first := input(t, store, v.ID, 0)
		for k, cut := range []jobs.Chunk{first[:10], first[10:800]} {
			if _, err := store.PutPart(t.Context(), v.ID, 0, k, answers(cut, k)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second) // parts are no news
			for page() {
			}
			if want := first[[]int{9, 799}[k]].Number + 1; next != want {
				t.Errorf("after part %d: next is %d, want %d", k, next, want)
			}
		}
		if _, err := store.PutResult(t.Context(), v.ID, 0, answers(first[800:], 2)); err != nil {
			t.Fatal(err)
		}
		for page() {
		}
		if next != 2*2048 { // behind the last line; the empty one after it may be named
			t.Errorf("after two chunks: next is %d", next)
		}
		work(t, store, v.ID, 2)
		finish(t, store, taken)
		for page() {
		}
		e := <-end
		whole, wholeEnd := read(t, q, v.ID, queue.ResultsQuery{})
		if strings.Count(whole, "\n") != n || paged.String() != whole || followed != whole {
			t.Errorf("%d bytes at the end, %d paged, %d followed", len(whole), paged.Len(), len(followed))
		}
		if e != wholeEnd || e.More || e.State != jobs.Done || idle < 4 {
			t.Errorf("ends %+v and %+v, %d times idle", e, wholeEnd, idle)
		}
		number := 1
		for line := range strings.Lines(whole) {
			want := fmt.Sprintf("{\"line\":%d,\"was\":\"{\\\"n\\\":%d}\"}\n", number, number/2+1)
			if line != want {
				t.Fatalf("%s, want %s", line, want)
			}
			number += 2
		}
		for _, from := range []int{2047, 2048, 2049, 4999, 5000, 1 << 40} {
			tail, e := read(t, q, v.ID, queue.ResultsQuery{From: from})
			if want := (5001 - from | 1) / 2; from < 5000 && strings.Count(tail, "\n") != want ||
				from >= 5000 && tail != "" || e.More {
				t.Errorf("from %d: %d lines, want %d; %+v", from, strings.Count(tail, "\n"), want, e)
			}
		}
		some, e := read(t, q, v.ID, queue.ResultsQuery{Bytes: 100})
		if len(some) < 100 || len(some) > 200 || !e.More {
			t.Errorf("a hundred bytes: %d, %+v", len(some), e)
		}
		if last, e := read(t, q, v.ID, queue.ResultsQuery{From: 4999, Limit: 1}); e.More || last == "" {
			t.Errorf("the last line: %q, %+v", last, e)
		}
	})
}

// Two workers had the same chunk, and the one that was first with the result had not seen the last
// part of the other. Whoever had read that part goes on behind it.
func TestResultsOfTwo(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		v := submit(t, q, collection(30))
		taken := take(t, store)
		all := input(t, store, v.ID, 0)
		for k, cut := range []jobs.Chunk{all[:10], all[10:20]} {
			if _, err := store.PutPart(t.Context(), v.ID, 0, k, answers(cut, k)); err != nil {
				t.Fatal(err)
			}
		}
		followed := make(chan string)
		go func() {
			var b bytes.Buffer
			_, err := q.Results(t.Context(), v.ID, queue.ResultsQuery{Follow: true}, func(line []byte) error {
				b.Write(line)
				return nil
			})
			followed <- fmt.Sprint(b.String(), err)
		}()
		synctest.Wait() // it has read both parts
		if _, err := store.PutResult(t.Context(), v.ID, 0, answers(all[10:], 1)); err != nil {
			t.Fatal(err)
		}
		finish(t, store, taken)
		if got, want := <-followed, fmt.Sprint(string(answers(all, 0).Text), nil); got != want {
			t.Errorf("followed:\n%s, want\n%s", got, want)
		}
	})
}

// What a job was answered before it was cancelled is told, with gaps.
func TestResultsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		v := submit(t, q, collection(2500))
		take(t, store)
		work(t, store, v.ID, 2)
		if text, e := read(t, q, v.ID, queue.ResultsQuery{}); text != "" || e.Next != 1 {
			t.Errorf("running: %q, %+v", text, e)
		}
		if err := q.Cancel(t.Context(), v.ID); err != nil {
			t.Fatal(err)
		}
		text, e := read(t, q, v.ID, queue.ResultsQuery{Follow: true})
		if strings.Count(text, "\n") != 2500-2048 || e.State != jobs.Cancelled {
			t.Errorf("%.100s, %+v", text, e)
		}
	})
}

// What the store has lost is not left out silently.
func TestResultsLost(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		v := submit(t, q, collection(2500))
		taken := take(t, store)
		work(t, store, v.ID, 0)
		finish(t, store, taken)
		synctest.Wait()
		n := 0
		_, err := q.Results(t.Context(), v.ID, queue.ResultsQuery{}, func([]byte) error {
			n++
			return nil
		})
		if !errors.Is(err, queue.ErrLost) || n != 1024 {
			t.Errorf("%d lines, %v", n, err)
		}
	})
}

// Nor is what the store cannot read any more.
func TestResultsDamaged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := damaged{storetest.NewMemory(storetest.MemoryOptions{})}
		q := begin(t, store, queue.Options{})
		v := submit(t, q, collection(10))
		taken := take(t, store)
		work(t, store, v.ID, 0)
		finish(t, store, taken)
		synctest.Wait()
		_, err := q.Results(t.Context(), v.ID, queue.ResultsQuery{}, func([]byte) error { return nil })
		if !errors.Is(err, queue.ErrLost) {
			t.Errorf("%v", err)
		}
	})
}

// A damaged Store cannot read results.
type damaged struct{ jobs.Store }

func (damaged) Result(context.Context, jobs.ID, int) (*jobs.Result, error) {
	return nil, jobs.ErrDamaged
}

func TestAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		v := submit(t, q, of("x"))
		if a, err := q.Answer(t.Context(), v.ID); !errors.Is(err, queue.ErrNotDone) {
			t.Errorf("%+v, %v", a, err)
		}
		doAll(t, store)
		if a, err := q.Answer(t.Context(), v.ID); err != nil || string(a.AppendLine(nil)) != "{\"was\":\"x\"}\n" {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

func TestQuotas(t *testing.T) {
	var ten jobs.Chunk
	for i := range 10 {
		ten = append(ten, jobs.Line{Number: i + 1, Text: fmt.Appendf(nil, "{\"n\":%d}", i+1)})
	}
	size := int64(len(ten.Encode()) + 10*300) // of a job
	for _, c := range []struct {
		name  string
		class queue.Class
		of    string
		never bool
	}{
		{"jobs", queue.Class{Active: 1, Waiting: 1, Lines: 1000, Bytes: 1 << 30}, "jobs", false},
		{"lines", queue.Class{Active: 9, Lines: 29, Bytes: 1 << 30}, "lines", false},
		{"lines alone", queue.Class{Active: 9, Lines: 9, Bytes: 1 << 30}, "lines", true},
		{"bytes", queue.Class{Active: 9, Lines: 1000, Bytes: 3*size - 1}, "bytes", false},
		{"bytes alone", queue.Class{Active: 9, Lines: 1000, Bytes: size - 1}, "bytes", true},
		{"enough", queue.Class{Active: 1, Waiting: 2, Lines: 30, Bytes: 3 * size}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := storetest.NewMemory(storetest.MemoryOptions{})
				c.class.Time = time.Second
				q := begin(t, store, queue.Options{Classes: map[string]queue.Class{queue.Keyed: c.class}})
				allowed := 3
				switch {
				case c.never:
					allowed = 0
				case c.of != "":
					allowed = 2
				}
				for range allowed {
					submit(t, q, collection(10))
				}
				stranger := collection(10)
				stranger.Client = "you"
				if !c.never {
					submit(t, q, stranger)
				}
				before := q.Stats().Jobs[jobs.Queued]
				if c.of == "" {
					return
				}
				_, _, err := q.Submit(t.Context(), collection(10))
				var quota *queue.QuotaError
				if !errors.As(err, &quota) || quota.Of != c.of || quota.Never != c.never || err.Error() == "" {
					t.Fatalf("%+v", err)
				}
				synctest.Wait()
				if s := q.Stats(); s.Jobs[jobs.Queued] != before || s.Jobs[jobs.Receiving] != 0 {
					t.Errorf("left behind: %v", s.Jobs)
				}
				if c.never {
					return
				}
				doAll(t, store) // makes room
				synctest.Wait()
				if c.of == "bytes" { // the results are stored, but they are smaller than what was reserved
					s := collection(9)
					submit(t, q, s)
					return
				}
				submit(t, q, collection(10))
			})
		})
	}
}

// A line without an answer reserves 300 bytes, one that has its answer none: what was stored of it
// counts instead, and that is all that counts once a job has ended.
func TestQuotaBytes(t *testing.T) {
	var ten jobs.Chunk
	for i := range 10 {
		ten = append(ten, jobs.Line{Number: i + 1, Text: fmt.Appendf(nil, "{\"n\":%d}", i+1)})
	}
	input := int64(len(ten.Encode()))
	for _, c := range []struct {
		name   string
		answer func(*jobs.Job) // what there is of the job before
		used   int64           // by it
	}{
		{"nothing is answered", func(*jobs.Job) {}, input + 10*300},
		{"four lines are", func(j *jobs.Job) { j.Counts, j.OutBytes = jobs.Counts{Mate: 3, Faulty: 1}, 500 },
			input + 6*300 + 500},
		{"it has ended", func(j *jobs.Job) { j.State, j.Counts.Mate, j.OutBytes = jobs.Done, 10, 1100 }, 1100},
		{"it was cancelled", func(j *jobs.Job) { j.State, j.Counts.Mate, j.OutBytes = jobs.Cancelled, 1, 70 }, 70},
	} {
		for room, fits := range map[int64]bool{c.used + input + 10*300: true, c.used + input + 10*300 - 1: false} {
			synctest.Test(t, func(t *testing.T) {
				store := storetest.NewMemory(storetest.MemoryOptions{})
				q := begin(t, store, queue.Options{Classes: map[string]queue.Class{
					queue.Keyed: {Active: 9, Lines: 1000, Bytes: room, Time: time.Second}}})
				submit(t, q, collection(10))
				change(t, store, take(t, store).ID, c.answer)
				synctest.Wait()
				if _, _, err := q.Submit(t.Context(), collection(10)); (err == nil) != fits {
					t.Errorf("%s, %d bytes: %v", c.name, room, err)
				}
			})
		}
	}
}

// Counters are of the store, not of the process.
func TestQuotaAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory(storetest.MemoryOptions{})
		o := queue.Options{Classes: map[string]queue.Class{
			queue.Keyed: {Active: 1, Waiting: 1, Lines: 1000, Bytes: 1 << 30, Time: time.Second}}}
		q := begin(t, store, o)
		submit(t, q, collection(1))
		submit(t, q, collection(1))
		var quota *queue.QuotaError
		if _, _, err := begin(t, store, o).Submit(t.Context(), collection(1)); !errors.As(err, &quota) {
			t.Error(err)
		}
	})
}

func TestStoreFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 20
		store := storetest.NewMemory(storetest.MemoryOptions{MaxBytes: size})
		q := begin(t, store, queue.Options{})
		fill := func(percent int) {
			t.Helper()
			s, _ := store.Status(t.Context())
			if err := store.PutInput(t.Context(), jobs.NewID(), 0,
				make([]byte, size*percent/100-int(s.Bytes))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
		}
		problem := func() *queue.Submission {
			s := of("x")
			s.Kind = jobs.Problem
			return s
		}
		submit(t, q, collection(1))
		fill(91)
		if _, _, err := q.Submit(t.Context(), collection(1)); !errors.Is(err, jobs.ErrFull) {
			t.Errorf("a collection at 91 %%: %v", err)
		}
		submit(t, q, problem())
		fill(96)
		if _, _, err := q.Submit(t.Context(), problem()); !errors.Is(err, jobs.ErrFull) {
			t.Errorf("a problem at 96 %%: %v", err)
		}
	})
}

func TestList(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		var want []jobs.ID
		for range 2*queue.PageLength + 5 {
			want = append(want, submit(t, q, collection(1)).ID)
			time.Sleep(time.Second)
		}
		slices.Reverse(want)
		stranger := collection(1)
		stranger.Client = "you"
		other := submit(t, q, stranger).ID
		var got []jobs.ID
		after, pages := jobs.ID(""), 0
		for more := true; more; pages++ {
			var page []*queue.View
			var err error
			if page, more, err = q.List("me", "", after); err != nil {
				t.Fatal(err)
			}
			for _, v := range page {
				got = append(got, v.ID)
			}
			after = got[len(got)-1]
		}
		if !slices.Equal(got, want) || pages != 3 {
			t.Errorf("%d jobs on %d pages", len(got), pages)
		}
		id := doAll(t, store)
		synctest.Wait()
		page, more, err := q.List("me", jobs.Done, "")
		if err != nil || more || len(page) != 1 || page[0].ID != id {
			t.Errorf("done: %v, %v, %v", page, more, err)
		}
		if _, _, err := q.List("me", "", other); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("after the job of somebody else: %v", err)
		}
	})
}

func TestStats(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		big := collection(1)
		big.Memory = 64
		first := submit(t, q, collection(2500))
		time.Sleep(time.Minute)
		id := submit(t, q, big).ID
		beat := func(b jobs.Heartbeat) {
			t.Helper()
			if err := store.Publish(t.Context(), &jobs.Signal{V: 1, Heartbeat: &b}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if v, _ := q.Job(t.Context(), id); v.Wants != 64 || v.Position != 2 {
			t.Errorf("%+v", v)
		}
		beat(jobs.Heartbeat{Worker: "a", Slots: 2, Busy: 1})
		beat(jobs.Heartbeat{Worker: "b", Slots: 3, Memory: 16})
		if v, _ := q.Job(t.Context(), id); v.Wants != 64 {
			t.Errorf("%+v", v)
		}
		beat(jobs.Heartbeat{Worker: "b", Slots: 3, Memory: 256})
		if v, _ := q.Job(t.Context(), id); v.Wants != 0 {
			t.Errorf("%+v", v)
		}
		s := q.Stats()
		if s.Jobs[jobs.Queued] != 2 || s.Waiting[0] != 3 || s.Waiting[64] != 1 || s.Lines != 2501 ||
			s.Workers[0] != 1 || s.Workers[256] != 1 || s.Slots != 5 || s.Busy != 1 ||
			s.Oldest != time.Minute || s.Wait != 0 || s.Unknown != "" {
			t.Errorf("%+v", s)
		}
		taken := take(t, store)
		work(t, store, first.ID, 0)
		time.Sleep(time.Minute)
		work(t, store, first.ID, 1)
		synctest.Wait()
		if len(q.Stats().Workers) != 0 {
			t.Error("silent workers are counted")
		}
		beat(jobs.Heartbeat{Worker: "a", Slots: 2})
		beat(jobs.Heartbeat{Worker: "a", Draining: true})
		if len(q.Stats().Workers) != 0 {
			t.Error("a worker that left is counted")
		}
		if v, _ := q.Job(t.Context(), id); v.Wants != 64 {
			t.Errorf("%+v", v)
		}
		if err := q.Cancel(t.Context(), id); err != nil {
			t.Error(err)
		}
		if v, _ := q.Job(t.Context(), id); v.Wants != 0 {
			t.Errorf("it wants a worker after its end: %+v", v)
		}
		work(t, store, first.ID, 2)
		finish(t, store, taken)
		synctest.Wait()
		if s := q.Stats(); s.Jobs[jobs.Done] != 1 || s.Waiting[0] != 0 {
			t.Errorf("%+v", s)
		}
		if status, up := q.Store(); !up || status.Kind != "memory" {
			t.Errorf("%+v, %v", status, up)
		}
	})
}

// TestExpectedWait: nobody waits for a free slot; else as long as the few items before take, at the rate at
// which chunks end while all slots are taken.
func TestExpectedWait(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		want := func(wait time.Duration, unknown queue.WaitUnknown) {
			t.Helper()
			if s := q.Stats(); s.Wait.Round(5*time.Second) != wait || s.Unknown != unknown {
				t.Errorf("%v %q, want %v %q", s.Wait, s.Unknown, wait, unknown)
			}
		}
		beat := func(h jobs.Heartbeat) {
			t.Helper()
			if err := store.Publish(t.Context(), &jobs.Signal{V: 1, Heartbeat: &h}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		want(0, queue.NoWorkers)
		id := submit(t, q, collection(20_000)).ID
		beat(jobs.Heartbeat{Worker: "a", Slots: 1, Long: 3})
		want(0, "")
		busy := jobs.Heartbeat{Worker: "a", Slots: 1, Busy: 1, Items: []jobs.ItemRef{{Job: id}}}
		beat(busy)
		want(0, queue.NotMeasured)
		_ = take(t, store)
		for minute := range 2 {
			for range 60 * time.Second / jobs.HeartbeatTime {
				beat(busy)
				time.Sleep(jobs.HeartbeatTime)
			}
			work(t, store, id, 2*minute)
			work(t, store, id, 2*minute+1)
			synctest.Wait()
		}
		// A chunk takes half a minute. One is worked on and one is dispatched: then it is our turn.
		want(time.Minute, "")
		for range 3 { // these are not admitted, and nobody waits for them
			submit(t, q, collection(20_000))
		}
		want(time.Minute, "")
		for range 30 * time.Minute / jobs.HeartbeatTime {
			beat(jobs.Heartbeat{Worker: "a", Slots: 1})
			time.Sleep(jobs.HeartbeatTime)
		}
		beat(busy)
		want(0, queue.NotMeasured) // what was half an hour ago does not count
	})
}

// A breakable store fails on demand.
type breakable struct {
	jobs.Store
	mu     sync.Mutex
	broken bool
	stop   []context.CancelFunc
}

func (b *breakable) set(broken bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = broken
	for _, stop := range b.stop {
		stop()
	}
	b.stop = nil
}

func (b *breakable) enter(ctx context.Context) (context.Context, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return nil, jobs.ErrUnavailable
	}
	ctx, cancel := context.WithCancel(ctx)
	b.stop = append(b.stop, cancel)
	return ctx, nil
}

func (b *breakable) Watch(ctx context.Context, changed func(jobs.Change)) error {
	ctx, err := b.enter(ctx)
	if err != nil {
		return err
	}
	return b.Store.Watch(ctx, changed)
}

func (b *breakable) Job(ctx context.Context, id jobs.ID) (*jobs.Job, jobs.Revision, error) {
	if _, err := b.enter(ctx); err != nil {
		return nil, 0, err
	}
	return b.Store.Job(ctx, id)
}

// The index follows the store again after a failure, and misses nothing that happened meanwhile.
func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &breakable{Store: storetest.NewMemory(storetest.MemoryOptions{})}
		q := begin(t, store, queue.Options{})
		stays, goes := submit(t, q, collection(1)), submit(t, q, collection(1))
		change(t, store, goes.ID, func(j *jobs.Job) { j.State = jobs.Cancelled })
		store.set(true)
		synctest.Wait()
		if _, err := q.Job(t.Context(), stays.ID); !errors.Is(err, jobs.ErrUnavailable) {
			t.Errorf("broken: %v", err)
		}
		if _, _, err := q.List("me", "", ""); !errors.Is(err, jobs.ErrUnavailable) {
			t.Errorf("broken: %v", err)
		}
		if err := store.Remove(t.Context(), goes.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		store.set(false)
		time.Sleep(10 * time.Second)
		if !q.Stats().Live {
			t.Error("not followed again")
		}
		if v, err := q.Job(t.Context(), stays.ID); err != nil || v.State != jobs.Queued {
			t.Errorf("stays: %+v, %v", v, err)
		}
		if _, err := q.Job(t.Context(), goes.ID); !errors.Is(err, queue.ErrGone) {
			t.Errorf("goes: %v", err)
		}
	})
}

func TestRefused(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		wrong := errors.New("wrong")
		s := collection(2500)
		s.Check = func(number int, _ []byte) error {
			if number == 2000 {
				return wrong
			}
			return nil
		}
		if _, _, err := q.Submit(t.Context(), s); !errors.Is(err, wrong) {
			t.Error(err)
		}
		if _, _, err := q.Submit(t.Context(), of("\n \n")); !errors.Is(err, queue.ErrEmpty) {
			t.Error(err)
		}
		s = collection(1)
		s.Class = "nobody's"
		if _, _, err := q.Submit(t.Context(), s); err == nil {
			t.Error("a class that there is not")
		}
		synctest.Wait()
		if got := q.Stats().Jobs; len(got) != 0 {
			t.Errorf("left: %v", got)
		}
		if status, _ := store.Status(t.Context()); status.Bytes != 0 {
			t.Errorf("%d bytes are left", status.Bytes)
		}
	})
	if _, err := queue.New(nil, queue.Options{Classes: map[string]queue.Class{"a": {}}}); err == nil {
		t.Error("a class without a time")
	}
}

// A queue whose store comes later says so until then.
func TestOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, err := queue.New(nil, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go q.Run(ctx)
		defer cancel()
		_, errJob := q.Job(ctx, jobs.NewID())
		_, errAnswer := q.Answer(ctx, jobs.NewID())
		_, _, errSubmit := q.Submit(ctx, &queue.Submission{Class: queue.Keyed})
		_, _, errList := q.List("a", "", "")
		for _, err := range []error{errJob, errAnswer, errSubmit, errList, q.Cancel(ctx, jobs.NewID()),
			q.Purge(ctx, jobs.NewID())} {
			if !errors.Is(err, jobs.ErrUnavailable) {
				t.Errorf("%v", err)
			}
		}
		store := storetest.NewMemory(storetest.MemoryOptions{})
		defer store.Close()
		for range 2 { // the second time does nothing
			q.Open(store)
		}
		synctest.Wait()
		if _, err := q.Job(ctx, jobs.NewID()); !errors.Is(err, jobs.ErrNotFound) || !q.Stats().Live {
			t.Errorf("%v, %v", err, q.Stats())
		}
	})
}

// What is counted while jobs change is what a process counts that sees their records for the first
// time.
func TestStatsAfterChanges(t *testing.T) {
	bubble(t, func(t *testing.T, store *storetest.Memory, q *queue.Queue) {
		random := rand.New(rand.NewPCG(1, 2))
		var ids []jobs.ID
		waiting := func() int { return q.Stats().Jobs[jobs.Queued] }
		for range 300 {
			switch n := random.IntN(10); {
			case n < 4:
				s := collection(3)
				s.Key = fmt.Sprint(random.IntN(50))
				v, _, err := q.Submit(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, v.ID)
			case n < 6 && waiting() > 0:
				taken, err := store.AcquireJob(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if v, err := q.Job(t.Context(), taken.ID); err != nil || v.State != jobs.Queued {
					_ = taken.Ack(t.Context())
					break
				}
				change(t, store, taken.ID, func(j *jobs.Job) { j.State, j.Accepted = jobs.Running, taken.Accepted })
				if n == 4 {
					work(t, store, taken.ID, 0)
					finish(t, store, taken)
				}
			case n < 8 && len(ids) > 0:
				_ = q.Cancel(t.Context(), ids[random.IntN(len(ids))])
			case len(ids) > 0:
				_ = q.Purge(t.Context(), ids[random.IntN(len(ids))])
			}
			synctest.Wait()
		}
		got, want := q.Stats(), begin(t, store, queue.Options{}).Stats()
		// Only the process that took a job in knows that it waits before somebody takes it.
		want.Jobs[jobs.Queued], want.Jobs[jobs.Receiving] = want.Jobs[jobs.Receiving]+want.Jobs[jobs.Queued], 0
		for _, state := range []jobs.State{jobs.Receiving, jobs.Queued, jobs.Running, jobs.Done, jobs.Cancelled} {
			if got.Jobs[state] != want.Jobs[state] || want.Jobs[state] == 0 && state != jobs.Receiving {
				t.Errorf("%s: %d, want %d and not 0", state, got.Jobs[state], want.Jobs[state])
			}
		}
		if n := got.Jobs[jobs.Queued] + got.Jobs[jobs.Running]; got.Waiting[0] != n {
			t.Errorf("%d chunks wait of %d jobs", got.Waiting[0], n)
		}
	})
}
