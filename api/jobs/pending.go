package jobs

import (
	"context"
	"sync/atomic"
)

// A Pending is a Store that is not there yet: all its methods return ErrUnavailable until Set.
type Pending struct{ store atomic.Pointer[Store] }

// Set makes s what answers from now on.
func (p *Pending) Set(s Store) { p.store.Store(&s) }

// get returns what answers.
func (p *Pending) get() (Store, error) {
	if s := p.store.Load(); s != nil {
		return *s, nil
	}
	return nil, ErrUnavailable
}

// Close closes the Store, if there is one.
func (p *Pending) Close() error {
	s, err := p.get()
	if err != nil {
		return nil
	}
	return s.Close()
}

// Secret is that of a Store.
func (p *Pending) Secret(ctx context.Context) ([]byte, error) {
	s, err := p.get()
	if err != nil {
		return nil, err
	}
	return s.Secret(ctx)
}

// Create is that of a Store.
func (p *Pending) Create(ctx context.Context, j *Job) (Revision, error) {
	s, err := p.get()
	if err != nil {
		return 0, err
	}
	return s.Create(ctx, j)
}

// Job is that of a Store.
func (p *Pending) Job(ctx context.Context, id ID) (*Job, Revision, error) {
	s, err := p.get()
	if err != nil {
		return nil, 0, err
	}
	return s.Job(ctx, id)
}

// Update is that of a Store.
func (p *Pending) Update(ctx context.Context, j *Job, last Revision) (Revision, error) {
	s, err := p.get()
	if err != nil {
		return 0, err
	}
	return s.Update(ctx, j, last)
}

// Watch is that of a Store.
func (p *Pending) Watch(ctx context.Context, changed func(Change)) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.Watch(ctx, changed)
}

// Remove is that of a Store.
func (p *Pending) Remove(ctx context.Context, id ID) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.Remove(ctx, id)
}

// PutInput is that of a Store.
func (p *Pending) PutInput(ctx context.Context, id ID, chunk int, data []byte) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.PutInput(ctx, id, chunk, data)
}

// Input is that of a Store.
func (p *Pending) Input(ctx context.Context, id ID, chunk int) ([]byte, error) {
	s, err := p.get()
	if err != nil {
		return nil, err
	}
	return s.Input(ctx, id, chunk)
}

// CountInput is that of a Store.
func (p *Pending) CountInput(ctx context.Context, id ID) (int, error) {
	s, err := p.get()
	if err != nil {
		return 0, err
	}
	return s.CountInput(ctx, id)
}

// DropInput is that of a Store.
func (p *Pending) DropInput(ctx context.Context, id ID) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.DropInput(ctx, id)
}

// Enqueue is that of a Store.
func (p *Pending) Enqueue(ctx context.Context, id ID, a Accepted) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.Enqueue(ctx, id, a)
}

// AcquireJob is that of a Store.
func (p *Pending) AcquireJob(ctx context.Context) (*QueuedJob, error) {
	s, err := p.get()
	if err != nil {
		return nil, err
	}
	return s.AcquireJob(ctx)
}

// Dispatch is that of a Store.
func (p *Pending) Dispatch(ctx context.Context, it *Item) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.Dispatch(ctx, it)
}

// AcquireItem is that of a Store.
func (p *Pending) AcquireItem(ctx context.Context, classes []int) (*QueuedItem, error) {
	s, err := p.get()
	if err != nil {
		return nil, err
	}
	return s.AcquireItem(ctx, classes)
}

// Attempt is that of a Store.
func (p *Pending) AddAttempt(ctx context.Context, id ID, chunk, line int) (int, error) {
	s, err := p.get()
	if err != nil {
		return 0, err
	}
	return s.AddAttempt(ctx, id, chunk, line)
}

// UndoAttempt is that of a Store.
func (p *Pending) UndoAttempt(ctx context.Context, id ID, chunk, line, n int) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.UndoAttempt(ctx, id, chunk, line, n)
}

// PutPart is that of a Store.
func (p *Pending) PutPart(ctx context.Context, id ID, chunk, k int, piece *Result) (first bool, err error) {
	s, err := p.get()
	if err != nil {
		return false, err
	}
	return s.PutPart(ctx, id, chunk, k, piece)
}

// Part is that of a Store.
func (p *Pending) Part(ctx context.Context, id ID, chunk, k int) (*Result, error) {
	s, err := p.get()
	if err != nil {
		return nil, err
	}
	return s.Part(ctx, id, chunk, k)
}

// PutResult is that of a Store.
func (p *Pending) PutResult(ctx context.Context, id ID, chunk int, piece *Result) (first bool, err error) {
	s, err := p.get()
	if err != nil {
		return false, err
	}
	return s.PutResult(ctx, id, chunk, piece)
}

// Result is that of a Store.
func (p *Pending) Result(ctx context.Context, id ID, chunk int) (*Result, error) {
	s, err := p.get()
	if err != nil {
		return nil, err
	}
	return s.Result(ctx, id, chunk)
}

// Results is that of a Store.
func (p *Pending) Results(ctx context.Context, id ID, found func(int, *Summary)) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.Results(ctx, id, found)
}

// WatchResults is that of a Store.
func (p *Pending) WatchResults(ctx context.Context, ready func(), found func(ID, int, *Summary)) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.WatchResults(ctx, ready, found)
}

// Send is that of a Store.
func (p *Pending) Publish(ctx context.Context, signal *Signal) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.Publish(ctx, signal)
}

// Listen is that of a Store.
func (p *Pending) Subscribe(ctx context.Context, heard func(*Signal)) error {
	s, err := p.get()
	if err != nil {
		return err
	}
	return s.Subscribe(ctx, heard)
}

// Status is that of a Store.
func (p *Pending) Status(ctx context.Context) (Status, error) {
	s, err := p.get()
	if err != nil {
		return Status{}, err
	}
	return s.Status(ctx)
}
