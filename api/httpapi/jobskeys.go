package httpapi

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/wire"
)

// sameKeyWait is how long a POST of a job waits for others with its idempotency key, which have to
// come to an end first. It is longer than an ordinary body takes, and the client comes again.
const sameKeyWait = 30 * time.Second

var errSameKey = errors.New("another request has the key")

// A jobKey is an idempotency key of a client.
type jobKey struct{ client, key string }

// jobKeys let one request at a time submit a job under an idempotency key. Those that come
// meanwhile wait for it, and find its job then. So they need no slot of their own, of which a client
// has few.
type jobKeys struct {
	mu   sync.Mutex
	used map[jobKey]chan struct{} // closed when the key is free
}

// lock takes a key, at most until ctx ends, and returns what frees it, nil if it was not taken.
func (k *jobKeys) lock(ctx context.Context, key jobKey) (unlock func()) {
	for {
		k.mu.Lock()
		free := k.used[key]
		if free == nil {
			if k.used == nil {
				k.used = map[jobKey]chan struct{}{}
			}
			free = make(chan struct{})
			k.used[key] = free
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				defer k.mu.Unlock()
				delete(k.used, key)
				close(free)
			}
		}
		k.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			return nil
		}
	}
}

// lockKey waits until no other request of the client submits a job under the key. The body has its
// time from then on.
func (s *Server) lockKey(ctx context.Context, x *responseRecorder, key jobKey) (unlock func(),
	p *wire.Problem) {
	ctx, cancel := context.WithTimeoutCause(ctx, sameKeyWait, errSameKey)
	defer cancel()
	began := time.Now()
	unlock = s.jobKeys.lock(ctx, key)
	switch {
	case unlock == nil && errors.Is(context.Cause(ctx), errSameKey):
		return nil, wire.NewProblem(wire.Overloaded, keyInUse).After(retryStore)
	case unlock == nil:
		return nil, s.jobProblem(ctx, ctx.Err())
	case x.unread && time.Since(began) > time.Millisecond:
		x.setReadDeadline(time.Now().Add(s.config.BodyTimeout))
	}
	return unlock, nil
}
