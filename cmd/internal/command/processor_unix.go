//go:build unix

package command

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime returns how much processor time the process has had.
func ProcessorTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
