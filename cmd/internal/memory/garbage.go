package memory

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

const (
	// garbageBytes is how much garbage there may be beside what is in use. By default the collector
	// lets it become as much as that, so as much as all tables and caches, which stay in use for as
	// long as the program runs.
	garbageBytes = 64 << 20
	// leastGarbage is how much there may be in any case, in percent of what is in use, so that the
	// collector does not run all the time.
	leastGarbage = 10
	// usualGarbage is the default of the collector, and mostGarbage what there may be where little
	// is in use and the memory is large: by default a service with empty tables would spend a tenth
	// of its time in the collector.
	usualGarbage = 100
	mostGarbage  = 400
)

var limitsGarbage atomic.Bool

// LimitGarbage keeps garbage below garbageBytes until ctx ends, or below a tenth of what is in use
// where that is more. Where less than garbageBytes is in use garbage may be more than that, up to
// four times as much, as long as it is no more than an eighth of the available memory. It does
// nothing if the environment sets GOGC, or if another call does it in this process.
func LimitGarbage(ctx context.Context) {
	if os.Getenv("GOGC") != "" || !limitsGarbage.CompareAndSwap(false, true) {
		return
	}
	l := &garbageLimit{small: min(garbageBytes, Available()/8), percent: usualGarbage}
	l.before = debug.SetGCPercent(l.percent)
	l.follow()
	context.AfterFunc(ctx, l.end)
}

// A garbageLimit sets after each collection how much garbage there may be before the next one.
type garbageLimit struct {
	small int64 // bytes of garbage there may be where less than that is in use

	mu      sync.Mutex
	before  int // percent, to be restored
	percent int // -1 after the end
}

// follow sets the percentage by what the last collection found in use, and waits for the next one.
func (l *garbageLimit) follow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.percent < 0 {
		return
	}
	// The world stops for a moment when it is set, so small changes are left out.
	if now := garbagePercent(inUse(), l.small); now > l.percent*9/8 || now < l.percent*7/8 {
		debug.SetGCPercent(now)
		l.percent = now
	}
	// What nothing refers to is finalized after the next collection.
	runtime.SetFinalizer(&collection{l}, func(c *collection) { c.limit.follow() })
}

// A collection is garbage from its beginning.
type collection struct{ limit *garbageLimit }

func (l *garbageLimit) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	debug.SetGCPercent(l.before)
	l.percent = -1
	limitsGarbage.Store(false)
}

// garbagePercent returns how much garbage there may be while so many bytes are in use, in percent of
// those. Up to small bytes may be more than the usual percentage.
func garbagePercent(used uint64, small int64) int {
	used = max(used, 1)
	usual := min(garbageBytes*100/used, usualGarbage)
	more := min(uint64(small)*100/used, mostGarbage)
	return int(max(usual, more, leastGarbage))
}

// inUse returns the bytes that the last collection found in use.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
