package shogihome_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// worker does as the Worker of ShogiHome: it loads a module, passes lines on in both directions, and
// says why the engine does not start. Those of before run first.
const worker = `
let engine
onmessage = async ({ data: { launch, before, line, terminate } }) => {
  try {
    if (launch) {
      eval(before)
      const { default: create } = await import(launch)
      engine = await create({ printErr: line => postMessage("ERR " + line),
        locateFile: path => new URL(path, launch).href })
      engine.addMessageListener(line => postMessage(line))
      postMessage("launched")
    } else if (terminate) engine.terminate()
    else engine.postMessage(line)
  } catch (e) {
    postMessage("ERR " + e.message)
  }
}`

// driver is the page: until returns the lines up to the one that begins so, and when it came.
const driver = `
let lines = [], wake = () => {}
window.launch = (url, before = "") => {
  lines = []
  const w = window.w = new Worker("/worker.js", { type: "module" })
  w.onmessage = e => { lines.push([e.data, performance.now()]); wake() }
  w.onerror = e => { lines.push(["ERR thrown: " + e.message, 0]); wake() }
  w.postMessage({ launch: new URL(url, location).href, before })
}
window.say = (...all) => all.forEach(line => w.postMessage({ line }))
window.until = async begin => {
  for (;;) {
    const i = lines.findIndex(([line]) => line.startsWith(begin) || line.startsWith("ERR"))
    if (i >= 0) return lines.splice(0, i + 1)
    await new Promise(done => wake = done)
  }
}
window.ask = async (begin, ...all) => { say(...all); return (await until(begin)).map(([line]) => line) }
window.stop = async begin => {
  const began = performance.now()
  say("stop")
  return (await until(begin)).at(-1)[1] - began
}
window.sleep = ms => new Promise(done => setTimeout(done, ms))
window.rest = () => lines.splice(0).map(([line]) => line)`

// newHost serves the engine and a page, which may run no script from elsewhere.
func newHost(t *testing.T) string {
	engine := files(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		name, isEngine := strings.CutPrefix(r.URL.Path, "/engine/")
		switch {
		case r.URL.Path == "/":
			h.Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><title>Engine</title><link rel="icon" href="data:,">`+
				`<script src="/driver.js"></script>`)
		case r.URL.Path == "/driver.js", r.URL.Path == "/worker.js":
			h.Set("Content-Type", "text/javascript")
			h.Set("Content-Security-Policy", "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'")
			fmt.Fprint(w, map[bool]string{true: driver, false: worker}[r.URL.Path == "/driver.js"])
		case isEngine && engine[name] != nil:
			h.Set("Content-Type", "application/octet-stream") // of a host that knows no WebAssembly
			if path.Ext(name) == ".js" {
				h.Set("Content-Type", "text/javascript")
			}
			_, _ = w.Write(engine[name])
		case r.URL.Path == "/alone/tsumero.js": // without its program
			h.Set("Content-Type", "text/javascript")
			_, _ = w.Write(engine["tsumero.js"])
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestBrowser: the engine does in a Worker of a browser what it does elsewhere.
func TestBrowser(t *testing.T) {
	for name, open := range map[string]func(testing.TB, browsertest.Screen) *browsertest.Page{
		"Chromium": browsertest.Open, "Firefox": browsertest.OpenFirefox,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, browsertest.Screen{Still: true})
			p.Goto(newHost(t))
			p.Do(`launch("/engine/tsumero.js")`)
			ask := func(begin string, commands ...string) []string {
				t.Helper()
				script := fmt.Sprintf("ask(%q", begin)
				for _, c := range commands {
					script += fmt.Sprintf(", %q", c)
				}
				lines := browsertest.Eval[[]string](p, script+")")
				if last := lines[len(lines)-1]; !strings.HasPrefix(last, begin) {
					t.Fatalf("%q: %q", commands, lines)
				}
				return lines
			}
			ask("launched")
			ask("usiok", "usi")
			ask("readyok", "setoption name USI_Hash value 32", "isready")
			mate := ask("checkmate ", "position sfen "+mate7, "go mate 60000")
			checkMate(t, "sfen "+mate7, mate[len(mate)-1], 7)
			ask("checkmate nomate", "position sfen 4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1", "go mate infinite")
			ask("checkmate timeout", "position sfen "+hard, "go mate 300")
			ask("bestmove ", "position startpos", "go byoyomi 300")
			var took []float64
			for range 5 {
				for _, s := range []struct{ position, goes, end string }{
					{"sfen " + hard, "go mate infinite", "checkmate timeout"},
					{"startpos", "go infinite", "bestmove "},
				} {
					ask("readyok", "position "+s.position, s.goes, "isready") // while it searches
					took = append(took, browsertest.Eval[float64](p, fmt.Sprintf(
						"sleep(100).then(() => stop(%q))", s.end)))
				}
			}
			slices.Sort(took)
			median := took[len(took)/2]
			t.Logf("stopped after %.1f ms, %.1f at most", median, took[len(took)-1])
			if median > 5000 { // it is not heard: an idle machine takes a few milliseconds
				t.Errorf("stopped after %.1f ms", took)
			}
			for _, end := range []string{`say("quit")`, `w.postMessage({ terminate: true })`} {
				p.Do(`launch("/engine/tsumero.js")`)
				ask("launched")
				ask("readyok", "isready")
				// Nothing comes after the end, which the second isready would ask for.
				rest := browsertest.Eval[[]string](p, fmt.Sprintf("(say('position sfen %s', 'go mate infinite'),"+
					" sleep(100).then(() => { rest(); %s; say('stop', 'isready'); return sleep(200) }).then(rest))",
					hard, end))
				if len(rest) > 0 {
					t.Errorf("after %s: %q", end, rest)
				}
			}
			for _, f := range []struct{ launch, before, want string }{
				{"/engine/tsumero.js", "delete self.WebAssembly", "ERR Tsumero needs WebAssembly, which is missing here"},
				{"/alone/tsumero.js", "", ".wasm cannot be loaded: status 404"},
			} {
				p.Do(fmt.Sprintf("launch(%q, %q)", f.launch, f.before))
				lines := browsertest.Eval[[]string](p, `ask("launched")`)
				if !strings.Contains(lines[0], f.want) {
					t.Errorf("%s %s: %q", f.launch, f.before, lines)
				}
			}
			p.Errors() // that the program is not there
		})
	}
}
