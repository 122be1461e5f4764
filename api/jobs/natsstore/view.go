//go:build !nonats

package natsstore

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tsumero/tsumero/api/jobs"
)

// A view is what the leader of a stream said last.
type view struct {
	asking chan struct{} // has an element while somebody asks

	// Guarded by Store.mu.
	seen       time.Time // when it was asked, whether it answered or not
	err        error     // why it did not
	compressed bool      // by the servers, what comes
	leftover   bool      // compressed by the servers, what was there
	current    int       // replicas that have everything
	lag        uint64    // most operations that a replica is behind
}

const (
	// leaderAge is how old the news may be that a stream has a leader.
	leaderAge = time.Second
	// failureAge is how old the news may be that it does not answer.
	failureAge = 250 * time.Millisecond
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
		if err != nil {
			return time.Since(v.seen) < min(age, failureAge)
		}
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
	answer, err := s.info(ctx, stream)
	if ctx.Err() != nil {
		return compressed, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.seen, v.err = time.Now(), err
	if err == nil {
		v.learn(&answer.Config)
		v.current, v.lag = 1, 0
		if answer.Cluster != nil {
			for _, replica := range answer.Cluster.Replicas {
				if replica.Current && !replica.Offline {
					v.current++
				}
				v.lag = max(v.lag, replica.Lag)
			}
		}
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

// streamTime is how long a leader may take to say how a stream is.
const streamTime = time.Second

// streamStatus returns how all streams are.
func (s *Store) streamStatus(ctx context.Context) []jobs.StreamStatus {
	ctx, cancel := context.WithTimeout(ctx, streamTime)
	defer cancel()
	all := make([]jobs.StreamStatus, len(streamNames))
	var asking sync.WaitGroup
	for i, stream := range streamNames {
		asking.Go(func() {
			_, err := s.look(ctx, stream, leaderAge)
			s.mu.Lock()
			defer s.mu.Unlock()
			all[i] = jobs.StreamStatus{Name: stream, Led: err == nil}
			if v := s.views[stream]; err == nil {
				all[i].Current, all[i].Lag = v.current, v.lag
			}
		})
	}
	asking.Wait()
	return all
}
