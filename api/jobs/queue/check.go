//go:build !nojobs

package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/tsumero/tsumero/api/jobs"
)

// Check reads all that is stored at an address, and tells what is damaged. It changes nothing, and may
// run beside whoever uses the database.
func Check(ctx context.Context, address string, tell func(what string)) (read int, err error) {
	d, err := openToRead(ctx, address)
	if err != nil {
		return 0, err
	}
	defer d.close()
	if !d.postgres {
		err := d.rows(ctx, `pragma integrity_check`, nil, func(rows *sql.Rows) error {
			var what string
			err := rows.Scan(&what)
			if err == nil && what != "ok" {
				tell(what)
			}
			return err
		})
		if err != nil {
			tell(fmt.Sprintf("the database: %v", err))
		}
	}
	for _, table := range []struct{ name, key, what string }{
		{"tsumero_input", "n", "question"}, {"tsumero_answer", "k", "answer"}} {
		job, n, k := "", -1, -1
		for {
			// A piece at a time, so that no rows are open for long.
			var frame []byte
			err := d.row(ctx, `select job, n, `+table.key+`, data from `+table.name+` where (job, n, `+table.key+`) > ($1, $2, $3)
				order by job, n, `+table.key+` limit 1`, job, n, k).Scan(&job, &n, &k, &frame)
			if errors.Is(err, sql.ErrNoRows) {
				break
			}
			if err != nil {
				tell(fmt.Sprintf("%ss of job %s behind chunk %d cannot be read: %v", table.what, jobs.ID(job).Short(), n, err))
				break
			}
			read++
			if _, err := unpack(frame); err != nil {
				tell(fmt.Sprintf("%s of job %s, chunk %d, part %d: %v", table.what, jobs.ID(job).Short(), n, k, err))
			}
		}
	}
	return read, ctx.Err()
}

// openToRead opens a database as it is.
func openToRead(ctx context.Context, address string) (*database, error) {
	if !IsRemote(address) {
		return openFile(ctx, filepath.Join(address, DatabaseName), true)
	}
	config, err := parsePostgres(address)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config)
	d := &database{db: db, reading: db, postgres: true, close: db.Close}
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("queue: %w", err), db.Close())
	}
	return d, nil
}

// Backup copies the jobs in a directory into a new file, as they are at one moment.
func Backup(ctx context.Context, dir, file string) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("queue: %s is there already", file)
	}
	d, err := openFile(ctx, filepath.Join(dir, DatabaseName), true)
	if err != nil {
		return err
	}
	defer d.close()
	c, err := d.reading.Conn(ctx)
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	defer c.Close()
	if _, err = c.ExecContext(ctx, `pragma query_only = 0`); err == nil { // it writes, elsewhere
		_, err = c.ExecContext(ctx, `vacuum into ?1`, file)
	}
	if err != nil {
		_ = os.Remove(file)
		return fmt.Errorf("queue: %w", err)
	}
	return syncFile(file)
}

// Restore makes a directory of a file that Backup wrote.
func Restore(ctx context.Context, file, dir string) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	lock, err := lockDirectory(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock(lock)) }()
	path := filepath.Join(dir, DatabaseName)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("queue: %s has jobs already", dir)
	}
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return errors.Join(fmt.Errorf("queue: %w", err), os.Remove(path+".new"))
	}
	d, err := openFile(ctx, path+".new", true)
	if err == nil {
		var version []byte
		err = d.row(ctx, `select value from tsumero_kv where name = 'version'`).Scan(&version)
		err = errors.Join(err, d.close())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("queue: %s is no backup: %w", file, err), os.Remove(path+".new"))
	}
	return os.Rename(path+".new", path)
}

// syncFile makes a file durable.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
