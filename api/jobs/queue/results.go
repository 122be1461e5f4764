package queue

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// A ResultsQuery says which answers of a job are wanted.
type ResultsQuery struct {
	From int // number of the first line in the input, from 1
	// Limit and Bytes are how many lines and bytes are enough, 0 for any number.
	Limit int
	Bytes int64
	// Follow waits for the answers that there are not yet, until the job has ended. Idle is called
	// before each wait.
	Follow bool
	Idle   func() error
}

// An End says why there were no more answers.
type End struct {
	// Next is the number of the line to continue with.
	Next int
	// More says that there are answers from Next on, as Limit or Bytes ended this.
	More bool
	// State is that of the job. If it has not ended, the line Next has no answer yet.
	State jobs.State
}

// Results calls yield with the answers of a job in the order of the input, each one line of JSON
// with its end. It stops at the first line without an answer. Of a job that was cancelled or has
// failed, those lines are left out. An answer that is damaged is asked for again: the job is then
// not done any more.
func (q *Queue) Results(ctx context.Context, id jobs.ID, r ResultsQuery, yield func(line []byte) error) (End, error) {
	w := &walk{q: q, id: id, r: r, yield: yield, next: max(1, r.From)}
	v, watch, err := q.Watch(ctx, id)
	for tries, at := 0, 0; ; {
		if err != nil {
			return End{}, err
		}
		err = w.read(ctx, v)
		if w.next > at {
			tries, at = 0, w.next
		}
		switch {
		case !errors.Is(err, errAgain):
		case tries == mostAgain:
			err = fmt.Errorf("%w: %w", jobs.ErrDamaged, err)
		default:
			tries++
			if v, err = watch.read(ctx); err != nil {
				return End{}, err
			}
			if v.State.Ended() { // by now
				continue
			}
		}
		end := End{Next: w.next, More: w.full, State: v.State}
		if err != nil || w.full || !r.Follow || v.State.Ended() {
			return end, err
		}
		if r.Idle != nil {
			if err := r.Idle(); err != nil {
				return end, err
			}
		}
		if v, err = watch.Next(ctx); err != nil && ctx.Err() != nil {
			return end, err
		}
	}
}

// A walk is one call of Results.
type walk struct {
	q     *Queue
	id    jobs.ID
	r     ResultsQuery
	yield func([]byte) error

	found bool // chunk is where to begin
	chunk int
	part  int // of the chunk, that is read next
	turn  int // of the chunk, when it was read last
	next  int // number of the line that is wanted next
	lines int
	bytes int64
	full  bool
}

// read yields what there is.
func (w *walk) read(ctx context.Context, v *View) error {
	if !w.found && v.Chunks > 0 {
		if err := w.begin(ctx); err != nil {
			return err
		}
		w.found = true
	}
	for w.chunk < v.Chunks && !w.full {
		answered, err := w.readChunk(ctx, v)
		if err != nil {
			return err
		}
		if w.full || !answered && !v.State.Ended() {
			return nil
		}
		w.chunk, w.part = w.chunk+1, 0
	}
	return nil
}

// begin finds the chunk of the first line: the first one whose last line is not before it.
func (w *walk) begin(ctx context.Context) error {
	if w.next == 1 {
		return nil
	}
	return w.q.read(ctx, func(ctx context.Context, d *database) error {
		return d.row(ctx, `select count(*) from tsumero_chunk where job = $1 and last < $2`, string(w.id), w.next).
			Scan(&w.chunk)
	})
}

// readChunk yields the stored answers of a chunk, and reports whether they are all of it.
func (w *walk) readChunk(ctx context.Context, v *View) (answered bool, err error) {
	var state, turn, parts, last int
	err = w.q.read(ctx, func(ctx context.Context, d *database) error {
		return d.row(ctx, `select state, turn, parts, last from tsumero_chunk where job = $1 and n = $2`, string(w.id),
			w.chunk).Scan(&state, &turn, &parts, &last)
	})
	if errors.Is(err, jobs.ErrNotFound) { // the job was removed
		return false, ErrGone
	}
	if turn != w.turn { // it may be answered again, in other parts
		w.part, w.turn = 0, turn
	}
	for ; err == nil && w.part < parts; w.part++ {
		var text []byte
		if text, err = w.q.answer(ctx, w.id, w.chunk, turn, w.part); err == nil {
			err = w.text(text)
		}
		if err != nil || w.full {
			break
		}
	}
	switch {
	case errors.Is(err, jobs.ErrDamaged):
		return false, w.q.answerAgain(ctx, v.ID, w.chunk, turn, err)
	case err != nil || w.full:
		return false, err
	case state != chunkAnswered && v.State == jobs.Done:
		return false, errAgain // somebody else found that it is damaged
	case state != chunkAnswered:
		return false, nil
	}
	w.next = max(w.next, last+1)
	return true, nil
}

// answer returns a part of the answers to a chunk that was read at a turn, or jobs.ErrDamaged; errAgain
// if the turn is over, and the part not there for that. No rows are open when it returns, so that a slow
// client keeps nothing in the database.
func (q *Queue) answer(ctx context.Context, id jobs.ID, n, turn, part int) (text []byte, err error) {
	err = q.read(ctx, func(ctx context.Context, d *database) error {
		var frame []byte
		err := d.row(ctx, `select data from tsumero_answer where job = $1 and n = $2 and k = $3`, string(id), n, part).
			Scan(&frame)
		if errors.Is(err, sql.ErrNoRows) {
			return missing(ctx, d, id, n, turn, part)
		}
		if err == nil {
			text, err = unpack(frame)
		}
		return err
	})
	return text, err
}

// missing says why a part of a chunk is not there.
func missing(ctx context.Context, d *database, id jobs.ID, n, turn, part int) error {
	var latest int
	err := d.row(ctx, `select turn from tsumero_chunk where job = $1 and n = $2`, string(id), n).Scan(&latest)
	switch {
	case errors.Is(err, sql.ErrNoRows): // the job was removed
		return ErrGone
	case err != nil:
		return err
	case latest != turn:
		return errAgain
	}
	return fmt.Errorf("%w: part %d of chunk %d is missing", jobs.ErrDamaged, part, n)
}

// text yields the lines of a part that are wanted.
func (w *walk) text(text []byte) error {
	for line := range bytes.Lines(text) {
		n, ok := wire.LineNumber(line)
		if !ok {
			return fmt.Errorf("%w: an answer without the number of its line", jobs.ErrDamaged)
		}
		if n < w.next {
			continue
		}
		if w.r.Limit > 0 && w.lines >= w.r.Limit || w.r.Bytes > 0 && w.bytes >= w.r.Bytes {
			w.full, w.next = true, n
			return nil
		}
		if err := w.yield(line); err != nil {
			return err
		}
		w.next = n + 1
		w.lines++
		w.bytes += int64(len(line))
	}
	return nil
}

// errAgain says that a chunk is being answered again.
var errAgain = errors.New("queue: a chunk is answered again")

// mostAgain is how often a chunk is read again before its answers count as lost for good.
const mostAgain = 5

// answerAgain has a chunk answered again whose answers, read at a turn, are damaged, and returns errAgain,
// or why not.
func (q *Queue) answerAgain(ctx context.Context, id jobs.ID, n, turn int, why error) error {
	over, restarted := false, false
	err := q.write(ctx, func(ctx context.Context, t *tx) error {
		over, restarted = false, false
		j, err := t.record(ctx, id)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrGone
		}
		if err != nil {
			return err
		}
		if j.State != jobs.Done && j.State != jobs.Running {
			over = true // nobody will work on it
			return nil
		}
		var latest int
		err = t.row(ctx, `select turn from tsumero_chunk where job = $1 and n = $2`, string(id), n).Scan(&latest)
		if err != nil || latest != turn { // another reader was here
			return err
		}
		restarted = true
		return q.restart(ctx, t, j, n)
	})
	switch {
	case err != nil:
		return err
	case over:
		return why
	case restarted:
		q.o.Logger.Warn("a chunk is answered again", "job", id.Short(), "chunk", n)
	}
	return errAgain
}

// restart makes a chunk one that was never answered.
func (q *Queue) restart(ctx context.Context, t *tx, j *jobs.Job, n int) error {
	var state int
	var c jobs.Counts
	var nodes, bytes int64
	if err := t.row(ctx, `select state, mate, nomate, unknown, faulty, nodes, out_bytes from tsumero_chunk
		where job = $1 and n = $2`, string(j.ID), n).Scan(&state, &c.Mate, &c.NoMate, &c.Unknown, &c.Faulty, &nodes,
		&bytes); err != nil {
		return err
	}
	if _, err := t.exec(ctx, `delete from tsumero_answer where job = $1 and n = $2`, string(j.ID), n); err != nil {
		return err
	}
	if _, err := t.exec(ctx, `update tsumero_chunk set state = 0, turn = turn + 1, finished = 0, answered = 0, parts = 0,
		mate = 0, nomate = 0, unknown = 0, faulty = 0, nodes = 0, out_bytes = 0, versions = '', line = 0, attempts = 0, progress = ''
		where job = $1 and n = $2`, string(j.ID), n); err != nil {
		return err
	}
	if state == chunkAnswered {
		if _, err := t.exec(ctx, `update tsumero_job set state = 'running', finished = 0, revision = revision + 1,
			done_chunks = done_chunks - 1, mate = mate - $2, nomate = nomate - $3, unknown = unknown - $4,
			faulty = faulty - $5, nodes = nodes - $6, out_bytes = out_bytes - $7 where id = $1`, string(j.ID), c.Mate,
			c.NoMate, c.Unknown, c.Faulty, nodes, bytes); err != nil {
			return err
		}
	}
	t.changed = append(t.changed, j.ID)
	if err := t.lockClient(ctx, j.Client); err != nil {
		return err
	}
	return q.refill(ctx, t, j.Client, j.Active, j.Memory)
}

// Answer returns the answer of a job of one line, without the number, or ErrNotDone if there is
// none.
func (q *Queue) Answer(ctx context.Context, id jobs.ID) (*wire.Envelope, error) {
	var answer *wire.Envelope
	_, err := q.Results(ctx, id, ResultsQuery{}, func(line []byte) (err error) {
		if answer, err = wire.ParseEnvelope(line); err == nil {
			answer.Line = 0
		}
		return err
	})
	if err == nil && answer == nil {
		err = ErrNotDone
	}
	return answer, err
}
