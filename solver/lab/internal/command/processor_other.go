//go:build !unix

package command

import "time"

var started = time.Now()

// ProcessorTime returns how long the process has run: more is not known.
func ProcessorTime() time.Duration { return time.Since(started) }
