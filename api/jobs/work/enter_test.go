package work

import (
	"testing"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// While a big problem waits for the worker short turns begin, and when it is its own none does.
func TestEnter(t *testing.T) {
	for _, c := range []struct{ long, alone, want bool }{
		{false, false, true}, {true, false, false}, {false, true, false}, {true, true, false},
	} {
		w := Worker{all: map[*turn]bool{}, big: &turn{alone: c.alone}}
		r := &turn{Turn: &queue.Turn{Job: &jobs.Job{}, Long: c.long}}
		if got := w.enter(r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
