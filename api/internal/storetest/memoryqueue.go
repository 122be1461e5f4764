package storetest

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A message is a job or an item that waits or is held.
type message struct {
	item     jobs.Item // of a job the ID alone
	accepted jobs.Accepted
	until    time.Time // held or delayed
	taken    int       // how often
}

// wake tells those who wait that a queue has changed.
func (s *Memory) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Enqueue implements jobs.Store.
func (s *Memory) Enqueue(ctx context.Context, id jobs.ID, a jobs.Accepted) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.jobs, func(m *message) bool { return m.item.Job == id }) {
		return nil
	}
	if r, ok := s.records[id]; ok {
		if j, err := decodeJob(r.text); err == nil && j.Over() {
			return nil
		}
	}
	s.jobs = append(s.jobs, &message{item: jobs.Item{Job: id}, accepted: a})
	s.wake()
	return nil
}

// Dispatch implements jobs.Store.
func (s *Memory) Dispatch(ctx context.Context, it *jobs.Item) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.items = append(s.items, &message{item: *it})
	s.wake()
	return nil
}

// AcquireJob implements jobs.Store.
func (s *Memory) AcquireJob(ctx context.Context) (*jobs.QueuedJob, error) {
	m, l, err := s.take(ctx, &s.jobs, func(*message) bool { return true })
	if err != nil {
		return nil, err
	}
	return &jobs.QueuedJob{ID: m.item.Job, Accepted: m.accepted, Lease: l}, nil
}

// AcquireItem implements jobs.Store.
func (s *Memory) AcquireItem(ctx context.Context, classes []int) (*jobs.QueuedItem, error) {
	m, l, err := s.take(ctx, &s.items, func(m *message) bool {
		return slices.Contains(classes, m.item.Memory) && m.item.V <= jobs.V
	})
	if err != nil {
		return nil, err
	}
	return &jobs.QueuedItem{Item: m.item, Lease: l}, nil
}

// take waits for the first message that fits and is not leased.
func (s *Memory) take(ctx context.Context, queue *[]*message, fits func(*message) bool) (*message, *lease, error) {
	for {
		if err := s.enter(ctx); err != nil {
			return nil, nil, err
		}
		now := time.Now()
		next := time.Hour
		for _, m := range *queue {
			if !fits(m) {
				continue
			}
			if wait := m.until.Sub(now); wait > 0 {
				next = min(next, wait)
				continue
			}
			m.until = now.Add(s.options.LeaseTime)
			m.taken++
			l := &lease{s, queue, m, m.taken}
			s.mu.Unlock()
			return m, l, nil
		}
		changed := s.changed
		s.mu.Unlock()
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-s.closed:
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

type lease struct {
	store *Memory
	queue *[]*message
	m     *message
	taken int
}

// Duration implements jobs.Lease.
func (l *lease) Duration() time.Duration { return l.store.options.LeaseTime }

// Extend implements jobs.Lease.
func (l *lease) Extend(ctx context.Context) error { return l.hold(ctx, l.Duration()) }

// Nak implements jobs.Lease.
func (l *lease) Nak(ctx context.Context, delay time.Duration) error { return l.hold(ctx, delay) }

func (l *lease) hold(ctx context.Context, d time.Duration) error {
	if err := l.store.enter(ctx); err != nil {
		return err
	}
	defer l.store.mu.Unlock()
	switch {
	case !slices.Contains(*l.queue, l.m):
		return jobs.ErrNotFound
	case l.m.taken != l.taken:
		return jobs.ErrConflict // somebody else holds it
	}
	l.m.until = time.Now().Add(d)
	l.store.wake()
	return nil
}

// Ack implements jobs.Lease.
func (l *lease) Ack(ctx context.Context) error {
	if err := l.store.enter(ctx); err != nil {
		return err
	}
	defer l.store.mu.Unlock()
	*l.queue = slices.DeleteFunc(*l.queue, func(m *message) bool { return m == l.m })
	return nil
}

// A listener gets all values in their order, however slow it is.
type listener[T any] struct {
	more  chan struct{} // has an element if there is something in queue
	queue []T
}

func newListener[T any]() *listener[T] { return &listener[T]{more: make(chan struct{}, 1)} }

// notify adds v to the queues of all listeners. The caller holds the mutex of the store.
func notify[T any](all map[*listener[T]]bool, v T) {
	for l := range all {
		l.add(v)
	}
}

func (l *listener[T]) add(v T) {
	l.queue = append(l.queue, v)
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// listen calls heard with the values that l gets, until ctx ends. Then it removes l from all.
func listen[T any](ctx context.Context, s *Memory, all map[*listener[T]]bool, l *listener[T], heard func(T)) error {
	defer func() {
		s.mu.Lock()
		delete(all, l)
		s.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return jobs.ErrUnavailable
		case <-l.more:
		}
		s.mu.Lock()
		queue := l.queue
		l.queue = nil
		s.mu.Unlock()
		for _, v := range queue {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			heard(v)
		}
	}
}

// Watch implements jobs.Store.
func (s *Memory) Watch(ctx context.Context, changed func(jobs.Change)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	l := newListener[jobs.Change]()
	s.watchers[l] = true
	for id, r := range s.records {
		if j, err := decodeJob(r.text); err == nil {
			l.add(jobs.Change{ID: id, Job: j, Revision: r.revision})
		}
	}
	l.add(jobs.Change{})
	s.mu.Unlock()
	return listen(ctx, s, s.watchers, l, func(c jobs.Change) {
		if c.Job != nil {
			copied := *c.Job // each watcher its own
			c.Job = &copied
		}
		changed(c)
	})
}

// WatchResults implements jobs.Store.
func (s *Memory) WatchResults(
	ctx context.Context, ready func(), found func(id jobs.ID, chunk int, s *jobs.Summary),
) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	l := newListener[result]()
	s.results[l] = true
	s.mu.Unlock()
	if ready != nil {
		ready()
	}
	return listen(ctx, s, s.results, l, func(r result) { found(r.id, r.chunk, &r.sum) })
}

// Publish implements jobs.Store.
func (s *Memory) Publish(ctx context.Context, sig *jobs.Signal) error {
	text, err := json.Marshal(sig)
	if err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	notify(s.listeners, text)
	return nil
}

// Subscribe implements jobs.Store.
func (s *Memory) Subscribe(ctx context.Context, heard func(*jobs.Signal)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	l := newListener[[]byte]()
	s.listeners[l] = true
	s.mu.Unlock()
	return listen(ctx, s, s.listeners, l, func(text []byte) {
		sig := new(jobs.Signal)
		if json.Unmarshal(text, sig) == nil && sig.V <= jobs.V {
			heard(sig)
		}
	})
}
