//go:build !js

package solver

// Yield does nothing: where there are threads, everything else runs beside a search. In a browser it
// lets timers run and messages of the page come. StopReason calls it; a search that does not ask that
// one calls it where it asks whether to stop.
func Yield() {}
