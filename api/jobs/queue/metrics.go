package queue

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/api/jobs"
)

// A collector has the metrics of a queue: what every process at the same database says alike, and
// what this process has seen of its damages.
type collector struct{ q *Queue }

// Metrics returns the metrics of the queue.
func (q *Queue) Metrics() prometheus.Collector { return &collector{q} }

// What a collector collects.
var (
	descJobs = newDesc("tsumero_jobs", "Jobs by state, those that ended until they are forgotten.", "state")
	descWait = newDesc("tsumero_items_waiting", "Chunks of jobs that are not answered yet, by memory class in GiB: "+
		"what more workers would work on.", "class")
	descLines   = newDesc("tsumero_job_lines_waiting", "Lines of jobs that are not answered yet.")
	descOldest  = newDesc("tsumero_oldest_job_seconds", "Age of the oldest job that has not ended; 0 for none.")
	descIdle    = newDesc("tsumero_last_answer_seconds", "Time since a chunk was answered, while some wait; 0 if none does.")
	descWorkers = newDesc("tsumero_workers", "Workers heard of lately, by the largest memory class they take, in GiB.",
		"class")
	descSlots     = newDesc("tsumero_worker_slots", "Chunks that all workers heard of lately can work on at once.")
	descBusy      = newDesc("tsumero_worker_busy", "Slots of all workers heard of lately that are taken.")
	descUp        = newDesc("tsumero_store_up", "Whether the database of jobs answers: 1 or 0.")
	descBytes     = newDesc("tsumero_store_bytes", "Bytes in the database of jobs.")
	descLimit     = newDesc("tsumero_store_limit_bytes", "Bytes that may be in the database of jobs; 0 for any number.")
	descFree      = newDesc("tsumero_store_free_bytes", "Bytes that are free on the disk of jobs; absent if not known.")
	descFull      = newDesc("tsumero_store_full", "Whether not even answers are taken, for want of room: 1 or 0.")
	descDamaged   = newCounter("tsumero_store_damaged_total", "Answers and questions of jobs whose checksum was wrong.")
	descDiscarded = newCounter("tsumero_items_discarded_total",
		"Answers to chunks that were found in vain: somebody else had stored them, or the job had ended.")
)

func newDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

func newCounter(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Describe describes the metrics.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descJobs, descWait, descLines, descOldest, descIdle, descWorkers, descSlots,
		descBusy, descUp, descBytes, descLimit, descFree, descFull, descDamaged, descDiscarded} {
		ch <- d
	}
}

// Collect sends the present numbers.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	ctx := context.Background()
	counter := func(d *prometheus.Desc, v uint64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v))
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter(descDamaged, c.q.Damaged())
	counter(descDiscarded, c.q.Discarded())
	s, err := c.q.Stats(ctx)
	room, err2 := c.q.Room(ctx)
	if err != nil || err2 != nil {
		gauge(descUp, 0)
		return
	}
	gauge(descUp, 1)
	for _, state := range []jobs.State{jobs.Receiving, jobs.Queued, jobs.Running, jobs.Done, jobs.Failed, jobs.Cancelled} {
		gauge(descJobs, float64(s.Jobs[state]), string(state))
	}
	byClass := func(d *prometheus.Desc, numbers map[int]int) {
		for _, class := range append([]int{0}, jobs.MemoryClasses...) {
			if n, ok := numbers[class]; ok || class == 0 {
				gauge(d, float64(n), strconv.Itoa(class))
			}
		}
	}
	byClass(descWait, s.Waiting)
	byClass(descWorkers, s.Workers)
	gauge(descLines, float64(s.Lines))
	gauge(descOldest, s.Oldest.Seconds())
	gauge(descIdle, s.Idle.Seconds())
	gauge(descSlots, float64(s.Slots))
	gauge(descBusy, float64(s.Busy))
	gauge(descBytes, float64(room.Bytes))
	gauge(descLimit, float64(room.Limit))
	if room.Free >= 0 {
		gauge(descFree, float64(room.Free))
	}
	full := 0.0
	if room.Full {
		full = 1
	}
	gauge(descFull, full)
}
