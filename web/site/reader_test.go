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

// choose chooses how boards look and sound, on the page of a problem.
func choose(p *browsertest.Page, name, value string) {
	p.Do(fmt.Sprintf(`const field = look.elements[%q]; field[typeof %s === "boolean" ? "checked" : "value"] = %[2]s;
		field.dispatchEvent(new Event("change", { bubbles: true }))`, name, value))
}

// TestReader: the reader of a problem chooses how it looks, asks how long it is, gives up only after
// another question, and hands it on. Nothing is stored but the choice and that it was given up.
func TestReader(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, shortLink+"&lang=ja", browsertest.Screen{})
	// From the top there are the mark and the length before the board.
	p.Keys("Tab", "Tab", "Tab", "Tab")
	wantText(t, p, "document.activeElement.id", "board")

	choose(p, "pieces", `"two-character"`)
	choose(p, "theme", `"dark"`)
	choose(p, "coordinates", "false")
	choose(p, "sound", "true")
	check := func() {
		t.Helper()
		p.Do("await board.ready")
		wantText(t, p, "location.href + '|'", shortLink+"&lang=ja|")
		wantText(t, p, `[board.pieces, board.theme, getComputedStyle(document.body).colorScheme].join()`, "two-character,dark,dark")
		wantText(t, p, `getComputedStyle(board.shadowRoot.querySelector(".label")).opacity + "|"`, "0|")
		wantText(t, p, `[...look.elements].map((e) => e.type === "checkbox" ? e.checked : e.value).join() + "|"`, "two-character,dark,false,true|")
		wantText(t, p, "board.share + '|'", s.URL+shortLink+"|")
	}
	check()
	ink := `board.shadowRoot.querySelector(".ink").getAttribute("d")`
	pair := browsertest.Eval[string](p, ink)
	p.Goto(browsertest.Eval[string](p, "location.href"))
	p.Wait(readable)
	check()
	choose(p, "pieces", `""`)
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
	if stored := browsertest.Eval[string](p, `JSON.stringify([localStorage, sessionStorage].map((all) => Object.fromEntries(Object.entries(all).sort())))`); !regexp.MustCompile(
		`^\[\{"tsume-look":"\{\\"version\\":1,\\"theme\\":\\"dark\\",\\"coordinates\\":\\"off\\",\\"sound\\":\\"on\\"\}","tsume-progress":"\{\\"version\\":1,\\"problems\\":\[\[\\"7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p\\",\\"given\\",\\"[0-9-]*\\"\]\],\\"days\\":\[\]\}"\},\{\}\]$`).MatchString(stored) {
		t.Errorf("stored is %s", stored)
	}
}

// TestReaderOfDay: the problem of the day is solved on its page by the solution that is shipped, keeps
// its address with what the reader chooses, and leads to that of the day before.
func TestReaderOfDay(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, "/daily?lang=en", desktop)
	choose(p, "theme", `"dark"`)
	wantText(t, p, "location.href + '|'", "/daily?lang=en|")
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
	wantText(t, p, "location.href + '|'", "?lang=en|")
	wantText(t, p, `[board.theme, getComputedStyle(document.body).colorScheme].join()`, "dark,dark")
	wantText(t, p, text("h1"), "Problem of the day, Sun 22 Nov: Mate in 11")
	clean(t, p)
}

// shownLook is the script for how a page looks: the pieces and the theme of its first board, which of
// light and dark it is and has been told, and whether the coordinates are off.
const shownLook = `(() => {
	const board = document.querySelector("tsume-board"), { theme = "", coordinates = "" } = document.documentElement.dataset;
	return [board?.getAttribute("pieces") ?? "", board?.getAttribute("theme") ?? "", getComputedStyle(document.body).colorScheme, theme, coordinates].join() + "|";
})()`

// TestLookIsKept: what a reader chose for a problem holds on all pages, from the list to a problem and
// to the next, whether they are read anew or not, and goes only if it is chosen otherwise.
func TestLookIsKept(t *testing.T) {
	s := serveComposing(t)
	p := s.open(t, "/p?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p&lang=ja", desktop)
	choose(p, "pieces", `"international"`)
	choose(p, "theme", `"dark"`)
	choose(p, "coordinates", "false")
	choose(p, "sound", "true")
	const chosen = "international,dark,dark,dark,off|"
	on := func(want string) {
		t.Helper()
		wantText(t, p, shownLook, want)
		wantText(t, p, `[...location.search.matchAll(/theme|pieces|coordinates|sound/g)].length + "|"`, "0|")
		// The browser shows nothing before it knows.
		wantText(t, p, `performance.getEntriesByType("resource").find(({ name }) => /look\.[^/]+\.js$/.test(name))?.renderBlockingStatus`, "blocking")
	}
	onProblem := func(want string) {
		t.Helper()
		p.Wait(readable)
		on(want)
		wantText(t, p, `[...look.elements].map((e) => e.type === "checkbox" ? e.checked : e.value).join() + "|"`, "international,dark,false,true|")
	}
	onProblem(chosen)

	const pictures = `[...document.querySelectorAll("picture > *")].slice(0, 2).map((e) => (e.media ?? "") + e.getAttribute(e.media ? "srcset" : "src").replace(/.*lang=../, "")).join() + "|"`
	p.Goto(s.URL + "/problems?lang=ja")
	p.Wait(`document.readyState === "complete"`)
	on(",,dark,dark,off|")
	wantText(t, p, pictures, "not all&hands=hide&theme=dark&pieces=international,&hands=hide&theme=dark&pieces=international|")
	p.Do(`document.querySelector(".diagrams a").click()`)
	p.Wait(`location.pathname === "/p"`)
	onProblem(chosen)
	first := browsertest.Eval[string](p, "location.href")
	p.Do(`window.isOld = true; location.reload()`)
	p.Wait(`!window.isOld`)
	onProblem(chosen)
	click(p, ".beside a.button")
	p.Wait(`location.href !== "` + first + `"`)
	onProblem(chosen)
	p.Do(`document.querySelector(".place a").click()`)
	p.Wait(`location.pathname === "/problems" && document.readyState === "complete"`)
	on(",,dark,dark,off|")

	for _, path := range []string{
		"/", "/study?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p", "/daily", "/games", "/compose",
		"/set?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p", "/embed?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p",
	} {
		p.Goto(s.URL + path)
		p.Wait(`document.readyState === "complete"`)
		on(chosen)
	}
	// The drills have boards only once a set was read, and others for runs.
	p.Goto(s.URL + "/train")
	p.Wait(trainReady)
	on(chosen)
	const tones = `window.tones = 0; const make = AudioContext.prototype.createOscillator;
		AudioContext.prototype.createOscillator = function () { tones++; return make.call(this) };`
	p.Do(tones + `set.shadowRoot.querySelector(".choose button").click()`)
	p.Wait(`window.set.querySelector("[slot=run]")?.state === "play"`)
	on(chosen)
	wantText(t, p, `(({ pieces, theme }) => pieces + "," + theme)(window.set.querySelector("[slot=run]"))`, "international,dark")
	p.Do(`const b = set.querySelector("[slot=run]"); await b.ready; await b.play(b.moves.split(" ")[0])`)
	p.Wait(`tones > 0`)
	p.Goto(s.URL + "/train?sound=off&theme=light&pieces=two-character")
	p.Wait(trainReady)
	wantText(t, p, shownLook, "two-character,light,light,light,off|")
	p.Do(tones + `const b = set.querySelector("tsume-board"); await b.ready; await b.play(b.moves.split(" ")[0])`)
	wantText(t, p, `tones + "|"`, "0|")
	// A set at an address has boards only once that was read.
	p.Goto(s.URL + "/set?src=/daily.json")
	p.Do(`document.querySelector("main").append(document.createElement("tsume-board"))`)
	p.Wait(`document.querySelector("tsume-board").getAttribute("theme") === "dark"`)

	// An address that says something says it of its page: neither of what is kept nor of the next.
	p.Goto(first + "&theme=paper_light&pieces=kanji&sound=off")
	p.Wait(readable)
	wantText(t, p, shownLook, ",paper light,light,light,off|")
	wantText(t, p, `[look.elements.pieces.value, look.elements.theme.value, look.elements.sound.checked].join() + "|"`, ",paper light,false|")
	click(p, ".beside a.button")
	p.Wait(`location.href !== "` + first + `&theme=paper_light&pieces=kanji&sound=off"`)
	onProblem(chosen)
	// Unless the reader chooses there.
	p.Goto(first + "&theme=paper&pieces=kanji")
	p.Wait(readable)
	choose(p, "theme", `"wood"`)
	wantText(t, p, "location.search + '|'", "&pieces=kanji|")
	wantText(t, p, shownLook, ",wood,light dark,,off|")
	p.Goto(first)
	p.Wait(readable)
	on("international,wood,light dark,,off|")

	// Another tab chooses, and a page is shown again as it was.
	p.Do(`localStorage.setItem("tsume-look", '{"version":1,"theme":"dark","later":[7]}'); dispatchEvent(new StorageEvent("storage"))`)
	on(",dark,dark,dark,|")
	p.Do(`localStorage.setItem("tsume-look", '{"version":1,"pieces":"international","later":[7]}'); dispatchEvent(new PageTransitionEvent("pageshow"))`)
	on("international,,light dark,,|")
	// What a later script stores beside it stays.
	choose(p, "sound", "true")
	wantText(t, p, `localStorage.getItem("tsume-look")`, `{"version":1,"pieces":"international","later":[7],"sound":"on"}`)

	// The progress is saved and cleared without it.
	p.Do(`localStorage.setItem("tsume-progress", '{"version":1,"problems":[["k","solved",""]],"days":[]}')`)
	p.Goto(s.URL + "/problems?lang=en")
	p.Wait(`document.readyState === "complete"`)
	p.Do(`HTMLAnchorElement.prototype.click = function () {}; URL.createObjectURL = (blob) => { window.saved = blob; return "blob:" }
		document.querySelector(".record").open = true`)
	click(p, "#record-save")
	wantText(t, p, `saved.text()`, `{"version":1,"problems":[["k","solved",""]],"days":[]}`)
	click(p, "#record-clear")
	click(p, "#record-clear")
	wantText(t, p, `Object.keys(localStorage).join() + "|"`, "tsume-look|")

	// Without a choice it is as it always was.
	p.Goto(first)
	p.Wait(readable)
	choose(p, "pieces", `""`)
	choose(p, "sound", "false")
	p.Do(`localStorage.setItem("tsume-look", "[7"); dispatchEvent(new StorageEvent("storage"))`)
	on(",,light dark,,|")
	choose(p, "theme", `"dark"`)
	choose(p, "theme", `""`)
	wantText(t, p, `localStorage.length + "|"`, "0|")
}

// TestLookOfAddress: where nothing can be stored, or a newer version of the pages has, what is chosen is
// in the address and on the way to the list and to the next problem, and what is stored is left alone.
func TestLookOfAddress(t *testing.T) {
	s := serve(t)
	for _, c := range []struct{ name, before, after string }{
		{"newer", `localStorage.setItem("tsume-look", '{"version":2,"theme":"light"}')`, `{"version":2,"theme":"light"}`},
		{"full", `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`, "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := browsertest.Open(t, desktop)
			p.Goto(s.URL + "/problems?plies=3&lang=ja")
			p.Wait(`document.readyState === "complete"`)
			p.Do(`document.querySelector(".diagrams a").click()`)
			p.Wait(`location.pathname === "/p" && ` + readable)
			p.Do(c.before)
			choose(p, "pieces", `"two-character"`)
			choose(p, "theme", `"dark"`)
			choose(p, "coordinates", "false")
			choose(p, "sound", "true")
			const looks = "&pieces=two-character&theme=dark&coordinates=off&sound=on|"
			wantText(t, p, "location.href + '|'", "&lang=ja"+looks)
			for _, link := range []string{".beside a", ".place a", "nav a", "nav a[lang]"} {
				wantText(t, p, element(link)+".href + '|'", looks)
			}
			wantText(t, p, "board.next + '|'", looks)
			click(p, ".place a")
			p.Wait(`location.pathname === "/problems" && document.readyState === "complete"`)
			wantText(t, p, shownLook, ",,dark,dark,off|")
			for _, link := range []string{".diagrams a", "nav a[lang]", ".lead a"} {
				wantText(t, p, element(link)+".href + '|'", looks)
			}
			p.Do(`document.querySelector(".diagrams a").click()`)
			p.Wait(`location.pathname === "/p" && ` + readable)
			wantText(t, p, shownLook, "two-character,dark,dark,dark,off|")
			before := browsertest.Eval[string](p, "location.search") // also with the look
			click(p, ".beside a.button")
			p.Wait(fmt.Sprintf(`location.search !== %q && location.search.includes("sound=on") && `, before) + readable)
			wantText(t, p, shownLook, "two-character,dark,dark,dark,off|")
			wantText(t, p, `String(localStorage.getItem("tsume-look")) + "|"`, c.after+"|")
			clean(t, p)
		})
	}
}
