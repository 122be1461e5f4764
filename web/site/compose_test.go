package site

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/sched"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// TestComposePage: an address says the position, the author's line and the method, in both languages.
// What it says and cannot be had is refused.
func TestComposePage(t *testing.T) {
	h, _ := newJobSite(t)
	const cooked = "sfen=9/4k4/9/4P4/9/9/9/9/9_b_2G2r2b2g4s4n4l17p&moves=G*5c_5b5a_G*5b"
	for _, c := range []struct {
		query string
		code  int
		want  []string
	}{
		{"lang=ja", 200, []string{"<h1>創作</h1>", `data-sfen="8k/9/9/9/9/9/9/9/9 b - 1"`, `value="hands" checked`, `href="/compose?method=hands&amp;lang=en"`,
			`<link rel="canonical" href="http://example.com/compose?lang=ja">`, `>煙詰<`}},
		{"lang=en&method=place", 200, []string{"<h1>Compose</h1>", `value="place" checked`, ">smoke mate<", `aria-label="Attacker gold"`}},
		{"lang=en&method=repair&" + cooked, 200, []string{`data-sfen="9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"`,
			`name="moves" value="G*5c 5b5a G*5b"`, "/compose?method=repair&amp;sfen=9/4k4/9/4P4/9/9/9/9/9_b_2G2r2b2g4s4n4l17p&amp;moves=G*5c_5b5a_G*5b&amp;lang=ja"}},
		{"lang=en&method=magic", 422, []string{"method=magic cannot be used. Allowed: hands, place, shape, repair."}},
		{"lang=ja&sfen=x", 422, []string{`class="fault"`, "<h1>局面を読めません</h1>"}},
		{"lang=en&" + strings.Replace(cooked, "G*5c", "1a1b", 1), 422, []string{"moves=1a1b"}},
	} {
		w := get(h, "/compose?"+c.query)
		body := w.Body.String()
		if w.Code != c.code {
			t.Errorf("%s: %d", c.query, w.Code)
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %q", c.query, want)
			}
		}
		if strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "no value") {
			t.Errorf("%s: the template failed somewhere", c.query)
		}
	}
	// What is said of a problem that was found has its names with the page.
	body := get(h, "/compose?lang=en").Body.String()
	found := regexp.MustCompile(`<script type="application/json" id="names">(.*)</script>`).FindStringSubmatch(body)
	var names map[string]map[string]string
	if found == nil || json.Unmarshal([]byte(found[1]), &names) != nil {
		t.Fatal("the page has no names")
	}
	if names["relations"]["same_end"] != "the same end as {other}" || names["say"]["mate_in"] == "" {
		t.Errorf("the names are %v", names["relations"])
	}
	for _, group := range report.ThemeGroups() {
		for _, one := range group.Themes {
			if names["themes"][one.ID] != one.Name.En || !strings.Contains(body, `name="theme" value="`+one.ID+`"`) {
				t.Errorf("the theme %s is %q", one.ID, names["themes"][one.ID])
			}
		}
	}
	// The other pages lead to it, that of a problem with its report by its own script.
	for path, want := range map[string]string{"/?lang=en": `href="/compose?lang=en"`, studyLink + "&lang=ja": `data-compose="/compose?lang=ja"`,
		"/sitemap.xml": "http://example.com/compose</loc>"} {
		if w := get(h, path); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
}

// composable is true once the board of the page can be set up.
const composable = `window.board?.shadowRoot?.querySelector(".edit") && document.querySelector("#marked").textContent`

const faultShown = `document.querySelector("#fault")`

// square is the script for a square of the board, by its number from 9a on.
func square(cell int) string {
	return fmt.Sprintf(`board.shadowRoot.querySelector('[data-cell="%d"]')`, cell)
}

// TestComposeQuestion: what is set up, marked and chosen is what the service is asked. Squares are
// marked with the mouse and by keyboard, and the board does not take that for anything else.
func TestComposeQuestion(t *testing.T) {
	t.Parallel()
	h, api := newJobSite(t)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	p := browsertest.Open(t, desktop)
	p.Goto(s.URL + "/compose?lang=en&sfen=8k/9/8G/9/9/9/9/9/9_b_G")
	p.Wait(composable)
	choose := func(selector string) { p.Do(element(selector) + `.click()`) }
	const marking = `[...document.querySelectorAll("#board")].flatMap((b) => [...b.shadowRoot.querySelectorAll("[data-free]")]).map((e) => e.dataset.cell).join()`
	asks := func(want string) {
		t.Helper()
		api.mu.Lock()
		api.problem, api.bodies = `{"type":"/problems/quota_exceeded","status":429,"detail":"Too many."}`, nil
		api.mu.Unlock()
		p.Do(faultShown + `.textContent = ""`)
		click(p, "#go")
		p.Wait(faultShown + `.textContent === "Too many."`)
		api.mu.Lock()
		defer api.mu.Unlock()
		if got := strings.Join(api.bodies, ""); got != `{"compose":{`+want+`}}` {
			t.Errorf("asked %s\nwant  %s", got, want)
		}
		_ = p.Errors() // of the browser, about the status
	}
	missing := func(want string) {
		t.Helper()
		click(p, "#go")
		wantText(t, p, faultShown+".textContent", want)
	}
	asks(`"method":"hands","sfen":"8k/9/8G/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1","hand":3,"count":20,"plies":"3-11"`)

	choose(`[name=method][value=place]`)
	missing("and then the piece that may move")
	click(p, "[data-marking=on]")
	p.Click(square(26)) // the gold on 1c
	p.Do(square(25) + ".focus()")
	p.Keys("Enter", "ArrowUp", " ", "ArrowLeft", "Enter", "Enter")
	if got := browsertest.Eval[string](p, marking); got != "16,25,26" && got != "26,25,16" {
		t.Errorf("marked: %s", got)
	}
	wantText(t, p, text("#marked"), "Moves: 1c, Attacker gold. Squares: 2.")
	wantText(t, p, "board.position", "8k/9/8G/9/9/9/9/9/9 b G 1")
	wantText(t, p, square(16)+".ariaDescription", "free")
	asks(`"method":"place","sfen":"8k/9/9/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1","piece":"G","free":["2b","2c","1c"],"count":20,"plies":"3-11"`)
	choose(`[value=list]`)
	choose(`[name=list][value="+R"]`)
	choose(`[name=list][value=p]`)
	choose(`[name=strict]`)
	choose(`[name=theme][value=sacrifice]`)
	p.Do(element("[name=pieces]") + `.value = 6; ` + element("[name=captures]") + `.value = 0`)
	asks(`"method":"place","sfen":"8k/9/8G/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1","list":["+R","p"],"free":["2b","2c"],"count":20,"plies":"3-11","strict":true,"pieces":6,"captures":0,"themes":["sacrifice"]`)
	choose(`[name=method][value=shape]`)
	asks(`"method":"shape","shape":"#./##","at":"end","count":20,"plies":"3-11","strict":true,"pieces":6,"captures":0,"themes":["sacrifice"]`)
	click(p, "#marked button")
	asks(`"method":"shape","shape":"T","at":"end","count":20,"plies":"3-11","strict":true,"pieces":6,"captures":0,"themes":["sacrifice"]`)
	p.Do(element("[name=least]") + `.value = 13`)
	missing("the wrong way round")

	// A record brings the author's line, which an edited board does not have.
	p.Goto(s.URL + "/compose?lang=en&method=repair&sfen=9/4k4/9/4P4/9/9/9/9/9_b_2G&moves=G*5c_5b5a_G*5b#start")
	p.Wait(composable)
	if browsertest.Eval[bool](p, visible("#found")) {
		t.Error("a link from elsewhere begins a search")
	}
	const cooked = `"method":"repair","sfen":"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1","changes":2`
	asks(cooked + `,"moves":"G*5c 5b5a G*5b","count":20`)
	p.Do(square(31) + ".focus()") // the pawn on 5d
	p.Keys("Delete")
	asks(strings.Replace(strings.Replace(cooked, "4P4", "9", 1), "17p", "18p", 1) + `,"count":20`)
	p.Click(`document.querySelector("[name=method][value=hands]")`)
	p.Do(square(13) + ".focus()") // the king on 5b
	p.Keys("Delete")
	missing("Put the king on the board.")
	clean(t, p)
}

// serveComposing starts a service with jobs, which works on them by itself.
func serveComposing(t *testing.T) *service {
	t.Helper()
	long, quick := solvers()
	answers, err := answer.New(answer.Config{Bounds: work.LineBounds(time.Hour), Sched: sched.Config{
		Quick:    sched.PoolConfig{Slots: 1, Solver: quick},
		Long:     sched.PoolConfig{Slots: 1, Solver: long},
		Sessions: sched.SessionConfig{Slots: 1, New: func() solver.Session { return dfpn.NewSession() }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	worker, err := work.NewWorker(work.WorkerOptions{Name: "worker", Slots: 1,
		Answer: work.NewLineAnswerer(answers).Answer})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.New(queue.Options{Address: filepath.Join(t.TempDir(), "jobs"), Work: worker.Work()})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() { _ = q.Run(t.Context()) })
	t.Cleanup(func() {
		running.Wait()
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	var s *service
	s = serveWith(t, Config{MaxTime: 10 * time.Second, Analyses: true, Jobs: func() Jobs { return s.api }}, httpapi.Config{
		MaxTime: 10 * time.Second, MaxAnalyses: 1, MaxAnalysisTime: time.Minute, Jobs: q, Known: knownProblem(t),
		Sessions: func() solver.Session { return dfpn.NewSession() },
	})
	return s
}

// fetched returns what a link leads to.
func fetched(p *browsertest.Page, link string) string {
	return browsertest.Eval[string](p, `fetch(`+element(link)+`.href).then((r) => r.ok ? r.text() : r.status + " " + r.url)`)
}

// TestCompose: from a diagram to a problem that is sound. What is found is shown with its line, its
// themes and its report, and can be taken to the board. A search is found again at its address, and a
// cooked problem is mended from its report.
func TestCompose(t *testing.T) {
	s := serveComposing(t)
	p := browsertest.Open(t, desktop)
	p.Goto(s.URL + "/compose?lang=ja")
	p.Wait(composable)
	p.Do(element("#text") + `.value = "7nl/7k1/9/7P1/9/9/9/9/9 b - 1"`)
	click(p, "#use")
	p.Wait(`board.position === "7nl/7k1/9/7P1/9/9/9/9/9 b - 1"`)
	p.Do(element("[name=hand]") + `.value = 2`)
	click(p, "#go")
	const ended = `!document.querySelector("#go").disabled && document.querySelector("#state").textContent`
	p.Wait(ended)
	wantText(t, p, text("#state"), "図36通りをすべて調べました。制限内では未確認の図が2図あります。1図が見つかりました。")
	wantText(t, p, text("#progress-facts"), "図の数36調べた図36見つけた図1")
	const first = ".candidate:first-child "
	p.Wait(text(first+".line") + ` === "▲２三金 △３一玉 ▲３二金打"`)
	wantText(t, p, text(first+"h3"), "1. 3手詰")
	wantText(t, p, text(first+".tags"), "小駒図式")
	// What was found is a sheet to print, and a record.
	page := fetched(p, "#sheet")
	for _, want := range []string{`<span class="number">1</span>`, "3手詰", ">２三金、<", ">３二金打<", "まで３手詰"} {
		if !strings.Contains(page, want) {
			t.Errorf("the sheet has no %s:\n%s", want, page)
		}
	}
	record, err := notation.ParseOne(fetched(p, "#records"), notation.Options{Format: notation.KIF})
	if err != nil || record.Start.ProblemSFEN() != "7nl/7k1/9/7P1/9/9/9/9/9 b 2G2r2b2g4s3n3l17p 1" || len(record.Moves()) != 3 {
		t.Errorf("the record is %+v, %v", record, err)
	}
	l := looker{t: t, p: p, lang: "ja", axe: axeScreens["ja"]}
	click(p, first+"[aria-expanded]")
	p.Wait(element(first + ".rules"))
	wantText(t, p, text(first+".verdict"), "完全")
	p.Wait(text(first+".report") + `.includes("このサービスにある2題に、似た作品はありません。")`)
	l.look("compose-found", true)
	p.Show(desktop)
	click(p, first+"button")
	p.Wait(`board.position === "7nl/7k1/9/7P1/9/9/9/9/9 b 2G2r2b2g4s3n3l17p 1"`)
	// The same search, in the other language.
	fragment := browsertest.Eval[string](p, "location.hash")
	p.Goto(s.URL + "/compose?lang=en" + fragment)
	p.Wait(ended)
	p.Wait(text(first+".line") + ` === "G*2c K-3a G*3b"`)
	wantText(t, p, text("#state"), "All 36 figures were looked at. Not decided within the limits: 2. 1 problem was found.")
	l.lang, l.axe = "en", axeScreens["en"]
	l.look("compose-found", true)
	// A cooked problem is mended, and of a sound one it is said that it is sound.
	mend := func(sfen string, changes int) {
		p.Goto(s.URL + "/compose?lang=en&method=repair&sfen=" + url.QueryEscape(sfen))
		p.Wait(composable)
		p.Do(fmt.Sprintf(element("[name=changes]")+`.value = %d`, changes))
		click(p, "#go")
		p.Wait(ended)
	}
	mend("7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1", 1)
	wantText(t, p, text(first+"h3"), "1. Mate in 3")
	wantText(t, p, text(first+".changes"), "a silver fewer in hand")
	// Of two changes not all are looked at, and of pictures some.
	state := func(want string) {
		t.Helper()
		if got := browsertest.Eval[string](p, text("#state")); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("the search ends with %q, want %s", got, want)
		}
	}
	state(`All [\d,]+ single changes were looked at\. 1 problem was found\.`)
	mend("7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1", 2)
	state(`All [\d,]+ single changes were looked at\. [\d,]+ pairs of changes were looked at\. The cooks lead to these; there are others\. \d+ problems? (was|were) found\.`)
	id := browsertest.Eval[string](p, `fetch("/v1/jobs/compose", { method: "POST", headers: { "Content-Type": "application/json" },
		body: '{"compose":{"method":"shape","shape":"##","pieces":1,"hand":0,"parts":2}}' }).then((r) => r.json()).then((job) => job.id)`)
	p.Goto(s.URL + "/compose?lang=ja&method=shape#job=" + id)
	p.Wait(ended)
	state(`無作為に選んだ[\d,]+図を調べました。ほかにもあります。見つかりませんでした。`)
	mend("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", 2)
	wantText(t, p, text("#state"), "The problem is sound: there is nothing to mend.")
	clean(t, p)
	// A search for one mate is no list of problems.
	one := browsertest.Eval[string](p, `fetch("/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" },
		body: '{"sfen":"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"}' }).then((r) => r.json()).then((job) => job.id)`)
	for _, id := range []string{one, "none"} {
		r, err := http.Get(s.URL + "/jobs/" + id + "/sheet")
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Close(); r.StatusCode != http.StatusNotFound {
			t.Errorf("the sheet of %s: %s", id, r.Status)
		}
	}
}

// Moves that do not fit the diagram come behind the address, and are sent with the diagram as it is.
func TestComposeMisprint(t *testing.T) {
	t.Parallel()
	h, api := newJobSite(t)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	p := browsertest.Open(t, desktop)
	p.Goto(s.URL + "/compose?lang=ja&method=repair&sfen=8k/9/8G/9/9/9/9/9/9_b_G#misprint=%E2%96%B212%E9%87%91")
	p.Wait(composable)
	api.mu.Lock()
	api.problem, api.bodies = `{"type":"/problems/quota_exceeded","status":429,"detail":"Too many."}`, nil
	api.mu.Unlock()
	click(p, "#go")
	p.Wait(faultShown + `.textContent === "Too many."`)
	api.mu.Lock()
	defer api.mu.Unlock()
	const want = `"method":"repair","sfen":"8k/9/8G/9/9/9/9/9/9 b G 1","changes":2,"moves":"▲12金"`
	if got := strings.Join(api.bodies, ""); !strings.Contains(got, want) {
		t.Errorf("asked %s\nwant  %s", got, want)
	}
	_ = p.Errors() // of the browser, about the status
}
