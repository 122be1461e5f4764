//go:build race

package dfpn_test

// raceEnabled leaves out long tests of one goroutine, in which the race detector finds nothing.
const raceEnabled = true
