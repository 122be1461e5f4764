package queue

import (
	"errors"
	"fmt"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// The classes that there are by default: clients without a key, and those with one.
const (
	Anonymous = "anonymous"
	Keyed     = "key"
)

// A Class is what each client of it may have. 0 is none of it.
type Class struct {
	// Active is how many jobs of a client are worked on at once, and Waiting how many more it may
	// have that have not ended.
	Active, Waiting int
	// Lines is how many lines the jobs of a client may have that have not ended.
	Lines int
	// Time is the largest limit of time of a line.
	Time time.Duration
	// Bytes is how much a client may have stored, input and results. A line that has no answer yet
	// counts as ReservedBytes.
	Bytes int64
	// Keep is how long a job is kept after its end.
	Keep time.Duration
}

// ReservedBytes is the room that is kept for the answer to a line: the mean of 200 mates is 235.
const ReservedBytes = 300

// DefaultClasses returns the classes Anonymous and Keyed.
func DefaultClasses() map[string]Class {
	return map[string]Class{
		Anonymous: {Active: 1, Waiting: 10, Lines: 10_000, Time: 10 * time.Minute, Bytes: 64 << 20,
			Keep: 24 * time.Hour},
		Keyed: {Active: 4, Waiting: 1000, Lines: 5_000_000, Time: 24 * time.Hour, Bytes: 10 << 30,
			Keep: 30 * 24 * time.Hour},
	}
}

func (c *Class) check() error {
	switch {
	case c.Active < 0 || c.Waiting < 0 || c.Lines < 0 || c.Bytes < 0 || c.Keep < 0:
		return errors.New("a quota is negative")
	case c.Time < time.Millisecond || c.Time%time.Millisecond != 0:
		return fmt.Errorf("the time %v is no number of milliseconds", c.Time)
	}
	return nil
}

// Class returns a class. ok is false if there is none of that name.
func (q *Queue) Class(name string) (c Class, ok bool) {
	c, ok = q.o.Classes[name]
	return c, ok
}

// Classes returns the classes by their names. Callers must not change the map.
func (q *Queue) Classes() map[string]Class { return q.o.Classes }

// A QuotaError says that a client has as much as it may have.
type QuotaError struct {
	// Of is the quota that is exceeded: "jobs", "lines" or "bytes".
	Of   string
	Most int64
	// Never says that this job alone is more than the client may have.
	Never bool
}

// Error says so.
func (e *QuotaError) Error() string {
	what := map[string]string{
		"jobs":  "jobs that have not ended",
		"lines": "lines in jobs that have not ended",
		"bytes": fmt.Sprintf("bytes stored, and %d more for each line without an answer",
			ReservedBytes),
	}[e.Of]
	return fmt.Sprintf("queue: the client has too many %s: at most %d", what, e.Most)
}

// Used is how much a client has.
type Used struct {
	Jobs  int // that have not ended
	Lines int // in them
	Bytes int64
	index int64 // bytes of memory
}

// used counts what a client has besides a job. q.mu is held.
func (q *Queue) used(client string, besides jobs.ID) (u Used) {
	for id, e := range q.index {
		if e.job == nil || e.job.Client != client || id == besides {
			continue
		}
		u.Bytes += e.job.OutBytes
		u.index += e.indexed
		if e.state().Ended() {
			continue
		}
		a := e.accepts()
		u.Jobs++
		u.Lines += a.Lines
		u.Bytes += storedBytes(&a) - int64(e.job.Counts.Lines())*ReservedBytes
	}
	return u
}

// storedBytes is the room that a job takes while it has no answers.
func storedBytes(a *jobs.Accepted) int64 { return a.Bytes + int64(a.Lines)*ReservedBytes }

// checkJobs checks whether a client may have one more job. q.mu is held.
func (c *Class) checkJobs(u *Used) error {
	if most := c.Active + c.Waiting; u.Jobs >= most {
		return &QuotaError{Of: "jobs", Most: int64(most), Never: most == 0}
	}
	return nil
}

// checkSize checks whether a client may have a job of that size.
func (c *Class) checkSize(u *Used, a *jobs.Accepted) error {
	switch {
	case u.Lines+a.Lines > c.Lines:
		return &QuotaError{Of: "lines", Most: int64(c.Lines), Never: a.Lines > c.Lines}
	case u.Bytes+storedBytes(a) > c.Bytes:
		return &QuotaError{Of: "bytes", Most: c.Bytes, Never: storedBytes(a) > c.Bytes}
	}
	return nil
}

// indexBytes is the memory that a job takes for as long as it is kept, measured with 100,000 jobs: in
// the indexes of an embedded store, which has three messages of it and up to three for each chunk,
// here, and in a coordinator.
func indexBytes(a *jobs.Accepted) int64 { return 3<<10 + int64(a.Chunks)<<10 }

// checkIndex checks whether there is memory for one more job of a client of a class, besides one that
// is counted already. A client without a key may have half of what the others leave. q.mu is held.
func (q *Queue) checkIndex(class string, u *Used, besides *entry, a *jobs.Accepted) error {
	most, more := q.o.IndexBytes, indexBytes(a)
	if most == 0 {
		return nil
	}
	all := q.indexed - besides.indexed
	if all+more > most {
		return fmt.Errorf("%w: the jobs that are kept take %d bytes of memory, and %d is the most",
			jobs.ErrFull, all, most)
	}
	if half := (most - (all - u.index)) / 2; class == Anonymous && u.index+more > half {
		return fmt.Errorf("%w: the jobs of a client without a key take %d bytes of memory, and %d is the "+
			"most", jobs.ErrFull, u.index, half)
	}
	return nil
}

// The parts of the store that may be taken when a job is accepted, in percent: what is left is for
// the results of those that were.
const (
	collectionPercent = 90
	problemPercent    = 95
)

// checkRoom checks whether the store has room for a job of a kind besides the answers to all lines
// that have none. q.mu is held.
func (q *Queue) checkRoom(kind jobs.Kind, a *jobs.Accepted) error {
	lines := a.Lines
	for _, e := range q.active {
		lines += e.accepts().Lines - e.job.Counts.Lines()
	}
	percent := int64(problemPercent)
	if kind.HasLines() {
		percent = collectionPercent
	}
	s := &q.status
	reserved := int64(lines) * ReservedBytes
	if s.Full || s.Limit > 0 && s.Bytes+reserved >= s.Limit/100*percent {
		return fmt.Errorf("%w: %d bytes are stored, %d more are reserved for answers, and %d is the most",
			jobs.ErrFull, s.Bytes, reserved, s.Limit)
	}
	return nil
}
