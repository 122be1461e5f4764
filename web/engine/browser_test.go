package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/book"
	"github.com/tsumero/tsumero/web/engine"
	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/internal/enginetest"
	"github.com/tsumero/tsumero/web/sheet"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// A host serves the board and the engine, a page, and an API if there is one.
type host struct {
	url    string
	page   string
	header http.Header // of the page
	script http.Header // of the script of the Worker
	api    http.Handler
	before func(w http.ResponseWriter, r *http.Request) bool // answers a request in another way

	mu    sync.Mutex
	asked []string // paths
}

// newHost starts a host. A page is opened after it, so that it is closed before: some ask for more
// once they are solved.
func newHost(t testing.TB, body string) *host {
	files := enginetest.Files(t)
	h := &host{header: http.Header{}, script: http.Header{}}
	h.page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tsume</title><link rel="icon" href="data:,">` +
		`<script src="/embed.js"></script><main>` + body + `</main></html>`
	boards := board.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, r.URL.Path)
		before, api := h.before, h.api
		h.mu.Unlock()
		if before != nil && before(w, r) {
			return
		}
		file, isEngine := strings.CutPrefix(r.URL.Path, "/engine/")
		switch {
		case r.URL.Path == "/":
			maps.Copy(w.Header(), h.header)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, h.page)
		case isEngine && files[file] != nil:
			// A host that knows nothing of WebAssembly, and lets pages elsewhere read its files.
			w.Header().Set("Content-Type", "application/octet-stream")
			if path.Ext(file) == ".js" {
				w.Header().Set("Content-Type", "text/javascript")
				maps.Copy(w.Header(), h.script)
			}
			w.Header().Set("Access-Control-Allow-Origin", "*")
			_, _ = w.Write(files[file])
		case strings.HasPrefix(r.URL.Path, "/v1/") && api != nil:
			api.ServeHTTP(w, r)
		default:
			boards.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// requests returns how many requests there were for paths that begin so.
func (h *host) requests(prefix string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.asked {
		if strings.HasPrefix(p, prefix) {
			n++
		}
	}
	return n
}

func (h *host) set(before func(w http.ResponseWriter, r *http.Request) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.before = before
}

// newAPI returns the handler of a service.
func newAPI(t testing.TB) http.Handler {
	s, err := httpapi.New(httpapi.Config{Solver: mate.New(mate.Options{}), RatePerMinute: -1,
		Quick: mate.New(mate.Options{TableBytes: 4 << 20}), CORSOrigins: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Handler()
}

// The problem is a mate in 5: R*1a 1b1a 2b2a+ 1a1b 2d2b+. The last move can be made without promotion,
// but does not mate then.
const problem = "9/7Lk/9/7R1/9/9/9/9/9 b R2b4g4s4n3l18p 1"

func tag(attributes string) string {
	return `<tsume-board mode="solve" sfen="` + problem + `" ` + attributes + `></tsume-board>`
}

const listen = `window.b = document.querySelector("tsume-board"); window.faults = [];
	b.addEventListener("tsume-error", (e) => faults.push(e.detail.code + ": " + e.detail.detail)); await b.ready`

// status is what the board says.
func status(p *browsertest.Page) string {
	return browsertest.Eval[string](p, `b.shadowRoot.querySelector("p").innerText`)
}

// solve plays a wrong move, which is refuted, and then the solution.
func solve(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for _, move := range []struct{ usi, want string }{
		{"R*1c", "wrong"}, {"R*1a", "replied"}, {"2b2a+", "replied"}, {"2d2b+", "solved"},
	} {
		if got := browsertest.Eval[string](p, fmt.Sprintf(`b.play(%q)`, move.usi)); got != move.want {
			t.Fatalf("%s: %s, want %s; the board says %q, faults %v", move.usi, got, move.want, status(p),
				browsertest.Eval[[]string](p, "faults"))
		}
		if move.want == "wrong" {
			p.Wait(`b.state === "play"`)
		}
	}
	want := []string{"R*1a", "1b1a", "2b2a+", "1a1b", "2d2b+"}
	if got := browsertest.Eval[[]string](p, "b.played"); !slices.Equal(got, want) {
		t.Errorf("played %v", got)
	}
}

// TestLocal: nobody is asked, and a wrong move is refuted all the same. The page has the strictest
// policy that it can have.
func TestLocal(t *testing.T) {
	for name, open := range map[string]func(testing.TB, browsertest.Screen) *browsertest.Page{
		"Chromium": browsertest.Open, "Firefox": browsertest.OpenFirefox,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, browsertest.Screen{Still: true})
			h := newHost(t, tag(`engine="local"`))
			h.header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "+
				"worker-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; "+
				"require-trusted-types-for 'script'; trusted-types tsumero")
			p.Goto(h.url)
			p.Do(listen)
			if n := h.requests("/engine/"); n != 0 {
				t.Errorf("%d requests for the engine before a move", n)
			}
			solve(t, p)
			if h.requests("/v1/") != 0 || h.requests("/engine/board-") != 1 || h.requests("/engine/full-") != 0 {
				t.Errorf("asked for %v", h.asked)
			}
		})
	}
}

// TestAuto: the service is asked while it answers, and the engine where it does not, is busy, or is
// slow; what the service says of a question stands.
func TestAuto(t *testing.T) {
	for name, c := range map[string]struct {
		before func(w http.ResponseWriter, r *http.Request) bool
		loads  bool // the engine
	}{
		"up": {nil, false},
		"busy": {func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, true},
		"down": {func(w http.ResponseWriter, r *http.Request) bool { panic(http.ErrAbortHandler) }, true},
		"slow": {func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = io.Copy(io.Discard, r.Body) // only then the end of the request is noticed
			<-r.Context().Done()
			return true
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, tag(`engine="auto"`))
			p := browsertest.Open(t, browsertest.Screen{Still: true})
			h.api = newAPI(t)
			h.set(func(w http.ResponseWriter, r *http.Request) bool {
				return c.before != nil && strings.HasPrefix(r.URL.Path, "/v1/") && c.before(w, r)
			})
			p.Goto(h.url)
			p.Do(listen)
			solve(t, p)
			if loaded := h.requests("/engine/") > 0; loaded != c.loads {
				t.Errorf("the engine was loaded: %v, want %v", loaded, c.loads)
			}
			if asked := h.requests("/v1/moves"); name != "up" && asked > 2 {
				t.Errorf("the service was asked %d times", asked)
			}
			p.Errors() // a browser writes of each request that fails
		})
	}
}

// TestForbidden: where a policy forbids WebAssembly or Workers, local says so and auto asks the
// service.
func TestForbidden(t *testing.T) {
	for name, policy := range map[string]string{
		"WebAssembly": "script-src 'self'; connect-src 'self'",
		"Workers":     "worker-src 'none'",
		"types":       "require-trusted-types-for 'script'; trusted-types 'none'",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, tag(`engine="local"`))
			p := browsertest.Open(t, browsertest.Screen{Still: true})
			h.api = newAPI(t)
			if name == "WebAssembly" { // a Worker of the page's origin has a policy of its own
				h.script.Set("Content-Security-Policy", policy)
			} else {
				h.header.Set("Content-Security-Policy", policy)
			}
			p.Goto(h.url)
			p.Do(listen)
			if got := browsertest.Eval[string](p, `b.play("R*1a")`); got != "failed" {
				t.Errorf("local: %s", got)
			}
			if text := status(p); !strings.Contains(text, "The engine cannot run in this browser or page") {
				t.Errorf("the board says %q", text)
			}
			if faults := browsertest.Eval[[]string](p, "faults"); len(faults) != 1 || !strings.HasPrefix(faults[0], "engine: ") {
				t.Errorf("faults %v", faults)
			}
			if n := h.requests("/v1/"); n != 0 {
				t.Errorf("local asked the service %d times", n)
			}
			p.Do(`b.engine = "auto"; await b.ready`)
			solve(t, p)
			p.Errors()
		})
	}
}

// TestForeignOrigin: a page elsewhere includes the script, and its Worker is a blob.
func TestForeignOrigin(t *testing.T) {
	service, page := newHost(t, ""), newHost(t, "")
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	page.page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Blog</title><link rel="icon" href="data:,">` +
		`<script src="` + service.url + `/embed.js"></script>` + tag(`engine="local"`) + `</html>`
	page.header.Set("Content-Security-Policy", "default-src 'none'; script-src "+service.url+" 'wasm-unsafe-eval'; "+
		"worker-src blob:; connect-src "+service.url+"; img-src data:")
	p.Goto(page.url)
	p.Do(listen)
	solve(t, p)
	if service.requests("/v1/") != 0 || page.requests("/engine/") != 0 {
		t.Error("another was asked")
	}
}

// TestLoading: while the engine is loaded for long the board says so, and goes on by itself.
func TestLoading(t *testing.T) {
	h := newHost(t, tag(`engine="local"`))
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	h.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, ".wasm") {
			time.Sleep(time.Second)
		}
		return false
	})
	p.Goto(h.url)
	p.Do(listen + `; window.said = []; new MutationObserver(() => said.push(b.shadowRoot.querySelector("p").innerText))
		.observe(b.shadowRoot, { subtree: true, childList: true, characterData: true })`)
	solve(t, p)
	said := browsertest.Eval[[]string](p, "said")
	if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "Loading the engine") }) {
		t.Errorf("the board said %q", said)
	}
}

// TestEngine: what a page without a board of its own asks: progress comes, and a stop is heard at
// once; the next question is answered by the same Worker.
func TestEngine(t *testing.T) {
	h := newHost(t, "")
	p := browsertest.Open(t, browsertest.Screen{})
	p.Goto(h.url)
	p.Do(`window.engine = (await import("/embed-engine.js")).engineOf()`)
	type stopped struct {
		Events int
		Took   float64
		Next   json.RawMessage
	}
	// Musō 5, proved in minutes.
	hard, _ := json.Marshal(map[string]any{"sfen": "+r2Bk1ln1/5l3/2p+b2pnp/3L1pP1s/3s1N3/R4N3/9/9/9 b 2S2P4gl11p 1",
		"limits": map[string]any{"time_ms": 60_000, "shortest": true}})
	s := browsertest.Eval[stopped](p, `(async () => {
		const body = `+string(mustJSON(string(hard)))+`, stop = new AbortController();
		let events = 0, took;
		const asked = engine("/v1/solve", { method: "POST", body, signal: stop.signal,
			progress: (name, data) => { if (name === "progress" && data.nodes >= 0) events++; } });
		while (events < 2) await new Promise((done) => setTimeout(done, 50));
		stop.abort();
		await asked.catch(() => {});
		const began = performance.now();
		const next = await engine("/v1/solve", { method: "POST", body: JSON.stringify({ sfen: "`+problem+`" }) });
		return { events, took: performance.now() - began, next: await next.json() };
	})()`)
	var next struct{ Verdict string }
	if err := json.Unmarshal(s.Next, &next); err != nil || next.Verdict != "mate" || s.Events < 2 {
		t.Errorf("%d events, then %s", s.Events, s.Next)
	}
	t.Logf("the next question was answered after %.0f ms", s.Took)
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// TestExport: a collection as a folder, on a file server that knows nothing, below some address.
func TestExport(t *testing.T) {
	folder := t.TempDir()
	files := maps.Clone(enginetest.Files(t))
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return engine.IsForTools(name) })
	var line []shogi.Move
	for _, text := range []string{"R*1a", "1b1a", "2b2a+", "1a1b", "2d2b+"} {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	p := book.Problem{Problem: sheet.Problem{Number: 1, Position: shogi.MustParseSFEN(problem), Line: line}}
	// The second has no line: nobody has found one.
	open := book.Problem{Problem: sheet.Problem{Number: 2, Position: p.Position, Unfinished: true}}
	if err := book.Write(filepath.Join(folder, "blog", "mates"), []book.Problem{p, open},
		book.Options{Language: "en", Engine: files}); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	static := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			asked.Add(1)
		}
		static.ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, name := range []string{"1.html", "2.html"} {
		page := browsertest.Open(t, browsertest.Screen{Still: true})
		page.Goto(server.URL + "/blog/mates/" + name)
		page.Do(listen)
		solve(t, page)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("a service was asked %d times", n)
	}
}
