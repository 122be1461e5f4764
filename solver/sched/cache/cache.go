// Package cache keeps answers of a scheduler in bounded memory. Which of them stay is the choice of
// otter (W-TinyLFU): those asked for often and of late.
package cache

import (
	"math"

	"github.com/maypok86/otter/v2"

	"github.com/tsumero/tsumero/solver/sched"
)

// bookkeeping is what an entry takes besides sched.EntryBytes: otter's node and table, the Answer and
// its allocations. A test measures it.
const bookkeeping = 416

// New returns a cache of so many bytes, none if that is 0 or less.
func New(size int64) (sched.Cache, error) {
	if size <= 0 {
		return nil, nil
	}
	return newOtter(size)
}

func newOtter(size int64) (*otter.Cache[sched.Key, *sched.Answer], error) {
	return otter.New(&otter.Options[sched.Key, *sched.Answer]{MaximumWeight: uint64(size),
		Weigher: func(k sched.Key, a *sched.Answer) uint32 {
			return uint32(min(bookkeeping+sched.EntryBytes(k, a), math.MaxUint32))
		}})
}
