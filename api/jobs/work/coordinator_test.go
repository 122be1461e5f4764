package work_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/wire"
)

// An env is a store, and what happens to it.
type dispatchEnv struct {
	*testing.T
	ctx   context.Context
	store *hooked
	sum   events
}

func newDispatchEnv(t *testing.T) *dispatchEnv {
	e := &dispatchEnv{T: t, ctx: t.Context(), store: &hooked{Store: storetest.NewMemory(storetest.MemoryOptions{})}}
	t.Cleanup(func() { _ = e.store.Close() })
	return e
}

// A hooked Store asks a test before it does something.
type hooked struct {
	jobs.Store
	dispatch     func(it *jobs.Item) error       // an item is dropped if it returns errDrop
	acquiredJob  func(q *jobs.QueuedJob)         // after one was taken
	update       func(j *jobs.Job) error         // before
	remove       func(id jobs.ID)                // before
	watch        func(ctx context.Context) error // before
	acquiredItem func(q *jobs.QueuedItem)
	hides        func(chunk int) bool // from Results
	slow         jobs.ID              // the news that it failed, or was removed, comes late
	stoppedTill  chan struct{}
	mu           sync.Mutex
}

var errDrop = errors.New("dropped")

// stop has all calls that change something wait until goOn, as in a process that gets no time.
func (s *hooked) stop() { s.mu.Lock(); defer s.mu.Unlock(); s.stoppedTill = make(chan struct{}) }
func (s *hooked) goOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.stoppedTill)
	s.stoppedTill = nil
}

func (s *hooked) wait(ctx context.Context) error {
	s.mu.Lock()
	till := s.stoppedTill
	s.mu.Unlock()
	if till == nil {
		return nil
	}
	select {
	case <-till:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *hooked) Dispatch(ctx context.Context, it *jobs.Item) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	if s.dispatch != nil {
		if err := s.dispatch(it); errors.Is(err, errDrop) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return s.Store.Dispatch(ctx, it)
}

func (s *hooked) AcquireJob(ctx context.Context) (*jobs.QueuedJob, error) {
	q, err := s.Store.AcquireJob(ctx)
	if err == nil {
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
		if s.acquiredJob != nil {
			s.acquiredJob(q)
		}
		q.Lease = &hookedLease{q.Lease, s}
	}
	return q, err
}

func (s *hooked) AcquireItem(ctx context.Context, classes []int) (*jobs.QueuedItem, error) {
	q, err := s.Store.AcquireItem(ctx, classes)
	if err == nil && s.acquiredItem != nil {
		s.acquiredItem(q)
	}
	return q, err
}

func (s *hooked) Update(ctx context.Context, j *jobs.Job, last jobs.Revision) (jobs.Revision, error) {
	if err := s.wait(ctx); err != nil {
		return 0, err
	}
	if s.update != nil {
		if err := s.update(j); err != nil {
			return 0, err
		}
	}
	return s.Store.Update(ctx, j, last)
}

func (s *hooked) Remove(ctx context.Context, id jobs.ID) error {
	if s.remove != nil {
		s.remove(id)
	}
	return s.Store.Remove(ctx, id)
}

func (s *hooked) Results(ctx context.Context, id jobs.ID, found func(int, *jobs.Summary)) error {
	return s.Store.Results(ctx, id, func(chunk int, sum *jobs.Summary) {
		if s.hides == nil || !s.hides(chunk) {
			found(chunk, sum)
		}
	})
}

func (s *hooked) Watch(ctx context.Context, changed func(jobs.Change)) error {
	if s.watch != nil {
		if err := s.watch(ctx); err != nil {
			return err
		}
	}
	return s.Store.Watch(ctx, func(c jobs.Change) {
		s.mu.Lock()
		slow := s.slow
		s.mu.Unlock()
		if c.ID != "" && c.ID == slow && (c.Job == nil || c.Job.State == jobs.Failed) {
			time.Sleep(10 * time.Minute)
		}
		changed(c)
	})
}

type hookedLease struct {
	jobs.Lease
	s *hooked
}

func (l *hookedLease) Extend(ctx context.Context) error {
	if err := l.s.wait(ctx); err != nil {
		return err
	}
	return l.Lease.Extend(ctx)
}

func (l *hookedLease) Ack(ctx context.Context) error {
	if err := l.s.wait(ctx); err != nil {
		return err
	}
	return l.Lease.Ack(ctx)
}

func (l *hookedLease) Nak(ctx context.Context, d time.Duration) error {
	if err := l.s.wait(ctx); err != nil {
		return err
	}
	return l.Lease.Nak(ctx, d)
}

// A counter is an Observer of coordinators and workers.
type events struct {
	mu                                               sync.Mutex
	dispatched, redelivered, missing, newer, refused int
	attempts, attemptsAgain, answered                int
	items                                            int
	finished                                         map[jobs.State]int
}

func (c *events) add(f func()) { c.mu.Lock(); defer c.mu.Unlock(); f() }

func (c *events) get(f func(c *events) int) int { c.mu.Lock(); defer c.mu.Unlock(); return f(c) }

func (c *events) Dispatched(_ int, again bool) {
	c.add(func() {
		if again {
			c.redelivered++
		} else {
			c.dispatched++
		}
	})
}
func (c *events) ItemDone(int, time.Duration) { c.add(func() { c.items++ }) }
func (c *events) Finished(_ jobs.Kind, s jobs.State, _ time.Duration) {
	c.add(func() {
		if c.finished == nil {
			c.finished = map[jobs.State]int{}
		}
		c.finished[s]++
	})
}
func (c *events) Missing(n int) { c.add(func() { c.missing += n }) }
func (c *events) Newer()        { c.add(func() { c.newer++ }) }
func (c *events) Began(_ int, again bool) {
	c.add(func() {
		if again {
			c.attemptsAgain++
		} else {
			c.attempts++
		}
	})
}
func (c *events) Answered(string) { c.add(func() { c.answered++ }) }
func (c *events) GaveUp()         {}
func (c *events) Duplicate()      { c.add(func() { c.refused++ }) }

func (e *dispatchEnv) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(coordinatorLog{e.T}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

type coordinatorLog struct{ t *testing.T }

func (w coordinatorLog) Write(p []byte) (int, error) { w.t.Logf("%s", p); return len(p), nil }

// coordinator runs one until stop is called.
func (e *dispatchEnv) coordinator(o work.CoordinatorOptions) (c *work.Coordinator, stop func()) {
	e.Helper()
	if o.Store == nil {
		o.Store = e.store
	}
	o.Observer, o.Logger = &e.sum, e.logger()
	c, err := work.NewCoordinator(o)
	if err != nil {
		e.Fatal(err)
	}
	return c, e.run(c.Run)
}

// worker runs one whose lines take a time each.
func (e *dispatchEnv) worker(name string, places int, line time.Duration, classes ...int) (stop func()) {
	e.Helper()
	w, err := work.NewWorker(work.WorkerOptions{Store: e.store, Name: name, Slots: places, Classes: classes,
		Observer: &e.sum, Logger: e.logger(),
		Answer: func(ctx context.Context, _ *jobs.Item, l jobs.Line, _ func([]byte)) answer.Line {
			select {
			case <-time.After(line):
				return numberedReply(l.Number)
			case <-ctx.Done():
				return answer.Line{Ended: true}
			}
		}})
	if err != nil {
		e.Fatal(err)
	}
	return e.run(w.Run)
}

func (e *dispatchEnv) run(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(e.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := run(ctx); !errors.Is(err, context.Canceled) {
			e.Errorf("Run: %v", err)
		}
	}()
	stop = func() { cancel(); <-done }
	e.Cleanup(stop)
	return stop
}

func numberedReply(n int) answer.Line {
	return answer.Line{Envelope: wire.Envelope{Line: n, Answer: wire.Fields(`"a":0`)},
		Verdict: []string{"mate", "nomate", "unknown", ""}[n%4], Nodes: uint64(n)}
}

// submit accepts a job of so many chunks, each of so many lines.
func (e *dispatchEnv) submit(chunks, lines int, change ...func(j *jobs.Job)) jobs.ID {
	e.Helper()
	j := &jobs.Job{V: jobs.V, ID: jobs.NewID(), Kind: jobs.Collection, Ask: jobs.AskSolve, State: jobs.Receiving,
		Client: "client", Class: "class", Created: time.Now(), Keep: time.Hour}
	for _, f := range change {
		f(j)
	}
	_, err := e.store.Create(e.ctx, j)
	number := 0
	for i := range chunks {
		var c jobs.Chunk
		for range lines {
			number++
			c = append(c, jobs.Line{Number: number, Text: []byte("x")})
		}
		err = errors.Join(err, e.store.PutInput(e.ctx, j.ID, i, c.Encode()))
	}
	a := jobs.Accepted{Lines: chunks * lines, Chunks: chunks, Bytes: int64(chunks * lines), Digest: "digest"}
	if err = errors.Join(err, e.store.Enqueue(e.ctx, j.ID, a)); err != nil {
		e.Fatal(err)
	}
	return j.ID
}

func (e *dispatchEnv) job(id jobs.ID) *jobs.Job {
	e.Helper()
	j, _, err := e.store.Job(e.ctx, id)
	if err != nil {
		e.Fatal(err)
	}
	return j
}

// until waits until a job is in a state.
func (e *dispatchEnv) until(id jobs.ID, state jobs.State, patience time.Duration) *jobs.Job {
	e.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(max(50*time.Millisecond, patience/1000)) {
		j := e.job(id)
		if j.State == state {
			return j
		}
		if time.Now().After(end) || j.State.Ended() {
			e.Fatalf("job is %s, %+v after %v", j.State, j, patience)
		}
	}
}

// done waits for a job and wants all of it to be right, with one answer to each line.
func (e *dispatchEnv) done(id jobs.ID, patience time.Duration) *jobs.Job {
	e.Helper()
	j := e.until(id, jobs.Done, patience)
	var counts jobs.Counts
	nodes, bytes := uint64(0), int64(0)
	number := 0
	for i := range j.Chunks {
		last, err := e.store.Result(e.ctx, id, i)
		if err != nil {
			e.Fatalf("chunk %d: %v", i, err)
		}
		text := ""
		for k := range last.Parts {
			p, err := e.store.Part(e.ctx, id, i, k)
			if err != nil {
				e.Fatalf("chunk %d, part %d: %v", i, k, err)
			}
			text += string(p.Text)
		}
		text += string(last.Text)
		want := ""
		for range j.Lines / j.Chunks {
			number++
			r := numberedReply(number)
			want += string(r.AppendLine(nil))
			counts.Count(r.Verdict)
			nodes += r.Nodes
		}
		if text != want {
			e.Errorf("chunk %d: got %s, want %s", i, text, want)
		}
		bytes += int64(len(want))
	}
	if j.Counts != counts || j.Nodes != nodes || j.OutBytes != bytes || j.DoneChunks != j.Chunks ||
		number != j.Lines || j.Failure != nil || j.Started.IsZero() || j.Finished.Before(j.Started) {
		e.Errorf("record %+v, want %+v, %d nodes, %d bytes", j, counts, nodes, bytes)
	}
	synctest.Wait()
	if n, err := e.store.CountInput(e.ctx, id); n != 0 || err != nil {
		e.Errorf("%d chunks of input are left, %v", n, err)
	}
	return j
}

// noJob wants the queue of jobs to be empty.
func (e *dispatchEnv) noJob() {
	e.Helper()
	ctx, cancel := context.WithTimeout(e.ctx, time.Hour)
	defer cancel()
	if q, err := e.store.AcquireJob(ctx); err == nil {
		e.Errorf("job %v is still in the queue", q.ID)
	}
}

func inBubble(t *testing.T, f func(e *dispatchEnv)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(newDispatchEnv(t)) })
}

func inNamedBubble(t *testing.T, name string, f func(e *dispatchEnv)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { f(newDispatchEnv(t)) }) })
}

func TestJobs(t *testing.T) {
	if c, err := work.NewCoordinator(work.CoordinatorOptions{}); err == nil {
		t.Errorf("%v without a store", c)
	}
	inNamedBubble(t, "collection", func(e *dispatchEnv) {
		_, stop := e.coordinator(work.CoordinatorOptions{})
		stopA, stopB := e.worker("a", 2, time.Second), e.worker("b", 1, time.Second)
		id := e.submit(7, 5)
		j := e.done(id, time.Minute)
		if j.Lines != 35 || j.Digest != "digest" || j.Bytes != 35 {
			t.Errorf("%+v", j)
		}
		stopA()
		stopB()
		stop()
		e.noJob()
		if e.sum.dispatched != 7 || e.sum.items != 7 || e.sum.finished[jobs.Done] != 1 ||
			e.sum.redelivered+e.sum.refused+e.sum.attemptsAgain != 0 {
			t.Errorf("%+v", &e.sum)
		}
	})
	inNamedBubble(t, "empty", func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		e.done(e.submit(0, 0), time.Second)
	})
	inNamedBubble(t, "before the coordinator", func(e *dispatchEnv) {
		e.worker("a", 2, time.Second)
		id := e.submit(2, 2)
		time.Sleep(time.Hour)
		e.coordinator(work.CoordinatorOptions{})
		e.done(id, time.Minute)
	})
}

// An item that vanished is dispatched again once a worker would have acquired it, and not before.
func TestLostItem(t *testing.T) {
	drop := func(e *dispatchEnv, chunk int) {
		dropped := false
		var job jobs.ID // the first one
		e.store.dispatch = func(it *jobs.Item) error {
			if job == "" {
				job = it.Job
			}
			if it.Job != job {
				return nil
			}
			if it.Chunk == chunk && !dropped {
				dropped = true
				return errDrop
			}
			if it.Redelivered != (it.Chunk == chunk) {
				e.Errorf("item %+v", it)
			}
			return nil
		}
	}
	inNamedBubble(t, "free worker", func(e *dispatchEnv) {
		drop(e, 1)
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 2, time.Second)
		id := e.submit(3, 2)
		e.done(id, jobs.LeaseTime+5*jobs.HeartbeatTime)
		if e.sum.redelivered != 1 {
			t.Errorf("%d times again", e.sum.redelivered)
		}
	})
	inNamedBubble(t, "busy worker", func(e *dispatchEnv) {
		drop(e, 1)
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, 10*time.Minute)
		id := e.submit(5, 2)
		e.submit(100, 2) // so that the worker never has a free place
		e.done(id, 5*time.Hour)
		if e.sum.redelivered != 1 {
			t.Errorf("%d times again", e.sum.redelivered)
		}
	})
	inNamedBubble(t, "nobody", func(e *dispatchEnv) {
		drop(e, 1)
		e.coordinator(work.CoordinatorOptions{})
		id := e.submit(5, 2)
		time.Sleep(5 * time.Hour)
		if e.sum.redelivered != 0 {
			t.Errorf("%d times again without a worker", e.sum.redelivered)
		}
		e.worker("a", 1, time.Second)
		e.done(id, 2*time.Minute)
	})
	inNamedBubble(t, "waits for its turn", func(e *dispatchEnv) {
		c, _ := e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 2, time.Hour)
		ids := []jobs.ID{e.submit(3, 2), e.submit(3, 2), e.submit(3, 2)}
		time.Sleep(30 * time.Minute)
		s := c.Stats()
		if s.Dispatched[0] < 6 || s.Dispatched[0]+s.Waiting[0] != 9 || s.Working != 3 || s.NotAdmitted != 0 ||
			s.Workers[0] != 1 || s.Slots != 2 || s.Oldest != 30*time.Minute {
			t.Errorf("%+v", s)
		}
		for _, id := range ids {
			e.done(id, 10*time.Hour)
		}
		if e.sum.redelivered != 0 || e.sum.refused != 0 || e.sum.dispatched != 9 {
			t.Errorf("%+v", &e.sum)
		}
	})
}

// A result that is lost while its job runs is worked out again, also if the record was mended.
func TestLostResult(t *testing.T) {
	inNamedBubble(t, "one that a late replica does not have", func(e *dispatchEnv) {
		until := time.Now().Add(2 * time.Minute)
		e.store.hides = func(chunk int) bool { return chunk == 0 && time.Now().Before(until) }
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		e.done(e.submit(3, 1), 10*time.Minute)
	})
	inNamedBubble(t, "lost", func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Minute)
		id := e.submit(3, 1)
		for e.job(id).DoneChunks < 2 {
			time.Sleep(time.Second)
		}
		e.store.Store.(*storetest.Memory).LoseResult(id, 0)
		j, rev, err := e.store.Job(e.ctx, id)
		if err == nil {
			j.DoneChunks = 1
			_, err = e.store.Update(e.ctx, j, rev)
		}
		if err != nil {
			e.Fatal(err)
		}
		e.done(id, 10*time.Minute)
		if e.sum.redelivered != 0 || e.sum.dispatched != 4 {
			t.Errorf("%+v", &e.sum)
		}
	})
}

// TestParked: items that come again and again, since they cannot leave the slot, are not
// lost and leave the slot to short ones, however many they are.
func TestParked(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		var short atomic.Value // the job
		w, err := work.NewWorker(work.WorkerOptions{Store: e.store, Name: "a", Slots: 1, LongItems: 2,
			Observer: &e.sum,
			Answer: func(ctx context.Context, it *jobs.Item, l jobs.Line, report func([]byte)) answer.Line {
				if it.Job == short.Load() {
					return numberedReply(l.Number)
				}
				for ctx.Err() == nil {
					time.Sleep(250 * time.Millisecond)
					report(nil)
					report([]byte("waiting"))
				}
				return answer.Line{Ended: true}
			}})
		if err != nil {
			t.Fatal(err)
		}
		e.run(w.Run)
		for range 30 {
			e.submit(2, 1)
		}
		time.Sleep(10 * time.Minute)
		if e.sum.redelivered > 0 {
			t.Errorf("%d items were taken for lost", e.sum.redelivered)
		}
		id := e.submit(2, 5, func(j *jobs.Job) { short.Store(j.ID) })
		e.done(id, 5*time.Second)
	})
}

// What a store cannot take is dispatched when it can.
func TestItemRefused(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		until := time.Now().Add(time.Minute)
		e.store.dispatch = func(*jobs.Item) error {
			if time.Now().Before(until) {
				return jobs.ErrUnavailable
			}
			return nil
		}
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		e.done(e.submit(3, 2), 2*time.Minute)
		if e.sum.dispatched != 3 || e.sum.redelivered != 0 {
			t.Errorf("%+v", &e.sum)
		}
	})
}

// Two coordinators of one job, two workers of one item: nothing is there twice.
func TestDoubled(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		first := &hooked{Store: e.store.Store, acquiredJob: func(q *jobs.QueuedJob) {
			if err := q.Nak(e.ctx, time.Second); err != nil { // so the other one gets it as well
				t.Error(err)
			}
		}}
		ctx, stop := context.WithCancel(e.ctx)
		defer stop()
		c, err := work.NewCoordinator(work.CoordinatorOptions{Store: &once{Store: first}, Observer: &e.sum})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = c.Run(ctx) }()
		e.worker("a", 2, time.Second)
		e.worker("b", 2, time.Second)
		id := e.submit(9, 3)
		time.Sleep(time.Second / 2)
		e.coordinator(work.CoordinatorOptions{})
		e.done(id, time.Minute)
		time.Sleep(time.Minute)
		e.done(id, 0)
		if e.sum.dispatched <= 9 {
			t.Errorf("%d items", e.sum.dispatched)
		}
		if e.sum.finished[jobs.Done] != 1 {
			t.Errorf("finished %v times", e.sum.finished)
		}
	})
}

// A once Store lets one job be taken.
type once struct {
	jobs.Store
	taken bool
}

func (s *once) AcquireJob(ctx context.Context) (*jobs.QueuedJob, error) {
	if s.taken {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s.taken = true
	return s.Store.AcquireJob(ctx)
}

// A coordinator that is silent for longer than its lease is replaced. What is done stays, and when
// it comes back it does no harm.
func TestSilentCoordinator(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		silent := &hooked{Store: e.store.Store}
		e.coordinator(work.CoordinatorOptions{Store: silent})
		e.worker("a", 1, time.Second)
		id := e.submit(40, 3)
		time.Sleep(20 * time.Second)
		silent.stop()
		e.coordinator(work.CoordinatorOptions{})
		time.Sleep(jobs.LeaseTime + 20*time.Second)
		silent.goOn()
		e.done(id, 5*time.Minute)
		time.Sleep(time.Minute)
		e.done(id, 0)
		if e.sum.answered > 120+6 {
			t.Errorf("%d answers to 120 lines", e.sum.answered)
		}
	})
}

// While the store does not answer, the leases that are not extended are one line in the log.
func TestSlowLeases(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		var log bytes.Buffer
		c, err := work.NewCoordinator(work.CoordinatorOptions{Store: e.store,
			Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		stop := e.run(c.Run)
		for range 20 {
			e.submit(1, 1)
		}
		time.Sleep(time.Second)
		e.store.stop()
		time.Sleep(jobs.LeaseTime - 2*time.Second) // the leases have not ended
		e.store.goOn()
		stop()
		if n := strings.Count(log.String(), "could not be extended"); n != 1 {
			t.Errorf("%d lines:\n%s", n, &log)
		}
	})
}

// A coordinator that leaves gives its jobs back at once.
func TestLeavesJob(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		e.store.update = func(j *jobs.Job) error {
			if j.State == jobs.Queued {
				t.Error("the job waits again")
			}
			return nil
		}
		// That it runs already does not keep the job from going on.
		o := work.CoordinatorOptions{ActiveQuota: func(string) int { return 1 }}
		_, stop := e.coordinator(o)
		e.worker("a", 1, time.Second)
		id := e.submit(10, 3)
		time.Sleep(10 * time.Second)
		stop()
		e.coordinator(o)
		e.done(id, 25*time.Second)
		if e.sum.answered != 30 {
			t.Errorf("%d answers to 30 lines", e.sum.answered)
		}
	})
}

func TestCancelJob(t *testing.T) {
	end := map[string]func(e *dispatchEnv, id jobs.ID) error{
		"cancelled": func(e *dispatchEnv, id jobs.ID) error {
			j, rev, err := e.store.Job(e.ctx, id)
			if err != nil {
				return err
			}
			j.State, j.Finished = jobs.Cancelled, time.Now()
			_, err = e.store.Update(e.ctx, j, rev)
			if errors.Is(err, jobs.ErrConflict) {
				e.Error("conflict")
			}
			return err
		},
		"removed": func(e *dispatchEnv, id jobs.ID) error { return e.store.Remove(e.ctx, id) },
	}
	for how, f := range end {
		for _, when := range []string{"running", "waiting", "given back"} {
			inNamedBubble(t, how+" while "+when, func(e *dispatchEnv) {
				o := work.CoordinatorOptions{ActiveQuota: func(string) int { return 1 }, MaxActive: 5}
				_, stop := e.coordinator(o)
				stopW := e.worker("a", 1, time.Second)
				id := e.submit(10, 3)
				time.Sleep(time.Second)
				later := 1
				switch when {
				case "waiting":
					later = 2
				case "given back":
					later = 8
				}
				for range later {
					time.Sleep(time.Millisecond)
					id = e.submit(3, 3)
				}
				if when == "running" {
					id = e.runningJob()
				}
				time.Sleep(3500 * time.Millisecond)
				answered := e.sum.get(func(c *events) int { return c.answered })
				if err := f(e, id); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second / 2)
				if n := e.sum.get(func(c *events) int { return c.answered }); when == "running" && n > answered+1 {
					t.Errorf("%d answers, %d before", n, answered)
				}
				if j, _, err := e.store.Job(e.ctx, id); err == nil && j.State != jobs.Cancelled ||
					err != nil && (how != "removed" || !errors.Is(err, jobs.ErrNotFound)) {
					t.Errorf("%+v, %v", j, err)
				}
				time.Sleep(15 * time.Minute) // and the others are done
				stop()
				stopW()
				e.noJob()
				if n, err := e.store.CountInput(e.ctx, id); n != 0 || err != nil {
					t.Errorf("%d chunks of input, %v", n, err)
				}
				if n := e.sum.finished[jobs.Cancelled]; (n == 1) != (how == "cancelled") {
					t.Errorf("%d cancelled", n)
				}
			})
		}
	}
}

// runningJob returns the ID of the job that runs.
func (e *dispatchEnv) runningJob() (id jobs.ID) {
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	_ = e.store.Watch(ctx, func(c jobs.Change) {
		if c.ID == "" {
			cancel()
		} else if c.Job != nil && c.Job.State == jobs.Running {
			id = c.ID
		}
	})
	return id
}

// Who cancels a job at the moment at which its record is written has the last word.
func TestCancelFirst(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		cancelled := jobs.State("")
		e.store.update = func(j *jobs.Job) error {
			if j.State == jobs.Receiving || cancelled == j.State || j.Client != string(j.State) {
				return nil
			}
			cancelled = j.State
			now, rev, err := e.store.Job(e.ctx, j.ID)
			if err != nil {
				return err
			}
			now.State, now.Finished = jobs.Cancelled, time.Now()
			_, err = e.store.Store.Update(e.ctx, now, rev)
			return err
		}
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		for _, state := range []jobs.State{jobs.Running, jobs.Done} {
			id := e.submit(2, 2, func(j *jobs.Job) { j.Client = string(state) })
			time.Sleep(time.Minute)
			if j := e.job(id); j.State != jobs.Cancelled || cancelled != state {
				t.Errorf("%s while it was written as %s", j.State, cancelled)
			}
			if n, err := e.store.CountInput(e.ctx, id); n != 0 || err != nil {
				t.Errorf("%d chunks of input, %v", n, err)
			}
		}
	})
}

// A client has as many active jobs as its class may have, and others do not wait for it.
func TestQuota(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		running := map[jobs.ID]string{}
		most := map[string]int{}
		go func() {
			_ = e.store.Watch(e.ctx, func(c jobs.Change) {
				delete(running, c.ID)
				if c.Job == nil || c.Job.State != jobs.Running {
					return
				}
				running[c.ID] = c.Job.Client
				n := 0
				for _, name := range running {
					if name == c.Job.Client {
						n++
					}
				}
				most[c.Job.Client] = max(most[c.Job.Client], n)
			})
		}()
		quota := func(class string) int { return map[string]int{"two": 2}[class] }
		e.coordinator(work.CoordinatorOptions{ActiveQuota: quota, MaxActive: 20})
		e.worker("a", 4, time.Second)
		var ids []jobs.ID
		for i := range 60 {
			class := "two"
			if i%6 == 5 {
				class = "any"
			}
			ids = append(ids, e.submit(2, 5, func(j *jobs.Job) { j.Client, j.Class = class, class }))
		}
		last := e.submit(1, 1, func(j *jobs.Job) { j.Client, j.Class = "new", "two" })
		e.done(last, time.Minute)
		for _, id := range ids[:20] {
			if j := e.job(id); j.State == jobs.Receiving {
				t.Errorf("job of %s is %s", j.Client, j.State)
			}
		}
		for _, id := range ids {
			e.until(id, jobs.Done, 20*time.Minute)
		}
		if most["two"] != 2 || most["any"] < 5 || most["new"] != 1 {
			t.Errorf("active at once: %v", most)
		}
	})
}

// A collection delays a single job by a window, not by its length.
func TestFairness(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 2, time.Second) // an item of 10 lines takes 10 s
		big := e.submit(200, 10)
		time.Sleep(2 * time.Minute)
		var ids []jobs.ID
		begin := time.Now()
		for range 20 {
			ids = append(ids, e.submit(1, 1))
		}
		for _, id := range ids {
			j := e.done(id, time.Hour)
			// A window is 4 items, 20 s; behind it are no more than 20 single ones and as much of
			// the collection as is dispatched between them.
			if d := j.Finished.Sub(begin); d > 3*20*time.Second {
				t.Errorf("a single job took %v", d)
			}
		}
		if j := e.job(big); j.State != jobs.Running || j.DoneChunks < 20 {
			t.Errorf("the collection is %+v", j)
		}
	})
}

// The window follows the places of the workers, the active jobs and the priority.
func TestWindow(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		c, _ := e.coordinator(work.CoordinatorOptions{})
		out := func(want int) {
			t.Helper()
			time.Sleep(3 * time.Second)
			if n := c.Stats().Dispatched[0]; n != want {
				t.Errorf("%d items are out, want %d", n, want)
			}
		}
		one := e.submit(1000, 10)
		out(2)
		stop := e.worker("a", 8, time.Minute)
		out(16)
		e.submit(1000, 10)
		time.Sleep(40 * time.Minute) // until what is out above the new window is done
		out(16)
		e.submit(10, 10, func(j *jobs.Job) { j.Priority = -1 })
		time.Sleep(40 * time.Minute)
		out(5 + 5 + 1)
		if err := e.store.Remove(e.ctx, one); err != nil {
			t.Fatal(err)
		}
		out(8 + 1)
		stop()
	})
}

// 500 jobs leave nothing behind but their records and results, and those until they expire.
func TestLeak(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		_, stop := e.coordinator(work.CoordinatorOptions{ActiveQuota: func(string) int { return 7 }})
		stopW := e.worker("a", 4, 10*time.Millisecond)
		ids := map[jobs.ID]bool{}
		for i := range 500 {
			ids[e.submit(1+i%3, 2)] = true
		}
		for id := range ids {
			e.done(id, 20*time.Minute)
		}
		time.Sleep(20 * time.Hour)
		for id := range ids {
			e.job(id)
		}
		time.Sleep(6 * time.Hour)
		if s, err := e.store.Status(e.ctx); err != nil || s.Bytes != 0 {
			t.Errorf("%d bytes are left, %v", s.Bytes, err)
		}
		stop()
		stopW()
		e.noJob()
	})
}

// Input or a record that was lost is said.
func TestStoreLost(t *testing.T) {
	inNamedBubble(t, "chunk", func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		id := e.submit(3, 2)
		short := &jobs.Job{V: jobs.V, ID: jobs.NewID(), State: jobs.Receiving, Keep: time.Hour}
		_, err := e.store.Create(e.ctx, short)
		err = errors.Join(err, e.store.PutInput(e.ctx, short.ID, 0, jobs.Chunk{{Number: 1}}.Encode()),
			e.store.Enqueue(e.ctx, short.ID, jobs.Accepted{Lines: 2, Chunks: 2}))
		if err != nil {
			t.Fatal(err)
		}
		if j := e.until(short.ID, jobs.Failed, time.Minute); j.Failure == nil || j.Finished.IsZero() || e.sum.missing != 1 {
			t.Errorf("%+v, %d missing", j, e.sum.missing)
		}
		e.done(id, time.Minute)
	})
	inNamedBubble(t, "chunk later", func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		id := e.submit(9, 10)
		time.Sleep(15 * time.Second)
		if err := e.store.DropInput(e.ctx, id); err != nil {
			t.Fatal(err)
		}
		if j := e.until(id, jobs.Failed, 5*time.Minute); j.Failure == nil || j.DoneChunks == 0 {
			t.Errorf("%+v", j)
		}
	})
	inNamedBubble(t, "record", func(e *dispatchEnv) {
		_, stop := e.coordinator(work.CoordinatorOptions{})
		id := jobs.NewID()
		if err := e.store.Enqueue(e.ctx, id, jobs.Accepted{Lines: 2, Chunks: 2}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if j := e.job(id); j.State != jobs.Failed || j.Failure == nil || j.Lines != 2 {
			t.Errorf("%+v", j)
		}
		stop()
		e.noJob()
	})
}

// An input that never was complete ends after an hour; a message that comes after all counts.
func TestIncomplete(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		start := func() jobs.ID {
			id := jobs.NewID()
			_, err := e.store.Create(e.ctx, &jobs.Job{V: jobs.V, ID: id, State: jobs.Receiving, Keep: time.Hour,
				Created: time.Now().Add(-1000 * time.Hour)}) // another clock
			c := jobs.Chunk{{Number: 1, Text: []byte("x")}, {Number: 2, Text: []byte("x")}}
			if err = errors.Join(err, e.store.PutInput(e.ctx, id, 0, c.Encode())); err != nil {
				t.Fatal(err)
			}
			return id
		}
		never, late := start(), start()
		time.Sleep(55 * time.Minute)
		if j := e.job(never); j.State != jobs.Receiving {
			t.Errorf("%s after less than an hour", j.State)
		}
		time.Sleep(10 * time.Minute)
		if j := e.job(never); j.State != jobs.Failed || j.Failure == nil || j.Failure.Code != "upload_incomplete" {
			t.Errorf("%+v", j)
		}
		if err := e.store.Enqueue(e.ctx, late, jobs.Accepted{Lines: 2, Chunks: 1}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		e.done(late, time.Minute)
		// And the news of the end of an upload may come when the job has begun.
		slow := start()
		e.store.mu.Lock()
		e.store.slow = slow
		e.store.mu.Unlock()
		time.Sleep(62 * time.Minute)
		if j := e.job(slow); j.State != jobs.Failed {
			t.Fatalf("%+v", j)
		}
		if err := e.store.Enqueue(e.ctx, slow, jobs.Accepted{Lines: 2, Chunks: 1}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		e.done(slow, time.Minute)
		time.Sleep(30 * time.Hour)
		if s, err := e.store.Status(e.ctx); err != nil || s.Bytes != 0 {
			t.Errorf("%d bytes are left, %v", s.Bytes, err)
		}
	})
}

// TestLateRemoval: the news that a job was removed does not end a later one under its ID.
func TestLateRemoval(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		id := e.submit(1, 2)
		e.done(id, time.Minute)
		e.store.mu.Lock()
		e.store.slow = id
		e.store.mu.Unlock()
		if err := e.store.Remove(e.ctx, id); err != nil {
			t.Fatal(err)
		}
		e.submit(400, 2, func(j *jobs.Job) { j.ID = id })
		e.done(id, time.Hour)
	})
}

// TestExpired: a job that comes under the ID of one that has expired, while others are removed, is answered.
func TestExpired(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		old := []jobs.ID{e.submit(1, 2), e.submit(1, 2)}
		e.store.remove = func(id jobs.ID) {
			e.store.remove = nil
			for i := range old {
				if old[i] != id {
					if err := e.store.Store.Remove(e.ctx, old[i]); err != nil {
						e.Error(err)
					}
					e.submit(3, 2, func(j *jobs.Job) { j.ID = old[i] })
				}
			}
		}
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 1, time.Second)
		for _, id := range old {
			e.done(id, time.Minute)
		}
		time.Sleep(26 * time.Hour)
		left := 0
		for _, id := range old {
			if j, _, err := e.store.Job(e.ctx, id); err == nil {
				left++
				if j.State != jobs.Done || j.DoneChunks != 3 {
					t.Errorf("%+v", j)
				}
			}
		}
		if left != 1 {
			t.Errorf("%d jobs are left", left)
		}
	})
}

// The record follows the work, but not too often.
func TestProgressOfJob(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		updates := 0
		e.store.update = func(j *jobs.Job) error {
			updates++
			if updates%3 == 0 {
				return jobs.ErrUnavailable
			}
			return nil
		}
		e.coordinator(work.CoordinatorOptions{})
		e.worker("a", 2, 100*time.Millisecond)
		id := e.submit(100, 4)
		time.Sleep(10 * time.Second)
		if j := e.job(id); j.DoneChunks < 30 || j.Counts.Lines() != 4*j.DoneChunks || j.OutBytes == 0 {
			t.Errorf("after 10 s %+v", j)
		}
		e.done(id, time.Minute)
		if updates > 20 {
			t.Errorf("%d updates in 20 s", updates)
		}
	})
}

// A watch that breaks off is begun anew, and what was missed is made up for. Until then each job
// reads its own record, so that those that are over give their places to others.
func TestWatchAgain(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		breaks, cancel := context.WithCancel(e.ctx)
		s := &breaking{hooked: e.store, till: breaks}
		c, _ := e.coordinator(work.CoordinatorOptions{Store: s, ActiveQuota: func(string) int { return 3 }})
		check := func(working, waiting int) {
			t.Helper()
			synctest.Wait()
			if s := c.Stats(); s.Working != working || s.NotAdmitted != waiting {
				t.Errorf("%+v, want %d working, %d waiting", s, working, waiting)
			}
		}
		remove := func(id jobs.ID) {
			t.Helper()
			if err := e.store.Remove(e.ctx, id); err != nil {
				t.Fatal(err)
			}
		}
		e.worker("a", 1, time.Second)
		id := e.submit(10, 3)
		time.Sleep(7 * time.Second) // two chunks are done
		removed, cancelled := e.submit(1000, 3), e.submit(1000, 3)
		time.Sleep(time.Second)
		gone := e.submit(1000, 3)
		time.Sleep(time.Second)
		e.submit(1000, 3)
		check(3, 2)
		s.away.Store(true)
		cancel()
		synctest.Wait()
		remove(removed)
		j, rev, err := e.store.Job(e.ctx, cancelled)
		if err != nil {
			t.Fatal(err)
		}
		j.State, j.Finished = jobs.Cancelled, time.Now()
		if _, err := e.store.Update(e.ctx, j, rev); err != nil {
			t.Fatal(err)
		}
		check(3, 2)
		time.Sleep(jobs.LeaseTime / 3)
		check(3, 0)
		time.Sleep(jobs.LeaseTime / 3)
		remove(gone)
		s.away.Store(false)
		time.Sleep(5 * time.Second) // the watch begins again, and the job has not read its record yet
		check(2, 0)
		e.done(id, 3*time.Minute)
		check(1, 0)
	})
}

// A breaking Store ends its watches with a context.
type breaking struct {
	*hooked
	till context.Context
	away atomic.Bool
}

func (s *breaking) Watch(ctx context.Context, changed func(jobs.Change)) error {
	if s.away.Load() {
		return jobs.ErrUnavailable
	}
	if s.till.Err() != nil {
		return s.hooked.Watch(ctx, changed)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(s.till, cancel)()
	_ = s.hooked.Watch(ctx, changed)
	return jobs.ErrUnavailable
}

func (s *breaking) WatchResults(ctx context.Context, ready func(), found func(jobs.ID, int, *jobs.Summary)) error {
	if s.away.Load() {
		return jobs.ErrUnavailable
	}
	if s.till.Err() != nil {
		return s.hooked.WatchResults(ctx, ready, found)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(s.till, cancel)()
	_ = s.hooked.WatchResults(ctx, ready, found)
	return jobs.ErrUnavailable
}

// The workers that are present are counted by their largest class, until they drain.
func TestPresentWorkers(t *testing.T) {
	inBubble(t, func(e *dispatchEnv) {
		c, _ := e.coordinator(work.CoordinatorOptions{})
		check := func(places int, want map[int]int) {
			t.Helper()
			if s := c.Stats(); !maps.Equal(s.Workers, want) || s.Slots != places {
				t.Errorf("%v with %d places, want %v with %d", s.Workers, s.Slots, want, places)
			}
		}
		check(0, nil)
		stop := e.worker("a", 1, time.Second, 4, 16)
		id := e.submit(1, 1, func(j *jobs.Job) { j.Memory = 64 })
		time.Sleep(jobs.HeartbeatTime + 1) // the first heartbeat may have come before the subscription
		check(1, map[int]int{16: 1})
		stop()
		synctest.Wait()
		check(0, nil)
		e.worker("b", 1, time.Second, 64)
		e.done(id, time.Minute)
		check(1, map[int]int{64: 1})
	})
}
