package board_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
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
	if got := browsertest.Eval[[]string](p, `["h2", "p[role=status]", "ol"].map((q) => inside(q).innerText.replace(/\s+/g, " "))`); !slices.Equal(got, []string{"小品集", "第1問（全3問）", "1 2 3"}) {
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

	// Boards inside the tag, in a browser that keeps nothing; start says which is first.
	page = pageWith("ja", `<script>Object.defineProperty(window, "localStorage", { get() { throw new Error("denied") } })</script>`+s.script(),
		`<tsume-set start="2" caption="二題">`+tag(`mode="solve" sfen="`+twoGolds+`"`)+tag(`mode="solve" sfen="`+headGold+`"`)+`</tsume-set>`)
	open()
	if got := browsertest.Eval[[]bool](p, `[...s.querySelectorAll("tsume-board")].map((b) => b.checkVisibility())`); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("of two boards %v are seen", got)
	}
	p.Do(`await s.querySelectorAll("tsume-board")[1].play("G*5b")`)
	p.Wait(`s.solved === 1`)
	p.Do(`s.goTo(0)`)
	if got := browsertest.Eval[[]bool](p, `[...s.querySelectorAll("tsume-board")].map((b) => b.checkVisibility())`); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("of two boards %v are seen", got)
	}

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
