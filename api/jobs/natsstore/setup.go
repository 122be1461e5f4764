//go:build !nonats

package natsstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// streamNames are the ends of the names of all streams.
var streamNames = []string{coordStream, jobsStream, inStream, outStream, itemsStream}

// streamConfig returns the settings of a stream.
func (s *Store) streamConfig(stream string) jetstream.StreamConfig {
	c := jetstream.StreamConfig{
		Name:     s.streamName(stream),
		Storage:  jetstream.FileStorage,
		Replicas: s.replicas,
		// A full stream refuses what is new, and never drops what is old.
		Discard:           jetstream.DiscardNew,
		MaxMsgsPerSubject: 1,
		MaxMsgSize:        maxMessage,
		// Writes compare and set, so the engine need not remember any.
		Duplicates: time.Second,
	}
	switch stream {
	case jobsStream:
		c.Subjects = []string{s.subject("job", "*"), s.subject("attempts", ">"), s.subject("secret")}
		c.MaxMsgSize = 2 * maxRecord
		c.AllowMsgTTL = true
	case coordStream:
		c.Subjects = []string{s.subject("coord", "*")}
		c.Retention = jetstream.WorkQueuePolicy
		c.MaxMsgSize = maxRecord
	case inStream:
		c.Subjects = []string{s.subject("in", ">")}
		c.Compression = s.compression()
	case outStream:
		c.Subjects = []string{s.subject("out", ">")}
		c.Compression = s.compression()
	case itemsStream:
		c.Subjects = []string{s.subject("item", ">")}
		c.Retention = jetstream.WorkQueuePolicy
		c.MaxMsgsPerSubject = -1
		// Items may be lost. In a cluster they are on disk all the same: a stream in memory has no
		// leader while one server is away and another has started again.
		if s.engine != nil {
			c.Storage = jetstream.MemoryStorage
		}
		c.MaxMsgSize = maxRecord
	}
	return c
}

// compression returns how the engine compresses input and results: not where they are replicated,
// see codec.go.
func (s *Store) compression() jetstream.StoreCompression {
	if s.replicas > 1 {
		return jetstream.NoCompression
	}
	return jetstream.S2Compression
}

// queueConsumer returns the settings of the consumer of all subjects below a name. Deliveries have no
// limit: the store counts attempts exactly, and behind a limit the engine would keep a message that it
// delivers no more.
func (s *Store) queueConsumer(name string) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       strings.ReplaceAll(name, ".", "-"),
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       s.options.LeaseTime,
		FilterSubject: s.subject(name, "*"),
		// Delayed messages count as well, so a limit would be that of all jobs in the store.
		MaxAckPending: -1,
		MaxDeliver:    -1,
		// A call of AcquireItem that ends leaves its request behind for a while.
		MaxWaiting: 4096,
	}
}

// setUp makes the streams that are not there, and wants those that are to be as they should.
func (s *Store) setUp(ctx context.Context) error {
	for _, name := range streamNames {
		if err := s.setUpStream(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) setUpStream(ctx context.Context, name string) error {
	want := s.streamConfig(name)
	call, cancel, err := s.call(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	stream, _, err := again(call, s, 1, func(ctx context.Context) (jetstream.Stream, error) {
		return s.js.Stream(ctx, want.Name)
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = s.js.CreateStream(call, want)
	}
	if err == nil && s.replicas > 1 {
		// What the servers compress stays so until Recompress, which takes more than a setting.
		config := &stream.CachedInfo().Config
		want.Compression, want.Metadata = config.Compression, config.Metadata
	}
	if err == nil && differences(want, stream.CachedInfo().Config) != nil {
		stream, err = s.js.UpdateStream(call, want)
	}
	if err != nil {
		return fmt.Errorf("natsstore: stream %s: %w", want.Name, err)
	}
	// An old server ignores what it does not know, so what it says it has is compared.
	if d := differences(want, stream.CachedInfo().Config); d != nil {
		return &settingsError{fmt.Errorf("natsstore: stream %s is not as it should be: %s", want.Name, d)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[name] = stream
	s.views[name].learn(&stream.CachedInfo().Config)
	return nil
}

// A settingsError is one that does not go away by waiting.
type settingsError struct{ error }

func (e *settingsError) Unwrap() error { return e.error }

// differences returns the settings that matter and are others.
func differences(want, got jetstream.StreamConfig) []string {
	var d []string
	compare := func(name string, want, got any) {
		if want != got {
			d = append(d, fmt.Sprintf("%s is %v, not %v", name, got, want))
		}
	}
	compare("storage", want.Storage, got.Storage)
	compare("replicas", want.Replicas, got.Replicas)
	compare("retention", want.Retention, got.Retention)
	compare("discard", want.Discard, got.Discard)
	compare("compression", want.Compression, got.Compression)
	compare("messages per subject", want.MaxMsgsPerSubject, got.MaxMsgsPerSubject)
	compare("message size", want.MaxMsgSize, got.MaxMsgSize)
	compare("message TTL", want.AllowMsgTTL, got.AllowMsgTTL)
	compare("age", want.MaxAge, got.MaxAge)
	if !slices.Equal(want.Subjects, got.Subjects) {
		d = append(d, fmt.Sprintf("subjects are %v, not %v", got.Subjects, want.Subjects))
	}
	return d
}

// forgetConsumers removes all consumers, and the leases with them. No other process can have leased
// a message of an embedded store, so what was leased when the last process ended is redelivered at
// once.
func (s *Store) forgetConsumers(ctx context.Context) error {
	for _, name := range streamNames {
		stream := s.stream(name)
		names := stream.ConsumerNames(ctx)
		for consumer := range names.Name() {
			if err := stream.DeleteConsumer(ctx, consumer); err != nil {
				return fmt.Errorf("natsstore: consumer %s: %w", consumer, err)
			}
		}
		if err := names.Err(); err != nil {
			return fmt.Errorf("natsstore: consumers of %s: %w", name, err)
		}
	}
	return nil
}
