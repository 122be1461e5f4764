//go:build !nojobs

package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
)

// migrationLock is the advisory lock under which tables are made: of two processes that start at
// once, one would die of what the other has made.
const migrationLock = 0x7473756d65726f // "tsumero"

// maxConnections is how many connections a process has, besides the one that listens.
const maxConnections = 16

// openPostgres opens a database of PostgreSQL. No error has its password: pgx leaves it out.
func openPostgres(ctx context.Context, q *Queue) (*database, error) {
	config, err := parsePostgres(q.o.Address)
	if err != nil {
		return nil, err
	}
	listening, err := pgxpool.ParseConfig(q.o.Address)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	listening.MinConns, listening.MaxConns = 0, 1
	listener, err := pgxpool.NewWithConfig(ctx, listening)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections)
	db.SetConnMaxIdleTime(time.Minute)
	d := &database{db: db, reading: db, driver: riverdatabasesql.NewWithPgxListener(db, listener), postgres: true,
		time: "now()", skipLocked: "for update of r skip locked", isFull: hasState("53100"),
		isDamaged: hasState("XX001", "XX002"), isConflict: hasState("40001", "40P01"), room: postgresRoom,
		close: func() error {
			listener.Close()
			return db.Close()
		}}
	if err := d.migrateAlone(ctx, q.o.NoTables); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// parsePostgres reads an address.
func parsePostgres(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	for name, value := range map[string]string{"application_name": "tsumero",
		// A process that is stopped, or cut off, within a transaction keeps others waiting no longer.
		"idle_in_transaction_session_timeout": "15s"} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// migrateAlone makes the tables while no other process does.
func (d *database) migrateAlone(ctx context.Context, noTables bool) error {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `select pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	defer func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), `select pg_advisory_unlock($1)`, int64(migrationLock))
	}()
	return d.migrateAll(ctx, noTables)
}

// hasState returns a function that reports whether an error is one of PostgreSQL with such a code
// (PostgreSQL, appendix A).
func hasState(codes ...string) func(error) bool {
	return func(err error) bool {
		var found *pgconn.PgError
		if !errors.As(err, &found) {
			return false
		}
		for _, code := range codes {
			if found.Code == code {
				return true
			}
		}
		return false
	}
}

// postgresRoom returns the size of the database. Its disk is the business of who runs it.
func postgresRoom(ctx context.Context, d *database) (Room, error) {
	r := Room{Free: -1}
	err := d.reading.QueryRowContext(ctx, `select pg_database_size(current_database())`).Scan(&r.Bytes)
	return r, err
}
