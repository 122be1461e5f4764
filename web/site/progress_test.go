package site

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// A calendar is the clock of a service and of a device that asks it.
type calendar struct {
	*service
	t     *testing.T
	p     *browsertest.Page
	clock atomic.Int64 // ms

	visits int
}

func serveCalendar(t *testing.T, screen browsertest.Screen) *calendar {
	t.Helper()
	c := &calendar{t: t}
	now := func() time.Time { return time.UnixMilli(c.clock.Load()) }
	c.service = serveWithAnalyses(t, Config{Now: now})
	screen.Still = true
	c.p = browsertest.Open(t, screen)
	t.Cleanup(func() {
		if !t.Failed() {
			clean(t, c.p)
		}
	})
	return c
}

// goTo opens a page at a time in Japan, such as "2026-11-23 23:30".
func (c *calendar) goTo(path, at string) {
	c.t.Helper()
	c.clock.Store(inJapan(c.t, at))
	c.visits++
	c.p.Goto(fmt.Sprintf("%s%s&visit=%d", c.URL, path, c.visits)) // which no cache has
	c.p.Wait(`document.readyState === "complete" && (!window.board || board.played)`)
	c.device(at)
}

// device sets the clock of the device.
func (c *calendar) device(at string) {
	c.t.Helper()
	c.p.Do(fmt.Sprintf(`Date.now = () => %d; dispatchEvent(new Event("focus"))`, inJapan(c.t, at)))
}

// open makes a page have been open for some time.
func (c *calendar) open(long time.Duration) {
	c.t.Helper()
	c.p.Do(fmt.Sprintf(`performance.now = () => %d; dispatchEvent(new Event("focus"))`, long.Milliseconds()))
}

func inJapan(t *testing.T, at string) int64 {
	t.Helper()
	instant, err := time.ParseInLocation("2006-01-02 15:04", at, time.FixedZone("", 9*60*60))
	if err != nil {
		t.Fatal(err)
	}
	return instant.UnixMilli()
}

// solve plays the solution of the problem on the board.
func (c *calendar) solve() {
	c.t.Helper()
	c.p.Do(`await board.ready; const line = board.moves.split(" ");
		for (let i = 0; i < line.length; i += 2) await board.play(line[i])`)
	c.p.Wait(`board.state === "solved"`)
}

// stored returns how problems ended and on which day, and the days of the streak.
func (c *calendar) stored() string {
	c.t.Helper()
	return browsertest.Eval[string](c.p, `(() => {
		const { problems, days } = JSON.parse(localStorage.getItem("tsume-progress") ?? '{"problems":[],"days":[]}');
		return [...problems.map(([, how, day]) => how + " " + day), "|", ...days].join(" ");
	})()`)
}

func (c *calendar) wantStreak(want string) {
	c.t.Helper()
	if got := browsertest.Eval[string](c.p, `(document.querySelector("[data-streak]:not([hidden])")?.textContent ?? "") + "|"`); got != want+"|" {
		c.t.Errorf("the days in a row are %q, want %q", got, want)
	}
}

func (c *calendar) want(what, got, want string) {
	c.t.Helper()
	if got != want {
		c.t.Errorf("%s: %s, want %s", what, got, want)
	}
}

// TestProgressOfQuickReader: what was solved before the script of the progress was there counts too.
func TestProgressOfQuickReader(t *testing.T) {
	c := serveCalendar(t, browsertest.Screen{})
	c.goTo("/daily?lang=ja", "2026-11-23 10:00")
	c.solve()
	// As if that script came only now.
	c.p.Do(`localStorage.clear();
		await import(document.querySelector("script[src*='progress.']").src + "?once-more")`)
	c.want("what is stored", c.stored(), "solved 2026-11-23 | 2026-11-23")
}

// TestStreakOfDays: a day counts if its problem was solved on it, by the days of Japan, wherever the
// device is and however its clock was set.
func TestStreakOfDays(t *testing.T) {
	c := serveCalendar(t, browsertest.Screen{TimeZone: "America/Los_Angeles"})
	c.goTo("/?lang=ja", "2026-11-23 10:00")
	c.wantStreak("")
	c.goTo("/daily?lang=ja", "2026-11-23 23:30")
	c.wantStreak("")
	c.solve()
	c.want("solved on its day", c.stored(), "solved 2026-11-23 | 2026-11-23")
	c.wantStreak("連続1日")
	c.want("its mark", browsertest.Eval[string](c.p, `document.querySelector(".own .ended").textContent`), "✓ 解けた")

	// Midnight passes, in a time zone where it is morning.
	c.p.Show(browsertest.Screen{TimeZone: "Pacific/Kiritimati", Still: true})
	c.goTo("/?lang=ja", "2026-11-24 00:01")
	c.wantStreak("連続1日・今日はこれから")
	c.goTo("/daily?lang=ja", "2026-11-24 00:01")
	c.want("yesterday's mark", browsertest.Eval[string](c.p, `document.querySelector(".days .ended").textContent`), "✓ 解けた")
	c.solve()
	c.wantStreak("連続2日")

	// A page that is open over midnight counts for the day of its problem.
	c.goTo("/daily?lang=en", "2026-11-25 23:55")
	c.wantStreak("2 days in a row, today’s to go")
	c.device("2026-11-26 00:05")
	c.open(10 * time.Minute)
	c.solve()
	c.wantStreak("3 days in a row")
	// After hours it does not, and after a day its page knows that another one has come.
	c.goTo("/daily?lang=ja", "2026-11-26 23:55")
	c.open(7 * time.Hour)
	c.solve()
	c.wantStreak("連続3日・今日はこれから")
	c.open(25 * time.Hour)
	c.wantStreak("")

	// The clock of the device is wrong: that of the service says which day it is. The problem of an
	// earlier day is solved, and does not count.
	c.goTo("/daily/2026-11-22?lang=ja", "2026-11-26 12:00")
	c.device("2026-11-22 12:00")
	c.solve()
	c.wantStreak("連続3日・今日はこれから")
	c.goTo("/daily?lang=ja", "2026-11-26 12:00")
	c.device("2026-11-27 12:00")
	c.solve()
	c.wantStreak("連続4日")
	c.device("2026-11-19 12:00")
	c.wantStreak("連続4日")
	// And wherever the problem of today is.
	c.goTo("/problems?lang=ja", "2026-11-27 12:00")
	sfen := browsertest.Eval[string](c.p, `fetch("/daily.json", { cache: "reload" }).then((r) => r.json()).then(({ sfen }) => sfen)`)
	c.goTo("/p?sfen="+strings.ReplaceAll(strings.ReplaceAll(sfen, "+", "%2B"), " ", "_")+"&collection=7&lang=ja", "2026-11-27 12:00")
	c.solve()
	c.goTo("/problems?lang=ja", "2026-11-27 12:00")
	c.wantStreak("連続5日")
}

// TestRenewed: who comes back to the problem of the day on a later day gets the later one, but not amid
// the moves of a solution.
func TestRenewed(t *testing.T) {
	c := serveCalendar(t, browsertest.Screen{})
	heading := `document.querySelector("h1").textContent + "|"`
	c.goTo("/daily?lang=ja", "2026-11-23 23:55")
	back := func(at string) {
		c.clock.Store(inJapan(t, at))
		c.p.Do(`dispatchEvent(new Event("focus"))`)
	}
	c.p.Do(`await board.ready; await board.play(board.moves.split(" ")[0])`)
	back("2026-11-24 00:05")
	c.p.Wait(`document.querySelector("#toast").textContent === "今日の問題が出ています。"`)
	wantText(t, c.p, heading, "今日の詰将棋 11月23日（月） 3手詰|")
	c.p.Do(`board.reset(); await board.ready`)
	c.solve()
	back("2026-11-24 00:06")
	c.p.Wait(`document.querySelector("h1")?.textContent === "今日の詰将棋 11月24日（火） 3手詰" && board.played`)
	// The page of a date stays.
	c.goTo("/daily/2026-11-23?lang=ja", "2026-11-24 12:00")
	if browsertest.Eval[bool](c.p, `"renew" in main.dataset`) {
		t.Error("the page of a date becomes another")
	}
}

// TestProgressMarks: what a reader has solved is marked in lists, counted, saved, cleared and read
// again, and nothing else is stored.
func TestProgressMarks(t *testing.T) {
	c := serveCalendar(t, browsertest.Screen{Width: 360, Height: 640})
	const at = "2026-11-23 12:00"
	marks := func() []string {
		t.Helper()
		return browsertest.Eval[[]string](c.p, `[...document.querySelectorAll(".diagrams .ended")].map((e) => e.textContent).filter(Boolean)`)
	}
	counts := `[...document.querySelectorAll(".count")].map((e) => e.innerText.trim().replace(/\s+/g, " "))[0]`
	c.goTo("/problems?plies=3&lang=ja", at)
	total := browsertest.Eval[int](c.p, `document.querySelector(".count").dataset.hashes.split(" ").length`)
	c.want("at first", browsertest.Eval[string](c.p, counts), fmt.Sprintf("%d題", total))
	links := browsertest.Eval[[]string](c.p, `[...document.querySelectorAll(".diagrams a")].map((a) => a.pathname + a.search)`)

	// One is solved, one with a hint and begun again, one given up.
	c.goTo(links[0], at)
	c.solve()
	c.goTo(links[1], at)
	c.p.Do(`await board.ready; await board.hint(); board.reset()`)
	c.solve()
	c.goTo(links[2], at)
	c.p.Do(`await board.ready; await board.showAnswer()`)
	c.want("given up", browsertest.Eval[string](c.p, `document.querySelector(".own .ended").textContent`), "答えを見た")
	c.goTo("/problems?plies=3&lang=ja", at)
	if got := marks(); !slices.Equal(got, []string{"✓ 解けた", "✓ ヒントで解けた", "答えを見た"}) {
		t.Errorf("the marks are %q", got)
	}
	c.want("counted", browsertest.Eval[string](c.p, counts), fmt.Sprintf("%d題中2題を解いた", total))
	c.p.Do(`document.querySelector(".record").open = true`)
	for _, lang := range []string{"ja", "en"} {
		c.goTo("/problems?plies=3&lang="+lang, at)
		c.p.Do(`document.querySelector(".record").open = true`)
		for _, screen := range []browsertest.Screen{{Width: 320, Height: 640, Dark: true, Still: true}, {Width: 1440, Height: 900, Still: true}} {
			c.p.Show(screen)
			c.p.Accessible()
			if n := browsertest.Eval[int](c.p, "document.documentElement.scrollWidth - innerWidth"); n > 0 {
				t.Errorf("%s, %d: %d pixels stick out", lang, screen.Width, n)
			}
		}
	}

	// Saved, cleared by the second press with the keyboard, and read again.
	c.p.Do(`HTMLAnchorElement.prototype.click = function () {}; URL.createObjectURL = (blob) => { window.saved = blob; return "blob:" }`)
	click(c.p, "#record-save")
	c.p.Wait(`window.saved`)
	before := browsertest.Eval[string](c.p, `localStorage.getItem("tsume-progress")`)
	c.want("the file", browsertest.Eval[string](c.p, `saved.text()`), before)
	c.p.Do(`document.getElementById("record-clear").focus()`)
	c.p.Keys("Enter")
	c.want("after one press", browsertest.Eval[string](c.p, text("#record-clear")), "Press again to clear it")
	c.p.Keys("Shift+Tab", "Tab", "Enter")
	c.want("after it was left", browsertest.Eval[string](c.p, `localStorage.getItem("tsume-progress")`), before)
	c.p.Keys("Enter")
	c.p.Wait(`localStorage.length === 0 && document.querySelector("#toast").textContent.includes("cleared")`)
	if got := marks(); len(got) > 0 {
		t.Errorf("after clearing the marks are %q", got)
	}
	read := func(content, says string) {
		t.Helper()
		c.p.Do(`const all = new DataTransfer(), field = document.getElementById("record-open");
			all.items.add(new File([` + content + `], "x.json")); field.files = all.files; field.dispatchEvent(new Event("change", { bubbles: true }))`)
		c.p.Wait(`document.querySelector("#toast").textContent.includes("` + says + `")`)
	}
	read(`"garbage"`, "no file of progress")
	read(`'{"problems":[]}' + " ".repeat(4 << 20)`, "no file of progress")
	// Without room it is said that it ends with the page, of what is solved once.
	c.p.Do(`window.put = Storage.prototype.setItem; Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`)
	read(`saved`, "cannot be stored")
	c.p.Do(`Storage.prototype.setItem = put`)
	read(`saved`, "was read")
	c.want("read again", browsertest.Eval[string](c.p, `localStorage.getItem("tsume-progress")`), before)
	// Another tab forgets.
	c.p.Do(`localStorage.clear(); dispatchEvent(new StorageEvent("storage"))`)
	if got := marks(); len(got) > 0 {
		t.Errorf("after another tab cleared it the marks are %q", got)
	}
	c.goTo(links[3], at)
	c.p.Do(`Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`)
	c.solve()
	c.p.Wait(`document.querySelector("#toast").textContent.includes("保存できません")`)
	c.goTo(links[3], at)
	c.solve()
	if keys := browsertest.Eval[[]string](c.p, `[...Object.keys(localStorage), ...Object.keys(sessionStorage)]`); !slices.Equal(keys, []string{"tsume-progress"}) {
		t.Errorf("stored are %q", keys)
	}
}

// TestDailyElsewhere: the tag for the problem of the day, on a page of somebody else that is
// cross-origin isolated, has that of the service with its title, is solved by keyboard, and stores
// nothing there.
func TestDailyElsewhere(t *testing.T) {
	s := serveAnalyses(t)
	page := elsewhere(t, `<script src="`+s.URL+`/embed.js"></script><tsume-board id="board" daily></tsume-board>`)
	p := browsertest.Open(t, browsertest.Screen{Width: 360, Height: 640, Still: true})
	p.Goto(page)
	p.Do(`await board.ready`)
	problem, _ := daily.On(daily.DateOf(noon()))
	wantText(t, p, `board.position + "|"`, problem.SFEN+"|")
	wantText(t, p, `board.shadowRoot.querySelector(".caption").innerText`, "今日の詰将棋 11月23日（月） 3手詰")
	p.Accessible()
	p.Do(`board.shadowRoot.querySelector("input").focus()`)
	for i, move := range strings.Fields(problem.Line) {
		if i%2 == 0 {
			p.Wait(fmt.Sprintf(`board.played.length === %d && board.state === "play"`, i))
			p.Do(`board.shadowRoot.querySelector("input").focus()`)
			p.Type(move)
			p.Keys("Enter")
		}
	}
	p.Wait(`board.state === "solved"`)
	wantText(t, p, `[localStorage.length, sessionStorage.length, document.cookie].join() + "|"`, "0,0,|")
	foreign := browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => ![location.origin, "`+s.URL+`"].includes(new URL(name).origin) && !name.startsWith("data:"))`)
	if len(foreign) > 0 {
		t.Errorf("the board asked %q", foreign)
	}
}
