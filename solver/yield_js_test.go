package solver_test

import (
	"context"
	"syscall/js"
	"testing"
	"time"

	"github.com/tsumero/tsumero/solver"
)

// What a page says is heard while a search goes on: here that a timer of the page is over, which no
// goroutine waits for.
func TestYieldToPage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said time.Time
	stop := js.FuncOf(func(js.Value, []js.Value) any {
		said = time.Now()
		cancel()
		return nil
	})
	defer stop.Release()
	began := time.Now()
	js.Global().Call("setTimeout", stop, 30)
	for solver.StopReason(ctx) == solver.NoReason {
		if time.Since(began) > 10*time.Second {
			t.Fatal("nothing is heard")
		}
	}
	if r := solver.StopReason(ctx); r != solver.ReasonCancelled {
		t.Errorf("%q", r)
	}
	t.Logf("said after %v, heard %v later", said.Sub(began), time.Since(said))
}
