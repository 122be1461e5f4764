// Package queuetest opens queues in directories of tests, and reaches past them into their database as
// another process, a disk or an operator may.
package queuetest

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// A Queue is one in a directory of a test, until the end of that. Its fields besides the first two are
// not for concurrent use.
type Queue struct {
	*queue.Queue
	Dir string

	do      func(*queue.Turn) error
	stop    func() // nil: nobody works
	another *sql.DB
}

// New opens a queue on which nobody works.
func New(t testing.TB, o queue.Options) *Queue {
	t.Helper()
	q := &Queue{Dir: filepath.Join(t.TempDir(), "jobs")}
	o.Address = q.Dir
	o.Work = &queue.Work{Name: "worker", Version: "0.1.0 0a1b2c3d", Slots: 2, Do: func(turn *queue.Turn) error { return q.do(turn) }}
	var err error
	if q.Queue, err = queue.New(o); err != nil {
		t.Fatal(err)
	}
	if err := prepare(q.Dir); err != nil {
		t.Fatal(err)
	}
	q.Mend(t)
	t.Cleanup(func() {
		q.Stop()
		if err := q.close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

// template is the file of a queue without jobs: to make its tables takes longer than to copy it.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "queuetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	q, err := queue.New(queue.Options{Address: dir})
	if err == nil {
		err = q.Open(context.Background())
	}
	if err == nil {
		err = q.Close()
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, queue.DatabaseName))
})

// prepare makes a directory with an empty queue.
func prepare(dir string) error {
	data, err := template()
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, queue.DatabaseName), data, 0o600)
	}
	return err
}

// Work lets two slots work on the queue by do, as a worker's Work.Do does, until Stop. There can be no
// other one before.
func (q *Queue) Work(do func(*queue.Turn) error) {
	ctx, cancel := context.WithCancel(context.Background())
	q.do = do
	var running sync.WaitGroup
	running.Go(func() { _ = q.Run(ctx) })
	q.stop = func() {
		cancel()
		running.Wait()
	}
}

// Stop ends the work, if there is some.
func (q *Queue) Stop() {
	if q.stop != nil {
		q.stop()
		q.stop = nil
	}
}

// Break ends the work and takes the database away, until everybody knows.
func (q *Queue) Break(t testing.TB) {
	t.Helper()
	q.Stop()
	if err := q.close(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := q.Stats(t.Context()); errors.Is(err, jobs.ErrUnavailable) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// close closes the database.
func (q *Queue) close() error {
	if q.another != nil {
		if err := q.another.Close(); err != nil {
			return err
		}
		q.another = nil
	}
	return q.Close()
}

// Mend gives the database back after Break.
func (q *Queue) Mend(t testing.TB) {
	t.Helper()
	if err := q.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// DB returns the database, by connections that the queue does not know of.
func (q *Queue) DB(t testing.TB) *sql.DB {
	t.Helper()
	if q.another == nil {
		path := filepath.ToSlash(filepath.Join(q.Dir, queue.DatabaseName))
		name := (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String()
		var err error
		if q.another, err = driver.Open(name + "?_txlock=immediate&_pragma=busy_timeout(10000)"); err != nil {
			t.Fatal(err)
		}
	}
	return q.another
}

// Exec runs statements in one transaction, as another process does. The arguments are those of each.
func (q *Queue) Exec(t testing.TB, args []any, statements ...string) {
	t.Helper()
	tx := q.Hold(t)
	for _, statement := range statements {
		if _, err := tx.ExecContext(context.Background(), statement, args...); err != nil {
			t.Fatalf("%v in %s", err, statement)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Hold begins a transaction. Until that ends nobody else can write.
func (q *Queue) Hold(t testing.TB) *sql.Tx {
	t.Helper()
	tx, err := q.DB(t).BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// Put submits a job that gets an ID of the test's choice. Nobody works yet.
func (q *Queue) Put(t testing.TB, id jobs.ID, s *queue.Submission) {
	t.Helper()
	v, _, err := q.Submit(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	q.Exec(t, []any{string(id), string(v.ID)},
		`update tsumero_job set id = ?1 where id = ?2`,
		`update tsumero_chunk set job = ?1 where job = ?2`,
		`update tsumero_input set job = ?1 where job = ?2`,
		`update river_job set args = jsonb_set(args, '$.job', ?1) where args ->> 'job' = ?2`)
}

// Chunk returns a chunk of the input of a job.
func (q *Queue) Chunk(t testing.TB, id jobs.ID, n int) jobs.Chunk {
	t.Helper()
	var frame []byte
	err := q.DB(t).QueryRowContext(context.Background(), `select data from tsumero_input where job = ? and n = ?`,
		string(id), n).Scan(&frame)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := r.DecodeAll(frame, nil)
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := jobs.DecodeChunk(data)
	if err != nil {
		t.Fatal(err)
	}
	return chunk
}

// Await waits until a job is in a state, however long that takes. The test fails if it ends in another.
func (q *Queue) Await(t testing.TB, id jobs.ID, state jobs.State) *queue.View {
	t.Helper()
	v, watch, err := q.Watch(t.Context(), id)
	for ; ; v, err = watch.Next(t.Context()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case v.State == state:
			return v
		case v.State.Ended():
			t.Fatalf("not %s: %+v", state, v)
		}
	}
}
