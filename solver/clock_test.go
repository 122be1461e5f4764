package solver_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/solver"
)

// TestClock: what is used counts and what the clock is stopped for does not, also for a context that
// ends earlier and was made while it ran.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, clock, cancel := solver.WithClock(t.Context(), 100*time.Second)
		defer cancel()
		if solver.ClockOf(ctx) != clock || solver.ClockOf(t.Context()) != nil {
			t.Error("the clock of the context")
		}
		time.Sleep(20 * time.Second)
		early, cancelEarly := clock.Earlier(ctx, 4) // 80 s are left: at 80 s
		defer cancelEarly()
		_, cancelled := clock.Earlier(ctx, 2)
		cancelled()
		want := func(early1, ctx1 solver.Reason, used time.Duration) {
			t.Helper()
			synctest.Wait()
			a, b := solver.StopReason(early), solver.StopReason(ctx)
			if a != early1 || b != ctx1 || clock.Used() != used {
				t.Errorf("%v, %v after %v; want %v, %v after %v", a, b, clock.Used(), early1, ctx1, used)
			}
		}
		for range 3 {
			clock.Stop()
			time.Sleep(time.Hour)
			clock.Start()
			time.Sleep(19 * time.Second)
		}
		want(solver.NoReason, solver.NoReason, 77*time.Second)
		time.Sleep(3 * time.Second)
		want(solver.ReasonTime, solver.NoReason, 80*time.Second)
		clock.Stop()
		time.Sleep(time.Hour)
		want(solver.ReasonTime, solver.NoReason, 80*time.Second)
		clock.Start()
		time.Sleep(20 * time.Second)
		want(solver.ReasonTime, solver.ReasonTime, 100*time.Second)
		if !errors.Is(context.Cause(ctx), solver.ErrTime) {
			t.Error(context.Cause(ctx))
		}
	})
}

// A search that never waits is ended by its time, also where there is one thread alone, as in a browser.
func TestStopReasonInTime(t *testing.T) {
	const limit = 20 * time.Millisecond
	deadline, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	clock, _, stop := solver.WithClock(t.Context(), limit)
	defer stop()
	for name, ctx := range map[string]context.Context{"deadline": deadline, "clock": clock} {
		began := time.Now()
		for solver.StopReason(ctx) == solver.NoReason {
			if time.Since(began) > 10*time.Second {
				t.Fatalf("%s: the time does not end", name)
			}
		}
		if r := solver.StopReason(ctx); r != solver.ReasonTime {
			t.Errorf("%s: %q", name, r)
		}
	}
}
