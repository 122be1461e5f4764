package queue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Errors of the package, besides those of package jobs.
var (
	// ErrGone says that there was such a job, which was removed.
	ErrGone = errors.New("queue: the job is forgotten")
	// ErrFinished says that the job has ended and cannot be cancelled.
	ErrFinished = errors.New("queue: the job has ended")
	// ErrMismatch says that the idempotency key is that of another job.
	ErrMismatch = errors.New("queue: the idempotency key was used for something else")
	// ErrEmpty says that a body has no line.
	ErrEmpty = errors.New("queue: there is no line")
	// ErrNotDone says that there is no answer yet.
	ErrNotDone = errors.New("queue: there is no answer yet")
	// ErrLocked says that another process has the directory.
	ErrLocked   = errors.New("queue: the directory is in use")
	errNoTables = errors.New("queue: the tables are not there, or those of an older program: a service makes them")
	// ErrFormat says that a store is of another format than this program has.
	ErrFormat = errors.New("queue: the store has another format")
)

// Options are what a Queue is made with. The zero value of each means the default named here.
type Options struct {
	// Address is where jobs are kept: a directory, or postgres://….
	Address string
	// MaxBytes is the most that a directory keeps when new jobs are taken. Default: what the disk allows.
	MaxBytes int64
	// Classes are the quotas by the name of their class. Default: DefaultClasses.
	Classes map[string]Class
	// NoTables says that this process makes no tables, and waits for one that does: a worker need not
	// own them.
	NoTables bool
	// Work is how this process works on jobs, nil if it does not.
	Work *Work
	// Logger gets what an operator should know. Default: none.
	Logger *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// A Queue keeps jobs, accepts and reports on them, and hands them out to be worked on. It is safe for
// concurrent use, and any number of processes may have one at the same database.
type Queue struct {
	o     Options
	log   *slog.Logger
	store atomic.Pointer[database] // nil until Open
	local watchers
	turns turns
	stats statsCache
	count counters
}

// New returns a Queue. Its methods return jobs.ErrUnavailable before Open.
func New(o Options) (*Queue, error) {
	if o.Classes == nil {
		o.Classes = DefaultClasses()
	}
	for name, c := range o.Classes {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("queue: class %q: %w", name, err)
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if err := CheckAddress(o.Address); err != nil {
		return nil, err
	}
	return &Queue{o: o, log: jobs.LimitLog(o.Logger, nil), turns: turns{begun: make(chan struct{}, 1)}}, nil
}

// Open opens the database, and brings its tables to the format of this program. After an error it
// may be called again.
func (q *Queue) Open(ctx context.Context) error {
	if q.store.Load() != nil {
		return nil
	}
	d, err := openDatabase(ctx, q)
	if err != nil {
		return err
	}
	q.store.Store(d)
	return nil
}

// Close closes the database. Run must have returned.
func (q *Queue) Close() error {
	d := q.store.Swap(nil)
	if d == nil {
		return nil
	}
	return d.close()
}

// Class returns a class. ok is false if there is none of that name.
func (q *Queue) Class(name string) (c Class, ok bool) {
	c, ok = q.o.Classes[name]
	return c, ok
}

// Classes returns the classes by their names. Callers must not change the map.
func (q *Queue) Classes() map[string]Class { return q.o.Classes }

// callTime is how long a call of the database may take.
const callTime = 10 * time.Second

// stopTime is how long the last calls of the database may take.
const stopTime = 10 * time.Second

// now returns the time in milliseconds, as it is stored.
func (q *Queue) now() int64 { return q.o.Now().UnixMilli() }

// A tx is a transaction that may write.
type tx struct {
	*sql.Tx
	d       *database
	changed []jobs.ID // whose watchers are woken once it is committed
	// inserted says that there are new rows of River.
	inserted bool
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.ExecContext(ctx, t.d.rewrite(query), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (t *tx) row(ctx context.Context, query string, args ...any) *sql.Row {
	return t.QueryRowContext(ctx, t.d.rewrite(query), args...)
}

func (t *tx) rows(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := t.QueryContext(ctx, t.d.rewrite(query), args...)
	return each(rows, err, scan)
}

// each calls scan for each row, and closes them.
func each(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// txTries is how often a transaction is tried that the database ended for another one's sake.
const txTries = 6

// write runs f in a transaction, again if the database ended it for another one.
func (q *Queue) write(ctx context.Context, f func(ctx context.Context, t *tx) error) error {
	d := q.store.Load()
	if d == nil {
		return fmt.Errorf("%w: the database is not open", jobs.ErrUnavailable)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for try := 1; ; try++ {
		changed, err := d.once(ctx, f)
		if err == nil {
			q.local.wake(changed)
			return nil
		}
		if try == txTries || !d.isConflict(err) || ctx.Err() != nil {
			return q.explain(d, err)
		}
		select {
		case <-time.After(time.Duration(try) * 10 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (d *database) once(ctx context.Context, f func(context.Context, *tx) error) ([]jobs.ID, error) {
	begun, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = begun.Rollback() }() // does nothing after Commit
	t := &tx{Tx: begun, d: d}
	if err := f(ctx, t); err != nil {
		return nil, err
	}
	if err := begun.Commit(); err != nil {
		return nil, err
	}
	if t.inserted {
		select {
		case d.inserted <- struct{}{}:
		default:
		}
	}
	return t.changed, nil
}

// read runs f with a connection that does not write.
func (q *Queue) read(ctx context.Context, f func(ctx context.Context, d *database) error) error {
	d := q.store.Load()
	if d == nil {
		return fmt.Errorf("%w: the database is not open", jobs.ErrUnavailable)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return q.explain(d, f(ctx, d))
}

// explain makes an error of the package of one of the database, and counts damages.
func (q *Queue) explain(d *database, err error) error {
	err = d.explain(err)
	if errors.Is(err, jobs.ErrDamaged) {
		q.count.damaged.Add(1)
		q.o.Logger.Error("what was stored is damaged", "error", err.Error())
	}
	return err
}

func (d *database) row(ctx context.Context, query string, args ...any) *sql.Row {
	return d.reading.QueryRowContext(ctx, d.rewrite(query), args...)
}

func (d *database) rows(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := d.reading.QueryContext(ctx, d.rewrite(query), args...)
	return each(rows, err, scan)
}

// explain makes an error of the package of one of the database.
func (d *database) explain(err error) error {
	var quota *QuotaError
	switch {
	case err == nil, errors.As(err, &quota), errors.Is(err, context.Canceled), isOurs(err):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return jobs.ErrNotFound
	case d.isFull(err):
		return fmt.Errorf("%w: %w", jobs.ErrFull, err)
	case d.isDamaged(err):
		return fmt.Errorf("%w: %w", jobs.ErrDamaged, err)
	}
	return fmt.Errorf("%w: %w", jobs.ErrUnavailable, err)
}

// isOurs reports whether an error is one of this package or of package jobs.
func isOurs(err error) bool {
	for _, ours := range []error{ErrGone, ErrFinished, ErrMismatch, ErrEmpty, ErrNotDone, errEnded, errSuperseded, errAgain,
		jobs.ErrNotFound, jobs.ErrFull, jobs.ErrUnavailable, jobs.ErrDamaged, jobs.ErrNewer} {
		if errors.Is(err, ours) {
			return true
		}
	}
	return false
}

// Secret returns 32 bytes that are the same for all who use the database.
func (q *Queue) Secret() ([]byte, error) {
	d := q.store.Load()
	if d == nil {
		return nil, jobs.ErrUnavailable
	}
	return d.secret, nil
}

// watchers are those in this process who wait for a change of a job. Many jobs share a channel, so that
// what is kept does not grow with the IDs that anybody ever asked for. Who is woken for another job looks
// in vain.
type watchers struct {
	mu    sync.Mutex
	waits [1024]chan struct{} // nil: nobody waits
}

var watchSeed = maphash.MakeSeed()

func (w *watchers) place(id jobs.ID) *chan struct{} {
	return &w.waits[maphash.String(watchSeed, string(id))%uint64(len(w.waits))]
}

// of returns a channel that is closed when this process changes the job.
func (w *watchers) of(id jobs.ID) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.place(id)
	if *c == nil {
		*c = make(chan struct{})
	}
	return *c
}

// wake wakes those who wait for these jobs.
func (w *watchers) wake(ids []jobs.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		if c := w.place(id); *c != nil {
			close(*c)
			*c = nil
		}
	}
}
