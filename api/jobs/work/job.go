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

// Why a job is held no more.
var (
	errJobEnded = errors.New("the job has ended")
	errRemoved  = errors.New("the job was removed")
	errAgain    = errors.New("the job was taken once more")
	errLater    = errors.New("the job may not be worked on yet")
)

// A job is one that this process holds.
type job struct {
	c        *Coordinator
	q        *jobs.QueuedJob
	log      *slog.Logger
	ctx      context.Context
	end      context.CancelCauseFunc
	admitted chan struct{} // closed when it may be worked on
	granted  bool          // that it is; mu of the Coordinator guards it, and final
	final    jobs.State    // in which the job has ended
	over     chan struct{} // closed when it is held no more
	started  time.Time
	client   clientKey
	class    int  // of memory
	begun    bool // it was running when it was taken

	record *jobs.Job // as it was read or written last
	rev    jobs.Revision
	saved  time.Time

	news chan struct{}

	mu     sync.Mutex
	ask    bool   // what is done must be asked
	done   []bool // by chunk
	counts jobs.Job
	out    map[int]*dispatched
	back   []int // chunks that are to be let out before next
	next   int   // those from here on were never let out
	unsent bool  // counts has news
}

// An item is one that is let out.
type dispatched struct {
	since time.Time // let out
	seen  time.Time // named in a beat
	again bool
}

// see holds a job until it has ended, or must be given back.
func (c *Coordinator) see(ctx context.Context, q *jobs.QueuedJob) {
	decided := sync.OnceFunc(func() { <-c.deciding })
	defer decided()
	a := &job{c: c, q: q, log: c.log.With("job", q.ID.Short()), admitted: make(chan struct{}),
		over: make(chan struct{}), news: make(chan struct{}, 1), ask: true, out: map[int]*dispatched{}}
	a.ctx, a.end = context.WithCancelCause(ctx)
	var keeping sync.WaitGroup
	keeping.Go(a.keep)
	defer func() {
		a.end(nil)
		keeping.Wait()
	}()
	c.enter(a)
	err := a.decide()
	decided()
	if err == nil {
		select {
		case <-a.admitted:
			err = a.work()
		case <-a.ctx.Done():
			err = context.Cause(a.ctx)
		}
	}
	if a.ctx.Err() != nil && !errors.Is(err, errJobEnded) {
		err = context.Cause(a.ctx)
	}
	c.leave(a)
	a.giveBack(ctx, err)
	close(a.over)
}

// enter makes the job known. One that is held already is held by a lease that has run out.
func (c *Coordinator) enter(a *job) {
	for {
		c.mu.Lock()
		old := c.held[a.q.ID]
		if old == nil {
			c.held[a.q.ID] = a
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		old.end(errAgain)
		<-old.over
	}
}

// leave forgets the job.
func (c *Coordinator) leave(a *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, a.q.ID)
	if a.granted {
		c.working--
		if r := c.records[a.q.ID]; r != nil && r.revision == a.rev {
			c.setState(r, a.record.State)
		}
	} else {
		c.waiting = slices.DeleteFunc(c.waiting, func(b *job) bool { return a == b })
	}
	c.admit()
}

// giveBack ends the lease.
func (a *job) giveBack(ctx context.Context, why error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	s := a.c.o.Store
	var err error
	switch {
	case errors.Is(why, errAgain):
	case errors.Is(why, errJobEnded):
		if final := a.finalState(); final != jobs.Done {
			a.stopWorkers(ctx)
			if final == jobs.Cancelled && a.record != nil {
				a.finished(final)
			}
		}
		err = errors.Join(a.q.Ack(ctx), s.DropInput(ctx, a.q.ID))
	case errors.Is(why, errRemoved):
		a.stopWorkers(ctx)
		err = a.q.Ack(ctx)
	case errors.Is(why, errLater):
		err = a.q.Nak(ctx, minDelay+rand.N(maxDelay-minDelay))
	case errors.Is(why, jobs.ErrNewer):
		a.c.o.Observer.Newer()
		err = a.q.Nak(ctx, newerJobDelay)
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

// stopWorkers ends the work on a job. The signal may be lost; workers look for themselves, too.
func (a *job) stopWorkers(ctx context.Context) {
	_ = a.c.o.Store.Publish(ctx, &jobs.Signal{V: jobs.V, Cancel: a.q.ID})
}

// finished tells the observer that the job ended in a state.
func (a *job) finished(state jobs.State) {
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

// keep extends the lease. After an error others may get the job, which does no harm.
func (a *job) keep() {
	every := a.q.Duration() / 3
	ticker := time.NewTicker(max(every, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(a.ctx, every)
		if err := a.q.Extend(ctx); err != nil && a.ctx.Err() == nil {
			a.log.Warn("the lease of a job could not be extended", "err", err)
		}
		cancel()
	}
}

// decide reads the record, and has the job admitted now or later. Its message is what accepted it,
// so a record that knows nothing of that yet is told.
func (a *job) decide() error {
	var err error
	a.record, a.rev, err = a.c.o.Store.Job(a.ctx, a.q.ID)
	switch {
	case errors.Is(err, jobs.ErrNotFound):
		return a.noRecord()
	case err != nil:
		return err
	case a.record.Over():
		a.setFinal(a.record.State)
		return errJobEnded
	}
	a.client = clientKey{a.record.Client, a.record.Class}
	a.class, a.begun = a.record.Memory, a.record.State == jobs.Running
	admitted, held := a.c.request(a)
	if admitted {
		return nil
	}
	if a.record.State != jobs.Queued {
		err = a.update(func(j *jobs.Job) {
			j.State, j.Accepted, j.Finished, j.Failure = jobs.Queued, a.q.Accepted, time.Time{}, nil
		})
	}
	if err == nil && !held {
		err = errLater
	}
	return err
}

// noRecord is for a job that was accepted and has no record, or not yet where it was asked.
func (a *job) noRecord() error {
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
		Failure: &jobs.Failure{Code: wire.InternalError.Code, Detail: "The record of the job was lost."}}
	if _, err := a.c.o.Store.Create(a.ctx, j); err != nil && !errors.Is(err, jobs.ErrExists) {
		return err
	}
	return errJobEnded
}

// request asks that the job may be worked on; held reports whether it is held until it may.
func (c *Coordinator) request(a *job) (admitted, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(a.record, a.rev)
	if c.may(a) {
		c.grant(a)
		return true, true
	}
	if len(c.waiting) >= c.o.MaxActive {
		return false, false
	}
	c.waiting = append(c.waiting, a)
	return false, true
}

// may reports whether the job may be worked on. One that was begun goes on. The caller holds mu.
func (c *Coordinator) may(a *job) bool {
	if a.begun {
		return true
	}
	quota := c.o.ActiveQuota(a.client.class)
	return c.working < c.o.MaxActive && (quota <= 0 || c.running[a.client] < quota)
}

// grant lets a job be worked on. It counts as running before its record says so. The caller holds
// mu.
func (c *Coordinator) grant(a *job) {
	c.working++
	a.granted = true
	close(a.admitted)
	if r := c.records[a.q.ID]; r != nil {
		c.setState(r, jobs.Running)
	}
}

// admit lets those that wait be worked on if they may. The caller holds mu.
func (c *Coordinator) admit() {
	rest := c.waiting[:0]
	for _, a := range c.waiting {
		if c.may(a) {
			c.grant(a)
		} else {
			rest = append(rest, a)
		}
	}
	clear(c.waiting[len(rest):])
	c.waiting = rest
}

// try asks the store until it can, or until the job is held no more. What it has to say of what it
// keeps is returned as it is.
func (a *job) try(what string, ask func(ctx context.Context) error) error {
	var told time.Time
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, storeTime) {
		err := ask(a.ctx)
		switch {
		case err == nil, errors.Is(err, jobs.ErrNotFound), errors.Is(err, jobs.ErrNewer),
			errors.Is(err, errJobEnded), errors.Is(err, errRemoved):
			return err
		case a.ctx.Err() != nil:
			return context.Cause(a.ctx)
		}
		if now := time.Now(); now.Sub(told) >= time.Minute {
			told = now
			a.log.Error("the store could not "+what+"; it is asked again", "err", err)
		}
		pause(a.ctx, wait)
	}
}

// update changes the record, unless the job has ended.
func (a *job) update(change func(j *jobs.Job)) error {
	s := a.c.o.Store
	for {
		j := *a.record
		change(&j)
		rev, err := s.Update(a.ctx, &j, a.rev)
		if err == nil {
			a.record, a.rev = &j, rev
			a.c.mu.Lock()
			if a.c.records[j.ID] != nil { // else it was removed since, or will be told
				a.c.note(&j, rev)
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
		case rev == a.rev: // where it is kept several times, one copy may be late
			pause(a.ctx, 50*time.Millisecond)
		}
		if a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		}
		a.record, a.rev = now, rev
	}
}

// work lets the items out until all have their results.
func (a *job) work() error {
	a.started = time.Now()
	err := a.try("begin a job", func(context.Context) error {
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
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if err := a.askDone(); err != nil {
			return err
		}
		if a.complete() {
			return a.finish()
		}
		if err := a.letOut(); err != nil {
			return err
		}
		if err := a.save(); err != nil {
			return err
		}
		select {
		case <-a.ctx.Done():
			return context.Cause(a.ctx)
		case <-a.news:
		case <-ticker.C:
		}
	}
}

// countInput ends the job if chunks of its input are missing.
func (a *job) countInput() error {
	n := 0
	for attempt := range 3 { // where it is kept several times, one copy may be late
		if attempt > 0 {
			pause(a.ctx, time.Second)
		}
		err := a.try("count the input of a job", func(ctx context.Context) (err error) {
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

// askDone asks the store what is done, if it may have been missed.
func (a *job) askDone() error {
	a.mu.Lock()
	ask := a.ask
	a.ask = false
	a.mu.Unlock()
	if !ask {
		return nil
	}
	return a.try("say what is done", func(ctx context.Context) error {
		return a.c.o.Store.Results(ctx, a.q.ID, a.answered)
	})
}

// askAgain has the job ask what is done.
func (a *job) askAgain() {
	a.mu.Lock()
	a.ask = true
	a.mu.Unlock()
	a.wake()
}

func (a *job) wake() {
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// answered takes in that a chunk has its result.
func (a *job) answered(chunk int, s *jobs.Summary) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if chunk < 0 || chunk >= len(a.done) || a.done[chunk] { // before work began it is asked anyway
		return
	}
	a.done[chunk] = true
	a.unsent = true
	a.counts.DoneChunks++
	a.counts.Counts.Add(s.Counts)
	a.counts.Nodes += s.Nodes
	a.counts.OutBytes += s.Bytes
	if it := a.out[chunk]; it != nil {
		a.c.o.Observer.ItemDone(a.class, time.Since(it.since))
		a.c.hadItem(a.class, it.since)
		delete(a.out, chunk)
	}
	a.wake()
}

// held takes in that a worker has an item.
func (a *job) held(chunk int, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if it := a.out[chunk]; it != nil {
		it.seen = now
		a.c.hadItem(a.class, it.since)
	}
}

// hadItem keeps that a worker had an item that was let out at a time.
func (c *Coordinator) hadItem(class int, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken[class].Before(since) {
		c.taken[class] = since
	}
}

func (a *job) complete() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts.DoneChunks == len(a.done)
}

// letOut lets items out while there are few, and those again that are lost.
func (a *job) letOut() error {
	window, lost := a.c.share(a.record)
	now := time.Now()
	var chunks []int
	a.mu.Lock()
	for chunk, it := range a.out {
		if lost(it, now, a.q.Duration()+beatsMissed*jobs.HeartbeatTime) {
			it.since, it.again = now, true
			chunks = append(chunks, chunk)
		}
	}
	anew := len(chunks)
	for len(a.out) < window && (len(a.back) > 0 || a.next < len(a.done)) {
		chunk := a.next
		if n := len(a.back); n > 0 {
			chunk, a.back = a.back[n-1], a.back[:n-1]
		} else {
			a.next++
		}
		if !a.done[chunk] {
			a.out[chunk] = &dispatched{since: now}
			chunks = append(chunks, chunk)
		}
	}
	a.mu.Unlock()
	if anew > 0 { // the chunk may be what is lost
		if err := a.countInput(); err != nil {
			return err
		}
	}
	j := a.record
	for i, chunk := range chunks {
		again := i < anew
		err := a.c.o.Store.Dispatch(a.ctx, &jobs.Item{V: jobs.V, Job: j.ID, Kind: j.Kind, Ask: j.Ask,
			Chunk: chunk, Defaults: j.Defaults, MaxTime: j.MaxTime,
			Memory: j.Memory, Redelivered: again})
		if err == nil {
			a.c.o.Observer.LetOut(j.Memory, again)
			continue
		}
		if a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		}
		a.log.Warn("items could not be let out", "err", err)
		a.mu.Lock()
		for _, chunk := range chunks[i:] {
			delete(a.out, chunk)
			a.back = append(a.back, chunk)
		}
		a.mu.Unlock()
		pause(a.ctx, lookEvery)
		break
	}
	return nil
}

// share returns how many items of a job may be out, and what tells whether one of them is lost.
//
// An item of which no beat tells may wait for its turn. It is lost only if it would have been
// taken: since a worker has a free place, or since one was taken that was let out later.
func (c *Coordinator) share(j *jobs.Job) (
	window int, lost func(it *dispatched, now time.Time, patience time.Duration) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	places, free := 0, false
	for _, w := range c.workers {
		if w.present() && !w.Draining && w.Memory >= j.Memory {
			places += w.Places
			// One that has come just now, or is between two items, will take what waits in a moment.
			free = free || !w.free.IsZero() && w.heard.Sub(w.free) >= jobs.HeartbeatTime/2
		}
	}
	taken := c.taken[j.Memory]
	window = max(2, 2*places/max(1, c.active))
	if j.Priority < 0 {
		window = 1
	}
	return window, func(it *dispatched, now time.Time, patience time.Duration) bool {
		last := it.since
		if it.seen.After(last) {
			last = it.seen
		}
		return now.Sub(last) > patience && (free || taken.After(it.since))
	}
}

func (w *workerState) present() bool { return time.Since(w.heard) <= beatsMissed*jobs.HeartbeatTime }

// save writes the progress into the record now and then.
func (a *job) save() error {
	now := time.Now()
	a.mu.Lock()
	due := a.unsent && now.Sub(a.saved) >= saveEvery
	if due {
		a.unsent = false
	}
	counts := a.counts
	a.mu.Unlock()
	if !due {
		return nil
	}
	a.saved = now
	err := a.update(func(j *jobs.Job) { put(j, &counts) })
	switch {
	case err == nil, errors.Is(err, errJobEnded), errors.Is(err, errRemoved):
		return err
	case a.ctx.Err() != nil:
		return context.Cause(a.ctx)
	}
	a.log.Warn("the progress of a job was not saved", "err", err)
	a.mu.Lock()
	a.unsent = true
	a.mu.Unlock()
	return nil
}

// put writes the counts into a record.
func put(j, counts *jobs.Job) {
	j.DoneChunks, j.Counts = counts.DoneChunks, counts.Counts
	j.Nodes, j.OutBytes = counts.Nodes, counts.OutBytes
}

// finish ends a job whose lines all have their answers.
func (a *job) finish() error {
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
	err := a.try("end a job", func(context.Context) error {
		return a.update(func(j *jobs.Job) {
			put(j, &counts)
			j.State, j.Failure, j.Finished = state, failure, a.c.o.Now().UTC()
		})
	})
	if err != nil {
		return err
	}
	a.finished(state)
	return errJobEnded
}
