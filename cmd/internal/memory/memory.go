// Package memory knows how much memory the programs may use, that of the machine or of the
// container (cgroup) that they are in, and decides how they share it.
//
// Of the memory of a container, 9/10 are for what Go manages, but at least 16 MiB are left. That is
// what GOMEMLIMIT is set to. Of the memory that is available, which is that of the machine, of the
// container, or GOMEMLIMIT, whichever is least:
//
//	for             share                  at least  at most               flag
//	searches        1/4, and 64 MiB, but   24 MiB    4 GiB                 --memory
//	                no more than 3/8
//	cached answers  1/8                    4 MiB     64 MiB                --cache
//	connections     1/8, at 40 KiB each    1         10,000                --connections
//	batches         16 MiB for each        1         4 for each processor  --batches
//	analyses        1/4, at 54 MiB each    0         1 for 2 processors    --analyses
//	play            1/8, at 32 MiB each    0         1 for 2 processors    --plays
//
// The last five are for serve alone. The rest is for requests and the program itself.
//
// A service or a worker takes what is in use of its shares, 64 MiB or a tenth of it for garbage,
// whichever is more, and up to 96 MiB for the program and requests: see LimitGarbage.
//
// With jobs, an eighth of the share of the searches is for the store, 48 MiB at least and 1 GiB at
// most: for the buffers of its engine, and for what is kept of each job, in indexes of the engine
// and of the service. What does not fit is not accepted. The lines that wait are on the disk.
//
// A search takes the memory for its table, an eighth of which it keeps for the proof of a mate, and
// 6 MiB besides: BesidesTable is the place to change when a search keeps anything else. The share
// of the searches is divided like this:
//
//	search                  table
//	short, of serve         4 MiB; all short searches together take half of the share at most
//	long, of serve          what the others leave, divided equally: 8 MiB at least, and 16 MiB
//	                        where there is more than one    (--long table)
//	of tsumero solve        an equal part, 1 MiB at least; what is given with --memory is for
//	                        tables alone
//
// With jobs, half of what their store leaves is for those, 24 MiB at least. Each of their slots has
// the table of a short search. What is left is divided equally among the tables of long searches: one
// for each slot, and up to three more, as long as all have 32 MiB, for searches that wait for their
// next turn.
//
// The analyze command has half of the memory for its analyses, at 54 MiB each.
//
// The table of tsumero-usi is 3/4 of the machine's memory at most, and 16 MiB less than what Go may
// use: the GUI runs on the same machine.
package memory

import (
	"math"
	"runtime/debug"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// fromCgroup returns the limit of the container, which is read once.
var fromCgroup = sync.OnceValues(memlimit.FromCgroup)

// Unlimited is an amount that no limit was found for.
const Unlimited = math.MaxInt64

// Machine returns the memory of the machine or the container in bytes, whichever is less, or
// Unlimited.
func Machine() int64 { return least(fromCgroup, memlimit.FromSystem) }

// Available returns the same, but no more than GOMEMLIMIT if there is one.
func Available() int64 { return least(fromCgroup, memlimit.FromSystem, goLimit) }

// least returns the least of the limits. Those that are none fail.
func least(limits ...memlimit.Provider) int64 {
	n := uint64(Unlimited)
	for _, limit := range limits {
		if m, err := limit(); err == nil {
			n = min(n, m)
		}
	}
	return int64(n)
}

// goLimit returns GOMEMLIMIT.
func goLimit() (uint64, error) {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return 0, memlimit.ErrNoLimit
	}
	return uint64(limit), nil
}

// minReserve is the least that ForGo leaves: for the program's text, which has to stay in memory to
// be run, and for what the kernel keeps for connections.
const minReserve = 16 << 20

// ForGo returns how much of a container's memory is for what Go manages: heap, with the tables of
// the searches, and stacks.
func ForGo(container int64) int64 { return container - max(container/10, minReserve) }

// LimitGo sets GOMEMLIMIT to what the container has for Go, so that garbage is collected before the
// kernel kills the process for it. It does nothing where there is no container with a limit, or
// where the environment sets GOMEMLIMIT, or AUTOMEMLIMIT to "off".
func LimitGo() {
	container := func() (uint64, error) {
		n, err := fromCgroup()
		if err != nil || n > math.MaxInt64 {
			return 0, memlimit.ErrNoLimit // also where there are no cgroups
		}
		return uint64(max(ForGo(int64(n)), 1)), nil
	}
	// It can fail only for a wrong AUTOMEMLIMIT, and then there is no limit.
	_, _ = memlimit.Set(memlimit.WithRatio(1), memlimit.WithProvider(container))
}
