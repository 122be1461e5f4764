//go:build !nonats

package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// A queuedText is how the message of a job is stored.
type queuedText struct {
	V  int     `json:"v"`
	ID jobs.ID `json:"id"`
	jobs.Accepted
}

// Enqueue implements jobs.Store. It does not use Nats-Msg-Id: a job that was removed and comes back
// under its ID would be taken for the old one.
//
// The ledger is written at the same time, so that the two wait for the disk together. If only one of
// them is written the job may be accepted: see resumeAccepted.
func (s *Store) Enqueue(ctx context.Context, id jobs.ID, a jobs.Accepted) error {
	_, err := s.enqueue(ctx, id, a)
	return err
}

// enqueue is Enqueue, and reports whether the job was not in the queue.
func (s *Store) enqueue(ctx context.Context, id jobs.ID, a jobs.Accepted) (first bool, err error) {
	j, _, err := s.Job(ctx, id)
	switch {
	case err == nil && j.Over():
		return false, nil
	case err != nil && !errors.Is(err, jobs.ErrNotFound) && !errors.Is(err, jobs.ErrNewer):
		return false, err
	}
	data, err := json.Marshal(queuedText{jobs.V, id, a})
	if err != nil {
		return false, err
	}
	if err := s.checkLeader(ctx); err != nil {
		return false, err
	}
	if s.room != nil { // before the ledger has it: it would be accepted later, though it was refused
		if err := s.room.check(finishing, int64(len(data))); err != nil {
			return false, fmt.Errorf("natsstore: accept a job: %w", err)
		}
	}
	noted := make(chan error, 1)
	go func() {
		if j == nil {
			noted <- nil
			return
		}
		accepted := *j
		accepted.Accepted = a
		noted <- s.ledger.accept(ctx, &accepted)
	}()
	first, err = s.writeFirst(ctx, finishing, &nats.Msg{Subject: s.subject("coord", id), Data: data})
	select {
	case failed := <-noted:
		return first, errors.Join(err, failed)
	case <-ctx.Done():
		return first, errors.Join(err, ctx.Err())
	}
}

// AcquireJob implements jobs.Store.
func (s *Store) AcquireJob(ctx context.Context) (*jobs.QueuedJob, error) {
	var text queuedText
	l, err := s.acquire(ctx, coordStream, []string{"coord"}, func(data []byte) error {
		text = queuedText{}
		return decode(data, &text, &text.V)
	})
	if err != nil {
		return nil, err
	}
	return &jobs.QueuedJob{ID: text.ID, Accepted: text.Accepted, Lease: l}, nil
}

// Dispatch implements jobs.Store.
func (s *Store) Dispatch(ctx context.Context, it *jobs.Item) error {
	data, err := json.Marshal(it)
	if err != nil {
		return err
	}
	return s.do(ctx, "put item", func(ctx context.Context) error {
		_, err := s.js.Publish(ctx, s.subject("item", className(it.Memory), it.Job), data)
		return err
	})
}

// className returns the name of a memory class in subjects.
func className(class int) string {
	if class == 0 {
		return "s"
	}
	return fmt.Sprint("b", class)
}

// AcquireItem implements jobs.Store.
func (s *Store) AcquireItem(ctx context.Context, classes []int) (*jobs.QueuedItem, error) {
	names := make([]string, len(classes))
	for i, class := range classes {
		names[i] = "item." + className(class)
	}
	var it jobs.Item
	l, err := s.acquire(ctx, itemsStream, names, func(data []byte) error {
		it = jobs.Item{}
		return decode(data, &it, &it.V)
	})
	if err != nil {
		return nil, err
	}
	return &jobs.QueuedItem{Item: it, Lease: l}, nil
}

const (
	// pullTime is how long the engine is asked to wait for a message.
	pullTime = 5 * time.Second
	// newerDelay is how long a message of a newer format is left to others.
	newerDelay = 30 * time.Second
)

// acquire waits for a message under one of the names, which read accepts.
func (s *Store) acquire(ctx context.Context, stream string, names []string,
	read func(data []byte) error) (*lease, error) {
	var lost time.Time // since when the consumer does not answer
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := s.pull(ctx, stream, names)
		if errors.Is(err, nats.ErrNoResponders) && s.closing.Err() == nil {
			// A new one, or one whose leader has changed, answers a little later.
			if lost.IsZero() {
				lost = time.Now()
			}
			if time.Since(lost) < s.timeout {
				select {
				case <-ctx.Done():
				case <-time.After(50 * time.Millisecond):
				}
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		lost = time.Time{}
		if m == nil {
			continue
		}
		if stream == coordStream {
			err = checkSum(m.Subject(), m.Headers(), m.Data())
		}
		if err == nil {
			err = read(m.Data())
		}
		if err == nil {
			return &lease{s, m.Reply()}, nil
		}
		if !errors.Is(err, jobs.ErrNewer) {
			s.options.Log.Error("a message cannot be read", "subject", hideIDs(m.Subject()), "error", err)
			if stream == coordStream { // it is replaced, and the new one comes next
				if err := s.Mend(ctx, []Missing{{ID: s.idOf(m.Subject()), Message: true}}); err != nil {
					return nil, err
				}
			}
		}
		if err := m.NakWithDelay(newerDelay); err != nil {
			return nil, s.failed(ctx, "give back "+m.Subject(), err)
		}
	}
}

// pull asks for one message, of all names at once, and returns nil if none comes for a while.
//
// A message that arrives after the call has ended gets a nak at once, and is redelivered. If the
// requests were ended instead, a message on its way would be lost until its lease ends.
func (s *Store) pull(ctx context.Context, stream string, names []string) (jetstream.Msg, error) {
	type answer struct {
		m   jetstream.Msg
		err error
	}
	answers := make(chan answer)
	ended := make(chan struct{})
	defer close(ended)
	// The requests end first, so that a message that this process naks is not delivered to them.
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), pullTime)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	for _, name := range names {
		consumer, err := s.consumer(ctx, stream, name)
		if err != nil {
			return nil, err
		}
		batch, err := consumer.Fetch(1, jetstream.FetchContext(waiting))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, s.failed(ctx, "pull "+name, err)
		}
		go func() {
			var a answer
			a.m = <-batch.Messages() // nil at the end of the time
			if a.m == nil && waiting.Err() == nil {
				a.err = batch.Error()
			}
			select {
			case answers <- a:
			case <-ended:
				if a.m != nil {
					_ = a.m.Nak() // else its lease ends
				}
			}
		}()
	}
	for range names {
		select {
		case <-s.closing.Done():
			return nil, jobs.ErrUnavailable
		case a := <-answers:
			if ctx.Err() != nil {
				if a.m != nil {
					_ = a.m.Nak()
				}
				continue
			}
			if a.err != nil {
				// The consumer may be gone. The next call makes it again.
				s.mu.Lock()
				clear(s.consumers)
				s.mu.Unlock()
				return nil, s.failed(ctx, "pull", a.err)
			}
			if a.m != nil {
				return a.m, nil
			}
		}
	}
	return nil, ctx.Err()
}

// consumer returns the durable consumer of all subjects below a name. All processes share it.
func (s *Store) consumer(ctx context.Context, stream, name string) (jetstream.Consumer, error) {
	s.mu.Lock()
	c := s.consumers[name]
	s.mu.Unlock()
	if c != nil {
		return c, nil
	}
	err := s.do(ctx, "consumer "+name, func(ctx context.Context) (err error) {
		c, err = s.stream(stream).CreateOrUpdateConsumer(ctx, s.queueConsumer(name))
		return err
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.consumers[name] = c
	s.mu.Unlock()
	return c, nil
}

// A lease is a jobs.Lease. The engine knows a delivery by its reply subject.
//
// It does not know who has it: a process whose lease has ended can still extend or end the lease of
// another. That is harmless: what two processes have is done twice and stored once.
type lease struct {
	store *Store
	reply string
}

// Duration implements jobs.Lease.
func (l *lease) Duration() time.Duration { return l.store.options.LeaseTime }

// Extend implements jobs.Lease.
func (l *lease) Extend(ctx context.Context) error { return l.send(ctx, "+WPI") }

// Ack implements jobs.Lease.
func (l *lease) Ack(ctx context.Context) error { return l.send(ctx, "+ACK") }

// Nak implements jobs.Lease.
func (l *lease) Nak(ctx context.Context, delay time.Duration) error {
	if delay <= 0 {
		return l.send(ctx, "-NAK")
	}
	return l.send(ctx, fmt.Sprintf(`-NAK {"delay":%d}`, delay.Nanoseconds()))
}

// send sends an acknowledgement, and waits until the engine confirms it.
func (l *lease) send(ctx context.Context, word string) error {
	return l.store.do(ctx, word[:4], func(ctx context.Context) error {
		_, err := l.store.nc.RequestWithContext(ctx, l.reply, []byte(word))
		return err
	})
}
