package board_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// In a browser that lacks what the board is made of, what is in the tag stays, and nothing fails.
func TestOldBrowser(t *testing.T) {
	s := serve(t)
	for name, lack := range map[string]string{
		"light-dark()":      `CSS.supports = () => false`,
		"AbortSignal.any()": `delete AbortSignal.any`,
	} {
		p := browsertest.Open(t, browsertest.Screen{})
		p.Goto(site(t, nil, pageWith("ja", "<script>"+lack+"</script>"+s.script(), `<tsume-board sfen="`+problem+`"><p id="inside">詰将棋</p></tsume-board>`)))
		if !browsertest.Eval[bool](p, `!customElements.get("tsume-board") && document.querySelector("#inside").checkVisibility()`) {
			t.Errorf("without %s, what is in the tag is gone", name)
		}
	}
}

// A page that isolates itself, and forbids whatever can be forbidden but the script and its server.
func TestForeignOrigin(t *testing.T) {
	s := serve(t)
	isolated := http.Header{
		"Cross-Origin-Embedder-Policy": {"require-corp"},
		"Cross-Origin-Opener-Policy":   {"same-origin"},
		"Content-Security-Policy":      {"default-src 'none'; script-src " + s.url + " 'sha256-none'; connect-src " + s.url + "; require-trusted-types-for 'script'; trusted-types 'none'"},
	}
	for name, script := range map[string]string{
		"classic":         s.script(),
		"classic, async":  `<script async src="` + s.url + `/embed.js"></script>`,
		"module":          `<script type="module" src="` + s.url + `/embed.js"></script>`,
		"included twice":  s.script() + s.script(),
		"crossorigin set": `<script crossorigin src="` + s.url + `/embed.js"></script>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, browsertest.Screen{Still: true})
			page := pageWith("ja", script, tag(solve))
			page = page[:strings.Index(page, "<style>")] + page[strings.Index(page, "</style>")+len("</style>"):] // which the policy forbids
			p.Goto(site(t, isolated, page))
			p.Wait(`document.querySelector("tsume-board:defined")`)
			if !browsertest.Eval[bool](p, "crossOriginIsolated") {
				t.Error("the page is not isolated, so this shows nothing")
			}
			if got := browsertest.Eval[string](p, `document.querySelector("tsume-board").play("R*1a")`); got != "replied" {
				t.Errorf("the move was %s", got)
			}
			if got := browsertest.Eval[string](p, `getComputedStyle(document.querySelector("tsume-board").shadowRoot.querySelector(".wood")).fill`); got != "rgb(239, 207, 148)" {
				t.Errorf("the board has no style: %s", got)
			}
			p.Do(listen + `; b.setAttribute("mode", "edit")`)
			p.Wait(button("盤を空に")) // of a file that is loaded then
		})
	}

	// The policy of a careful page: the script's host, its own styles, and no strings as markup.
	t.Run("strict policy", func(t *testing.T) {
		p := browsertest.Open(t, browsertest.Screen{Still: true})
		policy := http.Header{"Content-Security-Policy": {"script-src " + s.url + "; style-src 'self'; form-action 'none'; require-trusted-types-for 'script'"}}
		page := `<!doctype html><html lang="ja"><title>Tsume</title>` + s.script() + tag(solve) + `</html>`
		p.Goto(site(t, policy, page))
		p.Do(`window.b = document.querySelector("tsume-board"); await b.play("R*1a"); await b.play("2b2a+")`)
		p.Drag(square("2d"), square("2b"))
		p.Click(in("dialog button")) // which is placed by a style
		waitState(p, "solved", 5)
	})

	// Policies that name no host: the page's own script may load others.
	for name, script := range map[string]string{
		"nonce":         `<script nonce="n" src="` + s.url + `/embed.js"></script>`,
		"nonce, module": `<script nonce="n" type="module" src="` + s.url + `/embed.js"></script>`,
		"by a script":   `<script nonce="n">const s = document.createElement("script"); s.src = "` + s.url + `/embed.js"; document.head.append(s)</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Open(t, browsertest.Screen{Still: true})
			strict := "script-src 'nonce-n'"
			if name == "by a script" {
				strict += " 'strict-dynamic'"
			}
			policy := http.Header{"Content-Security-Policy": {strict}}
			p.Goto(site(t, policy, pageWith("ja", script, tag(`mode="edit" sfen="`+problem+`"`))))
			p.Wait(`document.querySelector("tsume-board:defined")`)
			p.Do(listen)
			p.Wait(button("盤を空に"))
		})
	}

	// A site that has copies of the files in a folder, on a static host without our headers.
	t.Run("copies", func(t *testing.T) {
		mux := http.NewServeMux()
		mux.Handle("/js/", http.StripPrefix("/js/", http.FileServer(http.Dir("dist"))))
		page := pageWith("ja", `<script src="js/embed.js" async></script>`, tag(`mode="edit" sfen="`+problem+`"`))
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", "script-src 'self'")
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, page)
		})
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		p := browsertest.Open(t, browsertest.Screen{Still: true})
		p.Goto(server.URL)
		p.Wait(`document.querySelector("tsume-board:defined")`)
		p.Do(listen)
		p.Wait(button("盤を空に"))
	})

	t.Run("two hosts", func(t *testing.T) {
		other := httptest.NewServer(board.Handler())
		t.Cleanup(other.Close)
		p := browsertest.Open(t, browsertest.Screen{Still: true})
		p.Goto(site(t, nil, pageWith("ja", s.script()+`<script src="`+other.URL+`/embed.js"></script>`, tag(solve)+tag(solve))))
		if got := browsertest.Eval[[]string](p, `Promise.all([...document.querySelectorAll("tsume-board")].map((b) => b.play("R*1a")))`); !slices.Equal(got, []string{"replied", "replied"}) {
			t.Errorf("the moves were %q", got) // the other host has no API
		}
	})

	t.Run("imported", func(t *testing.T) {
		p := browsertest.Open(t, browsertest.Screen{Still: true})
		p.Goto(site(t, nil, pageWith("ja", `<script type="module">import "`+s.url+`/embed.js";</script>`, tag(solve))))
		p.Wait(`document.querySelector("tsume-board:defined")`)
		if got := browsertest.Eval[string](p, `document.querySelector("tsume-board").play("R*1a")`); got != "replied" {
			t.Errorf("the move was %s", got)
		}
	})

	t.Run("before the script", func(t *testing.T) {
		p := browsertest.Open(t, browsertest.Screen{Still: true})
		p.Goto(site(t, nil, pageWith("ja", "", `<tsume-board sfen="`+problem+`"><img id="inside" alt="" width="200" height="240" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"></tsume-board>`)))
		shown := `document.getElementById("inside").getBoundingClientRect().width > 0`
		if !browsertest.Eval[bool](p, shown) {
			t.Error("what is in the tag does not show")
		}
		p.Do(`const s = document.createElement("script"); s.src = "` + s.url + `/embed.js"; document.head.append(s)`)
		p.Wait(`document.querySelector("tsume-board:defined")`)
		if browsertest.Eval[bool](p, shown) {
			t.Error("what is in the tag shows beside the board")
		}
	})
}

// What a reader needs may be missing, or of another version: the board says so, and what was the
// reason for that is mended where it can be.
func TestMissingFile(t *testing.T) {
	script, err := os.ReadFile("dist/embed.js")
	if err != nil {
		t.Fatal(err)
	}
	var later atomic.Value // what is answered for the later file
	var fresh atomic.Int64 // how often the first file was asked for past the cache
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		text, _ := later.Load().(string)
		switch {
		case r.URL.Path == "/embed.js":
			if r.Header.Get("Cache-Control") == "no-cache" {
				fresh.Add(1)
			}
			_, _ = w.Write(script)
		case text == "":
			http.NotFound(w, r)
		default:
			_, _ = io.WriteString(w, text)
		}
	}))
	t.Cleanup(server.Close)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(site(t, nil, pageWith("ja", `<script src="`+server.URL+`/embed.js"></script>`, tag(`mode="view" sfen="`+problem+`"`))))
	p.Do(listen + `; b.setAttribute("mode", "edit")`)
	for i, text := range []string{"", `export const version = "another"; export const createEditor = null`} {
		later.Store(text)
		if i > 0 {
			p.Click(button("再試行"))
		}
		p.Wait(fmt.Sprintf("events.length === %d && b.state === 'stopped'", i+1))
		if got := status(p); got != "盤の一部を読み込めませんでした。ページを再読み込みしてください。" {
			t.Errorf("the board says %q", got)
		}
		if got := events[struct{ Code string }](p, "error"); got[i].Code != "load" {
			t.Errorf("tsume-error: %+v", got)
		}
		p.Wait(`performance.getEntriesByName("` + server.URL + `/embed.js").length === ` + fmt.Sprint(i+2))
		if n := fresh.Load(); n != int64(i+1) {
			t.Errorf("the first file was asked for anew %d times", n)
		}
	}
	p.Accessible()
	_ = p.Errors() // of the browser, about the 404
	file, err := os.ReadFile("dist/embed-edit.js")
	if err != nil {
		t.Fatal(err)
	}
	later.Store(string(file))
	p.Click(button("再試行"))
	p.Wait(button("盤を空に"))
	if got := browsertest.Eval[string](p, "b.state"); got != "play" {
		t.Errorf("the state is %s", got)
	}
}

func TestTwentyBoards(t *testing.T) {
	s := serve(t)
	boards := strings.Repeat(tag(solve+` label="第一番"`), 20)
	p := browsertest.Open(t, browsertest.Screen{Width: 768, Height: 1024, Still: true})
	p.Goto(site(t, nil, pageWith("ja", s.script(), boards)))
	if n := browsertest.Eval[int](p, `document.querySelectorAll("tsume-board:defined").length`); n != 20 {
		t.Fatalf("there are %d boards", n)
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times before anybody did anything", n)
	}
	if n := browsertest.Eval[int](p, `[...document.querySelectorAll("tsume-board")].map((b) => b.shadowRoot.querySelectorAll('[tabindex="0"]').length).reduce((a, b) => a + b)`); n != 20 {
		t.Errorf("20 boards have %d stops in their grids", n)
	}
	p.Do(`window.all = [...document.querySelectorAll("tsume-board")]; await Promise.all(all.slice(0, 5).map((b) => b.play("R*1a")))`)
	if got := browsertest.Eval[[]int](p, `all.map((b) => b.played.length)`); !slices.Equal(got, []int{2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("moves on the boards: %v", got)
	}
	p.Accessible()
}

// Attributes, events and methods, beyond what the other tests use.
func TestAttributes(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, solve)
	visible := func() string {
		return browsertest.Eval[string](p, `[...b.shadowRoot.querySelectorAll("button, input")].filter((x) => x.checkVisibility()).map((x) => x.title || x.innerText || x.tagName).join()`)
	}
	for controls, want := range map[string]string{
		"":                "ヒント,待った,答えを見る,盤を反転,キー操作,INPUT,指す",
		"none":            "",
		"hints play":      "ヒント,待った",
		"input answer":    "答えを見る,INPUT,指す",
		"flip":            "盤を反転",
		"replay":          "",
		"hints play flip": "ヒント,待った,盤を反転",
	} {
		p.Do(`b.setAttribute("controls", "` + controls + `")`)
		if got := visible(); got != want {
			t.Errorf("controls=%q: %s", controls, got)
		}
	}
	p.Do(`b.removeAttribute("controls"); b.setAttribute("label", "第三番")`)
	p.Wait(in("[role=grid]") + `.ariaLabel === "第三番"`)

	// Several attributes at once are read together: no half-way state, no fault.
	p.Do(`b.setAttribute("moves", "G*5b"); b.setAttribute("sfen", "4k4/9/4G4/9/9/9/9/9/9 b G 1"); b.setAttribute("mode", "view"); b.goTo(1)`)
	if got := browsertest.Eval[string](p, "b.position"); got != "4k4/4G4/4G4/9/9/9/9/9/9 w - 1" {
		t.Errorf("the position is %s", got)
	}
	if got := events[any](p, "error"); len(got) != 0 {
		t.Errorf("tsume-error: %v", got)
	}

	// A board that is taken out of the page and put back goes on.
	p.Do(`b.setAttribute("mode", "solve"); b.removeAttribute("moves"); const at = b.parentNode; b.remove(); at.append(b)`)
	if got := browsertest.Eval[string](p, `b.play("G*5b")`); got != "solved" {
		t.Errorf("the move was %s", got)
	}
	if got := browsertest.Eval[string](p, `b.play("G*5b")`); got != "illegal" {
		t.Errorf("a move after the end was %s", got)
	}
	// A move that is overtaken is void.
	p.Do(`b.setAttribute("sfen", "` + problem + `")`)
	if got := browsertest.Eval[string](p, `(() => { const m = b.play("R*1a"); b.reset(); return m })()`); got != "gone" || len(played(p)) != 0 {
		t.Errorf("an overtaken move was %s, played are %v", got, played(p))
	}
}

func TestLanguages(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, solve+` lang="en"`)
	if got := browsertest.Eval[string](p, square("2b")+".ariaLabel"); got != "2b, Attacker lance" {
		t.Errorf("a square is called %q", got)
	}
	if got := browsertest.Eval[string](p, hand(0, rook)+".ariaLabel"); got != "Attacker's hand, rook 1" {
		t.Errorf("a hand is called %q", got)
	}
	p.Do(`await b.play("R*1a")`)
	if got := status(p); got != "▲R*1a △Kx1a" {
		t.Errorf("the board says %q", got)
	}
	p.Wait(in(".live") + `.textContent === "Attacker rook drops on 1a. Defender king 1b takes 1a"`)
	p.Do(`b.lang = "ja"`)
	p.Wait(in("p") + `.innerText === "▲１一飛　△同玉"`)
	if got := browsertest.Eval[string](p, square("1a")+".ariaLabel"); got != "１一、玉方の玉" {
		t.Errorf("a square is called %q", got)
	}
	if got := played(p); len(got) != 2 {
		t.Errorf("changing the language lost the moves: %v", got)
	}

	// Without an attribute, the language is that of the page around the board; without that,
	// Japanese.
	p.Goto(site(t, nil, pageWith("en-GB", s.script(), tag(solve)+`<section lang="ja">`+tag(solve)+`</section>`)))
	if got := browsertest.Eval[[]string](p, `[...document.querySelectorAll("tsume-board")].map((x) => x.shadowRoot.querySelector("p").innerText)`); !slices.Equal(got,
		[]string{"Give check with every move, and mate.", "王手の連続で詰ませてください。"}) {
		t.Errorf("the boards say %q", got)
	}
}

func TestServerOutOfReach(t *testing.T) {
	s := serve(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := "http://" + closed.Addr().String()
	closed.Close()

	p := s.open(t, browsertest.Screen{}, solve+` api="`+nowhere+`/"`)
	p.Do(`await b.play("R*1a")`)
	waitState(p, "stopped", 1)
	if got := status(p); got != "サーバーに接続できません。" {
		t.Errorf("the board says %q", got)
	}
	if got := events[struct{ Code string }](p, "error"); len(got) != 1 || got[0].Code != "offline" {
		t.Errorf("tsume-error: %+v", got)
	}
	p.Accessible()
	if e := p.Errors(); len(e) == 0 || !strings.Contains(strings.Join(e, ""), "ERR_CONNECTION_REFUSED") {
		t.Errorf("the console has %q", e)
	}
	p.Do(`await new Promise((r) => setTimeout(r)); const real = fetch; window.fetch = (url, o) => real(url.replace("` + nowhere + `", "` + s.url + `"), o)`) // it is back
	p.Click(button("再試行"))
	waitState(p, "play", 2)

	// A busy server, and one that knows better.
	for _, c := range []struct {
		status     int
		code, says string
	}{{503, "busy", "サーバーが混み合っています。"}, {429, "busy", "サーバーが混み合っています。"}, {422, "refused", "調べられない局面です。"}} {
		p.Do(fmt.Sprintf(`b.reset(); window.fetch = () => Promise.resolve(new Response('{"title":"no"}', { status: %d })); await b.hint()`, c.status))
		if got := events[struct{ Code string }](p, "error"); got[len(got)-1].Code != c.code || status(p) != c.says {
			t.Errorf("to a %d the board says %q, tsume-error has %+v", c.status, status(p), got[len(got)-1])
		}
		if c.status == 503 {
			// What cannot be found out in time.
			p.Do(`b.reset(); window.fetch = () => Promise.resolve(new Response('{"side":"defender","verdict":"unknown","moves":[{"move":"P*1c","verdict":"unknown","line":["P*1c"]}]}')); await b.play("R*1d")`)
			if got := status(p); got != "時間内には分かりませんでした。" {
				t.Errorf("to an unknown verdict the board says %q", got)
			}
		}
	}
}

// Attributes are properties as well, those that were set before the script came included.
func TestProperties(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(site(t, nil, pageWith("ja", "", "<tsume-board></tsume-board>")))
	p.Do(`window.b = document.querySelector("tsume-board"); b.sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1"; b.mode = "solve"; b.flip = true;
		const s = document.createElement("script"); s.src = "` + s.url + `/embed.js"; document.head.append(s)`)
	p.Wait(`b.state === "play"`)
	if got := browsertest.Eval[string](p, `b.outerHTML`); got != `<tsume-board sfen="4k4/9/4P4/9/9/9/9/9/9 b G 1" mode="solve" flip="true"></tsume-board>` {
		t.Errorf("what was set before the script came: %s", got)
	}
	p.Do(`b.flip = false; b.mode = "view"; b.moves = "G*5b"; b.controls = "replay"; b.label = "L"; b.theme = "dark"; b.api = "https://example.com"; b.lang = "en"; b.goTo(1)`)
	if got := browsertest.Eval[[]any](p, `[b.flip, b.mode, b.moves, b.controls, b.label, b.theme, b.api, b.lang, b.played.join()]`); fmt.Sprint(got) !=
		"[false view G*5b replay L dark https://example.com en G*5b]" {
		t.Errorf("the properties are %v", got)
	}
	if got := browsertest.Eval[[]string](p, `b.getAttributeNames().sort()`); !slices.Equal(got, []string{"api", "controls", "label", "lang", "mode", "moves", "sfen", "theme"}) {
		t.Errorf("the attributes are %v", got)
	}
	p.Do(`b.moves = null; b.label = undefined`)
	if got := browsertest.Eval[[]any](p, `[b.hasAttribute("moves"), b.hasAttribute("label"), b.played.length, b.sfen]`); fmt.Sprint(got) != "[false false 0 4k4/9/4P4/9/9/9/9/9/9 b G 1]" {
		t.Errorf("without attributes: %v", got)
	}
	// Made by a script.
	p.Do(`const made = Object.assign(document.createElement("tsume-board"), { sfen: "k8/9/1G7/9/9/9/9/9/9 b 2G 1", mode: "solve" }); document.body.append(made); window.made = made`)
	if got := browsertest.Eval[string](p, `made.play("G*9b")`); got != "solved" {
		t.Errorf("on a board that was made by a script, the move was %s", got)
	}
}

// A board that is moved within its page keeps its game, and what it waited for is asked again.
func TestMovedBoard(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, solve)
	again := `const at = b.parentNode; b.remove(); at.append(b)`
	p.Do(`await b.play("R*1a"); ` + again)
	waitState(p, "play", 2)
	p.Do(`b.play("2b2a+"); ` + again)
	waitState(p, "play", 4)
	p.Do(`b.hint(); ` + again)
	waitState(p, "play", 4)
	if got := events[any](p, "error"); len(got) != 0 {
		t.Errorf("tsume-error: %v", got)
	}
	p.Do(`await b.play("2d2b+")`)
	checkSolved(t, p)
}

// Two boards of different languages do not mix them, and neither speaks before something happens.
func TestTwoLanguages(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	last := `mode="solve" sfen="9/9/9/9/9/9/9/9/9 b - 1"`
	end := `mode="solve" sfen="7+L1/8k/9/7R1/9/9/9/9/9 b - 1"`
	p.Goto(site(t, nil, pageWith("ja", s.script(), tag(end+` lang="en"`)+tag(last))))
	p.Do(listen)
	if got := browsertest.Eval[string](p, `[...document.querySelectorAll("tsume-board")].map((b) => b.shadowRoot.querySelector(".live").textContent).join("")`); got != "" {
		t.Errorf("at first, the boards speak: %q", got)
	}
	p.Click(square("2d"))
	p.Do(`document.querySelectorAll("tsume-board")[1].reset()`)
	p.Click(square("2b"))
	if got := browsertest.Eval[string](p, in("dialog")+".innerText"); !strings.Contains(got, "Promote") {
		t.Errorf("the dialog says %q", got)
	}
	if got := browsertest.Eval[string](p, in("dialog")+".ariaLabel"); got != "Promote?" {
		t.Errorf("the dialog is called %q", got)
	}
}

// What belongs to the browser is left to it.
func TestBrowserKeys(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, `mode="edit" sfen="`+problem+`"`)
	p.Do(`b.focus(); window.left = []; document.addEventListener("keydown", (e) => left.push(e.key + e.defaultPrevented))`)
	for _, modifier := range []string{"ctrlKey", "metaKey", "altKey"} {
		for _, key := range []string{"r", "ArrowLeft", "Enter"} {
			p.Do(`b.shadowRoot.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "` + key + `", ` + modifier + `: true, bubbles: true, composed: true, cancelable: true }))`)
		}
	}
	if got := browsertest.Eval[string](p, "left.join()"); got != "rfalse,ArrowLeftfalse,Enterfalse,rfalse,ArrowLeftfalse,Enterfalse,rfalse,ArrowLeftfalse,Enterfalse" {
		t.Errorf("keys with modifiers: %s", got)
	}
	if got := browsertest.Eval[string](p, "b.position"); got != problem {
		t.Errorf("they changed the position to %s", got)
	}
}
