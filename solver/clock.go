package solver

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A Clock is a limit of time of a search that can be stopped while the search has to wait in the
// middle of its work. It is safe for concurrent use.
type Clock struct {
	limit  time.Duration
	mu     sync.Mutex
	used   time.Duration // until began
	began  time.Time     // zero while the clock is stopped
	alarms []*alarm
}

// An alarm ends a context once so much time is used.
type alarm struct {
	at     time.Duration
	timer  *time.Timer // nil while the clock is stopped
	cancel context.CancelCauseFunc
}

type clockKey struct{}

// WithClock returns a context that ends for ErrTime once limit is used, and its clock, which runs.
// It has no deadline. cancel releases what both hold.
func WithClock(ctx context.Context, limit time.Duration) (
	within context.Context, c *Clock, cancel context.CancelFunc) {
	c = &Clock{limit: limit, began: time.Now()}
	within, cancel = c.alarm(context.WithValue(ctx, clockKey{}, c), limit)
	return within, c, cancel
}

// ClockOf returns the clock of a context that WithClock made, nil if there is none.
func ClockOf(ctx context.Context) *Clock {
	c, _ := ctx.Value(clockKey{}).(*Clock)
	return c
}

// Earlier returns a context that ends for ErrTime when but one in n parts of the time is used that
// is left now.
func (c *Clock) Earlier(ctx context.Context, n time.Duration) (context.Context, context.CancelFunc) {
	left := c.limit - c.Used()
	return c.alarm(ctx, c.limit-left/n)
}

func (c *Clock) alarm(ctx context.Context, at time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &alarm{at: at, cancel: cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alarms = append(c.alarms, a)
	if !c.began.IsZero() {
		a.set(at - c.usedNow())
	}
	return ctx, func() {
		c.mu.Lock()
		a.stop()
		c.alarms = slices.DeleteFunc(c.alarms, func(b *alarm) bool { return a == b })
		c.mu.Unlock()
		cancel(nil)
	}
}

func (a *alarm) set(in time.Duration) {
	a.timer = time.AfterFunc(in, func() { a.cancel(ErrTime) })
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.timer = nil
}

// Used returns how much time is used.
func (c *Clock) Used() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usedNow()
}

func (c *Clock) usedNow() time.Duration {
	if c.began.IsZero() {
		return c.used
	}
	return c.used + time.Since(c.began)
}

// Stop stops the clock, which runs.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used, c.began = c.usedNow(), time.Time{}
	for _, a := range c.alarms {
		a.stop()
	}
}

// Start starts the clock again, which is stopped.
func (c *Clock) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.began = time.Now()
	for _, a := range c.alarms {
		a.set(a.at - c.used)
	}
}
