package queue

import (
	"context"
	"database/sql"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// lockClient makes the transaction the only one that queues chunks of a client. Without it two that
// end at once would queue the same chunk.
func (t *tx) lockClient(ctx context.Context, client string) error {
	_, err := t.exec(ctx, `insert into tsumero_client(name, turns) values($1, 1)
		on conflict(name) do update set turns = tsumero_client.turns + 1`, client)
	return err
}

// leastWindow is how many chunks of a client are queued at once at least.
const leastWindow = 4

// window returns how many chunks of a client are queued at once: some more than there are slots, so
// that none waits for the next one.
func (q *Queue) window() int {
	slots := int(q.stats.slots.Load())
	if w := q.o.Work; w != nil {
		slots = max(slots, w.Slots)
	}
	return max(leastWindow, 2*slots)
}

// refill queues chunks of a client, up to its window: those of the jobs that it may have at work, one
// of each in turn. River takes rows as they came, so clients have turns however much each sent. Of the
// short ones only the first comes before those of others: see promote. The client is locked.
func (q *Queue) refill(ctx context.Context, t *tx, client string, active, memory int) error {
	var queued int
	if err := t.row(ctx, `select count(*) from tsumero_chunk where client = $1 and memory = $2 and state = 1`, client,
		memory).Scan(&queued); err != nil {
		return err
	}
	if queued > 0 {
		if err := t.promote(ctx, client, memory); err != nil {
			return err
		}
	}
	need := q.window() - queued
	if need <= 0 || active <= 0 {
		return nil
	}
	var rows []newRow
	err := t.rows(ctx, `select c.job, c.n, c.turn, j.ask, j.priority from tsumero_chunk c
		join (select id, ask, priority, created from tsumero_job where client = $1 and state in ('queued', 'running')
			order by priority desc, created, id limit $3) j on c.job = j.id
		where c.state = 0 and c.memory = $2 order by c.n, j.created, c.job limit $4`,
		[]any{client, memory, active, need}, func(found *sql.Rows) error {
			var r newRow
			var ask string
			if err := found.Scan(&r.Job, &r.N, &r.Turn, &ask, &r.priority); err != nil {
				return err
			}
			r.queue = queueOf(ask, memory, false)
			r.priority = priorityOf(r.priority, r.queue, queued == 0 && len(rows) == 0)
			rows = append(rows, r)
			return nil
		})
	if err != nil {
		return err
	}
	return q.enqueue(ctx, t, rows)
}

// promote makes the client's next short row the last of those that come before all others, unless one
// of the client's is among them. So somebody who comes waits for the next row of each client, not for
// all that are in their windows. The client is locked.
func (t *tx) promote(ctx context.Context, client string, memory int) error {
	if memory > 0 {
		return nil
	}
	// Only a row that is to change is locked: River would take the one behind it.
	_, err := t.exec(ctx, `update river_job set priority = priority - 1, scheduled_at = {time} where id = (
		select r.id from river_job r where r.priority in (2, 4) and r.id = (
			select r.id from tsumero_chunk c join river_job r on r.id = c.river
			where c.client = $1 and c.memory = 0 and c.state = 1 and r.state = 'available' and r.queue = $2
			order by r.priority, r.id limit 1) {skip locked})`, client, shortQueue)
	return err
}

// enqueue gives chunks their rows.
func (q *Queue) enqueue(ctx context.Context, t *tx, rows []newRow) error {
	if len(rows) == 0 {
		return nil
	}
	ids, err := t.insert(ctx, rows)
	if err != nil {
		return err
	}
	now := q.now()
	for i, r := range rows {
		if _, err := t.exec(ctx, `update tsumero_chunk set state = 1, river = $3, queued = $4 where job = $1 and n = $2`,
			string(r.Job), r.N, ids[i], now); err != nil {
			return err
		}
	}
	return nil
}

const (
	// sweepBatch is how many rows one transaction of a sweep changes at most, so that no other one
	// waits for long.
	sweepBatch = 64
	// clearBatch is likewise for chunks that are removed, with their answers.
	clearBatch = 16
	// uploadTime is how long an upload may be interrupted, and goneFor how long a job is known as gone.
	uploadTime = 24 * time.Hour
	goneFor    = 7 * 24 * time.Hour
)

// sweep mends what the queue may lose, and removes what is kept no longer. Any process may sweep, at
// any time.
func (q *Queue) sweep(ctx context.Context) error {
	for _, step := range []func(context.Context) (more bool, err error){
		q.requeue, q.refillAll, q.expire, q.dropUploads, q.clearGone} {
		for more := true; more; {
			var err error
			if more, err = step(ctx); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return q.write(ctx, func(ctx context.Context, t *tx) error {
		if _, err := t.exec(ctx, `delete from tsumero_worker where seen < $1`, q.now()-time.Hour.Milliseconds()); err != nil {
			return err
		}
		// What waits for a time that a clock said which was wrong.
		_, err := t.exec(ctx, `update river_job set scheduled_at = {time} where state = 'available' and scheduled_at > {time}`)
		return err
	})
}

// requeue gives a row to chunks that are queued and have none: River discarded it, or it was deleted.
func (q *Queue) requeue(ctx context.Context) (more bool, err error) {
	err = q.write(ctx, func(ctx context.Context, t *tx) error {
		var rows []newRow
		err := t.rows(ctx, `select c.job, c.n, c.turn, c.memory, j.ask, j.priority from tsumero_chunk c
			join tsumero_job j on j.id = c.job and j.state in ('queued', 'running')
			left join river_job r on r.id = c.river
				and r.state in ('available', 'pending', 'retryable', 'running', 'scheduled')
			where c.state = 1 and r.id is null limit $1`, []any{sweepBatch}, func(found *sql.Rows) error {
			var r newRow
			var ask string
			var memory int
			if err := found.Scan(&r.Job, &r.N, &r.Turn, &memory, &ask, &r.priority); err != nil {
				return err
			}
			r.queue = queueOf(ask, memory, false)
			r.priority = priorityOf(r.priority, r.queue, true)
			rows = append(rows, r)
			return nil
		})
		if err != nil {
			return err
		}
		more = len(rows) == sweepBatch
		if len(rows) > 0 {
			q.o.Logger.Warn("chunks had no row in the queue", "chunks", len(rows))
		}
		return q.enqueue(ctx, t, rows)
	})
	return more, err
}

// refillAll fills the windows of all clients that have something to do.
func (q *Queue) refillAll(ctx context.Context) (more bool, err error) {
	type client struct {
		name           string
		memory, active int
	}
	var all []client
	err = q.read(ctx, func(ctx context.Context, d *database) error {
		return d.rows(ctx, `select client, memory, max(active) from tsumero_job where state in ('queued', 'running')
			group by client, memory`,
			nil, func(rows *sql.Rows) error {
				var c client
				err := rows.Scan(&c.name, &c.memory, &c.active)
				all = append(all, c)
				return err
			})
	})
	for _, c := range all {
		if err != nil {
			break
		}
		err = q.write(ctx, func(ctx context.Context, t *tx) error {
			if err := t.lockClient(ctx, c.name); err != nil {
				return err
			}
			return q.refill(ctx, t, c.name, c.active, c.memory)
		})
	}
	return false, err
}

// expire removes jobs that ended long enough ago.
func (q *Queue) expire(ctx context.Context) (more bool, err error) {
	err = q.write(ctx, func(ctx context.Context, t *tx) error {
		var ids []jobs.ID
		err := t.rows(ctx, `select id from tsumero_job where state in ('done', 'failed', 'cancelled')
			and finished + keep < $1 limit $2`, []any{q.now(), sweepBatch}, func(rows *sql.Rows) error {
			var id jobs.ID
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		})
		if err != nil {
			return err
		}
		more = len(ids) == sweepBatch
		for _, id := range ids {
			if err := q.forget(ctx, t, id); err != nil {
				return err
			}
		}
		return nil
	})
	return more, err
}

// dropUploads ends jobs whose input did not come. If it comes later they go on all the same.
func (q *Queue) dropUploads(ctx context.Context) (more bool, err error) {
	err = q.write(ctx, func(ctx context.Context, t *tx) error {
		var id jobs.ID
		err := t.row(ctx, `select id from tsumero_job where state = 'receiving' and touched < $1 limit 1`,
			q.now()-uploadTime.Milliseconds()).Scan(&id)
		if err != nil {
			return ignoreNoRows(err)
		}
		j, err := t.record(ctx, id)
		if err != nil {
			return err
		}
		more = true
		return q.end(ctx, t, j, jobs.Failed, &jobs.Failure{Code: jobs.UploadIncomplete,
			Detail: "The input was not complete after a day."})
	})
	return more, err
}

func ignoreNoRows(err error) error {
	if err == sql.ErrNoRows { //nolint:errorlint // Scan returns it as it is
		return nil
	}
	return err
}

// clearGone removes what is stored of jobs that were removed, a few chunks at a time.
func (q *Queue) clearGone(ctx context.Context) (more bool, err error) {
	err = q.write(ctx, func(ctx context.Context, t *tx) error {
		var id string
		err := t.row(ctx, `select id from tsumero_gone where cleared = 0 limit 1`).Scan(&id)
		if err != nil {
			_, err := t.exec(ctx, `delete from tsumero_gone where cleared = 1 and removed < $1`,
				q.now()-goneFor.Milliseconds())
			return err
		}
		more = true
		from := -1
		if err := t.row(ctx, `select coalesce(max(n), -1) from (select n from tsumero_chunk where job = $1 order by n limit $2) c`,
			id, clearBatch).Scan(&from); err != nil {
			return err
		}
		if from < 0 {
			_, err := t.exec(ctx, `update tsumero_gone set cleared = 1 where id = $1`, id)
			return err
		}
		for _, table := range []string{"tsumero_answer", "tsumero_input", "tsumero_chunk"} {
			if _, err := t.exec(ctx, `delete from `+table+` where job = $1 and n <= $2`, id, from); err != nil {
				return err
			}
		}
		return t.d.shrink(ctx, t)
	})
	return more, err
}
