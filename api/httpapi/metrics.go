package httpapi

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/solver"
)

// metrics are all metrics of the service. The names are an interface: dashboards and alerts use
// them.
type metrics struct {
	requests        *prometheus.CounterVec
	requestSeconds  *prometheus.HistogramVec
	inFlight        prometheus.Gauge
	panics          prometheus.Counter
	refused         *prometheus.CounterVec
	solves          *prometheus.CounterVec
	moves           *prometheus.CounterVec
	analyses        *prometheus.CounterVec
	playAnswers     *prometheus.CounterVec
	playSeconds     *prometheus.HistogramVec
	playNodes       *prometheus.CounterVec
	cache           *prometheus.CounterVec
	searchSeconds   *prometheus.HistogramVec
	nodes           *prometheus.CounterVec
	searching       *prometheus.GaugeVec
	queued          *prometheus.GaugeVec
	queueSeconds    *prometheus.HistogramVec
	tableFill       prometheus.Histogram
	collections     prometheus.Counter
	phaseSeconds    *prometheus.CounterVec
	batches         prometheus.Gauge
	batchLines      *prometheus.CounterVec
	unverifiedMates *prometheus.CounterVec

	connections          prometheus.Gauge
	connectionsLimit     prometheus.Gauge
	connectionsRefused   *prometheus.CounterVec
	connectionsReclaimed prometheus.Counter
	forwardedFaulty      prometheus.Counter

	jobMetrics

	// The counters of every question, looked up once.
	hit, miss, joined prometheus.Counter
	answered, faulty  prometheus.Counter // lines of batches

	// What else is counted for every question, looked up once for each set of labels.
	requestsBy series[requestLabels, *requestSeries]
	solvesBy   series[solveLabels, prometheus.Counter]
	nodesBy    series[string, prometheus.Counter]
}

// A series finds what belongs to a set of labels faster than a prometheus.MetricVec does. There must
// be few such sets.
type series[L comparable, M any] struct {
	make func(L) M

	known atomic.Pointer[map[L]M] // it does not change, but is replaced
	mu    sync.Mutex              // of those who replace it
}

func (s *series[L, M]) with(labels L) M {
	if known := s.known.Load(); known != nil {
		if m, ok := (*known)[labels]; ok {
			return m
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	more := map[L]M{}
	if known := s.known.Load(); known != nil {
		maps.Copy(more, *known)
	}
	m, ok := more[labels]
	if !ok {
		m = s.make(labels)
		more[labels] = m
		s.known.Store(&more)
	}
	return m
}

// requestLabels are the labels of requests, with "other" for the methods that are unknown.
type requestLabels struct {
	route, method string
	status        int
}

// requestSeries are the metrics of requests that have these labels in common, and their log.
type requestSeries struct {
	method  string
	count   prometheus.Counter
	seconds prometheus.Observer
	log     slog.Handler
}

// solveLabels are the labels of answers.
type solveLabels struct{ verdict, reason, solver string }

// Latencies from a cached answer over loopback to the longest search; searches from a mate in one
// to the longest.
var (
	requestBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1,
		2.5, 5, 10, 30}
	searchBuckets = []float64{.000005, .00001, .000025, .00005, .0001, .00025, .0005, .001, .0025, .01,
		.025, .1, .25, 1, 2.5, 10, 30, 60}
	fillBuckets = []float64{.01, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}
)

// newMetrics registers the metrics, those of play for the levels that there are. log returns what
// logs requests, see requestSeries.
func newMetrics(c Config,
	log func(method, route string, status int) slog.Handler) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_http_requests_total",
			Help: "Requests by route pattern, method and status code; 499 is a client that did not " +
				"wait."}, []string{"route", "method", "code"}),
		requestSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tsumero_http_request_duration_seconds",
			Help:    "Time from the header of a request to the end of its answer.",
			Buckets: requestBuckets}, []string{"route", "method"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tsumero_http_requests_in_flight",
			Help: "Requests that are being answered now."}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{Name: "tsumero_panics_total",
			Help: "Panics that ended a request, or a line of a batch, with an internal error: bugs."}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_refused_total",
			Help: "Questions turned away: by the rate limit, for want of a slot for a search, for an " +
				"analysis, for play, for a picture, or for a batch."}, []string{"reason"}),
		solves: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_solves_total",
			Help: "Questions answered, from the cache too, by verdict, reason of an unknown, and " +
				"deciding solver."}, []string{"verdict", "reason", "solver"}),
		moves: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_moves_total",
			Help: "Questions about every move of a position answered, from the cache too, by verdict " +
				"of the position and reason of an unknown move."}, []string{"verdict", "reason"}),
		analyses: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_analyses_total",
			Help: "Reports on problems, from the cache too, by verdict, whether the problem is sound, " +
				"and reason why something is not decided."}, []string{"verdict", "sound", "reason"}),
		playAnswers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tsumero_play_answers_total",
			Help: "Questions for a move in a game answered, from the cache too, by level, and how the " +
				"game has ended, empty if it goes on."}, []string{"level", "outcome"}),
		playSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tsumero_play_search_duration_seconds",
			Help:    "Time a search for a move took, without waiting for it to begin, by level.",
			Buckets: searchBuckets}, []string{"level"}),
		playNodes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_play_nodes_total",
			Help: "Positions that searches for a move looked at, by level."}, []string{"level"}),
		cache: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_cache_requests_total",
			Help: "Questions, also those that one about moves consists of, by what answered them: " +
				"the cache (hit), the search of an equal question (joined), or one of their own " +
				"(miss)."}, []string{"result"}),
		searchSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tsumero_search_duration_seconds",
			Help: "Time a search took, without waiting for it to begin, by pool: quick, long, or " +
				"analysis for all searches of one analysis.",
			Buckets: searchBuckets}, []string{"pool", "verdict"}),
		nodes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_search_nodes_total",
			Help: "Positions that searches looked at, by solver that decided or looked deepest."},
			[]string{"solver"}),
		searching: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "tsumero_searches_in_flight",
			Help: "Searches that run now, by pool."}, []string{"pool"}),
		queued: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "tsumero_searches_queued",
			Help: "Searches that wait to begin now, by pool."}, []string{"pool"}),
		queueSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tsumero_search_queue_wait_seconds",
			Help: "Time a search waited to begin, by pool.", Buckets: requestBuckets}, []string{"pool"}),
		tableFill: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "tsumero_search_table_fill_ratio",
			Help: "How full the table of a long search was at its end, 0 to 1.", Buckets: fillBuckets}),
		collections: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tsumero_search_collections_total",
			Help: "How often the table of a long search was full and was cleared out."}),
		phaseSeconds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tsumero_search_phase_seconds_total",
			Help: "Time that long searches spent in each phase."}, []string{"phase"}),
		batches: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tsumero_batches_in_flight",
			Help: "Batches that run now."}),
		batchLines: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tsumero_batch_lines_total",
			Help: "Lines of batches, by what they got: an answer or a problem."}, []string{"outcome"}),
		unverifiedMates: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tsumero_unverified_mates_total",
			Help: "Mates a solver found that failed their verification and were not answered: bugs."},
			[]string{"solver"}),
		connections: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tsumero_http_connections",
			Help: "Connections of clients that are open now."}),
		connectionsLimit: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tsumero_http_connections_limit",
			Help: "How many connections may be open; 0 for any number."}),
		connectionsRefused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tsumero_http_connections_refused_total",
			Help: "Connections closed at once, because as many as may be were open and busy: of " +
				"all clients (total), or of that address (client)."}, []string{"reason"}),
		connectionsReclaimed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tsumero_http_connections_reclaimed_total",
			Help: "Idle connections closed to make room for new ones."}),
		forwardedFaulty: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tsumero_forwarded_for_faulty_total",
			Help: "Requests of trusted proxies whose X-Forwarded-For does not say who asks: all " +
				"of them share one rate limit."}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "tsumero_build_info",
		Help: "Always 1; the labels say which program this is.", ConstLabels: prometheus.Labels{
			"version": c.Version, "revision": c.Revision, "goversion": runtime.Version()}})
	info.Set(1)
	for _, collector := range []prometheus.Collector{m.requests, m.requestSeconds, m.inFlight,
		m.panics, m.refused, m.solves, m.moves, m.analyses, m.playAnswers,
		m.playSeconds, m.playNodes, m.cache,
		m.searchSeconds, m.nodes, m.searching, m.queued, m.queueSeconds,
		m.tableFill, m.collections, m.phaseSeconds, m.batches, m.batchLines, m.unverifiedMates,
		m.connections, m.connectionsLimit, m.connectionsRefused, m.connectionsReclaimed,
		m.forwardedFaulty, info} {
		if err := c.Registry.Register(collector); err != nil {
			return nil, err
		}
	}
	// A series that begins with its first event has no increase then.
	for _, reason := range []string{refusedRate, refusedSearch, refusedLong, refusedAnalysis,
		refusedPlay, refusedPicture, refusedBatch} {
		m.refused.WithLabelValues(reason)
	}
	for _, reason := range []string{refusedTotal, refusedClient} {
		m.connectionsRefused.WithLabelValues(reason)
	}
	for _, level := range c.Levels {
		m.playAnswers.WithLabelValues(level, "")
		m.playSeconds.WithLabelValues(level)
		m.playNodes.WithLabelValues(level)
	}
	m.hit, m.miss = m.cache.WithLabelValues("hit"), m.cache.WithLabelValues("miss")
	m.joined = m.cache.WithLabelValues("joined")
	for phase := range solver.NumPhases {
		m.phaseSeconds.WithLabelValues(phase.String())
	}
	m.requestsBy.make = func(l requestLabels) *requestSeries {
		return &requestSeries{l.method, m.requests.WithLabelValues(l.route, l.method, code(l.status)),
			m.requestSeconds.WithLabelValues(l.route, l.method), log(l.method, l.route, l.status)}
	}
	m.solvesBy.make = func(l solveLabels) prometheus.Counter {
		return m.solves.WithLabelValues(l.verdict, l.reason, l.solver)
	}
	m.nodesBy.make = func(solver string) prometheus.Counter { return m.nodes.WithLabelValues(solver) }
	m.answered = m.batchLines.WithLabelValues("answer")
	m.faulty = m.batchLines.WithLabelValues("problem")
	return m, nil
}

// registerLogDrops registers the counts of dropped log lines, which count returns by reason.
func registerLogDrops(reg prometheus.Registerer, count func() (full, failed uint64)) error {
	drops := func(reason string, count func() uint64) error {
		return reg.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tsumero_log_lines_dropped_total",
			Help: "Lines of the log that were dropped: its reader is too slow (full) or " +
				"gone (failed).",
			ConstLabels: prometheus.Labels{"reason": reason},
		}, func() float64 { return float64(count()) }))
	}
	return errors.Join(
		drops("full", func() uint64 { n, _ := count(); return n }),
		drops("failed", func() uint64 { _, n := count(); return n }))
}

// The values of the label reason of tsumero_refused_total.
const (
	refusedRate   = "rate"
	refusedSearch = "search"
	refusedLong   = "long_search"
	refusedBatch  = "batch"

	refusedAnalysis = "analysis"
	refusedPlay     = "play"
	refusedPicture  = "picture"
)

// The values of the label reason of tsumero_http_connections_refused_total.
const (
	refusedTotal  = "total"
	refusedClient = "client"
)

// solved counts an answer to a question about a position.
func (m *metrics) solved(r *solver.Result) {
	m.solvesBy.with(solveLabels{r.Verdict.String(), string(r.Reason), r.Solver}).Inc()
}

// requestSeries returns the metrics of a request. A client can send any method, so that unknown
// ones share a label.
func (m *metrics) requestSeries(route, method string, status int) *requestSeries {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions,
		http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		method = "other"
	}
	return m.requestsBy.with(requestLabels{route, method, status})
}

func code(status int) string {
	if status == http.StatusOK {
		return "200"
	}
	return strconv.Itoa(status)
}
