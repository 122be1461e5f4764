package work

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// WorkerOptions are what a Worker is made with. Name and Answer must be given.
type WorkerOptions struct {
	Name    string // unique among all workers
	Version string // of what answers; is stored with the answers

	// Slots is how many chunks the worker may work on at once; 0 is 1. Long is how many more may have
	// a long search, or wait for one. Answer has to bound how many long searches run.
	Slots, Long int
	// Classes are the memory classes of the jobs that it takes, besides 0. One of another class than 0
	// gets the whole worker: it begins when the others have ended.
	Classes []int

	// Answer answers a line. It is called for several chunks at once, and should return soon after
	// ctx ends. Events that it hands to report are shown as progress. report(nil) says that the line
	// waits for a slot, which Longest does not count. SearchBegins ends such a wait. If Answer
	// panics, the answer is the problem internal_error.
	Answer func(ctx context.Context, j *jobs.Job, l jobs.Line, report func(event []byte)) answer.Line
	// Begin, unless nil, is called before the first line of a turn, and returns the context of its
	// answers. The function that it returns, unless nil, is called at the end, with true if no
	// later turn at the chunk is needed.
	Begin func(ctx context.Context, j *jobs.Job) (context.Context, func(answered bool))
	// Yield, unless nil, is called between two lines, and may wait.
	Yield func(ctx context.Context)
	// Longest, unless nil, returns how long the answer to a line may take, not counting the wait
	// for a slot; 0 is for ever. If it takes longer, the attempt has failed.
	Longest func(j *jobs.Job, l jobs.Line) time.Duration

	// Grace is how long the answers that are under way when the process ends may take to end, such as
	// by saving a checkpoint.
	Grace time.Duration
	// The answers so far are stored as a part after PartEvery, or once they have PartBytes; 0 is
	// half a minute and 512 KiB.
	PartEvery time.Duration
	PartBytes int

	Logger  *slog.Logger   // nil: none
	Metrics *WorkerMetrics // nil: none
}

const (
	// stopTime is how long an answer may go on after its context has ended.
	stopTime = 10 * time.Second
	// sliceTime is how long a turn lasts at lines of which each takes long.
	sliceTime = 15 * time.Second
	// shortSlice is likewise for other lines. A chunk of a thousand cheap ones takes half of it, unless
	// the processors have more to do.
	shortSlice = 200 * time.Millisecond
	// storeRetry is after how long answers are stored again that could not be.
	storeRetry = time.Second
	// bigRetry is after how long a turn comes again that a big problem keeps waiting.
	bigRetry = 2 * time.Second
	// maxLine bounds the answer to a line.
	maxLine = 3 << 20
	// maxID is the longest ID of a line that is repeated in a problem.
	maxID = 256
)

// A Worker answers the lines of chunks.
type Worker struct {
	o     WorkerOptions
	log   *slog.Logger
	slots chan struct{}

	mu   sync.Mutex
	all  map[*turn]bool
	big  *turn         // has the worker, or waits for it
	free chan struct{} // is closed when a turn ends
}

// NewWorker returns a Worker, or says which option is missing.
func NewWorker(o WorkerOptions) (*Worker, error) {
	if o.Name == "" || o.Answer == nil {
		return nil, errors.New("work: a Worker needs Name and Answer")
	}
	o.Slots = max(1, o.Slots)
	o.Long = max(1, o.Long)
	if o.PartEvery <= 0 {
		o.PartEvery = 30 * time.Second
	}
	if o.PartBytes <= 0 {
		o.PartBytes = 512 << 10
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = newWorkerMetrics()
	}
	return &Worker{o: o, log: jobs.LimitLog(o.Logger, nil), slots: make(chan struct{}, o.Slots),
		all: map[*turn]bool{}, free: make(chan struct{})}, nil
}

// Work returns how a queue works by the worker.
func (w *Worker) Work() *queue.Work {
	return &queue.Work{Name: w.o.Name, Version: w.o.Version, Slots: w.o.Slots, Long: w.o.Long, Classes: w.o.Classes,
		Do: w.do, Grace: w.o.Grace + stopTime}
}

// do works on a turn.
func (w *Worker) do(t *queue.Turn) error {
	r := &turn{w: w, Turn: t, log: w.log.With("job", t.Job.ID.Short(), "chunk", t.N), giveBack: make(chan struct{})}
	if !w.enter(r) {
		return &queue.Later{After: bigRetry}
	}
	var stuck <-chan answer.Line
	defer func() {
		if stuck == nil {
			w.leave(r)
			return
		}
		go func() { // its slot is not free while the answer takes processor and memory
			<-stuck
			w.leave(r)
		}()
	}()
	var wait error
	switch {
	case t.Job.Memory > 0:
		wait = w.waitForAll(r)
	case !t.Long:
		wait = w.waitForSlot(r)
	}
	if wait != nil {
		return wait
	}
	err := r.run()
	stuck = r.stuck
	return err
}

// enter takes a turn in, unless a big problem has the worker, or waits for it and the turn would take
// long.
func (w *Worker) enter(r *turn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.big != nil && (r.Long || w.big.alone) {
		return false
	}
	if r.Job.Memory > 0 {
		w.big = r
	}
	w.all[r] = true
	return true
}

func (w *Worker) leave(r *turn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, r)
	if w.big == r {
		w.big = nil
	}
	if r.hasSlot {
		<-w.slots
	}
	close(w.free)
	w.free = make(chan struct{})
}

// waitForSlot waits for a short slot.
func (w *Worker) waitForSlot(r *turn) error {
	select {
	case w.slots <- struct{}{}:
		r.hasSlot = true
		return nil
	case <-r.Draining():
		return queue.ErrDraining
	case <-r.Context().Done():
		return context.Cause(r.Context())
	}
}

// waitForAll waits until a big problem has the worker for itself. Turns whose long search has not
// begun are given back. While others search, short ones still begin.
func (w *Worker) waitForAll(r *turn) error {
	for {
		w.mu.Lock()
		short, long := 0, 0
		for o := range w.all {
			switch {
			case o == r:
			case o.Long:
				long++
				o.stopIfWaiting()
			default:
				short++
			}
		}
		r.alone = long == 0
		changed := w.free
		w.mu.Unlock()
		if short+long == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(time.Second): // one may wait by now that searched
		case <-r.Draining():
			return queue.ErrDraining
		case <-r.Context().Done():
			return context.Cause(r.Context())
		}
	}
}
