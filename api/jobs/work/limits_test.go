package work

import (
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// The window of a job is two items for each of its share of the places, of the workers that are
// present, do not leave and take its memory class.
func TestLimits(t *testing.T) {
	now := time.Now()
	worker := func(places, memory int) *workerState {
		return &workerState{Heartbeat: jobs.Heartbeat{Slots: places, Memory: memory}, received: now}
	}
	draining, silent, idle := worker(1000, 256), worker(1000, 256), worker(8, 0)
	draining.Draining = true
	silent.received = now.Add(-time.Minute - heartbeatsMissed*jobs.HeartbeatTime)
	for _, w := range []*workerState{draining, silent, idle} {
		w.free = w.received.Add(-time.Minute)
	}
	c := Coordinator{o: CoordinatorOptions{Now: time.Now},
		workers: map[string]*workerState{
			"large": worker(4, 64), "draining": draining, "silent": silent, "idle": idle},
		lastAcquired: map[int]time.Time{0: now, 64: now.Add(-time.Hour)},
	}
	for _, test := range []struct {
		name    string
		job     jobs.Job
		running int
		want    limits
	}{
		{"any worker", jobs.Job{}, 1, limits{24, true, now}},
		{"a share of two", jobs.Job{}, 2, limits{12, true, now}},
		{"nobody runs yet", jobs.Job{}, 0, limits{24, true, now}},
		{"the large worker", jobs.Job{Memory: 64}, 1, limits{8, false, now.Add(-time.Hour)}},
		{"a smaller class than the worker's", jobs.Job{Memory: 16}, 1, limits{8, false, time.Time{}}},
		{"no worker", jobs.Job{Memory: 256}, 1, limits{2, false, time.Time{}}},
		{"a low priority", jobs.Job{Priority: -1}, 1, limits{1, true, now}},
		{"a high priority", jobs.Job{Priority: 9}, 1, limits{24, true, now}},
	} {
		c.runningCount = test.running
		if got := c.limits(&test.job); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	idle.free = idle.received // between two items, or it has come just now
	if c.limits(&jobs.Job{}).idle {
		t.Error("a worker that has acquired nothing for no time is idle")
	}
	if s := c.Stats(); s.Slots != 12 || len(s.Workers) != 2 || s.Workers[0] != 1 || s.Workers[64] != 1 {
		t.Errorf("present are %v with %d places", s.Workers, s.Slots)
	}
}
