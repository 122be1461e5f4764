package site

import (
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// servePlay starts a service that plays.
func servePlay(t *testing.T) *service {
	t.Helper()
	var offered []Level
	for _, l := range levels.Opponents() {
		offered = append(offered, Level{l.Name, l.Ja, l.En})
	}
	return serveWith(t, Config{MaxTime: 10 * time.Second, Levels: offered}, httpapi.Config{
		MaxTime: 10 * time.Second, Levels: levels.Names(),
		NewEngine: func(level string, seed uint64) (play.Engine, error) {
			return levels.New(level, levels.Options{Seed: seed, TableBytes: 1 << 20})
		},
	})
}

// onBoardSays is the script for what the board says.
const onBoardSays = `board.shadowRoot.querySelector("p").innerText`

// TestPlayOn: from a position of the solution a reader plays on against a level, with the keyboard,
// changes sides and the level, and goes back to the problem, which is as it was.
func TestPlayOn(t *testing.T) {
	s := servePlay(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{Width: 1440, Height: 900})
	if browsertest.Eval[bool](p, visible("#opponent")) {
		t.Error("an opponent, though nobody plays")
	}
	click(p, "#solve")
	waitVerdict(p, "mate")
	p.Keys("ArrowRight", "ArrowRight")
	p.Wait(`board.played.length === 2`)
	p.Do(element(`[data-mode="play"]`) + `.focus()`)
	p.Keys("Enter")
	p.Wait(`board.state === "play" && board.played.length === 2 && board.mode === "play"`)
	wantText(t, p, onBoardSays, "あなたは先手です。相手の手はコンピュータの判断で、証明ではありません。")
	wantText(t, p, element("#level")+".value", "beginner")
	choose := func(level string) {
		p.Do(element("#level") + `.value = "` + level + `"; ` + element("#level") +
			`.dispatchEvent(new Event("change"))`)
		wantText(t, p, "board.level", level)
	}
	choose("full") // who always has an opinion
	wantText(t, p, element("#side")+".value", "black")
	p.Keys("ArrowRight") // the line would end the game
	p.Do("board.focus()")
	p.Keys("9") // to the field
	p.Type("9飛")
	p.Do(`board.play("2a9a")`) // no check
	p.Wait(`board.state === "play" && board.played.length === 4`)
	wantText(t, p, text("#opinion"), "相手の判断：")
	if n := s.count("/v1/play"); n != 1 {
		t.Errorf("%d questions", n)
	}

	choose("novice")
	p.Do(element("#side") + `.value = "white"; ` + element("#side") + `.dispatchEvent(new Event("change"))`)
	p.Wait(`board.state === "play" && board.played.length === 5`) // the level moved
	if n := s.count("/v1/play"); n != 2 {
		t.Errorf("%d questions", n)
	}
	p.Do("board.takeBack()") // nothing of the reader's

	click(p, `[data-mode="view"]`)
	p.Wait(`board.mode === "view" && ` + element("#opponent") + `.hidden`)
	wantText(t, p, moveButtons+`.length + "手"`, "5手")
	if browsertest.Eval[bool](p, `board.hasAttribute("level") || board.hasAttribute("side")`) {
		t.Error("the board has the attributes of a game")
	}
	waitVerdict(p, "mate")
	click(p, `[data-mode="solve"]`)
	p.Wait(`board.mode === "solve" && board.played.length === 0`)
	p.Do(`board.play("2a9a")`)
	wantText(t, p, onBoardSays, "王手ではありません。")
}

// TestPlayOnFromAnywhere: a problem that is solved begins anew, in edit mode the game begins with
// what was set up, and another problem is another game.
func TestPlayOnFromAnywhere(t *testing.T) {
	s := servePlay(t)
	p := s.open(t, "/study?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p&lang=en", browsertest.Screen{Width: 1440, Height: 900})
	p.Do(`board.play("G*5b")`)
	p.Wait(`board.state === "solved"`)
	click(p, `[data-mode="play"]`)
	p.Wait(`board.state === "play" && board.played.length === 0`)
	p.Do(`board.play("G*5b")`)
	p.Wait(`board.state === "over"`)
	p.Wait(onBoardSays + `.includes("Mate: you win.")`)

	edit(p)
	p.Click(button("Change side"))
	click(p, `[data-mode="play"]`)
	p.Wait(`board.state === "play" && board.mode === "play"`)
	wantText(t, p, onBoardSays, "You are White.")
	wantText(t, p, element("#side")+".value", "white")

	paste(p, "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1")
	p.Wait(`board.sfen.startsWith("7nk") && board.state === "play"`)
	wantText(t, p, onBoardSays, "You are Black.")
	wantText(t, p, text("#opinion")+` + "|"`, "|")
	p.Do(`window.fetch = () => Promise.reject(new TypeError("offline")); board.play("2c3c")`)
	p.Wait(`board.state === "stopped"`)
	wantText(t, p, onBoardSays, "The server cannot be reached.")
}

// TestPlayLooks is TestLooks for a game.
func TestPlayLooks(t *testing.T) {
	s := servePlay(t)
	p := s.open(t, studyLink+"&lang=ja", desktop)
	for _, lang := range []string{"ja", "en"} {
		l := looker{t: t, p: p, lang: lang, axe: axeScreens[lang]}
		if lang == "en" {
			p.Goto(s.URL + studyLink + "&lang=en")
			p.Wait(ready)
		}
		click(p, `[data-mode="play"]`)
		p.Wait(`board.state === "play" && board.mode === "play"`)
		p.Do(`board.play("4e4i")`)
		p.Wait(`board.state === "play" && board.played.length === 2`)
		l.look("game-4e4i", true)
		p.Do(`board.setAttribute("sfen", "4k4/9/4P4/9/9/9/9/9/9 b G 1"); board.play("G*5b")`)
		p.Wait(`board.state === "over"`)
		l.look("game-over", false)
	}
}
