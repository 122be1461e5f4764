//go:build unix

package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// openFiles returns how many files the process may have open at once. The runtime of Go has raised
// that to the most that it may be.
func openFiles() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur)
}
