//go:build !nojobs

package queue

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/tsumero/tsumero/api/jobs"
)

// River keeps the queue: who has a chunk, since when, what is tried again, who leads. Its rows name a
// chunk and the turn at it; all else is in our tables.

// Kind implements river.JobArgs.
func (chunkArgs) Kind() string { return "tsumero_chunk" }

// sweepArgs are those of a sweep.
type sweepArgs struct{}

// Kind implements river.JobArgs.
func (sweepArgs) Kind() string { return "tsumero_sweep" }

const (
	// rescueAfter is how long after the last heartbeat a row is given to others. River looks each
	// 30 s.
	rescueAfter = 35 * time.Second
	// sweepEvery is how often chunks without a row are looked for.
	sweepEvery = 30 * time.Second
	// rowTime is what River takes for the longest time of a row. A row of ours may take longer: it
	// heartbeats, and does not heed the end of this time.
	rowTime = 30 * time.Second
	// fetchPause is the shortest time between two fetches: a chunk of cheap lines takes 20 ms.
	fetchPause = 10 * time.Millisecond
	// pollEvery is how often each queue is looked at though nobody has reported a row.
	pollEvery = 5 * time.Second
)

// maintenance is the queue of sweeps, which every process has.
const maintenance = "tsumero_maintenance"

// discard is for what says too much.
var discard = slog.New(slog.DiscardHandler)

// riverConfig returns how River works here.
func (q *Queue) riverConfig(d *database) *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, &chunkWorker{q: q})
	river.AddWorker(workers, &sweepWorker{q: q})
	queues := map[string]river.QueueConfig{maintenance: {MaxWorkers: 1}}
	if w := q.o.Work; w != nil {
		// One row more than slots: it is read while others are answered.
		queues[shortQueue] = river.QueueConfig{MaxWorkers: w.Slots + 1}
		queues[longQueue] = river.QueueConfig{MaxWorkers: max(1, w.Long)}
		for _, class := range w.Classes {
			queues[bigQueue(class)] = river.QueueConfig{MaxWorkers: 1}
		}
	}
	return &river.Config{
		Logger:                      jobs.LimitLog(q.o.Logger, func(slog.Record) bool { return true }),
		Queues:                      queues,
		Workers:                     workers,
		JobTimeout:                  rowTime,
		JobStuckThreshold:           math.MaxInt64 / 4,
		RescueStuckJobsAfter:        rescueAfter,
		MaxAttempts:                 math.MaxInt16,
		FetchCooldown:               fetchPause,
		FetchPollInterval:           pollEvery,
		FetchOnlyKnownKinds:         true,
		CompletedJobRetentionPeriod: 2 * time.Minute,
		CancelledJobRetentionPeriod: 2 * time.Minute,
		DiscardedJobRetentionPeriod: 2 * time.Minute,
		ReindexerSchedule:           never{}, // a worker does not own the tables, and they are small
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(sweepEvery),
			func() (river.JobArgs, *river.InsertOpts) {
				return sweepArgs{}, &river.InsertOpts{Queue: maintenance, UniqueOpts: river.UniqueOpts{ByArgs: true,
					ByState: []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending,
						rivertype.JobStateRunning, rivertype.JobStateScheduled, rivertype.JobStateRetryable}}}
			}, &river.PeriodicJobOpts{RunOnStart: true})},
	}
}

// never is the schedule of what is not to be done.
type never struct{}

// Next implements river.PeriodicSchedule.
func (never) Next(now time.Time) time.Time { return now.AddDate(100, 0, 0) }

// retryPause is how long a row waits after an error, by how many there were: of the database, or of
// this program.
func retryPause(attempt int) time.Time {
	return time.Now().Add(min(time.Duration(max(attempt, 1))*time.Second, 10*time.Second))
}

// A chunkWorker works on rows.
type chunkWorker struct {
	river.WorkerDefaults[chunkArgs]
	q *Queue
}

// NextRetry implements river.Worker.
func (*chunkWorker) NextRetry(row *river.Job[chunkArgs]) time.Time { return retryPause(row.Attempt) }

// Work implements river.Worker.
func (w *chunkWorker) Work(ctx context.Context, row *river.Job[chunkArgs]) error {
	err := w.q.work(ctx, turnRow{chunkArgs: row.Args, id: row.ID, attempt: row.Attempt, queue: row.Queue,
		complete: func(ctx context.Context, t *tx) error {
			_, err := river.JobCompleteTx[riverdriver.Driver[*sql.Tx]](ctx, t.Tx, row)
			return err
		}})
	var later *Later
	switch {
	case errors.Is(err, ErrDraining):
		return river.JobSnooze(0) // others may have it at once
	case errors.As(err, &later):
		return river.JobSnooze(later.After)
	}
	return err
}

// A sweepWorker sweeps.
type sweepWorker struct {
	river.WorkerDefaults[sweepArgs]
	q *Queue
}

// NextRetry implements river.Worker.
func (*sweepWorker) NextRetry(row *river.Job[sweepArgs]) time.Time { return retryPause(row.Attempt) }

// Work implements river.Worker.
func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[sweepArgs]) error { return w.q.sweep(ctx) }

// insert inserts rows, and returns their numbers.
func (t *tx) insert(ctx context.Context, rows []newRow) ([]int64, error) {
	params := make([]river.InsertManyParams, len(rows))
	for i, r := range rows {
		params[i] = river.InsertManyParams{Args: r.chunkArgs,
			InsertOpts: &river.InsertOpts{Queue: r.queue, Priority: r.priority}}
	}
	found, err := t.d.client.InsertManyTx(ctx, t.Tx, params)
	if err != nil {
		return nil, err
	}
	t.inserted = true
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.Job.ID
	}
	return ids, nil
}

// cancelRow ends a row of a job that has ended.
func (t *tx) cancelRow(ctx context.Context, id int64) error {
	_, err := t.d.client.JobCancelTx(ctx, t.Tx, id)
	if errors.Is(err, rivertype.ErrNotFound) {
		return nil
	}
	return err
}

// Run works on jobs, if there is Options.Work, and takes part in sweeping, until ctx ends. Then the
// turns are ended that are under way, for which Work.Grace is the time. It returns when nothing runs
// any more. Open must have succeeded.
func (q *Queue) Run(ctx context.Context) error {
	d := q.store.Load()
	running := context.WithoutCancel(ctx)
	for {
		err := d.client.Start(running)
		if err == nil {
			break
		}
		q.log.Warn("work on jobs cannot begin yet", "error", d.explain(err))
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	living, stopHeartbeat := context.WithCancel(running)
	stopped := make(chan struct{})
	go func() { defer close(stopped); q.heartbeat(living) }()
	<-ctx.Done()
	q.turns.drain()
	grace := stopTime
	if w := q.o.Work; w != nil {
		grace += w.Grace
	}
	stopping, cancel := context.WithTimeout(running, grace)
	defer cancel()
	if err := d.client.Stop(stopping); err != nil {
		q.turns.abandon()
		last, cancel := context.WithTimeout(running, stopTime)
		defer cancel()
		if err := d.client.StopAndCancel(last); err != nil {
			q.log.Warn("work on jobs did not end in time", "error", err.Error())
		}
	}
	stopHeartbeat()
	<-stopped
	q.leave(running)
	return ctx.Err()
}
