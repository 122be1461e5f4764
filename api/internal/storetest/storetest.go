// Package storetest is for the tests of durable jobs: it tests that a jobs.Store does what its
// documentation says, and has one in memory.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A Maker makes the stores of a test.
type Maker struct {
	// New makes an empty store and returns what opens it. Its leases should be short: the tests wait
	// for some to end.
	New func(t *testing.T) (open func() jobs.Store)
	// Separate says that New makes a store that has nothing in common with another one.
	Separate bool
	// Durable says that the store may be closed and opened again with all that was in it.
	Durable bool
	// Small makes an empty store that takes about a megabyte; nil leaves the test of ErrFull out.
	Small func(t *testing.T) jobs.Store
}

// Run runs all tests. Most of them share one store, and leave its queues empty. Those that wait for
// leases to end have their own and do so at once, if stores can be separate.
func Run(t *testing.T, maker Maker) {
	open := maker.New(t)
	s := open()
	t.Cleanup(func() { _ = s.Close() })
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s jobs.Store)
	}{
		{"secret", testSecret},
		{"record", testRecord},
		{"record races", testRecordRaces},
		{"newer", testNewer},
		{"input", testInput},
		{"attempts", testAttempts},
		{"results", testResults},
		{"result races", testResultRaces},
		{"queue races", testQueueRaces},
		{"watch", testWatch},
		{"watch results", testWatchResults},
		{"signals", testSignals},
		{"status", testStatus},
		{"ended context", testEndedContext},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s jobs.Store)
	}{
		{"enqueue", testEnqueue},
		{"job leases", testJobLeases},
		{"items", testItems},
		{"remove", testRemove},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s
			if maker.Separate {
				t.Parallel()
				s = maker.New(t)()
				defer s.Close()
			}
			test.run(t, s)
		})
	}
	if maker.Durable {
		t.Run("open again", func(t *testing.T) { s = testOpenAgain(t, s, open) })
	}
	t.Run("close", func(t *testing.T) { testClose(t, s) })
	if maker.Small != nil {
		t.Run("full", func(t *testing.T) { testFull(t, maker.Small(t)) })
	}
}

// patience is how long a test waits for what should come soon.
const patience = 2 * time.Minute

func contextOf(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(context.Background()) // that of t ends before its cleanups
	t.Cleanup(cancel)
	return ctx
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: error %v, want %v", what, err, want)
	}
}

// newJob returns a record in which every field is set, so that one that is lost is seen.
func newJob() *jobs.Job {
	return &jobs.Job{
		V: jobs.V, ID: jobs.NewID(), Kind: jobs.Collection, Ask: jobs.AskAnalyze, State: jobs.Receiving,
		Client: "192.0.2.1", Class: "anonymous", Note: "詰将棋 <&>", Priority: -1, Defaults: "nodes=1000", Memory: 4,
		Accepted: jobs.Accepted{Lines: 5000, Chunks: 5, Bytes: 400_000, Digest: strings.Repeat("ab", 32)},
		Created:  time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
		Started:  time.Date(2026, 1, 2, 3, 4, 6, 7, time.UTC),
		Finished: time.Date(2026, 1, 2, 3, 4, 7, 8, time.UTC),
		Keep:     24 * time.Hour, DoneChunks: 3,
		Counts: jobs.Counts{Mate: 1, NoMate: 2, Unknown: 3, Faulty: 4},
		Nodes:  1 << 63, OutBytes: 1 << 40,
		Failure: &jobs.Failure{Code: "internal_error", Detail: "why"},
	}
}

func newResult(text string) *jobs.Result {
	return &jobs.Result{
		Summary: jobs.Summary{
			V: jobs.V, First: 7, Last: 9, Parts: 2, Counts: jobs.Counts{Mate: 3, Faulty: 1}, Nodes: 1 << 60,
			Bytes: int64(len(text)), Engine: "Bench: 12345 revision",
		},
		Text: []byte(text),
	}
}

func testSecret(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	a := must[[]byte](t)(s.Secret(ctx))
	b := must[[]byte](t)(s.Secret(ctx))
	if len(a) != 32 || bytes.Equal(a, make([]byte, 32)) || !bytes.Equal(a, b) {
		t.Fatalf("secrets %x and %x", a, b)
	}
}

func testRecord(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	j := newJob()
	_, _, err := s.Job(ctx, j.ID)
	wantError(t, "Job before Create", err, jobs.ErrNotFound)
	_, err = s.Update(ctx, j, 1)
	wantError(t, "Update before Create", err, jobs.ErrConflict)

	r1 := must[jobs.Revision](t)(s.Create(ctx, j))
	wantRecord(t, s, j, r1)
	_, err = s.Create(ctx, j)
	wantError(t, "second Create", err, jobs.ErrExists)

	changed := *j
	changed.State = jobs.Running
	r2 := must[jobs.Revision](t)(s.Update(ctx, &changed, r1))
	if r2 <= r1 {
		t.Errorf("revision %d after %d", r2, r1)
	}
	wantRecord(t, s, &changed, r2)
	_, err = s.Update(ctx, j, r1)
	wantError(t, "Update of an old revision", err, jobs.ErrConflict)
	wantRecord(t, s, &changed, r2)

	large := *j
	large.Note = strings.Repeat("x", 5<<10)
	if _, err := s.Update(ctx, &large, r2); err == nil {
		t.Error("a record of more than 4 KiB was taken")
	}

	check(t, s.Remove(ctx, j.ID))
	_, _, err = s.Job(ctx, j.ID)
	wantError(t, "Job after Remove", err, jobs.ErrNotFound)
	_, err = s.Update(ctx, j, r2)
	wantError(t, "Update after Remove", err, jobs.ErrConflict)
	check(t, s.Remove(ctx, j.ID))

	// One under an idempotency key may come back.
	r3 := must[jobs.Revision](t)(s.Create(ctx, j))
	if r3 <= r2 {
		t.Errorf("revision %d after %d and Remove", r3, r2)
	}
	wantRecord(t, s, j, r3)
	check(t, s.Remove(ctx, j.ID))
}

func wantRecord(t *testing.T, s jobs.Store, want *jobs.Job, revision jobs.Revision) {
	t.Helper()
	got, r, err := s.Job(contextOf(t), want.ID)
	if err != nil || r != revision || !reflect.DeepEqual(got, want) {
		t.Fatalf("record\n%+v %d %v, want\n%+v %d", got, r, err, want, revision)
	}
}

// parallel runs f n times at once.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func testRecordRaces(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	j := newJob()
	j.DoneChunks = 0
	var created, exists atomic.Int32
	parallel(8, func(int) {
		_, err := s.Create(ctx, j)
		switch {
		case err == nil:
			created.Add(1)
		case errors.Is(err, jobs.ErrExists):
			exists.Add(1)
		default:
			t.Errorf("Create: %v", err)
		}
	})
	if created.Load() != 1 || exists.Load() != 7 {
		t.Fatalf("of 8 Creates %d made the record and %d found it", created.Load(), exists.Load())
	}
	const workers, each = 4, 8
	parallel(workers, func(int) {
		for done := 0; done < each; {
			j, r, err := s.Job(ctx, j.ID)
			if err != nil {
				t.Errorf("Job: %v", err)
				return
			}
			j.DoneChunks++
			switch _, err := s.Update(ctx, j, r); {
			case err == nil:
				done++
			case !errors.Is(err, jobs.ErrConflict):
				t.Errorf("Update: %v", err)
				return
			}
		}
	})
	got, _, err := s.Job(ctx, j.ID)
	if err != nil || got.DoneChunks != workers*each {
		t.Errorf("%d changes of a record left %d: %v", workers*each, got.DoneChunks, err)
	}
	check(t, s.Remove(ctx, j.ID))
}

// testNewer writes what a newer version may have written.
func testNewer(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	j := newJob()
	j.V = jobs.V + 1
	must[jobs.Revision](t)(s.Create(ctx, j))
	_, _, err := s.Job(ctx, j.ID)
	wantError(t, "Job", err, jobs.ErrNewer)

	p := newResult("text")
	p.V = jobs.V + 2 // the next is taken: by what package natsstore compresses itself
	must[bool](t)(s.PutPart(ctx, j.ID, 0, 0, p))
	must[bool](t)(s.PutResult(ctx, j.ID, 0, p))
	_, err = s.Part(ctx, j.ID, 0, 0)
	wantError(t, "Part", err, jobs.ErrNewer)
	_, err = s.Result(ctx, j.ID, 0)
	wantError(t, "Result", err, jobs.ErrNewer)
	err = s.Results(ctx, j.ID, func(int, *jobs.Summary) {})
	wantError(t, "Results", err, jobs.ErrNewer)

	// A newer item is left to others, and does not keep this process from those behind it.
	newer := &jobs.Item{V: jobs.V + 1, Job: j.ID}
	own := &jobs.Item{V: jobs.V, Job: j.ID, Chunk: 1}
	check(t, s.Dispatch(ctx, newer))
	check(t, s.Dispatch(ctx, own))
	it := must[*jobs.QueuedItem](t)(s.AcquireItem(ctx, []int{0}))
	if it.Item != *own {
		t.Errorf("took %+v", it.Item)
	}
	check(t, it.Ack(ctx))
	check(t, s.Remove(ctx, j.ID))
}

func testInput(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	id, other := jobs.NewID(), jobs.NewID()
	count := func(id jobs.ID, want int) {
		t.Helper()
		if n, err := s.CountInput(ctx, id); n != want || err != nil {
			t.Errorf("CountInput = %d, %v, want %d", n, err, want)
		}
	}
	count(id, 0)
	_, err := s.Input(ctx, id, 0)
	wantError(t, "Input before PutInput", err, jobs.ErrNotFound)

	data := bytes.Repeat([]byte("\x00\xff\n\r"), 40_000)
	want := bytes.Clone(data)
	check(t, s.PutInput(ctx, id, 0, data))
	clear(data) // the caller's again
	check(t, s.PutInput(ctx, id, 0, []byte("second")))
	check(t, s.PutInput(ctx, id, 10, []byte("ten")))
	check(t, s.PutInput(ctx, other, 0, []byte("other")))
	for range 2 {
		got := must[[]byte](t)(s.Input(ctx, id, 0))
		if !bytes.Equal(got, want) {
			t.Fatalf("%d bytes of a chunk, not the %d of the first PutInput", len(got), len(want))
		}
		clear(got)
	}
	if got := must[[]byte](t)(s.Input(ctx, id, 10)); string(got) != "ten" {
		t.Errorf("chunk 10 is %q", got)
	}
	count(id, 2)
	must[int](t)(s.AddAttempt(ctx, id, 0, 0))
	count(id, 2)

	check(t, s.DropInput(ctx, id))
	check(t, s.DropInput(ctx, id))
	count(id, 0)
	count(other, 1)
	_, err = s.Input(ctx, id, 0)
	wantError(t, "Input after DropInput", err, jobs.ErrNotFound)
	if n := must[int](t)(s.AddAttempt(ctx, id, 0, 0)); n != 1 {
		t.Errorf("attempt %d after DropInput", n)
	}
	check(t, s.DropInput(ctx, id))
	check(t, s.DropInput(ctx, other))
}

func testAttempts(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	id := jobs.NewID()
	attempt := func(chunk, line, want int) {
		t.Helper()
		if n, err := s.AddAttempt(ctx, id, chunk, line); n != want || err != nil {
			t.Fatalf("Attempt(%d, %d) = %d, %v, want %d", chunk, line, n, err, want)
		}
	}
	attempt(3, 0, 1)
	attempt(3, 0, 2)
	attempt(4, 0, 1)
	attempt(3, 5, 1)
	attempt(3, 0, 3)

	check(t, s.UndoAttempt(ctx, id, 3, 0, 3))
	check(t, s.UndoAttempt(ctx, id, 3, 0, 3)) // said twice
	attempt(3, 0, 3)
	check(t, s.UndoAttempt(ctx, id, 3, 0, 2)) // others were counted since
	attempt(3, 0, 4)
	check(t, s.UndoAttempt(ctx, id, 9, 0, 1)) // never counted
	attempt(9, 0, 1)
	attempt(4, 0, 2)
	attempt(3, 5, 2)

	// Each of many at once has its own number.
	var seen [33]atomic.Int32
	parallel(4, func(int) {
		for range 8 {
			n, err := s.AddAttempt(ctx, id, 7, 1)
			if err != nil || n < 1 || n > 32 {
				t.Errorf("Attempt = %d, %v", n, err)
				return
			}
			seen[n].Add(1)
		}
	})
	for n := 1; n <= 32; n++ {
		if c := seen[n].Load(); c != 1 {
			t.Errorf("%d attempts were counted as number %d", c, n)
		}
	}
	check(t, s.DropInput(ctx, id))
}

func testResults(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	id, other := jobs.NewID(), jobs.NewID()
	_, err := s.Part(ctx, id, 0, 0)
	wantError(t, "Part", err, jobs.ErrNotFound)
	_, err = s.Result(ctx, id, 0)
	wantError(t, "Result", err, jobs.ErrNotFound)

	put := func(first bool, err error) func(want bool) {
		return func(want bool) {
			t.Helper()
			if first != want || err != nil {
				t.Errorf("first = %t, %v, want %t", first, err, want)
			}
		}
	}
	want := func(got *jobs.Result, err error) func(want *jobs.Result) {
		return func(want *jobs.Result) {
			t.Helper()
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("piece %.200v, %v, want %.200v", got, err, want)
			}
		}
	}
	part0, part1 := newResult("part 0\n"), newResult("part 1\n")
	large := newResult(strings.Repeat("result\n", 80_000)) // 560 kB
	put(s.PutPart(ctx, id, 0, 0, part0))(true)
	put(s.PutPart(ctx, id, 0, 0, part1))(false)
	put(s.PutPart(ctx, id, 0, 1, part1))(true)
	put(s.PutResult(ctx, id, 0, large))(true)
	put(s.PutResult(ctx, id, 0, part0))(false)
	put(s.PutResult(ctx, id, 12, part1))(true)
	put(s.PutResult(ctx, other, 3, part1))(true)
	want(s.Part(ctx, id, 0, 0))(part0)
	want(s.Part(ctx, id, 0, 1))(part1)
	want(s.Result(ctx, id, 0))(large)
	want(s.Result(ctx, id, 12))(part1)

	wantResults(t, s, id, map[int]jobs.Summary{0: large.Summary, 12: part1.Summary})
	wantResults(t, s, other, map[int]jobs.Summary{3: part1.Summary})
	wantResults(t, s, jobs.NewID(), map[int]jobs.Summary{})

	check(t, s.DropInput(ctx, id)) // the input, not the results
	want(s.Part(ctx, id, 0, 0))(part0)
	check(t, s.Remove(ctx, id))
	check(t, s.Remove(ctx, other))
}

func wantResults(t *testing.T, s jobs.Store, id jobs.ID, want map[int]jobs.Summary) {
	t.Helper()
	got := map[int]jobs.Summary{}
	err := s.Results(contextOf(t), id, func(chunk int, sum *jobs.Summary) { got[chunk] = *sum })
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("results %v, %v, want %v", got, err, want)
	}
}

func testResultRaces(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	id := jobs.NewID()
	for chunk := range 4 {
		var winner atomic.Pointer[jobs.Result]
		parallel(6, func(i int) {
			p := newResult(fmt.Sprint("writer ", i))
			first, err := s.PutResult(ctx, id, chunk, p)
			if err != nil {
				t.Errorf("PutResult: %v", err)
			}
			if first && winner.Swap(p) != nil {
				t.Errorf("chunk %d has two that were first", chunk)
			}
		})
		got, err := s.Result(ctx, id, chunk)
		if want := winner.Load(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("chunk %d is %v, %v, but the first was %v", chunk, got, err, want)
		}
	}
	check(t, s.Remove(ctx, id))
}

// takeJob takes a job, and wants it to be id.
func takeJob(t *testing.T, s jobs.Store, id jobs.ID) *jobs.QueuedJob {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	q, err := s.AcquireJob(ctx)
	if err != nil || q.ID != id {
		t.Fatalf("took %v, %v, want job %s", q, err, id)
	}
	return q
}

// wantNoJob wants no job to be taken within d.
func wantNoJob(t *testing.T, s jobs.Store, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	q, err := s.AcquireJob(ctx)
	if err == nil {
		t.Fatalf("took job %s, want none", q.ID)
	}
	wantError(t, "AcquireJob", err, context.DeadlineExceeded)
}

// stillHeld waits for d, and wants nobody else to be given the job of q, whose lease began after since. On
// a machine under load it may have ended meanwhile. stillHeld returns the lease of who has the job now.
func stillHeld(t *testing.T, s jobs.Store, q *jobs.QueuedJob, since time.Time, d time.Duration) *jobs.QueuedJob {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	again, err := s.AcquireJob(ctx)
	if err == nil {
		if held := time.Since(since); again.ID != q.ID || held < q.Duration() {
			t.Fatalf("took job %s %v after job %s was", again.ID, held, q.ID)
		}
		return again
	}
	wantError(t, "AcquireJob", err, context.DeadlineExceeded)
	return q
}

func testEnqueue(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	a, b := newJob(), newJob()
	for _, j := range []*jobs.Job{a, b} {
		j.State = jobs.Receiving
		must[jobs.Revision](t)(s.Create(ctx, j))
		check(t, s.Enqueue(ctx, j.ID, j.Accepted))
		check(t, s.Enqueue(ctx, j.ID, jobs.Accepted{Chunks: 99}))
	}
	held := time.Now()
	qa := takeJob(t, s, a.ID)
	if qa.Accepted != a.Accepted {
		t.Errorf("a queued job has %+v, want %+v", qa.Accepted, a.Accepted)
	}
	qb := takeJob(t, s, b.ID)
	check(t, qb.Ack(ctx))
	check(t, s.Enqueue(ctx, a.ID, a.Accepted)) // while it is held
	qa = stillHeld(t, s, qa, held, qa.Duration()/5)

	// After its end the message is not made anew.
	_, r, err := s.Job(ctx, a.ID)
	check(t, err)
	a.State = jobs.Done
	must[jobs.Revision](t)(s.Update(ctx, a, r))
	check(t, qa.Ack(ctx))
	check(t, s.Enqueue(ctx, a.ID, a.Accepted))
	wantNoJob(t, s, qa.Duration()*5/4)

	// One that was removed and comes back under the same ID is another job.
	check(t, s.Remove(ctx, a.ID))
	a.State = jobs.Receiving
	must[jobs.Revision](t)(s.Create(ctx, a))
	check(t, s.Enqueue(ctx, a.ID, a.Accepted))
	check(t, takeJob(t, s, a.ID).Ack(ctx))
	check(t, s.Remove(ctx, a.ID))
	check(t, s.Remove(ctx, b.ID))
}

func testJobLeases(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	j := newJob()
	must[jobs.Revision](t)(s.Create(ctx, j))

	// One who waits gets what comes.
	taken := make(chan *jobs.QueuedJob, 1)
	go func() {
		q, err := s.AcquireJob(ctx)
		if err != nil {
			t.Errorf("AcquireJob: %v", err)
		}
		taken <- q
	}()
	time.Sleep(20 * time.Millisecond)
	since := time.Now()
	check(t, s.Enqueue(ctx, j.ID, j.Accepted))
	q := <-taken
	if q == nil {
		t.FailNow()
	}
	lease := q.Duration()
	if lease <= 0 || lease > jobs.LeaseTime {
		t.Fatalf("a lease of %v", lease)
	}

	// Extend holds it: for longer than one lease, and from each call on for as long as one.
	extend := func() {
		now := time.Now()
		check(t, q.Extend(ctx))
		if time.Since(since) < lease { // else it may have ended before
			since = now
		}
	}
	extend()
	for range 3 {
		q = stillHeld(t, s, q, since, lease/2)
		extend()
	}
	q = takeJob(t, s, j.ID)
	if held := time.Since(since); held < lease || held > 3*lease+patience/2 {
		t.Errorf("a lease of %v ended after %v", lease, held)
	}
	// Nak gives it back at once, and not when its lease ends, or after a delay.
	// The shortest of several times, which a busy machine does not make longer than a lease.
	shortest := patience
	for n := 0; n < 8 && shortest > lease/2; n++ {
		start := time.Now()
		check(t, q.Nak(ctx, 0))
		q = takeJob(t, s, j.ID)
		shortest = min(shortest, time.Since(start))
	}
	if shortest > lease/2 {
		t.Errorf("a job that is given back is taken after %v, its lease is %v", shortest, lease)
	}
	start := time.Now()
	check(t, q.Nak(ctx, lease/2))
	q = takeJob(t, s, j.ID)
	if waited := time.Since(start); waited < lease/2 {
		t.Errorf("a job released for %v was taken after %v", lease/2, waited)
	}
	check(t, q.Ack(ctx))
	wantNoJob(t, s, lease*5/4)
	check(t, s.Remove(ctx, j.ID))
}

func takeItem(t *testing.T, s jobs.Store, classes []int) *jobs.QueuedItem {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	q, err := s.AcquireItem(ctx, classes)
	check(t, err)
	return q
}

func wantNoItem(t *testing.T, s jobs.Store, classes []int, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	q, err := s.AcquireItem(ctx, classes)
	if err == nil {
		t.Fatalf("took %+v, want none", q.Item)
	}
	wantError(t, "AcquireItem", err, context.DeadlineExceeded)
}

func testItems(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	item := func(memory, chunk int) *jobs.Item {
		return &jobs.Item{
			V: jobs.V, Job: jobs.NewID(), Kind: jobs.Collection, Ask: jobs.AskSolve, Chunk: chunk,
			Defaults: "time=5s", Memory: memory, Redelivered: true,
		}
	}
	// Each class on its own, and several at once.
	classes := append([]int{0}, jobs.MemoryClasses...)
	items := map[int]*jobs.Item{}
	for i, class := range classes {
		items[class] = item(class, i)
		check(t, s.Dispatch(ctx, items[class]))
	}
	for _, class := range []int{64, 0} {
		q := takeItem(t, s, []int{class})
		if q.Item != *items[class] {
			t.Errorf("took %+v of class %d, want %+v", q.Item, class, items[class])
		}
		check(t, q.Ack(ctx))
		delete(items, class)
	}
	wantNoItem(t, s, []int{0}, 100*time.Millisecond)
	for range 2 {
		q := takeItem(t, s, []int{0, 4, 16, 64})
		if items[q.Memory] == nil || q.Memory == 256 || q.Item != *items[q.Memory] {
			t.Errorf("took %+v", q.Item)
		}
		check(t, q.Ack(ctx))
		delete(items, q.Memory)
	}
	q := takeItem(t, s, classes)
	check(t, q.Ack(ctx))
	wantNoItem(t, s, classes, 100*time.Millisecond)

	// Leases are those of jobs.
	check(t, s.Dispatch(ctx, item(0, 1)))
	q = takeItem(t, s, classes)
	lease := q.Duration()
	time.Sleep(lease / 2)
	since := time.Now()
	check(t, q.Extend(ctx))
	again := takeItem(t, s, classes)
	if held := time.Since(since); again.Item != q.Item || held < lease {
		t.Errorf("took %+v after %v, want %+v when its lease of %v ends", again.Item, held, q.Item, lease)
	}
	check(t, again.Nak(ctx, 0))
	again = takeItem(t, s, classes)
	check(t, again.Ack(ctx))
	wantNoItem(t, s, classes, lease*5/4)
}

// testQueueRaces has many takers, of which each message has one.
func testQueueRaces(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	const n = 24
	id := jobs.NewID()
	var taken [n]atomic.Int32
	var left atomic.Int32
	left.Store(n)
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				q, err := s.AcquireItem(until, []int{0})
				if err != nil {
					return
				}
				taken[q.Chunk].Add(1)
				if err := q.Ack(ctx); err != nil {
					t.Errorf("Done: %v", err)
				}
				if left.Add(-1) == 0 {
					cancel()
				}
			}
		})
	}
	parallel(4, func(i int) {
		for chunk := i; chunk < n; chunk += 4 {
			if err := s.Dispatch(ctx, &jobs.Item{V: jobs.V, Job: id, Chunk: chunk}); err != nil {
				t.Errorf("Dispatch: %v", err)
			}
		}
	})
	wg.Wait()
	for chunk := range taken {
		if c := taken[chunk].Load(); c != 1 {
			t.Errorf("item %d was taken %d times", chunk, c)
		}
	}
}

// next receives what a callback sent, or fails.
func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatal("nothing was told")
		panic("unreachable")
	}
}

func testWatch(t *testing.T, s jobs.Store) {
	ctx, cancel := context.WithCancel(contextOf(t))
	defer cancel()
	a, b, gone := newJob(), newJob(), newJob()
	ra := must[jobs.Revision](t)(s.Create(ctx, a))
	must[jobs.Revision](t)(s.Create(ctx, b))
	must[jobs.Revision](t)(s.Create(ctx, gone))
	b2 := *b
	_, rb, err := s.Job(ctx, b.ID)
	check(t, err)
	b2.Nodes++
	rb = must[jobs.Revision](t)(s.Update(ctx, &b2, rb))
	check(t, s.Remove(ctx, gone.ID))

	changes := make(chan jobs.Change, 100)
	ended := make(chan error, 1)
	go func() { ended <- s.Watch(ctx, func(c jobs.Change) { changes <- c }) }()
	seen := map[jobs.ID]jobs.Change{}
	for {
		c := next(t, changes)
		if c.ID == "" {
			break
		}
		if _, ok := seen[c.ID]; ok {
			t.Errorf("record %s was told twice", c.ID)
		}
		seen[c.ID] = c
	}
	want := map[jobs.ID]jobs.Change{a.ID: {ID: a.ID, Job: a, Revision: ra}, b.ID: {ID: b.ID, Job: &b2, Revision: rb}}
	if !reflect.DeepEqual(seen, want) {
		t.Fatalf("told %+v, want %+v", seen, want)
	}

	wantChange := func(want jobs.Change) {
		t.Helper()
		if got := next(t, changes); !reflect.DeepEqual(got, want) {
			t.Fatalf("told %+v, want %+v", got, want)
		}
	}
	a.State = jobs.Cancelled
	ra = must[jobs.Revision](t)(s.Update(ctx, a, ra))
	wantChange(jobs.Change{ID: a.ID, Job: a, Revision: ra})
	c := newJob()
	rc := must[jobs.Revision](t)(s.Create(ctx, c))
	wantChange(jobs.Change{ID: c.ID, Job: c, Revision: rc})
	check(t, s.Remove(ctx, c.ID))
	removed := next(t, changes)
	if removed.ID != c.ID || removed.Job != nil {
		t.Fatalf("told %+v, want the removal of %s", removed, c.ID)
	}
	rc2 := must[jobs.Revision](t)(s.Create(ctx, c))
	wantChange(jobs.Change{ID: c.ID, Job: c, Revision: rc2})
	if removed.Revision <= rc || rc2 <= removed.Revision {
		t.Errorf("revisions %d, %d of the removal, %d", rc, removed.Revision, rc2)
	}
	cancel()
	wantError(t, "Watch", next(t, ended), context.Canceled)
	for _, j := range []*jobs.Job{a, b, c} {
		check(t, s.Remove(contextOf(t), j.ID))
	}
}

// testWatchResults stores results all the while, and wants none to be missed.
func testWatchResults(t *testing.T, s jobs.Store) {
	ctx, cancel := context.WithCancel(contextOf(t))
	defer cancel()
	id := jobs.NewID()
	const n = 40
	var stored atomic.Int32
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for chunk := range n {
			if chunk == n-n/4 {
				<-ready // some at least come after it
			}
			p := newResult("text")
			p.First = chunk
			if first, err := s.PutResult(ctx, id, chunk, p); err != nil || !first {
				t.Errorf("PutResult: %t, %v", first, err)
			}
			// Parts are no results.
			if _, err := s.PutPart(ctx, id, chunk, 0, p); err != nil {
				t.Errorf("PutPart: %v", err)
			}
			stored.Store(int32(chunk) + 1)
		}
	}()
	for stored.Load() < n/4 {
		time.Sleep(time.Millisecond)
	}
	type told struct {
		id    jobs.ID
		chunk int
		sum   jobs.Summary
	}
	news := make(chan told, 10*n)
	ended := make(chan error, 1)
	go func() {
		ended <- s.WatchResults(ctx, func() { close(ready) }, func(id jobs.ID, chunk int, sum *jobs.Summary) {
			news <- told{id, chunk, *sum}
		})
	}()
	next(t, ready)
	after := int(stored.Load())
	seen := map[int]bool{}
	check(t, s.Results(ctx, id, func(chunk int, sum *jobs.Summary) { seen[chunk] = true }))
	for chunk := range after {
		if !seen[chunk] {
			t.Errorf("chunk %d was stored before Results and is not among them", chunk)
		}
	}
	next(t, done)
	// The last is told after all the others.
	for last := -1; last < n-1; {
		got := next(t, news)
		want := newResult("text").Summary
		want.First = got.chunk
		if got.id != id || got.sum != want {
			t.Errorf("told %+v, want the summary %+v", got, want)
		}
		last = got.chunk
		seen[last] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d results were told", len(seen), n)
	}
	cancel()
	wantError(t, "WatchResults", next(t, ended), context.Canceled)

	// Without ready.
	ctx, cancel = context.WithCancel(contextOf(t))
	cancel()
	if err := s.WatchResults(ctx, nil, func(jobs.ID, int, *jobs.Summary) {}); err == nil {
		t.Error("WatchResults returned nil")
	}
	check(t, s.Remove(contextOf(t), id))
}

func testSignals(t *testing.T, s jobs.Store) {
	ctx, cancel := context.WithCancel(contextOf(t))
	defer cancel()
	var ended [2]chan error
	var heard [2]chan *jobs.Signal
	for i := range 2 {
		ended[i], heard[i] = make(chan error, 1), make(chan *jobs.Signal, 1000)
		go func() { ended[i] <- s.Subscribe(ctx, func(sig *jobs.Signal) { heard[i] <- sig }) }()
	}
	// A signal may be lost, so each is sent until both have heard it.
	newer := &jobs.Signal{V: jobs.V + 1, Cancel: jobs.NewID()}
	for _, want := range []*jobs.Signal{
		{V: jobs.V, Cancel: jobs.NewID()},
		{V: jobs.V, Progress: &jobs.Progress{Job: jobs.NewID(), Chunk: 1, Line: 2, Done: 3, Event: []byte(`{"a":1}`)}},
		{V: jobs.V, Heartbeat: &jobs.Heartbeat{
			Worker: "w", Version: "v", Slots: 4, Busy: 2, Memory: 16, Draining: true,
			Items: []jobs.ItemRef{{Job: jobs.NewID(), Chunk: 7}},
		}},
	} {
		tick := time.NewTicker(20 * time.Millisecond)
		for i, tries := 0, 0; i < 2; {
			select {
			case got := <-heard[i]:
				if got.V > jobs.V {
					t.Fatalf("heard a newer signal %+v", got)
				}
				if reflect.DeepEqual(got, want) {
					i++
				}
			case <-tick.C:
				check(t, s.Publish(ctx, newer))
				check(t, s.Publish(ctx, want))
				if tries++; tries > 500 {
					t.Fatalf("%+v was not heard", want)
				}
			}
		}
		tick.Stop()
	}
	cancel()
	for i := range 2 {
		wantError(t, "Listen", next(t, ended[i]), context.Canceled)
	}
}

func testRemove(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	queued, held, kept := newJob(), newJob(), newJob()
	fill := func(j *jobs.Job) {
		j.State = jobs.Receiving
		must[jobs.Revision](t)(s.Create(ctx, j))
		check(t, s.PutInput(ctx, j.ID, 0, []byte("in")))
		must[int](t)(s.AddAttempt(ctx, j.ID, 0, 0))
		must[bool](t)(s.PutPart(ctx, j.ID, 0, 0, newResult("part")))
		must[bool](t)(s.PutResult(ctx, j.ID, 0, newResult("result")))
		check(t, s.Enqueue(ctx, j.ID, j.Accepted))
	}
	fill(held)
	q := takeJob(t, s, held.ID)
	fill(queued)
	fill(kept)
	check(t, s.Remove(ctx, queued.ID))
	check(t, s.Remove(ctx, held.ID))
	for _, j := range []*jobs.Job{queued, held} {
		_, _, err := s.Job(ctx, j.ID)
		wantError(t, "Job", err, jobs.ErrNotFound)
		_, err = s.Input(ctx, j.ID, 0)
		wantError(t, "Input", err, jobs.ErrNotFound)
		_, err = s.Part(ctx, j.ID, 0, 0)
		wantError(t, "Part", err, jobs.ErrNotFound)
		_, err = s.Result(ctx, j.ID, 0)
		wantError(t, "Result", err, jobs.ErrNotFound)
		wantResults(t, s, j.ID, map[int]jobs.Summary{})
		if n := must[int](t)(s.AddAttempt(ctx, j.ID, 0, 0)); n != 1 {
			t.Errorf("attempt %d after Remove", n)
		}
	}
	// The message of the one is dropped, that of the other was held. The third has lost nothing.
	k := takeJob(t, s, kept.ID)
	if n := must[int](t)(s.CountInput(ctx, kept.ID)); n != 1 {
		t.Errorf("%d chunks of another job after Remove", n)
	}
	wantResults(t, s, kept.ID, map[int]jobs.Summary{0: newResult("result").Summary})
	check(t, k.Ack(ctx))
	wantNoJob(t, s, q.Duration()*5/4)
	for _, j := range []*jobs.Job{queued, held, kept} {
		check(t, s.Remove(ctx, j.ID))
	}
}

func testStatus(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	before := must[jobs.Status](t)(s.Status(ctx))
	if before.Kind == "" || before.Replicas < 1 || before.Bytes < 0 || before.Limit < 0 || before.Free < -1 {
		t.Errorf("status %+v", before)
	}
	id := jobs.NewID()
	data := make([]byte, 100_000)
	for i := range data {
		data[i] = byte(i*i>>8 ^ i*7)
	}
	for chunk := range 4 {
		check(t, s.PutInput(ctx, id, chunk, data))
	}
	// What was stored compressed still takes some bytes.
	if after := must[jobs.Status](t)(s.Status(ctx)); after.Bytes <= before.Bytes {
		t.Errorf("%d bytes before, %d after 400 kB were stored", before.Bytes, after.Bytes)
	}
	check(t, s.Remove(ctx, id))
}

// testEndedContext wants every method to end with its context.
func testEndedContext(t *testing.T, s jobs.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	j := newJob()
	for name, err := range callAll(ctx, s, j) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with an ended context: %v", name, err)
		}
	}
	_, _, err := s.Job(contextOf(t), j.ID)
	wantError(t, "Job", err, jobs.ErrNotFound)
}

// callAll returns what each method says.
func callAll(ctx context.Context, s jobs.Store, j *jobs.Job) map[string]error {
	errs := map[string]error{
		"Remove":      s.Remove(ctx, j.ID),
		"PutInput":    s.PutInput(ctx, j.ID, 0, []byte("in")),
		"DropInput":   s.DropInput(ctx, j.ID),
		"Enqueue":     s.Enqueue(ctx, j.ID, j.Accepted),
		"Dispatch":    s.Dispatch(ctx, &jobs.Item{V: jobs.V, Job: j.ID}),
		"UndoAttempt": s.UndoAttempt(ctx, j.ID, 0, 0, 1),
		"Results":     s.Results(ctx, j.ID, func(int, *jobs.Summary) {}),
		"Publish":     s.Publish(ctx, &jobs.Signal{V: jobs.V, Cancel: j.ID}),
		"Watch":       s.Watch(ctx, func(jobs.Change) {}),
		"WatchResults": s.WatchResults(ctx, nil,
			func(jobs.ID, int, *jobs.Summary) {}),
		"Subscribe": s.Subscribe(ctx, func(*jobs.Signal) {}),
	}
	_, errs["Secret"] = s.Secret(ctx)
	_, errs["Create"] = s.Create(ctx, j)
	_, errs["Update"] = s.Update(ctx, j, 1)
	_, _, errs["Job"] = s.Job(ctx, j.ID)
	_, errs["Input"] = s.Input(ctx, j.ID, 0)
	_, errs["CountInput"] = s.CountInput(ctx, j.ID)
	_, errs["AcquireJob"] = s.AcquireJob(ctx)
	_, errs["AcquireItem"] = s.AcquireItem(ctx, []int{0})
	_, errs["AddAttempt"] = s.AddAttempt(ctx, j.ID, 0, 0)
	_, errs["PutPart"] = s.PutPart(ctx, j.ID, 0, 0, newResult("p"))
	_, errs["Part"] = s.Part(ctx, j.ID, 0, 0)
	_, errs["PutResult"] = s.PutResult(ctx, j.ID, 0, newResult("p"))
	_, errs["Result"] = s.Result(ctx, j.ID, 0)
	_, errs["Status"] = s.Status(ctx)
	return errs
}

func testOpenAgain(t *testing.T, s jobs.Store, open func() jobs.Store) jobs.Store {
	ctx := contextOf(t)
	secret := must[[]byte](t)(s.Secret(ctx))
	waiting, held, removed := newJob(), newJob(), newJob()
	// All is there of them: a store may mend a job that lacks something.
	waiting.Chunks, waiting.DoneChunks = 1, 1
	held.Chunks, held.DoneChunks = 1, 0
	must[jobs.Revision](t)(s.Create(ctx, held))
	check(t, s.PutInput(ctx, held.ID, 0, []byte("in")))
	check(t, s.Enqueue(ctx, held.ID, held.Accepted))
	takeJob(t, s, held.ID)
	must[jobs.Revision](t)(s.Create(ctx, removed))
	check(t, s.Remove(ctx, removed.ID))
	r := must[jobs.Revision](t)(s.Create(ctx, waiting))
	check(t, s.Enqueue(ctx, waiting.ID, waiting.Accepted))
	id := waiting.ID
	check(t, s.PutInput(ctx, id, 0, []byte("in")))
	must[int](t)(s.AddAttempt(ctx, id, 0, 0))
	must[int](t)(s.AddAttempt(ctx, id, 0, 0))
	part, result := newResult("part"), newResult("result")
	must[bool](t)(s.PutPart(ctx, id, 0, 0, part))
	must[bool](t)(s.PutResult(ctx, id, 0, result))
	check(t, s.Close())

	s = open()
	t.Cleanup(func() { _ = s.Close() })
	if again := must[[]byte](t)(s.Secret(ctx)); !bytes.Equal(again, secret) {
		t.Error("the secret is another")
	}
	wantRecord(t, s, waiting, r)
	_, _, err := s.Job(ctx, removed.ID)
	wantError(t, "Job that was removed", err, jobs.ErrNotFound)
	if got := must[[]byte](t)(s.Input(ctx, id, 0)); string(got) != "in" {
		t.Errorf("input %q", got)
	}
	if n := must[int](t)(s.AddAttempt(ctx, id, 0, 0)); n != 3 {
		t.Errorf("attempt %d, want 3", n)
	}
	if p := must[*jobs.Result](t)(s.Part(ctx, id, 0, 0)); !reflect.DeepEqual(p, part) {
		t.Errorf("part %+v", p)
	}
	if p := must[*jobs.Result](t)(s.Result(ctx, id, 0)); !reflect.DeepEqual(p, result) {
		t.Errorf("result %+v", p)
	}
	if first, err := s.PutResult(ctx, id, 0, part); first || err != nil {
		t.Errorf("a second result: %t, %v", first, err)
	}
	wantResults(t, s, id, map[int]jobs.Summary{0: result.Summary})
	check(t, s.Enqueue(ctx, id, waiting.Accepted))
	// Both jobs are there, the one that was held at the latest when its lease ends.
	got := map[jobs.ID]bool{}
	for range 2 {
		take, cancel := context.WithTimeout(ctx, patience)
		q, err := s.AcquireJob(take)
		cancel()
		check(t, err)
		got[q.ID] = true
		check(t, q.Ack(ctx))
	}
	if !got[held.ID] || !got[id] {
		t.Errorf("took %v", got)
	}
	wantNoJob(t, s, 100*time.Millisecond)
	check(t, s.Remove(ctx, held.ID))
	check(t, s.Remove(ctx, id))
	return s
}

func testClose(t *testing.T, s jobs.Store) {
	ctx := contextOf(t)
	ended := map[string]chan error{}
	for name, f := range map[string]func() error{
		"AcquireJob":   func() error { _, err := s.AcquireJob(ctx); return err },
		"AcquireItem":  func() error { _, err := s.AcquireItem(ctx, []int{0, 4}); return err },
		"Watch":        func() error { return s.Watch(ctx, func(jobs.Change) {}) },
		"WatchResults": func() error { return s.WatchResults(ctx, nil, func(jobs.ID, int, *jobs.Summary) {}) },
		"Subscribe":    func() error { return s.Subscribe(ctx, func(*jobs.Signal) {}) },
	} {
		c := make(chan error, 1)
		ended[name] = c
		go func() { c <- f() }()
	}
	time.Sleep(50 * time.Millisecond)
	check(t, s.Close())
	for name, c := range ended {
		wantError(t, name+" while the store is closed", next(t, c), jobs.ErrUnavailable)
	}
	check(t, s.Close())
	for name, err := range callAll(ctx, s, newJob()) {
		wantError(t, name+" after Close", err, jobs.ErrUnavailable)
	}
}

// testFull fills a store, which must say so, keep what it has, and take more when there is room.
func testFull(t *testing.T, s jobs.Store) {
	defer s.Close()
	ctx := contextOf(t)
	j := newJob()
	must[jobs.Revision](t)(s.Create(ctx, j))
	noise := make([]byte, 64<<10)
	x := uint32(1)
	for i := range noise { // that does not compress
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		noise[i] = byte(x >> 11)
	}
	stored := 0
	for {
		err := s.PutInput(ctx, j.ID, stored, noise)
		if errors.Is(err, jobs.ErrFull) {
			break
		}
		check(t, err)
		if stored++; stored > 64 {
			t.Fatal("4 MiB are in a store of one")
		}
	}
	if stored < 4 {
		t.Errorf("the store was full with %d KiB", stored*64)
	}
	// There may be room left for the results of what was accepted, but not for any number.
	results := 0
	for {
		_, err := s.PutResult(ctx, j.ID, results, &jobs.Result{Summary: jobs.Summary{V: jobs.V}, Text: noise})
		if errors.Is(err, jobs.ErrFull) {
			break
		}
		check(t, err)
		if results++; results > 64 {
			t.Fatal("4 MiB of results are in a full store of one")
		}
	}
	if n := must[int](t)(s.CountInput(ctx, j.ID)); n != stored {
		t.Errorf("%d chunks in a full store, want %d", n, stored)
	}
	for chunk := range stored {
		if got := must[[]byte](t)(s.Input(ctx, j.ID, chunk)); !bytes.Equal(got, noise) {
			t.Errorf("chunk %d of a full store has changed", chunk)
		}
	}
	_, err := s.Result(ctx, j.ID, results)
	wantError(t, "Result of a full store", err, jobs.ErrNotFound)

	check(t, s.DropInput(ctx, j.ID))
	first, err := s.PutResult(ctx, j.ID, results, &jobs.Result{Summary: jobs.Summary{V: jobs.V}, Text: noise})
	if !first || err != nil {
		t.Errorf("PutResult when there is room again: %t, %v", first, err)
	}
}
