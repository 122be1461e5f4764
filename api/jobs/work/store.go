package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

const (
	// maxPause is the longest pause before a failed call of the store is repeated.
	maxPause = 10 * time.Second
	// logEvery is the shortest time between two log lines about a call that is repeated.
	logEvery = time.Minute
)

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// acquireEach calls use with each message that acquire leases, until ctx ends. Before each call of
// acquire it takes a slot, by a send to slots; use has to see to it that the slot is freed.
func acquireEach[M any](ctx context.Context, log *slog.Logger, slots chan struct{},
	acquire func(context.Context) (M, error), use func(M)) {
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		m, err := acquire(ctx)
		if err == nil {
			wait = 0
			use(m)
			continue
		}
		<-slots
		if ctx.Err() != nil {
			return
		}
		wait = min(max(2*wait, 100*time.Millisecond), maxPause)
		log.Warn("a queue cannot be read", "err", err, "again_in", wait)
		pause(ctx, wait)
	}
}

// extendLease extends a lease until ctx ends, and calls check each time. If a lease cannot be
// extended, another process may get the message too. Results are stored once, so that costs only
// time, and the work continues.
func extendLease(ctx context.Context, log *slog.Logger, l jobs.Lease, check func(context.Context)) {
	every := l.Duration() / 3
	ticker := time.NewTicker(max(every, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		call, cancel := context.WithTimeout(ctx, every)
		if err := l.Extend(call); err != nil && ctx.Err() == nil {
			if call.Err() != nil { // said so, it is in the log once, not once for each lease
				err = fmt.Errorf("%w: no answer in %v", jobs.ErrUnavailable, every)
			}
			log.Warn("a lease could not be extended", "err", err)
		}
		check(call)
		cancel()
	}
}

// retry repeats call until it returns nil or one of the final errors. Once ctx has ended, it
// returns the cause of that.
func retry(ctx context.Context, log *slog.Logger, what string, call func(context.Context) error,
	final ...error) error {
	var logged time.Time
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, maxPause) {
		err := call(ctx)
		is := func(target error) bool { return errors.Is(err, target) }
		switch {
		case err == nil, slices.ContainsFunc(final, is):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if now := time.Now(); now.Sub(logged) >= logEvery {
			logged = now
			log.Error("the store could not "+what+"; it is asked again", "err", err)
		}
		pause(ctx, wait)
	}
}
