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
	const large, small = 64 << 20, 6 << 20 // of a machine with 512 MiB or more, and with 48
	for _, c := range []struct {
		used                 uint64
		wantLarge, wantSmall int
	}{
		{0, 400, 400}, {1 << 20, 400, 400}, {2 << 20, 400, 300}, {5 << 20, 400, 120}, {16 << 20, 400, 100},
		{32 << 20, 200, 100},
		{64 << 20, 100, 100}, {128 << 20, 50, 50}, {640 << 20, 10, 10}, {8 << 30, 10, 10},
		{math.MaxUint64, 10, 10},
	} {
		if got := garbagePercent(c.used, large); got != c.wantLarge {
			t.Errorf("%d%% of %d, want %d", got, c.used, c.wantLarge)
		}
		if got := garbagePercent(c.used, small); got != c.wantSmall {
			t.Errorf("%d%% of %d where memory is small, want %d", got, c.used, c.wantSmall)
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
	runtime.GC()
	wait("without tables", func() bool { return percent() > 100 })
	cancel()
	wait("after the end", func() bool { return percent() == before && !limitsGarbage.Load() })
}
