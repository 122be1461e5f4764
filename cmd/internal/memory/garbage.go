package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

const (
	// garbageBytes is how much garbage there may be beside what is in use. By default the collector
	// lets it become as much as that, so as much as all tables and caches, which stay in use for as
	// long as the program runs.
	garbageBytes = 64 << 20
	// leastGarbage is how much there may be in any case, in percent of what is in use, so that the
	// collector does not run all the time.
	leastGarbage = 10
	garbageEvery = time.Second
)

var limitsGarbage atomic.Bool

// LimitGarbage keeps garbage below garbageBytes until ctx ends, or below a tenth of what is in use
// where that is more. It does nothing if the environment sets GOGC, or if another call does it in
// this process.
func LimitGarbage(ctx context.Context) {
	if os.Getenv("GOGC") != "" || !limitsGarbage.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer limitsGarbage.Store(false)
		set := 100
		before := debug.SetGCPercent(set)
		defer func() { debug.SetGCPercent(before) }()
		tick := time.NewTicker(garbageEvery)
		defer tick.Stop()
		for {
			// The world stops for a moment when it is set, so small changes are left out.
			if percent := garbagePercent(inUse()); percent > set*9/8 || percent < set*7/8 {
				debug.SetGCPercent(percent)
				set = percent
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
}

// garbagePercent returns how much garbage there may be while so many bytes are in use, in percent of
// those.
func garbagePercent(used uint64) int {
	return int(min(max(garbageBytes*100/max(used, 1), leastGarbage), 100))
}

// inUse returns the bytes that the last collection found in use.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
