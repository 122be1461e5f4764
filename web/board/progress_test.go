package board_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/drill"
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
		check(c.hows, `stored()`, `{"version":1,"problems":[["k","`+c.want+`","2026-11-23"]],"days":[]}`)
	}
	p.Do(`kept.record("", "solved")`)
	check("a problem without a key", `String(kept.problems().size)`, "1")
	p.Do(`kept.recordDay("2026-11-23"); kept.recordDay("x"); kept.recordDay("2026-02-30")`)
	check("days", `[...kept.days()].join()`, "2026-11-23")

	// Another tab stores more, and forgets.
	p.Do(`localStorage.setItem("tsume-progress", '{"problems":[["other","given","2026-01-01"]],"days":["2026-01-01"]}')`)
	check("another tab's", `[...kept.problems().keys(), ...kept.days()].join()`, "other,2026-01-01")
	p.Do(`kept.forget(["other"])`)
	check("forgotten", `stored()`, `{"version":1,"problems":[],"days":["2026-01-01"]}`)
	p.Do(`kept.forget()`)
	check("all forgotten", `stored()`, "nothing")

	// Garbage is as nothing, and what is right beside it is read.
	for _, garbage := range []string{
		`x`, `null`, `7`, `[]`, `{}`, `{"problems":7}`, `{"problems":[7,null,[],["k"],["k","won","2026-01-01"],[7,"solved",""],["","solved",""]],"days":["x",7,null,"2026-02-30","2026-13-01"]}`,
		`{"problems":[["` + strings.Repeat("k", 201) + `","solved",""]],"days":7}`,
	} {
		text, _ := json.Marshal(garbage)
		p.Do(`localStorage.setItem("tsume-progress", ` + string(text) + `)`)
		check(garbage, `kept.export()`, `{"version":1,"problems":[],"days":[]}`)
	}
	p.Do(`localStorage.setItem("tsume-progress", '{"problems":[["k","solved","soon"],[7]],"days":["2026-01-01",7]}')`)
	check("beside garbage", `kept.export()`, `{"version":1,"problems":[["k","solved",""]],"days":["2026-01-01"]}`)

	// What was recorded first goes, the oldest days, and before them those of a wrong clock, but never
	// what is recorded, whatever day it is of.
	for _, c := range []struct {
		what      string
		firstDay  string // of 5000
		wantDays  int
		wantFirst bool
	}{
		{"years that were", "2010-01-01", 5000, false},
		{"years to come", "2027-01-01", 1, false},
	} {
		p.Do(`kept.forget();
			const day = (i) => new Date(Date.parse("` + c.firstDay + `") + i * 86400000).toISOString().slice(0, 10);
			localStorage.setItem("tsume-progress", JSON.stringify({
				problems: Array.from({ length: 5000 }, (_, i) => ["k" + i, "solved", day(4999 - i)]), days: Array.from({ length: 5000 }, (_, i) => day(i)),
			}));
			kept.record("new", "solved", ` + noon + `); kept.recordDay("2026-11-23")`)
		check(c.what, `[kept.problems().size, kept.problems().has("new"), kept.problems().has("k0"), kept.problems().has("k1"), kept.days().size, kept.days().has("2026-11-23"), kept.days().has("`+c.firstDay+`")].join()`,
			fmt.Sprintf("5000,true,false,true,%d,true,%t", c.wantDays, c.wantFirst))
	}
	p.Do(`kept.recordDay("1999-01-01")`)
	check("a day before all others", `String(kept.days().has("1999-01-01"))`, "true")

	// From one browser to another: the better ending counts.
	p.Do(`kept.forget(); kept.record("a", "given"); kept.record("b", "solved", ` + noon + `)`)
	check("no text of progress", `String(["{}", "x", '{"version":3,"problems":[]}'].some((text) => kept.import(text, "2026-11-23")))`, "false")
	check("imported", `String(kept.import('{"problems":[["a","solved","2026-01-01"],["b","given","2026-01-01"]],"days":["2026-01-01","2026-11-25"]}', "2026-11-23")) + kept.export()`,
		`true{"version":1,"problems":[["a","solved","2026-01-01"],["b","solved","2026-11-23"]],"days":["2026-01-01"]}`)

	p.Do(`kept.import(JSON.stringify({ problems: Array.from({ length: 6000 }, (_, i) => ["k" + i, "solved", "2030-01-01"]) }), "2026-11-23")`)
	check("too much imported", `[kept.problems().size, kept.problems().has("a"), kept.problems().has("b")].join()`, "5000,true,true")
	p.Do(`kept.forget(); kept.record("a", "solved"); kept.record("b", "solved")`)

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

	// Without room, too, what is forgotten does not come back when another tab stores something.
	p.Do(`localStorage.setItem("tsume-progress", '{"problems":[["a","solved",""],["b","solved",""]],"days":["2026-01-01"]}'); kept.problems();
		const full = Storage.prototype.setItem, remove = Storage.prototype.removeItem;
		Storage.prototype.setItem = Storage.prototype.removeItem = () => { throw new DOMException("", "QuotaExceededError") };
		kept.forget(["a"]);
		full.call(localStorage, "tsume-progress", '{"problems":[["a","solved",""],["b","solved",""],["c","solved",""]],"days":["2026-01-01"]}');
		window.one = [...kept.problems().keys()].join() + kept.isUnsaved;
		kept.forget();
		full.call(localStorage, "tsume-progress", '{"problems":[["a","solved",""],["b","solved",""],["c","solved",""],["d","solved",""]],"days":["2026-01-01"]}');
		window.all = [...kept.problems().keys(), ...kept.days()].join();
		kept.record("a", "solved");
		full.call(localStorage, "tsume-progress", '{"problems":[["b","solved",""]],"days":[]}');
		window.again = [...kept.problems().keys()].join();
		Storage.prototype.setItem = full; Storage.prototype.removeItem = remove`)
	check("one forgotten", `one`, "b,ctrue")
	check("all forgotten without room", `all`, "d")
	check("solved again", `again`, "d,a")

	// What a newer version stored stays as it is, and the page says that it stores nothing.
	p.Do(`window.newer = '{"version":3,"problems":{"k":1}}'; localStorage.setItem("tsume-progress", newer);
		kept.forget(); kept.record("k", "solved"); kept.recordDay("2026-11-23"); kept.import('{"problems":[["i","solved",""]]}', "2026-11-23")`)
	check("a newer version's", `[stored() === newer, kept.isUnsaved, kept.problems().has("k"), kept.problems().has("i")].join()`, "true,true,true,true")
	p.Do(`localStorage.removeItem("tsume-progress"); kept.record("l", "solved")`)
	check("once that is gone", `[kept.isUnsaved, new progress.Progress("tsume-progress").problems().has("k")].join()`, "false,true")

	// What sets stored before.
	p.Do(`kept.forget(); localStorage.setItem("tsume-set:/", '["4k4/9 b G", 7, ""]'); kept.adopt("tsume-set:/"); kept.adopt("tsume-set:none")`)
	check("adopted", `stored() + localStorage.length`, `{"version":1,"problems":[["4k4/9 b G","solved",""]],"days":[]}1`)
	p.Do(`localStorage.setItem("tsume-set:/", "{"); kept.adopt("tsume-set:/")`)

	// A problem has one key, however its position is written.
	want := "4k4/9 b G2r"
	keys := browsertest.Eval[[]string](p, `["4k4/9 b G2r 1", " 4k4/9_b_G2r", "sfen 4k4/9 b G2r 7", "position sfen 4k4/9  b G2r 1 moves G*5b"].map(progress.keyOf)`)
	if slices.ContainsFunc(keys, func(key string) bool { return key != want }) {
		t.Errorf("keys %q", keys)
	}
	// What is no SFEN is not cut to what others begin with as well.
	others := browsertest.Eval[[]string](p, `["# KIF version=2.0 one", "後手の持駒：飛二　角二　金三", "/p/my_problem_one_1.kif", "k".repeat(201)].map(progress.keyOf)`)
	if !slices.Equal(others, []string{"# KIF version=2.0 one", "後手の持駒：飛二 角二 金三", "/p/my_problem_one_1.kif", ""}) {
		t.Errorf("keys %q", others)
	}
}

// TestRunsKept: what is kept of runs, when what was missed comes again, and that another browser has the
// same of a file.
func TestRunsKept(t *testing.T) {
	p := withProgress(t, browsertest.Screen{})
	check := func(what, script string, want string) {
		t.Helper()
		if got := browsertest.Eval[string](p, script); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	p.Do(`window.kept = progress.progressOf();
		window.due = (day) => [...kept.misses()].filter(([, miss]) => progress.isDue(miss, day)).map(([key]) => key).join()`)
	// Missed on the 1st: it comes after 1, 3, 7 and 21 days, and is gone after that.
	p.Do(`kept.recordRun("k", false, "2026-12-01", { moves: "G*5b", rating: 900 })`)
	for _, c := range []struct{ before, day string }{
		{"2026-12-01", "2026-12-02"}, {"2026-12-04", "2026-12-05"}, {"2026-12-11", "2026-12-12"}, {"2027-01-01", "2027-01-02"},
	} {
		check("on "+c.before, `due("`+c.before+`") + "|"`, "|")
		check("on "+c.day, `due("`+c.day+`") + "|"`, "k|")
		p.Do(`kept.recordRun("k", true, "` + c.day + `", {})`)
	}
	check("at the end", `String(kept.misses().size)`, "0")
	// What is missed again begins anew, and what is solved at once is no miss.
	p.Do(`kept.recordRun("k", false, "2026-12-01", {}); kept.recordRun("k", true, "2026-12-02", {}); kept.recordRun("k", false, "2026-12-05", {});
		kept.recordRun("solved", true, "2026-12-05", {})`)
	check("missed again", `JSON.stringify([...kept.misses()])`, `[["k",{"step":0,"due":"2026-12-06","moves":"","rating":0}]]`)
	// A day that is too far away is that of a wrong clock.
	check("a wrong clock", `due("2026-10-01") + "|"`, "k|")

	// The ten of a day are those of that day.
	p.Do(`for (let i = 0; i < 3; i++) kept.recordRun("t" + i, i > 0, "2026-12-05", { rating: 1000, isRated: true, isOfTen: true })`)
	check("the ten", `JSON.stringify([kept.ten("2026-12-05"), kept.ten("2026-12-06")])`,
		`[{"day":"2026-12-05","tried":3,"solved":2},{"day":"2026-12-06","tried":0,"solved":0}]`)

	// Another browser has all of it of a file; and a file of the version before is read.
	p.Do(`kept.record("k", "solved", 0); kept.recordDay("2026-12-01"); window.file = kept.export();
		window.other = progress.progressOf("other"); window.isRead = other.import(file, "2026-12-05")`)
	check("in another browser", `String(isRead && other.export() === file && JSON.parse(file).version)`, "2")
	check("read anew", `new progress.Progress("tsume-progress:other").export()`, browsertest.Eval[string](p, `file`))
	p.Do(`other.forget(); other.import('{"version":1,"problems":[["a","solved","2026-01-01"]],"days":["2026-01-01"]}', "2026-12-05")`)
	check("version 1", `other.export() + other.level().count`, `{"version":1,"problems":[["a","solved","2026-01-01"]],"days":["2026-01-01"]}0`)
	// Of two browsers that were both used the miss that comes first counts, and the level that knows more.
	p.Do(`other.forget(); other.recordRun("k", false, "2026-12-01", {}); other.recordRun("o", false, "2026-12-01", { rating: 900, isRated: true });
		other.import(file, "2026-12-05")`)
	check("both", `[...other.misses()].map(([key, { due }]) => key + due).sort().join() + "," + other.level().count`,
		"k2026-12-02,o2026-12-02,t02026-12-06,3")
	// Without room it holds for the page, also beside what another tab stores.
	p.Do(`const full = Storage.prototype.setItem; Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") };
		kept.recordRun("k", true, "2026-12-06", {}); kept.recordRun("full", false, "2026-12-06", {});
		full.call(localStorage, "tsume-progress", file);
		window.held = [...kept.misses()].map(([key, { due }]) => key + due).sort().join() + kept.isUnsaved;
		Storage.prototype.setItem = full`)
	check("without room", `held`, "full2026-12-07,k2026-12-09,t02026-12-06true")

	// Garbage is as nothing.
	for _, garbage := range []string{
		`"level":7,"misses":7,"ten":7`, `"level":[1000,0,3],"misses":[7,["k"],["k",9,"2026-01-01","",0],["k",0,"soon","",0],["",0,"2026-01-01","",0],["k",0,"2026-01-01",7,0],["k",0,"2026-01-01","",-1]],"ten":["soon",1,1]`,
		`"level":["1000",100,3],"misses":[["k",0,"2026-01-01","` + strings.Repeat("m", 301) + `",0]],"ten":["2026-01-01",-1,1]`,
	} {
		text, _ := json.Marshal(`{"version":2,"problems":[],"days":[],` + garbage + `}`)
		p.Do(`localStorage.setItem("tsume-progress", ` + string(text) + `)`)
		check(garbage, `new progress.Progress("tsume-progress").export()`, `{"version":1,"problems":[],"days":[]}`)
	}
}

// TestLevel: of 1,000 simulated readers whose strength is known, by problems as runs choose them, the
// level after 30 problems is about as near as it can be: problems that are solved every other time leave
// a standard deviation of 400/ln 10 · 2/√30 = 63 points.
func TestLevel(t *testing.T) {
	p := withProgress(t, browsertest.Screen{})
	var ratings []int
	for i := range drill.All() {
		ratings = append(ratings, drill.Rating(&drill.All()[i]))
	}
	text, err := json.Marshal(ratings)
	if err != nil {
		t.Fatal(err)
	}
	type found struct{ RMS, Mean, Bias, Off, Stated float64 }
	got := browsertest.Eval[found](p, `(() => {
		let seed = 20261130;
		const random = () => { // mulberry32
			let x = (seed = (seed + 0x6D2B79F5) | 0);
			x = Math.imul(x ^ (x >>> 15), x | 1);
			x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
			return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
		};
		const ratings = `+string(text)+`;
		const all = { RMS: 0, Mean: 0, Bias: 0, Off: 0, Stated: 0 }, N = 1000;
		for (let n = 0; n < N; n++) {
			const strength = 700 + 1300 * random(), met = new Set();
			let level = progress.UNKNOWN;
			for (let i = 0; i < 30; i++) {
				const near = ratings.map((r, at) => [Math.abs(r - level.rating), at]).filter(([, at]) => !met.has(at)).sort((a, b) => a[0] - b[0]).slice(0, 12);
				const at = near[Math.floor(random() * near.length)][1];
				met.add(at);
				level = progress.rated(level, ratings[at], random() < 1 / (1 + 10 ** ((ratings[at] - strength) / 400)));
			}
			const error = level.rating - strength;
			all.RMS += error ** 2 / N; all.Mean += Math.abs(error) / N; all.Bias += error / N; all.Stated += level.deviation / N;
			if (Math.abs(error) > 200) all.Off++;
		}
		all.RMS = Math.sqrt(all.RMS);
		return all;
	})()`)
	t.Logf("after 30 problems the level is off by %.0f points on average (root mean square %.0f, bias %.0f; %.0f of 1,000 by more than 200); it says ±%.0f",
		got.Mean, got.RMS, got.Bias, got.Off, got.Stated)
	if got.RMS > 90 || math.Abs(got.Bias) > 20 || got.Stated < 50 || got.Stated > 90 {
		t.Errorf("the level is off: %+v", got)
	}
}
