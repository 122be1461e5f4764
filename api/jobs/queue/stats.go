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
	// Wait is how long the waiting chunks take at the rate of the last minutes, if Known.
	Wait  time.Duration
	Known bool
}

// Stats returns them.
func (q *Queue) Stats() *Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.o.Now()
	s := &Stats{Live: q.live, Jobs: map[jobs.State]int{}, Waiting: map[int]int{},
		Workers: map[int]int{}}
	waiting := 0
	for state, n := range q.states {
		if n > 0 {
			s.Jobs[state] = n
		}
	}
	for _, e := range q.active {
		a := e.accepts()
		n := max(0, a.Chunks-e.job.DoneChunks)
		s.Waiting[e.job.Memory] += n
		waiting += n
		s.Lines += max(0, a.Lines-q.doneLines(e))
		s.Oldest = max(s.Oldest, now.Sub(e.job.Created))
	}
	q.dropSilent(now)
	for _, w := range q.workers {
		s.Workers[w.last.Memory]++
		s.Slots += w.last.Slots + w.last.Long
		s.Busy += w.last.Busy + w.last.Long
	}
	if waiting == 0 && s.Slots > s.Busy {
		s.Known = true
	} else if perSecond := q.rate.perSecond(now); perSecond > 0 {
		s.Wait, s.Known = time.Duration(float64(waiting)/perSecond*float64(time.Second)), true
	}
	return s
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
	case q.status.Findings > 0:
		return fmt.Sprintf("the store was damaged, findings: %d; tsumero jobs-store verify has them",
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

// A rate counts events per minute, over the last ten minutes.
type rate struct {
	minutes [rateMinutes]int
	last    int64 // number of the minute that was counted last
	first   int64 // and of the first one
}

const rateMinutes = 10

// advance makes the minute of now the last one, with no events in those between.
func (r *rate) advance(now time.Time) {
	minute := now.Unix() / 60
	if r.first == 0 {
		r.first, r.last = minute, minute
	}
	for ; r.last < minute; r.last++ {
		if minute-r.last > rateMinutes {
			r.last = minute - rateMinutes
		}
		r.minutes[(r.last+1)%rateMinutes] = 0
	}
}

func (r *rate) add(now time.Time) {
	r.advance(now)
	r.minutes[r.last%rateMinutes]++
}

func (r *rate) perSecond(now time.Time) float64 {
	r.advance(now)
	sum := 0
	for _, n := range r.minutes {
		sum += n
	}
	span := now.Unix() - max(r.first, r.last-rateMinutes+1)*60
	return float64(sum) / float64(max(1, span))
}
