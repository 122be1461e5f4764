package work

import (
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Stats are what a Coordinator sees.
type Stats struct {
	// Waiting are the items of jobs that it works on which are not answered and not let out, by
	// memory class; Out are those that are let out.
	Waiting map[int]int
	Out     map[int]int
	Working int // jobs that it works on
	Held    int // jobs that wait until they may be worked on
	// Oldest is the age of the oldest job that has not ended, whoever works on it.
	Oldest time.Duration
	// Workers are those that were heard lately, by their largest memory class, and Places theirs.
	Workers map[int]int
	Places  int
}

// Stats returns what there is now.
func (c *Coordinator) Stats() Stats {
	s := Stats{Waiting: map[int]int{}, Out: map[int]int{}, Workers: map[int]int{}}
	now := c.o.Now()
	c.mu.Lock()
	for _, r := range c.records {
		if r.state == jobs.Queued || r.state == jobs.Running {
			s.Oldest = max(s.Oldest, now.Sub(r.created))
		}
	}
	for _, w := range c.workers {
		if w.present() && !w.Draining {
			s.Workers[w.Memory]++
			s.Places += w.Places
		}
	}
	s.Working, s.Held = c.working, len(c.waiting)
	held := make([]*job, 0, len(c.held))
	for _, a := range c.held {
		select {
		case <-a.admitted:
			held = append(held, a)
		default:
		}
	}
	c.mu.Unlock()
	for _, a := range held {
		a.mu.Lock()
		s.Out[a.class] += len(a.out)
		s.Waiting[a.class] += len(a.done) - a.counts.DoneChunks - len(a.out)
		a.mu.Unlock()
	}
	return s
}

// Workers returns the beats of the workers that were heard lately.
func (c *Coordinator) Workers() []jobs.Heartbeat {
	c.mu.Lock()
	defer c.mu.Unlock()
	var beats []jobs.Heartbeat
	for _, w := range c.workers {
		if w.present() {
			beats = append(beats, w.Heartbeat)
		}
	}
	return beats
}

// Serves reports whether a worker was heard lately that takes items of a memory class.
func (c *Coordinator) Serves(class int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.workers {
		if w.present() && !w.Draining && w.Memory >= class {
			return true
		}
	}
	return false
}
