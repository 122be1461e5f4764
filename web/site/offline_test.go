package site_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/internal/enginetest"
	"github.com/tsumero/tsumero/web/site"
)

// A network is between a browser and a service, which may be another one later, or not be reached.
type network struct {
	url   string
	mu    sync.Mutex
	state networkState
}

type networkState struct {
	pages    http.Handler
	isDown   bool
	noWorker bool // the service has no service worker any more
	status   int  // of all answers, if it is not 0
}

// moveClock lets a test move the clock of the service worker.
const moveClock = `{
	const now = Date.now;
	let days = 0;
	Date.now = () => now() + days * 86_400_000;
	addEventListener("message", ({ data }) => { days = data?.days ?? days; });
}
`

// movePageClock lets it move that of the pages, which all have one of these scripts.
const movePageClock = `if (!self.real) {
	self.real = Date.now;
	Date.now = () => real() + (sessionStorage.days ?? 0) * 86_400_000;
}
`

func newNetwork(t *testing.T) *network {
	n := &network{}
	boards, diagrams := board.Handler(), diagram.Handler(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		s := n.state
		n.mu.Unlock()
		name, isEngine := strings.CutPrefix(r.URL.Path, "/engine/")
		switch {
		case s.isDown:
			panic(http.ErrAbortHandler)
		case s.status != 0:
			http.Error(w, "Out of order.", s.status)
		case r.URL.Path == "/worker.js" && s.noWorker:
			http.NotFound(w, r)
		case r.URL.Path == "/worker.js":
			answer := httptest.NewRecorder()
			s.pages.ServeHTTP(answer, httptest.NewRequest("GET", "/worker.js", nil))
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			w.Header().Set("Cache-Control", answer.Header().Get("Cache-Control"))
			fmt.Fprint(w, moveClock, answer.Body)
		case isEngine && path.Ext(name) == ".wasm":
			w.Header().Set("Content-Type", "application/wasm")
			_, _ = w.Write(enginetest.Files(t)[name])
		case isEngine:
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(enginetest.Files(t)[name])
		case strings.HasPrefix(r.URL.Path, "/embed") && path.Ext(r.URL.Path) == ".js":
			boards.ServeHTTP(w, r)
		case r.URL.Path == "/v1/diagram.svg":
			diagrams.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/v1/"):
			http.NotFound(w, r) // no API: what boards ask is for the engine
		case strings.HasPrefix(r.URL.Path, "/static/app.") || strings.HasPrefix(r.URL.Path, "/static/offline."):
			answer := httptest.NewRecorder()
			s.pages.ServeHTTP(answer, r)
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			fmt.Fprint(w, movePageClock, answer.Body)
		default:
			s.pages.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

func (n *network) set(change func(s *networkState)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(&n.state)
}

func (n *network) down(isDown bool) { n.set(func(s *networkState) { s.isDown = isDown }) }

// engineFiles are the addresses of what boards load, and of what the tools load besides.
func engineFiles(t *testing.T) (boards, tools []string) {
	for name := range enginetest.Files(t) {
		if strings.HasPrefix(name, "full-") {
			tools = append(tools, "/engine/"+name)
		} else {
			boards = append(boards, "/engine/"+name)
		}
	}
	slices.Sort(boards)
	return boards, tools
}

func newPages(t *testing.T, c site.Config) http.Handler {
	c.MaxTime = max(c.MaxTime, time.Second)
	h, err := site.Handler(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (n *network) serve(t *testing.T, c site.Config) {
	pages := newPages(t, c)
	n.set(func(s *networkState) { s.pages = pages })
}

// offlineProblem is a mate in 5: R*1a 1b1a 2b2a+ 1a1b 2d2b+.
const offlineProblem = "9/7Lk/9/7R1/9/9/9/9/9_b_R2b4g4s4n3l18p_1"

// offlineGame is a game in which Black does not mate by G*5b.
const offlineGame = "position sfen 4k4/9/4G4/9/9/9/9/9/4K4 b Gr 1 moves 5i4i"

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

// awaitKept waits until the page and all that is loaded ahead are kept.
func awaitKept(p *browsertest.Page, address string) {
	p.Wait(`navigator.serviceWorker.controller !== null`)
	await(p, fmt.Sprintf(`caches.match(%q, { ignoreVary: true })`, address))
}

// keptPages returns the paths of what the newest version keeps.
func keptPaths(p *browsertest.Page) []string {
	return browsertest.Eval[[]string](p, `caches.keys().then((names) => caches.open(names.at(-1))).
		then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => new URL(url).pathname))`)
}

func heading(p *browsertest.Page) string {
	return browsertest.Eval[string](p, `document.querySelector("h1").textContent`)
}

func wantHeading(t *testing.T, p *browsertest.Page, want string) {
	t.Helper()
	if got := heading(p); !strings.Contains(got, want) {
		t.Errorf("the heading is %q, want %q", got, want)
	}
}

func waitNotice(p *browsertest.Page, says string) {
	p.Wait(fmt.Sprintf(`document.querySelector(".offline:not([hidden])")?.textContent.includes(%q)`, says))
}

func today() daily.Date { return daily.DateOf(time.Now()) }

func dayOf(d daily.Date) string { return d.Start().Format("Mon 2 Jan") }

// lastAhead is the address of the last day that is loaded ahead.
func lastAhead(lang string) string { return fmt.Sprintf("/daily/ahead/%v?lang=%s", today()+7, lang) }

func shoot(t *testing.T, p *browsertest.Page, name string) {
	folder := os.Getenv("BROWSER_SHOTS")
	if folder == "" || strings.HasPrefix(name, "Firefox") { // whose screen is always light
		return
	}
	for _, s := range []browsertest.Screen{
		{Width: 390, Height: 844, Still: true}, {Width: 390, Height: 844, Dark: true, Still: true},
		{Still: true}, {Dark: true, Still: true},
	} {
		p.Show(s)
		file := fmt.Sprintf("%s-%d-%v.png", name, s.Width, s.Dark)
		if err := os.WriteFile(filepath.Join(folder, file), p.PNG(false), 0o644); err != nil {
			t.Error(err)
		}
	}
	p.Show(browsertest.Screen{Still: true})
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
			engine, tools := engineFiles(t)
			n.serve(t, site.Config{Engine: engine, Tools: tools})
			p.Goto(n.url + "/p?sfen=" + offlineProblem + "&lang=en")
			awaitKept(p, engine[len(engine)-1])
			kept := keptPaths(p)
			for ahead := range daily.Date(8) {
				if !slices.Contains(kept, fmt.Sprintf("/daily/ahead/%v", today()+ahead)) {
					t.Errorf("the problem in %d days is not kept: %v", ahead, kept)
				}
			}
			set := "/set?sfen=" + offlineProblem + "&sfen=4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p_1&lang=en"
			p.Goto(n.url + set)
			awaitKept(p, set)
			if slices.Contains(keptPaths(p), tools[0]) {
				t.Error("all pages keep what the tools load")
			}
			p.Goto(n.url + "/games?lang=en")
			awaitKept(p, tools[0])

			p.Goto(n.url + "/train?lang=en")
			p.Wait(`navigator.serviceWorker.controller !== null`)
			await(p, `caches.match([...document.querySelectorAll("[data-set]")].at(-1).dataset.set, { ignoreVary: true })`)

			n.down(true)
			// A run over sets that were never opened.
			p.Goto(n.url + "/train?lang=en")
			waitNotice(p, "You are offline.")
			p.Wait(`window.set?.count > 0 && set.shadowRoot.querySelector(".choose button")?.textContent`)
			p.Do(`location.hash = "#2"; set.shadowRoot.querySelector(".choose button").click()`)
			p.Wait(`set.querySelector("[slot=run]")?.state === "play"`)
			p.Do(`const b = set.querySelector("[slot=run]"); await b.ready; const line = b.moves.split(" "); for (let i = 0; i < line.length; i += 2) await b.play(line[i])`)
			p.Wait(`set.shadowRoot.querySelector(".verdict").textContent === "Right!"`)
			shoot(t, p, name+"-train")
			p.Goto(n.url + "/daily?lang=en")
			wantHeading(t, p, dayOf(today()))
			waitNotice(p, "You are offline.")
			shoot(t, p, name+"-daily")
			p.Goto(n.url + set)
			p.Wait(`document.querySelectorAll("tsume-board").length === 2`)
			waitNotice(p, "You are offline.")
			shoot(t, p, name+"-set")
			p.Goto(n.url + "/games?lang=en")
			waitNotice(p, "You are offline.")
			p.Do(`document.querySelector("#text").value = "` + offlineGame + `"; document.querySelector("#go").click()`)
			p.Wait(`document.querySelector("#state").textContent.includes("missed 1 mate")`)
			p.Goto(n.url + "/p?sfen=" + offlineProblem + "&lang=en")
			solveOffline(t, p)
			if got := browsertest.Eval[string](p, `localStorage.getItem("tsume-progress")`); !strings.Contains(got, "solved") {
				t.Errorf("the progress is %s", got)
			}
			// One that was never opened.
			p.Goto(n.url + "/p?sfen=" + offlineProblem + "&title=Never+opened&lang=en")
			wantHeading(t, p, "Never opened")
			p.Wait(`document.querySelector(".own .ended")`) // it was solved under its other address
			solveOffline(t, p)
			shoot(t, p, name+"-never")
			p.Accessible()
			p.Goto(n.url + "/daily/" + (today() + 1).String() + "?lang=en")
			wantHeading(t, p, "You are offline")
			p.Wait(`document.querySelector("#missing").textContent.includes("comes at midnight")`)
			p.Wait(`document.querySelectorAll("#days a").length === 1`)
			shoot(t, p, name+"-tomorrow")
			p.Accessible()

			// Days pass. The page that stands open becomes that of the next day, whose problem counts.
			p.Goto(n.url + "/daily?lang=en")
			p.Do(`await document.querySelector("tsume-board").ready`)
			move := func(days int) {
				p.Do(fmt.Sprintf(`sessionStorage.days = %d;
					navigator.serviceWorker.controller.postMessage({ days: %[1]d })`, days))
			}
			move(1)
			p.Do(`dispatchEvent(new Event("focus"))`)
			p.Wait(fmt.Sprintf(`document.querySelector("h1")?.textContent.includes(%q)`, dayOf(today()+1)))
			p.Wait(`document.querySelector("tsume-board")?.moves`)
			p.Do(`window.b = document.querySelector("tsume-board"); await b.ready;
				const line = b.moves.split(" "); for (let i = 0; i < line.length; i += 2) await b.play(line[i])`)
			p.Wait(`localStorage.getItem("tsume-progress").includes("` + (today() + 1).String() + `")`)
			// After ten days those of the first seven are there, and that of the tenth is said not to be.
			move(10)
			p.Goto(n.url + "/daily?lang=en")
			wantHeading(t, p, "You are offline")
			p.Wait(`document.querySelector("#missing").textContent.includes("7 days ahead")`)
			p.Wait(`document.querySelectorAll("#days a").length === 8`)
			shoot(t, p, name+"-later")
			p.Goto(n.url + "/p?sfen=" + offlineProblem + "&lang=en")
			waitNotice(p, "This page is of "+time.Now().In(time.FixedZone("", 9*60*60)).Format("January 2"))
			for _, e := range p.Errors() { // a browser writes of each request that fails
				if strings.Contains(e, "Security-Policy") || strings.Contains(e, "Error:") {
					t.Error(e)
				}
			}
		})
	}
}

// TestEnginePolicy: pages may run the solver where there is one, and else nothing more than before.
func TestEnginePolicy(t *testing.T) {
	for _, engine := range [][]string{nil, {"/engine/engine.js"}} {
		w := httptest.NewRecorder()
		newPages(t, site.Config{Engine: engine}).ServeHTTP(w, httptest.NewRequest("GET", "/p", nil))
		policy := w.Header().Get("Content-Security-Policy")
		if strings.Contains(policy, "; script-src 'self' 'wasm-unsafe-eval'; ") != (engine != nil) {
			t.Errorf("with the engine %v the policy is %s", engine, policy)
		}
	}
}

// TestUpgrade: another version takes the place of the one before at the next page. Whatever is opened
// later, with a network or without, has files of its own version alone.
func TestUpgrade(t *testing.T) {
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	n := newNetwork(t)
	n.serve(t, site.Config{})
	old, read := "/p?sfen="+offlineProblem+"&lang=en", "/problems?lang=en"
	p.Goto(n.url + old)
	awaitKept(p, lastAhead("en"))
	p.Goto(n.url + read)
	awaitKept(p, read)
	version := func(path string) string {
		return browsertest.Eval[string](p, fmt.Sprintf(`fetch(%q).then((r) => r.headers.get("Tsumero-Version"))`, path))
	}
	caches := func() []string { return browsertest.Eval[[]string](p, `caches.keys()`) }
	first := caches()

	for i := range 2 {
		n.serve(t, site.Config{MaxTime: time.Duration(i+2) * time.Second})
		p.Goto(n.url + old)
		want := "tsumero-" + version("/")
		await(p, fmt.Sprintf(`caches.keys().then((names) => names.includes(%q) && names.length === 2)`, want))
		awaitKept(p, lastAhead("en"))
		await(p, fmt.Sprintf(`caches.open(%q).then((cache) => cache.match(%q, { ignoreVary: true }))`, want, old))
		n.down(true)
		p.Goto(n.url + old)
		got := browsertest.Eval[string](p, fmt.Sprintf(`caches.match(%q, { ignoreVary: true, cacheName: %q }).
			then((r) => "tsumero-" + r.headers.get("Tsumero-Version"))`, old, want))
		if got != want {
			t.Errorf("the kept page is of %s, want %s", got, want)
		}
		p.Goto(n.url + read)
		// What was read one version before is there with its own files; two versions before, not any more.
		if isThere := heading(p) != "You are offline"; isThere != (i == 0) {
			t.Errorf("after %d upgrades the heading is %q", i+1, heading(p))
		}
		n.down(false)
	}
	if slices.Contains(caches(), first[0]) {
		t.Errorf("the caches are %v, with that of two versions before", caches())
	}
	p.Errors()
}

// TestUpgradeScripts: a page of one version never runs a script that another one kept.
func TestUpgradeScripts(t *testing.T) {
	h := newPages(t, site.Config{})
	ask := func(target string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		return w.Body.String()
	}
	for _, target := range []string{"/", "/daily", "/problems", "/train", "/set", "/games", "/offline", "/p?sfen=" + offlineProblem} {
		for _, address := range strings.Split(ask(target), `src="`)[1:] {
			address, _, _ = strings.Cut(address, `"`)
			isFixed := strings.HasPrefix(address, "/static/") || strings.Contains(address, "?v=")
			if strings.Contains(address, ".js") && !isFixed {
				t.Errorf("%s loads %s, which may be of any version", target, address)
			}
		}
	}
	worker := ask("/worker.js")
	if strings.Contains(worker, `"/embed.js"`) || !strings.Contains(worker, `"/embed.js?v=`) {
		t.Error("the service worker keeps a script without its version")
	}
	again, w := httptest.NewRequest("GET", "/worker.js", nil), httptest.NewRecorder()
	again.Header.Set("If-None-Match", httpheader.ETag([]byte(worker)))
	if h.ServeHTTP(w, again); w.Code != http.StatusNotModified || w.Header().Get("Etag") == "" {
		t.Errorf("the service worker again: %d %v", w.Code, w.Header())
	}
}

// TestKeptBounds: what is kept has a limit, faults are not kept, and without room or without a service
// worker at the service nothing breaks.
func TestKeptBounds(t *testing.T) {
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	n := newNetwork(t)
	n.serve(t, site.Config{})
	own := "/p?sfen=" + offlineProblem + "&lang=en"
	p.Goto(n.url + own)
	awaitKept(p, lastAhead("en"))
	// 80 pages were read.
	p.Do(`const cache = await caches.open((await caches.keys()).at(-1));
		for (let i = 0; i < 80; i++) await cache.put("/p?sfen=" + i, new Response("read"))`)
	p.Goto(n.url + "/p?sfen=nothing&lang=en")
	wantHeading(t, p, "cannot be read")
	p.Goto(n.url + own + "&title=Newest")
	awaitKept(p, own+"&title=Newest")
	await(p, `caches.match("/p?sfen=0").then((r) => !r)`)
	var pages, days int
	for _, path := range keptPaths(p) {
		switch {
		case path == "/p":
			pages++
		case strings.HasPrefix(path, "/daily/ahead/"):
			days++
		case strings.HasPrefix(path, "/v1/") || path == "/embed":
			t.Errorf("%s is kept", path)
		}
	}
	if pages != 60 || days != 8 {
		t.Errorf("%d pages and %d days are kept, want 60 and 8", pages, days)
	}
	if browsertest.Eval[bool](p, `caches.match("/p?sfen=nothing&lang=en").then((r) => !!r)`) {
		t.Error("a fault is kept")
	}
	// A proxy says that the service is down.
	n.set(func(s *networkState) { s.status = http.StatusBadGateway })
	p.Goto(n.url + own + "&title=Newest")
	wantHeading(t, p, "Newest")
	n.set(func(s *networkState) { s.status = 0 })
	// A service of before there were service workers.
	n.set(func(s *networkState) {
		s.noWorker = true
		pages := s.pages
		s.pages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			pages.ServeHTTP(answer, r)
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			_, _ = w.Write(answer.Body.Bytes())
		})
	})
	p.Goto(n.url + own)
	await(p, `navigator.serviceWorker.getRegistrations().then((all) => all.length === 0)`)
	await(p, `caches.keys().then((names) => names.length === 0)`)
	p.Errors()
}
