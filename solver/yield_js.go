package solver

import "runtime"

// yield lets timers run that are due. In a browser a program has one thread, which a search does not give
// up by itself, so that no limit of time would end it.
func yield() { runtime.Gosched() }
