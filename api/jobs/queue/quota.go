package queue

import (
	"context"
	"database/sql"
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

// usage is how much a client has.
type usage struct {
	jobs  int // that have not ended
	lines int // in them
	bytes int64
}

// A queryRow asks for one row: of a transaction, or of a connection that only reads.
type queryRow func(ctx context.Context, query string, args ...any) *sql.Row

// used counts what a client has besides a job.
func used(ctx context.Context, row queryRow, client string, besides jobs.ID) (u usage, err error) {
	err = row(ctx, `select coalesce(sum(case when state in ('receiving', 'queued', 'running') then 1 else 0 end), 0),
		coalesce(sum(case when state in ('receiving', 'queued', 'running') then lines else 0 end), 0),
		coalesce(sum(bytes + out_bytes + case when state in ('receiving', 'queued', 'running')
			then (lines - mate - nomate - unknown - faulty) * $3 else 0 end), 0)
		from tsumero_job where client = $1 and id <> $2`, client, string(besides), ReservedBytes).
		Scan(&u.jobs, &u.lines, &u.bytes)
	return u, err
}

// checkQuota checks whether a client of a class may have a job of that size besides what it has, and
// whether there is room for it.
func (q *Queue) checkQuota(ctx context.Context, row queryRow, c *Class, client string, id jobs.ID, kind jobs.Kind,
	a *jobs.Accepted) error {
	u, err := used(ctx, row, client, id)
	if err != nil {
		return err
	}
	most := c.Active + c.Waiting
	bytes := a.Bytes + int64(a.Lines)*ReservedBytes
	switch {
	case u.jobs >= most:
		return &QuotaError{Of: "jobs", Most: int64(most), Never: most == 0}
	case u.lines+a.Lines > c.Lines:
		return &QuotaError{Of: "lines", Most: int64(c.Lines), Never: a.Lines > c.Lines}
	case u.bytes+bytes > c.Bytes:
		return &QuotaError{Of: "bytes", Most: c.Bytes, Never: bytes > c.Bytes}
	}
	return q.checkRoom(ctx, kind, a.Lines)
}
