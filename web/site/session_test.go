package site_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/site"
)

// A session is a reader's who trains on a phone, with a finger.
type session struct {
	t     *testing.T
	p     *browsertest.Page
	count int // of problems
}

const inRun = `set.querySelector("[slot=run]")?.state === "play" && set.shadowRoot.querySelector(".verdict").textContent === ""`

func (s *session) open(url string) {
	s.t.Helper()
	s.p.Goto(url)
	s.p.Wait(`window.set?.count > 0 && set.shadowRoot.querySelector(".choose button")?.textContent`)
	s.p.Do(`window.inside = (q) => set.shadowRoot.querySelector(q); window.run = () => set.querySelector("[slot=run]");
		window.cellOf = (n) => run().shadowRoot.querySelector("[data-cell='" + n + "']")`)
}

// begin begins a run, by what its button says.
func (s *session) begin(words string) {
	s.t.Helper()
	s.t.Logf("— %s", words)
	s.p.Tap(fmt.Sprintf(`[...inside(".choose").querySelectorAll("button")].find((b) => b.textContent.startsWith(%q))`, words))
	s.p.Wait(inRun)
}

// tap plays a move with a finger.
func (s *session) tap(usi string) {
	s.t.Helper()
	square := func(file, rank byte) int { return int(rank-'a')*9 + 9 - int(file-'0') }
	from := 81 + strings.IndexByte(" PLNSGBR", usi[0])
	if usi[1] != '*' {
		from = square(usi[0], usi[1])
	}
	s.p.Tap(fmt.Sprintf("cellOf(%d)", from))
	s.p.Tap(fmt.Sprintf("cellOf(%d)", square(usi[2], usi[3])))
	const asked = `run().shadowRoot.querySelectorAll("dialog button")`
	if browsertest.Eval[bool](s.p, asked+".length > 0") {
		s.p.Tap(fmt.Sprintf("%s[%d]", asked, map[bool]int{true: 0, false: 1}[strings.HasSuffix(usi, "+")]))
	}
}

// press taps the button of a run's bar or of its end.
func (s *session) press(words string) {
	s.t.Helper()
	s.p.Tap(fmt.Sprintf(`[...inside(".runs").querySelectorAll("button")].find((b) => b.checkVisibility() && b.textContent === %q)`, words))
}

// solve solves the problem as it is said, and writes what is seen then: right, after a hint, or wrong,
// after which it is left.
func (s *session) solve(how string) {
	s.t.Helper()
	p := s.p
	s.count++
	p.Do(`await run().ready`)
	name := browsertest.Eval[string](p, `run().getAttribute("caption") ?? "a miss"`)
	line := strings.Fields(browsertest.Eval[string](p, `run().moves`))
	switch how {
	case "hint":
		p.Tap(`[...run().shadowRoot.querySelectorAll("button")].find((b) => b.textContent.startsWith("ヒント"))`)
		p.Wait(`inside(".verdict").matches(".bad")`)
	case "wrong":
		position := shogi.MustParseSFEN(browsertest.Eval[string](p, `run().position`))
		var buf shogi.MoveBuffer
		checks := position.Checks(&buf, shogi.AllMoves)
		i := slices.IndexFunc(checks, func(m shogi.Move) bool { return m.String() != line[0] })
		line = []string{checks[i].String()}
	}
	for i := 0; i < len(line); i += 2 {
		p.Wait(`run().state === "play"`)
		if s.count%4 == 1 { // a finger takes a second for each problem
			s.tap(line[i])
		} else {
			p.Do(fmt.Sprintf("await run().play(%q)", line[i]))
		}
		p.Wait(fmt.Sprintf(`run().played.length > %d && run().state !== "thinking"`, i))
	}
	p.Wait(fmt.Sprintf(`run().state === %q && inside(".verdict").matches(".good, .bad")`, map[bool]string{true: "wrong", false: "solved"}[how == "wrong"]))
	s.t.Logf("%2d %s %s: %s %s%s", s.count, name, strings.Join(line, " "),
		browsertest.Eval[string](p, `inside(".verdict").innerText + " " + inside(".runs > .bar b").innerText + " " + inside("[role=img]").innerText`),
		browsertest.Eval[string](p, `run().shadowRoot.querySelector("[part=message]").innerText.replace(/\s+/g, " ")`),
		browsertest.Eval[string](p, `document.querySelector(".offline").hidden ? "" : " (offline)"`))
}

// end ends a run after its last problem.
func (s *session) end(button string) {
	s.t.Helper()
	s.press(button)
	s.p.Wait(`inside("section h2")?.checkVisibility()`)
	s.t.Logf("   %s", browsertest.Eval[string](s.p, `inside("section").innerText.replace(/\s+/g, " ")`))
	s.press("閉じる")
}

// TestTrainSession: a reader solves thirty problems on a phone, some with a finger. In the middle of a run
// the network is gone; the page is opened anew without it, and it comes back in the middle of another
// run. Nothing is lost, and another browser has all of it from a file.
func TestTrainSession(t *testing.T) {
	phone := browsertest.Screen{Width: 390, Height: 844, Touch: true, Still: true}
	s := &session{t: t, p: browsertest.Open(t, phone)}
	p := s.p
	n := newNetwork(t)
	engine, tools := engineFiles(t)
	n.serve(t, site.Config{Engine: engine, Tools: tools})
	s.open(n.url + "/train?lang=ja")
	p.Wait(`navigator.serviceWorker.controller !== null`)
	await(p, `caches.match([...document.querySelectorAll("[data-set]")].at(-1).dataset.set, { ignoreVary: true })`)
	next := func() {
		t.Helper()
		s.press("次の問題")
		p.Wait(inRun)
	}

	s.begin("今日の十題")
	for i, how := range []string{"", "", "", "wrong", "", "", "hint", "", "", ""} {
		if i > 0 {
			next()
		}
		s.solve(how)
	}
	s.end("結果")
	s.begin("早解き")
	for i := range 10 {
		if i > 0 {
			next()
		}
		if i == 4 {
			n.down(true)
			p.Do(`dispatchEvent(new Event("offline"))`)
			t.Log("— the network is gone")
		}
		s.solve("")
	}
	s.end("結果")
	s.open(n.url + "/train?lang=ja")
	waitNotice(p, "オフラインです。")
	s.begin("間違えるまで")
	for i := range 10 {
		if i > 0 {
			next()
		}
		if i == 5 {
			n.down(false)
			p.Do(`dispatchEvent(new Event("online"))`)
			t.Log("— the network is back")
		}
		s.solve(map[bool]string{true: "wrong"}[i == 9])
	}
	s.end("結果")

	stored := browsertest.Eval[string](p, `localStorage.getItem("tsume-progress")`)
	var kept struct {
		Problems, Misses [][]any
		Level            []float64
		Ten              []any
	}
	if err := json.Unmarshal([]byte(stored), &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept.Problems) != 28 || len(kept.Misses) != 3 || kept.Level[2] != 30 || fmt.Sprint(kept.Ten[1:]) != "[10 8]" {
		t.Errorf("28 were solved, 3 of 30 missed, 8 of ten right: %s", stored)
	}
	level := browsertest.Eval[string](p, `inside(".choose p").innerText`)
	p.Do(`HTMLAnchorElement.prototype.click = function () {}; URL.createObjectURL = (blob) => { window.saved = blob; return "blob:" };
		document.querySelector(".record").open = true`)
	p.Tap(`document.getElementById("record-save")`)
	file := browsertest.Eval[string](p, `saved.text()`)
	_ = p.Errors() // of the browser, about requests without a network

	other := &session{t: t, p: browsertest.OpenFirefox(t, phone)}
	other.open(n.url + "/train?lang=ja")
	other.p.Do(fmt.Sprintf(`const all = new DataTransfer(), field = document.getElementById("record-open");
		all.items.add(new File([%q], "x.json")); field.files = all.files; field.dispatchEvent(new Event("change", { bubbles: true }))`, file))
	other.p.Wait(`localStorage.getItem("tsume-progress") !== null`)
	if got := browsertest.Eval[string](other.p, `localStorage.getItem("tsume-progress")`); got != stored {
		t.Errorf("another browser has %s, not %s", got, stored)
	}
	other.p.Wait(fmt.Sprintf(`inside(".choose p").textContent.trim() === %q`, strings.TrimSpace(level)))
	t.Logf("Firefox has the same: %d bytes, %s", len(file), level)
}
