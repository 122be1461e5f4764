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

// CoordinatorOptions are what a Coordinator is made with. Store must be given.
type CoordinatorOptions struct {
	Store jobs.Store
	// MaxActive is how many jobs may be worked on at once; 0 is 1,000. The same number of further
	// jobs wait in this process; those beyond are redelivered later.
	MaxActive int
	// ActiveQuota, unless nil, returns how many jobs of one client may be worked on at once, by the
	// class of the client; 0 is for any number.
	ActiveQuota func(class string) int
	// Now is the time that is written in records; nil is time.Now.
	Now      func() time.Time
	Logger   *slog.Logger // nil: none
	Observer Observer     // nil: none
}

const (
	// A worker is gone after this number of missed heartbeats.
	heartbeatsMissed = 3
	// saveEvery is the shortest time between two writes of a job's progress into its record.
	saveEvery = 2 * time.Second
	// checkEvery is how often a job checks whether items are lost, and whether its share changed.
	checkEvery = time.Second
	// receiveTime is how long an input may take to arrive.
	receiveTime = time.Hour
	// slack is how long a job that has ended is kept beyond its Expires: clocks differ.
	slack      = 24 * time.Hour
	sweepEvery = time.Minute
	// A job that is not admitted is redelivered after a random delay between these.
	minDelay, maxDelay = 5 * time.Second, time.Minute
	// newerDelay is the delay before a job or an item of a newer format is redelivered.
	newerDelay = 30 * time.Second
)

// A Coordinator leases jobs, dispatches their items, and ends them.
type Coordinator struct {
	o   CoordinatorOptions
	log *slog.Logger

	// deciding has an element for each job that is leased and not yet admitted, put on the waiting
	// list or refused: its capacity bounds them.
	deciding chan struct{}

	mu           sync.Mutex
	records      map[jobs.ID]*record // of all jobs in the store
	synced       chan struct{}       // closed once records has them all
	watchRound   int                 // the number of calls of Store.Watch
	watched      bool                // the last of them has told of all records, and goes on
	running      map[clientKey]int   // records in the state Running
	runningCount int                 // all of them
	leased       map[jobs.ID]*job
	working      int                     // the number of leased jobs that are admitted
	waiting      []*job                  // leased jobs that are not admitted yet, oldest first
	watching     chan struct{}           // closed once results are watched
	workers      map[string]*workerState // by name
	lastAcquired map[int]time.Time       // by memory class, see limits
	missing      map[jobs.ID]int         // how often a job was delivered that has no record
}

// A clientKey names a client for its quota.
type clientKey struct{ name, class string }

// A record is what a Coordinator keeps of a job's record.
type record struct {
	revision jobs.Revision
	round    int // the watchRound in which it was reported last
	state    jobs.State
	client   clientKey
	created  time.Time
	expires  time.Time
	since    time.Time // when this revision was received, by the clock of this process
}

// A workerState is the last heartbeat of a worker.
type workerState struct {
	jobs.Heartbeat
	received time.Time
	free     time.Time // since when each heartbeat has had a free slot; zero: the last one had none
}

// NewCoordinator returns a Coordinator.
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
		o.Observer = Unobserved{}
	}
	return &Coordinator{o: o, log: jobs.LimitLog(o.Logger, nil), deciding: make(chan struct{}, 32),
		records: map[jobs.ID]*record{}, synced: make(chan struct{}), running: map[clientKey]int{},
		leased: map[jobs.ID]*job{}, watching: make(chan struct{}),
		workers: map[string]*workerState{}, lastAcquired: map[int]time.Time{},
		missing: map[jobs.ID]int{}}, nil
}

// Run works on jobs until ctx ends. Jobs that it then has leased are redelivered, to this process
// or to another one. The error is that of ctx.
func (c *Coordinator) Run(ctx context.Context) error {
	var all sync.WaitGroup
	follow := func(what string, watch func(context.Context) error) {
		all.Go(func() { jobs.Follow(ctx, c.log, what, watch) })
	}
	follow("records", func(ctx context.Context) error {
		c.mu.Lock()
		c.watchRound++
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			c.watched = false
			c.mu.Unlock()
		}()
		return c.o.Store.Watch(ctx, c.onChange)
	})
	follow("results", func(ctx context.Context) error {
		return c.o.Store.WatchResults(ctx, c.resultsReady, c.onResult)
	})
	follow("signals", func(ctx context.Context) error {
		return c.o.Store.Subscribe(ctx, c.onSignal)
	})
	all.Go(func() { c.sweep(ctx) })
	for _, ready := range []<-chan struct{}{c.synced, c.watching} {
		select {
		case <-ready:
		case <-ctx.Done():
		}
	}
	acquireEach(ctx, c.log, c.deciding, c.o.Store.AcquireJob, func(q *jobs.QueuedJob) {
		all.Go(func() { c.coordinate(ctx, q) })
	})
	all.Wait()
	return ctx.Err()
}

// onChange applies a change of a record.
func (c *Coordinator) onChange(ch jobs.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case ch.ID == "": // records that this round did not report were removed between two rounds
		for id, r := range c.records {
			if r.round != c.watchRound {
				c.dropRecord(id)
			}
		}
		c.watched = true
		closeOnce(c.synced)
	case ch.Job == nil:
		// The news may come late, when there is another job under the ID.
		if r := c.records[ch.ID]; r != nil && r.revision < ch.Revision {
			c.dropRecord(ch.ID)
		}
	default:
		c.setRecord(ch.Job, ch.Revision)
	}
	c.admitWaiting()
}

// closeOnce closes a channel unless it is closed already. The caller holds the mutex that guards
// it.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// setRecord takes in a revision of a record, unless it is older than the known one. If the job is
// over by it, the work on the job ends here. The caller holds mu.
func (c *Coordinator) setRecord(j *jobs.Job, rev jobs.Revision) {
	r := c.records[j.ID]
	switch {
	case r == nil:
		r = &record{}
		c.records[j.ID] = r
	case rev <= r.revision:
		r.round = c.watchRound
		return
	}
	state, a := j.State, c.leased[j.ID]
	switch {
	case a == nil:
	case j.Over():
		a.final = j.State
		a.end(errJobEnded)
	case a.isAdmitted:
		state = jobs.Running // its record will say so in a moment
	}
	c.setState(r, "")
	*r = record{revision: rev, round: c.watchRound, client: clientKey{j.Client, j.Class},
		created: j.Created, expires: j.Expires(), since: time.Now()}
	c.setState(r, state)
}

// dropRecord forgets a record that was removed, and ends the work on its job. The caller holds mu.
func (c *Coordinator) dropRecord(id jobs.ID) {
	r := c.records[id]
	if r == nil {
		return
	}
	c.setState(r, "")
	delete(c.records, id)
	if a := c.leased[id]; a != nil {
		a.end(errRemoved)
	}
}

// setState changes the state of a record, and counts those that run. The caller holds mu.
func (c *Coordinator) setState(r *record, state jobs.State) {
	count := func(state jobs.State, n int) {
		if state != jobs.Running {
			return
		}
		c.runningCount += n
		if c.running[r.client] += n; c.running[r.client] == 0 {
			delete(c.running, r.client)
		}
	}
	count(r.state, -1)
	count(state, 1)
	r.state = state
}

// onResult passes on to a job that one of its chunks has its result, if the job is leased here.
func (c *Coordinator) onResult(id jobs.ID, chunk int, s *jobs.Summary) {
	c.mu.Lock()
	a := c.leased[id]
	c.mu.Unlock()
	if a != nil {
		a.onResult(chunk, s)
	}
}

// resultsReady makes every job read its results from the store again: before WatchResults was
// ready, some may have been missed.
func (c *Coordinator) resultsReady() {
	c.mu.Lock()
	closeOnce(c.watching)
	leased := slices.Collect(maps.Values(c.leased))
	c.mu.Unlock()
	for _, a := range leased {
		a.resync()
	}
}

// onSignal handles the heartbeats of workers; other signals are for others.
func (c *Coordinator) onSignal(s *jobs.Signal) {
	h := s.Heartbeat
	if h == nil || s.V > jobs.V {
		return
	}
	now := time.Now()
	c.mu.Lock()
	w := &workerState{Heartbeat: *h, received: now}
	if h.Busy < h.Slots {
		w.free = now
		if before := c.workers[h.Worker]; before != nil && !before.free.IsZero() {
			w.free = before.free
		}
	}
	c.workers[h.Worker] = w
	owners := make([]*job, len(h.Items))
	for i, it := range h.Items {
		owners[i] = c.leased[it.Job]
	}
	c.mu.Unlock()
	for i, a := range owners {
		if a != nil {
			a.onHeartbeat(h.Items[i].Chunk, now)
		}
	}
}

// sweep removes jobs that have expired, and fails those whose input is overdue, until ctx ends.
func (c *Coordinator) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		expired, late := c.due()
		for _, id := range expired {
			if err := c.removeExpired(ctx, id); err != nil && ctx.Err() == nil {
				c.log.Warn("an expired job was not removed", "job", id.Short(), "err", err)
			}
		}
		for _, id := range late {
			if err := c.failIncomplete(ctx, id); err != nil && ctx.Err() == nil {
				c.log.Warn("an incomplete job was not ended", "job", id.Short(), "err", err)
			}
		}
	}
}

// due returns the jobs that sweep has to remove and to fail. It also forgets workers that are gone.
func (c *Coordinator) due() (expired, late []jobs.ID) {
	now := c.o.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.workers, func(_ string, w *workerState) bool { return !w.present() })
	for id, r := range c.records {
		switch {
		case r.state.Ended() && isExpired(r.expires, now):
			expired = append(expired, id)
		case r.state == jobs.Receiving && time.Since(r.since) > receiveTime:
			late = append(late, id)
		}
	}
	return expired, late
}

func isExpired(expires, now time.Time) bool { return now.After(expires.Add(slack)) }

// removeExpired removes a job, unless that has gone on or there is another one under its ID: where many
// have expired it comes late.
func (c *Coordinator) removeExpired(ctx context.Context, id jobs.ID) error {
	j, _, err := c.o.Store.Job(ctx, id)
	if err != nil && !errors.Is(err, jobs.ErrNotFound) {
		return err
	}
	if err == nil && !(j.State.Ended() && isExpired(j.Expires(), c.o.Now())) {
		return nil
	}
	return c.o.Store.Remove(ctx, id)
}

// failIncomplete fails a job whose input did not arrive in time. The job is removed only a day
// later: should its message come after all, the input is still there, and its lines are answered.
func (c *Coordinator) failIncomplete(ctx context.Context, id jobs.ID) error {
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
