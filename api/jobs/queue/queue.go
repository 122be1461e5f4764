package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Errors of the package. Those of the Store are returned as well: jobs.ErrNotFound, jobs.ErrFull,
// and jobs.ErrUnavailable.
var (
	// ErrGone says that there was such a job, which was removed.
	ErrGone = errors.New("queue: the job is forgotten")
	// ErrFinished says that the job has ended and cannot be cancelled.
	ErrFinished = errors.New("queue: the job has ended")
	// ErrMismatch says that the idempotency key is that of another job.
	ErrMismatch = errors.New("queue: the idempotency key was used for something else")
	// ErrEmpty says that a body has no line.
	ErrEmpty = errors.New("queue: there is no line")
	// ErrNotDone says that there is no answer yet.
	ErrNotDone = errors.New("queue: there is no answer yet")
	// ErrLost says that the store has lost what a job was answered.
	ErrLost = errors.New("queue: results are missing in the store")
)

// Options are what a Queue is made with. The zero value of each means the default named here.
type Options struct {
	// Classes are the quotas by the name of their class. Default: DefaultClasses.
	Classes map[string]Class
	// IndexBytes is how much memory the indexes of all jobs may take, see indexBytes: beyond it none is
	// accepted. Default: any amount.
	IndexBytes int64
	// Logger gets what an operator should know. Default: none.
	Logger *slog.Logger
	// Timeout is how long a call of the store may take. Default: 10 s.
	Timeout time.Duration
	// Tombstones is for how many removed jobs ErrGone is returned. Default: 100,000.
	Tombstones int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// A Queue accepts jobs and reports on them. It is safe for concurrent use.
type Queue struct {
	store  jobs.Store
	opened chan struct{} // closed once there is a store
	open   sync.Once
	o      Options

	mu      sync.Mutex
	live    bool // the index follows the store
	pass    int  // counts how often it began to follow
	index   map[jobs.ID]*entry
	states  map[jobs.State]int // how many records of index are in each
	indexed int64              // bytes of the indexes of all of them
	active  map[jobs.ID]*entry // those that are queued or running, the few
	workers map[string]worker
	gone    tombstones
	status  jobs.Status
	up      bool // the last Status succeeded
	rate    rate

	secretMu sync.Mutex
	secret   []byte
}

// An entry is what is known of a job.
type entry struct {
	job      *jobs.Job // nil while only an upload of this process is known
	revision jobs.Revision
	pass     int        // in which this process wrote the record
	counted  jobs.State // the state it is counted under, "" for none
	indexed  int64      // bytes that it is counted with
	// accepted is the input that this process enqueued, until the record says so.
	accepted *jobs.Accepted
	// uploading is the input that an upload of this process has stored so far.
	uploading *jobs.Accepted

	// heard is when there was news of the job last, or its record was read again.
	heard time.Time

	progress map[int]*jobs.Progress // the latest of each chunk that is worked on
	latest   *jobs.Progress
	changes  int // counts results and progress
	shown    int // the most lines that were ever reported as done

	changed chan struct{} // closed at the next change
}

// New returns a queue over a store, which is nil if it comes later by Open: until then the methods
// return jobs.ErrUnavailable. List and Stats have nothing before Run.
func New(store jobs.Store, o Options) (*Queue, error) {
	if o.Classes == nil {
		o.Classes = DefaultClasses()
	}
	for name, c := range o.Classes {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("queue: class %q: %w", name, err)
		}
	}
	o.Logger = jobs.LimitLog(cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), nil)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Tombstones = cmp.Or(o.Tombstones, 100_000)
	if o.Now == nil {
		o.Now = time.Now
	}
	q := &Queue{opened: make(chan struct{}), o: o, index: map[jobs.ID]*entry{},
		states: map[jobs.State]int{}, active: map[jobs.ID]*entry{}, workers: map[string]worker{},
		gone: tombstones{most: o.Tombstones}}
	if store != nil {
		q.Open(store)
	}
	return q, nil
}

// Open hands the queue its store, if it has none yet.
func (q *Queue) Open(store jobs.Store) {
	q.open.Do(func() {
		q.store = store
		close(q.opened)
	})
}

// checkOpen returns jobs.ErrUnavailable before Open.
func (q *Queue) checkOpen() error {
	select {
	case <-q.opened:
		return nil
	default:
		return jobs.ErrUnavailable
	}
}

// statusEvery is how often the store is asked for its status.
const statusEvery = 2 * time.Second

// Run follows the store until ctx ends, through all its failures. It waits for Open.
func (q *Queue) Run(ctx context.Context) {
	select {
	case <-q.opened:
	case <-ctx.Done():
		return
	}
	var all sync.WaitGroup
	follow := func(what string, f func(context.Context) error) {
		all.Go(func() { jobs.Follow(ctx, q.o.Logger, what, f) })
	}
	follow("records", q.followRecords)
	follow("signals", func(ctx context.Context) error { return q.store.Subscribe(ctx, q.onSignal) })
	follow("results", func(ctx context.Context) error {
		return q.store.WatchResults(ctx, nil, q.onResult)
	})
	all.Go(func() {
		tick := time.NewTicker(statusEvery)
		defer tick.Stop()
		for {
			q.updateStatus(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	all.Go(func() { q.rereadSilent(ctx) })
	all.Wait()
}

// Of a job that has not ended and of which nothing is heard for silentFor, the record is read again:
// the store may have failed to report a change. At most rereadMost are at each rereadEvery.
const (
	silentFor   = time.Minute
	rereadEvery = 5 * time.Second
	rereadMost  = 64
)

// rereadSilent reads records again until ctx ends.
func (q *Queue) rereadSilent(ctx context.Context) {
	tick := time.NewTicker(rereadEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, id := range q.silent() {
			err := q.reread(ctx, id)
			if ctx.Err() != nil {
				return
			}
			if err != nil && !errors.Is(err, jobs.ErrNewer) {
				q.o.Logger.Warn("the record of a job could not be read again", "job", id.Short(), "error", err)
			}
		}
	}
}

// silent returns the jobs that have been silent for the longest time.
func (q *Queue) silent() []jobs.ID {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.o.Now()
	var all []jobs.ID
	for id, e := range q.index {
		if q.live && e.job != nil && e.uploading == nil && !e.state().Ended() && now.Sub(e.heard) >= silentFor {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, func(a, b jobs.ID) int { return q.index[a].heard.Compare(q.index[b].heard) })
	return all[:min(len(all), rereadMost)]
}

// reread reads a record again.
func (q *Queue) reread(ctx context.Context, id jobs.ID) error {
	call, cancel := q.call(ctx)
	j, revision, err := q.store.Job(call, id)
	cancel()
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.index[id]
	if e == nil {
		return nil
	}
	e.heard = q.o.Now()
	switch {
	case errors.Is(err, jobs.ErrNotFound):
		if e.job != nil && e.uploading == nil {
			q.forget(id, e)
		}
		return nil
	case err != nil:
		return err
	case revision > e.revision:
		q.o.Logger.Info("a change of a job was not reported", "job", id.Short(), "state", string(j.State))
		q.apply(jobs.Change{ID: id, Job: j, Revision: revision})
	}
	return nil
}

// followRecords keeps the index. Jobs that are not among the records at its beginning were removed
// while the store was not followed.
func (q *Queue) followRecords(ctx context.Context) error {
	seen := map[jobs.ID]bool{}
	q.mu.Lock()
	q.pass++
	q.mu.Unlock()
	err := q.store.Watch(ctx, func(c jobs.Change) {
		q.mu.Lock()
		defer q.mu.Unlock()
		switch {
		case c.ID != "":
			if seen != nil {
				seen[c.ID] = true
			}
			q.apply(c)
		case seen != nil:
			for id, e := range q.index {
				if !seen[id] && e.job != nil && e.pass != q.pass {
					q.forget(id, e)
				}
			}
			seen, q.live = nil, true
		}
	})
	q.mu.Lock()
	q.live = false
	q.mu.Unlock()
	return err
}

// apply applies a change to the index. q.mu is held.
func (q *Queue) apply(c jobs.Change) {
	e := q.index[c.ID]
	switch {
	case e != nil && c.Revision < e.revision:
		return // Submit or Cancel has applied a later one
	case c.Job == nil && (e == nil || e.job == nil): // removed before an upload began
		return
	case c.Job == nil:
		q.forget(c.ID, e)
		return
	case e == nil:
		e = newEntry()
		q.index[c.ID] = e
	}
	e.job, e.revision, e.heard = c.Job, c.Revision, q.o.Now()
	if c.Job.State != jobs.Receiving {
		e.accepted = nil
	}
	if c.Job.State.Ended() {
		e.progress, e.latest = nil, nil
	}
	q.updateState(c.ID, e)
	e.notify()
}

// updateState counts a job under its state after that may have changed. q.mu is held.
func (q *Queue) updateState(id jobs.ID, e *entry) {
	state := jobs.State("")
	q.indexed -= e.indexed
	e.indexed = 0
	if e.job != nil {
		state = e.state()
		q.states[state]++
		a := e.accepts()
		e.indexed = indexBytes(&a)
	}
	q.indexed += e.indexed
	if e.counted != "" {
		q.states[e.counted]--
	}
	e.counted = state
	if state == jobs.Queued || state == jobs.Running {
		q.active[id] = e
	} else {
		delete(q.active, id)
	}
}

// forget removes a job from the index. q.mu is held.
func (q *Queue) forget(id jobs.ID, e *entry) {
	if e.uploading == nil { // else the upload still has to end, and the next one waits for that
		delete(q.index, id)
	}
	q.gone.add(id, q.o.Now())
	e.job, e.accepted = nil, nil
	q.updateState(id, e)
	e.notify()
}

func newEntry() *entry { return &entry{changed: make(chan struct{})} }

// notify wakes those who wait for a change. The mutex of the queue is held.
func (e *entry) notify() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// onSignal takes in progress and heartbeats.
func (q *Queue) onSignal(s *jobs.Signal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case s.Heartbeat != nil:
		q.onHeartbeat(s.Heartbeat)
	case s.Progress != nil:
		e := q.index[s.Progress.Job]
		if e == nil || e.job == nil || e.job.State.Ended() {
			return
		}
		if e.progress == nil {
			e.progress = map[int]*jobs.Progress{}
		}
		if len(e.progress) < maxProgress || e.progress[s.Progress.Chunk] != nil {
			e.progress[s.Progress.Chunk] = s.Progress
		}
		e.latest, e.heard = s.Progress, q.o.Now()
		e.changes++
		e.notify()
	}
}

// maxProgress is of how many chunks of a job the progress is kept.
const maxProgress = 4096

// onResult takes in that a chunk has its result.
func (q *Queue) onResult(id jobs.ID, chunk int, s *jobs.Summary) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rate.add(q.o.Now())
	e := q.index[id]
	if e == nil {
		return
	}
	if e.job != nil {
		q.doneLines(e) // notes what the progress says, which ends before the record has it
	}
	delete(e.progress, chunk)
	if e.latest != nil && e.latest.Chunk == chunk {
		e.latest = nil
	}
	e.changes++
	e.heard = q.o.Now()
	e.notify()
}

// doneLines returns how many lines of a job have their answer, as far as is known. It never falls.
// q.mu is held.
func (q *Queue) doneLines(e *entry) int {
	done := e.job.Counts.Lines()
	if !e.job.State.Ended() {
		for _, p := range e.progress {
			done += p.Done
		}
		done = min(max(done, e.shown), e.accepts().Lines)
	}
	e.shown = done
	return done
}

// accepts returns what is known of the input. The mutex of the queue is held.
func (e *entry) accepts() jobs.Accepted {
	switch {
	case e.accepted != nil:
		return *e.accepted
	case e.uploading != nil && (e.job == nil || e.job.State == jobs.Receiving):
		return *e.uploading
	case e.job != nil:
		return e.job.Accepted
	}
	return jobs.Accepted{}
}

// state returns the state of a job. A job that this process has enqueued is queued, although its
// record says Receiving until a coordinator has it. The mutex of the queue is held.
func (e *entry) state() jobs.State {
	switch {
	case e.job != nil && (e.accepted == nil || e.job.State != jobs.Receiving):
		return e.job.State
	case e.accepted != nil:
		return jobs.Queued
	}
	return jobs.Receiving
}

// call bounds a call of the store.
func (q *Queue) call(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, q.o.Timeout)
}

// tombstones are the jobs that were removed lately. They are in memory only: after a restart such a
// job is not found instead of gone.
type tombstones struct {
	most int
	when map[jobs.ID]time.Time
	old  []jobs.ID // in their order
}

// goneFor is how long a removed job is reported as gone.
const goneFor = 7 * 24 * time.Hour

func (t *tombstones) add(id jobs.ID, now time.Time) {
	if t.when == nil {
		t.when = map[jobs.ID]time.Time{}
	}
	if _, ok := t.when[id]; !ok {
		t.old = append(t.old, id)
	}
	t.when[id] = now
	for len(t.old) > t.most || now.Sub(t.when[t.old[0]]) > goneFor {
		delete(t.when, t.old[0])
		t.old = t.old[1:]
	}
}

func (t *tombstones) has(id jobs.ID, now time.Time) bool {
	when, ok := t.when[id]
	return ok && now.Sub(when) <= goneFor
}
