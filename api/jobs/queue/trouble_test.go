package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// A deaf store does not report changes of records while it is deaf, and says that it has the status.
type deaf struct {
	jobs.Store
	deaf   atomic.Bool
	reads  atomic.Int64 // calls of Job
	status atomic.Pointer[jobs.Status]
}

func (d *deaf) Watch(ctx context.Context, changed func(jobs.Change)) error {
	return d.Store.Watch(ctx, func(c jobs.Change) {
		if !d.deaf.Load() {
			changed(c)
		}
	})
}

func (d *deaf) Job(ctx context.Context, id jobs.ID) (*jobs.Job, jobs.Revision, error) {
	d.reads.Add(1)
	return d.Store.Job(ctx, id)
}

func (d *deaf) Status(ctx context.Context) (jobs.Status, error) {
	if s := d.status.Load(); s != nil {
		return *s, nil
	}
	return d.Store.Status(ctx)
}

// TestSilentJob: a change that the store does not report is seen all the same after a minute, in
// which the job was silent, and the reading that this takes is bounded.
func TestSilentJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &deaf{Store: storetest.NewMemory(storetest.MemoryOptions{})}
		classes := map[string]queue.Class{queue.Keyed: {Waiting: 1000, Lines: 1000, Bytes: 1 << 30,
			Time: time.Second}}
		q := begin(t, store, queue.Options{Classes: classes})
		done, removed := submit(t, q, collection(1)).ID, submit(t, q, collection(1)).ID
		store.deaf.Store(true)
		change(t, store, done, func(j *jobs.Job) { j.State = jobs.Done })
		if err := store.Remove(t.Context(), removed); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Second)
		if v, err := q.Job(t.Context(), done); err != nil || v.State != jobs.Queued {
			t.Errorf("the change was reported: %+v, %v", v, err)
		}
		time.Sleep(20 * time.Second)
		if v, err := q.Job(t.Context(), done); err != nil || v.State != jobs.Done {
			t.Errorf("after a minute of silence the job is %+v, %v", v, err)
		}
		if _, err := q.Job(t.Context(), removed); !errors.Is(err, queue.ErrGone) {
			t.Errorf("a job that was removed: %v", err)
		}

		for range 300 {
			submit(t, q, collection(1))
		}
		time.Sleep(55 * time.Second)
		store.reads.Store(0)
		time.Sleep(10 * time.Second)
		if n := store.reads.Load(); n < 64 || n > 192 {
			t.Errorf("%d records were read in ten seconds", n)
		}
		time.Sleep(time.Minute)
		if n := store.reads.Load(); n < 300 || n > 700 {
			t.Errorf("%d records of 300 were read in a minute", n)
		}
	})
}

// TestTrouble: what is wrong with the store is said, and jobs are refused accordingly. Room for the
// answers to accepted lines is kept.
func TestTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &deaf{Store: storetest.NewMemory(storetest.MemoryOptions{})}
		q, err := queue.New(store, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Trouble(); !strings.Contains(got, "does not answer") {
			t.Errorf("before it is followed: %q", got)
		}
		q = begin(t, store, queue.Options{})
		const kb = 1000
		for _, c := range []struct {
			status              jobs.Status
			trouble             string
			collection, problem bool
		}{
			{jobs.Status{}, "", true, true},
			{jobs.Status{Bytes: 500 * kb, Limit: 1000 * kb}, "", true, true},
			{jobs.Status{Warning: "restart the servers"}, "restart the servers", true, true},
			{jobs.Status{Bytes: 920 * kb, Limit: 1000 * kb}, "", false, true},
			{jobs.Status{Findings: 3}, "damaged, findings: 3", true, true},
			{jobs.Status{Bytes: 960 * kb, Limit: 1000 * kb}, "nearly full", false, false},
			{jobs.Status{Bytes: 1, Limit: 1}, "nearly full", false, false},
			{jobs.Status{Bytes: 500 * kb, Limit: 1000 * kb, Full: true}, "none goes on", false, false},
		} {
			store.status.Store(&c.status)
			time.Sleep(3 * time.Second)
			if got := q.Trouble(); (got == "") != (c.trouble == "") || !strings.Contains(got, c.trouble) {
				t.Errorf("%+v: %q, want %q", c.status, got, c.trouble)
			}
			problem := of("x")
			problem.Kind = jobs.Problem
			for s, want := range map[*queue.Submission]bool{collection(1): c.collection, problem: c.problem} {
				v, _, err := q.Submit(t.Context(), s)
				if (err == nil) != want || err != nil && !errors.Is(err, jobs.ErrFull) {
					t.Errorf("%+v: a %s: %v", c.status, s.Kind, err)
				}
				if err == nil && q.Purge(t.Context(), v.ID) != nil {
					t.Error("a job could not be removed")
				}
			}
		}
		// 1,000 lines without an answer reserve 300 kB.
		store.status.Store(&jobs.Status{Bytes: 500 * kb, Limit: 1000 * kb})
		time.Sleep(3 * time.Second)
		id := submit(t, q, collection(1000)).ID
		if _, _, err := q.Submit(t.Context(), collection(1000)); !errors.Is(err, jobs.ErrFull) {
			t.Errorf("answers to 2,000 lines in 500 kB: %v", err)
		}
		if err := q.Cancel(t.Context(), id); err != nil {
			t.Error(err)
		}
		submit(t, q, collection(1000))
	})
}

// TestIndexBytes: jobs are accepted as long as there is memory for what is known of them, one of them
// with many chunks as well, and a client without a key may have half of what the others leave. Those
// that were accepted are found all the same.
func TestIndexBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory(storetest.MemoryOptions{})
		q := begin(t, store, queue.Options{IndexBytes: 64 << 10})
		anonymous := func(client string, n int) *queue.Submission {
			s := collection(1) // 3 KiB, and 1 for its chunk
			s.Client, s.Class, s.Key = client, queue.Anonymous, fmt.Sprint(n)
			return s
		}
		refused := func(what string, s *queue.Submission) {
			t.Helper()
			if _, _, err := q.Submit(t.Context(), s); !errors.Is(err, jobs.ErrFull) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for n := range 8 {
			submit(t, q, anonymous("a", n))
		}
		refused("more than half", anonymous("a", 8))
		submit(t, q, anonymous("b", 0))

		refused("28 KiB and 3", collection(28*jobs.MaxChunkLines))
		large := submit(t, q, collection(25*jobs.MaxChunkLines))
		time.Sleep(time.Second)
		refused("one more", collection(1))
		if text := q.Trouble(); !strings.Contains(text, "no memory for more jobs") {
			t.Errorf("trouble: %q", text)
		}
		if _, replayed, err := q.Submit(t.Context(), anonymous("a", 0)); !replayed || err != nil {
			t.Errorf("one that was accepted: %v, %v", replayed, err)
		}
		if err := store.Remove(t.Context(), large.ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		submit(t, q, anonymous("b", 1))
		if text := q.Trouble(); strings.Contains(text, "memory") {
			t.Errorf("trouble: %q", text)
		}
	})
}
