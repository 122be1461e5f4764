package httpapi

import (
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/cors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// routes makes the handler of the public listener.
func (s *Server) routes() (http.Handler, error) {
	r := chi.NewRouter()
	r.Use(s.observe)
	if len(s.config.CORSOrigins) > 0 {
		r.Use(cors.Handler(cors.Options{
			AllowedOrigins: s.config.CORSOrigins,
			AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
			AllowedHeaders: []string{"Accept", "Content-Type", "If-None-Match", "X-Request-Id"},
			ExposedHeaders: []string{"ETag", "Retry-After", "Server-Timing", "X-RateLimit-Limit", "X-RateLimit-Remaining",
				"X-RateLimit-Reset", "X-Request-Id"},
			MaxAge: 24 * 60 * 60,
		}))
	}
	r.Use(limitURI) // after CORS, so that pages can read the refusal
	r.Use(middleware.GetHead)
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed(r))

	r.Get("/livez", s.livez)
	r.Get("/readyz", s.readyz)

	limited := r.With(s.limitRate(requestCost))
	api := humachi.New(limited.With(s.readBody), s.apiConfig())
	stream := huma.NewAPI(s.streamConfig(api), humachi.NewAdapter(limited))
	huma.Register(api, s.postOperation(), s.postSolve)
	huma.Register(api, s.getOperation(), s.getSolve)
	huma.Register(api, s.movesOperation(), s.postMoves)
	limits, err := s.limitsHandler()
	if err != nil {
		return nil, err
	}
	cheap := huma.NewAPI(s.streamConfig(api), humachi.NewAdapter(r.With(s.limitRate(readCost), s.readBody)))
	huma.Register(cheap, s.readOperation(), s.postRead)
	unlimited := huma.NewAPI(s.streamConfig(api), humachi.NewAdapter(r))
	huma.Register(unlimited, s.limitsOperation(), limits)
	registry := api.OpenAPI().Components.Schemas
	s.bodies = &parser{config: &s.config, registry: registry, schema: registry.Map()["SolveRequest"], part: "body"}
	s.choices = &parser{config: &s.config, registry: registry, schema: registry.Map()["MovesRequest"], part: "body", sides: true}
	s.texts = &parser{config: &s.config, registry: registry, schema: registry.Map()["ReadRequest"], part: "body"}
	s.lines = &parser{config: &s.config, registry: registry, schema: registry.Map()["BatchRequest"], part: "line", ids: true}
	huma.Register(stream, s.batchOperation(), s.batch)
	s.completeDescription(api.OpenAPI().Paths)

	if s.config.Diagrams != nil {
		limited.Method(http.MethodGet, "/v1/diagram.svg", s.config.Diagrams)
		limited.Method(http.MethodGet, "/v1/diagram.png", s.config.Diagrams)
	}

	pages, err := s.newPages(api.OpenAPI())
	if err != nil {
		return nil, err
	}
	s.pages = pages
	limited.Get("/openapi.json", pages.description)
	limited.Get("/docs", pages.docs)
	limited.Get("/problems/{code}", pages.problem)
	return r, nil
}

// adminRoutes makes the handler of the listener for those who run the service.
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

// limitURI answers 414 where path and query are too long for anybody to look at.
func limitURI(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.RawQuery)+len(r.URL.Path) > maxURI {
			newProblem(uriTooLong, "Path and query exceed "+maxURIText+" bytes.").write(exchangeOf(r.Context()))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limitRate answers 429 to clients that asked for more than they may. Each request takes cost
// tokens.
func (s *Server) limitRate(cost int) func(next http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.admitAt(cost, exchangeOf(r.Context()), r) {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// admit takes a request out of what the client may ask for, or answers 429.
func (s *Server) admit(x *exchange, r *http.Request) bool { return s.admitAt(requestCost, x, r) }

// admitAt is admit for a request of that cost.
func (s *Server) admitAt(cost int, x *exchange, r *http.Request) bool {
	if s.config.RatePerMinute == 0 {
		return true
	}
	retryAfter := x.client.admit(x.started, cost)
	remaining, reset := x.client.standing(x.started)
	h := x.Header()
	h["X-Ratelimit-Limit"] = []string{s.rateText}
	h["X-Ratelimit-Remaining"] = []string{strconv.Itoa(remaining)}
	h["X-Ratelimit-Reset"] = []string{unixUp(reset)}
	if retryAfter == 0 {
		return true
	}
	s.metrics.refused.WithLabelValues(refusedRate).Inc()
	if x.route == webRoute && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.pages.wait(x, r, seconds(retryAfter))
		return false
	}
	p := newProblem(rateLimited,
		"Requests allowed in a minute: "+s.rateText+"; the time of searches counts as well.")
	p.retryAfter = seconds(retryAfter)
	p.write(x)
	return false
}

// webRoute is what pages are to the metrics.
const webRoute = "web"

// notFound answers where the API has nothing: there may be a page. All of those are one route to the metrics, for their
// paths are a stranger's choice.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	if s.config.Web != nil && !strings.HasPrefix(r.URL.Path, "/v1/") && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		x := exchangeOf(r.Context())
		x.route = webRoute
		if s.admit(x, r) {
			s.config.Web.ServeHTTP(w, r)
		}
		return
	}
	if !s.admit(exchangeOf(r.Context()), r) {
		return
	}
	newProblem(notFound, "Nothing has the path "+strconv.Quote(clip(r.URL.Path))+"; see /docs.").write(exchangeOf(r.Context()))
}

// methodNotAllowed answers for a path that exists: 405, or to OPTIONS what there is.
func (s *Server) methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		allow := []string{http.MethodOptions}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if pattern := routes.Find(chi.NewRouteContext(), method, r.URL.Path); pattern != "" {
				x.route = pattern
				allow = append(allow, method)
				if method == http.MethodGet {
					allow = append(allow, http.MethodHead)
				}
			}
		}
		if !s.admit(x, r) {
			return
		}
		slices.Sort(allow)
		x.Header().Set("Allow", strings.Join(allow, ", "))
		if r.Method == http.MethodOptions {
			x.WriteHeader(http.StatusNoContent)
			return
		}
		newProblem(methodNotAllowed, "The method "+strconv.Quote(clip(r.Method))+" is not one of "+strings.Join(allow, ", ")+".").write(x)
	}
}

// isProbe reports whether a request is one of those that ask how the service is.
func isProbe(r *http.Request) bool { return r.URL.Path == "/livez" || r.URL.Path == "/readyz" }

// readyz says whether this instance wants requests.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if !s.draining.Load() {
		s.probe(w, r, http.StatusOK, "ok\n")
		return
	}
	if x := exchangeOf(r.Context()); x != nil {
		x.quiet = true
		p := newProblem(shuttingDown, "The service finishes what it has accepted.")
		p.retryAfter = 1
		p.write(x)
		return
	}
	s.probe(w, r, http.StatusServiceUnavailable, "shutting down\n")
}

// probe answers a health probe.
func (s *Server) probe(w http.ResponseWriter, r *http.Request, status int, text string) {
	if x := exchangeOf(r.Context()); x != nil {
		x.quiet = true
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
