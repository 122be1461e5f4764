package cli

import (
	"strings"
	"testing"
	"time"
)

// Where there is no terminal a line now and then says how far a long run is, and how long the rest may
// take: what an earlier run has answered took no time.
func TestCountedProgress(t *testing.T) {
	var log strings.Builder
	w := NewCountedProgress(English, &log, 10)
	c := w.counted
	if w.toGo(time.Now()) != "" {
		t.Error("before anything is searched it is known how long it takes")
	}
	w.done(&Question{where: "line 1"})
	w.done(&Question{where: "line 2"})
	if log.Len() > 0 {
		t.Errorf("within a minute it says %q", log.String())
	}
	w.begin()
	w.begin()
	c.since, c.logged = time.Now().Add(-10*time.Minute), time.Now().Add(-2*time.Minute)
	w.done(&Question{where: "line 3", title: "図\n巧\u202e"})
	if log.String() != "3 of 10: 1h10m0s to go, 図 巧\\u202e\n" {
		t.Errorf("it says %q", log.String())
	}
	if got := clip("将棋 ab", 6); got != "将棋 a" {
		t.Errorf("clipped to %q", got)
	}
}
