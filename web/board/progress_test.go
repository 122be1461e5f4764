package board_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// withProgress opens a page with what keeps the progress of a reader, by the name progress.
func withProgress(t *testing.T, screen browsertest.Screen) *browsertest.Page {
	t.Helper()
	p := browsertest.Open(t, screen)
	p.Goto(site(t, nil, pageWith("ja", "", "")))
	browsertest.Eval[bool](p, exported(t, "progress", `export * from "./progress"`))
	return p
}

// TestStreak holds the days of Japan and the streaks that they make against package time, in time
// zones on both sides of it: thousands of instants and sets of days, among them the ends of months
// and years.
func TestStreak(t *testing.T) {
	type question struct {
		Now    int64 // ms
		Days   []string
		Today  string
		Streak int
	}
	rng := rand.New(rand.NewPCG(7, 7))
	japan := time.FixedZone("", 9*60*60)
	var questions []question
	for range 3000 {
		now := time.UnixMilli(rng.Int64N(4_102_444_800_000)) // before 2100
		if rng.IntN(3) == 0 {                                // just before midnight, or after it
			day := now.In(japan)
			now = time.Date(day.Year(), day.Month(), 1, 0, 0, 0, int(rng.Int64N(3)-1)*1_000_000, japan)
		}
		const layout = "2006-01-02"
		q := question{Now: now.UnixMilli(), Days: []string{}, Today: now.In(japan).Format(layout)}
		solved := map[int]bool{} // by how many days ago it was
		for ago := -3; ago < 40; ago++ {
			if solved[ago] = rng.IntN(9) > 0; solved[ago] {
				q.Days = append(q.Days, now.In(japan).AddDate(0, 0, -ago).Format(layout))
			}
		}
		rng.Shuffle(len(q.Days), func(i, j int) { q.Days[i], q.Days[j] = q.Days[j], q.Days[i] })
		first := 0
		if !solved[0] { // today's may yet be solved
			first = 1
		}
		for ago := first; solved[ago]; ago++ {
			q.Streak++
		}
		questions = append(questions, q)
	}
	text, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	p := withProgress(t, browsertest.Screen{})
	for _, zone := range []string{"America/Los_Angeles", "Pacific/Kiritimati"} {
		p.Show(browsertest.Screen{TimeZone: zone})
		wrong := browsertest.Eval[[]string](p, `(`+string(text)+`).filter(({ Now, Days, Today, Streak }) =>
			progress.japanDay(Now) !== Today || progress.streak(new Set(Days), Today) !== Streak).map((q) => JSON.stringify(q))`)
		if len(wrong) > 0 {
			t.Errorf("%s: %d questions, the first is %s", zone, len(wrong), wrong[0])
		}
	}
}

// TestProgress: what becomes of a problem, what is stored of it, and what is read of it.
func TestProgress(t *testing.T) {
	p := withProgress(t, browsertest.Screen{})
	check := func(what, script string, want string) {
		t.Helper()
		if got := browsertest.Eval[string](p, script); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	p.Do(`window.kept = progress.progressOf(); window.stored = () => localStorage.getItem("tsume-progress") ?? "nothing"`)
	const noon = `Date.parse("2026-11-23T03:00:00Z")`

	// Who solves a problem after giving it up had help, and once it is solved it stays so.
	for _, c := range []struct{ hows, want string }{
		{"solved", "solved"}, {"helped solved", "helped"}, {"given solved", "helped"},
		{"solved given helped", "solved"}, {"given given", "given"}, {"helped given", "helped"},
	} {
		p.Do(fmt.Sprintf(`kept.forget(); for (const how of %q.split(" ")) kept.record("k", how, %s)`, c.hows, noon))
		check(c.hows, `stored()`, `{"problems":[["k","`+c.want+`","2026-11-23"]],"days":[]}`)
	}
	p.Do(`kept.record("", "solved")`)
	check("a problem without a key", `String(kept.problems().size)`, "1")
	// A day counts on that day alone.
	p.Do(`kept.recordDay("2026-11-22", "2026-11-23"); kept.recordDay("2026-11-23", "2026-11-23"); kept.recordDay("x", "x")`)
	check("days", `[...kept.days()].join()`, "2026-11-23")

	// Another tab stores more, and forgets.
	p.Do(`localStorage.setItem("tsume-progress", '{"problems":[["other","given","2026-01-01"]],"days":["2026-01-01"]}')`)
	check("another tab's", `[...kept.problems().keys(), ...kept.days()].join()`, "other,2026-01-01")
	p.Do(`kept.forget(["other"])`)
	check("forgotten", `stored()`, `{"problems":[],"days":["2026-01-01"]}`)
	p.Do(`kept.forget()`)
	check("all forgotten", `stored()`, "nothing")

	// Garbage is as nothing, and what is right beside it is read.
	for _, garbage := range []string{
		`x`, `null`, `7`, `[]`, `{}`, `{"problems":7}`, `{"problems":[7,null,[],["k"],["k","won","2026-01-01"],[7,"solved",""],["","solved",""]],"days":["x",7,null,"2026-02-30","2026-13-01"]}`,
		`{"problems":[["` + strings.Repeat("k", 201) + `","solved",""]],"days":7}`,
	} {
		text, _ := json.Marshal(garbage)
		p.Do(`localStorage.setItem("tsume-progress", ` + string(text) + `)`)
		check(garbage, `kept.export()`, `{"problems":[],"days":[]}`)
	}
	p.Do(`localStorage.setItem("tsume-progress", '{"problems":[["k","solved","soon"],[7]],"days":["2026-01-01",7]}')`)
	check("beside garbage", `kept.export()`, `{"problems":[["k","solved",""]],"days":["2026-01-01"]}`)

	// The oldest go.
	p.Do(`kept.forget();
		const day = (i) => new Date(i * 86400000).toISOString().slice(0, 10);
		localStorage.setItem("tsume-progress", JSON.stringify({
			problems: Array.from({ length: 5000 }, (_, i) => ["k" + i, "solved", day(20000 - i)]), days: Array.from({ length: 5000 }, (_, i) => day(20000 - i)),
		}));
		kept.record("new", "solved", ` + noon + `); kept.recordDay("2026-11-23", "2026-11-23")`)
	check("bounded", `[kept.problems().size, kept.problems().has("new"), kept.problems().has("k4999"), kept.problems().has("k4998"), kept.days().size, kept.days().has("2026-11-23")].join()`,
		"5000,true,false,true,5000,true")

	// From one browser to another: the better ending counts.
	p.Do(`kept.forget(); kept.record("a", "given"); kept.record("b", "solved", ` + noon + `)`)
	check("no text of progress", `String(kept.import("{}") || kept.import("x"))`, "false")
	check("imported", `String(kept.import('{"problems":[["a","solved","2026-01-01"],["b","given","2026-01-01"]],"days":["2026-01-01"]}')) + kept.export()`,
		`true{"problems":[["a","solved","2026-01-01"],["b","solved","2026-11-23"]],"days":["2026-01-01"]}`)

	// A browser that has no room, or stores nothing: it holds for the page, and what was stored before
	// is as it was. Once there is room, all of it is stored.
	p.Do(`window.before = stored(); const put = Storage.prototype.setItem, get = Storage.prototype.getItem;
		Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") };
		kept.record("c", "solved", ` + noon + `);
		window.full = [stored() === before, kept.problems().has("c")].join();
		Storage.prototype.getItem = () => { throw new DOMException("", "SecurityError") };
		window.denied = [kept.problems().has("c"), progress.progressOf("x").problems().size].join();
		Storage.prototype.getItem = get; Storage.prototype.setItem = put;
		kept.record("d", "solved", ` + noon + `)`)
	check("full", `full`, "true,true")
	check("denied", `denied`, "true,0")
	check("with room again", `[...new progress.Progress("tsume-progress").problems().keys()].sort().join()`, "a,b,c,d")

	// What sets stored before.
	p.Do(`kept.forget(); localStorage.setItem("tsume-set:/", '["4k4/9 b G", 7, ""]'); kept.adopt("tsume-set:/"); kept.adopt("tsume-set:none")`)
	check("adopted", `stored() + localStorage.length`, `{"problems":[["4k4/9 b G","solved",""]],"days":[]}1`)
	p.Do(`localStorage.setItem("tsume-set:/", "{"); kept.adopt("tsume-set:/")`)

	// A problem has one key, however its position is written.
	want := "4k4/9 b G2r"
	keys := browsertest.Eval[[]string](p, `["4k4/9 b G2r 1", " 4k4/9_b_G2r", "sfen 4k4/9 b G2r 7", "position sfen 4k4/9  b G2r 1 moves G*5b"].map(progress.keyOf)`)
	if slices.ContainsFunc(keys, func(key string) bool { return key != want }) {
		t.Errorf("keys %q", keys)
	}
}
