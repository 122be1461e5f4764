//go:build !js

package main

import (
	"runtime/debug"

	"github.com/tsumero/tsumero/cmd/internal/memory"
)

// tableBytes is the size of the table at first: what is usual.
const tableBytes = 0

// maxTableBytes returns the size of the largest table.
func maxTableBytes() int64 { return memory.ForEngine(memory.Machine()) }

// warmUp does nothing: a compiled program is ready.
func warmUp() {}

// freeMemory returns memory to the system that is not in use any more.
func freeMemory() { debug.FreeOSMemory() }
