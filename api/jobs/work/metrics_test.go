package work_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/work"
)

var (
	_ work.Observer = (*work.CoordinatorMetrics)(nil)
	_ work.Observer = (*work.WorkerMetrics)(nil)
)

func compare(t *testing.T, reg *prometheus.Registry, want string, names ...string) {
	t.Helper()
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

func TestCoordinatorMetrics(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	c, err := work.NewCoordinatorMetrics(reg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reg.Gather(); err != nil {
		t.Error(err)
	}
	c.Watch(func() work.Stats {
		return work.Stats{Waiting: map[int]int{0: 7, 16: 2}, Dispatched: map[int]int{0: 3},
			Oldest: 90 * time.Second, Workers: map[int]int{0: 4, 16: 1}, Slots: 9}
	})
	c.Finished(jobs.Collection, jobs.Done, 20*time.Second)
	c.ItemDone(16, time.Second)
	compare(t, reg, `# HELP tsumero_items_waiting Items of jobs in work that are not dispatched yet, by memory class in GiB: what more workers would work on.
# TYPE tsumero_items_waiting gauge
tsumero_items_waiting{class="0"} 7
tsumero_items_waiting{class="16"} 2
# HELP tsumero_oldest_job_seconds Age of the oldest job that has not ended; 0 for none.
# TYPE tsumero_oldest_job_seconds gauge
tsumero_oldest_job_seconds 90
# HELP tsumero_worker_places Items that all workers heard of lately can work on at once.
# TYPE tsumero_worker_places gauge
tsumero_worker_places 9
# HELP tsumero_workers Workers heard of lately, by the largest memory class they take, in GiB.
# TYPE tsumero_workers gauge
tsumero_workers{class="0"} 4
tsumero_workers{class="16"} 1
`, "tsumero_items_waiting", "tsumero_workers", "tsumero_worker_places", "tsumero_oldest_job_seconds")
	if n := testutil.CollectAndCount(c, "tsumero_items_out"); n != 1 {
		t.Errorf("%d series of items out", n)
	}
}

func TestWorkerMetrics(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	w, err := work.NewWorkerMetrics(reg)
	if err != nil {
		t.Fatal(err)
	}
	w.Began(0, false)
	w.Began(4, true)
	w.Began(0, false)
	w.GaveUp()
	w.CheckpointSaved(4096)
	compare(t, reg, `# HELP tsumero_item_attempts_total Items that were begun, and whether somebody had begun them before (again).
# TYPE tsumero_item_attempts_total counter
tsumero_item_attempts_total{again="false"} 2
tsumero_item_attempts_total{again="true"} 1
# HELP tsumero_items_given_up_total Lines of jobs that were given up after three attempts: bugs, or too little memory.
# TYPE tsumero_items_given_up_total counter
tsumero_items_given_up_total 1
# HELP tsumero_checkpoint_bytes Size of the last checkpoint.
# TYPE tsumero_checkpoint_bytes gauge
tsumero_checkpoint_bytes 4096
`, "tsumero_item_attempts_total", "tsumero_items_given_up_total", "tsumero_checkpoint_bytes")
}

func TestStoreMetrics(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	s, err := work.NewStoreMetrics(reg)
	if err != nil {
		t.Fatal(err)
	}
	const up = "# HELP tsumero_store_up Whether the store of jobs answers: 1 or 0.\n# TYPE tsumero_store_up gauge\n"
	compare(t, reg, up+"tsumero_store_up 0\n", "tsumero_store_up")
	var failure error
	status := jobs.Status{Bytes: 5, Limit: 9, Free: -1, SyncAlways: true, Findings: 2}
	s.Watch(func(context.Context) (jobs.Status, error) { return status, failure })
	compare(t, reg, up+`tsumero_store_up 1
# HELP tsumero_store_bytes Bytes in the store of jobs.
# TYPE tsumero_store_bytes gauge
tsumero_store_bytes 5
# HELP tsumero_store_findings Damages that were found in the store of jobs and that nobody has acknowledged.
# TYPE tsumero_store_findings gauge
tsumero_store_findings 2
# HELP tsumero_store_sync_always Whether the store of jobs acknowledges a write only once it is on the disk: 1 or 0.
# TYPE tsumero_store_sync_always gauge
tsumero_store_sync_always 1
`, "tsumero_store_up", "tsumero_store_bytes", "tsumero_store_sync_always", "tsumero_store_free_bytes",
		"tsumero_store_findings")
	status.Replicas = 3
	status.Streams = []jobs.StreamStatus{{Name: "IN", Led: true, Current: 2, Lag: 7}, {Name: "OUT"}}
	compare(t, reg, `# HELP tsumero_stream_lag Most operations that a replica of a stream of the store of jobs is behind.
# TYPE tsumero_stream_lag gauge
tsumero_stream_lag{stream="IN"} 7
# HELP tsumero_stream_leader Whether a stream of the store of jobs has a leader: 1 or 0.
# TYPE tsumero_stream_leader gauge
tsumero_stream_leader{stream="IN"} 1
tsumero_stream_leader{stream="OUT"} 0
# HELP tsumero_stream_replicas Replicas that a stream of the store of jobs should have.
# TYPE tsumero_stream_replicas gauge
tsumero_stream_replicas{stream="IN"} 3
tsumero_stream_replicas{stream="OUT"} 3
# HELP tsumero_stream_replicas_current Replicas of a stream of the store of jobs that have all of it.
# TYPE tsumero_stream_replicas_current gauge
tsumero_stream_replicas_current{stream="IN"} 2
tsumero_stream_replicas_current{stream="OUT"} 0
`, "tsumero_stream_lag", "tsumero_stream_leader", "tsumero_stream_replicas", "tsumero_stream_replicas_current")
	failure = errors.New("no quorum")
	compare(t, reg, up+"tsumero_store_up 0\n", "tsumero_store_up", "tsumero_store_bytes")
}
