package work

import (
	"context"
	"errors"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// retry repeats a call of the store until it succeeds, or the answers are not needed any more.
func (r *item) retry(what string, call func(ctx context.Context) error) error {
	err := retry(r.wanted, r.log, what, call, jobs.ErrNotFound, jobs.ErrNewer, jobs.ErrDamaged, errUnwanted)
	if r.wanted.Err() != nil {
		return context.Cause(r.wanted)
	}
	return err
}

// readParts reads the parts that other workers have stored, and moves behind them.
func (r *item) readParts() error {
	for {
		var part *jobs.Result
		err := r.retry("read a part", func(ctx context.Context) (err error) {
			part, err = r.w.o.Store.Part(ctx, r.q.Job, r.q.Chunk, r.parts)
			return err
		})
		switch {
		case errors.Is(err, jobs.ErrNotFound):
			return nil
		case err != nil:
			return err
		case part.V > jobs.V:
			return jobs.ErrNewer
		}
		r.advance(part.Summary)
	}
}

// advance moves behind a part that is stored: ready answers that the part has are dropped.
func (r *item) advance(s jobs.Summary) {
	r.stored = s
	r.parts++
	n := 0
	for n < len(r.ready) && r.ready[n].number <= s.Last {
		r.size -= len(r.ready[n].text)
		n++
	}
	r.ready = append([]answered(nil), r.ready[n:]...)
	r.updateProgress(func(p *jobs.Progress) { p.Done = s.Counts.Lines() + len(r.ready) })
}

// result returns the ready answers as a part. Its Text has only these, but its Summary counts all
// lines of the chunk up to them, so that the summary of the last part is that of the chunk.
func (r *item) result() *jobs.Result {
	part := &jobs.Result{Summary: r.stored, Text: make([]byte, 0, r.size)}
	part.V, part.Parts, part.Engine = jobs.V, r.parts, r.w.o.Engine
	part.First = r.stored.Last + 1
	for i := range r.ready {
		l := &r.ready[i]
		if i == 0 {
			part.First = l.number
		}
		part.Last = l.number
		part.Counts.Count(l.verdict)
		part.Nodes += l.nodes
		part.Text = append(part.Text, l.text...)
	}
	part.Bytes += int64(len(part.Text))
	return part
}

// store stores the ready answers as a part, which is the last one of the chunk if final is set. If
// another worker has stored that part, ready keeps only the answers that are not in it.
func (r *item) store(final bool) error {
	s, part := r.w.o.Store, r.result()
	var first bool
	err := r.retry("store answers", func(ctx context.Context) (err error) {
		if !r.wasChecked() { // another job may have come under the ID, which would get them
			if err := r.checkJob(ctx); err != nil {
				return err
			}
		}
		if final {
			first, err = s.PutResult(ctx, r.q.Job, r.q.Chunk, part)
		} else {
			first, err = s.PutPart(ctx, r.q.Job, r.q.Chunk, r.parts, part)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case first:
		r.advance(part.Summary)
		return nil
	}
	r.w.o.Observer.Duplicate()
	if final {
		return errAnswered
	}
	before := r.parts
	for { // a replica of the store may be late
		if err := r.readParts(); err != nil || r.parts > before {
			return err
		}
		if pause(r.wanted, 200*time.Millisecond); r.wanted.Err() != nil {
			return context.Cause(r.wanted)
		}
	}
}

// undoAttempt undoes the count of an attempt at the chunk, or at a line of it.
func (r *item) undoAttempt(line, attempt int) {
	ctx, cancel := context.WithTimeout(r.base, stopTime)
	defer cancel()
	if err := r.w.o.Store.UndoAttempt(ctx, r.q.Job, r.q.Chunk, line, attempt); err != nil {
		r.log.Debug("the count of an attempt was not undone", "err", err)
	}
}
