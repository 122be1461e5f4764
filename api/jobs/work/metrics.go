package work

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/api/jobs"
)

var (
	// From a problem that is answered at once to a day.
	jobBuckets = []float64{.1, 1, 10, 60, 300, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600}
	// From a chunk of short mates to an hour.
	itemBuckets = []float64{.01, .1, 1, 10, 60, 300, 1800, 3600}
	// From a disk that acknowledges at once to one that is overloaded.
	writeBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}
)

// CoordinatorMetrics count what a Coordinator does, as its Observer.
type CoordinatorMetrics struct {
	Unobserved
	finished    *prometheus.CounterVec
	jobSeconds  *prometheus.HistogramVec
	itemSeconds *prometheus.HistogramVec
	stats       atomic.Pointer[func() Stats]

	waiting, dispatched, oldest, workers, slots *prometheus.Desc
}

// NewCoordinatorMetrics registers the metrics of a Coordinator, whose method Stats is handed to
// Watch.
func NewCoordinatorMetrics(reg prometheus.Registerer) (*CoordinatorMetrics, error) {
	c := &CoordinatorMetrics{
		finished: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_jobs_finished_total",
			Help: "Jobs that ended, by kind and the state they ended in."}, []string{"kind", "state"}),
		jobSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "tsumero_job_seconds",
			Help:    "Time from the first item of a job to its end, by kind.",
			Buckets: jobBuckets}, []string{"kind"}),
		itemSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "tsumero_item_seconds",
			Help:    "Time from the dispatch of an item to its result, by memory class in GiB.",
			Buckets: itemBuckets}, []string{"class"}),
		waiting: prometheus.NewDesc("tsumero_items_waiting", "Items of jobs in work that are not "+
			"dispatched yet, by memory class in GiB: what more workers would work on.", []string{"class"}, nil),
		dispatched: prometheus.NewDesc("tsumero_items_out", "Items that are dispatched to "+
			"workers, by memory class in GiB.", []string{"class"}, nil),
		oldest: prometheus.NewDesc("tsumero_oldest_job_seconds", "Age of the oldest job that has not "+
			"ended; 0 for none.", nil, nil),
		workers: prometheus.NewDesc("tsumero_workers", "Workers heard of lately, by the largest memory "+
			"class they take, in GiB.", []string{"class"}, nil),
		slots: prometheus.NewDesc("tsumero_worker_places", "Items that all workers heard of lately can "+
			"work on at once.", nil, nil),
	}
	if err := registerAll(reg, c.finished, c.jobSeconds, c.itemSeconds, c); err != nil {
		return nil, err
	}
	for _, kind := range []jobs.Kind{jobs.Problem, jobs.Analysis, jobs.Collection, jobs.Compose} {
		for _, state := range []jobs.State{jobs.Done, jobs.Failed, jobs.Cancelled} {
			c.finished.WithLabelValues(string(kind), string(state))
		}
		c.jobSeconds.WithLabelValues(string(kind))
	}
	c.itemSeconds.WithLabelValues(classLabel(0))
	return c, nil
}

// Watch sets where Collect gets the gauges from. Before it is called there are none.
func (c *CoordinatorMetrics) Watch(stats func() Stats) { c.stats.Store(&stats) }

// registerAll registers collectors, up to the first error.
func registerAll(reg prometheus.Registerer, collectors ...prometheus.Collector) error {
	for _, c := range collectors {
		if err := reg.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// gauge sends the present value of a gauge.
func gauge(ch chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

// classLabel returns the label of a memory class.
func classLabel(gib int) string { return strconv.Itoa(gib) }

// ItemDone counts an item.
func (c *CoordinatorMetrics) ItemDone(memory int, after time.Duration) {
	c.itemSeconds.WithLabelValues(classLabel(memory)).Observe(after.Seconds())
}

// Finished counts a job.
func (c *CoordinatorMetrics) Finished(kind jobs.Kind, state jobs.State, after time.Duration) {
	c.finished.WithLabelValues(string(kind), string(state)).Inc()
	c.jobSeconds.WithLabelValues(string(kind)).Observe(after.Seconds())
}

// Describe describes the gauges of Stats.
func (c *CoordinatorMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.waiting, c.dispatched, c.oldest, c.workers, c.slots} {
		ch <- d
	}
}

// Collect sends the present numbers.
func (c *CoordinatorMetrics) Collect(ch chan<- prometheus.Metric) {
	stats := c.stats.Load()
	if stats == nil {
		return
	}
	s := (*stats)()
	byClass := func(d *prometheus.Desc, numbers map[int]int) {
		for _, c := range append([]int{0}, jobs.MemoryClasses...) {
			if n, ok := numbers[c]; ok || c == 0 {
				gauge(ch, d, float64(n), classLabel(c))
			}
		}
	}
	byClass(c.waiting, s.Waiting)
	byClass(c.dispatched, s.Dispatched)
	byClass(c.workers, s.Workers)
	gauge(ch, c.oldest, s.Oldest.Seconds())
	gauge(ch, c.slots, float64(s.Slots))
}

// WorkerMetrics count what a Worker does, as its Observer, and its checkpoints.
type WorkerMetrics struct {
	Unobserved
	attempts        *prometheus.CounterVec
	lines           *prometheus.CounterVec
	givenUp         prometheus.Counter
	duplicates      prometheus.Counter
	checkpoints     *prometheus.CounterVec
	checkpointBytes prometheus.Gauge
	checkpointTime  prometheus.Gauge
}

// NewWorkerMetrics registers the metrics of a Worker.
func NewWorkerMetrics(reg prometheus.Registerer) (*WorkerMetrics, error) {
	w := &WorkerMetrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_item_attempts_total",
			Help: "Items that were begun, and whether somebody had begun them before (again)."},
			[]string{"again"}),
		lines: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_job_lines_total",
			Help: "Lines of jobs that were answered, by verdict, faulty being a problem."},
			[]string{"verdict"}),
		givenUp: prometheus.NewCounter(prometheus.CounterOpts{Name: "tsumero_items_given_up_total",
			Help: "Lines of jobs that were given up after three attempts: bugs, or too little memory."}),
		duplicates: prometheus.NewCounter(prometheus.CounterOpts{Name: "tsumero_results_refused_total",
			Help: "Results that were not stored because somebody else had stored one: work done " +
				"twice."}),
		checkpoints: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_checkpoints_total",
			Help: "Checkpoints of long searches: saved, loaded, or failed to be."}, []string{"result"}),
		checkpointBytes: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tsumero_checkpoint_bytes",
			Help: "Size of the last checkpoint."}),
		checkpointTime: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tsumero_checkpoint_timestamp_seconds",
			Help: "When the last checkpoint was saved, in seconds since 1970; 0 for none yet."}),
	}
	err := registerAll(reg, w.attempts, w.lines, w.givenUp, w.duplicates, w.checkpoints,
		w.checkpointBytes, w.checkpointTime)
	if err != nil {
		return nil, err
	}
	for _, again := range []bool{false, true} {
		w.attempts.WithLabelValues(strconv.FormatBool(again))
	}
	for _, verdict := range []string{"mate", "nomate", "unknown", "faulty"} {
		w.lines.WithLabelValues(verdict)
	}
	for _, result := range []string{"saved", "loaded", "failed"} {
		w.checkpoints.WithLabelValues(result)
	}
	return w, nil
}

// Began counts an attempt at an item.
func (w *WorkerMetrics) Began(_ int, again bool) {
	w.attempts.WithLabelValues(strconv.FormatBool(again)).Inc()
}

// Answered counts a line.
func (w *WorkerMetrics) Answered(verdict string) { w.lines.WithLabelValues(verdict).Inc() }

// GaveUp counts a line that was given up.
func (w *WorkerMetrics) GaveUp() { w.givenUp.Inc() }

// Duplicate counts a result that was not stored, since another worker had stored one.
func (w *WorkerMetrics) Duplicate() { w.duplicates.Inc() }

// CheckpointSaved counts a checkpoint and its size.
func (w *WorkerMetrics) CheckpointSaved(bytes int64) {
	w.checkpoints.WithLabelValues("saved").Inc()
	w.checkpointBytes.Set(float64(bytes))
	w.checkpointTime.SetToCurrentTime()
}

// CheckpointLoaded counts a search that continued from a checkpoint.
func (w *WorkerMetrics) CheckpointLoaded() { w.checkpoints.WithLabelValues("loaded").Inc() }

// CheckpointFailed counts a checkpoint that could not be written or read.
func (w *WorkerMetrics) CheckpointFailed() { w.checkpoints.WithLabelValues("failed").Inc() }

// StoreMetrics count the writes of a store, and ask it for its status.
type StoreMetrics struct {
	write   prometheus.Histogram
	missing prometheus.Gauge
	status  atomic.Pointer[func(context.Context) (jobs.Status, error)]

	bytes, limit, free, up, syncAlways, findings *prometheus.Desc
	leader, replicas, current, lag               *prometheus.Desc // of a stream
}

// statusTime is how long the store may take for its status.
const statusTime = 2 * time.Second

// NewStoreMetrics registers the metrics of a store, whose method Status is handed to Watch.
func NewStoreMetrics(reg prometheus.Registerer) (*StoreMetrics, error) {
	s := &StoreMetrics{
		write: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "tsumero_store_write_seconds",
			Help:    "Time until the store of jobs acknowledged a write: that of the disk.",
			Buckets: writeBuckets}),
		missing: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tsumero_store_missing_chunks",
			Help: "Chunks of input and results that should be in the store of jobs and are not."}),
		bytes: prometheus.NewDesc("tsumero_store_bytes", "Bytes in the store of jobs.", nil, nil),
		limit: prometheus.NewDesc("tsumero_store_limit_bytes",
			"Bytes that may be in the store of jobs; 0 for any number.", nil, nil),
		free: prometheus.NewDesc("tsumero_store_free_bytes",
			"Bytes that are free on the disk of the store of jobs; absent if that is not known.", nil, nil),
		up: prometheus.NewDesc("tsumero_store_up",
			"Whether the store of jobs answers: 1 or 0.", nil, nil),
		syncAlways: prometheus.NewDesc("tsumero_store_sync_always",
			"Whether the store of jobs acknowledges a write only once it is on the disk: 1 or 0.", nil, nil),
		findings: prometheus.NewDesc("tsumero_store_findings",
			"Damages that were found in the store of jobs and that nobody has acknowledged.", nil, nil),
	}
	stream := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("tsumero_stream_"+name, help, []string{"stream"}, nil)
	}
	s.leader = stream("leader", "Whether a stream of the store of jobs has a leader: 1 or 0.")
	s.replicas = stream("replicas", "Replicas that a stream of the store of jobs should have.")
	s.current = stream("replicas_current", "Replicas of a stream of the store of jobs that have all of it.")
	s.lag = stream("lag", "Most operations that a replica of a stream of the store of jobs is behind.")
	if err := registerAll(reg, s.write, s.missing, s); err != nil {
		return nil, err
	}
	return s, nil
}

// Watch sets how to ask for the status; before, the store counts as down.
func (s *StoreMetrics) Watch(status func(context.Context) (jobs.Status, error)) {
	s.status.Store(&status)
}

// Wrote counts a write.
func (s *StoreMetrics) Wrote(took time.Duration) { s.write.Observe(took.Seconds()) }

// Missing sets how many chunks are missing.
func (s *StoreMetrics) Missing(chunks int) { s.missing.Set(float64(chunks)) }

// Describe describes the gauges of the status.
func (s *StoreMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.bytes, s.limit, s.free, s.up, s.syncAlways, s.findings,
		s.leader, s.replicas, s.current, s.lag} {
		ch <- d
	}
}

// Collect asks for the status and sends it.
func (s *StoreMetrics) Collect(ch chan<- prometheus.Metric) {
	ask := s.status.Load()
	if ask == nil {
		gauge(ch, s.up, 0)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), statusTime)
	defer cancel()
	status, err := (*ask)(ctx)
	if err != nil {
		gauge(ch, s.up, 0)
		return
	}
	gauge(ch, s.up, 1)
	gauge(ch, s.bytes, float64(status.Bytes))
	gauge(ch, s.limit, float64(status.Limit))
	if status.Free >= 0 {
		gauge(ch, s.free, float64(status.Free))
	}
	always := 0.0
	if status.SyncAlways {
		always = 1
	}
	gauge(ch, s.syncAlways, always)
	gauge(ch, s.findings, float64(status.Findings))
	for _, stream := range status.Streams {
		led := 0.0
		if stream.Led {
			led = 1
			gauge(ch, s.lag, float64(stream.Lag), stream.Name)
		}
		gauge(ch, s.leader, led, stream.Name)
		gauge(ch, s.replicas, float64(status.Replicas), stream.Name)
		gauge(ch, s.current, float64(stream.Current), stream.Name)
	}
}
