package cache

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
)

// TestBytes fills the cache well beyond its size and looks at the memory it takes: the weight of an
// entry must not promise less.
func TestBytes(t *testing.T) {
	const size = 4 << 20
	c, err := newOtter(size)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 40_000 {
		q := sched.Question{Position: shogi.Start(), SFEN: fmt.Sprintf("%s %d", shogi.StartSFEN, i)}
		c.Set(q.Key(), &sched.Answer{Result: solver.Result{Verdict: solver.NoMate}, Rendered: make([]byte, 256)})
	}
	c.CleanUp()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if w := c.WeightedSize(); w > size || w < size/2 {
		t.Errorf("the cache says it weighs %d, of %d allowed", w, size)
	}
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	if grown > size*5/4 {
		t.Errorf("%d bytes of memory for a cache of %d", grown, size)
	}
	t.Logf("%d bytes of memory for a cache of %d with %d entries", grown, size, c.EstimatedSize())
	runtime.KeepAlive(c)
}

// TestNone: a cache without room is none, and not one that holds nothing.
func TestNone(t *testing.T) {
	for _, size := range []int64{0, -1} {
		if c, err := New(size); c != nil || err != nil {
			t.Errorf("%d bytes: %v, %v", size, c, err)
		}
	}
}
