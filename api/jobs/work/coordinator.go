package work

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Options are what a Coordinator needs. Store must be given.
type CoordinatorOptions struct {
	Store jobs.Store
	// MaxActive is how many jobs may be worked on at once, and as many more held until they may;
	// 0 is 1,000.
	MaxActive int
	// ActiveQuota, unless nil, returns how many jobs of a client of a class may be worked on at
	// once; 0 is for any number.
	ActiveQuota func(class string) int
	// Now is the time that is written in records; nil is time.Now.
	Now      func() time.Time
	Logger   *slog.Logger        // nil: none
	Observer CoordinatorObserver // nil: none
}

// An Observer is told what happens, for metrics. Its methods are called from many goroutines.
type CoordinatorObserver interface {
	// LetOut: an item of a memory class was; again, if it had been before and nobody works on it.
	LetOut(class int, again bool)
	// ItemDone: the result of an item came so long after it was let out.
	ItemDone(class int, after time.Duration)
	// Finished: a job ended in a state, so long after this coordinator began to work on it.
	Finished(kind jobs.Kind, state jobs.State, after time.Duration)
	// Missing: chunks of the input of a job are not there.
	Missing(chunks int)
	// Newer: a job was left to others, since its format is newer.
	Newer()
}

// Times that nobody needs to change.
const (
	// beatsMissed is after how many beats that were not heard a worker is taken for gone.
	beatsMissed = 3
	// saveEvery is how often the progress of a job is written into its record at most.
	saveEvery = 2 * time.Second
	// lookEvery is how often a job looks whether items are missing, and whether its share changed.
	lookEvery = time.Second
	// receiveTime is how long an input may take to arrive.
	receiveTime = time.Hour
	// slack is how much longer than it must a job that has ended is kept.
	slack      = 24 * time.Hour
	sweepEvery = time.Minute
	// The times after which a job is offered again that may not be worked on yet.
	minDelay, maxDelay = 5 * time.Second, time.Minute
	newerJobDelay      = 30 * time.Second
	storeTime          = 10 * time.Second // for the last words to the store
)

// A Coordinator sees jobs through.
type Coordinator struct {
	o   CoordinatorOptions
	log *slog.Logger

	// deciding bounds how many jobs are between the queue and the decision what to do with them.
	deciding chan struct{}

	mu      sync.Mutex
	records map[jobs.ID]*record // all there are
	synced  chan struct{}       // closed once they are
	round   int                 // of the watch of the records
	running map[clientKey]int   // records in the state running
	active  int                 // all of them
	held    map[jobs.ID]*job
	working int           // jobs of held that are worked on
	waiting []*job        // the others, in their order
	asked   chan struct{} // closed once results are watched
	workers map[string]*workerState
	taken   map[int]time.Time // by class: when the youngest item was let out that a worker had
	missing map[jobs.ID]int   // how often a job came that has no record
}

// A client is whose jobs count together.
type clientKey struct{ name, class string }

// A record is what matters of a job's record.
type record struct {
	revision jobs.Revision
	round    int
	state    jobs.State
	client   clientKey
	created  time.Time
	expires  time.Time
	since    time.Time // seen in this revision, by the clock of this process
}

// A worker is what its last beat said.
type workerState struct {
	jobs.Heartbeat
	heard time.Time
	free  time.Time // since when all beats told of a free place; zero: the last one did not
}

// New returns a Coordinator.
func NewCoordinator(o CoordinatorOptions) (*Coordinator, error) {
	if o.Store == nil {
		return nil, errors.New("work: a Coordinator needs a Store")
	}
	if o.MaxActive <= 0 {
		o.MaxActive = 1000
	}
	if o.ActiveQuota == nil {
		o.ActiveQuota = func(string) int { return 0 }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Observer == nil {
		o.Observer = noCoordinatorObserver{}
	}
	return &Coordinator{o: o, log: o.Logger, deciding: make(chan struct{}, 32),
		records: map[jobs.ID]*record{}, synced: make(chan struct{}), running: map[clientKey]int{},
		held: map[jobs.ID]*job{}, asked: make(chan struct{}), workers: map[string]*workerState{},
		taken: map[int]time.Time{}, missing: map[jobs.ID]int{}}, nil
}

// Run sees jobs through until ctx ends, and then gives back those that it holds. The error is that
// of ctx.
func (c *Coordinator) Run(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { c.watch(ctx) })
	all.Go(func() { c.watchResults(ctx) })
	all.Go(func() { c.listen(ctx) })
	all.Go(func() { c.sweep(ctx) })
	for _, ready := range []<-chan struct{}{c.synced, c.asked} {
		select {
		case <-ready:
		case <-ctx.Done():
		}
	}
	c.take(ctx, &all)
	all.Wait()
	return ctx.Err()
}

// take takes jobs until ctx ends.
func (c *Coordinator) take(ctx context.Context, all *sync.WaitGroup) {
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case c.deciding <- struct{}{}:
		}
		q, err := c.o.Store.AcquireJob(ctx)
		if err != nil {
			<-c.deciding
			if ctx.Err() != nil {
				return
			}
			wait = min(max(2*wait, 100*time.Millisecond), storeTime)
			c.log.Warn("no job could be taken", "err", err, "again_in", wait)
			pause(ctx, wait)
			continue
		}
		wait = 0
		all.Go(func() { c.see(ctx, q) })
	}
}

// watch follows the records.
func (c *Coordinator) watch(ctx context.Context) {
	for ctx.Err() == nil {
		c.mu.Lock()
		c.round++
		c.mu.Unlock()
		err := c.o.Store.Watch(ctx, c.changed)
		if ctx.Err() == nil {
			c.log.Warn("records are not watched", "err", err)
			pause(ctx, time.Second)
		}
	}
}

// changed takes in a change of a record.
func (c *Coordinator) changed(ch jobs.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case ch.ID == "": // what was not told now was removed while nobody watched
		for id, r := range c.records {
			if r.round != c.round {
				c.forget(id)
			}
		}
		select {
		case <-c.synced:
		default:
			close(c.synced)
		}
	case ch.Job == nil:
		c.forget(ch.ID)
	default:
		c.note(ch.Job, ch.Revision)
	}
	c.admit()
}

// note keeps what matters of a record. The caller holds mu.
func (c *Coordinator) note(j *jobs.Job, rev jobs.Revision) {
	r := c.records[j.ID]
	switch {
	case r == nil:
		r = &record{}
		c.records[j.ID] = r
	case rev <= r.revision:
		r.round = c.round
		return
	}
	state, a := j.State, c.held[j.ID]
	switch {
	case a == nil:
	case j.Over():
		a.final = j.State
		a.end(errJobEnded)
	case a.granted:
		state = jobs.Running // it will say so in a moment
	}
	c.setState(r, "")
	*r = record{revision: rev, round: c.round, client: clientKey{j.Client, j.Class},
		created: j.Created, expires: j.Expires(), since: time.Now()}
	c.setState(r, state)
}

// forget drops a record. The caller holds mu.
func (c *Coordinator) forget(id jobs.ID) {
	r := c.records[id]
	if r == nil {
		return
	}
	c.setState(r, "")
	delete(c.records, id)
	if a := c.held[id]; a != nil {
		a.end(errRemoved)
	}
}

// setState changes the state of a record, and counts those that run. The caller holds mu.
func (c *Coordinator) setState(r *record, state jobs.State) {
	for _, change := range []struct {
		state jobs.State
		n     int
	}{{r.state, -1}, {state, 1}} {
		if change.state != jobs.Running {
			continue
		}
		c.active += change.n
		if c.running[r.client] += change.n; c.running[r.client] == 0 {
			delete(c.running, r.client)
		}
	}
	r.state = state
}

// watchResults hands the news of results to the jobs that are worked on.
func (c *Coordinator) watchResults(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.o.Store.WatchResults(ctx, c.resultsReady, func(id jobs.ID, chunk int, s *jobs.Summary) {
			c.mu.Lock()
			a := c.held[id]
			c.mu.Unlock()
			if a != nil {
				a.answered(chunk, s)
			}
		})
		if ctx.Err() == nil {
			c.log.Warn("results are not watched", "err", err)
			pause(ctx, time.Second)
		}
	}
}

// resultsReady has every job ask what is done: news may have been missed before.
func (c *Coordinator) resultsReady() {
	c.mu.Lock()
	select {
	case <-c.asked:
	default:
		close(c.asked)
	}
	held := slices.Collect(maps.Values(c.held))
	c.mu.Unlock()
	for _, a := range held {
		a.askAgain()
	}
}

// listen hears the beats of workers.
func (c *Coordinator) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.o.Store.Subscribe(ctx, func(s *jobs.Signal) {
			if s.Heartbeat != nil && s.V <= jobs.V {
				c.beat(s.Heartbeat)
			}
		})
		if ctx.Err() == nil {
			c.log.Warn("no signals are heard", "err", err)
			pause(ctx, time.Second)
		}
	}
}

func (c *Coordinator) beat(b *jobs.Heartbeat) {
	now := time.Now()
	c.mu.Lock()
	w := &workerState{Heartbeat: *b, heard: now}
	if b.Busy < b.Places {
		w.free = now
		if before := c.workers[b.Worker]; before != nil && !before.free.IsZero() {
			w.free = before.free
		}
	}
	c.workers[b.Worker] = w
	held := make([]*job, len(b.Items))
	for i, h := range b.Items {
		held[i] = c.held[h.Job]
	}
	c.mu.Unlock()
	for i, a := range held {
		if a != nil {
			a.held(b.Items[i].Chunk, now)
		}
	}
}

// sweep removes what has expired, and ends what never became a job.
func (c *Coordinator) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var expired, late []jobs.ID
		now := c.o.Now()
		c.mu.Lock()
		for name, w := range c.workers {
			if time.Since(w.heard) > beatsMissed*jobs.HeartbeatTime {
				delete(c.workers, name)
			}
		}
		for id, r := range c.records {
			switch {
			case r.state.Ended() && now.After(r.expires.Add(slack)):
				expired = append(expired, id)
			case r.state == jobs.Receiving && time.Since(r.since) > receiveTime:
				late = append(late, id)
			}
		}
		c.mu.Unlock()
		for _, id := range expired {
			if err := c.o.Store.Remove(ctx, id); err != nil && ctx.Err() == nil {
				c.log.Warn("an expired job was not removed", "job", id.Short(), "err", err)
			}
		}
		for _, id := range late {
			if err := c.incomplete(ctx, id); err != nil && ctx.Err() == nil {
				c.log.Warn("an incomplete job was not ended", "job", id.Short(), "err", err)
			}
		}
	}
}

// incomplete ends a job whose input never was complete. It is removed a day later: should its
// message come after all, then all there is to answer it is still there.
func (c *Coordinator) incomplete(ctx context.Context, id jobs.ID) error {
	j, rev, err := c.o.Store.Job(ctx, id)
	if err != nil || j.State != jobs.Receiving {
		return err
	}
	j.State, j.Finished, j.Keep = jobs.Failed, c.o.Now().UTC(), 0
	j.Failure = &jobs.Failure{Code: jobs.UploadIncomplete,
		Detail: "The input was not complete after an hour."}
	_, err = c.o.Store.Update(ctx, j, rev)
	return err
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// nobody is an Observer that does nothing.
type noCoordinatorObserver struct{}

func (noCoordinatorObserver) LetOut(int, bool)                              {}
func (noCoordinatorObserver) ItemDone(int, time.Duration)                   {}
func (noCoordinatorObserver) Finished(jobs.Kind, jobs.State, time.Duration) {}
func (noCoordinatorObserver) Missing(int)                                   {}
func (noCoordinatorObserver) Newer()                                        {}
