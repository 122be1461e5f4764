package queue

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A View is the state of a job at one moment. It does not change.
type View struct {
	jobs.Job // State and Accepted may be ahead of the record
	Revision jobs.Revision
	// DoneLines is how many lines have their answer.
	DoneLines int
	// Progress is the last progress of a line that is worked on, nil if there was none.
	Progress *jobs.Progress
	// Changes counts those of everything but the record.
	Changes int
	// Position is the place of the job among those that wait, from 1; 0 if it does not wait.
	Position int
	// Wants is the memory class in GiB if no worker has it, else 0.
	Wants int
}

// Job returns the state of a job, ErrGone, or an error of the store.
func (q *Queue) Job(ctx context.Context, id jobs.ID) (*View, error) {
	v, _, err := q.Watch(ctx, id)
	return v, err
}

// Watch returns the state of a job, and a channel that is closed when that may have changed.
func (q *Queue) Watch(ctx context.Context, id jobs.ID) (*View, <-chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.index[id]; e == nil || e.job == nil || !q.live {
		if q.live && q.gone.has(id, q.o.Now()) {
			return nil, nil, ErrGone
		}
		if err := q.load(ctx, id); err != nil {
			return nil, nil, err
		}
	}
	e := q.index[id]
	if e == nil || e.job == nil { // removed in between
		return nil, nil, ErrGone
	}
	return q.view(id, e), e.changed, nil
}

// load reads a record into the index. q.mu is held, but not during the call of the store.
func (q *Queue) load(ctx context.Context, id jobs.ID) error {
	if err := q.checkOpen(); err != nil {
		return err
	}
	q.mu.Unlock()
	ctx, cancel := q.call(ctx)
	j, revision, err := q.store.Job(ctx, id)
	cancel()
	q.mu.Lock()
	if errors.Is(err, jobs.ErrNotFound) && q.gone.has(id, q.o.Now()) {
		return ErrGone
	}
	if err != nil {
		return err
	}
	q.apply(jobs.Change{ID: id, Job: j, Revision: revision})
	return nil
}

// view returns the state of a job. q.mu is held.
func (q *Queue) view(id jobs.ID, e *entry) *View {
	v := &View{Job: *e.job, Revision: e.revision, DoneLines: q.doneLines(e), Progress: e.latest,
		Changes: e.changes}
	v.State, v.Accepted = e.state(), e.accepts()
	if v.State == jobs.Queued {
		v.Position = 1
		for other, o := range q.active {
			if o.counted == jobs.Queued && isBefore(o.job, other, e.job, id) {
				v.Position++
			}
		}
	}
	if !v.State.Ended() && v.Memory > q.largest() {
		v.Wants = v.Memory
	}
	return v
}

// isBefore reports whether a job was created before another one.
func isBefore(a *jobs.Job, aID jobs.ID, b *jobs.Job, bID jobs.ID) bool {
	if c := a.Created.Compare(b.Created); c != 0 {
		return c < 0
	}
	return aID < bID
}

// Wait returns the state of a job when State has changed, or after limit. It returns at once if the
// job has ended, or if its record has another revision than last, unless that is 0.
func (q *Queue) Wait(ctx context.Context, id jobs.ID, last jobs.Revision, limit time.Duration) (
	*View, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	v, changed, err := q.Watch(ctx, id)
	if err != nil || v.State.Ended() || last != 0 && v.Revision != last {
		return v, err
	}
	for state := v.State; v.State == state; {
		select {
		case <-changed:
		case <-timer.C:
			return v, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if v, changed, err = q.Watch(ctx, id); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Cancel ends a job. Of one that is cancelled it does nothing; ErrFinished says that the job has
// ended otherwise.
func (q *Queue) Cancel(ctx context.Context, id jobs.ID) error {
	if err := q.checkOpen(); err != nil {
		return err
	}
	ctx, cancel := q.call(ctx)
	defer cancel()
	for {
		j, revision, err := q.store.Job(ctx, id)
		switch {
		case errors.Is(err, jobs.ErrNotFound):
			return q.orGone(id, err)
		case err != nil:
			return err
		case j.State == jobs.Cancelled:
			return nil
		case j.State.Ended():
			return ErrFinished
		}
		cancelled := *j
		cancelled.State, cancelled.Finished = jobs.Cancelled, q.o.Now().UTC()
		if cancelled.Lines == 0 { // the message has what is known of the input
			q.mu.Lock()
			if e := q.index[id]; e != nil {
				cancelled.Accepted = e.accepts()
			}
			q.mu.Unlock()
		}
		revision, err = q.store.Update(ctx, &cancelled, revision)
		if errors.Is(err, jobs.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		q.mu.Lock()
		q.apply(jobs.Change{ID: id, Job: &cancelled, Revision: revision})
		q.mu.Unlock()
		if j.State == jobs.Receiving {
			// It may have no message yet, by which a coordinator would hear of it.
			if err := q.store.DropInput(ctx, id); err != nil {
				return err
			}
		}
		// Workers also ask now and then, so that a signal may be lost.
		_ = q.store.Publish(ctx, &jobs.Signal{V: jobs.V, Cancel: id})
		return nil
	}
}

// orGone returns ErrGone if the job was removed, else err.
func (q *Queue) orGone(id jobs.ID, err error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone.has(id, q.o.Now()) {
		return ErrGone
	}
	return err
}

// Purge cancels a job if it has not ended, and removes everything of it. A second time it returns
// ErrGone.
func (q *Queue) Purge(ctx context.Context, id jobs.ID) error {
	if err := q.Cancel(ctx, id); err != nil && !errors.Is(err, ErrFinished) {
		return err
	}
	ctx, cancel := q.call(ctx)
	defer cancel()
	created := func() (t time.Time) {
		if e := q.index[id]; e != nil && e.job != nil {
			t = e.job.Created
		}
		return t
	}
	q.mu.Lock()
	before := created()
	q.mu.Unlock()
	if err := q.store.Remove(ctx, id); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.index[id]; e != nil && !created().After(before) { // else there is a later job by now
		q.forget(id, e)
	}
	return nil
}

// PageLength is how many jobs List returns at most.
const PageLength = 100

// List returns a page of the jobs of a client, the latest first, beginning behind the job after.
// Only those in a state are listed, unless that is "". more says that there is another page.
func (q *Queue) List(client string, state jobs.State, after jobs.ID) (page []*View, more bool,
	err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.live {
		return nil, false, jobs.ErrUnavailable
	}
	var all []jobs.ID
	for id, e := range q.index {
		if e.job != nil && e.job.Client == client && (state == "" || e.state() == state) {
			all = append(all, id)
		}
	}
	compare := func(a, b jobs.ID) int {
		if c := q.index[b].job.Created.Compare(q.index[a].job.Created); c != 0 {
			return c
		}
		return strings.Compare(string(b), string(a))
	}
	slices.SortFunc(all, compare)
	if after != "" {
		e := q.index[after]
		if e == nil || e.job == nil || e.job.Client != client {
			return nil, false, jobs.ErrNotFound
		}
		i, found := slices.BinarySearchFunc(all, after, compare)
		if found {
			i++
		}
		all = all[i:]
	}
	if more = len(all) > PageLength; more {
		all = all[:PageLength]
	}
	for _, id := range all {
		page = append(page, q.view(id, q.index[id]))
	}
	return page, more, nil
}
