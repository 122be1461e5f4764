package work

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
)

// WorkerOptions are what a Worker is made with. Store, Name and Answer must be given.
type WorkerOptions struct {
	Store   jobs.Store
	Name    string // unique among all workers
	Version string
	Engine  string // is stored with the results

	// Slots is how many items the worker may work on at once; 0 is 1.
	Slots int
	// LongItems is how many items more it may have whose lines take long. Such an item leaves its
	// slot to the next one, so that no short line waits for a long one. Answer has to bound how many
	// long searches run. Items beyond these go back to the queue while their searches wait.
	LongItems int
	// Classes are the memory classes of the items that it takes, besides 0. An item of another
	// class than 0 gets the whole worker: it begins when the others have ended. While those that take
	// long go on, short ones still begin, and none that takes long.
	Classes []int

	// Answer answers a line. It is called for several items at once, and should return soon after
	// ctx ends. Events that it hands to report are published as progress, at most 4 times a second.
	// report(nil) publishes nothing: it says before an event that the line waits for a slot, which
	// Longest does not count. SearchBegins ends such a wait. If Answer panics, the answer is the
	// problem internal_error.
	Answer func(ctx context.Context, it *jobs.Item, l jobs.Line, report func(event []byte)) answer.Line
	// Begin, unless nil, is called before the first line of an item, and returns the context of its
	// answers. The function that it returns, unless nil, is called at the end, with true if no
	// later attempt at the item is needed.
	Begin func(ctx context.Context, it *jobs.Item) (context.Context, func(answered bool))
	// Yield, unless nil, is called between two lines, and may wait.
	Yield func(ctx context.Context)
	// Longest, unless nil, returns how long the answer to a line may take, not counting the wait
	// for a slot; 0 is for ever. If it takes longer, the attempt has failed.
	Longest func(it *jobs.Item, l jobs.Line) time.Duration

	// Grace is how long the answers that are under way when the context of Run ends may take to
	// end, such as by saving a checkpoint; it is stopTime at least.
	Grace time.Duration
	// The answers so far are stored as a part after PartEvery, or once they have PartBytes; 0 is
	// half a minute and 512 KiB.
	PartEvery time.Duration
	PartBytes int

	Logger   *slog.Logger // nil: none
	Observer Observer     // nil: none
}

const (
	progressEvery = 250 * time.Millisecond
	// stopTime is how long an answer may go on after its context has ended. The calls of the store
	// that end a lease may take as long.
	stopTime = 10 * time.Second
	// retryDelay is the delay before an item is redelivered after an unexpected error.
	retryDelay = time.Second
	// longAfter is how long a line may take before its item leaves its slot to the next one: a short
	// search takes less.
	longAfter = 300 * time.Millisecond
	// longestShort is how long a short search may take on a busy machine.
	longestShort = 3 * time.Second
	// countTime is how long the start of a long search waits for the store.
	countTime = time.Second
	// parkTime is the delay before an item is redelivered that could not leave its slot. It is longer
	// where there are many: parkEach for each, so that they take little of the slots.
	parkTime = 5 * time.Second
	parkEach = 20 * time.Millisecond
	// parkSlack is how long after its delay an item is taken to be in the queue still.
	parkSlack = time.Minute
	// checkedFor is for how long a job is taken to be there when answers are stored.
	checkedFor = time.Second
	// maxLine bounds the answer to a line: together with those that are not stored yet it must fit
	// into what a store takes at once, which is 4 MiB.
	maxLine = 3 << 20
	// maxID is the longest ID of a line that is repeated in a problem.
	maxID = 256
)

// A Worker answers the lines of items.
type Worker struct {
	o        WorkerOptions
	log      *slog.Logger
	largest  int // memory class
	slots    chan struct{}
	long     chan struct{} // has an element for each item that has left its slot
	draining atomic.Bool
	stuck    atomic.Int32 // slots that answers still use although their items have ended
	items    sync.WaitGroup

	mu     sync.Mutex
	leased map[*item]bool
	// parked are the items that were given back since they could not leave their slots, and until when
	// they are taken to wait in the queue.
	parked map[jobs.ItemRef]time.Time
	// reserved is until when no item leaves its slot since a big one waits for those that have.
	reserved time.Time
}

// NewWorker returns a Worker, or says which option is missing.
func NewWorker(o WorkerOptions) (*Worker, error) {
	if o.Store == nil || o.Name == "" || o.Answer == nil {
		return nil, errors.New("work: a Worker needs Store, Name and Answer")
	}
	o.Slots = max(1, o.Slots)
	o.Classes = slices.Compact(slices.Sorted(slices.Values(append([]int{0}, o.Classes...))))
	if o.PartEvery <= 0 {
		o.PartEvery = 30 * time.Second
	}
	if o.PartBytes <= 0 {
		o.PartBytes = 512 << 10
	}
	if o.Observer == nil {
		o.Observer = Unobserved{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Worker{o: o, log: jobs.LimitLog(o.Logger, nil).With("worker", o.Name),
		largest: slices.Max(o.Classes), slots: make(chan struct{}, o.Slots),
		long: make(chan struct{}, o.LongItems), leased: map[*item]bool{},
		parked: map[jobs.ItemRef]time.Time{}}, nil
}

// Run works on items until ctx ends, and drains then: all items are stopped, since each of their lines
// may take hours, have the answers stored that they have, and are redelivered. What is lost is the
// search of a line that saves no checkpoint. The error is that of ctx.
func (w *Worker) Run(ctx context.Context) error {
	// base outlives ctx, so that items that have begun can end.
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { w.sendHeartbeats(base) })
	background.Go(func() {
		jobs.Follow(base, w.log, "signals", func(ctx context.Context) error {
			return w.o.Store.Subscribe(ctx, w.onSignal)
		})
	})
	acquireEach(ctx, w.log, w.slots, func(ctx context.Context) (*jobs.QueuedItem, error) {
		return w.o.Store.AcquireItem(ctx, w.o.Classes)
	}, func(q *jobs.QueuedItem) { w.begin(ctx, base, q) })

	w.draining.Store(true)
	w.sendHeartbeat(base)
	ended := make(chan struct{})
	go func() { w.items.Wait(); close(ended) }()
	w.each(func(r *item) { r.stop(errDraining) })
	timer := time.NewTimer(w.o.Grace + 2*stopTime)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
	stop()
	<-ended
	background.Wait()
	return ctx.Err()
}

// begin begins to work on an item, which has a slot. ctx ends when the worker drains.
func (w *Worker) begin(ctx, base context.Context, q *jobs.QueuedItem) {
	if w.mustWait(q) {
		if q.Memory > 0 {
			w.each(func(r *item) { r.stopIfWaiting() })
		}
		w.items.Go(func() {
			ctx, cancel := context.WithTimeout(base, stopTime)
			defer cancel()
			if err := w.park(ctx, q); err != nil {
				w.log.Warn("the lease of an item could not be ended", "err", err)
			}
			w.free(1, 0)
		})
		return
	}
	r := w.lease(base, q)
	slots, long := 1, 0
	if q.Memory > 0 {
		slots, long = w.takeAll(ctx, r)
	}
	w.items.Go(func() {
		stuck := r.run()
		w.unlease(r)
		if r.isSlow() {
			slots, long = slots-1, long+1
		}
		if stuck == nil {
			w.free(slots, long)
			return
		}
		w.stuck.Add(int32(slots))
		go func() { // the slots are not free while the answer takes processor and memory
			<-stuck
			w.stuck.Add(-int32(slots))
			w.free(slots, long)
		}()
	})
}

// mustWait reports whether an item has to go back to the queue: a big one as long as others have left
// their slots, which short ones use meanwhile; and one that was given back since it could not leave its
// slot, if it could not now either.
func (w *Worker) mustWait(q *jobs.QueuedItem) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if q.Memory > 0 && len(w.long) > 0 {
		w.reserved = now.Add(2 * parkTime) // until it comes again
		return true
	}
	mayLeave := w.o.LongItems == 0 || len(w.long) < w.o.LongItems && w.reserved.Before(now)
	if q.Memory == 0 && now.Before(w.parked[refOf(q)]) && !mayLeave {
		return true
	}
	delete(w.parked, refOf(q))
	return false
}

// isReserved reports whether a big item waits for those that have left their slots.
func (w *Worker) isReserved() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Before(w.reserved)
}

// park gives an item back to the queue until it may be able to leave its slot.
func (w *Worker) park(ctx context.Context, q *jobs.QueuedItem) error {
	now := time.Now()
	w.mu.Lock()
	maps.DeleteFunc(w.parked, func(_ jobs.ItemRef, until time.Time) bool { return until.Before(now) })
	delay := parkTime
	if q.Memory == 0 {
		delay = max(delay, time.Duration(len(w.parked))*parkEach)
	}
	w.parked[refOf(q)] = now.Add(delay + parkSlack)
	w.mu.Unlock()
	return q.Nak(ctx, delay)
}

func refOf(q *jobs.QueuedItem) jobs.ItemRef { return jobs.ItemRef{Job: q.Job, Chunk: q.Chunk} }

// takeAll takes the slots of all other items as these end or leave them, for an item that has a slot
// and gets the whole worker, and then waits for those that have left theirs. Items that wait for a
// search go back to the queue. Where others go on, the item goes back itself: they may for hours, and
// short ones need the slots meanwhile. takeAll returns how many slots and LongItems the item has
// then: all of them, unless it was stopped or ctx ended.
func (w *Worker) takeAll(ctx context.Context, r *item) (slots, long int) {
	ticker := time.NewTicker(longAfter)
	defer ticker.Stop()
	for slots = 1; slots < w.o.Slots || long < w.o.LongItems; {
		takeSlot, takeLong := w.slots, w.long
		if slots == w.o.Slots {
			takeSlot = nil
		}
		if slots < w.o.Slots || long == w.o.LongItems { // those that take long need them first
			takeLong = nil
		}
		select {
		case takeSlot <- struct{}{}:
			slots++
		case takeLong <- struct{}{}:
			long++
		case <-ticker.C:
			w.each(func(r *item) { r.stopIfWaiting() })
			if len(w.long) > long {
				r.stop(errManyLong)
			}
		case <-ctx.Done():
			r.stop(errDraining)
			return slots, long
		case <-r.answering.Done():
			return slots, long
		}
	}
	return slots, long
}

// free frees slots, and what counts as LongItems.
func (w *Worker) free(slots, long int) {
	for range slots {
		<-w.slots
	}
	for range long {
		<-w.long
	}
}

// each calls f with each item that the worker has leased. f must not call each.
func (w *Worker) each(f func(r *item)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for r := range w.leased {
		f(r)
	}
}

// stopOneWaiting has one item whose line waits for its search given back to the queue, for one that
// searches and could not leave its slot.
func (w *Worker) stopOneWaiting() {
	stopped := false
	w.each(func(r *item) { stopped = stopped || r.stopIfWaiting() })
}

// onSignal stops the items of a job that is cancelled. The signal may be lost: each item also
// checks the record of its job, but less often.
func (w *Worker) onSignal(s *jobs.Signal) {
	if s.Cancel == "" || s.V > jobs.V {
		return
	}
	w.each(func(r *item) {
		if r.q.Job == s.Cancel {
			r.drop(errUnwanted)
		}
	})
}

// sendHeartbeats sends heartbeats until ctx ends.
func (w *Worker) sendHeartbeats(ctx context.Context) {
	ticker := time.NewTicker(jobs.HeartbeatTime)
	defer ticker.Stop()
	for {
		w.sendHeartbeat(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (w *Worker) sendHeartbeat(ctx context.Context) {
	h := &jobs.Heartbeat{Worker: w.o.Name, Version: w.o.Version, Slots: w.o.Slots,
		Busy: int(w.stuck.Load()), Memory: w.largest, Draining: w.draining.Load()}
	w.each(func(r *item) {
		h.Items = append(h.Items, refOf(r.q))
		if r.isSlow() {
			h.Long++
		} else {
			h.Busy++
		}
		if r.q.Memory > 0 { // it has the whole worker, or waits for it
			h.Busy = w.o.Slots
		}
	})
	h.Busy = min(h.Busy, w.o.Slots)
	w.mu.Lock()
	for ref, until := range w.parked { // they are rarely leased, and not lost
		if time.Now().Before(until) {
			h.Items = append(h.Items, ref)
		}
	}
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, jobs.HeartbeatTime)
	defer cancel()
	err := w.o.Store.Publish(ctx, &jobs.Signal{V: jobs.V, Heartbeat: h})
	if err != nil && ctx.Err() == nil {
		w.log.Debug("a heartbeat was not sent", "err", err)
	}
}
