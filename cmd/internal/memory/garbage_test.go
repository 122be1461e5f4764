package memory

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	for used, want := range map[uint64]int{
		0: 100, 10 << 20: 100, 64 << 20: 100, 128 << 20: 50, 640 << 20: 10, 8 << 30: 10, math.MaxUint64: 10,
	} {
		if got := garbagePercent(used); got != want {
			t.Errorf("%d%% of %d, want %d", got, used, want)
		}
	}
}

// TestLimitGarbage: it follows what is in use, ends with its context, and does nothing where the
// environment says how much garbage there may be.
func TestLimitGarbage(t *testing.T) {
	const before = 200
	defer debug.SetGCPercent(debug.SetGCPercent(before))
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	t.Setenv("GOGC", "200")
	LimitGarbage(t.Context())
	if limitsGarbage.Load() || percent() != before {
		t.Errorf("GOGC is set, and it became %d", percent())
	}

	t.Setenv("GOGC", "")
	tables := make([]byte, 4*garbageBytes)
	runtime.GC()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	LimitGarbage(ctx)
	wait := func(what string, done func() bool) {
		for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %d", what, percent())
			}
		}
	}
	wait("while tables are in use", func() bool { return percent() <= 25 })
	runtime.KeepAlive(tables)
	cancel()
	wait("after the end", func() bool { return percent() == before && !limitsGarbage.Load() })
}
