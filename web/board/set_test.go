package board_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// twoGolds is a mate in 3.
const twoGolds = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"

// collections serves what sets and boards load, on the origin of the page that page names.
func collections(t *testing.T, page *string) string {
	t.Helper()
	files := map[string]string{
		"/all.json": `{"title": "小品集", "problems": ["` + headGold + `", {"sfen": "` + twoGolds + `", "title": "第二番", "author": "甲", "moves": ["G*5c", "5b5a", "G*5b"]}, "` + problem + `"]}`,
		"/all.kif":  "作品名：一\n" + bod + "\n作品名：二\n" + bod,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(*page))
		} else if text, ok := files[r.URL.Path]; ok {
			_, _ = w.Write([]byte(text))
		} else if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
		} else {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A set shows one problem at a time, whether they are in the tag or in a file, and remembers in the
// browser which are solved.
func TestSet(t *testing.T) {
	s := serve(t)
	page := pageWith("ja", s.script(), `<tsume-set src="all.json"></tsume-set>`)
	url := collections(t, &page)
	p := browsertest.Open(t, browsertest.Screen{Width: 360, Height: 640, Touch: true, Still: true})
	const set = `window.s = document.querySelector("tsume-set"); window.events = [];
		document.addEventListener("tsume-set", (e) => events.push(e.detail)); window.inside = (q) => s.shadowRoot.querySelector(q)`
	open := func() {
		t.Helper()
		p.Goto(url)
		p.Wait(`document.querySelector("tsume-set").count`)
		p.Do(set)
	}
	text := func() string { return browsertest.Eval[string](p, `s.shadowRoot.querySelector(".all").innerText`) }
	sfen := func() string { return browsertest.Eval[string](p, `s.querySelector("tsume-board").position`) }
	open()
	p.Wait(`s.querySelector("tsume-board").position === "` + headGold + `"`)
	if got := browsertest.Eval[[]int](p, "[s.index, s.count, s.solved]"); !slices.Equal(got, []int{0, 3, 0}) {
		t.Errorf("index, count, solved are %v", got)
	}
	if got := browsertest.Eval[[]string](p, `["h2", "p[role=status]", "ol"].map((q) => inside(q).innerText.replace(/\s+/g, " "))`); !slices.Equal(got, []string{"小品集", "第1問（全3題）", "1 2 3"}) {
		t.Errorf("the set says %q", got)
	}
	p.Accessible()
	p.Do(`await s.querySelector("tsume-board").play("G*5b")`)
	p.Wait(`s.solved === 1 && events.at(-1).solved === 1`)
	p.Click(`inside("button[title='次の問題']")`)
	if got := sfen(); got != twoGolds {
		t.Errorf("the second problem is %s: %s", got, text())
	}
	// The board's own way to the next problem is that of the set.
	p.Do(`s.querySelector("tsume-board").dispatchEvent(new CustomEvent("tsume-next", { bubbles: true, composed: true, cancelable: true }))`)
	if got := sfen(); got != problem {
		t.Errorf("tsume-next leads to %s", got)
	}
	// At the end nobody takes the event, and the arrow does nothing.
	if browsertest.Eval[bool](p, `!s.querySelector("tsume-board").dispatchEvent(new CustomEvent("tsume-next", { bubbles: true, composed: true, cancelable: true }))`) {
		t.Error("tsume-next is taken at the end")
	}
	p.Do(`inside("button[title='次の問題']").click()`)
	if got := browsertest.Eval[int](p, "s.index"); got != 2 {
		t.Errorf("after the last problem comes number %d", got)
	}
	shoot(t, p, "set-360-ja")

	// Another visit begins where the reader has not been, and in another language.
	page = pageWith("en", s.script(), `<tsume-set src="all.json"></tsume-set>`)
	open()
	if got := browsertest.Eval[[]int](p, "[s.index, s.count, s.solved]"); !slices.Equal(got, []int{1, 3, 1}) {
		t.Errorf("after a reload index, count, solved are %v", got)
	}
	if got := browsertest.Eval[[]string](p, `[...s.shadowRoot.querySelectorAll("ol button")].map((b) => b.ariaLabel)`); !slices.Equal(got, []string{"Problem 1, solved", "Problem 2", "Problem 3"}) {
		t.Errorf("the list has %q", got)
	}
	p.Accessible()
	p.Show(browsertest.Screen{Width: 768, Height: 1024, Dark: true, Still: true})
	shoot(t, p, "set-768-en-dark")
	// It is forgotten when the reader says so twice.
	clear := `[...s.shadowRoot.querySelectorAll("button")].find((b) => /orget/.test(b.innerText)).click()`
	p.Do(clear)
	if got := browsertest.Eval[int](p, "s.solved"); got != 1 {
		t.Error("one press forgets everything")
	}
	p.Do(clear)
	if got := browsertest.Eval[bool](p, "s.solved === 0 && localStorage.length === 0"); !got {
		t.Error("the second press does not forget")
	}

	// Boards inside the tag, in a browser that keeps nothing; start says which is first. Problems are
	// to be solved without another word, in a set and alone; a position of a game is not.
	page = pageWith("ja", `<script>Object.defineProperty(window, "localStorage", { get() { throw new Error("denied") } })</script>`+s.script(),
		`<tsume-set start="2" caption="二題">`+tag(`sfen="`+twoGolds+`"`)+tag(`sfen="`+headGold+`"`)+`</tsume-set>`+
			tag(`id="alone" sfen="`+headGold+`"`)+tag(`id="game" sfen="lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"`)+
			tag(`id="line" sfen="`+headGold+`" moves="G*5b"`))
	open()
	if got := browsertest.Eval[[]string](p, `Promise.all([alone.play("G*5b"), game.play("7g7f"), line.play("G*5b")])`); !slices.Equal(got, []string{"solved", "illegal", "illegal"}) {
		t.Errorf("boards without a mode played %q", got)
	}
	if got := browsertest.Eval[[]bool](p, `[...s.querySelectorAll("tsume-board")].map((b) => b.checkVisibility())`); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("of two boards %v are seen", got)
	}
	p.Do(`await s.querySelectorAll("tsume-board")[1].play("G*5b")`)
	p.Wait(`s.solved === 1`)
	p.Do(`s.goTo(0)`)
	if got := browsertest.Eval[[]bool](p, `[...s.querySelectorAll("tsume-board")].map((b) => b.checkVisibility())`); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("of two boards %v are seen", got)
	}

	// Problems that come later do not throw the reader back, nor does one that goes; before the reader
	// has done anything, start counts.
	p.Do(`s.prepend(s.lastElementChild.cloneNode()); s.append(s.lastElementChild.cloneNode())`)
	p.Wait(`s.count === 4`)
	if got := browsertest.Eval[[]any](p, `[s.index, s.children[1].checkVisibility(), s.solved]`); !slices.Equal(got, []any{1.0, true, 3.0}) {
		t.Errorf("with two more problems index, the problem seen, and solved are %v", got)
	}
	p.Do(`s.lastElementChild.remove(); s.firstElementChild.remove()`)
	p.Wait(`s.count === 2 && s.index === 0`)
	p.Do(`window.made = document.createElement("tsume-set"); made.setAttribute("start", "2"); made.append(s.firstElementChild.cloneNode()); s.after(made)`)
	p.Wait(`made.count === 1 && made.index === 0`)
	p.Do(`made.append(s.firstElementChild.cloneNode())`)
	p.Wait(`made.count === 2 && made.index === 1`)

	// The mode of the set is that of its boards.
	play := `s.children[0].play("G*5c")`
	p.Do(`s.setAttribute("mode", "view")`)
	if got := browsertest.Eval[string](p, play); got != "illegal" {
		t.Errorf("in a set to be viewed a move is %s", got)
	}
	p.Do(`s.removeAttribute("mode")`)
	p.Wait(`s.children[0].shadowRoot.querySelector("p").innerText.includes("王手")`)
	if got := browsertest.Eval[string](p, play); got != "replied" {
		t.Errorf("in a set to be solved a move is %s", got)
	}

	// What was stored under the address of the set is taken over, and what is solved in one set is solved
	// in another one of the site, unless that has a key. Answers that were seen are no solutions.
	page = pageWith("ja", `<script>localStorage.setItem("tsume-set:" + new URL("all.json", location), '["`+strings.TrimSuffix(twoGolds, " 1")+`"]')</script>`+s.script(),
		`<tsume-set src="all.json"></tsume-set><tsume-set>`+tag(`sfen="`+twoGolds+`"`)+tag(`sfen="`+headGold+`"`)+`</tsume-set><tsume-set key="apart">`+tag(`sfen="`+twoGolds+`"`)+`</tsume-set>`)
	open()
	solved := func() []int {
		return browsertest.Eval[[]int](p, `[...document.querySelectorAll("tsume-set")].map((s) => s.solved)`)
	}
	p.Wait(`[...document.querySelectorAll("tsume-set")].every((s) => s.count)`)
	if got := solved(); !slices.Equal(got, []int{1, 1, 0}) {
		t.Errorf("with a problem that was solved before the sets have %v", got)
	}
	p.Do(`const [one, other, apart] = document.querySelectorAll("tsume-set"); one.goTo(0);
		await one.querySelector("tsume-board").showAnswer();
		await apart.querySelector("tsume-board").showAnswer();
		await other.children[1].play("G*5b")`)
	if got := solved(); !slices.Equal(got, []int{2, 2, 0}) {
		t.Errorf("with another one the sets have %v", got)
	}
	if got := browsertest.Eval[[]string](p, `Object.keys(localStorage).sort()`); !slices.Equal(got, []string{"tsume-progress", "tsume-progress:apart"}) {
		t.Errorf("stored are %q", got)
	}
	p.Do(`localStorage.clear()`)

	// Records one after the other, and a file that is not there.
	page = pageWith("ja", s.script(), `<tsume-set src="all.kif"></tsume-set>`)
	open()
	if got := browsertest.Eval[int](p, "s.count"); got != 2 {
		t.Errorf("%d records", got)
	}
	p.Do(`s.setAttribute("src", "none.json")`)
	p.Wait(`s.shadowRoot.querySelector(".all").innerText.includes("問題を読み込めません")`)
	p.Errors()
	p.Do(`s.setAttribute("src", "all.json")`)
	p.Wait(`s.count === 3`)
}

// TestSetKeys: a problem has one key, whatever it was written in, and no other problem has it.
func TestSetKeys(t *testing.T) {
	s := serve(t)
	server := httptest.NewServer(http.HandlerFunc(daily))
	t.Cleanup(server.Close)
	page := ""
	url := collections(t, &page)
	p := browsertest.Open(t, browsertest.Screen{Width: 360, Height: 640})
	solved := func() []int {
		return browsertest.Eval[[]int](p, `[...document.querySelectorAll("tsume-set")].map((s) => s.solved)`)
	}
	open := func(body string) {
		t.Helper()
		page = pageWith("ja", s.script(), body)
		p.Goto(url)
		p.Wait(`[...document.querySelectorAll("tsume-set")].every((s) => s.count)`)
		p.Do(`await Promise.all([...document.querySelectorAll("tsume-board")].map((b) => b.ready))`)
	}

	// Two records that begin alike, an SFEN with its hands in another order, and a record of the same
	// position.
	kif := func(sfen string) string { return "<pre># KIF version=2.0 encoding=UTF-8\n" + sfen + "</pre>" }
	turned := strings.Replace(twoGolds, "2G2r2b", "2b2r2G", 1)
	board := func(inside string) string { return "<tsume-board>" + inside + "</tsume-board>" }
	sets := `<tsume-set>` + board(kif(headGold)) + board(kif(twoGolds)) + `</tsume-set><tsume-set>` +
		tag(`sfen="`+headGold+`"`) + tag(`sfen="`+turned+`"`) + `</tsume-set>` +
		`<tsume-set><tsume-board daily api="` + server.URL + `"></tsume-board></tsume-set>`
	open(sets)
	p.Do(`await document.querySelectorAll("tsume-board")[0].play("G*5b")`)
	p.Wait(`document.querySelector("tsume-set").solved > 0`)
	if got := solved(); !slices.Equal(got, []int{1, 1, 1}) {
		t.Errorf("with one problem of a record solved the sets have %v", got)
	}
	if got := browsertest.Eval[string](p, `JSON.parse(localStorage.getItem("tsume-progress")).problems[0][0]`); got != strings.TrimSuffix(headGold, " 1") {
		t.Errorf("its key is %q", got)
	}
	// Another visit begins at the one that is not solved, once the records are read.
	open(sets)
	p.Wait(`document.querySelector("tsume-set").index === 1`)

	// The problem of the day counts.
	p.Do(`localStorage.clear()`)
	open(sets)
	p.Do(`await document.querySelector("[daily]").play("G*5b")`)
	p.Wait(`[...document.querySelectorAll("tsume-set")].at(-1).solved === 1`)

	// What was stored under the words of an SFEN, or under a whole address, is read; under a text that
	// was cut it is not.
	p.Do(`localStorage.setItem("tsume-progress", JSON.stringify({ problems: [
		["` + strings.TrimSuffix(turned, " 1") + `", "solved", ""], ["/my one.kif", "solved", ""], ["# KIF version=2.0", "solved", ""]], days: [] }))`)
	open(`<tsume-set>` + tag(`sfen="`+turned+`"`) + `</tsume-set><tsume-set><tsume-board src="/my_one.kif"></tsume-board></tsume-set><tsume-set>` + board(kif(twoGolds)) + `</tsume-set>`)
	if got := solved(); !slices.Equal(got, []int{1, 1, 0}) {
		t.Errorf("with what was stored before the sets have %v", got)
	}
	p.Errors() // there is no such file
}
