package board_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// A slowHost serves a page with a board, and what the board loads. It holds back one path.
type slowHost struct {
	url string

	mu      sync.Mutex
	path    string
	asked   chan struct{} // is closed when the path is first asked for
	release chan struct{} // is closed when it may be answered
	missing bool          // it is answered with a 404
}

func newSlowHost(t *testing.T, page string) *slowHost {
	h := &slowHost{}
	files := http.FileServer(http.Dir("dist"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		isHeld, asked, release, missing := r.URL.Path == h.path, h.asked, h.release, h.missing
		if isHeld {
			h.path = ""
			close(asked)
		}
		h.mu.Unlock()
		if isHeld {
			<-release
		}
		w.Header().Set("Cache-Control", "no-store") // so that each page asks
		switch {
		case isHeld && missing:
			http.NotFound(w, r)
		case r.URL.Path == "/":
			_, _ = fmt.Fprint(w, page)
		case r.URL.Path == "/record":
			_, _ = fmt.Fprint(w, "sfen "+problem)
		case strings.HasPrefix(r.URL.Path, "/embed"):
			files.ServeHTTP(w, r)
		default:
			w.WriteHeader(http.StatusNoContent) // a browser asks for an icon
		}
	}))
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// hold holds the next request for a path back until answer is called.
func (h *slowHost) hold(t *testing.T, path string, missing bool) (waitAsked, answer func()) {
	asked, release := make(chan struct{}), make(chan struct{})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.path, h.missing, h.asked, h.release = path, missing, asked, release
	waitAsked = func() {
		select {
		case <-asked:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s was not asked for", path)
		}
	}
	answer = sync.OnceFunc(func() { close(release) })
	t.Cleanup(answer)
	return waitAsked, answer
}

// TestReady: the promise resolves when the board shows what its attributes say, and not before.
func TestReady(t *testing.T) {
	const empty = "9/9/9/9/9/9/9/9/9 b - 1"
	h := newSlowHost(t, pageWith("ja", `<script src="/embed.js"></script>`, tag(`sfen="`+problem+`"`)))
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	open := func() {
		p.Goto(h.url)
		p.Do(listen)
	}
	seen := func(selector string) string { return "!!" + in(selector) + "?.checkVisibility()" }
	const isReady = `let isReady = false; b.ready.then(() => (isReady = true)); window.isReady = () => isReady; `
	record, _ := json.Marshal("sfen " + problem + " moves " + strings.Join(solution, " "))

	for _, c := range []struct {
		name, path string
		change     string // of the attributes
		shown      string // what is true of the board then, and was not before
	}{
		{"edit", "/embed-edit.js", `b.mode = "edit"`, seen(".edit")},
		{"caption", "/embed-more.js", `b.setAttribute("caption", "第一番")`, seen(".caption")},
		{"pieces", "/embed-more.js", `window.ink = ` + in(".ink") + `.outerHTML; b.pieces = "international"`,
			"ink !== " + in(".ink") + ".outerHTML"},
		{"record", "/embed-record.js", `b.sfen = null; b.record = ` + string(record), "b.goTo(9) || b.played.length === 5"},
		{"inside", "/embed-more.js", `b.sfen = null; b.textContent = ` + string(record), "b.goTo(9) || b.played.length === 5"},
		{"src", "/record", `b.sfen = null; b.src = "/record"`, "b.position === '" + problem + "'"},
		{"all", "/record", `b.sfen = null; b.src = "/record"; b.mode = "edit"; b.caption = "第一番"`,
			"b.position === '" + problem + "' && " + seen(".edit") + " && " + seen(".caption")},
	} {
		t.Run(c.name, func(t *testing.T) {
			open()
			waitAsked, answer := h.hold(t, c.path, false)
			p.Do(c.change)
			waitAsked()
			p.Do("b.flip = true; " + isReady) // nothing that is loaded depends on it
			if browsertest.Eval[bool](p, c.shown) || browsertest.Eval[bool](p, "isReady()") {
				t.Error("it is ready before the host has answered")
			}
			answer()
			if !browsertest.Eval[bool](p, "b.ready.then(() => isReady() && ("+c.shown+"))") {
				t.Error("it is not shown when it is ready")
			}
			if got := browsertest.Eval[string](p, "b.state"); got != "play" {
				t.Errorf("the state is %s", got)
			}
		})
	}

	// What cannot be loaded is told by the state and an event, not by the promise.
	for _, c := range []struct{ name, path, change, code string }{
		{"no editor", "/embed-edit.js", `b.mode = "edit"`, "load"},
		{"no more", "/embed-more.js", `b.caption = "第一番"`, "load"},
		{"no record", "/record", `b.sfen = null; b.src = "/record"`, "src"},
	} {
		t.Run(c.name, func(t *testing.T) {
			open()
			_, answer := h.hold(t, c.path, true)
			answer()
			state := browsertest.Eval[string](p, `(async () => { `+c.change+`; await b.ready; return b.state })()`)
			if got := events[struct{ Code string }](p, "error"); state != "stopped" || len(got) != 1 || got[0].Code != c.code {
				t.Errorf("the state is %s, tsume-error: %+v", state, got)
			}
			_ = p.Errors() // of the browser, about the 404
			// It can be tried again.
			p.Do(button("再試行") + ".click(); await b.ready")
			if got := browsertest.Eval[string](p, "b.state"); got != "play" {
				t.Errorf("after another attempt the state is %s", got)
			}
		})
	}

	// What is no longer wanted is not waited for.
	t.Run("change of mind", func(t *testing.T) {
		open()
		waitAsked, answer := h.hold(t, "/embed-edit.js", false)
		p.Do(`b.mode = "edit"; ` + isReady)
		waitAsked()
		p.Do(`b.mode = "solve"; await b.ready`)
		if !browsertest.Eval[bool](p, button("ヒント")+".checkVisibility()") {
			t.Error("the board is not to be solved")
		}
		p.Do(`b.mode = "edit"; ` + isReady)
		if browsertest.Eval[bool](p, "isReady()") {
			t.Error("it is ready before the host has answered")
		}
		answer()
		if !browsertest.Eval[bool](p, "b.ready.then(() => "+seen(".edit")+")") {
			t.Error("the editor is not shown")
		}
	})

	// A board that is not in the page yet.
	t.Run("made", func(t *testing.T) {
		open()
		got := browsertest.Eval[[]bool](p, `(async () => {
			window.b = Object.assign(document.createElement("tsume-board"), { sfen: "`+empty+`", mode: "edit", caption: "第一番" });
			await b.ready;
			const has = ["`+problem+`", "`+empty+`"].map((sfen) => b.position === sfen).concat(!!`+in(".edit")+`, `+in(".caption")+`?.textContent.trim() === "第一番");
			document.body.append(b);
			await b.ready;
			return has.concat(`+seen(".edit")+`, `+seen(".caption")+`);
		})()`)
		if fmt.Sprint(got) != "[false true true true true true]" {
			t.Errorf("a board that was made by a script: %v", got)
		}
	})
}
