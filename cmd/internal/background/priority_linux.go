package background

import "syscall"

// niceness is that of the threads: they get a tenth of a processor that others want, and all of one
// that nobody wants.
const niceness = 10

// lowerPriority lowers the priority of the calling thread. Where that is not allowed it stays.
func lowerPriority() {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) // 0 is the calling thread
}
