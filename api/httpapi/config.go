package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/play"
)

// Config is what a Server is made of. Only Solver must be set: every other zero value means the
// default named here.
type Config struct {
	// Solver answers the questions. It is called from many goroutines.
	Solver solver.Solver
	// Quick is asked before Solver, with no more than QuickNodes, and what it answers within them
	// stands: so that short questions never wait for long ones. Default: none, and every search is
	// a long one.
	Quick solver.Solver
	// QuickNodes are a few milliseconds of work. Default: 20,000.
	QuickNodes uint64
	// Background runs a function that takes a processor for long, and returns at its end: see
	// sched.Config. Default: it is just called.
	Background func(f func())
	// Web answers what the API has no route for, but what lies under /v1/: pages. Default: none,
	// there is nothing.
	Web http.Handler
	// Diagrams answers GET and HEAD of /v1/diagram.svg, .png and .gif, within the rate limit. It should
	// draw by Server.Draw. Default: none.
	Diagrams http.Handler
	// Known are the lists that POST /v1/similar compares problems with. Default: none.
	Known []KnownProblems
	// Logger gets one line per request, health probes at debug level, and what goes wrong here.
	// Default: none.
	Logger *slog.Logger
	// LogLinesDropped returns how many lines of the log were dropped so far, because too many
	// waited to be written and because they could not be written. It is for the metrics. Default:
	// none ever is.
	LogLinesDropped func() (full, failed uint64)
	// Registry gets the metrics, and the admin handler shows it. Default: a new one with those of
	// Go and the process.
	Registry *prometheus.Registry
	// Version is what the build-info metric and the API description name. Default: "dev".
	Version string
	// Revision is the commit that the build-info metric names. Default: "unknown".
	Revision string

	// MaxPlies is the largest limits.plies a client may ask for. Default: 9999.
	MaxPlies int
	// MaxNodes is the largest limits.nodes a client may ask for, and holds for those who name none.
	// Default: 100,000,000.
	MaxNodes uint64
	// MaxTime is the largest limits.time_ms a client may ask for. Default: 10 s.
	MaxTime time.Duration
	// DefaultTime holds for questions without limits.time_ms. Default: 2 s, or MaxTime if that is
	// less.
	DefaultTime time.Duration

	// MaxBodyBytes is the largest body of a POST and the largest line of a batch. Default: 64 KiB.
	MaxBodyBytes int
	// MaxSearches is how many searches with Quick run at once. Default: GOMAXPROCS.
	MaxSearches int
	// MaxQueue is how many single questions may wait for such a search to begin, for the memory that
	// they take; more get a 503. Negative: none. Default: 1,024 times MaxSearches.
	MaxQueue int
	// QueueWait is how long a single question waits for that before it gets a 503. It gets one at once
	// where those that wait already need half of it, by the time that searches took lately.
	// Default: 2 s.
	QueueWait time.Duration
	// LongSearches, LongQueue and LongWait are the same for searches with Solver. Defaults:
	// GOMAXPROCS less one, at least 1, so that short searches have a processor; 1,024 times
	// LongSearches; twice MaxTime, so that a client whose turn is the next but one still gets it.
	LongSearches int
	LongQueue    int
	LongWait     time.Duration
	// Sessions makes the sessions of analyses, which are reports on problems and lengths under
	// policies. One lasts as long as the service, for as many as run at once. Default: none, and
	// analyses are not offered.
	Sessions func() solver.Session
	// MaxAnalyses, AnalysisQueue and AnalysisWait are the same as MaxSearches, MaxQueue and
	// QueueWait for analyses. Defaults: half of GOMAXPROCS, at least 1; 1,024 times MaxAnalyses; twice
	// MaxAnalysisTime.
	MaxAnalyses   int
	AnalysisQueue int
	AnalysisWait  time.Duration
	// MaxAnalysisNodes is the largest limits.nodes of an analysis. Default: 50,000,000.
	MaxAnalysisNodes uint64
	// MaxAnalysisTime is the largest limits.time_ms of an analysis. Default: 1 min.
	MaxAnalysisTime time.Duration
	// DefaultAnalysisTime holds for analyses without limits.time_ms. Default: 20 s, or
	// MaxAnalysisTime if that is less.
	DefaultAnalysisTime time.Duration

	// NewEngine makes what plays at a level, which is one of Levels, in one goroutine. Its choice may
	// depend on seed. After NewGame it must be as a new one; as many are kept as run at once.
	// Default: none, and POST /v1/play is not offered.
	NewEngine func(level string, seed uint64) (play.Engine, error)
	// Levels are the names of the levels, in the order in which they are offered.
	Levels []string
	// MaxPlays, PlayQueue and PlayWait are the same as MaxSearches, MaxQueue and QueueWait for searches
	// for a move. Defaults: half of GOMAXPROCS, at least 1; 1,024 times MaxPlays; 10 s.
	MaxPlays  int
	PlayQueue int
	PlayWait  time.Duration
	// MaxPlayNodes is the largest limits.nodes of a search for a move. Default: 1,000,000.
	MaxPlayNodes uint64

	// Jobs accepts jobs and reports their state. The caller has to run it. Default: none, and the
	// service takes no jobs.
	Jobs *queue.Queue
	// APIKeys are the keys of clients that have more than those without. Default: none.
	APIKeys *queue.Keys
	// LocalClass is the class of clients on the same machine that have no key and ask for localhost,
	// but not of proxies there that say so in header fields, and not of pages of other sites in a
	// browser. Default: queue.Anonymous, as of all others.
	LocalClass string

	// MaxBatches is how many batches run at once, and MaxBatchesEach how many of one client; more
	// get a 503. Defaults: 4 times MaxSearches; a quarter of MaxBatches, but at least 2, and where
	// there are several not all of them.
	MaxBatches     int
	MaxBatchesEach int
	// BatchTime is how long a batch may go on. Default: 1 h.
	BatchTime time.Duration
	// CacheBytes is how large the cache of answers may grow. Negative: no cache. Default: 64 MiB.
	CacheBytes int64

	// RatePerMinute is how many requests a client may send in a minute, and at once if it was quiet
	// before. The time of its searches and pictures counts too, a tenth of a second as much as a
	// request, and a line of a batch as a thousandth of one, and as much again for each 512 bytes of
	// it, of its answer, and of the answer to any other request. A text that is only read is a tenth
	// of one. Negative: any number. Default: 600.
	RatePerMinute int
	// MaxConnections is how many connections may be open, and MaxConnectionsEach how many of one
	// client that is no trusted proxy: an IPv4 address, or an IPv6 network (/64). Idle ones are
	// closed for new ones. Negative: any number. Defaults: 10,000; a quarter of MaxConnections,
	// from 128 to 256, but no more than three quarters.
	MaxConnections     int
	MaxConnectionsEach int
	// TrustedProxies are the networks (CIDR) whose X-Forwarded-For is believed, to tell clients
	// apart behind a reverse proxy. Default: none, a client is who connects.
	TrustedProxies []string
	// PublicURL is the origin of the service in the links that it gives others, such as
	// https://shogi.example: those of pages, feeds, site maps, oEmbed and cards. Default: how the client
	// names it, and then no cache may share such an answer.
	PublicURL string
	// CORSOrigins are the web origins whose pages may ask, as browsers write them; "*" is every
	// one, and "https://*.example.org" every one below that. Those named, but
	// not by "*", may submit and cancel jobs without a key, too. Default: none.
	CORSOrigins []string

	// IdleTimeout is how long a connection is kept on which nothing is asked. It should be longer
	// than that of a proxy in front, which might else send a request at the moment of the end.
	// Default: 75 s.
	IdleTimeout time.Duration
	// BodyTimeout is how long a client may take to send a body, and each line of a batch.
	// Default: 30 s.
	BodyTimeout time.Duration
	// WriteTimeout is how long a client may take to receive an answer, and each piece of the
	// answers to a batch. Default: 30 s.
	WriteTimeout time.Duration

	// DrainDelay is how long Serve goes on as if nothing had happened, except that /readyz says
	// 503, before it takes no more connections: the time a load balancer needs to notice. Default:
	// none.
	DrainDelay time.Duration
	// Grace is how long Serve lets accepted requests take after that, before it ends their
	// searches. Their bodies must have arrived in the first quarter of it. Default: 20 s.
	Grace time.Duration
}

// NewRegistry returns a registry with the metrics of Go and the process.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// withDefaults returns c with its zero values filled in, or every reason why it cannot be used.
func (c Config) withDefaults() (Config, error) {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf("httpapi: "+format, args...))
		}
	}
	check(c.Solver != nil, "Config.Solver is missing")
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"MaxTime", c.MaxTime}, {"DefaultTime", c.DefaultTime},
		{"QueueWait", c.QueueWait}, {"LongWait", c.LongWait}, {"AnalysisWait", c.AnalysisWait},
		{"PlayWait", c.PlayWait},
		{"MaxAnalysisTime", c.MaxAnalysisTime}, {"DefaultAnalysisTime", c.DefaultAnalysisTime},
		{"BatchTime", c.BatchTime}, {"IdleTimeout", c.IdleTimeout}, {"BodyTimeout", c.BodyTimeout},
		{"WriteTimeout", c.WriteTimeout}, {"DrainDelay", c.DrainDelay}, {"Grace", c.Grace},
	} {
		check(d.value >= 0, "Config.%s is negative: %v", d.name, d.value)
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"MaxPlies", c.MaxPlies}, {"MaxBodyBytes", c.MaxBodyBytes}, {"MaxSearches", c.MaxSearches},
		{"LongSearches", c.LongSearches}, {"MaxBatches", c.MaxBatches},
		{"MaxBatchesEach", c.MaxBatchesEach}, {"MaxAnalyses", c.MaxAnalyses},
		{"MaxPlays", c.MaxPlays},
	} {
		check(n.value >= 0, "Config.%s is negative: %d", n.name, n.value)
	}

	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.LogLinesDropped == nil {
		c.LogLinesDropped = func() (full, failed uint64) { return 0, 0 }
	}
	if c.Registry == nil {
		c.Registry = NewRegistry()
	}
	c.Version = cmp.Or(c.Version, "dev")
	c.Revision = cmp.Or(c.Revision, "unknown")
	c.MaxPlies = cmp.Or(c.MaxPlies, 9999)
	c.MaxNodes = cmp.Or(c.MaxNodes, 100_000_000)
	c.MaxTime = cmp.Or(c.MaxTime, 10*time.Second)
	c.DefaultTime = cmp.Or(c.DefaultTime, min(2*time.Second, c.MaxTime))
	c.MaxBodyBytes = cmp.Or(c.MaxBodyBytes, 64<<10)
	c.MaxSearches = cmp.Or(c.MaxSearches, runtime.GOMAXPROCS(0))
	c.QueueWait = cmp.Or(c.QueueWait, 2*time.Second)
	c.QuickNodes = cmp.Or(c.QuickNodes, 20_000)
	c.LongSearches = cmp.Or(c.LongSearches, max(1, runtime.GOMAXPROCS(0)-1))
	c.LongWait = cmp.Or(c.LongWait, 2*c.MaxTime)
	c.MaxAnalyses = cmp.Or(c.MaxAnalyses, max(1, runtime.GOMAXPROCS(0)/2))
	c.MaxAnalysisNodes = cmp.Or(c.MaxAnalysisNodes, 50_000_000)
	c.MaxAnalysisTime = cmp.Or(c.MaxAnalysisTime, time.Minute)
	c.DefaultAnalysisTime = cmp.Or(c.DefaultAnalysisTime, min(20*time.Second, c.MaxAnalysisTime))
	c.AnalysisWait = cmp.Or(c.AnalysisWait, 2*c.MaxAnalysisTime)
	c.MaxPlays = cmp.Or(c.MaxPlays, max(1, runtime.GOMAXPROCS(0)/2))
	c.PlayWait = cmp.Or(c.PlayWait, 10*time.Second)
	c.MaxPlayNodes = cmp.Or(c.MaxPlayNodes, 1_000_000)
	if c.NewEngine == nil {
		c.Levels, c.MaxPlays = nil, 0
	}
	c.MaxBatches = cmp.Or(c.MaxBatches, 4*c.MaxSearches)
	c.MaxBatchesEach = cmp.Or(c.MaxBatchesEach, max(1, min(max(2, c.MaxBatches/4), c.MaxBatches-1)))
	c.BatchTime = cmp.Or(c.BatchTime, time.Hour)
	c.CacheBytes = max(0, cmp.Or(c.CacheBytes, 64<<20))
	c.RatePerMinute = max(0, cmp.Or(c.RatePerMinute, 600))
	c.MaxConnections = max(0, cmp.Or(c.MaxConnections, 10_000))
	each := 256
	if c.MaxConnections > 0 {
		each = max(1, min(each, max(128, c.MaxConnections/4), c.MaxConnections*3/4))
	}
	c.MaxConnectionsEach = max(0, cmp.Or(c.MaxConnectionsEach, each))
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 75*time.Second)
	c.BodyTimeout = cmp.Or(c.BodyTimeout, 30*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 30*time.Second)
	c.Grace = cmp.Or(c.Grace, 20*time.Second)

	check(c.DefaultTime <= c.MaxTime,
		"Config.DefaultTime %v exceeds MaxTime %v", c.DefaultTime, c.MaxTime)
	check(c.MaxTime%time.Millisecond == 0,
		"Config.MaxTime is no whole number of milliseconds: %v", c.MaxTime)
	check(c.DefaultAnalysisTime <= c.MaxAnalysisTime,
		"Config.DefaultAnalysisTime %v exceeds MaxAnalysisTime %v", c.DefaultAnalysisTime,
		c.MaxAnalysisTime)
	check(c.MaxAnalysisTime%time.Millisecond == 0,
		"Config.MaxAnalysisTime is no whole number of milliseconds: %v", c.MaxAnalysisTime)
	check(c.NewEngine == nil || len(c.Levels) > 0, "Config.NewEngine has no Levels")
	check(c.MaxBodyBytes >= 1024,
		"Config.MaxBodyBytes is %d, less than the 1024 that a question may need", c.MaxBodyBytes)
	for _, p := range c.TrustedProxies {
		_, err := netip.ParsePrefix(p)
		check(err == nil, "Config.TrustedProxies: %v", err)
	}
	return c, errors.Join(faults...)
}
