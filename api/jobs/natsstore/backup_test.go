//go:build !nonats

package natsstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestSendChunk: the server that restores a stream may be heard of later than the first chunk is sent.
func TestSendChunk(t *testing.T) {
	s, err := Embedded(EmbeddedOptions{Dir: t.TempDir(), MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	heard, sent := make(chan string, 10), make(chan error, 1)
	answers := s.nc.Stats().InMsgs
	go func() {
		m, err := s.sendChunk(t.Context(), "restore", []byte("chunk"))
		if err == nil && string(m.Data) != "taken" {
			err = errors.New(string(m.Data))
		}
		sent <- err
	}()
	for s.nc.Stats().InMsgs == answers { // until the engine says that nobody listens
		time.Sleep(time.Millisecond)
	}
	sub, err := s.nc.Subscribe("restore", func(m *nats.Msg) {
		heard <- string(m.Data)
		_ = m.Respond([]byte("taken"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil || len(heard) != 1 || <-heard != "chunk" {
		t.Errorf("a chunk that nobody listened for at first: %v, heard %d times more", err, len(heard))
	}

	// It does not wait for ever.
	if err := sub.Unsubscribe(); err != nil {
		t.Fatal(err)
	}
	s.timeout = 50 * time.Millisecond
	if _, err := s.sendChunk(t.Context(), "restore", nil); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a chunk that nobody listens for: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s.timeout = time.Hour
	if _, err := s.sendChunk(ctx, "restore", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a chunk that nobody listens for until its context ends: %v", err)
	}
}
