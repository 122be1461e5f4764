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
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/solver/sched"
)

// statusClientGone is what the log and the metrics say of a request whose client did not wait for the answer. No
// client ever sees it.
const statusClientGone = 499

// An exchange is a request and what became of it. It is the ResponseWriter of everything inside, and can be found by
// the request's context.
type exchange struct {
	http.ResponseWriter
	server  *Server
	id      string // of the request, made here or by a trusted proxy
	theirs  string // the id that a stranger sent, if it is sane
	client  *client
	address netip.Addr // of the client
	unread  bool       // there is a body, and nobody has read it to its end
	route   string     // the pattern; empty until the end, except where routing does not know it
	started time.Time
	status  int // 0 until the header is written
	bytes   int64
	quiet   bool   // a health probe: logged at debug level only
	whole   bool   // a batch or a stream was answered to its end, whatever became of the connection
	solved  solved // zero if nothing was
	lines   int    // of a batch
	gone    bool   // the client did not take a batch or a stream of events to its end
	ending  string // why one did not come to its end; empty if it did
}

// solved is what the log says of an answer.
type solved struct {
	verdict, reason, solver string
	source                  sched.Source
}

type exchangeKey struct{}

// exchangeOf returns the exchange of a request's context, nil if it is not of this package.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// observe is the outermost layer: a request goes through it whatever becomes of it.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{ResponseWriter: w, server: s, started: time.Now(),
			unread: r.ContentLength != 0}
		x.address = s.identify(r)
		x.client = s.clients.enter(x.address)
		defer s.clients.leave(x.client)
		s.setID(x, r)
		h := w.Header()
		h["X-Request-Id"] = []string{x.id}
		h["X-Content-Type-Options"] = nosniff
		if s.draining.Load() {
			// The client learns from its last answer that this connection is of no more use.
			h.Set("Connection", "close")
		}
		if r.ContentLength != 0 {
			// Also for the requests whose body nobody looks at: net/http reads on, to keep the connection.
			_ = huma.SetReadDeadline(w, x.started.Add(s.config.BodyTimeout)) // a test's recorder has none
		}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		s.metrics.inFlight.Inc()
		defer s.conclude(x, r)
		next.ServeHTTP(x, r)
	})
}

var nosniff = []string{"nosniff"}

// setID gives the request an id that nobody else can choose: the log is searched by it. That of a stranger is logged
// beside it, under another name.
func (s *Server) setID(x *exchange, r *http.Request) {
	if id := r.Header.Get("X-Request-Id"); saneID(id) {
		if s.proxies.trust(peer(r.RemoteAddr)) {
			x.id = id
			return
		}
		x.theirs = id
	}
	// to tell requests apart, not to be unguessable
	x.id = strconv.FormatUint(rand.Uint64()|1<<63, 36)
}

// conclude measures and logs what became of x. It is deferred, so that it is told of panics.
func (s *Server) conclude(x *exchange, r *http.Request) {
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
		newProblem(internalError, "The request could not be answered.").write(x)
	}
	s.finish(x, r)
}

// finish is called exactly once for each exchange.
func (s *Server) finish(x *exchange, r *http.Request) {
	s.metrics.inFlight.Dec()
	if x.route == "" {
		if c := chi.RouteContext(r.Context()); c != nil {
			x.route = c.RoutePattern()
		}
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
	case (r.Context().Err() != nil || x.gone) && status < 400 && !x.whole && !s.isEnding(r.Context()):
		status = statusClientGone
	case status == 0:
		status = http.StatusOK // net/http writes the header then
	}
	took := time.Since(x.started)
	s.metrics.request(x.route, r.Method, status, took)

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
	attrs := make([]slog.Attr, 0, 13)
	attrs = append(attrs,
		slog.String("method", clip(r.Method)), slog.String("route", x.route), slog.Int("status", status),
		slog.Int64("bytes", x.bytes), slog.Int64("duration_us", took.Microseconds()),
		slog.String("request_id", x.id), slog.String("client", x.addressText(r)))
	if x.theirs != "" {
		attrs = append(attrs, slog.String("client_request_id", x.theirs))
	}
	if x.solved.verdict != "" {
		attrs = append(attrs, slog.String("verdict", x.solved.verdict), slog.String("solver", x.solved.solver),
			slog.String("source", string(x.solved.source)))
		if x.solved.reason != "" {
			attrs = append(attrs, slog.String("reason", x.solved.reason))
		}
	}
	if x.lines > 0 {
		attrs = append(attrs, slog.Int("lines", x.lines))
	}
	if x.ending != "" {
		attrs = append(attrs, slog.String("ending", x.ending))
	}
	s.logger.LogAttrs(r.Context(), level, "request", attrs...)
}

// end says how the writing of a batch or a stream of events ended.
func (x *exchange) end(err error) {
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
		case ch == '-', ch == '_', ch == '.', ch == ':', ch == '/', ch == '+', ch == '=', ch == '~', ch == '@':
		default:
			return false
		}
	}
	return true
}

// addressText returns the address of the client for the log.
func (x *exchange) addressText(r *http.Request) string {
	if x.address.IsValid() {
		return x.address.String()
	}
	return r.RemoteAddr
}
