package site

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/browsertest"
)

// TestLooks: on every screen and in every state nothing sticks out or is too small to hit. In every
// state axe finds nothing, on screens that have each size of the layout, each language and each set
// of colours. With BROWSER_SHOTS set to a folder it keeps what it sees.
func TestLooks(t *testing.T) {
	s := serve(t)
	hard := "/p?sfen=" + strings.NewReplacer("+", "%2B", " ", "_").Replace(microcosmos)
	for _, c := range []struct {
		name, lang string
		axe        bool
		screen     browsertest.Screen
	}{
		{"320", "ja", true, browsertest.Screen{Width: 320, Height: 640}}, {"320-dark", "en", false, browsertest.Screen{Width: 320, Height: 640, Dark: true}},
		{"768", "en", false, browsertest.Screen{Width: 768, Height: 1024}}, {"768-dark", "ja", false, browsertest.Screen{Width: 768, Height: 1024, Dark: true}},
		{"1440", "ja", false, browsertest.Screen{Width: 1440, Height: 900}}, {"1440-dark", "en", true, browsertest.Screen{Width: 1440, Height: 900, Dark: true}},
		{"forced", "en", true, browsertest.Screen{Width: 1024, Height: 768, ForcedColors: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := s.open(t, "/?lang="+c.lang, c.screen)
			look := func(state string) {
				t.Helper()
				if wide := browsertest.Eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
					t.Errorf("%s: %d pixels stick out", state, wide)
				}
				small := browsertest.Eval[[]string](p, `[...document.querySelectorAll("button, input, select, summary, .samples a, nav a")].filter((e) => e.checkVisibility()).
					filter((e) => { const r = (e.closest("label") ?? e).getBoundingClientRect(); return r.width < 24 || r.height < 24 }).map((e) => e.outerHTML)`)
				if len(small) > 0 {
					t.Errorf("%s: too small: %q", state, small)
				}
				// The inside of the board is another one in these states alone.
				isNew := slices.Contains([]string{"fresh", "mate", "edit", "p", "embed-solv", "embed-view"}, state)
				switch {
				case c.axe && isNew:
					p.Accessible()
				case c.axe:
					p.Accessible("tsume-board")
				}
				if folder := os.Getenv("BROWSER_SHOTS"); folder != "" {
					keep(t, p, folder, state+"-"+c.name)
				}
			}
			load := func(path string) {
				p.Goto(s.URL + path + "lang=" + c.lang)
				p.Wait(ready)
			}
			look("fresh")
			click(p, "#solve")
			waitVerdict(p, "mate")
			p.Keys("ArrowRight")
			click(p, "#examine")
			p.Wait(visible("#moves-box"))
			p.Do(`for (const details of document.querySelectorAll("details")) details.open = true`)
			look("mate")
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

			for _, path := range []string{"nowhere?", "p?sfen=4k4/9/4P4/4P4/9/9/9/9/9_b_G&", "embed?sfen=4k4&"} {
				p.Goto(s.URL + "/" + path + "lang=" + c.lang)
				p.Wait(`document.readyState === "complete"`)
				look("error-" + path[:strings.IndexByte(path, '?')])
				clean(t, p)
				_ = p.Errors() // of the browser, about the status
			}
			for _, mode := range []string{"solve", "view&moves=4e4c%2B"} {
				p.Goto(fmt.Sprintf("%s/embed%s&mode=%s&lang=%s", s.URL, strings.TrimPrefix(shortLink, "/p"), mode, c.lang))
				p.Wait(`document.querySelector("tsume-board").state === "play"`)
				look("embed-" + mode[:4])
				clean(t, p)
			}
		})
	}
}
