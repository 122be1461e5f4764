package work

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// WorkerMetrics count what a Worker does, and its checkpoints.
type WorkerMetrics struct {
	attempts        *prometheus.CounterVec
	lines           *prometheus.CounterVec
	givenUp         prometheus.Counter
	checkpoints     *prometheus.CounterVec
	checkpointBytes prometheus.Gauge
	checkpointTime  prometheus.Gauge
}

// NewWorkerMetrics registers the metrics of a Worker.
func NewWorkerMetrics(reg prometheus.Registerer) (*WorkerMetrics, error) {
	w := newWorkerMetrics()
	for _, c := range []prometheus.Collector{w.attempts, w.lines, w.givenUp, w.checkpoints, w.checkpointBytes,
		w.checkpointTime} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func newWorkerMetrics() *WorkerMetrics {
	w := &WorkerMetrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_item_attempts_total",
			Help: "Turns at chunks of jobs that were begun, and whether they had been begun before (again)."},
			[]string{"again"}),
		lines: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_job_lines_total",
			Help: "Lines of jobs that were answered, by verdict, faulty being a problem."},
			[]string{"verdict"}),
		givenUp: prometheus.NewCounter(prometheus.CounterOpts{Name: "tsumero_items_given_up_total",
			Help: "Lines of jobs that were given up after three attempts: bugs, or too little memory."}),
		checkpoints: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_checkpoints_total",
			Help: "Checkpoints of long searches: saved, loaded, or failed to be."}, []string{"result"}),
		checkpointBytes: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tsumero_checkpoint_bytes",
			Help: "Size of the last checkpoint."}),
		checkpointTime: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tsumero_checkpoint_timestamp_seconds",
			Help: "When the last checkpoint was saved, in seconds since 1970; 0 for none yet."}),
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
	return w
}

// attempt counts a turn that was begun.
func (w *WorkerMetrics) attempt(again bool) {
	w.attempts.WithLabelValues(strconv.FormatBool(again)).Inc()
}

// answered counts a line.
func (w *WorkerMetrics) answered(verdict string) { w.lines.WithLabelValues(verdict).Inc() }

// gaveUp counts a line that was given up.
func (w *WorkerMetrics) gaveUp() { w.givenUp.Inc() }

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
