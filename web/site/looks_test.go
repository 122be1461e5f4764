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

// panes are the screens that each state of a page is seen on: the page is driven once, on the last of
// them. The others are for pictures, and for a look at all of them.
var panes = []pane{
	{"320", browsertest.Screen{Width: 320, Height: 640, Still: true}},
	{"360x640", browsertest.Screen{Width: 360, Height: 640, Touch: true, Still: true}},
	{"844x390", browsertest.Screen{Width: 844, Height: 390, Touch: true, Still: true}},
	{"1440x900", desktop},
}

var morePanes = []pane{
	{"390x844", browsertest.Screen{Width: 390, Height: 844, Touch: true, Still: true}},
	{"768x1024", browsertest.Screen{Width: 768, Height: 1024, Touch: true, Still: true}},
}

// desktop is the screen that pages are driven on.
var desktop = browsertest.Screen{Width: 1440, Height: 900, Still: true}

// A looker looks at the states of a page in a language: on its panes the layout must be right. With
// BROWSER_SHOTS set to a folder it looks on all panes and keeps what it sees, for a contact sheet.
type looker struct {
	t    *testing.T
	p    *browsertest.Page
	lang string
	axe  []browsertest.Screen // where axe looks, too
	// panes are the screens, nil for those of the language: the narrowest, where words fit worst, and
	// another one.
	panes []pane
	// shots are the screens of the pictures, nil for all panes, of which the whole page is seen.
	shots []pane
	// scroll is the script for the element that the reader has at the top, "" for where the page is.
	scroll string
}

// look looks at a state. What axe need not look at again, without names.
func (l *looker) look(state string, axe bool, without ...string) {
	t, p := l.t, l.p
	t.Helper()
	if axe {
		for _, screen := range l.axe {
			screen.Still = true
			p.Show(screen)
			p.Accessible(without...)
		}
	}
	seen, folder := l.panes, os.Getenv("BROWSER_SHOTS")
	if seen == nil {
		seen = []pane{panes[0], panes[map[string]int{"ja": 2, "en": 3}[l.lang]]}
	}
	if folder != "" {
		if seen = l.shots; seen == nil {
			seen = append(slices.Clone(morePanes), panes...)
		}
	}
	for _, pane := range seen {
		p.Show(pane.Screen)
		if l.scroll != "" {
			p.Do(l.scroll + `.scrollIntoView()`)
		}
		if folder != "" {
			keep(t, p, folder, fmt.Sprintf("%s-%s-%s", state, l.lang, pane.name), l.shots == nil)
		}
		for _, fault := range p.Layout() {
			t.Errorf("%s, %s, %s: %s", state, pane.name, l.lang, fault)
		}
	}
}

// axeScreens are where axe looks at pages of a language: each size of the layout and each set of
// colours is there once.
var axeScreens = map[string][]browsertest.Screen{
	"ja": {{Width: 320, Height: 640}},
	"en": {{Width: 1440, Height: 900, Dark: true}},
}

// TestLooks: in every state nothing sticks out or is too small to hit, and axe finds nothing. A state
// has as much in it as there can be at once.
func TestLooks(t *testing.T) {
	s := serveLimited(t, longest, longest)
	for _, lang := range []string{"ja", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			l := looker{t: t, lang: lang, axe: axeScreens[lang]}
			p := s.open(t, studyLink+"&lang="+lang, desktop)
			l.p = p
			ja := lang == "ja"
			load := func(path string) {
				p.Goto(s.URL + path + "lang=" + lang)
				p.Wait(ready)
			}
			l.look("fresh", ja)
			click(p, "#solve")
			waitVerdict(p, "mate")
			p.Keys("ArrowRight")
			click(p, "#examine")
			p.Wait(visible("#moves-box"))
			p.Do(`for (const details of document.querySelectorAll("details")) details.open = true`)
			if !ja { // as many elements as there ever are
				l.axe = append(l.axe, browsertest.Screen{Width: 1024, Height: 768, ForcedColors: true})
			}
			l.look("mate", true)
			l.axe = axeScreens[lang]
			click(p, "#moves tr:nth-child(2) button")
			p.Wait(visible("#variation"))
			paste(p, "4k4/9/4P4/4P4/9/9/9/9/9 b G 1")
			p.Wait(visible("#text-fault"))
			_ = p.Errors() // of the browser, about the 422
			l.look("variation-fault", true, "tsume-board")
			paste(p, "4k4/9/4P4/9/9/9/9/9/9 b G 1")
			p.Wait(visible("#hands"))
			edit(p)
			l.look("edit-hands", true)

			p.Goto(s.URL + "/?lang=" + lang)
			p.Wait(readable)
			l.look("first", true)
			load("/study?")
			l.look("study-empty", ja)
			p.Goto(s.URL + shortLink + "&title=%E7%AC%AC%E4%B8%80%E7%95%AA&author=A&plies=3&lang=" + lang)
			p.Wait(readable)
			l.look("reader", true)
			p.Click(button(map[string]string{"ja": "答えを見る", "en": "Show answer"}[lang]))
			p.Wait(`board.shadowRoot.querySelector("dialog[open]")`)
			l.look("reader-give-up", !ja)
			p.Keys("Escape")
			p.Do(`await board.play("2a2b+")`)
			l.look("reader-wrong", ja)
			clean(t, p)

			p.Goto(s.URL + "/daily?lang=" + lang)
			p.Wait(readable)
			l.look("daily", true)
			clean(t, p)

			load("/study?sfen=7nk/9/7G1/9/9/9/9/9/9_b_P2r2b3g4s3n4l17p&title=%E6%89%93%E3%81%A1%E6%AD%A9%E8%A9%B0%E3%82%81&")
			click(p, "#solve")
			waitVerdict(p, "nomate")
			l.look("nomate", true, "tsume-board")

			paste(p, microcosmos)
			p.Wait(fmt.Sprintf("board.position === %q", microcosmos))
			patient(p)
			click(p, "#solve")
			p.Wait(`/[1-9],\d{3}/.test(` + text("#progress-facts") + `)`)
			l.look("progress", ja, "tsume-board")
			click(p, "#stop")
			p.Wait(`!` + visible("#progress"))
			p.Do(`window.fetch = () => Promise.reject(new TypeError("offline"))`)
			click(p, "#solve")
			p.Wait(visible("#fault"))
			l.look("offline", ja, "tsume-board")
			clean(t, p)

			for path, state := range map[string]string{
				"p?sfen=4k4/9/4P4/4P4/9/9/9/9/9_b_G&": "error-p", shortLink[1:] + "&theme=pink&": "error-theme", "embed?sfen=4k4&": "error-embed",
				setLink[1:] + "&": "set", "set?sfen=4k4&": "set-fault",
				"problems?": "problems", "problems?plies=3&": "problems-3", "daily/2026-11-24?": "error-daily",
			} {
				p.Goto(s.URL + "/" + path + "lang=" + lang)
				p.Wait(`document.readyState === "complete"`)
				l.look(state, ja || state == "error-p" || state == "problems", "tsume-board")
				clean(t, p)
				_ = p.Errors() // of the browser, about the status
			}
			for _, mode := range []string{"solve", "view&moves=4e4c%2B"} {
				p.Goto(fmt.Sprintf("%s/embed%s&mode=%s&lang=%s", s.URL, strings.TrimPrefix(shortLink, "/p"), mode, lang))
				p.Wait(`document.querySelector("tsume-board").state === "play"`)
				l.look("embed-"+mode[:4], ja == (mode == "solve"))
				clean(t, p)
			}
		})
	}
}
