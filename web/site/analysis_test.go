package site

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// Problems of the table of package analysis, and one that is open for seconds.
const (
	cookedProblem = "5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
	longProblem   = "4p4/n1s+B5/sR1n5/k8/3P5/2s+p5/sNP6/9/9 b RB4gn4l14p 1"
	openProblem   = "6R2/9/6S2/7N1/8k/9/8S/9/9 b GLr2b3g2s3n3l18p 1"
	noProblem     = "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1"
)

// problemPath returns the address of the page of a problem.
func problemPath(sfen, lang string) string {
	return "/study?sfen=" + strings.NewReplacer("+", "%2B", " ", "_").Replace(strings.TrimSuffix(sfen, " 1")) +
		"&lang=" + lang
}

// reported is true once the report is complete.
const reported = `document.querySelector("#analyze-stop").hidden && document.querySelector("#report h3")`

// analyzed asks the API what the page asks it.
func (s *service) analyzed(t *testing.T, sfen string) *wire.AnalyzeAnswer {
	t.Helper()
	body := fmt.Sprintf(`{"sfen":%q,"profile":"magazine","parts":["attack","defence","duals","themes"],"record":"ja"}`, sfen)
	resp, err := http.Post(s.URL+"/v1/analyze", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	a := new(wire.AnalyzeAnswer)
	if err := json.NewDecoder(resp.Body).Decode(a); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %v", resp.Status, err)
	}
	return a
}

// texts is the script for the texts of what a selector finds.
func texts(selector string) string {
	return fmt.Sprintf("[...document.querySelectorAll(%q)].map((e) => e.textContent)", selector)
}

// TestAnalysis: one press says whether a problem is sound and why, and every move of the report can
// be seen on the board.
func TestAnalysis(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, problemPath(cookedProblem, "ja"), browsertest.Screen{Width: 1440, Height: 900})
	click(p, "#analyze")
	p.Wait(reported)
	a := s.analyzed(t, cookedProblem)

	wantText(t, p, text("#report .verdict"), "不完全"+a.TextJa[0]+a.TextJa[1])
	wantText(t, p, verdictShown, "7手詰")
	if said := browsertest.Eval[string](p, text("#analyze-note")); !strings.Contains(said, a.TextJa[1]) {
		t.Errorf("said is %q", said)
	}
	rules := browsertest.Eval[[]string](p, texts("#report .rules li"))
	if len(rules) == 0 || !strings.HasPrefix(rules[0], "✗欠陥: 余詰") {
		t.Errorf("the rules are %q, want what is broken first", rules)
	}
	for _, r := range rules[1:] {
		if !strings.HasPrefix(r, "✓") {
			t.Errorf("the rule %q", r)
		}
	}
	// The bars say what the counts of the API are.
	var bars []string
	for _, n := range a.Attack {
		bar := fmt.Sprintf("✓%d", n.Fail)
		for _, other := range n.Others {
			if other.Class == "cook" {
				bar += "✗1"
			}
		}
		bars = append(bars, bar)
	}
	if got := browsertest.Eval[[]string](p, texts("#report .scroll:nth-of-type(2) .tally")); !slices.Equal(got, bars) {
		t.Errorf("the bars are %q, want %q", got, bars)
	}
	if n := browsertest.Eval[int](p, `document.querySelectorAll("#report table")[1].tBodies[0].rows.length`); n != len(a.Defence) {
		t.Errorf("%d rows for the defender, want %d", n, len(a.Defence))
	}
	// A cook, and how it goes on.
	cook := a.Attack[0].Others[0]
	click(p, "#report .others .play")
	p.Wait(`board.played.join() === ` + fmt.Sprintf("%q", cook.Move))
	wantText(t, p, `document.querySelector("#report .others .play").ariaCurrent`, "step")
	for n := range cook.Line[1:] {
		p.Keys("ArrowRight")
		p.Wait(fmt.Sprintf("board.played.length === %d", n+2))
	}
	if got := browsertest.Eval[[]string](p, "board.played"); !slices.Equal(got, cook.Line) {
		t.Errorf("the board shows %q, want %q", got, cook.Line)
	}
	// A row, by keyboard.
	p.Do(`document.querySelector("#report tbody tr:nth-child(2) th button").focus()`)
	p.Keys("Enter")
	p.Wait(fmt.Sprintf("board.played.join() === %q", strings.Join(a.Line.Moves[:3], ",")))
	p.Wait(`document.activeElement.matches("#report th button")`)
	wantThemes(t, p, a)
	wantRecord(t, p, a)
}

// wantThemes checks that all themes are there, and that the plies that show one are a press away.
func wantThemes(t *testing.T, p *browsertest.Page, a *wire.AnalyzeAnswer) {
	t.Helper()
	var want []string
	for _, theme := range a.Themes {
		says := theme.NameJa
		for _, ply := range theme.Plies {
			says += fmt.Sprintf("%d手目", ply)
		}
		if len(theme.Plies) == 0 {
			says += "初形"
		}
		want = append(want, says)
	}
	if got := browsertest.Eval[[]string](p, texts("#report .themes li")); !slices.Equal(got, want) || len(got) < 2 {
		t.Errorf("the themes are %q, want %q", got, want)
	}
	for _, theme := range a.Themes {
		ply := 0
		if len(theme.Plies) > 0 {
			ply = theme.Plies[0]
		}
		click(p, fmt.Sprintf("#report [data-theme=%s]", theme.ID))
		p.Wait(fmt.Sprintf("board.played.join() === %q", strings.Join(a.Line.Moves[:ply], ",")))
	}
}

// wantRecord checks the files of the report and its text.
func wantRecord(t *testing.T, p *browsertest.Page, a *wire.AnalyzeAnswer) {
	t.Helper()
	p.Do(`window.saved = []; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { saved.push(blob); return make(blob) }`)
	p.Do(`for (const b of document.querySelectorAll("#report .do button")) b.click()`)
	files := browsertest.Eval[[]string](p, `Promise.all(saved.map((blob) => blob.text()))`)
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	for i, format := range []notation.Format{notation.KIF, notation.JKF} {
		r, err := notation.Parse([]byte(files[i]), notation.Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		var first []string
		for _, n := range r.Root.Next {
			first = append(first, n.Move.String())
		}
		// The other checks are tries.
		want := []string{a.Line.Moves[0], a.Attack[0].Others[0].Move}
		if len(first) <= len(want) || !slices.Equal(first[:2], want) {
			t.Errorf("%v begins with %q, want %q and the tries", format, first, want)
		}
	}
	wantSubmission(t, p, a)
	// Each line of the tree can be played from the diagram.
	lines := browsertest.Eval[[][]string](p, `[...document.querySelectorAll("#report .tree li")].map((item) => [...item.children].filter((e) => e.matches(".play")).at(-1).dataset.line.split(" "))`)
	if len(lines) != len(a.Record.Lines) { // asked for without the tries
		t.Errorf("%d lines, want %d", len(lines), len(a.Record.Lines))
	}
	for _, line := range lines {
		q := shogi.MustParseSFEN(a.SFEN)
		for _, move := range line {
			m, err := shogi.ParseMove(move)
			if err != nil || !q.IsLegal(m) {
				t.Fatalf("%s of %q: %v", move, line, err)
			}
			q.Do(m)
		}
		// Futile interpositions may be left.
		for _, m := range q.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves) {
			if !m.IsDrop() {
				t.Errorf("%q ends at %s, where %s is left", line, q.SFEN(), m)
			}
		}
	}
}

// wantSubmission copies the text for a magazine by keyboard, and reads it as the problem again.
func wantSubmission(t *testing.T, p *browsertest.Page, a *wire.AnalyzeAnswer) {
	t.Helper()
	p.Do(`navigator.clipboard.writeText = async (text) => { window.copied = text };
		document.querySelector('[data-copy="report-text"]').focus()`)
	p.Keys("Enter")
	p.Wait(`window.copied`)
	wantText(t, p, text("#toast"), "コピーしました。")
	copied := browsertest.Eval[string](p, "copied")
	for _, want := range []string{"\n手数：7手詰\n", a.TextJa[1], "【本手順】\n", " まで７手詰\n",
		"【余詰】\n1手目 余詰（打ち場所、9手）：２三飛、", "【変化】\n", "【紛れ】\n1手目："} {
		if !strings.Contains("\n"+copied, want) {
			t.Errorf("no %q in\n%s", want, copied)
		}
	}
	// The reader takes spaces for the commas.
	r, err := notation.Parse([]byte(copied), notation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Start.ProblemSFEN(); got != a.SFEN || len(r.Moves()) != 7 {
		t.Errorf("the text is read as %s with %v", got, r.Moves())
	}
}

// TestConventionalLength: the length that books print is in how many plies the reader solves the
// problem, and comes first in the answer, with the other one and the policy. A move that does not
// count says why.
func TestConventionalLength(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	p.Wait(`board.state === "play"`)
	p.Do(`await board.play("43飛成")`)
	wantText(t, p, `board.played.join(" ")`, "4e4c+ 1c1b")
	p.Do(`await board.play("23龍")`)
	wantText(t, p, "board.state", "solved")
	const status = `board.shadowRoot.querySelector("p").textContent`
	p.Wait(status + `.includes("正解")`)
	wantText(t, p, status, "正解！ 3手詰")
	click(p, "#solve")
	waitVerdict(p, "mate")
	wantText(t, p, verdictShown, "3手詰|無駄合を除く。すべての合駒を数えると5手。")
	wantText(t, p, text("#futile"), "2手目△３三歩（狭義）：▲同　龍で取れば何も変わらない")
	// The line is as long, and so are the moves.
	wantText(t, p, `board.getAttribute("moves")`, "4e4c+ 1c1b 4c2c")
	click(p, "#examine")
	p.Wait(visible("#moves-box"))
	wantText(t, p, text("#moves tr"), "3手で詰み")
	p.Do("board.goTo(1)")
	click(p, "#examine")
	p.Wait(visible("#moves-box"))
	wantText(t, p, text("#moves tr"), "△１二玉 最善2手で詰み")
	wantText(t, p, text("#moves tr:last-child"), "無駄合")
	p.Goto(s.URL + studyLink + "&lang=en")
	p.Wait(ready)
	click(p, "#solve")
	waitVerdict(p, "mate")
	wantText(t, p, verdictShown, "Mate in 3|Futile interpositions are not counted. Counting every move, it is 5.")
	wantText(t, p, text("#futile"), "ply 2: P*3c is futile (the same play goes on): ")
	// Every move on the page is in one notation.
	click(p, "#examine")
	p.Wait(visible("#moves-box"))
	click(p, "#analyze")
	p.Wait(reported)
	wantText(t, p, text("#moves"), "R-4c+")
	if usi := browsertest.Eval[[]string](p, `document.querySelector(".desk").textContent.match(/\b[1-9][a-i][1-9][a-i]\b/g) ?? []`); len(usi) > 0 {
		t.Errorf("moves in USI: %q", usi)
	}
	// With the position leaves all that was found out about it, also from links and files.
	wantText(t, p, element("#link")+".value", "&plies=3")
	p.Do(`document.querySelector('a[data-sfen^="4k4"]').click()`)
	left := browsertest.Eval[[]string](p, `["futile", "facts", "keys", "save", "moves-box", "report", "analyze-more"].filter((id) => document.getElementById(id).checkVisibility())`)
	if len(left) > 0 {
		t.Errorf("of the problem before the page shows %q", left)
	}
	for _, script := range []string{element("#link") + ".value", `board.getAttribute("share")`, text("#call"), text("#snippet-tag"), text("#analyze-note")} {
		if got := browsertest.Eval[string](p, script); strings.Contains(got, "plies=") || strings.Contains(got, "7R1") || strings.Contains(got, "Done") {
			t.Errorf("%s is still %q", script, got)
		}
	}
	wantText(t, p, verdictShown, "Mate in ?|Not solved yet.")
}

// TestAnalysisStop: what is found out is shown while it is looked for, and the reader can end that,
// all by keyboard.
func TestAnalysisStop(t *testing.T) {
	s := serveAnalyses(t)
	p := s.open(t, problemPath(longProblem, "en"), browsertest.Screen{})
	p.Do(element("#analyze") + ".focus()")
	p.Keys("Enter")
	p.Wait(`document.activeElement.id === "analyze-stop"`)
	wantText(t, p, element("#analyze-note")+".role ?? "+element("#analyze-note")+`.getAttribute("role")`, "status")
	p.Wait(`document.querySelectorAll("#report table").length > 0`)
	wantText(t, p, text("#report .verdict"), "Looking…")
	wantText(t, p, texts("#report .rules li")+`.join("|")`, "?not decided: cook")
	p.Keys("Enter")
	p.Wait(`document.activeElement.id === "analyze"`)
	wantText(t, p, text("#analyze-note"), "Stopped.")
	wantText(t, p, text("#report .verdict"), "Not finished")
	// Another position has another report.
	p.Do(`document.querySelector('a[data-sfen^="4k4"]').click()`)
	if browsertest.Eval[bool](p, visible("#report")) {
		t.Error("the report on another problem is left")
	}
}

// TestAnalysisLooks is TestLooks for reports. That of a sound problem has what that of a cooked one
// has, and that of one without a mate has only the answer.
func TestAnalysisLooks(t *testing.T) {
	s := serveWithAnalyses(t, Config{Jobs: newJobAPI().jobs})
	for _, lang := range []string{"ja", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			l := looker{t: t, lang: lang, axe: axeScreens[lang]}
			p := s.open(t, problemPath(longProblem, lang), desktop)
			l.p = p
			look := func(state string) {
				t.Helper()
				l.look("analysis-"+state, true, "tsume-board") // which TestLooks looks at
			}
			next := func(sfen string) {
				t.Helper()
				paste(p, sfen)
				p.Wait(fmt.Sprintf("board.position === %q", sfen))
			}
			if lang == "ja" { // which takes two threads as long as it lasts
				click(p, "#analyze")
				p.Wait(`document.querySelectorAll("#report table").length > 0`)
				look("live")
				next(noProblem)
				click(p, "#analyze")
				p.Wait(`document.querySelector("#analyze-stop").hidden && document.querySelector("#report [data-sound=nomate] .small")`)
				wantText(t, p, verdictShown, "不詰|")
			}
			next(cookedProblem)
			click(p, "#analyze")
			p.Wait(reported)
			look("cooked")
			if folder := os.Getenv("BROWSER_SHOTS"); folder != "" {
				p.Show(browsertest.Screen{Width: 768, Height: 1024, Print: true})
				keep(t, p, folder, "analysis-print-"+lang, true)
				p.Show(desktop)
			}
			// With little to spend, something is left open.
			next(openProblem)
			p.Do(`const ask = window.fetch; window.fetch = (path, init) => ask(path, path !== "/v1/analyze/events" ? init :
				{ ...init, body: JSON.stringify({ ...JSON.parse(init.body), limits: { nodes: 50000, question_nodes: 100 } }) })`)
			click(p, "#analyze")
			p.Wait(`document.querySelector("#report [data-sound=unknown]")`)
			if !browsertest.Eval[bool](p, visible("#analyze-more")) {
				t.Error("nothing offers to look further")
			}
			look("unknown")
		})
	}
}

// TestAuthorsLine: the moves of a record are the author's line, and the report says how it compares.
func TestAuthorsLine(t *testing.T) {
	s := serveWithAnalyses(t, Config{Jobs: newJobAPI().jobs})
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	record := notation.NewRecord(shogi.MustParseSFEN(cookedProblem), nil, "")
	paste(p, string(record.AppendKIF(nil))+"\n   1 ２三飛打\n   2 ３二玉(21)\n   3 ２二角成(33)\n   4 ４一玉(32)\n   5 ４三飛成(23)\n"+
		"   6 ５一玉(41)\n   7 ５二飛打\n   8 ６一玉(51)\n   9 ４一龍(43)\n")
	p.Wait(fmt.Sprintf("board.position === %q", cookedProblem))
	click(p, "#analyze")
	p.Wait(reported)
	wantText(t, p, text("#report .verdict"), "早詰：作意9手、実際は7手")
	// What mends the problem keeps that line.
	wantText(t, p, element("#report .mend a")+`.getAttribute("href")`, "/compose?lang=ja&method=repair&sfen="+
		"5%2BP1k1/9/5%2BrB2/9/9/9/9/9/9_b_RPb4g4s4n4l16p&moves=R*2c_2a3b_3c2b%2B_3b4a_2c4c%2B_4a5a_R*5b_5a6a_4c4a#start")
	// A sound problem does not pass with a line that is none.
	record = notation.NewRecord(shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"), nil, "")
	paste(p, string(record.AppendKIF(nil))+"\n   1 ４二金打\n")
	p.Wait(`board.position.startsWith("4k4/9/4G4")`)
	click(p, "#analyze")
	p.Wait(reported)
	wantText(t, p, text("#report .big"), "完全、作意に誤り")
	// Another position has no author.
	p.Do(`document.querySelector('a[data-sfen^="4k4"]').click()`)
	click(p, "#analyze")
	p.Wait(reported)
	if said := browsertest.Eval[string](p, text("#report-text")); strings.Contains(said, "作意は") {
		t.Errorf("an author's line out of nowhere: %q", said)
	}
	if browsertest.Eval[bool](p, `!!`+element("#report .mend")) {
		t.Error("a sound problem is to be mended")
	}
}

const known = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"

// knownProblem is all that a service knows.
func knownProblem(t *testing.T) []httpapi.KnownProblems {
	t.Helper()
	var list collection.List
	if err := list.Know(known, &collection.Problem{Position: shogi.MustParseSFEN(known), Attacker: shogi.Black}); err != nil {
		t.Fatal(err)
	}
	var drills collection.List
	if err := drills.Know("12", &collection.Problem{Position: shogi.MustParseSFEN(known), Attacker: shogi.Black}); err != nil {
		t.Fatal(err)
	}
	return []httpapi.KnownProblems{{Name: "daily", List: func() *collection.List { return &list }},
		{Name: "drills", List: func() *collection.List { return &drills }}}
}

// TestSimilarProblems: the report says which of the known problems one is like, or that none is.
func TestSimilarProblems(t *testing.T) {
	s := serveWith(t, Config{MaxTime: 10 * time.Second, Analyses: true}, httpapi.Config{
		MaxTime: 10 * time.Second, MaxAnalyses: 1, MaxAnalysisTime: time.Minute,
		Sessions: func() solver.Session { return dfpn.NewSession() },
		Known:    knownProblem(t),
	})
	p := s.open(t, studyLink+"&lang=en", browsertest.Screen{})
	for _, c := range []struct{ sfen, want string }{
		{"3k5/9/3P5/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "a problem of the day elsewhere on the board"},
		{cookedProblem, "None among the 2 problems that this service knows."},
	} {
		paste(p, c.sfen)
		p.Wait(fmt.Sprintf("board.position === %q", c.sfen))
		click(p, "#analyze")
		p.Wait(reported)
		p.Wait(fmt.Sprintf(`%s.includes(%q)`, text("#report"), c.want))
	}
	paste(p, known)
	p.Wait(fmt.Sprintf("board.position === %q", known))
	click(p, "#analyze")
	p.Wait(reported)
	p.Wait(`document.querySelector("#report .similar a")`)
	wantText(t, p, text("#report .similar"), "the same as a problem of the day")
	wantText(t, p, element("#report .similar a")+`.getAttribute("href")`, "/p?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p&lang=en")
	wantText(t, p, text("#report .similar li + li"), "the same as drill no. 12")
	wantText(t, p, element("#report .similar li + li a")+`.getAttribute("href")`, "/train?lang=en#no-12")
}
