package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

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
// failed, those lines are left out. ErrLost says that the store has lost some of a job that is
// done.
func (q *Queue) Results(ctx context.Context, id jobs.ID, r ResultsQuery,
	yield func(line []byte) error) (End, error) {
	w := &walk{q: q, id: id, r: r, yield: yield, next: max(1, r.From)}
	for {
		v, changed, err := q.Watch(ctx, id)
		if err != nil {
			return End{}, err
		}
		err = w.read(ctx, v)
		end := End{Next: w.next, More: w.full, State: v.State}
		if err != nil || w.full || !r.Follow || v.State.Ended() {
			return end, err
		}
		if r.Idle != nil {
			if err := r.Idle(); err != nil {
				return end, err
			}
		}
		if err := waitForNews(ctx, changed); err != nil {
			return end, err
		}
	}
}

// The pauses between two readings of results, at least and at most: a part is not notified.
const (
	leastPoll = 100 * time.Millisecond
	mostPoll  = 5 * time.Second
)

func waitForNews(ctx context.Context, changed <-chan struct{}) error {
	timer := time.NewTimer(leastPoll)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	timer.Reset(mostPoll - leastPoll)
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
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
	next  int // number of the line that is wanted next
	lines int
	bytes int64
	full  bool
}

// read yields what there is.
func (w *walk) read(ctx context.Context, v *View) error {
	if !w.found && v.Chunks > 0 {
		if err := w.begin(ctx, v.Chunks); err != nil {
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

// begin finds the chunk of the first line: the first one without a result, or whose last line is
// not before it.
func (w *walk) begin(ctx context.Context, chunks int) error {
	if w.next == 1 || chunks == 1 {
		return nil
	}
	last := make([]int, chunks)
	ctx, cancel := w.q.call(ctx)
	defer cancel()
	err := w.q.store.Results(ctx, w.id, func(chunk int, s *jobs.Summary) {
		if chunk >= 0 && chunk < chunks {
			last[chunk] = s.Last
		}
	})
	if err != nil {
		return err
	}
	for w.chunk < chunks && last[w.chunk] > 0 && last[w.chunk] < w.next {
		w.chunk++
	}
	return nil
}

// readChunk yields the stored answers of a chunk, and reports whether they are all of it.
func (w *walk) readChunk(ctx context.Context, v *View) (answered bool, err error) {
	result, err := w.result(ctx, v.State == jobs.Done)
	if err != nil {
		return false, err
	}
	parts := math.MaxInt // as many as there are
	if result != nil {
		// Parts may exist that it does not count: its worker had not seen them when it stored it.
		parts = result.Parts
	}
	for ; w.part < parts; w.part++ {
		p, err := get(ctx, w.q, func(ctx context.Context) (*jobs.Result, error) {
			return w.q.store.Part(ctx, w.id, w.chunk, w.part)
		})
		if errors.Is(err, jobs.ErrNotFound) && result == nil {
			return false, nil
		}
		if err != nil {
			return false, w.lost(err)
		}
		if err := w.text(p.Text); err != nil || w.full {
			return false, err
		}
	}
	if err := w.text(result.Text); err != nil || w.full {
		return false, err
	}
	w.next = max(w.next, result.Last+1)
	return true, nil
}

// How often the result of a chunk of a job that is done is read, and the pause between: a replica
// of the store may be late.
const (
	resultTries = 4
	resultPause = 200 * time.Millisecond
)

// result returns the result of the chunk, nil if there is none.
func (w *walk) result(ctx context.Context, must bool) (p *jobs.Result, err error) {
	for i := range resultTries {
		p, err = get(ctx, w.q, func(ctx context.Context) (*jobs.Result, error) {
			return w.q.store.Result(ctx, w.id, w.chunk)
		})
		switch {
		case errors.Is(err, jobs.ErrDamaged):
			return nil, w.lost(err)
		case !errors.Is(err, jobs.ErrNotFound):
			return p, err
		case !must:
			return nil, nil
		}
		if i < resultTries-1 {
			select {
			case <-time.After(resultPause):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	return nil, w.lost(err)
}

// lost returns ErrLost if the error says that something is missing in the store.
func (w *walk) lost(err error) error {
	if errors.Is(err, jobs.ErrNotFound) || errors.Is(err, jobs.ErrDamaged) {
		return fmt.Errorf("%w: of chunk %d, from line %d on", ErrLost, w.chunk, w.next)
	}
	return err
}

// get bounds a call of the store.
func get[T any](ctx context.Context, q *Queue, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := q.call(ctx)
	defer cancel()
	return f(ctx)
}

// text yields the lines of a result that are wanted.
func (w *walk) text(text []byte) error {
	for line := range bytes.Lines(text) {
		n, ok := wire.LineNumber(line)
		if !ok {
			return fmt.Errorf("queue: an answer without the number of its line: %.60q", line)
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
