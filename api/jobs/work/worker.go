package work

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
)

// Options are what a Worker needs. Store, Name and Answer must be given.
type WorkerOptions struct {
	Store   jobs.Store
	Name    string // unique among all workers
	Version string
	Engine  string // what the results say of who found them

	// Places is how many items the worker may work on at once; 0 is 1.
	Places int
	// Classes are the memory classes of the items that it takes, besides 0. An item of another class
	// than 0 gets the whole worker: it begins when the others have ended.
	Classes []int

	// Answer answers a line. It is called for several items at once, and should return soon after
	// ctx ends. What it hands to report is sent to those who watch the job, at most 4 times a
	// second; nil is not sent, and says that the answer waits for others to end. A panic becomes the
	// problem internal_error in place of the answer.
	Answer func(ctx context.Context, it *jobs.Item, l jobs.Line, report func(event []byte)) answer.Line
	// Begin, unless nil, is called before the first line of an item that is answered, and returns
	// the context of its answers. The function that it returns, unless nil, is called at the end,
	// with true if the item needs no answer any more.
	Begin func(ctx context.Context, it *jobs.Item) (context.Context, func(answered bool))
	// Yield, unless nil, is called between two lines, and may wait.
	Yield func(ctx context.Context)
	// Longest, unless nil, returns how long the answer to a line may take after it waited; 0 is for
	// ever. A line that takes longer has ended an attempt at it.
	Longest func(it *jobs.Item, l jobs.Line) time.Duration

	// Grace is how long items may go on after the context of Run has ended. Those of single problems
	// are stopped at once, and have as long to keep what they found.
	Grace time.Duration
	// PartEvery and PartBytes are when the answers so far are stored as a part; 0 is half a minute
	// and 512 KiB.
	PartEvery time.Duration
	PartBytes int

	Logger   *slog.Logger   // nil: none
	Observer WorkerObserver // nil: none
}

// An Observer is told what happens, for metrics. Its methods are called from many goroutines.
type WorkerObserver interface {
	// Took: an attempt at an item began; again, if it was not the first one.
	Took(class int, again bool)
	// Answered: a line was, with a verdict as jobs.Counts counts it.
	Answered(verdict string)
	// GaveUp: a line was given up after its last attempt.
	GaveUp()
	// Refused: a part or result was not kept, since somebody else was first.
	Refused()
	// Newer: an item was left to others, since its format is newer.
	Newer()
}

// Times and sizes that nobody needs to change.
const (
	progressEvery = 250 * time.Millisecond
	// stopTime is how long an answer may go on after its context ended, and how long storing may
	// take when the worker leaves.
	stopTime = 10 * time.Second
	// newerDelay is after how long an item of a newer format is offered again.
	newerItemDelay = 30 * time.Second
	// retryDelay is after how long an item is offered again that could not be begun.
	retryDelay = time.Second
	// maxLine bounds the answer to a line: with those that are not stored yet it must fit into what
	// a store takes at once, which is 4 MiB.
	maxLine = 3 << 20
	// maxID is the longest ID of a line that is repeated in a problem.
	maxID = 256
)

// A Worker answers the lines of items.
type Worker struct {
	o       WorkerOptions
	log     *slog.Logger
	largest int // memory class
	places  chan struct{}
	leaving atomic.Bool
	stuck   atomic.Int32 // places that no item has, and that are not free
	items   sync.WaitGroup

	mu   sync.Mutex
	held map[*item]bool
}

// New returns a Worker, or says which option is missing.
func NewWorker(o WorkerOptions) (*Worker, error) {
	if o.Store == nil || o.Name == "" || o.Answer == nil {
		return nil, errors.New("work: Store, Name and Answer must be given")
	}
	o.Places = max(1, o.Places)
	o.Classes = slices.Compact(slices.Sorted(slices.Values(append([]int{0}, o.Classes...))))
	if o.PartEvery <= 0 {
		o.PartEvery = 30 * time.Second
	}
	if o.PartBytes <= 0 {
		o.PartBytes = 512 << 10
	}
	if o.Observer == nil {
		o.Observer = noWorkerObserver{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Worker{o: o, log: o.Logger.With("worker", o.Name), largest: slices.Max(o.Classes),
		places: make(chan struct{}, o.Places), held: map[*item]bool{}}, nil
}

// Run takes items until ctx ends. They may then end within the grace, but for single problems and
// those of large memory classes, which may take hours. What does not end is stopped, what it has is
// stored, and it is given back at once. The error is that of ctx.
func (w *Worker) Run(ctx context.Context) error {
	// What has begun goes on when ctx ends.
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { w.beat(base) })
	background.Go(func() { w.listen(base) })

	w.take(ctx, base)

	w.leaving.Store(true)
	w.sendBeat(base)
	ended := make(chan struct{})
	go func() { w.items.Wait(); close(ended) }()
	w.each(func(r *item) {
		if r.isLong() {
			r.stop(errLeaving)
		}
	})
	if !within(w.o.Grace, ended) {
		w.each(func(r *item) { r.stop(errLeaving) })
		within(2*stopTime, ended)
	}
	stop()
	<-ended
	background.Wait()
	return ctx.Err()
}

func within(d time.Duration, ended <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// take takes items while there are places, until ctx ends.
func (w *Worker) take(ctx, base context.Context) {
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case w.places <- struct{}{}:
		}
		q, err := w.o.Store.AcquireItem(ctx, w.o.Classes)
		if err != nil {
			<-w.places
			if ctx.Err() != nil {
				return
			}
			wait = min(max(2*wait, 100*time.Millisecond), stopTime)
			w.log.Warn("no item could be taken", "err", err, "again_in", wait)
			pause(ctx, wait)
			continue
		}
		wait = 0
		r := w.hold(base, q)
		places := 1
		if q.Memory > 0 {
			places += w.empty(ctx, r)
		}
		w.items.Go(func() {
			stuck := r.do()
			w.release(r)
			if stuck == nil {
				w.free(places)
				return
			}
			w.stuck.Add(int32(places))
			go func() { // the places are not free while the answer takes processor and memory
				<-stuck
				w.stuck.Add(-int32(places))
				w.free(places)
			}()
		})
	}
}

// empty takes all places but one, which is free when the items there have ended, and returns how
// many it took until ctx ended or the item was stopped.
func (w *Worker) empty(ctx context.Context, r *item) (taken int) {
	for taken < w.o.Places-1 {
		select {
		case w.places <- struct{}{}:
			taken++
		case <-ctx.Done():
			r.stop(errLeaving)
			return taken
		case <-r.answering.Done():
			return taken
		}
	}
	return taken
}

func (w *Worker) free(places int) {
	for range places {
		<-w.places
	}
}

func (w *Worker) each(f func(r *item)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for r := range w.held {
		f(r)
	}
}

// listen stops the items of jobs that are cancelled. The signal may be lost: each item looks for
// itself, too, but less often.
func (w *Worker) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := w.o.Store.Subscribe(ctx, func(s *jobs.Signal) {
			if s.Cancel != "" && s.V <= jobs.V {
				w.each(func(r *item) {
					if r.q.Job == s.Cancel {
						r.drop(errUnwanted)
					}
				})
			}
		})
		if ctx.Err() == nil {
			w.log.Warn("no signals are heard", "err", err)
			pause(ctx, time.Second)
		}
	}
}

// beat says every few seconds that the worker is there.
func (w *Worker) beat(ctx context.Context) {
	w.sendBeat(ctx)
	ticker := time.NewTicker(jobs.HeartbeatTime)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.sendBeat(ctx)
		}
	}
}

func (w *Worker) sendBeat(ctx context.Context) {
	b := &jobs.Heartbeat{Worker: w.o.Name, Version: w.o.Version, Places: w.o.Places,
		Busy: int(w.stuck.Load()), Memory: w.largest, Draining: w.leaving.Load()}
	w.each(func(r *item) {
		b.Items = append(b.Items, jobs.ItemRef{Job: r.q.Job, Chunk: r.q.Chunk})
		b.Busy++
		if r.q.Memory > 0 { // it has the whole worker, or waits for it
			b.Busy = w.o.Places
		}
	})
	b.Busy = min(b.Busy, w.o.Places)
	ctx, cancel := context.WithTimeout(ctx, jobs.HeartbeatTime)
	defer cancel()
	if err := w.o.Store.Publish(ctx, &jobs.Signal{V: jobs.V, Heartbeat: b}); err != nil && ctx.Err() == nil {
		w.log.Debug("a beat was not sent", "err", err)
	}
}

// nobody is an Observer that does nothing.
type noWorkerObserver struct{}

func (noWorkerObserver) Took(int, bool)  {}
func (noWorkerObserver) Answered(string) {}
func (noWorkerObserver) GaveUp()         {}
func (noWorkerObserver) Refused()        {}
func (noWorkerObserver) Newer()          {}
