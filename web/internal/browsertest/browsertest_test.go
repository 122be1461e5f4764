package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(m) }

// TestPress: a step waits until a reader could take it, and says why it cannot.
func TestPress(t *testing.T) {
	p := Open(t, Screen{Width: 400, Height: 300, Still: true})
	const id = "document.getElementById('x')"
	faults := []struct{ name, markup, cure, why string }{
		{"absent", "", "document.body.append(Object.assign(document.createElement('button'), { id: 'x', textContent: 'X' }))", "not there"},
		{"hidden", "<button id=x hidden>X</button>", "x.hidden = false", "not visible"},
		{"invisible", "<button id=x style='visibility: hidden'>X</button>", "x.style.visibility = ''", "not visible"},
		{"empty", "<div id=x></div>", "x.textContent = 'X'", "without a size"},
		{"disabled", "<button id=x disabled>X</button>", "x.disabled = false", "disabled"},
		{"disabled for readers", "<button id=x aria-disabled=true>X</button>", "x.ariaDisabled = null", "disabled"},
		{"covered", "<button id=x>X</button><div id=over style='position: fixed; inset: 0'></div>", "over.remove()", "covered"},
		{"moving", "<button id=x>X</button><style>@keyframes m { to { translate: 200px } } #x { animation: m 1s infinite linear }</style>",
			"x.style.animation = 'none'", "moves"},
	}
	p.Goto("data:text/html,<title>X</title>")
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			p.Do("document.body.innerHTML = `" + f.markup + "`; document.onclick = (e) => { document.title = e.target.id }; document.title = ''")
			p.Wait("document.getAnimations().every((a) => !a.pending)")
			if _, why := p.findPressable(100*time.Millisecond, id); !strings.Contains(why, f.why) {
				t.Errorf("it is said to be %q", why)
			}
			p.Do("setTimeout(() => { " + f.cure + " }, 30)")
			p.Click(id)
			if got := Eval[string](p, "document.title"); got != "x" {
				t.Errorf("the click went to %q", got)
			}
		})
	}
	// In a shadow root, and out of view.
	p.Do(`document.body.innerHTML = "<div style='height: 2000px'></div><div id=x></div>";
		x.attachShadow({ mode: "open" }).innerHTML = "<button><b>X</b></button>"`)
	p.Click(id + ".shadowRoot.querySelector('button')")
	p.Wait("document.title === 'x'")
}

// TestLayout: each kind of fault is found, and none in what is right.
func TestLayout(t *testing.T) {
	const button = `<button style="position: absolute; left: 200px; padding: 0; height: 44px; `
	p := Open(t, Screen{Width: 360, Height: 400, Touch: true})
	p.Goto("data:text/html,<!doctype html><meta name=viewport content=width=device-width><style>body { margin: 0 }</style>")
	for body, want := range map[string]string{
		`<p><button style="min-width: 44px; height: 44px">OK</button> and <a href="#">a link</a> in it</p>
			<div style="overflow: auto; width: 90px; height: 30px"><p style="width: 300px">This is scrolled to be read.</p></div>
			<label style="display: block; height: 44px">Name <input></label>`: "",
		`<p style="width: 600px">Wide</p>`:                                                            "240 pixels too wide",
		button + `width: 44px; white-space: nowrap">A long word</button>`:                             `the caption button "A long word" is cut by button`,
		`<p style="width: 30px; overflow: hidden; white-space: nowrap">A long word</p>`:               `the caption p "A long word" is cut by p`,
		`<div style="height: 10px; overflow: hidden"><p style="margin: 20px">Low</p></div>`:           `the caption p "Low" is cut by div`,
		button + `width: 40px">A</button>`:                                                            `button "A" has 40 × 44 pixels`,
		`<a href="#" style="display: block; height: 30px">A</a>`:                                      `a "A" has 360 × 30 pixels`,
		button + `top: 50px; width: 90px">A</button>` + button + `top: 80px; width: 90px">B</button>`: `button "A" and button "B" overlap`,
		`<p style="position: absolute; margin: 0; left: 200px; top: 60px">Text</p>` +
			button + `top: 50px; width: 90px"></button>`: `lies over the text p "Text"`,
		`<dialog style="margin: 0; top: 390px; height: 60px; padding: 0">High</dialog>`:                                       "is not on the screen",
		`<dialog style="padding: 0; width: 90px"><p style="width: 120px">Wide</p></dialog>`:                                   "is too narrow for what it says",
		`<dialog style="overflow: visible; padding: 0">A<svg style="position: absolute; top: 400px; height: 50px"/></dialog>`: "is not on the screen",
	} {
		p.Do(fmt.Sprintf(`document.body.innerHTML = %q; document.querySelector("dialog")?.showModal()`, body))
		got := p.Layout()
		if want == "" && len(got) > 0 || !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("%s: found %q, want %q", body, got, want)
		}
	}
}

// TestWait: what is waited for may come in the next page.
func TestWait(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<title>1</title><link rel=icon href=data:>")
	}))
	t.Cleanup(server.Close)
	p := Open(t, Screen{})
	p.Goto(server.URL)
	p.Do(`setTimeout(() => location.reload(), 30); document.title = "2"`)
	p.Wait(`document.title === "1"`)
}

// TestFresh: a test sees nothing that another has left.
func TestFresh(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = io.WriteString(w, "<link rel=icon href=data:><style>body:hover { color: red }</style>"+time.Now().String())
	}))
	t.Cleanup(server.Close)
	const left = `JSON.stringify([localStorage.length, sessionStorage.length, document.cookie, window.name, history.length,
		innerWidth, matchMedia("(prefers-color-scheme: dark), print, (pointer: coarse)").matches, getComputedStyle(document.body).color,
		Intl.DateTimeFormat().resolvedOptions().timeZone])`
	var first, cached string
	for i, screen := range []Screen{{}, {Width: 300, Height: 300, Dark: true, Touch: true, Print: true, TimeZone: "Asia/Tokyo"}, {}} {
		t.Run("", func(t *testing.T) {
			p := Open(t, screen)
			p.Goto(server.URL)
			state, body := Eval[string](p, left), Eval[string](p, "document.body.innerText")
			if i == 0 {
				first = state
			} else if screen.Width == 0 && state != first {
				t.Errorf("a test found %s, the first one %s", state, first)
			}
			if body == cached {
				t.Error("a test sees a page that another has loaded")
			}
			cached = body
			p.Do(`localStorage.x = sessionStorage.x = document.cookie = window.name = "x"; history.pushState(1, "", "#x")`)
			p.Click("document.body")
			// What is written last belongs to this test.
			p.Do(`console.error("mine")`)
			p.Wait("true")
			if i == 1 {
				p.Goto(server.URL + "/other")
			}
			for end := time.Now().Add(patience); len(p.Errors()) == 0 && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
		})
	}
}
