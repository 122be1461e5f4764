package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A View is the state of a job at one moment.
type View struct {
	jobs.Job
	// Revision counts the changes of the state, and of the counts once a second.
	Revision uint64
	// DoneLines is how many lines have their answer.
	DoneLines int
	// Progress is the last progress of a line that is worked on, nil if there was none.
	Progress *Progress
	// Position is the place of the job among those that wait, from 1; 0 if it does not wait.
	Position int
	// Wants is the memory class in GiB if no worker has it, else 0.
	Wants int
}

// A Progress is how the search of a line goes.
type Progress struct {
	Line  int             `json:"line"` // number of the line that is being answered
	Done  int             `json:"done"` // lines of the chunk that have their answer, stored or not
	Event json.RawMessage `json:"event,omitempty"`
}

// recordColumns are those of a job that scanRecord reads.
const recordColumns = `id, client, class, kind, ask, note, priority, defaults, max_time, memory, active, keep, state,
	lines, chunks, bytes, digest, created, started, finished, done_chunks, mate, nomate, unknown, faulty, nodes,
	out_bytes, versions, failure, detail, revision`

func scanRecord(row interface{ Scan(...any) error }) (*View, error) {
	v := &View{}
	j := &v.Job
	var maxTime, keep, created, started, finished int64
	var failure jobs.Failure
	err := row.Scan(&j.ID, &j.Client, &j.Class, &j.Kind, &j.Ask, &j.Note, &j.Priority, &j.Defaults, &maxTime,
		&j.Memory, &j.Active, &keep, &j.State, &j.Lines, &j.Chunks, &j.Bytes, &j.Digest, &created, &started, &finished,
		&j.DoneChunks, &j.Counts.Mate, &j.Counts.NoMate, &j.Counts.Unknown, &j.Counts.Faulty, &j.Nodes,
		&j.OutBytes, &j.Versions, &failure.Code, &failure.Detail, &v.Revision)
	if err != nil {
		return nil, err
	}
	j.MaxTime, j.Keep = time.Duration(maxTime)*time.Millisecond, time.Duration(keep)*time.Millisecond
	j.Created, j.Started, j.Finished = timeOf(created), timeOf(started), timeOf(finished)
	if failure.Code != "" {
		j.Failure = &failure
	}
	v.DoneLines = j.Counts.Lines()
	return v, nil
}

// timeOf returns a time as it is stored, the zero time for 0.
func timeOf(ms int64) (t time.Time) {
	if ms == 0 {
		return t
	}
	return time.UnixMilli(ms).UTC()
}

const selectRecord = `select ` + recordColumns + ` from tsumero_job where id = $1`

// record returns the record of a job, or jobs.ErrNotFound.
func (q *Queue) record(ctx context.Context, id jobs.ID) (j *jobs.Job, err error) {
	err = q.read(ctx, func(ctx context.Context, d *database) error {
		v, err := scanRecord(d.row(ctx, selectRecord, string(id)))
		if err == nil {
			j = &v.Job
		}
		return err
	})
	return j, err
}

// record returns the record of a job.
func (t *tx) record(ctx context.Context, id jobs.ID) (*jobs.Job, error) {
	v, err := scanRecord(t.row(ctx, selectRecord, string(id)))
	if err != nil {
		return nil, err
	}
	return &v.Job, nil
}

// Job returns the state of a job, ErrGone, or an error of package jobs.
func (q *Queue) Job(ctx context.Context, id jobs.ID) (v *View, err error) {
	err = q.read(ctx, func(ctx context.Context, d *database) error {
		if v, err = scanRecord(d.row(ctx, selectRecord, string(id))); err == nil {
			return q.complete(ctx, d, v)
		}
		if errors.Is(err, sql.ErrNoRows) && isGone(ctx, d.row, id) {
			return ErrGone
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// isGone reports whether there was a job that was removed.
func isGone(ctx context.Context, row queryRow, id jobs.ID) bool {
	var removed int64
	return row(ctx, `select removed from tsumero_gone where id = $1`, string(id)).Scan(&removed) == nil
}

// complete adds to a job that has not ended what is known of its chunks.
func (q *Queue) complete(ctx context.Context, d *database, v *View) error {
	if v.State.Ended() || v.State == jobs.Receiving {
		return nil
	}
	latest := int64(0)
	err := d.rows(ctx, `select mate + nomate + unknown + faulty, progress, touched from tsumero_chunk
		where job = $1 and state = 1`, []any{string(v.ID)}, func(rows *sql.Rows) error {
		var stored int
		var text string
		var touched int64
		if err := rows.Scan(&stored, &text, &touched); err != nil {
			return err
		}
		var p Progress
		if text == "" || json.Unmarshal([]byte(text), &p) != nil {
			v.DoneLines += stored
			return nil
		}
		v.DoneLines += max(stored, p.Done)
		if touched >= latest {
			latest, v.Progress = touched, &p
		}
		return nil
	})
	v.DoneLines = min(v.DoneLines, v.Lines)
	if err == nil && v.State == jobs.Queued {
		err = d.row(ctx, `select count(*) + 1 from tsumero_job where state = 'queued' and
			(created < $1 or created = $1 and id < $2)`, v.Created.UnixMilli(), string(v.ID)).Scan(&v.Position)
	}
	if err == nil && v.Memory > 0 {
		largest := 0
		err = d.row(ctx, `select coalesce(max(memory), 0) from tsumero_worker where seen > $1`,
			q.now()-silence.Milliseconds()).Scan(&largest)
		if v.Memory > largest {
			v.Wants = v.Memory
		}
	}
	return err
}

// The pauses between two readings of a job that another process changes.
const (
	leastPoll = 50 * time.Millisecond
	mostPoll  = time.Second
)

// A Watch follows the state of a job.
type Watch struct {
	q       *Queue
	id      jobs.ID
	pause   time.Duration
	changed <-chan struct{} // by this process
}

// Watch returns the state of a job, and what waits for the next one.
func (q *Queue) Watch(ctx context.Context, id jobs.ID) (*View, *Watch, error) {
	w := &Watch{q: q, id: id, pause: leastPoll}
	v, err := w.read(ctx)
	return v, w, err
}

func (w *Watch) read(ctx context.Context) (*View, error) {
	w.changed = w.q.local.of(w.id) // before it is read, so that no change is missed
	return w.q.Job(ctx, w.id)
}

// Next waits until the job may have changed, and returns its state. It is woken at once by what this
// process changes, and else looks by itself.
func (w *Watch) Next(ctx context.Context) (*View, error) {
	timer := time.NewTimer(w.pause)
	defer timer.Stop()
	select {
	case <-w.changed:
		w.pause = leastPoll
	case <-timer.C:
		w.pause = min(2*w.pause, mostPoll)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return w.read(ctx)
}

// Wait returns the state of a job when State has changed, or after limit. It returns at once if the
// job has ended, or if its record has another revision than last, unless that is 0.
func (q *Queue) Wait(ctx context.Context, id jobs.ID, last uint64, limit time.Duration) (*View, error) {
	v, w, err := q.Watch(ctx, id)
	if err != nil || v.State.Ended() || last != 0 && v.Revision != last {
		return v, err
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for state := v.State; v.State == state; {
		next, err := w.Next(waiting)
		switch {
		case waiting.Err() != nil && ctx.Err() == nil:
			return v, nil
		case err != nil:
			return nil, err
		}
		v = next
	}
	return v, nil
}

// Cancel ends a job. Of one that is cancelled it does nothing; ErrFinished says that the job has
// ended otherwise.
func (q *Queue) Cancel(ctx context.Context, id jobs.ID) error {
	err := q.write(ctx, func(ctx context.Context, t *tx) error {
		j, err := t.record(ctx, id)
		switch {
		case errors.Is(err, sql.ErrNoRows) && isGone(ctx, t.row, id):
			return ErrGone
		case err != nil:
			return err
		case j.State == jobs.Cancelled:
			return nil
		case j.State.Ended():
			return ErrFinished
		}
		return q.end(ctx, t, j, jobs.Cancelled, &jobs.Failure{})
	})
	if err == nil {
		q.turns.end(id)
	}
	return err
}

// end ends a job that has not ended: what is queued of it is cancelled.
func (q *Queue) end(ctx context.Context, t *tx, j *jobs.Job, state jobs.State, why *jobs.Failure) error {
	n, err := t.exec(ctx, `update tsumero_job set state = $2, finished = $3, failure = $4, detail = $5,
		revision = revision + 1 where id = $1 and state in ('receiving', 'queued', 'running')`,
		string(j.ID), string(state), q.now(), why.Code, why.Detail)
	if err != nil || n == 0 {
		return err
	}
	var rows []int64
	err = t.rows(ctx, `select river from tsumero_chunk where job = $1 and state = 1`, []any{string(j.ID)},
		func(r *sql.Rows) error {
			var id int64
			err := r.Scan(&id)
			rows = append(rows, id)
			return err
		})
	if err != nil {
		return err
	}
	for _, id := range rows {
		if err := t.cancelRow(ctx, id); err != nil {
			return err
		}
	}
	if _, err := t.exec(ctx, `update tsumero_chunk set state = 3, progress = '' where job = $1 and state in (0, 1)`,
		string(j.ID)); err != nil {
		return err
	}
	t.changed = append(t.changed, j.ID)
	if err := t.lockClient(ctx, j.Client); err != nil {
		return err
	}
	return q.refill(ctx, t, j.Client, j.Active, j.Memory) // another job of the client may begin
}

// Purge cancels a job if it has not ended, and removes everything of it. A second time it returns
// ErrGone.
func (q *Queue) Purge(ctx context.Context, id jobs.ID) error {
	if err := q.Cancel(ctx, id); err != nil && !errors.Is(err, ErrFinished) {
		return err
	}
	return q.write(ctx, func(ctx context.Context, t *tx) error { return q.forget(ctx, t, id) })
}

// forget makes a job one that was removed. What is stored of it is removed later, piece by piece.
func (q *Queue) forget(ctx context.Context, t *tx, id jobs.ID) error {
	n, err := t.exec(ctx, `delete from tsumero_job where id = $1`, string(id))
	if err != nil || n == 0 {
		return err
	}
	t.changed = append(t.changed, id)
	_, err = t.exec(ctx, `insert into tsumero_gone(id, removed, cleared) values($1, $2, 0)
		on conflict(id) do update set removed = excluded.removed, cleared = 0`, string(id), q.now())
	return err
}

// PageLength is how many jobs List returns at most.
const PageLength = 100

// List returns a page of the jobs of a client, the latest first, beginning behind the job after.
// Only those in a state are listed, unless that is "". more says that there is another page.
func (q *Queue) List(ctx context.Context, client string, state jobs.State, after jobs.ID) (page []*View, more bool,
	err error) {
	err = q.read(ctx, func(ctx context.Context, d *database) error {
		page = nil
		where, args := []string{"client = $1"}, []any{client}
		if state != "" {
			args = append(args, string(state))
			where = append(where, fmt.Sprintf("state = $%d", len(args)))
		}
		if after != "" {
			var created int64
			if err := d.row(ctx, `select created from tsumero_job where id = $1 and client = $2`, string(after),
				client).Scan(&created); err != nil {
				return err
			}
			args = append(args, created, string(after))
			where = append(where, fmt.Sprintf("(created < $%d or created = $%d and id < $%d)", len(args)-1,
				len(args)-1, len(args)))
		}
		query := `select ` + recordColumns + ` from tsumero_job where ` + strings.Join(where, " and ") +
			fmt.Sprintf(` order by created desc, id desc limit %d`, PageLength+1)
		err := d.rows(ctx, query, args, func(rows *sql.Rows) error {
			v, err := scanRecord(rows)
			page = append(page, v)
			return err
		})
		if err != nil {
			return err
		}
		if more = len(page) > PageLength; more {
			page = page[:PageLength]
		}
		for _, v := range page {
			if err := q.complete(ctx, d, v); err != nil {
				return err
			}
		}
		return nil
	})
	return page, more, err
}
