package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/drill"
	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/site/static"
)

func gzipped(t *testing.T, body []byte) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// TestTrainFiles: the page names each set, whose file has its problems and may be kept for ever by the
// address of the page alone. What a reader loads beyond other pages is small.
func TestTrainFiles(t *testing.T) {
	h := newSite(t)
	page := get(h, "/train?lang=en").Body.Bytes()
	next, largest := 1, 0
	for i, s := range trainSets().list {
		if !bytes.Contains(page, []byte(`data-set="`+s.Address+`"`)) {
			t.Errorf("the page has no %s", s.Address)
		}
		w := get(h, s.Address)
		var file struct {
			Problems []struct {
				SFEN, Moves, Title string
				Plies, Rating      int
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &file); err != nil || len(file.Problems) == 0 {
			t.Fatalf("%s: %v", s.Address, err)
		}
		largest = max(largest, gzipped(t, w.Body.Bytes()))
		for _, p := range file.Problems {
			want := &drill.All()[next-1]
			if p.SFEN != want.SFEN || p.Moves != want.Line || p.Title != fmt.Sprintf("No. %d", next) || p.Rating != drill.Rating(want) ||
				p.Plies != s.Plies || p.Rating < s.Low || p.Rating > s.High {
				t.Errorf("%s: number %d is %+v", s.Address, next, p)
			}
			next++
		}
		for path, want := range map[string]string{s.Address: "immutable", fmt.Sprintf("/train/%d.json", i+1): "max-age=3600"} {
			header := get(h, path).Header()
			if cache := header.Get("Cache-Control"); !strings.Contains(cache, want) || header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: %q", path, header)
			}
		}
	}
	if next-1 != len(drill.All()) {
		t.Errorf("the sets have %d problems of %d", next-1, len(drill.All()))
	}
	for _, path := range []string{"/train/0.json", "/train/1", "/train/999.json", "/train/x", "/train/"} {
		if w := get(h, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	sum := gzipped(t, page) + largest
	for _, name := range []string{"embed-set.js", "embed-run.js", "embed-progress.js"} {
		sum += gzipped(t, board.Scripts()[name])
	}
	script, err := static.Files.ReadFile("train.js")
	if err != nil {
		t.Fatal(err)
	}
	if sum += gzipped(t, script); sum > 60_000 {
		t.Errorf("the first sight of the page takes %d bytes", sum)
	}
	t.Logf("%d sets, %d bytes under gzip at first", len(trainSets().list), sum)
}

// A trainer is a reader of the page, whose runs choose the first of the problems that are near.
type trainer struct{ *calendar }

const (
	trainReady = `window.set?.count > 0 && set.shadowRoot.querySelector(".choose button")?.textContent`
	inPlay     = `set.querySelector("[slot=run]")?.state === "play" && set.shadowRoot.querySelector(".verdict").textContent === ""`
)

func (c trainer) open(at string) {
	c.t.Helper()
	c.goTo("/train?lang=ja", at)
	c.p.Wait(trainReady)
	c.prepare()
}

// prepare gives the page the functions of these tests, and has runs take the nearest problem.
func (c trainer) prepare() {
	c.p.Do(`Math.random = () => 0; window.inside = (q) => set.shadowRoot.querySelector(q);
		window.run = () => set.querySelector("[slot=run]");
		window.choose = (words) => [...set.shadowRoot.querySelectorAll("button")].find((b) => b.textContent.startsWith(words))`)
}

// kinds is the script for the button of a kind of run.
func kinds(kind string) string {
	return fmt.Sprintf(`set.shadowRoot.querySelectorAll(".choose button")[["ten", "streak", "again", "clock"].indexOf(%q)]`, kind)
}

// pass lets time pass for the page.
func (c trainer) pass(seconds int) {
	c.t.Helper()
	c.p.Do(fmt.Sprintf(`await new Promise((done) => setTimeout(done, 250)); const now = performance.now.bind(performance), ahead = (window.ahead ?? 0) + %d;
		window.ahead = ahead; window.real ??= now; performance.now = () => real() + ahead * 1000`, seconds))
}

// read has the page read a file of progress.
func (c trainer) read(text string) {
	c.t.Helper()
	c.p.Do(fmt.Sprintf(`const all = new DataTransfer(), field = document.getElementById("record-open");
		all.items.add(new File([%q], "x.json")); field.files = all.files; field.dispatchEvent(new Event("change", { bubbles: true }))`, text))
	c.p.Wait(`document.querySelector("#toast").checkVisibility()`)
}

func (c trainer) start(words string) {
	c.t.Helper()
	c.p.Click(`choose("` + words + `")`)
	c.p.Wait(inPlay)
}

// play plays the solution.
func (c trainer) play() {
	c.t.Helper()
	c.p.Do(`await run().ready; const line = run().moves.split(" "); for (let i = 0; i < line.length; i += 2) await run().play(line[i])`)
	c.p.Wait(`run().state === "solved"`)
}

// err plays a check that does not mate, and returns it.
func (c trainer) err() string {
	c.t.Helper()
	p := shogi.MustParseSFEN(browsertest.Eval[string](c.p, `run().position`))
	right := browsertest.Eval[string](c.p, `run().moves.split(" ")[0]`)
	var buf shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		if m.String() == right {
			continue
		}
		if got := browsertest.Eval[string](c.p, `run().play("`+m.String()+`")`); got != "wrong" {
			c.t.Fatalf("%v in %v is %s", m, p.SFEN(), got)
		}
		return m.String()
	}
	c.t.Fatal("there is no other check")
	return ""
}

func (c trainer) wantSaid(selector, want string) {
	c.t.Helper()
	if got := browsertest.Eval[string](c.p, `(inside("`+selector+`")?.innerText ?? "nothing") + "|"`); !strings.Contains(got, want) {
		c.t.Errorf("%s says %q, want %q", selector, got, want)
	}
}

// next goes on to the next problem, or to the result.
func (c trainer) next(words string) {
	c.t.Helper()
	c.wantSaid(".runs .main:not([hidden])", "")
	c.p.Click(`choose("` + words + `")`)
	if words != "結果" {
		c.p.Wait(inPlay)
	}
}

// TestTrainTen: ten a day, of which one is solved, one played wrong, one solved with a hint and one
// skipped; what comes after is no better. The rest is there after a reload, and nothing more that day.
func TestTrainTen(t *testing.T) {
	c := trainer{serveCalendar(t, browsertest.Screen{})}
	c.open("2026-12-01 12:00")
	c.wantSaid(".choose", "解いていくとレベルが出ます。")
	c.start("今日の十題")
	c.play()
	c.wantSaid(".verdict", "正解！")
	c.wantSaid(".runs .bar", "✓1 ✗0")
	c.next("次の問題")
	move := c.err()
	c.wantSaid(".verdict", "不正解")
	c.wantSaid(".runs .bar", "✓1 ✗1")
	c.p.Do(`run().takeBack()`)
	c.play()
	c.wantSaid(".runs .bar", "✓1 ✗1")
	c.next("次の問題")
	c.p.Do(`await run().hint()`)
	c.wantSaid(".verdict", "ヒント")
	c.play()
	c.wantSaid(".runs .bar", "✓1 ✗2")
	c.next("次の問題")
	c.next("とばす")
	c.wantSaid(".runs .bar", "✓1 ✗3")
	c.p.Click(`choose("終える")`)
	c.p.Wait(`inside("section h2")`)
	c.wantSaid("section", "4題中1題正解")
	c.wantSaid("section ul", "詰みません")
	// Why it failed is shown on the board.
	c.p.Click(`inside("section li button")`)
	c.p.Wait(`run()?.state === "wrong" && run().played[0] === "` + move + `"`)
	c.want("stored", browsertest.Eval[string](c.p, `(() => { const { level, ten, misses, problems } = JSON.parse(localStorage.getItem("tsume-progress"));
		return [level[2], ...ten, misses.map(([, step, due]) => step + due).join("+"), problems.map(([, how]) => how).join("+")].join() })()`),
		"4,2026-12-01,4,1,02026-12-02+02026-12-02+02026-12-02,solved+solved+helped")
	c.open("2026-12-01 13:00")
	c.start("今日の十題 4/10")
	for i := range 6 {
		c.play()
		if i < 5 {
			c.next("次の問題")
		}
	}
	c.next("結果")
	c.wantSaid("section", "6題中6題正解")
	c.wantSaid("section", "今日の十題は終わりました（7題正解）。")
	c.want("again, that day", browsertest.Eval[string](c.p, `String(choose("もう一度"))`), "undefined")
	c.p.Click(`choose("閉じる")`)
	c.p.Click(`choose("今日の十題 10/10")`)
	c.p.Wait(`inside("p[role=status]").innerText.includes("今日の十題は終わりました（7題正解）。")`)
	c.open("2026-12-02 13:00")
	c.start("今日の十題 0/10")
}

// TestTrainClock: the time of a problem runs while it is the reader's turn, and its end is a miss.
func TestTrainClock(t *testing.T) {
	c := trainer{serveCalendar(t, browsertest.Screen{Width: 390, Height: 844})}
	c.open("2026-12-01 12:00")
	c.start("早解き")
	c.wantSaid("[role=timer]", "0:")
	c.pass(21)
	c.p.Wait(`/残り10秒/.test(inside(".verdict").innerText)`)
	c.pass(10)
	c.p.Wait(`/時間切れ/.test(inside(".verdict").innerText)`)
	c.wantSaid(".runs .bar", "✓0 ✗1")
	c.play() // which is no better
	c.wantSaid(".runs .bar", "✓0 ✗1")
	for range 9 {
		c.next("次の問題")
		c.play()
	}
	c.next("結果")
	c.wantSaid("section", "10題中9題正解")
	c.wantSaid("section ul", "時間切れ")
	clean(t, c.p)
}

// TestTrainStreak: a run until a miss goes on while all is right, by the keyboard alone.
func TestTrainStreak(t *testing.T) {
	c := trainer{serveCalendar(t, browsertest.Screen{})}
	c.open("2026-12-01 12:00")
	c.p.Do(`choose("間違えるまで").focus()`)
	c.p.Keys("Enter")
	for range 3 {
		c.p.Wait(inPlay)
		for i := range (browsertest.Eval[int](c.p, `run().moves.split(" ").length`) + 1) / 2 {
			c.p.Wait(`run().state === "play"`)
			c.p.Do(`run().shadowRoot.querySelector("input").focus()`)
			c.p.Type(browsertest.Eval[string](c.p, fmt.Sprintf(`run().moves.split(" ")[%d]`, 2*i)))
			c.p.Keys("Enter")
			c.p.Wait(fmt.Sprintf(`run().played.length > %d`, 2*i))
		}
		c.p.Wait(`run().state === "solved"`)
		c.p.Wait(`set.shadowRoot.activeElement?.textContent === "次の問題"`)
		c.p.Keys("Enter")
	}
	c.p.Wait(inPlay)
	c.err()
	c.next("結果")
	c.wantSaid("section", "4題中3題正解")
}

// TestTrainAgain: what was missed comes on growing days, and another browser goes on where this one was.
func TestTrainAgain(t *testing.T) {
	c := trainer{serveCalendar(t, browsertest.Screen{})}
	c.open("2026-12-01 12:00")
	c.start("今日の十題")
	missed := browsertest.Eval[string](c.p, `run().position`)
	c.err()
	c.open("2026-12-01 12:30")
	c.p.Click(`choose("間違いの復習 0")`)
	c.p.Wait(`inside("p[role=status]").innerText.includes("次は12月2日です。")`)
	for _, day := range []string{"2026-12-02", "2026-12-05", "2026-12-12", "2027-01-02"} {
		if day == "2026-12-12" {
			// To another browser.
			c.p.Do(`HTMLAnchorElement.prototype.click = function () {}; URL.createObjectURL = (blob) => { window.saved = blob; return "blob:" };
				document.getElementById("record-save").click(); window.file = await saved.text(); localStorage.clear();
				const all = new DataTransfer(), field = document.getElementById("record-open");
				all.items.add(new File([file], "x.json")); field.files = all.files; field.dispatchEvent(new Event("change", { bubbles: true }))`)
			c.p.Wait(`localStorage.getItem("tsume-progress") === file`)
			// One that was cut is none, and changes nothing.
			c.p.Do(`const all = new DataTransfer(), field = document.getElementById("record-open");
				all.items.add(new File([file.slice(0, -9)], "x.json")); field.files = all.files; field.dispatchEvent(new Event("change", { bubbles: true }))`)
			c.p.Wait(`document.querySelector("#toast").textContent.includes("記録のファイルではありません")`)
			c.want("after a cut file", browsertest.Eval[string](c.p, `String(localStorage.getItem("tsume-progress") === file)`), "true")
		}
		c.open(day + " 09:00")
		c.start("間違いの復習 1")
		c.want(day, browsertest.Eval[string](c.p, `run().position`), missed)
		c.play()
		c.next("結果")
		c.wantSaid("section", "1題中1題正解")
	}
	c.open("2027-02-01 09:00")
	c.p.Click(`choose("間違いの復習 0")`)
	c.p.Wait(`inside("p[role=status]").innerText.includes("1・3・7・21日後")`)
	// Where nothing can be stored, that is said, and the run goes on.
	c.p.Do(`Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`)
	c.start("今日の十題")
	c.err()
	c.p.Click(`choose("終える")`)
	c.p.Click(`choose("閉じる")`)
	c.wantSaid(".choose", "保存できません")
}

// TestTrainTabs: of two tabs at once, with runs that go on by turns and at the same time, nothing is lost.
func TestTrainTabs(t *testing.T) {
	c := trainer{serveCalendar(t, browsertest.Screen{})}
	c.open("2026-12-01 12:00")
	c.p.Do(`const day = Date.now(), tab = window.tab = open("/train?lang=ja&visit=tab");
		for (;;) {
			await new Promise((done) => setTimeout(done, 20));
			if (tab.document?.querySelector("tsume-set")?.shadowRoot?.querySelector(".choose button")?.textContent && tab.set.count) break;
		}
		tab.Date.now = () => day; tab.Math.random = () => 0.99;
		const until = async (is) => { while (!is()) await new Promise((done) => setTimeout(done, 20)) };
		window.buttonOf = (w, q) => w.set.shadowRoot.querySelector(q);
		window.solve = async (w) => {
			const board = w.set.querySelector("[slot=run]"), line = board.moves.split(" ");
			await board.ready;
			for (let i = 0; i < line.length; i += 2) await board.play(line[i]);
			await until(() => buttonOf(w, ".verdict").matches(".good"));
			w.solved = [...w.solved ?? [], board.getAttribute("sfen")];
		};
		window.next = async (w) => {
			const before = w.set.querySelector("[slot=run]")?.getAttribute("sfen");
			buttonOf(w, w.solved ? ".runs > .bar .main" : ".choose button").click();
			await until(() => ![before, undefined].includes(w.set.querySelector("[slot=run]")?.getAttribute("sfen")));
		};`)
	t.Cleanup(func() { c.p.Do(`tab.close()`) })
	c.p.Do(`for (let i = 0; i < 2; i++) for (const w of [window, tab]) await next(w).then(() => solve(w));
		for (let i = 0; i < 3; i++) await Promise.all([window, tab].map((w) => next(w).then(() => solve(w))))`)
	c.want("stored", browsertest.Eval[string](c.p, `(() => { const { level, ten, problems } = JSON.parse(localStorage.getItem("tsume-progress"));
		return [problems.length, level[2], ten[1], ten[2], new Set([...solved, ...tab.solved]).size].join() })()`), "10,10,10,10,10")
	// Each of them knows what the other did.
	for _, w := range []string{"window", "tab"} {
		c.p.Do(`buttonOf(` + w + `, ".runs > .bar .main").click()`)
		c.p.Wait(`buttonOf(` + w + `, "section h2").checkVisibility()`)
		c.want(w, browsertest.Eval[string](c.p, `buttonOf(`+w+`, "section").innerText.match(/今日の十題は終わりました（\d+題正解）/)?.[0]`), "今日の十題は終わりました（10題正解）")
	}
}

// TestTrainThemes: runs have the theme that is chosen, and the address names a set.
func TestTrainThemes(t *testing.T) {
	c := trainer{serveCalendar(t, browsertest.Screen{})}
	c.open("2026-12-01 12:00")
	c.p.Do(`document.getElementById("theme").value = "nonpromotion"; location.hash = "#3"`)
	c.p.Wait(`set.getAttribute("src").startsWith("/train/3.json")`)
	third := trainSets().list[2]
	for _, no := range []int{third.First, third.Last, third.First - 1} {
		c.p.Do(fmt.Sprintf(`location.hash = "#no-%d"`, no))
		c.p.Wait(fmt.Sprintf(`set.querySelector("tsume-board")?.getAttribute("sfen") === %q`, drill.All()[no-1].SFEN))
	}
	c.p.Do(`location.hash = "#3"`)
	c.p.Wait(`set.getAttribute("src").startsWith("/train/3.json")`)
	c.start("早解き")
	for range 3 {
		sfen := browsertest.Eval[string](c.p, `run().position`)
		for _, p := range drill.All() {
			if p.SFEN == sfen && !strings.Contains(strings.Join(p.Themes, " "), "nonpromotion") {
				t.Errorf("%s has %q", sfen, p.Themes)
			}
		}
		c.next("とばす")
	}
}

// TestTrainElsewhere: a set on a page of somebody else has runs over its own problems, also where a
// browser lets the page store nothing, which is said.
func TestTrainElsewhere(t *testing.T) {
	s := serveAnalyses(t)
	t.Run("private", func(t *testing.T) {
		p := browsertest.Open(t, browsertest.Screen{Width: 390, Height: 844, Still: true})
		p.Goto(elsewhere(t, `<script>Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "SecurityError") } })</script>
			<script src="`+s.URL+`/embed.js"></script><tsume-set id="set" runs src="`+s.URL+`/train/1.json"></tsume-set>`))
		p.Wait(trainReady)
		c := trainer{&calendar{t: t, p: p}}
		c.prepare()
		c.start("今日の十題")
		c.play()
		c.next("次の問題")
		c.err()
		p.Click(`choose("終える")`)
		c.wantSaid("section", "2題中1題正解")
		c.wantSaid("section", "このブラウザには保存できません")
		p.Click(`choose("閉じる")`)
		c.wantSaid(".choose", "このブラウザには保存できません")
		c.wantSaid(".choose", "今日の十題 2/10")
		p.Accessible()
	})
	page := elsewhere(t, `<script src="`+s.URL+`/embed.js"></script><tsume-set id="set" runs src="`+s.URL+`/train/1.json"></tsume-set>`)
	p := browsertest.Open(t, browsertest.Screen{Width: 390, Height: 844, Still: true})
	p.Goto(page)
	p.Wait(trainReady)
	c := trainer{&calendar{t: t, p: p}}
	c.prepare()
	c.start("間違えるまで")
	c.play()
	c.next("次の問題")
	c.err()
	c.next("結果")
	c.wantSaid("section", "2題中1題正解")
	p.Accessible()
	foreign := browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => ![location.origin, "`+s.URL+`"].includes(new URL(name).origin) && !name.startsWith("data:"))`)
	if len(foreign) > 0 {
		t.Errorf("the set asked %q", foreign)
	}
}

// trainPanes are the screens that runs are seen on, in light and dark. Half of them are enough for a
// language, but for pictures.
func trainPanes() (panes []pane) {
	for _, size := range []browsertest.Screen{
		{Width: 360, Height: 740, Touch: true}, {Width: 390, Height: 844, Touch: true}, {Width: 844, Height: 390, Touch: true},
		{Width: 1280, Height: 800}, {Width: 1920, Height: 1080},
	} {
		size.Still = true
		panes = append(panes, pane{fmt.Sprintf("%dx%d", size.Width, size.Height), size})
		size.Dark = true
		panes = append(panes, pane{panes[len(panes)-1].name + "dark", size})
	}
	return panes
}

// TestTrainStates looks at what is seen of runs: before one, in each moment of a problem, at the end,
// and where nothing can be stored or loaded. While a problem is solved its whole board is on the screen,
// on a large one with its buttons.
func TestTrainStates(t *testing.T) {
	for _, lang := range []string{"ja", "en"} {
		t.Run(lang, func(t *testing.T) {
			c := trainer{serveCalendar(t, desktop)}
			p := c.p
			l := looker{t: t, p: p, lang: lang, shots: trainPanes(), axe: axeScreens[lang],
				panes: []pane{panes[0], panes[2], trainPanes()[6]}}
			if lang == "en" {
				l.panes = []pane{trainPanes()[0], trainPanes()[2], trainPanes()[8]}
			}
			open := func(at string) {
				t.Helper()
				p.Show(desktop)
				c.goTo("/train?lang="+lang, at)
				p.Wait(trainReady)
				c.prepare()
			}
			const top, runs, record = `document.body`, `inside(".runs")`, `document.querySelector(".record")`
			look := func(state, at string) {
				t.Helper()
				l.scroll = at
				l.look("train-"+state, true)
				for _, pane := range l.panes {
					if at != runs || !browsertest.Eval[bool](p, `run()?.checkVisibility() ?? false`) {
						break
					}
					p.Show(pane.Screen)
					p.Do(at + `.scrollIntoView()`)
					if n := browsertest.Eval[int](p, `(({ top, bottom }) => Math.ceil(Math.max(-top, bottom - innerHeight)))((innerWidth < 900 ? run().shadowRoot.querySelector(".surface") : run()).getBoundingClientRect())`); n > 1 {
						t.Errorf("%s, %s, %s: %d pixels of the board are not on the screen", state, lang, pane.name, n)
					}
				}
				p.Show(desktop)
			}
			start := func(kind string) {
				t.Helper()
				p.Click(kinds(kind))
				p.Wait(inPlay)
			}
			next := func() { p.Click(`inside(".runs > .bar .main")`) }
			open("2026-12-01 12:00")
			look("start", top)
			start("ten")
			look("mid", runs)
			p.Do(`await run().hint()`)
			look("hint", runs)
			c.play()
			look("hint-solved", runs)
			next()
			p.Wait(inPlay)
			c.play()
			look("right", runs)
			next()
			p.Wait(inPlay)
			c.err()
			look("wrong", runs)
			p.Click(`inside(".runs > .bar").lastElementChild`)
			p.Wait(`inside("section h2")`)
			look("end", runs)
			p.Click(`[...inside("section").querySelectorAll("li button")].at(-1)`)
			p.Wait(`run()?.state === "wrong"`)
			look("why", `run()`)
			open("2026-12-01 13:00")
			look("level", top)
			p.Click(kinds("again"))
			look("none-due", top)
			start("clock")
			c.pass(31)
			p.Wait(`inside(".verdict").matches(".bad")`)
			look("time", runs)
			open("2026-12-02 12:00")
			start("again")
			look("again", runs)
			p.Click(`inside(".runs > .bar").lastElementChild`)
			p.Do(`document.querySelector(".record").open = true`)
			look("sets", `document.querySelector(".desk")`)
			c.read("{}")
			look("foreign-file", record)
			p.Do(`location.hash = "#1"`)
			p.Wait(`set.getAttribute("src").startsWith("/train/1.json") && set.querySelector("tsume-board").state === "play"`)
			look("set", `set`)
			p.Do(`window.fetch = () => Promise.reject(new TypeError("offline")); navigator.__defineGetter__("onLine", () => false); dispatchEvent(new Event("offline"));
				document.getElementById("theme").value = "smothered_mate"`)
			p.Click(kinds("streak"))
			p.Wait(`inside(".runs > .bar .main").checkVisibility() && inside(".verdict").textContent.length > 9`)
			look("offline", runs)
			open("2026-12-02 13:00")
			p.Do(`Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`)
			start("streak")
			c.err()
			next()
			p.Click(`inside("section .bar").lastElementChild`)
			look("unsaved", top)
		})
	}
}
