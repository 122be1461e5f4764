//go:build race

package httpapi

// raceEnabled makes long tests shorter: the race detector costs ten times the time.
const raceEnabled = true
