//go:build !unix

package main

import (
	"math"
	"time"
)

// openFiles returns how many files the process may have open at once: any number, as far as is
// known.
func openFiles() uint64 { return math.MaxUint64 }

var started = time.Now()

// processorTime returns how long the process has run: more is not known.
func processorTime() time.Duration { return time.Since(started) }
