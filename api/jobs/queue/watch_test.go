package queue

import (
	"testing"

	"github.com/tsumero/tsumero/api/jobs"
)

// A change wakes all who wait for the job, once, and hardly anybody else.
func TestWatchers(t *testing.T) {
	var w watchers
	isClosed := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	id := jobs.NewID()
	first, second := w.of(id), w.of(id)
	others := map[jobs.ID]<-chan struct{}{}
	for range 100 {
		id := jobs.NewID()
		others[id] = w.of(id)
	}
	w.wake([]jobs.ID{id, jobs.NewID()})
	if !isClosed(first) || !isClosed(second) || isClosed(w.of(id)) {
		t.Error("who waits is not woken once")
	}
	woken := 0
	for _, c := range others {
		if isClosed(c) {
			woken++
		}
	}
	if woken > 20 {
		t.Errorf("%d of 100 others are woken", woken)
	}
}
