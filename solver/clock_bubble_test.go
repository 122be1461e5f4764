//go:build !js

package solver_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/solver"
)

// Not as in browsers: a bubble has a clock of its own, and no event of a page comes into it.

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
