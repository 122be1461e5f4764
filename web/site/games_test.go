package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/games"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// badGame is a game between 甲 and 乙: a threat, which White does not see, and which Black does not
// carry out.
func badGame(t *testing.T) string {
	t.Helper()
	game, err := shogi.ParsePosition("position sfen 4k4/9/9/4G4/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1 moves 5d5c P*9e 5i4i")
	if err != nil {
		t.Fatal(err)
	}
	record := notation.NewRecord(game.Start(), game.Moves(), notation.Resigns)
	record.Header = []notation.Field{{Key: "先手", Value: "甲"}, {Key: "後手", Value: "乙"}}
	return string(record.AppendKIF(nil))
}

// realGame is a game with a mate that was walked into, and was not seen.
func realGame(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../shogi/notation/testdata/witness/game1.ours.kif")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGamesOffered: nothing leads to the page of games where nobody judges any, and the page says so.
func TestGamesOffered(t *testing.T) {
	for name, test := range map[string]struct {
		config Config
		want   bool
	}{
		"nobody":      {Config{}, false},
		"the service": {Config{Analyses: true}, true},
		"the browser": {Config{Engine: []string{"/engine.js"}}, true},
	} {
		test.config.MaxTime, test.config.Now = 10*time.Second, noon
		h := newSiteOf(t, test.config)
		for _, path := range []string{"/?lang=ja", shortLink + "&lang=ja"} {
			if got := strings.Contains(get(h, path).Body.String(), `href="/games?lang=ja"`); got != test.want {
				t.Errorf("%s: a link at %s: %t", name, path, got)
			}
		}
		body := get(h, "/games?lang=ja").Body.String()
		if got := strings.Contains(body, `id="form"`); got != test.want ||
			got == strings.Contains(body, "このサーバーでは棋譜を調べられません") {
			t.Errorf("%s: the page has a form: %t", name, got)
		}
	}
}

// openGames opens the page of games.
func (s *service) openGames(t *testing.T, lang string, screen browsertest.Screen) *browsertest.Page {
	t.Helper()
	screen.Still = true
	p := browsertest.Open(t, screen)
	p.Goto(s.URL + "/games?lang=" + lang)
	p.Wait(readable)
	return p
}

// aMark is the script for the button of a mark in the list, by the number of the move.
func aMark(list string, ply int) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#%s button")].find((b) => b.textContent.startsWith("%d "))`, list, ply)
}

// TestGames: a game is pasted, and the page says who missed what. A mark shows the mate that was
// there, which the reader replays and then plays. The moves are asked about without the names.
func TestGames(t *testing.T) {
	s := serveAnalyses(t)
	p := s.openGames(t, "ja", browsertest.Screen{Width: 390, Height: 844, Touch: true})
	p.Do(`window.bodies = []; const real = fetch; window.fetch = (url, o) => { bodies.push(url + " " + o?.body); return real(url, o) }`)
	paste(p, badGame(t))
	p.Wait(visible("#found"))
	wantText(t, p, text("#players"), "☗甲　対　☖乙")
	wantText(t, p, texts("#tally tr")+`.join("|")`, "☗甲☖乙|■頓死01|▼詰めろ見落とし01|◆詰み逃し10")
	wantText(t, p, texts("#strip i")+`.join("|")`, "△|■|◆")
	wantText(t, p, text("#state"), "未確認")
	if asked := browsertest.Eval[[]string](p, `bodies.filter((b) => b.startsWith("/v1/games"))`); len(asked) != 1 ||
		strings.ContainsAny(asked[0], "甲乙") || !strings.Contains(asked[0], "5d5c P*9e 5i4i") {
		t.Errorf("it asked %q", asked)
	}
	const missed = "4k4/9/4G4/9/p8/9/9/9/4K4 b G2r2b2g4s4n4l17p 1"
	p.Tap(aMark("mistakes", 3))
	p.Wait(fmt.Sprintf("board.position === %q && %s", missed, visible("#line-modes")))
	wantText(t, p, text("#caption"), "3手目 ▲４九玉　1手詰を逃した：▲５二金打")
	p.Keys("ArrowRight")
	p.Wait(`board.played.join() === "G*5b"`)
	click(p, "#mate")
	p.Wait(fmt.Sprintf(`board.mode === "solve" && board.position === %q`, missed))
	if got := browsertest.Eval[string](p, `board.play("G*5b")`); got != "solved" {
		t.Errorf("the mate is %s", got)
	}
	click(p, "#line-modes [data-mode=view]")
	click(p, "#back")
	p.Wait(`board.played.length === 3 && !` + visible("#line-modes"))
	// By the keyboard alone: back through the moves, to a mark, and to its line.
	p.Do(element("#strip") + ".focus()")
	p.Keys("ArrowLeft")
	p.Wait(`board.played.join() === "5d5c,P*9e" && document.activeElement.getAttribute("aria-valuenow") === "2"`)
	wantText(t, p, element("#strip")+`.getAttribute("aria-valuetext")`, "2手目 △９五歩")
	p.Keys("PageUp")
	p.Wait(`board.played.length === 0 && ` + element("#strip") + `.ariaValueNow === "1"`)
	wantText(t, p, text("#caption"), "詰めろ。手抜きなら1手詰")
	p.Keys("Tab", "Tab", "Enter") // the next mark
	p.Wait(element("#strip") + `.ariaValueNow === "2"`)
	wantText(t, p, element("#study")+".href", "/study?sfen=4k4/9/4G4/9/p8/9/9/9/4K4_b_G2r2b2g4s4n4l17p")
	clean(t, p)
}

// TestGamesOfAFile: of several games each is judged when it is chosen, and one that is known is not
// asked about again.
func TestGamesOfAFile(t *testing.T) {
	s := serveAnalyses(t)
	p := s.openGames(t, "en", desktop)
	const csa = "V2.2\nN+Alpha\nN-Beta\nPI\n+\n+7776FU\n%TORYO\n/\nV2.2\nN+Gamma\nN-Delta\nPI\n+\n+2726FU\n-8384FU\n%TORYO\n"
	give(t, p, "two.csa", []byte(csa), true)
	p.Wait(visible("#found"))
	wantText(t, p, text("#players"), "☗Alpha – ☖Beta")
	for _, n := range []int{1, 0, 1} {
		p.Do(fmt.Sprintf(`const menu = document.querySelector("#record"); menu.value = %d; menu.dispatchEvent(new Event("change"))`, n))
		p.Wait(fmt.Sprintf(`document.querySelectorAll("#strip i").length === %d && %s`, n+1, visible("#found")))
	}
	wantText(t, p, text("#players"), "☗Gamma – ☖Delta")
	if n := s.count("/v1/games"); n != 2 {
		t.Errorf("it asked %d times", n)
	}
	clean(t, p)
}

// An endlessSession searches until its context ends, and says so.
type endlessSession struct {
	solver.Session
	ended chan<- struct{}
}

func (s endlessSession) Decide(ctx context.Context, _ solver.Question) solver.Decision {
	<-ctx.Done()
	select {
	case s.ended <- struct{}{}:
	default:
	}
	return solver.Decision{Reason: solver.StopReason(ctx)}
}

// TestGamesStop: the stop button ends the search of the service, and so does another game.
func TestGamesStop(t *testing.T) {
	ended := make(chan struct{}, 1)
	s := serveWith(t, Config{MaxTime: 10 * time.Second, Analyses: true}, httpapi.Config{
		MaxTime: 10 * time.Second, MaxAnalyses: 1, MaxAnalysisTime: longest, DefaultAnalysisTime: longest,
		Sessions: func() solver.Session { return endlessSession{dfpn.NewSession(), ended} },
	})
	p := s.openGames(t, "ja", desktop)
	for _, leave := range []string{"#stop", "#go"} {
		paste(p, badGame(t))
		p.Wait(visible("#stop") + " && " + visible("#judging"))
		wantText(t, p, text("#players"), "☗甲　対　☖乙")
		(&looker{t: t, p: p, lang: "ja"}).look("games-judging", true)
		p.Show(desktop)
		click(p, leave)
		<-ended
	}
	p.Wait(visible("#stop"))
	click(p, "#stop")
	p.Wait("!" + visible("#stop") + " && !" + visible("#judging"))
	wantText(t, p, text("#state"), "止めました")
	<-ended
	clean(t, p)
}

// TestGamesFaults: what cannot be judged is told of in words, where the reader looks.
func TestGamesFaults(t *testing.T) {
	s := serveAnalyses(t)
	p := s.openGames(t, "ja", desktop)
	long := "startpos moves" + strings.Repeat(" 5i5h 5a5b 5h5i 5b5a", games.MaxMoves/4) + " 5i5h"
	for _, c := range []struct{ what, record, where, want string }{
		{"none", "今日はよい天気です。", "#text-fault", ""},
		{"too large", strings.Repeat("*", 1<<20+1), "#text-fault", "大きすぎます（1 MB まで）"},
		{"too long", long, "#fault", "2001手の棋譜です（2000手まで）"},
	} {
		paste(p, c.record)
		p.Wait(visible(c.where))
		wantText(t, p, text(c.where), c.want)
	}
	// A record with a move that cannot be played is judged up to it, and says so.
	paste(p, strings.Replace(badGame(t), "５三金", "５八金", 1))
	p.Wait(visible("#found"))
	wantText(t, p, text("#notes"), "読めません")
	_ = p.Errors() // of the browser, about the statuses
	answers := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/games" {
			answers.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		problem := wire.NewProblem(wire.Overloaded, shogi.NewText("", "Busy.", "混んでいます。"))
		w.WriteHeader(problem.Status)
		_ = json.NewEncoder(w).Encode(problem)
	})
	paste(p, badGame(t))
	p.Wait(visible("#fault"))
	wantText(t, p, text("#fault"), "混んでいます。")
	p.Do(`window.fetch = () => Promise.reject(new TypeError("offline"))`)
	paste(p, badGame(t))
	p.Wait(visible("#text-fault"))
	wantText(t, p, text("#text-fault"), "サーバーに接続できません。")
	_ = p.Errors()
	clean(t, p)
}

// TestGamesWithoutBoard: where the script of the board does not come, a picture shows the position of a
// mark.
func TestGamesWithoutBoard(t *testing.T) {
	s := serveAnalyses(t)
	whole := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/embed.js" {
			http.NotFound(w, r)
			return
		}
		whole.ServeHTTP(w, r)
	})
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(s.URL + "/games?lang=ja")
	p.Wait(`document.readyState === "complete"`)
	paste(p, badGame(t))
	p.Wait(visible("#found"))
	p.Click(aMark("mistakes", 3))
	p.Wait(element("#board img") + `.src.includes("4k4/9/4G4/9/p8/9/9/9/4K4_b_G2r2b2g4s4n4l17p")`)
	for _, e := range p.Errors() { // of the browser, about the 404
		if !strings.Contains(e, "404") && !strings.Contains(e, "MIME") {
			t.Error(e)
		}
	}
	clean(t, p)
}

// TestGamesLooks looks at the page in each of its states.
func TestGamesLooks(t *testing.T) {
	s := serveAnalyses(t)
	for _, lang := range []string{"ja", "en"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			p := s.openGames(t, lang, desktop)
			l := looker{t: t, p: p, lang: lang, axe: axeScreens[lang], panes: slices.Concat(panes, []pane{
				{"1920x1080", browsertest.Screen{Width: 1920, Height: 1080, Dark: true, Still: true}}})}
			l.look("games-fresh", true)
			paste(p, realGame(t))
			p.Wait(visible("#found"))
			p.Do(element("#more") + ".open = true")
			l.look("games", true, "tsume-board")
			p.Click(aMark("mistakes", 80))
			p.Keys("ArrowRight")
			l.look("games-line", false)
			click(p, "#mate")
			p.Wait(`board.mode === "solve"`)
			l.look("games-solve", false)
			clean(t, p)
		})
	}
}
