package httpapi

import (
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/cors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tsumero/tsumero/api/wire"
)

// An endpoint is an operation of the API. Its route, its metrics and its line in the log come from
// this. To add one:
//
//  1. in package wire, a file with the types of what it takes and what it answers;
//  2. here, a file with its handler, and a row in endpoints;
//  3. in openapi, the operation, its parameters and the fields of those types, in both languages;
//     tests say what is missing or differs, and /docs shows it;
//  4. in examples.json, a request for each status; TestExamples -update writes the answers.
type endpoint struct {
	method, path string
	handle       handler
	body         *bodyTypes // read before it is handled; nil if the handler reads it, or there is none
	cost         int        // tokens of the rate limit that a request takes; 0: not limited
}

func (s *Server) endpoints() []endpoint {
	return []endpoint{
		{"POST", "/v1/solve", s.postSolve, questionBody, requestCost},
		{"POST", "/v1/solve/events", s.postSolveEvents, questionBody, requestCost},
		{"POST", "/v1/solve/record/{format}", asRecord(s.postSolveRecord), questionBody, requestCost},
		{"GET", "/v1/solve", s.getSolve, nil, requestCost},
		{"POST", "/v1/moves", s.postMoves, jsonBody, requestCost},
		{"GET", "/v1/moves", s.getMoves, nil, requestCost},
		{"POST", "/v1/threat", s.postThreat, jsonBody, requestCost},
		{"POST", "/v1/analyze", s.postAnalyze, questionBody, requestCost},
		{"POST", "/v1/analyze/events", s.postAnalyzeEvents, questionBody, requestCost},
		{"GET", "/v1/analyze", s.getAnalyze, nil, requestCost},
		{"POST", analyzeBatchPath, s.postAnalyzeBatch, nil, requestCost},
		{"POST", "/v1/play", s.postPlay, jsonBody, requestCost},
		{"GET", "/v1/play", s.getPlay, nil, requestCost},
		{"POST", "/v1/read", s.postRead, questionBody, readCost},
		{"POST", "/v1/games", s.postGames, questionBody, requestCost},
		{"POST", "/v1/similar", s.postSimilar, questionBody, requestCost},
		{"POST", batchPath, s.postBatch, nil, requestCost},
		{"POST", jobsPath, s.withJobs(s.postJob), nil, requestCost},
		{"POST", composePath, s.withJobs(s.postCompose), nil, requestCost},
		{"GET", jobsPath, s.withJobs(s.getJobs), nil, requestCost},
		{"GET", jobsPath + "/{id}", s.withJob(s.getJob), nil, readCost},
		{"GET", jobsPath + "/{id}/events", s.withJob(s.getJobEvents), nil, readCost},
		{"GET", jobsPath + "/{id}/record/{format}", asRecord(s.getJobRecord), nil, readCost},
		{"DELETE", jobsPath + "/{id}", s.withJob(s.deleteJob), nil, requestCost},
		{"GET", jobsPath + "/{id}/results", s.withJob(s.getResults), nil, requestCost},
		{"GET", jobsPath + "/{id}/result", s.withJob(s.getResult), nil, readCost},
		{"GET", "/v1/queue", s.withJobs(s.getQueue), nil, readCost},
		{"GET", "/v1/limits", s.limitsHandler(), nil, 0},
	}
}

// routes returns the handler of the public listener.
func (s *Server) routes() http.Handler { return s.observe(s.router()) }

// router returns the routes of the public listener. TestRoutesAreDescribed compares them with
// the description.
func (s *Server) router() chi.Router {
	r := chi.NewRouter()
	if len(s.config.CORSOrigins) > 0 {
		o := cors.Options{
			AllowedOrigins: s.config.CORSOrigins,
			AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
			// Keys are for jobs, but a client may send one with every request; X-Api-Key is for what
			// may stand in front of the service. X-Forwarded-For is not allowed: see Config.TrustedProxies.
			AllowedHeaders: []string{"Accept", "Authorization", "Content-Type", "If-None-Match",
				"X-Api-Key", "X-Full-Duplex", "X-Request-Id"},
			ExposedHeaders: []string{"ETag", "RateLimit", "RateLimit-Policy", "Retry-After",
				"Server-Timing", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
				"X-Request-Id"},
			MaxAge: 24 * 60 * 60,
		}
		if s.config.Jobs != nil {
			o.AllowedMethods = append(o.AllowedMethods, http.MethodDelete)
			o.AllowedHeaders = append(o.AllowedHeaders, "Idempotency-Key", "Last-Event-ID", "Prefer")
			o.ExposedHeaders = append(o.ExposedHeaders, "Idempotent-Replayed", "Link", "Location",
				"Preference-Applied")
		}
		r.Use(cors.Handler(o))
	}
	r.Use(limitURI) // after CORS, so that pages can read the refusal
	r.Use(middleware.GetHead)
	r.Use(compress())
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed(r))

	r.Get("/livez", s.livez)
	r.Get("/readyz", s.readyz)

	limited := r.With(s.limitRate(requestCost))
	for _, e := range s.endpoints() {
		on, h := chi.Router(r), e.handle
		if e.cost > 0 {
			on = r.With(s.limitRate(e.cost))
		}
		if e.body != nil {
			h = s.withBody(e.body, h)
		}
		on.Method(e.method, e.path, h)
	}
	if s.config.Diagrams != nil {
		for _, ending := range []string{"svg", "png", "gif"} {
			limited.Method(http.MethodGet, "/v1/diagram."+ending, s.config.Diagrams)
		}
	}

	s.pages = sync.OnceValue(func() *pages { return newPages(s.description()) })
	limited.Get("/openapi.json", s.getDescription)
	limited.Get("/docs", s.getDocs)
	limited.Method(http.MethodGet, "/problems/{code}", handler(s.getProblemPage))
	return r
}

// adminRoutes returns the handler of the listener for operators, which must not be public.
func (s *Server) adminRoutes() http.Handler {
	r := chi.NewRouter()
	r.Handle("/metrics", promhttp.InstrumentMetricHandler(s.config.Registry,
		promhttp.HandlerFor(s.config.Registry, promhttp.HandlerOpts{Registry: s.config.Registry})))
	r.Get("/livez", s.livez)
	r.Get("/readyz", s.readyz)
	r.HandleFunc("/debug/pprof/*", pprof.Index)
	r.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	r.HandleFunc("/debug/pprof/profile", pprof.Profile)
	r.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	r.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return r
}

// The longest path and query. It is below what net/http takes, whose refusal is no problem+json.
const (
	maxURI     = 16 << 10
	maxURIText = "16384"
)

// limitURI answers 414 if path and query together are longer than maxURI.
func limitURI(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.RawQuery)+len(r.URL.Path) > maxURI {
			recorderOf(r.Context()).writeProblem(wire.NewProblem(wire.URITooLong, uriExceeds, maxURI))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limitRate answers 429 to clients that are above their rate. Each request takes cost tokens.
func (s *Server) limitRate(cost int) func(next http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.admitAt(cost, recorderOf(r.Context()), r) {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// admit takes the tokens of an ordinary request from the client, or answers 429 and returns false.
func (s *Server) admit(x *responseRecorder, r *http.Request) bool {
	return s.admitAt(requestCost, x, r)
}

// admitAt is admit for a request that takes cost tokens.
func (s *Server) admitAt(cost int, x *responseRecorder, r *http.Request) bool {
	if s.config.RatePerMinute == 0 {
		return true
	}
	retryAfter := x.client.admit(x.started, cost)
	remaining, next, reset := x.client.standing(x.started)
	if retryAfter > 0 {
		next = retryAfter // what costs less than a request is accepted sooner
	}
	h := x.Header()
	h["Ratelimit-Policy"] = s.ratePolicy
	x.setHeader(h, "Ratelimit", rateLimit(remaining, next))
	h["X-Ratelimit-Limit"] = s.rateHeader
	x.setHeader(h, "X-Ratelimit-Remaining", strconv.Itoa(remaining))
	x.setHeader(h, "X-Ratelimit-Reset", unixUp(reset))
	if retryAfter == 0 {
		return true
	}
	s.metrics.refused.WithLabelValues(refusedRate).Inc()
	if x.route == webRoute && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.pages().wait(x, r, seconds(retryAfter))
		return false
	}
	p := wire.NewProblem(wire.RateLimited, allowedRequests, s.rateHeader[0])
	p.RetryAfter = seconds(retryAfter)
	x.writeProblem(p)
	return false
}

// webRoute is the route of all pages in metrics and logs.
const webRoute = "web"

// notFound answers paths that the API does not have. A path outside /v1/ goes to Config.Web, and
// counts as one route in the metrics: clients choose paths, and labels must be few.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	x := recorderOf(r.Context())
	isForPages := r.Method == http.MethodGet || r.Method == http.MethodHead ||
		r.Method == http.MethodPost && s.config.Jobs != nil && isJobPage(r.URL.Path)
	if s.config.Web != nil && isForPages && !strings.HasPrefix(r.URL.Path, "/v1/") {
		x.route = webRoute
		if s.admit(x, r) {
			s.config.Web.ServeHTTP(w, r)
		}
		return
	}
	if allow := s.pageMethods(r); len(allow) > 0 {
		x.route = webRoute
		s.refuseMethod(x, r, allow)
		return
	}
	if s.admit(x, r) {
		x.writeProblem(wire.NewProblem(wire.NotFound, noPath, wire.Clip(r.URL.Path)))
	}
}

// isJobPage reports whether a path is that of a page of jobs, some of which take forms.
func isJobPage(path string) bool { return path == "/jobs" || strings.HasPrefix(path, "/jobs/") }

// methodNotAllowed answers a method that a path does not have: 405, or to OPTIONS the methods that
// it has.
func (s *Server) methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := recorderOf(r.Context())
		allow := []string{http.MethodOptions}
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			if pattern := routes.Find(chi.NewRouteContext(), method, r.URL.Path); pattern != "" {
				x.route = pattern
				allow = append(allow, method)
				if method == http.MethodGet {
					allow = append(allow, http.MethodHead)
				}
			}
		}
		s.refuseMethod(x, r, allow)
	}
}

// refuseMethod answers that a path has other methods.
func (s *Server) refuseMethod(x *responseRecorder, r *http.Request, allow []string) {
	if !s.admit(x, r) {
		return
	}
	slices.Sort(allow)
	x.Header().Set("Allow", strings.Join(allow, ", "))
	if r.Method == http.MethodOptions {
		x.WriteHeader(http.StatusNoContent)
		return
	}
	x.writeProblem(wire.NewProblem(wire.MethodNotAllowed, noMethod,
		wire.Clip(r.Method), strings.Join(allow, ", ")))
}

// pageMethods returns the methods of the page at the path of a request, none if there is no page, or
// if the pages are no ServeMux, which alone can be asked.
func (s *Server) pageMethods(r *http.Request) (allow []string) {
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		return nil
	}
	for method, more := range map[string][]string{
		http.MethodGet: {http.MethodOptions, http.MethodGet, http.MethodHead}, http.MethodPost: {http.MethodPost},
	} {
		pattern := ""
		for h := s.config.Web; ; {
			mux, ok := h.(*http.ServeMux)
			if !ok {
				break
			}
			h, pattern = mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host})
		}
		if strings.HasPrefix(pattern, method+" ") && pattern != "GET /" { // which says that there is nothing
			allow = append(allow, more...)
		}
	}
	return allow
}

// isProbe reports whether a request is a health probe.
func isProbe(r *http.Request) bool { return r.URL.Path == "/livez" || r.URL.Path == "/readyz" }

// readyz reports whether this instance accepts requests: not while it drains. Trouble with the store
// of jobs is in the text alone: questions are answered all the same, and every other instance has
// the same trouble or no business with these jobs.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if !s.draining.Load() {
		text := "ok\n"
		if s.config.Jobs != nil {
			for _, trouble := range s.config.Jobs.Trouble(r.Context()) {
				text += "jobs: " + trouble + "\n"
			}
		}
		s.probe(w, r, http.StatusOK, text)
		return
	}
	if x := recorderOf(r.Context()); x != nil {
		x.quiet = true
		p := wire.NewProblem(wire.ShuttingDown, draining)
		p.RetryAfter = 1
		x.writeProblem(p)
		return
	}
	s.probe(w, r, http.StatusServiceUnavailable, "shutting down\n")
}

// probe answers a health probe.
func (s *Server) probe(w http.ResponseWriter, r *http.Request, status int, text string) {
	if x := recorderOf(r.Context()); x != nil {
		x.quiet = true
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
