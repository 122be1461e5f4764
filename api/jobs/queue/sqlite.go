//go:build !nojobs

package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"github.com/tsumero/tsumero/api/filelock"
	"github.com/tsumero/tsumero/api/jobs"
)

const (
	// lockTime is how long another process may take to leave the directory: one that was killed takes a
	// moment to be gone, and whoever starts the next one does not wait for that.
	lockTime = 10 * time.Second
)

// openDirectory opens the database in a directory, which it makes if there is none. No other process
// has it meanwhile.
func openDirectory(ctx context.Context, q *Queue) (*database, error) {
	dir := q.o.Address
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	for _, old := range []string{"js", "format"} {
		if _, err := os.Stat(filepath.Join(dir, old)); err == nil {
			return nil, fmt.Errorf("%w: %s has jobs of an early version, which kept them in NATS; finish them with that, "+
				"and give another directory", ErrFormat, dir)
		}
	}
	lock, err := lockDirectory(ctx, dir)
	if err != nil {
		return nil, err
	}
	d, err := openFile(ctx, filepath.Join(dir, DatabaseName), false)
	if err != nil {
		return nil, errors.Join(explainOpen(err), unlock(lock))
	}
	reserve := &reserve{path: filepath.Join(dir, "reserve")}
	d.room = func(ctx context.Context, d *database) (Room, error) {
		return directoryRoom(ctx, d, dir, q.o.MaxBytes, reserve)
	}
	closeFile := d.close
	d.close = func() error { return errors.Join(closeFile(), unlock(lock)) }
	err = d.migrateAll(ctx, q.o.NoTables)
	if err == nil {
		err = d.takeOver(ctx)
	}
	if err != nil {
		return nil, errors.Join(explainOpen(err), d.close())
	}
	return d, nil
}

// explainOpen adds to an error what can be done about it.
func explainOpen(err error) error {
	if isSQLite(sqlite3.IOERR, sqlite3.CORRUPT, sqlite3.NOTADB)(err) {
		return fmt.Errorf("%w: the file is damaged or its disk fails: see 'tsumero-server store check', and restore a "+
			"backup: %w", jobs.ErrDamaged, err)
	}
	return err
}

// lockDirectory locks a directory until the process ends, in whatever way.
func lockDirectory(ctx context.Context, dir string) (*os.File, error) {
	path := filepath.Join(dir, "lock")
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	for until := time.Now().Add(lockTime); ; {
		err := filelock.Lock(lock)
		if err == nil {
			break
		}
		if !errors.Is(err, filelock.ErrHeld) || time.Now().After(until) || ctx.Err() != nil {
			var owner [32]byte
			n, _ := lock.ReadAt(owner[:], 0)
			_ = lock.Close()
			if errors.Is(err, filelock.ErrHeld) {
				return nil, fmt.Errorf("%w: %s, by process %s", ErrLocked, dir, strings.TrimSpace(string(owner[:n])))
			}
			return nil, fmt.Errorf("queue: lock %s: %w", path, err)
		}
		select {
		case <-time.After(lockTime / 50):
		case <-ctx.Done():
		}
	}
	if err := lock.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(lock, "%d\n", os.Getpid()) // for who is kept out
	}
	return lock, nil
}

func unlock(lock *os.File) error {
	return errors.Join(filelock.Unlock(lock), lock.Close())
}

// openFile opens a file of SQLite. Each of its pages has a checksum, so that what the disk spoils is
// an error and no other answer. What was acknowledged is in the file itself at once: a log that is cut
// off at its first spoilt record has nothing to lose.
// onlyRead opens it beside another process, to read.
func openFile(ctx context.Context, path string, onlyRead bool) (*database, error) {
	pragmas := func(of ...string) string { return "?_txlock=immediate&_pragma=" + strings.Join(of, "&_pragma=") }
	name := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}).String()
	checked := func(c *sqlite3.Conn) error { return c.EnableChecksums("main") }
	db, err := driver.Open(name+pragmas("busy_timeout(10000)", "auto_vacuum(incremental)", "journal_mode(wal)",
		"synchronous(full)", "wal_autocheckpoint(16)", "cache_size(-16384)", "temp_store(memory)"), checked)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	if onlyRead {
		_ = db.Close()
	}
	reading, err := driver.Open(name + pragmas("busy_timeout(10000)", "query_only(1)", "cache_size(-4096)"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("queue: %w", err), db.Close())
	}
	reading.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	inserted := make(chan struct{}, 1)
	d := &database{db: db, reading: reading, driver: driverOfOne{riversqlite.New(db), inserted}, inserted: inserted,
		time:       "datetime('now', 'subsec')",
		isConflict: isSQLite(sqlite3.BUSY, sqlite3.LOCKED), isFull: isSQLite(sqlite3.FULL),
		isDamaged: isSQLite(sqlite3.IOERR_DATA, sqlite3.CORRUPT, sqlite3.NOTADB),
		close:     func() error { return errors.Join(reading.Close(), closeLast(db)) }}
	if onlyRead {
		reading.SetMaxOpenConns(1)
		d.db, d.close = reading, func() error { return closeLast(reading) }
	}
	if err := d.db.PingContext(ctx); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: the directory must belong to the user that runs this", err)
		}
		return nil, errors.Join(fmt.Errorf("queue: %s: %w", path, err), d.close())
	}
	return d, nil
}

// closeLast closes a connection that may be the last one to its file, with which SQLite copies its log
// into the file and removes it. go-sqlite3 0.37 panics there, with checksums, if another process wrote
// since the connection looked last: SQLite then wants to have the file mapped no more, whatever mmap_size
// is, and vfsUnfetch takes for granted that it could be. So the connection looks. Who only reads is no
// exception: a log that root's check leaves behind would keep out the user of the service.
func closeLast(db *sql.DB) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = db.ExecContext(ctx, `select count(*) from sqlite_schema`) // its error is not about closing
	return db.Close()
}

// driverOfOne is River's driver of SQLite for the only process that has the file. River's own listener
// asks the database twenty times a second whether there is something new, which takes more time than
// all else that an idle service does. Here who inserts rows wakes it.
type driverOfOne struct {
	riverdriver.Driver[*sql.Tx]
	inserted <-chan struct{}
}

// GetListener implements riverdriver.Driver.
func (d driverOfOne) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	return listenerOfOne{d.Driver.GetListener(params), d.inserted}
}

type listenerOfOne struct {
	riverdriver.Listener
	inserted <-chan struct{}
}

const (
	// notifyLook is for one look at the database, and less than River's pause between two.
	notifyLook = 40 * time.Millisecond
	// notifyEvery is how often it is looked for what River itself inserts, such as rows that are tried again.
	notifyEvery = time.Second
)

// WaitForNotification implements riverdriver.Listener.
func (l listenerOfOne) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	for {
		look, cancel := context.WithTimeout(ctx, notifyLook)
		n, err := l.Listener.WaitForNotification(look)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return n, err
		}
		select {
		case <-l.inserted:
		case <-time.After(notifyEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// isSQLite returns a function that reports whether an error is one of SQLite with such a code.
func isSQLite(codes ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(codes, func(code error) bool { return errors.Is(err, code) })
	}
}

// takeOver takes back what a process had that was killed: nobody else can hold anything. It also mends
// what a clock has spoilt that was wrong then: rows of the future, and a leader of the future.
func (d *database) takeOver(ctx context.Context) error {
	_, err := d.once(ctx, func(ctx context.Context, t *tx) error {
		for _, statement := range []string{`delete from river_leader`, `delete from tsumero_worker`,
			`update river_job set state = 'available', scheduled_at = {time}
				where state in ('available', 'scheduled', 'retryable', 'running')`} {
			if _, err := t.exec(ctx, statement); err != nil {
				return fmt.Errorf("queue: %w", err)
			}
		}
		return nil
	})
	return err
}
