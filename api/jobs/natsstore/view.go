//go:build !nonats

package natsstore

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A view is what the leader of a stream said last.
type view struct {
	asking chan struct{} // has an element while somebody asks

	// Guarded by Store.mu.
	seen       time.Time // when it was asked, whether it answered or not
	err        error     // why it did not
	compressed bool      // by the servers, what comes
	leftover   bool      // compressed by the servers, what was there
}

const (
	// leaderAge is how old the news may be that a stream has a leader.
	leaderAge = time.Second
	// settingsAge is how old the settings of a stream may be.
	settingsAge = time.Minute
)

// look returns what is known of a stream, after asking its leader unless that was a short time ago.
func (s *Store) look(ctx context.Context, stream string, age time.Duration) (compressed bool, err error) {
	v := s.views[stream]
	known := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		compressed, err = v.compressed, v.err
		return !v.seen.IsZero() && time.Since(v.seen) < age
	}
	if known() {
		return compressed, err
	}
	select {
	case v.asking <- struct{}{}:
		defer func() { <-v.asking }()
	case <-ctx.Done():
		return compressed, ctx.Err()
	}
	if known() { // another call has asked
		return compressed, err
	}
	var answer infoAnswer
	err = s.ask(ctx, "STREAM.INFO."+s.streamName(stream), struct{}{}, &answer)
	if ctx.Err() != nil {
		return compressed, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.seen, v.err = time.Now(), err
	if err == nil {
		v.learn(&answer.Config)
	}
	return v.compressed, err
}

// learn notes settings of the stream. Store.mu is held.
func (v *view) learn(c *jetstream.StreamConfig) {
	v.compressed = c.Compression != jetstream.NoCompression
	_, v.leftover = c.Metadata[leftoverKey]
}

// checkLeader returns jobs.ErrUnavailable if the results have no leader: a job that is accepted then
// could neither be worked on nor be answered. The other streams are written to when one is accepted,
// and say so themselves.
func (s *Store) checkLeader(ctx context.Context) error {
	if s.engine != nil {
		return nil
	}
	_, err := s.look(ctx, outStream, leaderAge)
	return err
}
