package site

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// A pane is a screen that a state is looked at on, with its name.
type pane struct {
	name string
	browsertest.Screen
}

// panes are the screens of all sizes of the layout, of which each state of a page is seen on all:
// the page is driven once.
var panes = []pane{
	{"360", browsertest.Screen{Width: 360, Height: 640}}, {"390", browsertest.Screen{Width: 390, Height: 844}},
	{"768", browsertest.Screen{Width: 768, Height: 1024}}, {"1440", browsertest.Screen{Width: 1440, Height: 900}},
	{"320", browsertest.Screen{Width: 320, Height: 640}},
}

// A looker looks at the states of a page in a language: on every pane nothing may stick out or be
// too small to hit. With BROWSER_SHOTS set to a folder it keeps what it sees, light and dark.
type looker struct {
	t       *testing.T
	p       *browsertest.Page
	lang    string
	buttons string               // a selector for what is pressed
	screen  browsertest.Screen   // that the page is driven on
	axe     []browsertest.Screen // where axe looks, too
}

// look looks at a state. What axe need not look at again, without names.
func (l *looker) look(state string, axe bool, without ...string) {
	t, p := l.t, l.p
	t.Helper()
	folder := os.Getenv("BROWSER_SHOTS")
	for _, pane := range panes {
		screen := pane.Screen
		screen.Still = true
		p.Show(screen)
		if wide := browsertest.Eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
			t.Errorf("%s, %s, %s: %d pixels stick out", state, pane.name, l.lang, wide)
		}
		small := browsertest.Eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((e) => e.checkVisibility()).
			filter((e) => { const r = (e.closest("label") ?? e).getBoundingClientRect(); return r.width < 24 || r.height < 24 }).map((e) => e.outerHTML)`, l.buttons))
		if len(small) > 0 {
			t.Errorf("%s, %s, %s: too small: %q", state, pane.name, l.lang, small)
		}
		if folder == "" || pane.name == "320" {
			continue
		}
		keep(t, p, folder, state+"-"+l.lang+"-"+pane.name)
		screen.Dark = true
		p.Show(screen)
		keep(t, p, folder, state+"-"+l.lang+"-"+pane.name+"-dark")
	}
	if axe {
		for _, screen := range l.axe {
			screen.Still = true
			p.Show(screen)
			p.Accessible(without...)
		}
	}
	p.Show(l.screen)
}

// axeScreens are where axe looks at pages of a language: each size of the layout and each set of
// colours is there once.
var axeScreens = map[string][]browsertest.Screen{
	"ja": {{Width: 320, Height: 640}},
	"en": {{Width: 1440, Height: 900, Dark: true}},
}

// TestLooks: in every state nothing sticks out or is too small to hit, and axe finds nothing.
func TestLooks(t *testing.T) {
	s := serve(t)
	hard := "/p?sfen=" + strings.NewReplacer("+", "%2B", " ", "_").Replace(microcosmos)
	for _, lang := range []string{"ja", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			l := looker{t: t, lang: lang, axe: axeScreens[lang], screen: browsertest.Screen{Width: 1280, Height: 800, Still: true},
				buttons: "button, input, select, summary, .samples a, nav a"}
			p := s.open(t, "/?lang="+lang, l.screen)
			l.p = p
			look := func(state string) {
				t.Helper()
				// The inside of the board is another one in these states alone.
				if slices.Contains([]string{"fresh", "mate", "edit", "embed-solv", "embed-view"}, state) {
					l.look(state, true)
					return
				}
				// The colours are those of one of these, and the parts are those of the others.
				isNew := lang == "ja" || slices.Contains([]string{"fault", "nomate", "progress", "error-nowhere"}, state)
				l.look(state, isNew, "tsume-board")
			}
			load := func(path string) {
				p.Goto(s.URL + path + "lang=" + lang)
				p.Wait(ready)
			}
			look("fresh")
			click(p, "#solve")
			waitVerdict(p, "mate")
			p.Keys("ArrowRight")
			click(p, "#examine")
			p.Wait(visible("#moves-box"))
			p.Do(`for (const details of document.querySelectorAll("details")) details.open = true`)
			if lang == "en" { // as many elements as there ever are
				l.axe = append(l.axe, browsertest.Screen{Width: 1024, Height: 768, ForcedColors: true})
			}
			look("mate")
			l.axe = axeScreens[lang]
			click(p, "#moves tr:nth-child(2) button")
			p.Wait(visible("#variation"))
			look("variation")
			click(p, `[data-mode="edit"]`)
			p.Wait(`board.getAttribute("mode") === "edit"`)
			look("edit")
			paste(p, "4k4/9/4P4/4P4/9/9/9/9/9 b G 1")
			p.Wait(visible("#text-fault"))
			_ = p.Errors() // of the browser, about the 422
			look("fault")
			paste(p, "4k4/9/4P4/9/9/9/9/9/9 b G 1")
			p.Wait(visible("#hands"))
			look("hands")

			load("/p?sfen=7nk/9/7G1/9/9/9/9/9/9_b_P2r2b3g4s3n4l17p&title=%E6%89%93%E3%81%A1%E6%AD%A9%E8%A9%B0%E3%82%81&")
			look("p")
			click(p, "#solve")
			waitVerdict(p, "nomate")
			look("nomate")

			load(hard + "&")
			click(p, "#solve")
			p.Wait(`/[1-9],\d{3}/.test(` + text("#progress-facts") + `)`)
			look("progress")
			click(p, "#stop")
			p.Wait(`!` + visible("#progress"))
			p.Do(element("#time") + `.value = "1000"`)
			click(p, "#solve")
			waitVerdict(p, "unknown")
			look("unknown")

			p.Do(`window.fetch = () => Promise.reject(new TypeError("offline"))`)
			click(p, "#solve")
			p.Wait(visible("#fault"))
			look("offline")
			clean(t, p)

			for path, state := range map[string]string{
				"nowhere?": "error-nowhere", "p?sfen=4k4/9/4P4/4P4/9/9/9/9/9_b_G&": "error-p", "embed?sfen=4k4&": "error-embed",
				"set?": "set-form", setLink[1:] + "&": "set", "set?sfen=4k4&": "set-fault",
			} {
				p.Goto(s.URL + "/" + path + "lang=" + lang)
				p.Wait(`document.readyState === "complete"`)
				look(state)
				clean(t, p)
				_ = p.Errors() // of the browser, about the status
			}
			for _, mode := range []string{"solve", "view&moves=4e4c%2B"} {
				p.Goto(fmt.Sprintf("%s/embed%s&mode=%s&lang=%s", s.URL, strings.TrimPrefix(shortLink, "/p"), mode, lang))
				p.Wait(`document.querySelector("tsume-board").state === "play"`)
				look("embed-" + mode[:4])
				clean(t, p)
			}
		})
	}
}
