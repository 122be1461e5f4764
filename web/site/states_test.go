package site

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// sheetBoard is the board of a page that is on the screen: of a set, the one that is shown.
const sheetBoard = `[...document.querySelectorAll("tsume-board")].find((b) => b.checkVisibility())`

// TestStates looks at what is on the screen in the middle of a page's use: each question that a board
// asks, each hint, what it says of a wrong move, of an answer that does not come, and at the end, and
// what is seen while a position is set up. The board is the same on all pages: that of a problem is
// looked at on all panes but the narrowest, which TestLooks has, and the others on one each.
func TestStates(t *testing.T) {
	s := serveComposing(t)
	frame := "/embed" + strings.TrimPrefix(shortLink, "/p")
	for i, lang := range []string{"ja", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			p := browsertest.Open(t, desktop)
			l := looker{t: t, p: p, lang: lang}
			for j, page := range []struct{ name, address string }{
				{"home", "/?"}, {"p", shortLink + "&"}, {"daily", "/daily?"}, {"study", studyLink + "&"},
				{"set", setLink + "&"}, {"embed", frame + "&mode=solve&"},
			} {
				l.panes = panes[1:]
				if page.name != "p" {
					one := (i + j) % len(l.panes)
					l.panes = l.panes[one : one+1]
				}
				p.Goto(s.URL + page.address + "lang=" + lang)
				p.Wait(sheetBoard + `?.played && document.readyState === "complete"`)
				p.Do(`window.b = ` + sheetBoard + `; b.setAttribute("wrong", "stay"); await b.ready`)
				l.solving(page.name)
				if page.name == "study" {
					l.editing(page.name)
				}
				clean(t, p)
			}
			l.panes = panes[1:]
			p.Goto(s.URL + "/compose?lang=" + lang + "&sfen=" + url.QueryEscape(problem))
			p.Wait(composable)
			p.Do(`window.b = board; await b.ready`)
			l.editing("compose")
			for _, method := range []string{"hands", "place", "shape", "repair"} {
				p.Do(fmt.Sprintf(`document.querySelector('[name=method][value=%s]').click()`, method))
				l.look("compose-"+method, false)
			}
			p.Do(`document.querySelector("[name=what][value=list]").click();
				for (const d of document.querySelectorAll(".conditions, .conditions details")) d.open = true;
				document.querySelector('[name=method][value=place]').click()`)
			l.look("compose-conditions", false)
			click(p, `[data-marking="on"]`)
			l.look("compose-marking", false)
			clean(t, p)
		})
	}
}

// inBoard is the script for an element of the board b.
func inBoard(selector string) string { return fmt.Sprintf("b.shadowRoot.querySelector(%q)", selector) }

// anyButton is the script for a button of the board b, by what it says in either language.
func anyButton(ja, en string) string {
	return fmt.Sprintf(`[...b.shadowRoot.querySelectorAll("button")].find((e) => [%q, %q].includes(e.textContent) && e.checkVisibility())`, ja, en)
}

// dialog opens a dialog of the board, looks at it and closes it.
func (l *looker) dialog(state, open string) {
	l.t.Helper()
	l.p.Show(desktop)
	l.p.Do(open)
	l.p.Wait(inBoard("dialog:modal"))
	l.look(state, l.lang == "ja", "body > :not(main)")
	l.p.Keys("Escape")
	l.p.Wait("!" + inBoard("dialog"))
}

// solving looks at the states of a board on which a problem is solved. The problem is one whose
// second move may promote.
func (l *looker) solving(page string) {
	t, p := l.t, l.p
	t.Helper()
	begin := func() {
		p.Show(desktop)
		p.Do(fmt.Sprintf(`b.removeAttribute("moves"); b.setAttribute("sfen", %q); await b.ready; b.reset()`, problem))
		p.Wait(`b.state === "play"`)
	}
	begin()
	tap := func(cell int) string { return inBoard(fmt.Sprintf("[data-cell='%d']", cell)) + ".click();" }
	l.dialog(page+"-promotion", tap(41)+tap(23)) // the rook from 4e to 4c
	l.dialog(page+"-keys", `b.focus(); `+inBoard("[role=gridcell][tabindex='0']")+
		`.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true, composed: true }))`)
	if browsertest.Eval[bool](p, `(b.getAttribute("controls") ?? "").includes("confirm")`) {
		l.dialog(page+"-give-up", anyButton("答えを見る", "Show answer")+".click()")
	}
	for n := 1; n <= 3; n++ {
		p.Do("await b.hint()")
		l.look(fmt.Sprintf("%s-hint-%d", page, n), false)
	}
	begin()
	p.Do(tap(41))
	l.look(page+"-picked", false)
	begin()
	p.Do(`await b.play("2a2b+")`)
	p.Wait(`b.state === "wrong"`)
	l.look(page+"-wrong", false)

	begin()
	p.Do(`window.ask = fetch; window.fetch = () => Promise.reject(new TypeError("offline")); await b.play("4e4c+"); window.fetch = ask`)
	p.Wait(`b.state === "stopped"`)
	l.look(page+"-offline", false)

	begin()
	for range 9 {
		p.Do(`const { moves } = await (await fetch("/v1/solve?sfen=" + encodeURIComponent(b.position))).json(); await b.play(moves[0])`)
		p.Wait(`["play", "solved"].includes(b.state)`)
		if browsertest.Eval[bool](p, `b.state === "solved"`) {
			break
		}
	}
	p.Wait(`b.state === "solved"`)
	l.look(page+"-solved", false)
	begin()
	p.Do(`await b.showAnswer(); b.goTo(2)`)
	l.look(page+"-answer", false)
}

// editing looks at the states of a board on which a position is set up.
func (l *looker) editing(page string) {
	t, p := l.t, l.p
	t.Helper()
	p.Show(desktop)
	if page != "compose" {
		click(p, `[data-mode="edit"]`)
	}
	p.Wait(`b.mode === "edit"`)
	p.Do(`await b.ready`)
	l.look(page+"-edit", false)
	p.Do(inBoard("[data-cell='41']") + ".click()")
	l.look(page+"-edit-picked", false)
	l.dialog(page+"-clear", anyButton("盤を空に…", "Clear…")+".click()")
}
