package httpapi

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
)

// newJobs makes what requests about jobs need, and registers their metrics, if there are jobs.
func (s *Server) newJobs() error {
	q := s.config.Jobs
	if q == nil {
		return nil
	}
	classes := q.Classes()
	wanted := map[string]string{queue.Anonymous: "clients without a key"}
	if name := s.config.LocalClass; name != "" {
		wanted[name] = "Config.LocalClass"
	}
	if s.config.APIKeys != nil {
		for _, name := range s.config.APIKeys.Classes() {
			wanted[name] = "Config.APIKeys"
		}
	}
	for name, whose := range wanted {
		if _, ok := classes[name]; !ok {
			return fmt.Errorf("httpapi: Config.Jobs has no class %q, which is that of %s", name, whose)
		}
	}
	s.jobReaders = map[string]*wire.JobReader{}
	for name, class := range classes {
		s.jobReaders[name] = wire.NewJobReader(s.requests.Bounds, class.Time)
	}
	if err := s.metrics.registerJobs(s.config.Registry, q); err != nil {
		return fmt.Errorf("httpapi: Config.Registry: %w", err)
	}
	return nil
}

// jobReader returns the reader with the largest bounds, for the description of the API.
func (s *Server) jobReader() *wire.JobReader {
	classes := queue.DefaultClasses()
	if q := s.config.Jobs; q != nil {
		classes = q.Classes()
	}
	longest := time.Duration(0)
	for _, class := range classes {
		longest = max(longest, class.Time)
	}
	return wire.NewJobReader(s.requests.Bounds, longest)
}

// jobsLimits returns the limits of jobs, nil if there are none.
func (s *Server) jobsLimits() *wire.JobsLimits {
	if s.config.Jobs == nil {
		return nil
	}
	l := &wire.JobsLimits{MaxNodes: wire.MaxJobNodes, Classes: []wire.JobClassLimit{}}
	classes := s.config.Jobs.Classes()
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		c := classes[name]
		l.Classes = append(l.Classes, wire.JobClassLimit{Class: name, Active: c.Active,
			Waiting: c.Waiting, MaxLines: c.Lines, MaxTimeMS: c.Time.Milliseconds(), MaxBytes: c.Bytes,
			KeepS: int64(c.Keep / time.Second)})
	}
	return l
}

// The values of the label reason of tsumero_jobs_refused_total.
const (
	refusedQuota    = "quota"
	refusedFull     = "full"
	refusedStore    = "unavailable"
	refusedMismatch = "mismatch"
	refusedKey      = "key"
)

// jobMetrics are the counters of jobs.
type jobMetrics struct {
	accepted, refused *prometheus.CounterVec // nil: there are no jobs
}

// jobAccepted counts a job that was.
func (m *jobMetrics) jobAccepted(kind jobs.Kind) {
	m.accepted.WithLabelValues(string(kind)).Inc()
}

// jobRefused counts a request about jobs that was.
func (m *jobMetrics) jobRefused(reason string) { m.refused.WithLabelValues(reason).Inc() }

// registerJobs registers the metrics of jobs.
func (m *jobMetrics) registerJobs(reg prometheus.Registerer, q *queue.Queue) error {
	m.accepted = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_jobs_accepted_total",
		Help: "Jobs accepted by this process, by kind."}, []string{"kind"})
	m.refused = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_jobs_refused_total",
		Help: "Requests about jobs refused: for a quota of the client, for want of room in the store, " +
			"because the store does not answer, for an idempotency key of another job, or for an unknown " +
			"API key."}, []string{"reason"})
	for _, kind := range []jobs.Kind{jobs.Problem, jobs.Analysis, jobs.Collection, jobs.Compose} {
		m.accepted.WithLabelValues(string(kind))
	}
	for _, reason := range []string{refusedQuota, refusedFull, refusedStore, refusedMismatch,
		refusedKey} {
		m.refused.WithLabelValues(reason)
	}
	for _, c := range []prometheus.Collector{m.accepted, m.refused, q.Metrics()} {
		if err := reg.Register(c); err != nil {
			return err
		}
	}
	return nil
}
