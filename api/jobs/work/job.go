package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// Why the work on a leased job ends.
var (
	errJobEnded    = errors.New("the job has ended")
	errRemoved     = errors.New("the job was removed")
	errRedelivered = errors.New("the job was redelivered")
	errNotAdmitted = errors.New("the job may not be worked on yet")
)

// A job is one that this Coordinator has leased.
type job struct {
	c          *Coordinator
	q          *jobs.QueuedJob
	log        *slog.Logger
	ctx        context.Context
	end        context.CancelCauseFunc
	released   chan struct{} // closed when the lease has ended
	admitted   chan struct{} // closed when isAdmitted is set
	isAdmitted bool          // the job may be worked on; guarded by Coordinator.mu, as is final
	final      jobs.State    // the state in which the job has ended; "" before
	started    time.Time
	client     clientKey
	class      int  // of memory, in GiB
	wasRunning bool // the record said Running when the job was leased

	// The record as it was read or written last. Only the goroutine of coordinate uses these three.
	record *jobs.Job
	rev    jobs.Revision
	saved  time.Time

	wakeup chan struct{} // has an element if run has to look for something to do

	mu          sync.Mutex
	outOfSync   bool // results may have been missed: sync has to read them
	results          // done is nil until run begins
	unsaved     bool // counts is ahead of the record
	dispatched  map[int]*delivery
	undelivered []int // chunks that could not be dispatched
	next        int   // the first chunk that was never dispatched; all behind it were not either
}

// results are what is known of the results of a job.
type results struct {
	done   []bool   // by chunk
	counts jobs.Job // of the chunks that are done
}

// add counts a chunk that has its result, and reports whether it was not counted before.
func (r *results) add(chunk int, s *jobs.Summary) bool {
	if chunk < 0 || chunk >= len(r.done) || r.done[chunk] {
		return false
	}
	r.done[chunk] = true
	r.counts.DoneChunks++
	r.counts.Counts.Add(s.Counts)
	r.counts.Nodes += s.Nodes
	r.counts.OutBytes += s.Bytes
	return true
}

func (r *results) complete() bool { return r.counts.DoneChunks == len(r.done) }

// A delivery is an item that is dispatched and has no result yet.
type delivery struct {
	at   time.Time // of the last dispatch
	seen time.Time // when a heartbeat named it last
}

// coordinate works on a job until the job has ended, or the lease has to end for another reason.
func (c *Coordinator) coordinate(ctx context.Context, q *jobs.QueuedJob) {
	decided := sync.OnceFunc(func() { <-c.deciding })
	defer decided()
	a := &job{c: c, q: q, log: c.log.With("job", q.ID.Short()), released: make(chan struct{}),
		admitted: make(chan struct{}), wakeup: make(chan struct{}, 1), outOfSync: true,
		dispatched: map[int]*delivery{}}
	a.ctx, a.end = context.WithCancelCause(ctx)
	var extending sync.WaitGroup
	extending.Go(func() { extendLease(a.ctx, a.log, a.q, a.checkRecord) })
	defer func() {
		a.end(nil)
		extending.Wait()
	}()
	c.register(a)
	err := a.admit()
	decided()
	if err == nil {
		select {
		case <-a.admitted:
			err = a.run()
		case <-a.ctx.Done():
		}
	}
	if a.ctx.Err() != nil && !errors.Is(err, errJobEnded) {
		err = context.Cause(a.ctx)
	}
	c.unregister(a, err)
	a.release(ctx, err)
	close(a.released)
}

// register adds the job to leased. If it is there already, its earlier lease has run out, and the
// work under that lease ends first: one job has one job value at a time.
func (c *Coordinator) register(a *job) {
	for {
		c.mu.Lock()
		old := c.leased[a.q.ID]
		if old == nil {
			c.leased[a.q.ID] = a
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		old.end(errRedelivered)
		<-old.released
	}
}

// unregister takes the job from leased, which may admit another one. why is why its work ends.
func (c *Coordinator) unregister(a *job, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.leased, a.q.ID)
	if a.isAdmitted {
		c.working--
		if r := c.records[a.q.ID]; r != nil && r.revision == a.rev {
			c.setState(r, a.record.State)
		}
	} else {
		c.waiting = slices.DeleteFunc(c.waiting, func(b *job) bool { return a == b })
	}
	if errors.Is(why, errRemoved) { // the job may have noticed it before Watch tells of it
		c.dropRecord(a.q.ID)
	}
	c.admitWaiting()
}

// checkRecord ends the work if the job has ended or was removed. Watch says so too, but while it is
// interrupted the job would keep its place, and one that nobody works on would keep it for good.
func (a *job) checkRecord(ctx context.Context) {
	c := a.c
	c.mu.Lock()
	asks := !c.watched && c.records[a.q.ID] != nil // else it may be lost, which admit finds out
	c.mu.Unlock()
	if !asks {
		return
	}
	j, rev, err := c.o.Store.Job(ctx, a.q.ID)
	switch {
	case errors.Is(err, jobs.ErrNotFound):
		a.end(errRemoved)
	case err == nil && j.Over():
		c.mu.Lock()
		c.setRecord(j, rev)
		c.mu.Unlock()
	}
}

// release ends the lease: with an ack if the job is over, else with a nak, and the message is
// redelivered.
func (a *job) release(ctx context.Context, why error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	var err error
	switch {
	case errors.Is(why, errRedelivered):
	case errors.Is(why, errJobEnded):
		if final := a.finalState(); final != jobs.Done {
			a.stopWorkers(ctx)
			if final == jobs.Cancelled && a.record != nil {
				a.observeEnd(final)
			}
		}
		err = errors.Join(a.q.Ack(ctx), a.c.o.Store.DropInput(ctx, a.q.ID))
	case errors.Is(why, errRemoved):
		a.stopWorkers(ctx)
		err = a.q.Ack(ctx)
	case errors.Is(why, errNotAdmitted):
		err = a.q.Nak(ctx, minDelay+rand.N(maxDelay-minDelay))
	case errors.Is(why, jobs.ErrNewer):
		a.c.o.Observer.Newer()
		err = a.q.Nak(ctx, newerDelay)
	case errors.Is(why, context.Canceled):
		err = a.q.Nak(ctx, 0)
	default:
		a.log.Warn("a job is given back", "err", why)
		err = a.q.Nak(ctx, minDelay)
	}
	if err != nil {
		a.log.Warn("the lease of a job could not be ended", "err", err)
	}
}

// stopWorkers ends the work on a job. The signal may be lost: workers also check the record.
func (a *job) stopWorkers(ctx context.Context) {
	_ = a.c.o.Store.Publish(ctx, &jobs.Signal{V: jobs.V, Cancel: a.q.ID})
}

// observeEnd counts that the job ended in a state.
func (a *job) observeEnd(state jobs.State) {
	after := time.Duration(0)
	if !a.started.IsZero() {
		after = time.Since(a.started)
	}
	a.c.o.Observer.Finished(a.record.Kind, state, after)
}

func (a *job) setFinal(state jobs.State) {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	a.final = state
}

func (a *job) finalState() jobs.State {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	return a.final
}

// admit reads the record and asks for admission, which may come later. A job is accepted by its
// message: a record that does not say so yet is set to Queued here, or to Running by run.
func (a *job) admit() error {
	var err error
	a.record, a.rev, err = a.c.o.Store.Job(a.ctx, a.q.ID)
	switch {
	case errors.Is(err, jobs.ErrNotFound):
		return a.failLost()
	case err != nil:
		return err
	case a.record.Over():
		a.setFinal(a.record.State)
		return errJobEnded
	}
	a.client = clientKey{a.record.Client, a.record.Class}
	a.class, a.wasRunning = a.record.Memory, a.record.State == jobs.Running
	admitted, waits := a.c.requestAdmission(a)
	if admitted {
		return nil
	}
	if a.record.State != jobs.Queued {
		err = a.update(func(j *jobs.Job) {
			j.State, j.Accepted, j.Finished, j.Failure = jobs.Queued, a.q.Accepted, time.Time{}, nil
		})
	}
	if err == nil && !waits {
		err = errNotAdmitted
	}
	return err
}

// failLost is called for a job that was accepted and has no record. A replica of the store may only
// be late, so the job fails at the fourth delivery, and is redelivered before.
func (a *job) failLost() error {
	a.c.mu.Lock()
	a.c.missing[a.q.ID]++
	n := a.c.missing[a.q.ID]
	if n > 3 {
		delete(a.c.missing, a.q.ID)
	}
	a.c.mu.Unlock()
	if n <= 3 {
		return errors.New("there is no record")
	}
	a.log.Error("an accepted job has lost its record")
	now := a.c.o.Now().UTC()
	j := &jobs.Job{V: jobs.V, ID: a.q.ID, Kind: jobs.Collection, Ask: jobs.AskSolve,
		State: jobs.Failed, Accepted: a.q.Accepted, Created: now, Finished: now, Keep: slack,
		Failure: &jobs.Failure{Code: wire.InternalError.Code,
			Detail: "The record of the job was lost."}}
	if _, err := a.c.o.Store.Create(a.ctx, j); err != nil && !errors.Is(err, jobs.ErrExists) {
		return err
	}
	return errJobEnded
}

// requestAdmission admits the job, or else puts it on the waiting list, unless that is full.
func (c *Coordinator) requestAdmission(a *job) (admitted, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setRecord(a.record, a.rev)
	if c.mayRun(a) {
		c.admit(a)
		return true, false
	}
	if len(c.waiting) >= c.o.MaxActive {
		return false, false
	}
	c.waiting = append(c.waiting, a)
	return false, true
}

// mayRun reports whether the limits admit the job. One that was running when it was leased
// continues in any case: it was admitted before. The caller holds mu.
func (c *Coordinator) mayRun(a *job) bool {
	if a.wasRunning {
		return true
	}
	quota := c.o.ActiveQuota(a.client.class)
	return c.working < c.o.MaxActive && (quota <= 0 || c.running[a.client] < quota)
}

// admit admits a job. It counts as running at once, before its record says so. The caller holds mu.
func (c *Coordinator) admit(a *job) {
	c.working++
	a.isAdmitted = true
	close(a.admitted)
	if r := c.records[a.q.ID]; r != nil {
		c.setState(r, jobs.Running)
	}
}

// admitWaiting admits the jobs on the waiting list that may run now. The caller holds mu.
func (c *Coordinator) admitWaiting() {
	c.waiting = slices.DeleteFunc(c.waiting, func(a *job) bool {
		admitted := c.mayRun(a)
		if admitted {
			c.admit(a)
		}
		return admitted
	})
}

// retry repeats a call of the store until it succeeds, or the work on the job ends.
func (a *job) retry(what string, call func(ctx context.Context) error) error {
	return retry(a.ctx, a.log, what, call, jobs.ErrNotFound, jobs.ErrNewer, errJobEnded, errRemoved)
}

// update changes the record, unless the job has ended. If somebody else has changed it first, it is
// read again, and change is called again.
func (a *job) update(change func(j *jobs.Job)) error {
	s := a.c.o.Store
	for {
		j := *a.record
		change(&j)
		rev, err := s.Update(a.ctx, &j, a.rev)
		if err == nil {
			a.record, a.rev = &j, rev
			a.c.mu.Lock()
			if a.c.records[j.ID] != nil { // else it was removed since, or Watch will bring it
				a.c.setRecord(&j, rev)
			}
			a.c.mu.Unlock()
			return nil
		}
		if !errors.Is(err, jobs.ErrConflict) {
			return err
		}
		now, rev, err := s.Job(a.ctx, a.q.ID)
		switch {
		case errors.Is(err, jobs.ErrNotFound):
			return errRemoved
		case err != nil:
			return err
		case now.Over():
			a.setFinal(now.State)
			return errJobEnded
		case rev == a.rev: // a replica of the store may be late
			pause(a.ctx, 50*time.Millisecond)
		}
		if a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		}
		a.record, a.rev = now, rev
	}
}

// run dispatches the items until all have their results.
func (a *job) run() error {
	a.started = time.Now()
	err := a.retry("begin a job", func(context.Context) error {
		if a.record.State == jobs.Running {
			return nil
		}
		return a.update(func(j *jobs.Job) {
			j.State, j.Accepted, j.Started = jobs.Running, a.q.Accepted, a.c.o.Now().UTC()
			j.Finished, j.Failure = time.Time{}, nil
		})
	})
	if err != nil {
		return err
	}
	if err := a.countInput(); err != nil {
		return err
	}
	a.mu.Lock()
	a.done = make([]bool, a.q.Chunks)
	a.mu.Unlock()
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		if err := a.sync(); err != nil {
			return err
		}
		if a.isComplete() {
			if err := a.finish(); err != nil {
				return err
			}
		}
		if err := a.dispatch(); err != nil {
			return err
		}
		if err := a.save(); err != nil {
			return err
		}
		select {
		case <-a.ctx.Done():
			return context.Cause(a.ctx)
		case <-a.wakeup:
		case <-ticker.C:
		}
	}
}

// countInput ends the job if chunks of its input are missing.
func (a *job) countInput() error {
	n := 0
	for attempt := range 3 { // a replica of the store may be late
		if attempt > 0 {
			pause(a.ctx, time.Second)
		}
		err := a.retry("count the input of a job", func(ctx context.Context) (err error) {
			n, err = a.c.o.Store.CountInput(ctx, a.q.ID)
			return err
		})
		if err != nil || n == a.q.Chunks {
			return err
		}
	}
	a.log.Error("chunks of a job are missing", "there", n, "accepted", a.q.Chunks)
	a.c.o.Observer.Missing(max(0, a.q.Chunks-n))
	return a.finishAs(jobs.Failed, &jobs.Failure{Code: wire.InternalError.Code,
		Detail: fmt.Sprintf("The input was lost: %d chunks of %d are there.", n, a.q.Chunks)})
}

// sync reads the results from the store, if some may have been missed.
func (a *job) sync() error {
	a.mu.Lock()
	outOfSync := a.outOfSync
	a.outOfSync = false
	a.mu.Unlock()
	if !outOfSync {
		return nil
	}
	return a.retry("say what is done", func(ctx context.Context) error {
		return a.c.o.Store.Results(ctx, a.q.ID, a.onResult)
	})
}

// resync makes the next sync read the results from the store.
func (a *job) resync() {
	a.mu.Lock()
	a.outOfSync = true
	a.mu.Unlock()
	a.wake()
}

func (a *job) wake() {
	select {
	case a.wakeup <- struct{}{}:
	default:
	}
}

// onResult counts a chunk that has its result.
func (a *job) onResult(chunk int, s *jobs.Summary) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// Before run has made done, nothing is counted: run calls sync then, which reads all results.
	if !a.add(chunk, s) {
		return
	}
	a.unsaved = true
	if d := a.dispatched[chunk]; d != nil {
		a.c.o.Observer.ItemDone(a.class, time.Since(d.at))
		a.c.noteAcquired(a.class, d.at)
		delete(a.dispatched, chunk)
	}
	a.wake()
}

// onHeartbeat notes that a worker has leased an item.
func (a *job) onHeartbeat(chunk int, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.dispatched[chunk]; d != nil {
		d.seen = now
		a.c.noteAcquired(a.class, d.at)
	}
}

// noteAcquired notes when an item was dispatched that a worker has leased or answered: see limits.
func (c *Coordinator) noteAcquired(class int, dispatched time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lastAcquired[class].Before(dispatched) {
		c.lastAcquired[class] = dispatched
	}
}

func (a *job) isComplete() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.complete()
}

// dispatch dispatches items that are lost again, and new ones up to the share of the job.
func (a *job) dispatch() error {
	lost, fresh := a.due()
	if len(lost) > 0 { // perhaps since their input is lost, and then the job fails
		a.resync() // or they have results of which the job was not told
		if err := a.countInput(); err != nil {
			return err
		}
	}
	j, chunks := a.record, append(lost, fresh...)
	for i, chunk := range chunks {
		redelivered := i < len(lost)
		err := a.c.o.Store.Dispatch(a.ctx, &jobs.Item{V: jobs.V, Job: j.ID, Kind: j.Kind, Ask: j.Ask,
			Chunk: chunk, Defaults: j.Defaults, MaxTime: j.MaxTime, Memory: j.Memory,
			Redelivered: redelivered})
		if err == nil {
			a.c.o.Observer.Dispatched(j.Memory, redelivered)
			continue
		}
		if a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		}
		a.log.Warn("items could not be dispatched", "err", err)
		a.mu.Lock()
		for _, chunk := range chunks[i:] {
			delete(a.dispatched, chunk)
			a.undelivered = append(a.undelivered, chunk)
		}
		a.mu.Unlock()
		pause(a.ctx, checkEvery)
		break
	}
	return nil
}

// due returns the chunks whose items are lost, and further chunks that fit the window of the job.
// It counts all of them as dispatched now.
func (a *job) due() (lost, fresh []int) {
	limits := a.c.limits(a.record)
	now := time.Now()
	lostAfter := a.q.Duration() + heartbeatsMissed*jobs.HeartbeatTime
	a.mu.Lock()
	defer a.mu.Unlock()
	for chunk, d := range a.dispatched {
		if limits.isLost(d, now, lostAfter) {
			d.at = now
			lost = append(lost, chunk)
		}
	}
	for len(a.dispatched) < limits.window && (len(a.undelivered) > 0 || a.next < len(a.done)) {
		chunk := a.next
		if n := len(a.undelivered); n > 0 {
			chunk, a.undelivered = a.undelivered[n-1], a.undelivered[:n-1]
		} else {
			a.next++
		}
		if !a.done[chunk] {
			a.dispatched[chunk] = &delivery{at: now}
			fresh = append(fresh, chunk)
		}
	}
	return lost, fresh
}

// limits say how many items of a job may be dispatched at once, and when one is lost.
type limits struct {
	window int
	// idle: a worker that takes such items has had a free slot for a while.
	idle bool
	// lastAcquired is the latest dispatch of an item of the memory class that a worker has leased.
	// The queue is in order, so an item dispatched before should have been leased as well.
	lastAcquired time.Time
}

// limits returns the limits of a job. Its window is twice its share of the slots of all workers
// that take its items, so that a worker that is done finds the next item in the queue.
func (c *Coordinator) limits(j *jobs.Job) limits {
	c.mu.Lock()
	defer c.mu.Unlock()
	slots, l := 0, limits{lastAcquired: c.lastAcquired[j.Memory]}
	for _, w := range c.workers {
		if w.present() && !w.Draining && w.Memory >= j.Memory {
			slots += w.Slots
			// A worker that has just come, or is between two items, will lease one in a moment.
			l.idle = l.idle || !w.free.IsZero() && w.received.Sub(w.free) >= jobs.HeartbeatTime/2
		}
	}
	l.window = max(2, 2*slots/max(1, c.runningCount))
	if j.Priority < 0 {
		l.window = 1
	}
	return l
}

// isLost reports whether an item is lost. One that no heartbeat has named for the time after may
// still wait in the queue. It is lost only if a worker would have leased it: if one is idle, or has
// leased an item that was dispatched later.
func (l *limits) isLost(d *delivery, now time.Time, after time.Duration) bool {
	last := d.at
	if d.seen.After(last) {
		last = d.seen
	}
	return now.Sub(last) > after && (l.idle || l.lastAcquired.After(d.at))
}

// present reports whether the worker has missed few enough heartbeats to be there.
func (w *workerState) present() bool {
	return time.Since(w.received) <= heartbeatsMissed*jobs.HeartbeatTime
}

// save writes the progress into the record, if it has changed and saveEvery has passed. A failure
// is not final: a later save, or the end of the job, writes it.
func (a *job) save() error {
	now := time.Now()
	a.mu.Lock()
	due := a.unsaved && now.Sub(a.saved) >= saveEvery
	if due {
		a.unsaved = false
	}
	counts := a.counts
	a.mu.Unlock()
	if !due {
		return nil
	}
	a.saved = now
	err := a.update(func(j *jobs.Job) { setCounts(j, &counts) })
	switch {
	case err == nil, errors.Is(err, errJobEnded), errors.Is(err, errRemoved):
		return err
	case a.ctx.Err() != nil:
		return context.Cause(a.ctx)
	}
	a.log.Warn("the progress of a job was not saved", "err", err)
	a.mu.Lock()
	a.unsaved = true
	a.mu.Unlock()
	return nil
}

// setCounts writes the counts into a record.
func setCounts(j, counts *jobs.Job) {
	j.DoneChunks, j.Counts = counts.DoneChunks, counts.Counts
	j.Nodes, j.OutBytes = counts.Nodes, counts.OutBytes
}

// finish ends a job whose chunks all have their results. The store may have lost some since they were
// counted, and once the job has ended its input goes. So they are counted once more: if some are
// missing, finish returns nil, and the job goes on.
func (a *job) finish() error {
	now := results{done: make([]bool, a.q.Chunks)}
	err := a.retry("count the results of a job", func(ctx context.Context) error {
		return a.c.o.Store.Results(ctx, a.q.ID, func(chunk int, s *jobs.Summary) { now.add(chunk, s) })
	})
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.results = now
	if !now.complete() {
		a.next, a.undelivered, a.outOfSync, a.unsaved = 0, nil, true, true
	}
	a.mu.Unlock()
	if !now.complete() {
		a.log.Error("results of a job are lost: they are worked out again",
			"there", now.counts.DoneChunks, "chunks", a.q.Chunks)
		return nil
	}
	if n := a.counts.Counts.Lines(); n != a.q.Lines {
		a.log.Error("a job has more or fewer answers than lines", "answers", n, "lines", a.q.Lines)
	}
	return a.finishAs(jobs.Done, nil)
}

// finishAs writes the last state of the job.
func (a *job) finishAs(state jobs.State, failure *jobs.Failure) error {
	a.mu.Lock()
	counts := a.counts
	a.mu.Unlock()
	err := a.retry("end a job", func(context.Context) error {
		return a.update(func(j *jobs.Job) {
			setCounts(j, &counts)
			j.State, j.Failure, j.Finished = state, failure, a.c.o.Now().UTC()
		})
	})
	if err != nil {
		return err
	}
	a.observeEnd(state)
	return errJobEnded
}
