package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Stats are how much work there is, and the workers for it.
type Stats struct {
	// Jobs are the jobs by their state; those that ended count until they expire.
	Jobs map[jobs.State]int
	// Waiting are the chunks without a result of jobs that were accepted, by memory class in GiB.
	Waiting map[int]int
	// Lines are the lines without an answer of these jobs.
	Lines int
	// Workers are the workers by the largest memory class that they take, in GiB.
	Workers map[int]int
	// Slots is how many chunks all workers can work on at once, Busy how many they do work on.
	Slots, Busy int
	// Oldest is the age of the oldest job that has not ended, 0 if there is none; Idle how long ago a
	// chunk was answered last, or the oldest of those that wait was queued, 0 if none waits.
	Oldest, Idle time.Duration
	// Wait is how long a job that comes now waits until it is begun, at the rate of the last minutes.
	// It is of no meaning if Unknown says why it is not known.
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

// statsFor is for how long statistics are taken to be true.
const statsFor = time.Second

// lookTime is how long the database may take for statistics before it counts as away.
const lookTime = 2 * time.Second

// rateTime is over how long the rate of answers is measured.
const rateTime = 10 * time.Minute

type statsCache struct {
	mu    sync.Mutex
	at    time.Time
	last  *Stats
	room  Room
	err   error
	slots atomic.Int64
}

// counters count what operators must know.
type counters struct{ damaged, discarded atomic.Uint64 }

// Damaged returns how many answers and questions were read here that were damaged.
func (q *Queue) Damaged() uint64 { return q.count.damaged.Load() }

// Discarded returns how many turns found their answers in vain here, since others had stored them or
// the job had ended.
func (q *Queue) Discarded() uint64 { return q.count.discarded.Load() }

// Stats returns the statistics, as they were a second ago at most.
func (q *Queue) Stats(ctx context.Context) (*Stats, error) {
	s, _, err := q.look(ctx)
	return s, err
}

// Room returns how much room there is, as it was a second ago at most.
func (q *Queue) Room(ctx context.Context) (Room, error) {
	_, r, err := q.look(ctx)
	return r, err
}

func (q *Queue) look(ctx context.Context) (*Stats, Room, error) {
	c := &q.stats
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() && time.Since(c.at) < statsFor {
		return c.last, c.room, c.err
	}
	// The next who asks gets what this finds. Probes and metrics do not wait for long.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	c.err = q.read(ctx, func(ctx context.Context, d *database) (err error) {
		if c.last, err = q.measure(ctx, d); err != nil {
			return err
		}
		c.room, err = d.room(ctx, d)
		return err
	})
	c.at = time.Now()
	if c.err == nil {
		c.slots.Store(int64(c.last.Slots))
	}
	return c.last, c.room, c.err
}

// measure reads the statistics.
func (q *Queue) measure(ctx context.Context, d *database) (*Stats, error) {
	now := q.now()
	s := &Stats{Jobs: map[jobs.State]int{}, Waiting: map[int]int{}, Workers: map[int]int{}}
	err := d.rows(ctx, `select state, count(*) from tsumero_job group by state`, nil, func(r *sql.Rows) error {
		var state jobs.State
		var n int
		err := r.Scan(&state, &n)
		s.Jobs[state] = n
		return err
	})
	if err != nil {
		return nil, err
	}
	err = d.rows(ctx, `select memory, sum(chunks - done_chunks), sum(lines - mate - nomate - unknown - faulty), min(created)
		from tsumero_job where state in ('queued', 'running') group by memory`, nil, func(r *sql.Rows) error {
		var memory, waiting, lines int
		var oldest int64
		err := r.Scan(&memory, &waiting, &lines, &oldest)
		s.Waiting[memory] = waiting
		s.Lines += lines
		s.Oldest = max(s.Oldest, time.Duration(now-oldest)*time.Millisecond)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = d.rows(ctx, `select memory, count(*), sum(slots), sum(busy) from tsumero_worker where seen > $1 group by memory`,
		[]any{now - silence.Milliseconds()}, func(r *sql.Rows) error {
			var memory, n, slots, busy int
			err := r.Scan(&memory, &n, &slots, &busy)
			s.Workers[memory] = n
			s.Slots += slots
			s.Busy += busy
			return err
		})
	if err != nil {
		return nil, err
	}
	return s, q.measureWait(ctx, d, s, now)
}

// measureWait reads how long a job that comes now has to wait.
func (q *Queue) measureWait(ctx context.Context, d *database, s *Stats, now int64) error {
	var finished, earliest, last, queued, first int64
	if err := d.row(ctx, `select count(*), coalesce(min(finished), 0), coalesce(max(finished), 0) from tsumero_chunk
		where state = 2 and finished > $1`, now-rateTime.Milliseconds()).Scan(&finished, &earliest, &last); err != nil {
		return err
	}
	if err := d.row(ctx, `select count(*), coalesce(min(queued), 0) from tsumero_chunk where state = 1`).
		Scan(&queued, &first); err != nil {
		return err
	}
	var rows int64 // is asked for what it may say: that the queue itself cannot be read
	if err := d.row(ctx, `select count(*) from river_job where state in ('available', 'running', 'retryable')`).
		Scan(&rows); err != nil {
		return err
	}
	if queued > 0 {
		s.Idle = max(0, time.Duration(now-max(last, first))*time.Millisecond)
	}
	ahead := queued - int64(s.Busy)
	switch {
	case s.Slots == 0:
		s.Unknown = NoWorkers
	case s.Busy < s.Slots || ahead <= 0:
	case finished == 0:
		s.Unknown = NotMeasured
	default:
		span := time.Duration(max(now-earliest, 1000)) * time.Millisecond
		s.Wait = time.Duration(float64(ahead+1) / float64(finished) * float64(span))
	}
	return nil
}

// Trouble says what is wrong with the store or with the work on it, a line each; none if nothing is.
func (q *Queue) Trouble(ctx context.Context) (lines []string) {
	s, room, err := q.look(ctx)
	if errors.Is(err, jobs.ErrDamaged) {
		return []string{"the job database is damaged: see 'tsumero-server store check'"}
	}
	if err != nil {
		return []string{"the job database is away: no job is accepted, and none goes on"}
	}
	if n := q.Damaged(); n > 0 {
		lines = append(lines, fmt.Sprintf("damaged questions, answers or pages were read, %d times: see "+
			"'tsumero-server store check'", n))
	}
	switch {
	case room.Full:
		lines = append(lines, "the store is full: no job is accepted, and none goes on, until there is room")
	case q.checkRoom(ctx, jobs.Problem, 0) != nil:
		lines = append(lines, "the store is nearly full: no job is accepted until there is room")
	}
	waiting := 0
	for _, n := range s.Waiting {
		waiting += n
	}
	if waiting > 0 && s.Slots == 0 {
		lines = append(lines, "jobs wait, and no worker takes them")
	} else if waiting > 0 && s.Idle > idleTime && s.Busy == 0 {
		lines = append(lines, "jobs wait, and nobody works on them")
	}
	return lines
}

// idleTime is how long chunks may wait before Trouble says that nobody works on them.
const idleTime = 2 * time.Minute
