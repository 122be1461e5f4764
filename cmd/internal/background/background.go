// Package background runs what takes the processor for long so that it does not delay what is short:
// in operating system threads of low priority.
//
// Go itself gives a goroutine that is ready a processor only once one of those that run has had it
// for 10 ms, and has no priorities. The operating system has: it lets a thread of normal priority run
// at once. So there have to be as many processors for Go (GOMAXPROCS) that a goroutine finds one free
// beside all that Run runs: see Reserve.
package background

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// idle are the threads that have nothing to do, a few of which are kept.
var idle = make(chan chan func(), 16)

// Run runs f in a thread of low priority and returns at its end. Goroutines that f starts have the
// normal one. If f panics, Run does, with the stack of f in the text.
func Run(f func()) {
	var thread chan func()
	select {
	case thread = <-idle:
	default:
		thread = make(chan func())
		go serve(thread)
	}
	ended := make(chan any)
	thread <- func() {
		var failed any
		defer func() { ended <- failed }()
		defer func() {
			if v := recover(); v != nil {
				failed = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
		}()
		f()
	}
	if failed := <-ended; failed != nil {
		panic(failed)
	}
}

// serve runs what it gets in a thread of its own, which ends with it.
func serve(thread chan func()) {
	runtime.LockOSThread() // until the end: the priority cannot be raised again
	lowerPriority()
	for f := range thread {
		f()
		select {
		case idle <- thread:
		default:
			return
		}
	}
}

// reserved is how many Go processors there are besides those of the machine or the container.
var (
	mu       sync.Mutex
	reserved int
)

// Processors returns how many processors the machine, the quota of the container or the environment
// allows: runtime.GOMAXPROCS without what is reserved.
func Processors() int {
	mu.Lock()
	defer mu.Unlock()
	return runtime.GOMAXPROCS(0) - reserved
}

// Reserve lets n goroutines in Run run beside as many others as there are processors, until release
// is called. It does nothing where the environment sets GOMAXPROCS, nor where a container has a quota
// of fewer processors than the machine: more threads would use that up early, and all would wait.
func Reserve(n int) (release func()) {
	all := runtime.NumCPU()
	if os.Getenv("GOMAXPROCS") != "" || Processors() < all || quota(os.DirFS("/")) < float64(all) {
		return func() {}
	}
	change := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		reserved += n
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
	}
	change(n)
	return func() { change(-n) }
}
