package site

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// boardWidth is the script for how wide the squares and hands of the board are.
const boardWidth = `board.shadowRoot.querySelector("[role=grid]").getBoundingClientRect().width`

// TestReaderSizes: the board of a problem is as large as the window allows, and nothing sticks out.
func TestReaderSizes(t *testing.T) {
	s := serve(t)
	p := s.open(t, shortLink+"&plies=3&title=A&lang=en", desktop)
	for _, c := range []struct{ width, height, least int }{
		{1440, 900, 600}, {1920, 1080, 720}, {768, 1024, 580}, {1024, 768, 500}, {390, 844, 390},
		{844, 390, 240}, {1080, 1920, 760},
	} {
		p.Show(browsertest.Screen{Width: c.width, Height: c.height, Still: true})
		if wide := browsertest.Eval[float64](p, boardWidth); wide < float64(c.least) {
			t.Errorf("%d×%d: the board is %v pixels wide", c.width, c.height, wide)
		}
		if out := browsertest.Eval[[]string](p, sticksOut); len(out) > 0 {
			t.Errorf("%d×%d: not on the screen: %q", c.width, c.height, out)
		}
		// The pieces are seen where they are touched.
		if off := browsertest.Eval[float64](p, `(() => {
			const end = (s) => board.shadowRoot.querySelector(s).getBoundingClientRect().bottom;
			return Math.abs(end(".surface svg") - end("[role=grid]"));
		})()`); off > 1 {
			t.Errorf("%d×%d: the picture ends %v pixels beside the squares", c.width, c.height, off)
		}
		if n := browsertest.Eval[int](p, "document.documentElement.scrollWidth - innerWidth"); n > 0 {
			t.Errorf("%d×%d: %d pixels stick out", c.width, c.height, n)
		}
	}
}

// TestReader: the reader of a problem chooses how it looks, which the address and the ways on have
// from then on, asks how long it is, gives up only after another question, and hands it on. Nothing
// is stored but that it was given up.
func TestReader(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, shortLink+"&lang=ja", browsertest.Screen{})
	// From the top there are the mark and the length before the board.
	p.Keys("Tab", "Tab", "Tab", "Tab")
	wantText(t, p, "document.activeElement.id", "board")

	choose := func(name, value string) {
		p.Do(fmt.Sprintf(`const field = look.elements[%q]; field[typeof %s === "boolean" ? "checked" : "value"] = %[2]s;
			field.dispatchEvent(new Event("change", { bubbles: true }))`, name, value))
	}
	choose("pieces", `"two-character"`)
	choose("theme", `"dark"`)
	choose("coordinates", "false")
	choose("sound", "true")
	const looks = "&pieces=two-character&theme=dark&coordinates=off&sound=on"
	check := func() {
		t.Helper()
		p.Do("await board.ready")
		wantText(t, p, "location.href + '|'", shortLink+"&lang=ja"+looks+"|")
		wantText(t, p, `[board.pieces, board.theme, getComputedStyle(document.body).colorScheme].join()`, "two-character,dark,dark")
		wantText(t, p, `getComputedStyle(board.shadowRoot.querySelector(".label")).opacity + "|"`, "0|")
		for _, link := range []string{".beside a", "nav a", "nav a[lang]"} {
			wantText(t, p, element(link)+".href + '|'", looks+"|")
		}
		wantText(t, p, "board.next", looks)
		wantText(t, p, "board.share + '|'", s.URL+shortLink+"|")
	}
	check()
	ink := `board.shadowRoot.querySelector(".ink").getAttribute("d")`
	pair := browsertest.Eval[string](p, ink)
	p.Goto(browsertest.Eval[string](p, "location.href"))
	p.Wait(readable)
	check()
	choose("pieces", `""`)
	p.Do("await board.ready")
	if browsertest.Eval[string](p, ink) == pair {
		t.Error("one character looks like two")
	}

	click(p, "#length")
	p.Wait(`!document.querySelector("#length")`)
	wantText(t, p, text(".problem b"), "3手詰")
	p.Do(`navigator.clipboard.writeText = async (text) => { window.copied = text }`)
	click(p, "#share")
	p.Wait(visible("#toast"))
	wantText(t, p, "copied + '|'", s.URL+shortLink+"|")

	p.Click(button("答えを見る"))
	p.Wait(`board.shadowRoot.querySelector("dialog[open]")`)
	p.Click(button("まだ考える"))
	p.Wait(`!board.shadowRoot.querySelector("dialog")`)
	if state := browsertest.Eval[string](p, "board.state"); state != "play" {
		t.Errorf("who goes on is in the state %s", state)
	}
	p.Click(button("答えを見る"))
	p.Click(`board.shadowRoot.querySelector("dialog [value=yes]")`)
	p.Wait(`board.state === "answer"`)
	p.Do(`document.activeElement.blur()`)
	p.Keys("ArrowRight", "ArrowRight", "ArrowLeft")
	p.Wait(`board.played.length === 1`)
	p.Keys("End")
	p.Wait(`board.played.length > 2`)
	// What the answer looks like in a picture can be had, until the reader begins again.
	if status := browsertest.Eval[int](p, `fetch(animation.href).then((r) => r.status)`); status != 200 {
		t.Errorf("%s is %d", browsertest.Eval[string](p, "animation.href"), status)
	}
	wantText(t, p, `decodeURIComponent(animation.href) + "|"`, "&moves=4e4c+_")
	if stored := browsertest.Eval[string](p, "JSON.stringify([localStorage, sessionStorage])"); !regexp.MustCompile(
		`^\[\{"tsume-progress":"\{\\"version\\":1,\\"problems\\":\[\[\\"7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p\\",\\"given\\",\\"[0-9-]*\\"\]\],\\"days\\":\[\]\}"\},\{\}\]$`).MatchString(stored) {
		t.Errorf("stored is %s", stored)
	}
}

// TestReaderOfDay: the problem of the day is solved on its page by the solution that is shipped, keeps
// its address with what the reader chooses, and leads to that of the day before.
func TestReaderOfDay(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, "/daily?lang=en", desktop)
	p.Do(`const field = look.elements.theme; field.value = "dark";
		field.dispatchEvent(new Event("change", { bubbles: true }))`)
	wantText(t, p, "location.href + '|'", "/daily?lang=en&theme=dark|")
	problem, _ := daily.On(daily.DateOf(noon()))
	// The heading says how long it is, and the board what to do.
	wantText(t, p, `board.shadowRoot.querySelector("p").innerText + "|"`, "Give check with every move, and mate.|")
	for i, move := range strings.Fields(problem.Line) {
		if i%2 == 0 {
			p.Wait(fmt.Sprintf(`board.played.length === %d && board.state === "play"`, i))
			p.Do(fmt.Sprintf(`await board.play(%q)`, move))
		}
	}
	p.Wait(`board.state === "solved"`)
	p.Click(button("Next problem"))
	p.Wait(`location.pathname === "/daily/2026-11-22" && ` + readable)
	wantText(t, p, "location.href + '|'", "?lang=en&theme=dark|")
	wantText(t, p, text("h1"), "Problem of the day, Sun 22 Nov: Mate in 11")
	clean(t, p)
}
