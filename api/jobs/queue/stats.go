package queue

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Stats are how much work there is, and the workers for it.
type Stats struct {
	// Live says that the store is followed, so that the rest is up to date.
	Live bool
	// Jobs are the jobs by their state; those that ended count until they expire.
	Jobs map[jobs.State]int
	// Waiting are the chunks without a result of jobs that were accepted, by memory class in GiB.
	Waiting map[int]int
	// Lines are the lines without an answer of these jobs.
	Lines int
	// Workers are the workers by the largest memory class that they take, in GiB.
	Workers map[int]int
	// Slots is how many items all workers can work on at once, Busy how many they do work on.
	Slots, Busy int
	// Oldest is the age of the oldest job that has not ended, 0 if there is none.
	Oldest time.Duration
	// Wait is how long a job that comes now waits until it is begun, at the rate of the last minutes
	// in which all slots were taken. It is of no meaning if Unknown says why it cannot be told.
	Wait    time.Duration
	Unknown WaitUnknown
}

// A WaitUnknown says why nobody can tell how long a job will wait; "" if that is known.
type WaitUnknown string

// The reasons.
const (
	NoWorkers   WaitUnknown = "no_workers"
	NotMeasured WaitUnknown = "not_measured" // all slots are taken, and nothing has ended meanwhile
)

// Stats returns them.
func (q *Queue) Stats() *Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.o.Now()
	s := &Stats{Live: q.live, Jobs: map[jobs.State]int{}, Waiting: map[int]int{},
		Workers: map[int]int{}}
	var chunks []int // that wait, of each job that is worked on
	for state, n := range q.states {
		if n > 0 {
			s.Jobs[state] = n
		}
	}
	for _, e := range q.active {
		a := e.accepts()
		n := max(0, a.Chunks-e.job.DoneChunks)
		s.Waiting[e.job.Memory] += n
		if e.job.State == jobs.Running { // the others may not: they are beyond a quota, or have just come
			chunks = append(chunks, n)
		}
		s.Lines += max(0, a.Lines-q.doneLines(e))
		s.Oldest = max(s.Oldest, now.Sub(e.job.Created))
	}
	q.dropSilent(now)
	for _, w := range q.workers {
		s.Workers[w.last.Memory]++
		s.Slots += w.last.Slots + w.last.Long
		s.Busy += w.last.Busy + w.last.Long
	}
	s.Wait, s.Unknown = q.wait(now, chunks)
	return s
}

// wait returns how long a job that comes now waits until it is begun. chunks are those that wait or are
// worked on, of each job that runs: a coordinator dispatches few of each at once. q.mu is held.
func (q *Queue) wait(now time.Time, chunks []int) (time.Duration, WaitUnknown) {
	slots, held := 0, 0
	for _, w := range q.workers {
		slots += w.last.Slots
		held += len(w.last.Items)
	}
	before := -held
	for _, n := range chunks {
		before += min(n, max(2, 2*slots/len(chunks)))
	}
	perSecond := q.rate.perSecond(now)
	switch {
	case slots == 0:
		return 0, NoWorkers
	case !q.isFull():
		return 0, ""
	case perSecond == 0:
		return 0, NotMeasured
	}
	return time.Duration(float64(max(0, before)+1) / perSecond * float64(time.Second)), ""
}

// isFull reports whether all slots are taken. q.mu is held.
func (q *Queue) isFull() bool {
	slots, busy := 0, 0
	for _, w := range q.workers {
		slots += w.last.Slots
		busy += w.last.Busy
	}
	return slots > 0 && busy >= slots
}

// Store returns the last status of the store. up says that it answered.
func (q *Queue) Store() (s jobs.Status, up bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.status, q.up
}

// Trouble says what is wrong with the store, "" if nothing is.
func (q *Queue) Trouble() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !q.up:
		return "the store does not answer"
	case q.status.Full:
		return "the store is full: none is accepted, and none goes on, until there is room"
	case q.checkRoom(jobs.Problem, &jobs.Accepted{}) != nil:
		return "the store is nearly full: none is accepted until there is room"
	case q.checkIndex("", &Used{}, &entry{}, &jobs.Accepted{}) != nil:
		return "there is no memory for more jobs: none is accepted until some are forgotten"
	case q.status.Findings > 0:
		return fmt.Sprintf("the store was damaged, findings: %d; tsumero-server jobs-store verify has them",
			q.status.Findings)
	}
	return q.status.Warning
}

// updateStatus asks the store for its status.
func (q *Queue) updateStatus(ctx context.Context) {
	ctx, cancel := q.call(ctx)
	defer cancel()
	s, err := q.store.Status(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.status = s
	} else if q.up && ctx.Err() == nil {
		q.o.Logger.Warn("the job store does not answer", "error", err)
	}
	q.up = err == nil
	q.dropSilent(q.o.Now())
	q.rate.observe(q.o.Now(), q.isFull())
}

// A worker is the last heartbeat of one, and when it came.
type worker struct {
	last  jobs.Heartbeat
	heard time.Time
}

// silence is after how long a worker counts as gone.
const silence = 3 * jobs.HeartbeatTime

// onHeartbeat takes in a heartbeat. q.mu is held.
func (q *Queue) onHeartbeat(h *jobs.Heartbeat) {
	if h.Draining {
		delete(q.workers, h.Worker)
		return
	}
	q.workers[h.Worker] = worker{*h, q.o.Now()}
}

// dropSilent drops the workers that are gone. q.mu is held.
func (q *Queue) dropSilent(now time.Time) {
	maps.DeleteFunc(q.workers, func(_ string, w worker) bool { return now.Sub(w.heard) > silence })
}

// largest returns the largest memory class that a worker takes, in GiB. q.mu is held.
func (q *Queue) largest() (class int) {
	q.dropSilent(q.o.Now())
	for _, w := range q.workers {
		class = max(class, w.last.Memory)
	}
	return class
}

// A rate is how many chunks get their result while all slots are taken, over the last ten minutes.
type rate struct {
	chunks [rateMinutes]int           // by minute
	full   [rateMinutes]time.Duration // likewise how long all slots were taken
	last   int64                      // number of the minute that was counted last
	isFull bool                       // as observed last, which was at
	at     time.Time
}

const rateMinutes = 10

// advance makes the minute of now the last one, with nothing in those between.
func (r *rate) advance(now time.Time) {
	minute := now.Unix() / 60
	r.last = max(r.last, minute-rateMinutes)
	for ; r.last < minute; r.last++ {
		r.chunks[(r.last+1)%rateMinutes], r.full[(r.last+1)%rateMinutes] = 0, 0
	}
}

// observe notes whether all slots are taken now.
func (r *rate) observe(now time.Time, isFull bool) {
	r.advance(now)
	if r.isFull {
		r.full[r.last%rateMinutes] += now.Sub(r.at)
	}
	r.isFull, r.at = isFull, now
}

// add counts a chunk.
func (r *rate) add(now time.Time) {
	r.advance(now)
	if r.isFull {
		r.chunks[r.last%rateMinutes]++
	}
}

// perSecond returns the rate, 0 if there is none yet.
func (r *rate) perSecond(now time.Time) float64 {
	r.advance(now)
	chunks, full := 0, time.Duration(0)
	for i := range rateMinutes {
		chunks += r.chunks[i]
		full += r.full[i]
	}
	if full == 0 {
		return 0
	}
	return float64(chunks) / full.Seconds()
}
