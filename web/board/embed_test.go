package board_test

import (
	"encoding/binary"
	"html"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// record is the problem of twoGolds with its solution, as a file has it.
const record = `# 詰将棋
作品名：第二番！
作者：甲野作
出典：小品集
手数：3
後手の持駒：残り
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・ ・ ・|一
| ・ ・ ・ ・v玉 ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ ・|三
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
先手の持駒：金二
   1 ５三金打
   2 ５一玉(52)
   3 ５二金打
   4 詰み
`

// hosted serves a page at / and files beside it.
func hosted(t *testing.T, page string, files map[string][]byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(page))
		} else if body, ok := files[r.URL.Path]; ok {
			_, _ = w.Write(body)
		} else if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
		} else {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A record is read from inside the tag, whatever stands around it there, from an attribute and from
// a file in any charset; it gives position, solution and caption. What is wrong with it is said.
func TestRecordInTag(t *testing.T) {
	s := serve(t)
	shiftJIS, err := notation.Encode([]byte(record), notation.ShiftJIS)
	if err != nil {
		t.Fatal(err)
	}
	wide := binary.LittleEndian.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(record)) {
		wide = binary.LittleEndian.AppendUint16(wide, unit)
	}
	broken := strings.Replace(record, "５一玉(52)", "９九玉(52)", 1)
	url := hosted(t, pageWith("ja", s.script(), `
		<script>window.errors = []; addEventListener("tsume-error", (e) => errors.push(e.target.id + " " + e.detail.code))</script>
		<tsume-board id="text" mode="solve">
`+record+`</tsume-board>
		<tsume-board id="pre" mode="solve"><noscript>no script</noscript><pre>`+record+`</pre></tsume-board>
		<tsume-board id="script" mode="solve"><script type="text/plain">`+record+`</script></tsume-board>
		<tsume-board id="attribute" mode="solve" record="`+html.EscapeString(record)+`"></tsume-board>
		<tsume-board id="sjis" mode="solve" src="sjis.kif"></tsume-board>
		<tsume-board id="utf16" mode="solve" src="utf16.kif" caption="別題" author=""></tsume-board>
		<tsume-board id="view" src="sjis.kif"></tsume-board>
		<tsume-board id="edit" mode="edit" src="sjis.kif"></tsume-board>
		<tsume-board id="broken" mode="solve" record="`+html.EscapeString(broken)+`"></tsume-board>
		<tsume-board id="none" mode="solve">よろしく</tsume-board>
		<tsume-board id="moves" mode="solve" record="☗３四角 ☖１一玉"></tsume-board>
		<tsume-board id="missing" mode="solve" src="missing.kif"></tsume-board>
		<tsume-board id="huge" mode="solve" src="huge.kif"></tsume-board>
		<tsume-board id="wins" mode="solve" sfen="`+headGold+`" src="sjis.kif">`+record+`</tsume-board>`),
		map[string][]byte{"/sjis.kif": shiftJIS, "/utf16.kif": wide, "/huge.kif": []byte(record + strings.Repeat("*\n", 1<<20))})
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(url)
	p.Do(`window.all = Object.fromEntries([...document.querySelectorAll("tsume-board")].map((b) => [b.id, b]));
		window.captionOf = (b) => b.shadowRoot.querySelector(".caption")?.innerText.trim().replace(/\s+/g, " ")`)
	p.Wait(`["text", "pre", "script", "attribute", "sjis", "utf16", "view", "edit", "broken"].every((id) => all[id].position.startsWith("9/4k4/9/4P4/")) && errors.length === 5`)
	p.Errors() // that missing.kif is

	type seen struct{ Position, Says, Caption, State string }
	got := browsertest.Eval[map[string]seen](p, `Object.fromEntries(Object.values(all).map((b) => [b.id, {
		Position: b.position, Says: b.shadowRoot.querySelector("p").innerText, Caption: captionOf(b), State: b.state }]))`)
	const caption = "第二番！ 3手詰 甲野 作 小品集"
	whole := seen{twoGolds, "3手詰", caption, "play"}
	for id, want := range map[string]seen{
		"text": whole, "pre": whole, "script": whole, "attribute": whole, "sjis": whole,
		"utf16": {whole.Position, "3手詰", "別題 3手詰 小品集", "play"},
		"view":  {whole.Position, "0/3手", caption, "play"},
		"edit":  {whole.Position, got["edit"].Says, caption, "play"},
		// The position is read, and no solution: the server knows one.
		"broken":  {whole.Position, "王手の連続で詰ませてください。", caption, "play"},
		"none":    {got["none"].Position, "読めません：よろしく", "", "error"},
		"moves":   {got["moves"].Position, "盤面がないので読めません：☗3四角", "", "error"},
		"missing": {got["missing"].Position, "サーバーに接続できません。", "", "stopped"},
		"huge":    {got["huge"].Position, "サーバーに接続できません。", "", "stopped"},
		"wins":    {headGold, "王手の連続で詰ませてください。", "", "play"},
	} {
		if got[id] != want {
			t.Errorf("%s: %+v, want %+v", id, got[id], want)
		}
	}
	errors := browsertest.Eval[[]string](p, "errors.toSorted()")
	if want := []string{"broken moves", "huge src", "missing src", "moves sfen", "none sfen"}; !slices.Equal(errors, want) {
		t.Errorf("tsume-error: %q, want %q", errors, want)
	}

	// The line of the record is followed without the server.
	s.asked.Store(0)
	if got := browsertest.Eval[[]string](p, `(async () => [await all.text.play("G*5c"), await all.text.play("G*5b")])()`); !slices.Equal(got, []string{"replied", "solved"}) || s.asked.Load() != 0 {
		t.Errorf("the moves were %q, and the server was asked %d times", got, s.asked.Load())
	}
	// Another text is another problem, also of a board that a script makes; and another attribute.
	p.Do(`all.text.textContent = "` + problem + `"; window.made = document.createElement("tsume-board"); made.mode = "solve";
		made.append(all.pre.querySelector("pre").textContent); document.querySelector("main").append(made); all.attribute.record = "` + problem + `"; all.sjis.src = "utf16.kif"`)
	p.Wait(`all.text.position === "` + problem + `" && made.position === all.pre.position && all.attribute.position === all.text.position && all.sjis.caption === "第二番！"`)
	// A file that comes back later.
	p.Do(`all.missing.src = "sjis.kif"`)
	p.Wait(`all.missing.position === all.pre.position && captionOf(all.missing).includes("甲野")`)
}

// What a board looks like by its attributes: caption, hands, pieces, themes.
func TestAppearance(t *testing.T) {
	s := serve(t)
	const many = `sfen="lnsgk4/1r5b1/p1p5p/9/1+p+l+n+s4/5+P+L+N+S/2+R6/1+B5P1/4KGSNL b 2G4P4p 1"`
	boards := tag(solve+` hands="hide" caption="第一番" author="伊藤宗看" source="将棋無双" cite="https://example.com/muso" plies`) +
		tag(`mode="view" pieces="international" lang="en" caption="All pieces" `+many) +
		tag(`mode="solve" hands="hide" flip theme="wood" pieces="international" sfen="`+problem+`"`) +
		tag(solve+` theme="contrast" caption="高コントラスト"`) + tag(solve+` theme="paper" pieces="international"`)
	p := browsertest.Open(t, browsertest.Screen{Width: 360, Height: 640, Touch: true, Still: true})
	p.Goto(site(t, nil, pageWith("ja", s.script(), boards)))
	p.Do(`[window.b, window.all2, window.wood, window.contrast, window.paper] = document.querySelectorAll("tsume-board");
		window.shown = (x, cell) => x.shadowRoot.querySelector("[data-cell='" + cell + "']")?.checkVisibility() ?? false`)
	p.Do(`await Promise.all([b, all2, wood, contrast, paper].map((x) => x.ready))`)

	// The caption names the figure, and the board.
	figure := browsertest.Eval[[]string](p, `(() => {
		const all = b.shadowRoot.querySelector(".all"), caption = b.shadowRoot.getElementById(all.getAttribute("aria-labelledby")), link = caption.querySelector("a");
		return [all.role, caption.innerText.trim().replace(/\s+/g, " "), link.href, link.innerText, b.shadowRoot.querySelector("[role=grid]").ariaLabel];
	})()`)
	if want := []string{"figure", "第一番 伊藤宗看 作 将棋無双", "https://example.com/muso", "将棋無双", "第一番"}; !slices.Equal(figure, want) {
		t.Errorf("the caption is %q, want %q", figure, want)
	}
	// plies without a number is the length of the line, if there is one; an address that is none is
	// no link.
	p.Do(`b.moves = "R*1a 1b1a 2b2a+ 1a1b 2d2b+"; b.cite = "javascript:alert(1)"`)
	if got := browsertest.Eval[string](p, `(b.state, b.shadowRoot.querySelector(".caption").innerText.trim().replace(/\s+/g, " "))`); got != "第一番 5手詰 伊藤宗看 作 将棋無双" {
		t.Errorf("the caption is %q", got)
	}
	if browsertest.Eval[bool](p, `!!b.shadowRoot.querySelector(".caption a")`) {
		t.Error("a script is a link")
	}
	p.Do(`for (const name of ["caption", "author", "source", "cite", "plies"]) b[name] = null`)
	if browsertest.Eval[bool](p, `(b.state, b.shadowRoot.querySelector(".caption").checkVisibility() || b.shadowRoot.querySelector(".all").role === "figure")`) {
		t.Error("a caption without words is seen, or heard")
	}
	p.Do(`b.caption = "第一番"`)

	// The defender's hand is neither seen nor heard, wherever it would be; keys pass over it.
	for board, want := range map[string][2]bool{"b": {true, false}, "wood": {true, false}, "contrast": {true, true}} {
		if got := browsertest.Eval[[2]bool](p, "[shown("+board+", 81), shown("+board+", 90)]"); got != want {
			t.Errorf("%s: hands are shown: %v, want %v", board, got, want)
		}
		// Cells lie over what is drawn.
		far := browsertest.Eval[float64](p, `(() => { const root = `+board+`.shadowRoot, at = (node) => { const r = node.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] };
			const [x, y] = at(root.querySelector("[data-cell='17']")), [u, v] = at(root.querySelector("[data-piece='17'] .body")); return Math.hypot(x - u, y - v) })()`)
		if far > 3 {
			t.Errorf("%s: a piece is drawn %.1f px beside its cell", board, far)
		}
	}
	if got := browsertest.Eval[[2]float64](p, `[b, contrast].map((x) => x.shadowRoot.querySelector(".surface").getBoundingClientRect().height)`); got[0] > got[1]-30 {
		t.Errorf("without a hand the board is %v px high, with both %v", got[0], got[1])
	}
	p.Tap(hand(0, rook))
	p.Tap(square("1a"))
	p.Wait(`b.played.length === 2`)
	// In a game nothing is hidden.
	p.Do(`wood.mode = "play"`)
	if !browsertest.Eval[bool](p, `(wood.state, shown(wood, 90))`) {
		t.Error("a game has no hand of the other side")
	}
	p.Do(`wood.mode = "solve"`)

	// Each kind of piece has a picture of its own, and promoted ones are others without colour.
	pictures := browsertest.Eval[[]string](p, `[...new Set([...all2.shadowRoot.querySelectorAll("[data-piece] .ink")].map((x) => x.getAttribute("d")))]`)
	kanji := browsertest.Eval[[]string](p, `[...contrast.shadowRoot.querySelectorAll("[data-piece] .ink")].map((x) => x.getAttribute("d"))`)
	if len(pictures) != 14 || slices.ContainsFunc(kanji, func(d string) bool { return slices.Contains(pictures, d) }) {
		t.Errorf("%d pictures of 14 kinds", len(pictures))
	}
	p.Do(`all2.pieces = "kanji"`)
	if browsertest.Eval[string](p, `(all2.state, all2.shadowRoot.querySelector("[data-piece='4'] .ink").getAttribute("d"))`) == "" {
		t.Error("kanji do not come back")
	}
	p.Do(`all2.pieces = "international"`)

	// Themes: light and dark.
	fill := `[wood, contrast, b].map((x) => getComputedStyle(x.shadowRoot.querySelector(".wood")).fill)`
	light := browsertest.Eval[[]string](p, fill)
	if want := []string{"rgb(223, 169, 92)", "rgb(255, 255, 255)", "rgb(239, 207, 148)"}; !slices.Equal(light, want) {
		t.Errorf("the boards are %q, want %q", light, want)
	}
	p.Accessible()
	shoot(t, p, "appearance-360-ja")
	p.Show(browsertest.Screen{Width: 768, Height: 1024, Dark: true, Still: true})
	if dark := browsertest.Eval[[]string](p, fill); dark[0] == light[0] || dark[1] != "rgb(0, 0, 0)" {
		t.Errorf("in the dark the boards are %q", dark)
	}
	p.Accessible()
	shoot(t, p, "appearance-768-ja-dark")
}

// The page says how the API is asked.
func TestHeadersAndFetcher(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, `mode="solve" sfen="`+twoGolds+`"`)
	p.Do(`window.sent = []; b.headers = { Authorization: "Bearer k" };
		b.fetcher = (url, init) => { sent.push([new URL(url).pathname, init.headers.Authorization]); return fetch(url, { ...init, headers: {} }) }`)
	if got := browsertest.Eval[string](p, `b.play("G*5c")`); got != "replied" {
		t.Errorf("the move was %s", got)
	}
	if got := browsertest.Eval[[][]string](p, "sent"); len(got) == 0 || !strings.HasPrefix(got[0][0], "/v1/") || got[0][1] != "Bearer k" {
		t.Errorf("asked: %q", got)
	}
	// A fetcher that fails is like a server that cannot be reached.
	p.Do(`b.reset(); b.fetcher = () => Promise.reject(new Error("no")); b.sfen = "` + problem + `"`)
	if got := browsertest.Eval[string](p, `b.play("R*1a")`); got != "failed" {
		t.Errorf("the move was %s", got)
	}
}
