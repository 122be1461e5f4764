package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/sched"
)

// A Server is the HTTP service. It is safe for concurrent use.
type Server struct {
	config    Config
	logger    *slog.Logger
	jobLogger *slog.Logger // the same, for what every job has to report
	metrics   *metrics
	answers   *answer.Answerer
	searches  *searchObserver
	scheduler *sched.Scheduler // of answers
	plays     *sched.Task      // what answers POST /v1/play
	requests  *wire.Reader     // of answers
	clients   *clients
	proxies   proxies
	batches   batchLimiter
	jobKeys   jobKeys
	pages     func() *pages
	draining  atomic.Bool
	drains    context.Context // ends when the service begins to drain
	drain     context.CancelFunc
	// What reads jobs, for each class of clients.
	jobReaders map[string]*wire.JobReader
	api        http.Handler
	admin      http.Handler

	rateHeader []string // Config.RatePerMinute
	ratePolicy []string // the same as a policy

	playing *activity
	engines *enginePool

	pictures, animations *sched.Slots

	warnForwarded sync.Once
	activities    []*activity // what livez looks at
}

// New returns the service that c describes, or every reason why there is none.
func New(c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, logger: c.Logger, jobLogger: jobs.LimitLog(c.Logger, nil),
		clients:    newClients(c.RatePerMinute),
		rateHeader: []string{strconv.Itoa(c.RatePerMinute)},
		ratePolicy: []string{ratePolicy(c.RatePerMinute)},
		batches: batchLimiter{
			most: c.MaxBatches, mostEach: c.MaxBatchesEach, each: map[*client]int{}}}
	for _, network := range c.TrustedProxies {
		s.proxies = append(s.proxies, netip.MustParsePrefix(network)) // checked above
	}
	if s.metrics, err = newMetrics(c, s.logRequests); err != nil {
		return nil, fmt.Errorf("httpapi: Config.Registry: %w", err)
	}
	if err = registerLogDrops(c.Registry, c.LogLinesDropped); err != nil {
		return nil, fmt.Errorf("httpapi: Config.Registry: %w", err)
	}
	c.Quick = s.watchSearches("short search", c.Quick)
	c.Solver = s.watchSearches("long search", c.Solver)
	analyzing := newActivity("analysis", max(c.MaxTime, c.MaxAnalysisTime))
	s.searches = newSearchObserver(&c, s.metrics, analyzing)
	s.answers, err = newAnswerer(&c, s.searches)
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	s.scheduler, s.requests = s.answers.Scheduler(), s.answers.Requests()
	s.plays = &sched.Task{Run: s.answerPlay}
	s.engines = &enginePool{make: c.NewEngine, capacity: c.MaxPlays}
	s.playing = newActivity("search for a move", maxPlayTime)
	s.newPictures()
	s.drains, s.drain = context.WithCancel(context.Background())
	if err := s.newJobs(); err != nil {
		return nil, err
	}
	s.activities = append(s.activities, analyzing, s.playing)
	s.api = s.watchRequests(s.routes())
	s.admin = s.adminRoutes()
	return s, nil
}

// Handler returns the handler of the public listener.
func (s *Server) Handler() http.Handler { return s.api }

// AdminHandler returns the handler of the listener that only those who run the service can reach:
// /metrics, the profiler under /debug/pprof/, /livez and /readyz.
func (s *Server) AdminHandler() http.Handler { return s.admin }

// ReportUnverified logs why a claimed mate failed its replay. It is made to be handed to the
// solver. The search that gets an unverified result counts it, also one that found its fault
// itself.
func (s *Server) ReportUnverified(p shogi.Position, r solver.Result, err error) {
	s.logger.LogAttrs(context.Background(), slog.LevelError, "replay failed",
		slog.String("sfen", p.SFEN()), slog.String("solver", r.Solver), slog.Any("line", r.Line),
		slog.String("error", err.Error()))
}

// Drain makes /readyz say 503 and asks clients to close their connections after the next answer.
// Requests are still answered; those that only wait for news of a job are so at once.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.drain()
}

// errEnding is why requests are cancelled when the grace period is over.
var errEnding = errors.New("httpapi: the service is shutting down")

// isEnding reports whether ctx ended because the service does.
func (s *Server) isEnding(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), errEnding)
}

// cancelTimeout is how long requests have to answer after their searches were cancelled.
const cancelTimeout = 2 * time.Second

// The bodies of accepted requests must arrive within 1/bodyShare of the grace period.
const bodyShare = 4

// ErrSkipDelay, as the cause of the end of Serve's context, leaves out Config.DrainDelay, for where
// no load balancer has to notice the end.
var ErrSkipDelay = errors.New("httpapi: end without the drain delay")

// Serve answers on the listeners, admin being nil for none, until ctx ends, and then finishes what
// was accepted, which is every request whose header has arrived:
//
//	at once            /readyz says 503, and every answer is the last of its connection;
//	                   everything else goes on for Config.DrainDelay, unless the cause of the
//	                   end is ErrSkipDelay
//	then               no new connections; accepted requests, batches too, are finished
//	after a quarter
//	of Config.Grace    requests whose body is still not there get a 408
//	after Config.Grace searches are cancelled: their questions are answered "unknown", batches
//	                   end with a problem
//	1 s after that     answers that wait for their clients to read them are given up
//	2 s after that     if searches still run although they were cancelled, connections are closed,
//	                   and Serve returns an error
//
// The admin listener goes last, so that the end can be watched. Serve closes both listeners.
func (s *Server) Serve(ctx context.Context, api, admin net.Listener) error {
	work, stopWork := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stopWork(errEnding)
	apiServer, adminServer := s.httpServer(s.api, work), s.httpServer(s.admin, work)
	// The writing of answers is limited by http.Server for single questions; batches and streams of
	// events set their own deadlines. A question may wait for slots of both pools and search before
	// it is answered.
	apiServer.WriteTimeout = s.config.longestRequest()
	connections := newConnections(s.config.MaxConnections, s.config.MaxConnectionsEach, s.proxies,
		s.metrics)
	connections.watch(apiServer)
	failed := make(chan error, 2)
	go func() { failed <- apiServer.Serve(api) }()
	if admin != nil {
		go func() { failed <- adminServer.Serve(admin) }()
	}

	var err error
	delay := s.config.DrainDelay
	select {
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), ErrSkipDelay) {
			delay = 0
		}
	case err = <-failed:
		s.logger.Error("a listener failed", "error", err.Error())
	}
	s.Drain()
	s.logger.Info("draining", "delay", delay.String(), "grace", s.config.Grace.String())
	if err == nil {
		select {
		case <-time.After(delay):
		case err = <-failed:
		}
	}

	bodies := time.AfterFunc(s.config.Grace/bodyShare, connections.cutBodies)
	defer bodies.Stop()
	if !s.shutdown(apiServer, s.config.Grace) {
		s.logger.Warn("cancelling the searches that are left")
		stopWork(errEnding)
		connections.cutAnswers(cancelTimeout / 2)
		if !s.shutdown(apiServer, cancelTimeout) {
			apiServer.Close()
			err = errors.Join(err, fmt.Errorf(
				"httpapi: requests were cut off %v after the end was asked for",
				delay+s.config.Grace+cancelTimeout))
		}
	}
	adminServer.Close()
	s.logger.Info("ended")
	return err
}

// shutdown reports whether all requests ended within the time.
func (s *Server) shutdown(server *http.Server, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return server.Shutdown(ctx) == nil
}

// httpServer returns a server with limits on what a client can keep it busy with before a handler
// looks at it. There is no ReadTimeout: net/http would take the end of a body's time for the end of
// the client, see withBody.
func (s *Server) httpServer(h http.Handler, work context.Context) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       s.config.IdleTimeout,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return work },
	}
}

// logPanic logs and counts a panic that was recovered.
func (s *Server) logPanic(ctx context.Context, v any) {
	s.metrics.panics.Inc()
	id := ""
	if x := recorderOf(ctx); x != nil {
		id = x.id
	}
	s.logger.LogAttrs(ctx, slog.LevelError, "panic", slog.String("request_id", id),
		slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
}
