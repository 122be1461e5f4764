package work

import (
	"context"
	"errors"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// try asks the store until it can, or until nobody wants the item. What it has to say of what it
// keeps is returned as it is.
func (r *item) try(what string, ask func(ctx context.Context) error) error {
	var told time.Time
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		err := ask(r.wanted)
		switch {
		case r.wanted.Err() != nil:
			return context.Cause(r.wanted)
		case err == nil, errors.Is(err, jobs.ErrNotFound), errors.Is(err, jobs.ErrNewer),
			errors.Is(err, jobs.ErrDamaged):
			return err
		}
		if now := time.Now(); now.Sub(told) >= 10*time.Minute {
			told = now
			r.log.Error("the store could not "+what+"; it is asked again", "err", err)
		}
		pause(r.wanted, wait)
	}
}

// catchUp reads the parts that others have stored, and drops the answers that are in them.
func (r *item) catchUp() error {
	for {
		var p *jobs.Result
		err := r.try("read a part", func(ctx context.Context) (err error) {
			p, err = r.w.o.Store.Part(ctx, r.q.Job, r.q.Chunk, r.parts)
			return err
		})
		switch {
		case errors.Is(err, jobs.ErrNotFound):
			return nil
		case err != nil:
			return err
		case p.V > jobs.V:
			return jobs.ErrNewer
		}
		r.keepBehind(p.Summary)
	}
}

// keepBehind drops the answers that are in a part that is stored.
func (r *item) keepBehind(s jobs.Summary) {
	r.stored = s
	r.parts++
	n := 0
	for n < len(r.ready) && r.ready[n].number <= s.Last {
		r.size -= len(r.ready[n].text) + 1
		n++
	}
	r.ready = append([]answered(nil), r.ready[n:]...)
	r.changed(func(p *jobs.Progress) { p.Done = s.Counts.Lines() + len(r.ready) })
}

// piece returns what is ready.
func (r *item) piece() *jobs.Result {
	p := &jobs.Result{Summary: r.stored, Text: make([]byte, 0, r.size)}
	p.V, p.Parts, p.Engine = jobs.V, r.parts, r.w.o.Engine
	p.First = r.stored.Last + 1
	for i := range r.ready {
		a := &r.ready[i]
		if i == 0 {
			p.First = a.number
		}
		p.Last = a.number
		p.Counts.Count(a.verdict)
		p.Nodes += a.nodes
		p.Text = append(append(p.Text, a.text...), '\n')
	}
	p.Bytes += int64(len(p.Text))
	return p
}

// put stores what is ready as a part, or as the last piece of the chunk. If somebody was first with
// a part, what is ready behind that one is kept.
func (r *item) put(final bool) error {
	s, p := r.w.o.Store, r.piece()
	var first bool
	err := r.try("store answers", func(ctx context.Context) (err error) {
		if final {
			first, err = s.PutResult(ctx, r.q.Job, r.q.Chunk, p)
		} else {
			first, err = s.PutPart(ctx, r.q.Job, r.q.Chunk, r.parts, p)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case first:
		r.keepBehind(p.Summary)
		return nil
	}
	r.w.o.Observer.Refused()
	if final {
		return errAnswered
	}
	before := r.parts
	for { // where it is kept several times, one copy may be late
		if err := r.catchUp(); err != nil || r.parts > before {
			return err
		}
		if pause(r.wanted, 200*time.Millisecond); r.wanted.Err() != nil {
			return context.Cause(r.wanted)
		}
	}
}

// takeBack takes back an attempt at the chunk, or at a line of it.
func (r *item) takeBack(line, attempt int) {
	ctx, cancel := context.WithTimeout(r.base, stopTime)
	defer cancel()
	if err := r.w.o.Store.UndoAttempt(ctx, r.q.Job, r.q.Chunk, line, attempt); err != nil {
		r.log.Debug("an attempt was not taken back", "err", err)
	}
}
