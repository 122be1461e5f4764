package board_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// headGold is a mate in 1 by G*5b, whose attacker has no king.
const headGold = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"

type over struct {
	Outcome, Winner string
	Moves           []string
}

// In a game any move will do. A level replies, which is told as an opinion, and the end has a
// reason.
func TestGame(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, `mode="play" level="club" sfen="`+headGold+`"`)
	if got := status(p); got != "あなたは先手です。相手の手はコンピュータの判断で、証明ではありません。" {
		t.Errorf("the board says %q", got)
	}
	for _, words := range []string{"ヒント", "答えを見る"} {
		if browsertest.Eval[bool](p, "!!"+button(words)) {
			t.Errorf("a game has the button %s", words)
		}
	}
	p.Drag(hand(0, gold), square("9i")) // no check
	waitState(p, "play", 2)
	type move struct {
		Move, By string
		Score    json.RawMessage
	}
	if got := events[move](p, "move"); len(got) != 2 || got[0].By != "reader" || got[0].Score != nil ||
		got[1].By != "level" || !strings.Contains(string(got[1].Score), `"cp":`) {
		t.Errorf("tsume-move: %+v", got)
	}
	if got := events[any](p, "wrong"); len(got) > 0 {
		t.Errorf("tsume-wrong: %v", got)
	}
	if got := status(p); !strings.HasPrefix(got, "▲９九金　△") {
		t.Errorf("the board says %q", got)
	}
	p.Wait(in(".live") + `.textContent.includes("先手の９九金。後手の")`)
	p.Accessible()
	if browsertest.Eval[int](p, "Promise.all([b.hint(), b.showAnswer()]).then(([n, ok]) => n + ok)") != 0 {
		t.Error("a hint, or an answer")
	}
	p.Click(button("待った"))
	waitState(p, "play", 0)

	p.Do("b.focus()")
	p.Keys("5") // on the board, goes to the field
	p.Type("２金")
	p.Keys("Enter")
	waitState(p, "over", 1)
	p.Wait(in("p") + `.innerText === "詰み。あなたの勝ちです。"`)
	p.Wait(in(".live") + `.textContent.includes("詰み。あなたの勝ちです。")`)
	if got := events[over](p, "over"); len(got) != 1 || got[0].Outcome != "mate" || got[0].Winner != "black" ||
		!slices.Equal(got[0].Moves, []string{"G*5b"}) {
		t.Errorf("tsume-over: %+v", got)
	}
	p.Accessible()
	p.Click(button("一手戻る")) // the line can be replayed
	waitState(p, "over", 0)
	p.Click(button("待った"))
	waitState(p, "play", 0)
	p.Do(`b.play("G*5b")`)
	waitState(p, "over", 1)
	p.Click(button("はじめから"))
	waitState(p, "play", 0)

	// The problem is to be solved as ever.
	p.Do(`b.mode = "solve"`)
	p.Wait("!!" + button("ヒント"))
	p.Drag(hand(0, gold), square("9i"))
	p.Wait(`events.at(-1)[0] === "wrong"`)
	if got := status(p); got != "▲９九金は王手ではありません。" {
		t.Errorf("the board says %q", got)
	}
}

// The ends of games, for each side, with the moves before them.
func TestGameEnds(t *testing.T) {
	const kings = `sfen="5k3/9/9/9/9/9/9/9/2K6 w - 1"`
	around := strings.Repeat("4a3a 7i8i 3a4a 8i7i ", 2) + "4a3a 7i8i 3a4a"
	p := serve(t).open(t, browsertest.Screen{}, "")
	for name, c := range map[string]struct {
		attributes, move, says, outcome, winner string
		plies                                   int
	}{
		"the level mates": {`side="black" sfen="4k4/9/9/9/9/9/4p4/9/4K4 w g 1"`, "",
			"Mate: you lose.", "mate", "white", 1},
		"mated already": {`sfen="4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"`, "", "Mate: you lose.", "mate",
			"black", 0},
		"no move": {`sfen="8k/9/8G/9/9/9/9/9/K6L1 w - 1"`, "", "No move: you lose.", "nomove", "black", 0},
		"repetition": {kings + ` moves="` + around + `"`, "8i7i", "Repetition: a draw.", "repetition", "",
			12},
		"perpetual check": {`sfen="5k3/9/9/9/9/9/9/9/K3R4 b - 1" moves="` +
			strings.Repeat("5i4i 4a5a 4i5i 5a4a ", 2) + `5i4i 4a5a 4i5i 5a4a"`, "5i4i",
			"Perpetual check: you lose.", "perpetual", "white", 13},
	} {
		replace(p, `lang="en" mode="play" level="full" `+c.attributes)
		if c.move != "" {
			p.Do(`b.play("` + c.move + `")`)
		}
		waitState(p, "over", c.plies)
		p.Wait(fmt.Sprintf(`%s.innerText === %q`, in("p"), c.says))
		p.Wait("events.length > 0")
		if got := events[over](p, "over"); len(got) != 1 || got[0].Outcome != c.outcome || got[0].Winner != c.winner {
			t.Errorf("%s: tsume-over: %+v", name, got)
		}
	}
}

// A game goes on after the moves before it, which can be taken back too, and against another level
// when the page wants it.
func TestGameGoesOn(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, `mode="play" level="dan" sfen="startpos" moves="7g7f"`)
	if got := status(p); !strings.HasPrefix(got, "読めません") {
		t.Errorf("the board says %q", got)
	}
	replace(p, `mode="play" level="dan" sfen="lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1" moves="7g7f 3c3d"`)
	waitState(p, "play", 2)
	p.Do(`b.play("2g2f")`)
	waitState(p, "stopped", 3)
	if got := status(p); got != "調べられない局面です。" {
		t.Errorf("the board says %q", got)
	}
	_ = p.Errors() // of the browser, about the 422
	p.Do(`b.level = "random"`)
	p.Click(button("再試行"))
	waitState(p, "play", 4)
	for _, plies := range []int{2, 0} {
		p.Click(button("待った"))
		waitState(p, "play", plies)
	}
	if asked := s.asked.Load(); asked != 2 {
		t.Errorf("%d questions, want 2", asked)
	}
}
