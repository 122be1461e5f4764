package work

import (
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Stats are what a Coordinator knows at one moment.
type Stats struct {
	// Dispatched are the items that are with the workers or in their queue, by memory class.
	// Waiting are the other unanswered items of the jobs that the Coordinator works on.
	Dispatched  map[int]int
	Waiting     map[int]int
	Working     int // jobs that the Coordinator works on
	NotAdmitted int // jobs that it holds until they may be worked on
	// Oldest is the age of the oldest job that has not ended, whoever works on it.
	Oldest time.Duration
	// Workers are those that are present, by their largest memory class, and Slots theirs.
	Workers map[int]int
	Slots   int
}

// Stats returns what there is now.
func (c *Coordinator) Stats() Stats {
	s := Stats{Waiting: map[int]int{}, Dispatched: map[int]int{}, Workers: map[int]int{}}
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
			s.Slots += w.Slots
		}
	}
	s.Working, s.NotAdmitted = c.working, len(c.waiting)
	working := make([]*job, 0, len(c.leased))
	for _, a := range c.leased {
		if a.isAdmitted {
			working = append(working, a)
		}
	}
	c.mu.Unlock()
	for _, a := range working {
		a.mu.Lock()
		s.Dispatched[a.class] += len(a.dispatched)
		s.Waiting[a.class] += len(a.done) - a.counts.DoneChunks - len(a.dispatched)
		a.mu.Unlock()
	}
	return s
}
