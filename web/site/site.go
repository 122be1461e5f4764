// Package site serves the pages of the service: the one at /, that of a problem for its readers at
// /p and with the tools at /study, the problem of the day at /daily and those until now at /problems,
// that of a set of problems at /set, that of runs over numbered sets at /train, that which judges games
// at /games, what other sites embed at /embed, and /oembed for those that ask how. They are clients of
// the public API like everybody else; here is only what a page consists of before a script asks
// anything.
//
// Nothing is loaded from elsewhere, no cookie is set, and every page says so in its
// Content-Security-Policy. Only /embed may be shown inside other pages. Without scripts the pages
// show the position as a picture.
//
// Where the service has jobs, /jobs takes long searches and /jobs/{id} shows one. They work without
// scripts, and take jobs as the API does, so that quotas and refusals are its own. At /compose
// authors have the service look for sound problems, as jobs too.
//
// The language is that of the parameter lang, ja or en, else what the browser prefers, Japanese
// where it does not say, and English where it asks for neither.
package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/web/board"
)

//go:embed *.html
var pages embed.FS

// A Config is what the pages have to know of the service.
type Config struct {
	// MaxTime is the longest search that the API allows, at least a millisecond. Caches ask about
	// pages each time, so that what these offer is never older than the service.
	MaxTime time.Duration
	// Analyses says that the API offers analyses.
	Analyses bool
	// Levels are those that the API plays at, none if it does not play.
	Levels []Level
	// Jobs returns the jobs of the service, once there are requests. nil: there are no jobs, and no
	// pages of them.
	Jobs func() Jobs
	// Now returns the time, which says which problem is that of today. Default: time.Now.
	Now func() time.Time
	// Engine are the paths of the files of the solver for browsers, below the root: those that boards
	// load. Without them the boards of the pages ask the service alone.
	Engine []string
	// Tools are those that the page of games loads besides, where the service does not answer.
	Tools []string
	// SecurityContact is what /.well-known/security.txt names for faults of the service, as CheckContact
	// wants it. Without it there is no such file.
	SecurityContact string
}

type handler struct {
	config    Config
	assets    *assets
	templates *template.Template
	version   string // of the pages, with all that they load
	workerJS  []byte
	origins   *http.CrossOriginProtection
}

// Handler returns the handler of the pages, an *http.ServeMux. It answers every path, with a page that
// says so where there is nothing, by the pattern "GET /".
func Handler(c Config) (http.Handler, error) {
	if c.MaxTime < time.Millisecond {
		return nil, fmt.Errorf("site: Config.MaxTime is %v, less than a millisecond", c.MaxTime)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if err := CheckContact(c.SecurityContact); err != nil {
		return nil, fmt.Errorf("site: Config.SecurityContact: %w", err)
	}
	files, err := loadAssets()
	if err != nil {
		return nil, err
	}
	h := &handler{config: c, assets: files, origins: http.NewCrossOriginProtection()}
	h.templates, err = template.New("").Funcs(template.FuncMap{
		"asset":   files.address,
		"imports": files.importedBy,
		"script":  scriptAddress,

		"titles":     titles,
		"extensions": extensions,
		"saved":      saved,
		"upper":      strings.ToUpper,
	}).ParseFS(pages, "*.html")
	if err != nil {
		return nil, err
	}
	if err = h.makeWorker(); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.home)
	mux.HandleFunc("GET /p", h.problem)
	mux.HandleFunc("GET /study", h.study)
	mux.HandleFunc("GET /set", h.set)
	mux.HandleFunc("GET /games", h.games)
	mux.HandleFunc("GET /daily", h.daily)
	mux.HandleFunc("GET /daily/{date}", h.daily)
	mux.HandleFunc("GET /daily/ahead/{date}", h.dailyAhead)
	mux.HandleFunc("GET /daily/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, (&url.URL{Path: "/daily", RawQuery: r.URL.RawQuery}).String(), http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /daily.json", h.dailyJSON)
	mux.HandleFunc("GET /daily.atom", h.dailyFeed)
	mux.HandleFunc("GET /problems", h.collections)
	mux.HandleFunc("GET /train", h.train)
	mux.HandleFunc("GET /train/{file}", h.trainFile)
	mux.HandleFunc("GET /sitemap.xml", h.sitemap)
	mux.HandleFunc("GET /robots.txt", h.robots)
	mux.HandleFunc("GET /manifest.webmanifest", h.manifest)
	mux.HandleFunc("GET /worker.js", h.worker)
	mux.HandleFunc("GET /offline", func(w http.ResponseWriter, r *http.Request) {
		v := h.newLayout(r)
		h.render(w, r, http.StatusOK, "offline.html", &v)
	})
	if c.SecurityContact != "" {
		mux.HandleFunc("GET /.well-known/security.txt", h.security)
	}
	mux.HandleFunc("GET /embed", h.embed)
	mux.HandleFunc("GET /oembed", h.oembed)
	board.Docs(func(r *http.Request) (lang, origin string) {
		v := h.newLayout(r)
		return v.Lang, v.Origin
	}).Register(mux)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/favicon.svg", http.StatusMovedPermanently)
	})
	if c.Jobs != nil {
		mux.HandleFunc("GET /compose", h.compose)
		mux.HandleFunc("GET /jobs", h.jobs)
		mux.HandleFunc("POST /jobs", h.submit)
		mux.HandleFunc("GET /jobs/{id}", h.job)
		mux.HandleFunc("GET /jobs/{id}/sheet", h.jobSheet)
		mux.HandleFunc("POST /jobs/{id}/cancel", h.cancel)
	}
	mux.HandleFunc("GET /", h.file)
	return mux, nil
}

// sendTagged answers with the body, or that the client has it.
func sendTagged(w http.ResponseWriter, r *http.Request, contentType, tag string, body []byte) {
	if !httpheader.NotModified(w, r, tag) {
		send(w, r, http.StatusOK, contentType, body)
	}
}

func send(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that is gone needs no page
	}
}

// The policies of pages: everything from here and nothing else. The bundle of the board writes no
// style elements, so that no hash is needed for them.
const (
	policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"manifest-src 'self'; " +
		"base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types tsumero tsumero-app; frame-ancestors "
	framedNowhere  = policy + "'none'"
	framedAnywhere = policy + "*"
)

// withEngine returns a policy that allows the solver too, where there is one: Firefox compiles it by the
// policy of the page.
func (h *handler) withEngine(policy string) string {
	if len(h.config.Engine) == 0 {
		return policy
	}
	return strings.Replace(policy, "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", 1)
}

// titles lists the notations that the pages read, beside SFEN and USI.
func titles(lang string) string {
	if lang == "ja" {
		return strings.Join(notation.Titles(), "・")
	}
	return notation.List(notation.Titles(), "or")
}

// extensions are those of files of records, in the form of an attribute accept.
func extensions() string {
	list := slices.DeleteFunc(notation.Extensions(),
		func(ext string) bool { return notation.OfExtension(ext) == notation.SFEN })
	return strings.Replace(strings.Join(list, ","), ".kifu", ".kifu,.kif2", 1)
}

// saved are the notations in which a page saves an answer: those of records, without Print and SFEN,
// which are the last.
func saved() []string {
	names := notation.Names(notation.Written())
	return names[:len(names)-2]
}

// render answers with a page of a template.
func (h *handler) render(w http.ResponseWriter, r *http.Request, status int, name string, p page) {
	v := p.common()
	var buf bytes.Buffer
	if err := h.templates.ExecuteTemplate(&buf, name, p); err != nil {
		panic(err) // a template that does not fit the page: a test renders each
	}
	text := []byte(shogi.Visible(buf.String()))
	header := w.Header()
	header.Set("Content-Language", v.Lang)
	header.Set("Tsumero-Version", h.version) // for the service worker
	header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	if v.secret {
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Robots-Tag", "noindex")
	}
	header.Add("Vary", "Accept-Language, X-Forwarded-Proto") // see origin
	if name == "embed.html" {
		header.Set("Content-Security-Policy", h.withEngine(framedAnywhere))
		header.Set("Cross-Origin-Resource-Policy", "cross-origin")
		header.Set("Cross-Origin-Embedder-Policy", "require-corp") // without it a page that has it shows nothing
	} else {
		header.Set("Content-Security-Policy", h.withEngine(framedNowhere))
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
	}
	if status != http.StatusOK || name == "jobs.html" || name == "job.html" { // these change all the time
		header.Set("Cache-Control", "no-store")
		send(w, r, status, "text/html; charset=utf-8", text)
		return
	}
	header.Set("Cache-Control", httpheader.CacheScope(r, text)+", no-cache") // another version of the program may have another
	sendTagged(w, r, "text/html; charset=utf-8", httpheader.ETag(text), text)
}
