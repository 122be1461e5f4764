package main

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint/disk"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/sched"
)

// A jobWork is what works on jobs in this process: the solvers, their memory and the checkpoints.
type jobWork struct {
	share    memory.JobShare
	analyses int // at once; 0: none, and their lines are answered "not offered"
	// big says that items of large memory classes are taken, as far as the share allows, each with so
	// many threads.
	big     bool
	threads int
	// checkpoints is the directory of those of long searches, "" for none.
	checkpoints string
	secret      []byte // of the checkpoints: that of the queue
	grace       time.Duration
	yield       func(context.Context)
	background  func(f func()) // runs what answers a line
	metrics     *work.WorkerMetrics
	logger      *slog.Logger

	mu      sync.Mutex
	small   *work.LineAnswerer    // nil while a big item has their memory
	keepers map[*disk.Keeper]bool // of the searches that run
}

// classes returns the memory classes that the worker takes.
func (w *jobWork) classes() []int {
	var classes []int
	for _, c := range jobs.MemoryClasses {
		if w.big && int64(c)<<30 <= w.share.Total {
			classes = append(classes, c)
		}
	}
	return classes
}

// worker returns a worker of that name.
func (w *jobWork) worker(name string) (*work.Worker, error) {
	build := version.Get()
	w.keepers = map[*disk.Keeper]bool{}
	var err error
	if w.small, err = w.answers(w.share.Slots, w.share.Long, w.share.Table, 1); err != nil {
		return nil, err
	}
	return work.NewWorker(work.WorkerOptions{Name: name, Version: strings.TrimSpace(build.Version + " " + build.Revision),
		Slots: w.share.Slots, Long: longItems, Classes: w.classes(), Answer: w.answer, Begin: w.beginTurn,
		Yield: func(ctx context.Context) {
			if w.yield != nil {
				w.yield(ctx)
			}
		}, Longest: longest, Grace: w.grace, Logger: w.logger, Metrics: w.metrics})
}

// longItems is how many items a worker may have besides those that it works on, each of which waits
// for a long search or has one. Each has its chunk and up to 3 MiB of answers that are not stored yet,
// rarely more than half a MiB.
const longItems = 16

// workerName returns a name that no other worker has.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return host + "-" + strconv.Itoa(os.Getpid()) + "-" + string(jobs.NewID())[:6]
}

// longest returns how long the answer to a line may take after it waited for a slot: what it may
// search, and as much again for what no limit ends at once.
func longest(j *jobs.Job, _ jobs.Line) time.Duration {
	if j.MaxTime == 0 {
		return 0
	}
	return 2*j.MaxTime + time.Minute
}

// answers returns what answers lines, so many at once, with tables of that size for long searches, of
// which so many take turns. Its short searches are those of the service, so that its answers are.
func (w *jobWork) answers(slots, long int, table int64, threads int) (*work.LineAnswerer, error) {
	report := func(p shogi.Position, r solver.Result, err error) {
		w.logger.Error("replay failed", "sfen", p.SFEN(), "solver", r.Solver, "line", r.Line,
			"error", err.Error())
	}
	c := answer.Config{Version: version.Get().Version,
		Failed: func(ctx context.Context, sfen string, err error) {
			w.logger.ErrorContext(ctx, "analysis failed", "sfen", sfen, "error", err.Error())
		},
		Bounds: work.LineBounds(time.Hour), // each item has its own
		Sched: sched.Config{
			Quick: sched.PoolConfig{Slots: slots, Solver: mate.New(mate.Options{
				TableBytes: memory.ShortTable, Searches: slots, Report: report})},
			Long: sched.PoolConfig{Slots: slots, Begun: long, Begins: work.SearchBegins,
				Solver: mate.New(mate.Options{TableBytes: int(table), Searches: long, Threads: threads,
					Report: report})},
		}}
	if w.analyses > 0 {
		c.Sched.Sessions = sched.SessionConfig{Slots: w.analyses,
			New: func() solver.Session { return dfpn.NewSession() }}
	}
	a, err := answer.New(c)
	if err != nil {
		return nil, err
	}
	return work.NewLineAnswerer(a), nil
}

// answer answers a line. An item of a large memory class has the worker for itself, and with it all
// threads and all the memory of the others.
func (w *jobWork) answer(ctx context.Context, j *jobs.Job, l jobs.Line,
	report func(event []byte)) answer.Line {
	a, err := w.answersFor(j)
	if err != nil {
		w.logger.Error("no solver for a job", "job", j.ID.Short(), "error", err.Error())
		return answer.Line{Ended: true}
	}
	var found answer.Line
	w.background(func() { found = a.Answer(ctx, j, l, report) })
	return found
}

func (w *jobWork) answersFor(j *jobs.Job) (*work.LineAnswerer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if j.Memory > 0 {
		w.small = nil // so that its tables are free
		table := w.share.Total - memory.LeastForJobs - int64(w.threads)*memory.BesidesTable
		return w.answers(1, 1, table, w.threads)
	}
	if w.small == nil {
		var err error
		if w.small, err = w.answers(w.share.Slots, w.share.Long, w.share.Table, 1); err != nil {
			return nil, err
		}
	}
	return w.small, nil
}

// begin makes ready what needs the queue, which is open.
func (w *jobWork) begin(ctx context.Context, q *queue.Queue) {
	w.secret, _ = q.Secret() // there is one once it is open
	w.sweepCheckpoints(ctx, q)
}
