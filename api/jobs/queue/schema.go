package queue

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
)

// schemaVersion is the number of the format of the tables.
const schemaVersion = 1

// schema makes the tables: the same for SQLite and PostgreSQL, without types that one of them has not.
// Times are milliseconds since 1970 by the clock of who wrote them, 0 for never; but those of River.
//
// A chunk is waiting (0), queued (1: it has a row of River), answered (2) or given up with its job (3).
// The table of chunks is the truth, River's a queue that may lose a row: see sweep.
var schema = []string{
	`create table tsumero_kv(name text primary key, value bytea not null)`,
	`create table tsumero_job(id text primary key, client text not null, class text not null,
		kind text not null, ask text not null, note text not null, priority bigint not null,
		defaults text not null, max_time bigint not null, memory bigint not null, active bigint not null,
		keep bigint not null,
		state text not null, upload text not null, lines bigint not null default 0,
		chunks bigint not null default 0, bytes bigint not null default 0, digest text not null default '',
		created bigint not null, started bigint not null default 0, finished bigint not null default 0,
		done_chunks bigint not null default 0, mate bigint not null default 0, nomate bigint not null default 0,
		unknown bigint not null default 0, faulty bigint not null default 0, nodes bigint not null default 0,
		out_bytes bigint not null default 0, failure text not null default '', detail text not null default '',
		versions text not null default '', revision bigint not null default 1, touched bigint not null)`,
	`create index tsumero_job_client on tsumero_job(client, created)`,
	`create index tsumero_job_state on tsumero_job(state, finished)`,
	`create table tsumero_chunk(job text not null, n bigint not null, client text not null,
		memory bigint not null, state bigint not null default 0, turn bigint not null default 0,
		river bigint not null default 0, queued bigint not null default 0, finished bigint not null default 0,
		last bigint not null, answered bigint not null default 0, parts bigint not null default 0,
		mate bigint not null default 0, nomate bigint not null default 0, unknown bigint not null default 0,
		faulty bigint not null default 0, nodes bigint not null default 0, out_bytes bigint not null default 0,
		versions text not null default '', line bigint not null default 0, attempts bigint not null default 0,
		progress text not null default '', touched bigint not null default 0, primary key(job, n))`,
	`create index tsumero_chunk_waiting on tsumero_chunk(job, n) where state = 0`,
	`create index tsumero_chunk_queued on tsumero_chunk(client, memory) where state = 1`,
	`create index tsumero_chunk_queued_job on tsumero_chunk(job) where state = 1`,
	`create index tsumero_chunk_finished on tsumero_chunk(finished) where state = 2`,
	`create table tsumero_input(job text not null, n bigint not null, data bytea not null, primary key(job, n))`,
	`create table tsumero_answer(job text not null, n bigint not null, k bigint not null, data bytea not null,
		primary key(job, n, k))`,
	`create table tsumero_client(name text primary key, turns bigint not null)`,
	`create table tsumero_worker(name text primary key, version text not null, memory bigint not null,
		slots bigint not null, busy bigint not null, seen bigint not null)`,
	`create table tsumero_gone(id text primary key, removed bigint not null, cleared bigint not null)`,
}

// The states of a chunk.
const (
	chunkWaiting = iota
	chunkQueued
	chunkAnswered
	chunkGivenUp
)

// migrate makes the tables of this program, or refuses those of a newer one. It is called under a
// lock that all processes heed.
func (d *database) migrate(ctx context.Context, noTables bool) error {
	begun, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = begun.Rollback() }()
	t := &tx{Tx: begun, d: d}
	found, err := d.hasTable(ctx, t, "tsumero_kv")
	if err != nil {
		return err
	}
	if !found && noTables {
		return errNoTables
	}
	if !found {
		for _, statement := range schema {
			if _, err := t.exec(ctx, statement); err != nil {
				return fmt.Errorf("queue: %w: %s", err, statement)
			}
		}
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // never fails
		for name, value := range map[string][]byte{"version": []byte(strconv.Itoa(schemaVersion)), "secret": secret} {
			if _, err := t.exec(ctx, `insert into tsumero_kv(name, value) values($1, $2)`, name, value); err != nil {
				return err
			}
		}
	}
	var version []byte
	if err := t.row(ctx, `select value from tsumero_kv where name = $1`, "version").Scan(&version); err != nil {
		return err
	}
	if n, err := strconv.Atoi(string(version)); err != nil || n != schemaVersion {
		return fmt.Errorf("%w: its tables are of version %.20q, and those of this program of %d", ErrFormat, version,
			schemaVersion)
	}
	err = t.row(ctx, `select value from tsumero_kv where name = $1`, "secret").Scan(&d.secret)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: it has no secret", ErrFormat)
	}
	if err != nil {
		return err
	}
	return begun.Commit()
}
