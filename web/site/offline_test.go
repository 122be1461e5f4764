package site_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/internal/enginetest"
	"github.com/tsumero/tsumero/web/site"
)

// A network is between a browser and a service, which may be another one later, or not be reached.
type network struct {
	url    string
	mu     sync.Mutex
	pages  http.Handler
	isDown bool
	asked  []string
}

func newNetwork(t *testing.T) *network {
	n := &network{}
	files, boards := enginetest.Files(t), board.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		pages, isDown := n.pages, n.isDown
		n.asked = append(n.asked, r.URL.RequestURI())
		n.mu.Unlock()
		name, isEngine := strings.CutPrefix(r.URL.Path, "/engine/")
		switch {
		case isDown:
			panic(http.ErrAbortHandler)
		case isEngine && path.Ext(name) == ".wasm":
			w.Header().Set("Content-Type", "application/wasm")
			fallthrough
		case isEngine:
			w.Header().Add("Content-Type", "text/javascript")
			_, _ = w.Write(files[name])
		case strings.HasPrefix(r.URL.Path, "/embed") && path.Ext(r.URL.Path) == ".js":
			boards.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/v1/"):
			http.NotFound(w, r) // no API: what boards ask is for the engine
		default:
			pages.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

func (n *network) set(isDown bool, pages http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.isDown = isDown; pages != nil {
		n.pages = pages
	}
}

// engineFiles are the addresses of what boards load.
func engineFiles(t *testing.T) (list []string) {
	for name := range enginetest.Files(t) {
		if !strings.HasPrefix(name, "full-") {
			list = append(list, "/engine/"+name)
		}
	}
	slices.Sort(list)
	return list
}

func newPages(t *testing.T, c site.Config) http.Handler {
	c.MaxTime = time.Second
	h, err := site.Handler(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// offlineProblem is a mate in 5: R*1a 1b1a 2b2a+ 1a1b 2d2b+.
const offlineProblem = "9/7Lk/9/7R1/9/9/9/9/9_b_R2b4g4s4n3l18p_1"

// solveOffline plays a wrong move, which is refuted, and then the solution.
func solveOffline(t *testing.T, p *browsertest.Page) {
	t.Helper()
	p.Wait(`document.querySelector("tsume-board")?.ready`)
	p.Do(`window.b = document.querySelector("tsume-board"); await b.ready`)
	for _, move := range []struct{ usi, want string }{
		{"R*1c", "wrong"}, {"R*1a", "replied"}, {"2b2a+", "replied"}, {"2d2b+", "solved"},
	} {
		if got := browsertest.Eval[string](p, fmt.Sprintf(`b.play(%q)`, move.usi)); got != move.want {
			t.Fatalf("%s: %s, want %s", move.usi, got, move.want)
		}
		if move.want == "wrong" {
			p.Wait(`b.state === "play"`)
		}
	}
}

// await waits until a promise comes to true.
func await(p *browsertest.Page, script string) {
	p.Do(`for (;;) {
		if (await (` + script + `)) break;
		await new Promise((done) => setTimeout(done, 50));
	}`)
}

// keptPages returns the paths of the pages that the service worker keeps.
func keptPages(p *browsertest.Page) []string {
	return browsertest.Eval[[]string](p, `(async () => {
		const all = [];
		for (const name of await caches.keys()) {
			if (!name.endsWith("-pages")) continue;
			for (const { url } of await (await caches.open(name)).keys()) all.push(new URL(url).pathname);
		}
		return all;
	})()`)
}

const japan = 9 * time.Hour

func japanDate(ahead int) string {
	return time.Now().UTC().Add(japan + time.Duration(ahead)*24*time.Hour).Format(time.DateOnly)
}

// TestOffline: without a network readers have what they read, the problem of the day and those of the
// next days, each from its day on, and any problem whose address says it; boards judge all moves.
func TestOffline(t *testing.T) {
	for name, open := range map[string]func(testing.TB, browsertest.Screen) *browsertest.Page{
		"Chromium": browsertest.Open, "Firefox": browsertest.OpenFirefox,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, browsertest.Screen{Still: true})
			n := newNetwork(t)
			engine := engineFiles(t)
			n.set(false, newPages(t, site.Config{Engine: engine}))
			p.Goto(n.url + "/p?sfen=" + offlineProblem + "&lang=en")
			p.Wait(`navigator.serviceWorker.controller !== null`)
			ask, _ := json.Marshal(engine[0])
			await(p, `caches.match(`+string(ask)+`)`)
			kept := keptPages(p)
			for ahead := range 8 {
				if !slices.Contains(kept, "/daily/"+japanDate(ahead)) {
					t.Errorf("the problem in %d days is not kept: %v", ahead, kept)
				}
			}
			set := "/set?sfen=" + offlineProblem + "&sfen=4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p_1&lang=en"
			p.Goto(n.url + set)

			n.set(true, nil)
			p.Goto(n.url + "/daily?lang=en")
			if got := browsertest.Eval[string](p, `document.querySelector("tsume-board").getAttribute("sfen")`); got == "" {
				t.Error("no problem of the day")
			}
			p.Goto(n.url + set)
			p.Wait(`document.querySelectorAll("tsume-board").length === 2`)
			p.Goto(n.url + "/p?sfen=" + offlineProblem + "&lang=en")
			solveOffline(t, p)
			if n := browsertest.Eval[int](p, `localStorage.length`); n == 0 {
				t.Error("no progress is kept")
			}
			// One that was never opened: another problem, mirrored.
			p.Goto(n.url + "/p?sfen=" + offlineProblem + "&title=Never+opened&lang=en")
			if got := browsertest.Eval[string](p, `document.querySelector("h1").textContent`); got != "Never opened" {
				t.Errorf("a problem that was never opened: %q", got)
			}
			solveOffline(t, p)
			p.Goto(n.url + "/daily/" + japanDate(1) + "?lang=en")
			if got := browsertest.Eval[string](p, `document.querySelector("h1").textContent`); got != "You are offline" {
				t.Errorf("the problem of tomorrow: %q", got)
			}
			if got := browsertest.Eval[[]string](p, `[...document.querySelectorAll("#days a")].map((a) => a.textContent)`); len(got) != 1 || got[0] != japanDate(0) {
				t.Errorf("the days that are kept up to today: %v", got)
			}
			p.Errors() // a browser writes of each request that fails
		})
	}
}

// TestUpgrade: another version takes the place of the one before at the next page, with all that was
// kept, and nothing of the old one is mixed with it.
func TestUpgrade(t *testing.T) {
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	n := newNetwork(t)
	n.set(false, newPages(t, site.Config{}))
	names := func() []string { return browsertest.Eval[[]string](p, `caches.keys()`) }
	p.Goto(n.url + "/p?sfen=" + offlineProblem + "&lang=en")
	p.Wait(`navigator.serviceWorker.controller !== null`)
	await(p, `caches.match(location.href)`)
	first := names()

	n.set(false, newPages(t, site.Config{Engine: engineFiles(t)})) // other pages, with other files
	p.Goto(n.url + "/daily?lang=en")
	if got := browsertest.Eval[string](p, `document.querySelector("tsume-board").getAttribute("engine")`); got != "auto" {
		t.Errorf("the page is of the old version: engine=%q", got)
	}
	await(p, `caches.keys().then((names) => names.some((name) => name.endsWith("-pages")) &&
		!names.includes(`+fmt.Sprintf("%q", pagesOf(first))+`))`)
	n.set(true, nil)
	p.Goto(n.url + "/p?sfen=" + offlineProblem + "&lang=en") // which was read in the old version
	if got := browsertest.Eval[string](p, `document.querySelector("tsume-board").getAttribute("engine")`); got != "auto" {
		t.Errorf("the kept page is of the old version: engine=%q", got)
	}
	if got := names(); len(got) != 3 {
		t.Errorf("the caches are %v, after %v: expected the files of the version before and both of this one", got, first)
	}
	p.Errors()
}

func pagesOf(names []string) string {
	i := slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, "-pages") })
	return names[i]
}
