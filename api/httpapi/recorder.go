package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/sched"
)

// statusClientGone is what the log and the metrics say of a request whose client did not wait for
// the answer. No client ever sees it.
const statusClientGone = 499

// A responseRecorder records how a request is answered, for the log and the metrics. It is the
// ResponseWriter of all handlers, which find it by the request's context.
type responseRecorder struct {
	http.ResponseWriter
	id      string // of the request, made here or by a trusted proxy
	sentID  string // the id that an untrusted client sent, if it is sane
	client  *client
	address netip.Addr // of the client
	unread  bool       // there is a body, and it was not read to its end
	body    []byte     // of a handler withBody
	route   string     // the pattern; empty until the end, except where routing does not know it
	started time.Time
	status  int // 0 until the header is written
	bytes   int64
	quiet   bool   // a health probe: logged at debug level only
	whole   bool   // a batch or a stream was answered to its end
	solved  solved // zero if nothing was
	lines   int    // of a batch
	job     string // the first letters of the id of a job
	gone    bool   // the client did not take a batch or a stream of events to its end
	ending  string // why one did not come to its end; empty if it did

	context requestContext
	values  [5]string // of headers that have one: see setHeader
	given   int       // how many of these are taken
}

// setHeader sets a header, whose name must be in the canonical form, to one value.
func (x *responseRecorder) setHeader(h http.Header, name, value string) {
	if x.given == len(x.values) {
		h[name] = []string{value}
		return
	}
	x.values[x.given] = value
	x.given++
	h[name] = x.values[x.given-1 : x.given : x.given]
}

// solved is what the log says of an answer.
type solved struct {
	verdict, reason, solver string
	sound                   string // of a report
	level                   string // that chose a move
	source                  sched.Source
}

// A requestContext is the context of a request. It holds what would else be a context and a copy of
// the request each: the recorder, and the route, which chi looks for before it makes its own.
type requestContext struct {
	context.Context // of net/http
	recorder        *responseRecorder
	route           chi.Context
	patterns        [1]string // the first of route.RoutePatterns
}

type recorderKey struct{}

// Value returns the recorder, the route, or what net/http's context has.
func (c *requestContext) Value(key any) any {
	switch key {
	case recorderKey{}:
		return c.recorder
	case chi.RouteCtxKey:
		return &c.route
	}
	return c.Context.Value(key)
}

// recorderOf returns the recorder of a request's context, nil if it is not of this package.
func recorderOf(ctx context.Context) *responseRecorder {
	x, _ := ctx.Value(recorderKey{}).(*responseRecorder)
	return x
}

func (x *responseRecorder) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *responseRecorder) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *responseRecorder) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// setReadDeadline sets the time at which reads of the body fail.
func (x *responseRecorder) setReadDeadline(at time.Time) {
	_ = http.NewResponseController(x.ResponseWriter).SetReadDeadline(at) // a test's recorder has none
}

// observe logs and measures every request to the router, also one that panics.
func (s *Server) observe(router chi.Router) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &responseRecorder{ResponseWriter: w, started: time.Now(), unread: r.ContentLength != 0}
		x.address = s.identify(r)
		x.client = s.clients.enter(x.address)
		defer s.clients.leave(x.client)
		s.setID(x, r)
		h := w.Header()
		x.setHeader(h, "X-Request-Id", x.id)
		h["X-Content-Type-Options"] = nosniff
		if s.draining.Load() {
			// This is the last answer on the connection, and the client should know.
			h.Set("Connection", "close")
		}
		if r.ContentLength != 0 {
			// Also if the handler ignores the body: net/http reads it to keep the connection.
			x.setReadDeadline(x.started.Add(s.config.BodyTimeout))
		}
		c := &x.context
		c.Context, c.recorder, c.route.Routes = r.Context(), x, router
		c.route.RoutePatterns = c.patterns[:0]
		watched := connectionOf(c.Context)
		if s.config.PublicURL != "" {
			c.Context = httpheader.WithOrigin(c.Context, s.config.PublicURL)
		}
		r = r.WithContext(c)
		if watched != nil {
			watched.watchBody(r)
		}
		s.metrics.inFlight.Inc()
		defer s.conclude(x, r)
		router.ServeHTTP(x, r)
	})
}

var nosniff = []string{"nosniff"}

// setID gives the request an id that no client can choose: the log is searched by it. The id that
// an untrusted client sent is logged beside it, under another name.
func (s *Server) setID(x *responseRecorder, r *http.Request) {
	if id := r.Header.Get("X-Request-Id"); saneID(id) {
		if s.proxies.trust(peer(r.RemoteAddr)) {
			x.id = id
			return
		}
		x.sentID = id
	}
	// to tell requests apart, not to be unguessable
	x.id = strconv.FormatUint(rand.Uint64()|1<<63, 36)
}

// conclude measures and logs how x was answered. It is deferred, so that it also sees panics.
func (s *Server) conclude(x *responseRecorder, r *http.Request) {
	if v := recover(); v != nil {
		if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			s.finish(x, r)
			panic(v) // it means: break off the connection, and no more
		}
		s.logPanic(r.Context(), v)
		if x.status != 0 {
			// Half an answer must not look like a whole one.
			s.finish(x, r)
			panic(http.ErrAbortHandler)
		}
		x.writeProblem(wire.NewProblem(wire.InternalError, wire.AnswerFailed))
	}
	s.finish(x, r)
}

// finish is called exactly once for each request.
func (s *Server) finish(x *responseRecorder, r *http.Request) {
	s.metrics.inFlight.Dec()
	if x.route == "" {
		x.route = x.context.route.RoutePattern()
		switch {
		case x.route != "":
		case x.status == http.StatusOK && r.Method == http.MethodOptions:
			x.route = "preflight" // answered before routing
		default:
			x.route = "unmatched"
		}
	}
	status := x.status
	switch {
	case (r.Context().Err() != nil || x.gone) && status < 400 && !x.whole &&
		!s.isEnding(r.Context()):
		status = statusClientGone
	case status == 0:
		status = http.StatusOK // net/http writes the header then
	}
	ended := time.Now()
	took := ended.Sub(x.started)
	if x.lines == 0 && r.Method != http.MethodHead { // lines of batches were paid for one by one
		x.client.send(ended, x.bytes)
	}
	series := s.metrics.requestSeries(x.route, r.Method, status)
	series.count.Inc()
	series.seconds.Observe(took.Seconds())

	level := slog.LevelInfo
	switch {
	case x.quiet:
		level = slog.LevelDebug
	case status == http.StatusInternalServerError:
		level = slog.LevelError
	}
	if !s.logger.Enabled(r.Context(), level) {
		return
	}
	attrs := make([]slog.Attr, 0, 11)
	attrs = append(attrs, slog.Int64("bytes", x.bytes), slog.Int64("duration_us", took.Microseconds()),
		slog.String("request_id", x.id), slog.String("client", x.addressText(r)))
	if x.sentID != "" {
		attrs = append(attrs, slog.String("client_request_id", x.sentID))
	}
	if x.solved.verdict != "" {
		attrs = append(attrs, slog.String("verdict", x.solved.verdict),
			slog.String("solver", x.solved.solver),
			slog.String("source", string(x.solved.source)))
		if x.solved.sound != "" {
			attrs = append(attrs, slog.String("sound", x.solved.sound))
		}
		if x.solved.reason != "" {
			attrs = append(attrs, slog.String("reason", x.solved.reason))
		}
	}
	if x.solved.level != "" {
		attrs = append(attrs, slog.String("play_level", x.solved.level),
			slog.String("source", string(x.solved.source)))
	}
	if x.lines > 0 {
		attrs = append(attrs, slog.Int("lines", x.lines))
	}
	if x.job != "" {
		attrs = append(attrs, slog.String("job", x.job))
	}
	if x.ending != "" {
		attrs = append(attrs, slog.String("ending", x.ending))
	}
	log := series.log
	if series.method != r.Method {
		log = s.logRequests(r.Method, x.route, status)
	}
	// Not by a Logger, which would find out the line of the program for each request.
	record := slog.NewRecord(ended, level, "request", 0)
	record.AddAttrs(attrs...)
	_ = log.Handle(r.Context(), record) // a Logger could not do anything about it either
}

// logRequests returns a handler that logs requests that are equal in this.
func (s *Server) logRequests(method, route string, status int) slog.Handler {
	return s.logger.Handler().WithAttrs([]slog.Attr{slog.String("method", wire.Clip(method)),
		slog.String("route", route), slog.Int("status", status)})
}

// end says how the writing of a batch or a stream of events ended.
func (x *responseRecorder) end(err error) {
	x.whole, x.gone = err == nil, err != nil
	switch {
	case err == nil:
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.ending = "the client did not read what it was sent in time"
	default:
		x.ending = "the client went away"
	}
}

// saneID reports whether a request id that somebody sent may be logged.
func saneID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		switch ch := id[i]; {
		case ch >= '0' && ch <= '9', ch >= 'A' && ch <= 'Z', ch >= 'a' && ch <= 'z':
		case strings.IndexByte("-_.:/+=~@", ch) >= 0:
		default:
			return false
		}
	}
	return true
}

// addressText returns the address of the client for the log.
func (x *responseRecorder) addressText(r *http.Request) string {
	if x.address.IsValid() {
		return x.address.String()
	}
	return r.RemoteAddr
}
