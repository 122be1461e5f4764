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
	used map[jobKey]*keyUse
}

// A keyUse is one of those that use a key, or wait for it.
type keyUse struct {
	users int
	turn  chan struct{} // has an element while nobody has the key
}

// lock takes a key, at most until ctx ends, and returns what gives it back, nil if it was not taken.
func (k *jobKeys) lock(ctx context.Context, key jobKey) (unlock func()) {
	k.mu.Lock()
	if k.used == nil {
		k.used = map[jobKey]*keyUse{}
	}
	use := k.used[key]
	if use == nil {
		use = &keyUse{turn: make(chan struct{}, 1)}
		use.turn <- struct{}{}
		k.used[key] = use
	}
	use.users++
	k.mu.Unlock()
	leave := func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if use.users--; use.users == 0 {
			delete(k.used, key)
		}
	}
	select {
	case <-use.turn:
		return func() {
			use.turn <- struct{}{}
			leave()
		}
	case <-ctx.Done():
		leave()
		return nil
	}
}

// lockKey waits until no other request of the client submits a job under the key. The body has its
// time from then on.
func (s *Server) lockKey(ctx context.Context, x *responseRecorder, key jobKey) (unlock func(),
	p *wire.Problem) {
	ctx, cancel := context.WithTimeoutCause(ctx, sameKeyWait, errSameKey)
	defer cancel()
	began := time.Now()
	if unlock = s.jobKeys.lock(ctx, key); unlock == nil {
		if errors.Is(context.Cause(ctx), errSameKey) {
			p = wire.NewProblem(wire.Overloaded, keyInUse)
			p.RetryAfter = retryStore
			return nil, p
		}
		return nil, s.jobProblem(ctx, ctx.Err())
	}
	if x.unread && time.Since(began) > time.Millisecond {
		x.setReadDeadline(time.Now().Add(s.config.BodyTimeout))
	}
	return unlock, nil
}
