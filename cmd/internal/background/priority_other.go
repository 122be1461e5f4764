//go:build !linux

package background

// lowerPriority does nothing: elsewhere priorities are not those of threads.
func lowerPriority() {}
