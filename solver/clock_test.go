package solver_test

import (
	"context"
	"testing"
	"time"

	"github.com/tsumero/tsumero/solver"
)

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
