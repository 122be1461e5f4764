package work

import (
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Stats are what a Coordinator knows at one moment.
type Stats struct {
	// Dispatched counts the items that workers have leased or that are in their queue, by memory
	// class. Waiting counts the items of admitted jobs that are neither dispatched nor answered.
	Dispatched  map[int]int
	Waiting     map[int]int
	Working     int // admitted jobs
	NotAdmitted int // jobs on the waiting list
	// Oldest is the age of the oldest job in the store that has not ended, whether leased here or
	// not.
	Oldest time.Duration
	// Workers counts the workers that are present, by their largest memory class. Slots are theirs.
	Workers map[int]int
	Slots   int
}

// Stats returns the present counts.
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
