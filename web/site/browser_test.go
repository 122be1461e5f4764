package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	encoding "golang.org/x/text/encoding/japanese"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// microcosmos is a mate in 1525 (Hashimoto Takaji, 1986): a question that is not answered in a
// second.
const microcosmos = "g1+P1k1+P+P+L/1p3P3/+R+p2pp1pl/1NNsg+p2+R/+b+nL+P1+p3/1P3ssP1/2P1+Ps2N/4+P1P1L/+B5G1g b - 1"

// longest is the time of a search that a test stops, however long its page is looked at before: the
// tables of the tests are too small for microcosmos.
const longest = time.Hour

// patient has a page ask for searches of the longest time that it offers.
func patient(p *browsertest.Page) {
	p.Do(`const menu = document.querySelector("#time");
		menu.selectedIndex = menu.length - 1;
		menu.dispatchEvent(new Event("change", { bubbles: true }));`)
}

// A service is the whole of it, as it is served.
type service struct {
	*httptest.Server
	api   *httpapi.Server
	mu    sync.Mutex
	asked map[string]int // how often, by path
}

// serve starts a service for a test, which from then on runs beside others: most of its time it
// waits for the browser.
func serve(t *testing.T) *service {
	t.Helper()
	return serveLimited(t, 10*time.Second, 10*time.Second)
}

// serveLimited starts a service that allows so much time, with pages that know of another time.
func serveLimited(t *testing.T, known, allowed time.Duration) *service {
	t.Helper()
	return serveWith(t, Config{MaxTime: known}, httpapi.Config{MaxTime: allowed})
}

// serveAnalyses starts a service that offers analyses.
func serveAnalyses(t *testing.T) *service {
	t.Helper()
	return serveWithAnalyses(t, Config{})
}

func serveWithAnalyses(t *testing.T, c Config) *service {
	t.Helper()
	c.MaxTime, c.Analyses = 10*time.Second, true
	return serveWith(t, c, httpapi.Config{
		MaxTime: 10 * time.Second, MaxAnalyses: 1, MaxAnalysisTime: longest, DefaultAnalysisTime: longest,
		Sessions: func() solver.Session { return dfpn.NewSession() },
	})
}

// solvers are those that all services of the tests share, since their tables are large.
var solvers = sync.OnceValues(func() (long, quick solver.Solver) {
	searches := 2 * runtime.GOMAXPROCS(0) // of the tests that run at the same time
	return mate.New(mate.Options{TableBytes: 16 << 20, Searches: searches}),
		mate.New(mate.Options{TableBytes: 4 << 20, Searches: searches})
})

func serveWith(t *testing.T, c Config, a httpapi.Config) *service {
	t.Helper()
	t.Parallel()
	if c.Now == nil {
		c.Now = noon
	}
	pages, err := Handler(c)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	board.Register(mux)
	a.Solver, a.Quick = solvers()
	a.MaxSearches, a.LongSearches, a.RatePerMinute = 2, 2, -1
	a.Web, a.Diagrams, a.CORSOrigins = mux, diagram.Handler(nil), []string{"*"}
	api, err := httpapi.New(a)
	if err != nil {
		t.Fatal(err)
	}
	handler := api.Handler()
	s := &service{api: api, asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// elsewhere serves one page of somebody else, on another origin, cross-origin isolated.
func elsewhere(t *testing.T, body string) string {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		fmt.Fprintf(w, "<!doctype html><html lang=\"ja\"><title>Elsewhere</title><link rel=\"icon\" href=\"data:,\"><main><h1>Elsewhere</h1>\n%s</main>", body)
	}))
	t.Cleanup(other.Close)
	return strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
}

// ready is true once the script of the page ran, and that of the board.
const ready = `customElements.get("tsume-board") && window.board?.played && document.querySelector("#snippet-tag").textContent`

// readable is true once the scripts of a page for readers ran.
const readable = `window.board?.played && document.readyState === "complete"`

// open opens a page of the service that has a board. When the test ends, the page must not have
// asked elsewhere.
func (s *service) open(t *testing.T, path string, screen browsertest.Screen) *browsertest.Page {
	t.Helper()
	screen.Still = true
	p := browsertest.Open(t, screen)
	p.Goto(s.URL + path)
	if strings.HasPrefix(path, "/p?") || strings.HasPrefix(path, "/daily") {
		p.Wait(readable)
	} else {
		p.Wait(ready)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			clean(t, p)
		}
	})
	return p
}

// deeds is the script for what a page has done that it should not.
const deeds = `(() => {
	const observer = new ReportingObserver(() => {}, { types: ["csp-violation"], buffered: true });
	observer.observe();
	const report = (r) => r.body.effectiveDirective + " " + r.body.blockedURL;
	const loaded = performance.getEntriesByType("resource").map((e) => e.name);
	return {
		violations: observer.takeRecords().map(report),
		foreign: loaded.filter((name) => new URL(name).origin !== location.origin),
		cookie: document.cookie,
	};
})()`

type itsDeeds struct {
	Violations, Foreign []string
	Cookie              string
}

// clean fails the test if a page loaded something from elsewhere, tried to, or set a cookie.
func clean(t *testing.T, p *browsertest.Page) {
	t.Helper()
	did := browsertest.Eval[itsDeeds](p, deeds)
	if len(did.Violations) > 0 {
		t.Errorf("the page acts against its policy: %q", did.Violations)
	}
	if len(did.Foreign) > 0 {
		t.Errorf("the page asked elsewhere: %q", did.Foreign)
	}
	if did.Cookie != "" {
		t.Errorf("the page has a cookie: %s", did.Cookie)
	}
}

const verdictShown = `[...document.querySelectorAll("#verdict-word, #verdict-note")].map((e) => e.textContent.trim()).join("|")`

func element(selector string) string { return fmt.Sprintf("document.querySelector(%q)", selector) }

func visible(selector string) string { return element(selector) + ".checkVisibility()" }

func text(selector string) string { return element(selector) + ".textContent" }

func click(p *browsertest.Page, selector string) { p.Click(element(selector)) }

// keep keeps what is seen of a page: all of it, or what is on the screen.
func keep(t *testing.T, p *browsertest.Page, folder, name string, isWhole bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name+".png"), p.PNG(isWhole), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantText checks that what a script returns contains a text.
func wantText(t *testing.T, p *browsertest.Page, script, want string) {
	t.Helper()
	if got := browsertest.Eval[string](p, script); !strings.Contains(got, want) {
		t.Errorf("%s is %q, want %q", script, got, want)
	}
}

// begin puts the problem that the page began with on its board, as it was then.
func begin(p *browsertest.Page) {
	p.Do(fmt.Sprintf(`document.querySelector('.samples a[data-sfen="%s"]').click()`, problem))
	p.Wait(fmt.Sprintf("board.position === %q && !%s", problem, visible("#text-fault")))
}

func waitVerdict(p *browsertest.Page, verdict string) {
	p.Wait(fmt.Sprintf("%s.dataset.verdict === %q", element("#verdict"), verdict))
}

// edit has the board set up a position. Its editor is a file that is loaded then.
func edit(p *browsertest.Page) {
	click(p, `[data-mode="edit"]`)
	p.Wait(`board.mode === "edit"`)
	p.Do(`await board.ready`)
}

// button is the script for a button of the board, by what it says.
func button(says string) string {
	return fmt.Sprintf(`[...board.shadowRoot.querySelectorAll("button")].find((b) => b.textContent === %q)`, says)
}

// cell is the script for a square of the board, by rank and file counted from 9a.
func cell(rank, file int) string {
	return fmt.Sprintf(`board.shadowRoot.querySelector('[data-cell="%d"]')`, rank*9+file)
}

// TestSolve: a newcomer moves a piece and is answered, presses the one large button, sees the answer
// with what it is worth and what it took, and replays it with the keyboard and by its moves.
func TestSolve(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{Width: 1440, Height: 900})
	wantText(t, p, verdictShown, "何手詰？|答えはまだ調べていません。")
	p.Keys("Tab", "Enter", "Tab")
	if !browsertest.Eval[bool](p, `document.activeElement === board`) {
		t.Error("the board is more than two tab stops away")
	}
	if !browsertest.Eval[bool](p, element(`[data-mode="view"]`)+".disabled") {
		t.Error("there is something to replay before there is an answer")
	}
	p.Drag(cell(4, 5), cell(2, 5))
	p.Wait(`board.shadowRoot.querySelector("dialog button")`)
	p.Click(`board.shadowRoot.querySelector("dialog button")`)
	p.Wait(`board.played.length === 2 && board.played[0] === "4e4c+"`)
	click(p, "#solve")
	waitVerdict(p, "mate")
	wantText(t, p, verdictShown, "5手詰|最短と証明済み")
	for _, word := range []string{"攻方先手", "調べた局面", "時間", "解図エンジン"} {
		wantText(t, p, text("#facts"), word)
	}
	// The solution stands once: on the board, where each of its moves can be pressed.
	if n := browsertest.Eval[int](p, `document.body.innerText.split("▲４三飛成").length - 1`); n != 0 {
		t.Errorf("the solution stands %d times beside the board", n)
	}
	moves := browsertest.Eval[[]string](p, moveButtons+".map((e) => e.textContent)")
	if len(moves) != 5 || moves[0] != "1 ▲４三飛成" {
		t.Errorf("the line is %q", moves)
	}
	p.Click(moveButtons + "[2]")
	p.Wait("board.played.length === 3")
	p.Do(element("#solve") + ".focus()")
	p.Keys("Home")
	p.Wait("board.played.length === 0")
	// All of that is in the window, with the board and the buttons below it.
	for _, selector := range []string{"#board", "#verdict", "#facts"} {
		if !browsertest.Eval[bool](p, `(() => { const r = `+element(selector)+`.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight })()`) {
			t.Errorf("one must scroll to see %s", selector)
		}
	}
	for n := 1; n <= 5; n++ {
		p.Keys("ArrowRight")
		p.Wait(fmt.Sprintf("board.played.length === %d", n))
		if current := browsertest.Eval[int](p, moveButtons+".findIndex((e) => e.ariaCurrent) + 1"); current != n {
			t.Errorf("move %d is marked, the board shows %d", current, n)
		}
	}
	end := shogi.MustParseSFEN(browsertest.Eval[string](p, "board.position"))
	if !end.IsCheckmate() {
		t.Errorf("the line ends at %s, which is no mate", end.SFEN())
	}
	for _, c := range []struct {
		key string
		ply int
	}{{"ArrowLeft", 4}, {"Home", 0}, {"ArrowLeft", 0}, {"End", 5}} {
		p.Keys(c.key)
		p.Wait(fmt.Sprintf("board.played.length === %d", c.ply))
	}
	// Keys mean what they do elsewhere while a text is written.
	p.Do(element("#text") + ".focus()")
	p.Keys("Home")
	if n := browsertest.Eval[int](p, "board.played.length"); n != 5 {
		t.Errorf("Home in the text went to move %d", n)
	}
	// On paper the problem has a name, and the answer its moves.
	p.Show(browsertest.Screen{Width: 794, Height: 1123, Print: true})
	if got := browsertest.Eval[string](p, `getComputedStyle(document.querySelector("h1"), "::before").content`); got != `"詰将棋"` {
		t.Errorf("the heading is %s", got)
	}
	seen := browsertest.Eval[[]string](p, `[...document.querySelectorAll("main button, main a, .lead p"), ...board.shadowRoot.querySelectorAll("button, p")].filter((e) => e.checkVisibility()).map((e) => e.textContent)`)
	if !slices.Equal(seen, moves) {
		t.Errorf("also printed: %q", seen)
	}
}

// moveButtons is the script for the moves of the line that the board lists.
const moveButtons = `[...board.shadowRoot.querySelectorAll("ol button")]`

// wantCall checks that the command which the page shows gives the answer that it shows, and so does
// the link.
func wantCall(t *testing.T, p *browsertest.Page) {
	t.Helper()
	call := regexp.MustCompile(`^curl -sS (\S+) \\\n  -H 'Content-Type: application/json' \\\n  -d '([^']*)'$`).FindStringSubmatch(browsertest.Eval[string](p, text("#call")))
	if call == nil {
		t.Fatal("the call is not one to paste")
	}
	line := browsertest.Eval[[]string](p, `board.getAttribute("moves").split(" ")`)
	for _, method := range []string{"POST", "GET"} {
		resp, err := http.Post(call[1], "application/json", strings.NewReader(call[2]))
		if method == "GET" {
			resp, err = http.Get(browsertest.Eval[string](p, element("#call-link")+".href"))
		}
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var answer struct {
			Verdict string
			Exact   bool
			Moves   []string
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s %v", resp.Status, err)
		}
		if answer.Verdict != "mate" || !answer.Exact || !slices.Equal(answer.Moves, line) {
			t.Errorf("%s answers %+v, the page shows %q", method, answer, line)
		}
	}
}

// TestHands: a diagram without the defender's hand is a different problem from the one it means in
// print. Both are one press away from each other, and the way back is the browser's, too.
func TestHands(t *testing.T) {
	s := serve(t)
	const given, whole = "7R1/9/8k/8p/5R3/9/9/9/9 b - 1", problem
	p := s.open(t, "/study?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_-&title=x&lang=ja", browsertest.Screen{})
	if browsertest.Eval[bool](p, visible("#hands")) {
		t.Error("there is a note on what nobody has asked about")
	}
	shows := func(verdict, note, button, position string) {
		t.Helper()
		p.Wait(fmt.Sprintf("%s === %q", text("#verdict-word"), verdict))
		wantText(t, p, text("#hands"), note)
		wantText(t, p, text("#hands-other"), button)
		wantText(t, p, element("#text")+".value", position)
		wantText(t, p, "document.title", "x · ")
	}
	click(p, "#solve")
	const asGiven, complete = "図にない駒は、どちらの持駒でもありません。", "残りの駒は玉方の持駒です。"
	const toComplete, toGiven = "残りを玉方の持駒にする", "図のとおりにする"
	shows("3手詰", asGiven, toComplete, given)
	click(p, "#hands-other")
	shows("5手詰", complete, toGiven, whole)
	click(p, "#hands-other")
	shows("3手詰", asGiven, toComplete, given)
	p.Do("history.back()")
	p.Wait(fmt.Sprintf("%s.value === %q", element("#text"), whole))
	wantText(t, p, text("#hands"), complete)

	// What is pasted has the note at once, and so have its moves. A whole problem has none.
	paste(p, given)
	p.Wait(fmt.Sprintf("%s === %q", text("#hands-note"), asGiven))
	wantText(t, p, text("#hands-other"), toComplete)
	paste(p, whole)
	p.Wait("!" + visible("#hands"))
	click(p, "#solve")
	waitVerdict(p, "mate")
	if browsertest.Eval[bool](p, visible("#hands")) {
		t.Error("there is a note, and no piece is missing")
	}
	p.Goto(s.URL + "/study?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_-&lang=en")
	p.Wait(ready)
	click(p, "#examine")
	p.Wait(visible("#hands"))
	wantText(t, p, text("#hands"), "Nobody holds what is not in the diagram. Give the rest to the defender")
}

// TestVerdicts: what is no mate, what is not known, what is no question, and what was not answered.
func TestVerdicts(t *testing.T) {
	s := serve(t)
	p := s.open(t, "/study?sfen=7nk/9/7G1/9/9/9/9/9/9_b_P2r2b3g4s3n4l17p&lang=en", browsertest.Screen{})
	click(p, "#solve")
	waitVerdict(p, "nomate")
	wantText(t, p, verdictShown, "No mate|Proven: there is no forced mate")

	// Nobody is told to give more time than there is.
	p.Goto(s.URL + "/study?sfen=" + strings.NewReplacer("+", "%2B", " ", "_").Replace(microcosmos) + "&lang=ja")
	p.Wait(ready)
	for menu, says := range map[string]string{
		"prepend":         "不明|時間切れです。時間を延ばすと、分かることがあります。",
		"replaceChildren": "不明|時間切れです。",
	} {
		p.Do(fmt.Sprintf(`%[1]s.%[2]s(new Option("", "50")); %[1]s.selectedIndex = 0`, element("#time"), menu))
		p.Do(`document.querySelector("#verdict").dataset.verdict = ""`)
		click(p, "#solve")
		waitVerdict(p, "unknown")
		wantText(t, p, verdictShown, says)
		if menu == "replaceChildren" && browsertest.Eval[bool](p, verdictShown+`.includes("延ばす")`) {
			t.Error("more time is proposed than the menu has")
		}
	}

	p.Goto(s.URL + "/study?sfen=9/9/4P4/9/9/9/9/9/9_b_G&lang=ja")
	p.Wait(ready)
	click(p, "#solve")
	p.Wait(visible("#fault"))
	wantText(t, p, verdictShown, "答えが得られませんでした")
	wantText(t, p, text("#fault"), "盤に玉がありません。")
	_ = p.Errors() // of the browser, about the 422
}

// TestOffline: what the API says of a request as such is said in the language of the reader. A page
// whose server is gone says so, wherever it asks, and goes on.
func TestOffline(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	p.Do("window.real = fetch")
	for status, says := range map[int]string{
		http.StatusRequestEntityTooLarge: "本文が100バイトを超えています。",
		http.StatusTooManyRequests:       "少し待ってからお試しください。",
		http.StatusServiceUnavailable:    "探索の枠がすべて使われています。",
	} {
		body, _ := json.Marshal(map[string]any{"title": "No", "detail": "No.", "detail_ja": says, "status": status})
		p.Do(fmt.Sprintf("window.fetch = async () => new Response(%q, { status: %d })", body, status))
		click(p, "#solve")
		p.Wait(visible("#fault"))
		wantText(t, p, text("#fault"), says)
	}
	p.Do("window.fetch = real")
	click(p, "#solve")
	waitVerdict(p, "mate")
	s.CloseClientConnections()
	s.Listener.Close()
	const offline = "サーバーに接続できません。"
	click(p, "#solve")
	p.Wait(visible("#fault"))
	wantText(t, p, text("#fault"), offline)
	wantText(t, p, verdictShown, "—|答えが得られませんでした。")
	for _, selector := range []string{"#facts", "#keys"} {
		if browsertest.Eval[bool](p, visible(selector)) {
			t.Errorf("%s of the answer before is still there", selector)
		}
	}
	click(p, "#examine")
	p.Wait(fmt.Sprintf("%s.includes(%q)", text("#moves-hint"), offline))
	click(p, "#form button")
	p.Wait(visible("#text-fault"))
	wantText(t, p, text("#text-fault"), offline)
	click(p, `[data-mode="solve"]`)
	p.Wait(`board.getAttribute("mode") === "solve"`)
	for _, e := range p.Errors() {
		if !strings.Contains(e, "ERR_CONNECTION") {
			t.Error(e)
		}
	}
}

// TestProgress: a long search says how it goes, and can be stopped.
func TestProgress(t *testing.T) {
	s := serveLimited(t, longest, longest)
	p := s.open(t, "/study?sfen="+strings.NewReplacer("+", "%2B", " ", "_").Replace(microcosmos)+"&lang=ja", browsertest.Screen{})
	patient(p)
	click(p, "#solve")
	p.Wait(visible("#progress"))
	p.Wait(`/調べた局面[1-9][\d,]*.*毎秒[\d,]+/.test(` + text("#progress-facts") + `)`)
	wantText(t, p, verdictShown, "読んでいます…")
	before := browsertest.Eval[string](p, text("#progress-facts"))
	p.Wait(fmt.Sprintf("%s !== %q", text("#progress-facts"), before))
	if !browsertest.Eval[bool](p, element("#solve")+".disabled") {
		t.Error("it can be asked twice at once")
	}
	click(p, "#stop")
	p.Wait(`!` + visible("#progress"))
	wantText(t, p, verdictShown, "止めました。")
	if browsertest.Eval[bool](p, element("#solve")+".disabled") {
		t.Error("it cannot be asked again")
	}
}

// What records look like that people have: one gold in hand, a king on 51 and a pawn on 53.
const (
	bod = "後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n" +
		"| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|九\n" +
		"+---------------------------+\n先手の持駒：金\n"
	kif = bod + "先手番\n手数----指手---------消費時間--\n   1 ５二金打     ( 0:00/00:00:00)\n   2 詰み         ( 0:00/00:00:00)\n"
	ki2 = bod + "先手番\n\n▲５二金\n"
	csa = "V2.2\nP-51OU\nP+53FU00KI\n+\n+0052KI\n%TSUMI\n"
	jkf = `{"header":{},"initial":{"preset":"OTHER","data":{"color":0,"hands":[{"KI":1},{}],"board":[` +
		`[{},{},{},{},{},{},{},{},{}],[{},{},{},{},{},{},{},{},{}],[{},{},{},{},{},{},{},{},{}],[{},{},{},{},{},{},{},{},{}],` +
		`[{"color":1,"kind":"OU"},{},{"color":0,"kind":"FU"},{},{},{},{},{},{}],` +
		`[{},{},{},{},{},{},{},{},{}],[{},{},{},{},{},{},{},{},{}],[{},{},{},{},{},{},{},{},{}],[{},{},{},{},{},{},{},{},{}]]}},"moves":[{}]}`
	recorded = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
)

func paste(p *browsertest.Page, record string) {
	p.Do(fmt.Sprintf(`const text = document.querySelector("#text"); text.value = ""; text.focus(); text.value = %q`, record))
	click(p, "#form button")
}

// TestPaste: the notations that people have are read, and before anything is solved the page says what it
// understood beside the board: the author, the line, and the length that the text tells.
func TestPaste(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	const line = "作意：▲５二金"
	for _, c := range []struct{ name, record, want, told string }{
		{"SFEN", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", ""},
		{"USI", "position sfen " + promoted, promoted, ""},
		{"moves", "sfen " + problem + " moves 4e4c+ P*3c", "7R1/9/5+Rp1k/8p/9/9/9/9/9 b 2b4g4s4n4l16p 1", ""},
		{"KIF", kif, recorded, line}, {"", problem, problem, ""}, {"KI2", ki2, recorded, line}, {"", problem, problem, ""},
		{"BOD", bod + "先手番\n", recorded, ""}, {"", problem, problem, ""}, {"CSA", csa, recorded, line},
		{"", problem, problem, ""}, {"JKF", jkf, recorded, ""}, {"", problem, problem, ""},
		{"print", "作者：誰か\n" + bod + "先手番\n正解：52金 まで3手詰\n", recorded, "作者：誰か\n3手詰と書かれています。\n" + line},
	} {
		paste(p, c.record)
		p.Wait(fmt.Sprintf("board.position === %q", c.want))
		link := strings.NewReplacer(" ", "_", "+", "%2B").Replace(strings.TrimSuffix(c.want, " 1"))
		wantText(t, p, "location.search", "?sfen="+link)
		wantText(t, p, element("#link")+".value", s.URL+"/p?sfen="+link)
		told := ""
		if browsertest.Eval[bool](p, visible("#text-fault")) {
			told = browsertest.Eval[string](p, text("#text-fault"))
		}
		if told != c.told {
			t.Errorf("%s: the page says %q, want %q", c.name, told, c.told)
		}
	}
	paste(p, problem)
	p.Wait(fmt.Sprintf("board.position === %q", problem))
	paste(p, csa+"/\n"+csa) // the first of them
	p.Wait(fmt.Sprintf("board.position === %q", recorded))
	wantText(t, p, text("#toast"), "2局のうち最初のものを使いました。")
}

// TestPasteAnywhere: a position that is pasted or dropped where moves are typed is none: the page
// takes it, and shows what is wrong with one that cannot be read. A move stays one.
func TestPasteAnywhere(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	const field = `board.shadowRoot.querySelector("input")`
	put := func(kind, where, text string) {
		p.Do(fmt.Sprintf(`const transfer = new DataTransfer(); transfer.setData("text/plain", %q);
			const options = { bubbles: true, cancelable: true, composed: true };
			const event = %q === "drop" ? new DragEvent("drop", { ...options, dataTransfer: transfer })
				: new ClipboardEvent("paste", { ...options, clipboardData: transfer });
			window.taken = !%s.dispatchEvent(event)`, text, kind, where))
	}
	for _, c := range []struct{ kind, where, text, want string }{
		{"paste", field, "position sfen " + promoted, promoted}, {"drop", field, problem, problem},
		{"paste", "document.body", kif, recorded}, {"drop", "board", problem, problem},
		{"paste", field, "http://example.com" + shortLink, problem},
	} {
		put(c.kind, c.where, c.text)
		p.Wait(fmt.Sprintf("board.position === %q", c.want))
		wantText(t, p, field+".value + '|'", "|")
	}
	for _, where := range []string{field, element("#text"), element("#level, #time")} {
		text := "４三飛成"
		if where != field {
			text = promoted
		}
		if put("paste", where, text); browsertest.Eval[bool](p, "taken") {
			t.Errorf("%q was taken away from %s", text, where)
		}
	}
	put("paste", field, "4k4/9/4P4/4P4/9/9/9/9/9 b G 1")
	p.Wait(visible("#text-fault"))
	wantText(t, p, text("#text-fault"), "二歩")
	wantText(t, p, element("#text")+".value", "4P4/4P4")
	_ = p.Errors() // of the browser, about the 422
}

// TestPasteFaults: what cannot be read is said where it stands, in the language of the page, and
// marked.
func TestPasteFaults(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	for i, c := range []struct{ lang, record, fault, marked string }{
		{"ja", "4k4/9/4P4/4P4/9/9/9/9/9 b G 1", "1行12文字目：二歩です。5筋に先手の歩が二枚あります。", "P"},
		{"ja", strings.Replace(kif, "v玉", "v鬼", 1), "4行10文字目：", "v"},
		{"ja", "?", "SFEN・KIF・KI2・BOD・CSA・JKF のどれとしても読めません。", "?"},
		{"ja", "9/9/9/9/9/9/9/9/4K4 b - 1", "詰ます相手の玉がありません。", ""},
		{"en", "4k4/9/4P4/4P4/9/9/9/9/9 b G 1", "Line 1, column 12: board: found a second black pawn on file 5 (nifu)", "P"},
		{"en", "9/9/9/9/9/9/9/9/4K4 b - 1", "the only king belongs to the side to move and is not in check, so there is nobody to mate", ""},
	} {
		if i == 4 {
			p.Goto(s.URL + studyLink + "&lang=en")
			p.Wait(ready)
		}
		begin(p)
		paste(p, c.record)
		p.Wait(visible("#text-fault"))
		wantText(t, p, text("#text-fault"), c.fault)
		wantText(t, p, "document.activeElement.id", "text")
		wantText(t, p, `(() => { const t = document.querySelector("#text"); return t.value.slice(t.selectionStart, t.selectionEnd) })()`, c.marked)
		wantText(t, p, "board.position", problem)
		_ = p.Errors() // of the browser, about the 422
	}
	// The position is taken all the same, and what is left out is said.
	p.Goto(s.URL + studyLink + "&lang=ja")
	p.Wait(ready)
	for record, note := range map[string]string{
		strings.Replace(csa, "+0052KI", "+0053KI", 1): "5行1文字目からの指し手は読めません。",
		csa + "/\n" + csa: "2局のうち最初のものを使いました。",
		"問題です\n" + bod:    "棋譜や局面でない部分は読み飛ばしました（1行目の「問題です」など）。",
	} {
		begin(p)
		paste(p, record)
		p.Wait(visible("#text-fault"))
		wantText(t, p, text("#text-fault"), note)
		wantText(t, p, "board.position", recorded)
	}
	if n := s.count("/v1/solve") + s.count("/v1/solve/events"); n > 0 {
		t.Errorf("%d searches to read texts", n)
	}
}

// give gives a page a file, as its button or a drop does.
func give(t *testing.T, p *browsertest.Page, name string, data []byte, dropped bool) {
	t.Helper()
	numbers, err := json.Marshal(slices.Collect(func(yield func(int) bool) {
		for _, b := range data {
			if !yield(int(b)) {
				return
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	p.Do(fmt.Sprintf("const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([new Uint8Array(%s)], %q))", numbers, name) +
		map[bool]string{
			false: `; const file = document.querySelector("#file"); file.files = dataTransfer.files; file.dispatchEvent(new Event("change"))`,
			true: `; for (const type of ["dragover", "drop"])
				if (board.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))) throw "the browser would leave the page"`,
		}[dropped])
}

// TestFile: a file is opened or dropped, in the encoding that it has.
func TestFile(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	sjis, err := encoding.ShiftJIS.NewEncoder().Bytes([]byte(strings.ReplaceAll(kif, "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		data    []byte
		dropped bool
	}{{"sjis.kif", sjis, false}, {"sjis.kif", sjis, true}, {"utf8.kifu", []byte(kif), true}, {"bom.kifu", []byte("\ufeff" + kif), false}, {"x.jkf", []byte(jkf), false}} {
		begin(p)
		give(t, p, c.name, c.data, c.dropped)
		p.Wait(fmt.Sprintf("board.position === %q", recorded))
	}
	// Of what cannot be read the text is shown, as what it says.
	give(t, p, "bad.kif", bytes.Replace(sjis, []byte("v\x8b\xca"), []byte("v\x8bS"), 1), true)
	p.Wait(visible("#text-fault"))
	wantText(t, p, element("#text")+".value", "v鬼")
	wantText(t, p, text("#text-fault"), "4行")
	_ = p.Errors() // of the browser, about the 422
	give(t, p, "film.mp4", make([]byte, 1<<20+1), false)
	p.Wait(text("#text-fault") + `.includes("大きすぎます")`)
}

// TestSave: an answer leaves the page as a command, as a link and as a file in each notation, which
// are read again.
func TestSave(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	if browsertest.Eval[bool](p, visible("#save")) {
		t.Error("there is something to save before there is an answer")
	}
	click(p, "#solve")
	waitVerdict(p, "mate")
	wantCall(t, p)
	p.Do(`window.saved = []; const create = URL.createObjectURL;
		URL.createObjectURL = (blob) => { saved.push({ text: blob.text() }); return create.call(URL, blob) };
		HTMLAnchorElement.prototype.click = function () { saved.at(-1).name = this.download }`)
	for i, want := range []struct {
		button, name string
		format       notation.Format
	}{{"kif", "tsume-5.kifu", notation.KIF}, {"ki2", "tsume-5.ki2u", notation.KI2}, {"csa", "tsume-5.csa", notation.CSA}, {"jkf", "tsume-5.jkf", notation.JKF}} {
		click(p, "[data-save="+want.button+"]")
		p.Wait(fmt.Sprintf("saved[%d]?.name", i))
		if name := browsertest.Eval[string](p, fmt.Sprintf("saved[%d].name", i)); name != want.name {
			t.Errorf("the file is named %s, expected %s", name, want.name)
		}
		record, err := notation.Parse([]byte(browsertest.Eval[string](p, fmt.Sprintf("saved[%d].text", i))), notation.Options{Format: want.format})
		if err != nil {
			t.Error(err)
			continue
		}
		if end, err := record.After(5); err != nil || !end.IsCheckmate() || record.Ending() != notation.Mated {
			t.Errorf("%s: no mate in 5, but %v, and then %s", want.name, record.Moves(), record.Ending())
		}
	}
	// As magazines print it, by keyboard, and where there is no clipboard.
	p.Do(`navigator.clipboard.write = async ([item]) => { window.copied = await (await item.getType("text/plain")).text() };
		document.querySelector("#copy-line").focus()`)
	p.Keys("Enter")
	p.Wait(`window.copied`)
	wantText(t, p, text("#toast"), "コピーしました。")
	line := browsertest.Eval[string](p, "copied")
	if strings.ContainsAny(line, "▲△\n　") || strings.Count(line, "、") != 4 || !strings.HasSuffix(line, " まで５手詰") {
		t.Errorf("the line is printed as %q", line)
	}
	p.Do(`navigator.clipboard.write = () => Promise.reject(new Error("not allowed")); document.querySelector("#toast").hidden = true;
		document.execCommand = () => { window.copied = document.activeElement.value }; window.copied = ""`)
	click(p, "#copy-line")
	p.Wait(visible("#toast"))
	if got := browsertest.Eval[string](p, "copied"); got != line || browsertest.Eval[bool](p, `!!document.querySelector("body > textarea")`) {
		t.Errorf("copied without a clipboard: %q", got)
	}
	// What the service does not answer is said.
	p.Do(`window.fetch = () => Promise.reject(new TypeError("no network")); document.querySelector("#toast").hidden = true`)
	click(p, "#copy-line")
	p.Wait(visible("#save-fault"))
	if browsertest.Eval[bool](p, visible("#toast")) {
		t.Error("nothing was copied, and it is said that it was")
	}
}

// TestHistory: the way back leads through what was on the board, and each address is its problem.
// Heading, name of the tab and text of the picture are those of the problem.
func TestHistory(t *testing.T) {
	s := serve(t)
	const title = "第一番"
	p := s.open(t, studyLink+"&lang=ja&theme=wood&title="+url.QueryEscape(title), browsertest.Screen{})
	names := func(isNamed bool) {
		t.Helper()
		for _, name := range []string{"document.title", text("h1")} {
			if got := browsertest.Eval[string](p, name); strings.Contains(got, title) != isNamed {
				t.Errorf("%s is %q", name, got)
			}
		}
	}
	names(true)
	const picture = `document.querySelector("#board img").alt`
	words := browsertest.Eval[string](p, picture)
	click(p, `a[data-sfen^="4k4"]`)
	p.Wait(`board.position.startsWith("4k4")`)
	wantText(t, p, "location.search", "?sfen=4k4")
	const looks = "&theme=wood&lang=ja|"
	wantText(t, p, "location.search + '|'", looks)
	wantText(t, p, element("#reading")+".href", "/p?sfen=4k4")
	wantText(t, p, element("#reading")+".href + '|'", looks)
	names(false)
	if got := browsertest.Eval[string](p, picture); got == words {
		t.Errorf("the text of the picture is still %q", got)
	}
	paste(p, promoted)
	p.Wait(fmt.Sprintf("board.position === %q", promoted))
	edit(p)
	for range 3 { // changes of one editing are one step
		p.Click(button("手番を変える"))
	}
	p.Wait(`board.position.includes(" w ")`)
	wantText(t, p, "location.search", "_w_")
	for _, step := range []struct{ go_, position string }{
		{"back", promoted}, {"back", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"}, {"back", problem}, {"forward", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"}, {"forward", promoted},
	} {
		p.Do("history." + step.go_ + "()")
		p.Wait(fmt.Sprintf("board.position === %q", step.position))
		wantText(t, p, element("#text")+".value", step.position)
		names(step.position == problem)
	}
	p.Goto(browsertest.Eval[string](p, "location.href"))
	p.Wait(ready)
	wantText(t, p, "board.position", promoted)
}

// TestThreats: the page says whether the position on the board is a brinkmate, with the attacks and how
// each kind of reply is mated on the board, and whether there is a threat. The brinkmate is the published
// one that solver/threat's tests name.
func TestThreats(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, "/study?sfen=7nl/7k1/6p2/7Pp/9/9/9/9/9_b_GS&lang=ja", browsertest.Screen{})
	says := func(want string) {
		t.Helper()
		p.Wait(fmt.Sprintf("%s.includes(%q)", text("#threat-note"), want))
	}
	click(p, "#ask-brinkmate")
	says("3手必至です。")
	wantText(t, p, text("#threats button"), "▲２三銀 △１三玉 ▲３四銀成")
	wantText(t, p, text("#threats p"), "その後の応手476通りは、どれも詰みます。")
	_ = p.Errors()                              // of the browser, about the 422
	click(p, "#threats li:nth-child(2) button") // a drop of a piece that the diagram lacks
	p.Wait(`/^S\*2c 2b1c 2c3d\+ .\*/.test(board.played.join(" "))`)
	p.Keys("ArrowLeft")
	p.Wait(`board.played.join(" ") === "S*2c 2b1c 2c3d+"`)
	says("3手必至です。") // what is on the board is its line
	click(p, "#ask-threat")
	says("詰めろです。受けなければ1手で詰みます。")
	wantText(t, p, text("#threats a"), "▲２三")
	p.Do("board.goTo(1)")
	p.Wait("!" + visible("#threats"))
	click(p, "#attack")
	p.Wait(`board.mode === "brinkmate"`)
	p.Do(`await board.ready; await board.play("S*2c")`)
	p.Wait(`board.played.join(" ") === "S*2c 2b1c"`)
	wantText(t, p, text("#threat-note")+".length.toString()", "0")

	open := func(sfen string) {
		p.Goto(s.URL + "/study?lang=en&sfen=" + sfen)
		p.Wait(ready)
	}
	open("7nk/9/7G1/9/9/9/9/9/9_w_P")
	click(p, "#ask-threat")
	says("No threat: after a pass there is no mate, at any length.")
	_ = p.Errors()
	open("8k/8L/9/9/9/9/9/9/K8_w_-")
	click(p, "#ask-threat")
	says("the side to move is in check")
	_ = p.Errors()                                 // of the browser, about the 422
	open("4%2BR2nl/5gk2/4ppppp/9/6S2/9/9/9/9_b_S") // which needs three attacks
	click(p, "#ask-brinkmate")
	click(p, "#threat-stop")
	says("Stopped.")
	p.Wait("!" + visible("#threat-stop"))
	_ = p.Errors()
}

// TestEveryMove: each check is examined, and can be tried against the best defence; then each reply
// is.
func TestEveryMove(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	click(p, "#solve")
	waitVerdict(p, "mate")
	click(p, "#examine")
	p.Wait(visible("#moves-box"))
	rows := browsertest.Eval[[]string](p, `[...document.querySelectorAll("#moves tr")].map((r) => r.innerText.replace(/\s+/g, " "))`)
	if len(rows) != 8 || !strings.Contains(rows[0], "▲４三飛成 最善") || !strings.Contains(rows[0], "5手で詰み") || !strings.Contains(rows[7], "詰まない") {
		t.Errorf("%q", rows)
	}
	click(p, "#moves tr:nth-child(4) button")
	p.Wait(`board.played.length === 1 && board.played[0] === "2a2b+"`)
	p.Wait(visible("#variation"))
	p.Keys("ArrowRight")
	p.Wait(`board.played.join(" ") === "2a2b+ 1c2b"`)
	click(p, "#back")
	p.Wait("!" + visible("#variation"))
	p.Keys("ArrowRight")
	p.Wait(`board.played.join(" ") === "4e4c+"`)
	click(p, "#examine")
	p.Wait(visible("#moves-box"))
	wantText(t, p, text("#moves-hint"), "玉方の応手13通り")
}

// TestPlay: the reader of a link plays at once, is shown why a move does not mate, takes it back,
// and solves.
func TestPlay(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=en", browsertest.Screen{})
	p.Wait(`board.getAttribute("mode") === "solve" && board.state === "play"`)
	wantText(t, p, verdictShown, "Mate in ?|Not solved yet.")
	if got := browsertest.Eval[string](p, `board.play("2a2b+")`); got != "wrong" {
		t.Errorf("2a2b+ is %s", got)
	}
	p.Wait(`board.played.join(" ") === "2a2b+ 1c2b"`)
	p.Do("board.takeBack()")
	for _, move := range []string{"4e4c+", "4c3c", "2a2b+"} {
		p.Wait(`board.state === "play"`)
		if got := browsertest.Eval[string](p, fmt.Sprintf("board.play(%q)", move)); got != "replied" && got != "solved" {
			t.Errorf("%s is %s", move, got)
		}
	}
	p.Wait(`board.state === "solved"`)
	wantText(t, p, verdictShown, "Mate in ?|Not solved yet.") // the page still keeps it to itself

	// The keys of the board are its own, and the page's go on beside them.
	p.Do("board.focus()")
	p.Keys("?")
	p.Wait(`board.shadowRoot.querySelector("dialog[open]")`)
	p.Keys("Escape")
	p.Wait(`!board.shadowRoot.querySelector("dialog[open]")`)

	// The next example comes without leaving the page, and what is shared is its address.
	wantText(t, p, element("#link")+".value", s.URL+shortLink)
	wantText(t, p, `board.getAttribute("share")`, s.URL+shortLink)
	p.Do("window.stayed = true")
	p.Click(button("Next problem"))
	p.Wait(`board.position.startsWith("4k4/9/4P4/") && board.state === "play"`)
	wantText(t, p, "String(window.stayed)", "true")
	wantText(t, p, `board.getAttribute("share")`, s.URL+"/p?sfen=4k4/9/4P4/")
}

// TestLateBoard: until the script of the board is there a picture shows the solution, which the board
// then goes on with.
func TestLateBoard(t *testing.T) {
	s := serve(t)
	arrived := make(chan struct{})
	arrive := sync.OnceFunc(func() { close(arrived) })
	t.Cleanup(arrive)
	outer := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/embed.js" {
			<-arrived
		}
		outer.ServeHTTP(w, r)
	})
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(s.URL + "/robots.txt")
	p.Do(`location.href = "` + studyLink + `&lang=ja"`) // without waiting for all that the page loads
	p.Wait(element("#snippet-tag") + "?.textContent")
	click(p, "#solve")
	waitVerdict(p, "mate")
	p.Keys("ArrowRight", "ArrowRight")
	p.Wait(`document.querySelector("#board img").src.includes("moves")`)
	arrive()
	p.Wait("board.played?.length === 2")
}

// TestSetUp: what is set up by hand is the problem, and is solved.
func TestSetUp(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=en", browsertest.Screen{})
	edit(p)
	// The pawn before the king goes, so that it can flee; then the reader asks what that changes.
	p.Drag(cell(3, 8), cell(5, 4))
	p.Wait(`board.position.startsWith("7R1/9/8k/9/5R3/4p4/9/9/9 ")`)
	const set = "7R1/9/8k/9/5R3/4p4/9/9/9 b 2b4g4s4n4l17p 1"
	wantText(t, p, element("#text")+".value", set)
	wantText(t, p, element("#link")+".value", "7R1/9/8k/9/5R3/4p4/9/9/9_b_")
	wantText(t, p, text("#snippet-tag"), set)
	wantText(t, p, verdictShown, "Not solved yet.")
	click(p, "#solve")
	p.Wait(`["mate", "nomate"].includes(document.querySelector("#verdict").dataset.verdict)`)
	wantText(t, p, text("#call"), set)
	// The board's own button goes on to playing, and the page goes along.
	edit(p)
	p.Click(button("Play this position"))
	p.Wait(element(`[data-mode="solve"]`) + `.getAttribute("aria-pressed") === "true"`)
}

// TestCopy: each button puts on the clipboard what stands beside it.
func TestCopy(t *testing.T) {
	s := serve(t)
	p := s.open(t, "/study?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G&title=%3C%22%26%3E&lang=en", browsertest.Screen{})
	p.Do(`const write = navigator.clipboard.writeText.bind(navigator.clipboard);
		navigator.clipboard.writeText = async (text) => { window.copied = text; await write(text) };
		for (const details of document.querySelectorAll("details")) details.open = true`)
	for id, want := range map[string]string{
		"link": s.URL + "/p?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G&title=%3C%22%26%3E", "snippet-tag": `<tsume-board sfen="4k4/9/4P4/9/9/9/9/9/9 b G 1" mode="solve"`,
		"snippet-frame": `<iframe src="` + s.URL + `/embed?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G&amp;lang=en"`, "snippet-image": `alt="&lt;&quot;&amp;>"`, "call": "curl ",
	} {
		p.Do(`window.copied = ""; document.querySelector("#toast").hidden = true`)
		click(p, fmt.Sprintf(`[data-copy="%s"]`, id))
		p.Wait(visible("#toast"))
		wantText(t, p, "copied", want)
		wantText(t, p, text("#toast"), "Copied.")
	}
}

// TestSnippets: what the page offers to paste works in a page of somebody else, one that is
// cross-origin isolated.
func TestSnippets(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(s.URL + studyLink + "&lang=ja")
	p.Wait(ready)
	var snippets []string
	for _, id := range []string{"tag", "frame", "image"} {
		snippets = append(snippets, browsertest.Eval[string](p, text("#snippet-"+id)))
	}

	p.Goto(elsewhere(t, snippets[0]))
	p.Wait(`document.querySelector("tsume-board").state === "play"`)
	if got := browsertest.Eval[string](p, `document.querySelector("tsume-board").play("4e4c+")`); got != "replied" {
		t.Errorf("the board's move is %s", got)
	}

	p.Goto(elsewhere(t, snippets[2]))
	p.Wait(`document.querySelector("img").complete && document.querySelector("img").naturalWidth > 0`)
	resp, err := http.Get(browsertest.Eval[string](p, `document.querySelector("a").href`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || !bytes.Contains(body, []byte(`data-sfen="`+problem+`"`)) {
		t.Errorf("the picture leads to %s", resp.Status)
	}

	// What is in a frame can only be seen by where it is: so first where that is, and then in the
	// frame.
	frame := regexp.MustCompile(`src="([^"]*)" width="(\d+)" height="(\d+)"`).FindStringSubmatch(snippets[1])
	if frame == nil {
		t.Fatal(snippets[1])
	}
	var width, height int
	fmt.Sscan(frame[2]+" "+frame[3], &width, &height)
	p.Show(browsertest.Screen{Width: width, Height: height, Still: true})
	p.Goto(unescape(frame[1]))
	const board = `document.querySelector("tsume-board")`
	p.Wait(board + `.state === "play"`)
	if tall := browsertest.Eval[int](p, "document.documentElement.scrollHeight"); tall > height {
		t.Errorf("the frame is %d pixels high, what is in it %d", height, tall)
	}
	clean(t, p)
	hint := browsertest.Eval[[]float64](p, `(() => { const r = [...`+board+`.shadowRoot.querySelectorAll("button")].find((b) => b.textContent === "ヒント").getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2] })()`)
	p.Show(browsertest.Screen{Width: 1280, Height: 2000, Still: true})
	questions := s.count("/v1/solve")
	p.Goto(elsewhere(t, `<div id="around">`+strings.Replace(snippets[1], `loading="lazy"`, "", 1)+`</div>`))
	// The middle of this box is where that button is.
	p.Do(fmt.Sprintf(`Object.assign(document.querySelector("#around").style, { width: "%fpx", height: "%fpx" })`, 2*hint[0], 2*hint[1]))
	for end := time.Now().Add(30 * time.Second); s.count("/v1/solve") == questions; time.Sleep(100 * time.Millisecond) {
		click(p, "#around")
		if time.Now().After(end) {
			t.Fatal("the board in the frame does nothing")
		}
	}
	p.Accessible()

	// No other page of ours can be framed.
	before := s.count("/embed.js")
	p.Goto(elsewhere(t, `<iframe src="`+s.URL+`/" title="no"></iframe>`))
	p.Wait(`document.readyState === "complete"`)
	if s.count("/embed.js") != before {
		t.Error("the page at / is shown in a frame")
	}
	_ = p.Errors() // of the browser, about the frame
}

// TestWithoutScripts: the position is there as a picture, and so are a form and the answer of the
// API. The page is shown in a frame that runs no scripts, by a page of the same origin.
func TestWithoutScripts(t *testing.T) {
	s := serve(t)
	resp, err := http.Get(s.URL + studyLink + "&lang=ja")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	outer := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/framed" {
			outer.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Frame</title><iframe sandbox="allow-same-origin" width="700" height="2000" srcdoc="%s"></iframe>`, html.EscapeString(string(page)))
	})
	p := browsertest.Open(t, browsertest.Screen{Width: 800, Height: 1000})
	p.Goto(s.URL + "/framed")
	p.Wait(`frames[0].document.querySelector("tsume-board img")?.naturalWidth > 0`)
	for selector, want := range map[string]bool{
		"tsume-board img": true, "noscript a": true, "#form [type=submit]": true, "#link": true, ".samples a": true,
		"#solve": false, ".modes": false, "#examine": false, "#file": false, "details": false, "[data-copy]": false,
	} {
		if got := browsertest.Eval[bool](p, fmt.Sprintf("frames[0].document.querySelector(%q).checkVisibility()", selector)); got != want {
			t.Errorf("%s is shown: %v", selector, got)
		}
	}
	answer, err := http.Get(browsertest.Eval[string](p, `frames[0].document.querySelector("noscript a").href`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); !bytes.Contains(body, []byte(`"verdict":"mate"`)) {
		t.Errorf("the API answers %s", body)
	}
	if folder := os.Getenv("BROWSER_SHOTS"); folder != "" {
		keep(t, p, folder, "noscript", true)
	}
	_ = p.Errors() // of the browser, about the scripts
}

// TestPolicy: the policy of the pages holds, and what clean looks for is found.
func TestPolicy(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, browsertest.Screen{})
	p.Goto(s.URL + studyLink + "&lang=en")
	p.Wait(ready)
	p.Do(`document.body.setAttribute("style", "color: red"); new Image().src = "http://localhost:1/x.png"; await fetch("http://localhost:1/x").catch(() => {});
		try { const s = document.createElement("script"); s.textContent = "window.ran = 1"; document.head.append(s) } catch {}`)
	tried := strings.Join(browsertest.Eval[itsDeeds](p, deeds).Violations, " ")
	for _, directive := range []string{"style-src", "img-src", "connect-src", "require-trusted-types-for"} {
		if !strings.Contains(tried, directive) {
			t.Errorf("%s forbids nothing: %s", directive, tried)
		}
	}
	if browsertest.Eval[bool](p, "'ran' in window") {
		t.Error("a script of the page's own ran")
	}
	_ = p.Errors() // of the browser, about all that
}
