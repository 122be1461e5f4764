package board_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// With the mouse and with a finger, by dragging pieces and by two clicks: all four ways solve the
// problem.
func TestSolveByPointer(t *testing.T) {
	mouse, phone := browsertest.Screen{}, browsertest.Screen{Width: 320, Height: 800, Touch: true}
	twice := func(press func(*browsertest.Page, string)) func(p *browsertest.Page, from, to string) {
		return func(p *browsertest.Page, from, to string) {
			press(p, from)
			press(p, to)
		}
	}
	for name, way := range map[string]struct {
		screen browsertest.Screen
		move   func(p *browsertest.Page, from, to string)
		press  func(p *browsertest.Page, element string)
	}{
		"drag":  {mouse, (*browsertest.Page).Drag, (*browsertest.Page).Click},
		"click": {mouse, twice((*browsertest.Page).Click), (*browsertest.Page).Click},
		"swipe": {phone, (*browsertest.Page).Swipe, (*browsertest.Page).Tap},
		"tap":   {phone, twice((*browsertest.Page).Tap), (*browsertest.Page).Tap},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t).open(t, way.screen, solve)
			way.move(p, hand(0, rook), square("1a"))
			waitState(p, "play", 2)
			way.press(p, square("2b"))
			if n := browsertest.Eval[int](p, `b.shadowRoot.querySelectorAll(".target").length`); n != 1 {
				t.Errorf("the lance can go to %d squares, expected 1", n)
			}
			way.press(p, square("2b")) // put down again
			way.move(p, square("2b"), square("2a"))
			waitState(p, "play", 4)
			// A tap right after a swipe, too.
			way.press(p, square("2d"))
			way.press(p, square("2b"))
			p.Wait(in("dialog"))
			way.press(p, in("dialog button"))
			checkSolved(t, p)
		})
	}
}

// With the keyboard: by going over the squares, and by typing.
func TestSolveByKeyboard(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, solve)
	p.Keys("Tab") // the one stop of the grid
	if got := focused(p); got != "５五、空き" {
		t.Fatalf("the first stop is %q", got)
	}
	p.Keys("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
	for range 3 {
		if strings.Contains(focused(p), "飛") {
			break
		}
		p.Keys("ArrowLeft")
	}
	p.Keys("Home", "ArrowRight")
	if got := focused(p); got != "攻方の持駒、飛 1" {
		t.Fatalf("in the attacker's hand: %q", got)
	}
	p.Keys("Enter")
	p.Wait(in(".live") + `.textContent.includes("選択：攻方の持駒、飛")`)
	p.Keys("ArrowUp", "End", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp")
	if got := focused(p); got != "１一、空き, 行ける" {
		t.Fatalf("where the rook is to be dropped: %q", got)
	}
	p.Keys("Enter")
	waitState(p, "play", 2)
	if got := focused(p); got != "１一、玉方の玉" {
		t.Errorf("after the move, the focus is on %q", got)
	}
	p.Wait(in(".live") + `.textContent.includes("同玉")`)

	p.Keys("2") // on the board, goes to the field
	if got := browsertest.Eval[string](p, "b.shadowRoot.activeElement.tagName + b.shadowRoot.activeElement.value"); got != "INPUT2" {
		t.Fatalf("what is typed on the board goes to %s", got)
	}
	p.Type("一香成")
	p.Keys("Enter")
	waitState(p, "play", 4)

	p.Type("２二飛")
	p.Keys("Enter")
	p.Wait(in("dialog"))
	if got := focused(p); got != "成る" {
		t.Errorf("the dialog begins at %q", got)
	}
	p.Keys("Escape")
	p.Wait("!" + in("dialog"))
	waitState(p, "play", 4)
	if got := browsertest.Eval[string](p, "b.shadowRoot.activeElement.tagName"); got != "INPUT" {
		t.Errorf("after the dialog, the focus is on %s", got)
	}
	p.Type("22飛成")
	p.Keys("Enter")
	checkSolved(t, p)
}

// What is said of a reply tells how it escapes.
func TestWaysToEscape(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, stay)
	for _, c := range []struct{ sfen, move, reply, want string }{
		{"4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "G*4b", "5a6a", "４二金は、６一玉と逃げられて詰みません。"},
		{"4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1", "G*5b", "5a5b", "５二金は、同玉と取られて詰みません。"},
		{"4k4/9/9/9/9/9/9/9/9 b R2b4g4s4n4lr18p 1", "R*5i", "P*5b", "５九飛は、５二歩と合駒されて詰みません。"},
		{"4k4/3r5/9/9/9/9/9/9/9 b R2b4g4s4n4l18p 1", "R*5i", "6b5b", "５九飛は、５二飛と移動合されて詰みません。"},
	} {
		p.Do(fmt.Sprintf(`const asked = fetch;
			b.fetcher = async (url, init) => /moves/.test(url)
				? Response.json({ verdict: "nomate", moves: [{ move: %q }] }) : asked(url, init);
			b.sfen = %q;
			await b.play(%q)`, c.reply, c.sfen, c.move))
		waitState(p, "wrong", 2)
		if got := status(p); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, %s: the board says %q, want %q", c.move, c.reply, got, c.want)
		}
	}
}

func TestWrongMove(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, stay)
	type wrong struct{ Move, Reason, Refutation, Text, SFEN string }

	p.Drag(square("2d"), square("2e")) // no check
	p.Wait(`events.length === 1`)
	if got := events[wrong](p, "wrong"); got[0].Move != "2d2e" || got[0].Reason != "no-check" {
		t.Errorf("tsume-wrong: %+v", got)
	}
	if got := status(p); got != "▲２五飛は王手ではありません。" {
		t.Errorf("the board says %q", got)
	}
	if got := played(p); len(got) != 0 {
		t.Errorf("what is no check was played: %v", got)
	}

	p.Drag(hand(0, rook), square("1c")) // the king takes it
	waitState(p, "wrong", 2)
	if got := events[wrong](p, "wrong"); len(got) != 2 || got[1].Move != "R*1c" || got[1].Reason != "refuted" || got[1].Refutation != "1b1c" {
		t.Errorf("tsume-wrong: %+v", got)
	}
	if got := status(p); got != "１三飛は、同玉と取られて詰みません。 盤に触れると指し直せます。" {
		t.Errorf("the board says %q", got)
	}
	if !browsertest.Eval[bool](p, "!!"+in(".arrow.bad")) {
		t.Error("no arrow shows the refutation")
	}
	p.Accessible()
	p.Click(button("待った"))
	waitState(p, "play", 0)
	if got := browsertest.Eval[string](p, "b.position"); got != problem {
		t.Errorf("taken back, the position is %s", got)
	}

	// With the keyboard alone, in the same way.
	p.Do("b.focus()")
	p.Keys("1")
	p.Type("三飛打")
	p.Keys("Enter")
	waitState(p, "wrong", 2)
	// There is nothing to type now, so the focus is on the board.
	if browsertest.Eval[bool](p, in("form")+".checkVisibility()") || !browsertest.Eval[bool](p, `b.shadowRoot.activeElement.matches("[role=gridcell]")`) {
		t.Error("a move can be typed while a wrong one is on the board")
	}
	p.Keys("Escape")
	waitState(p, "play", 0)
	if got := focused(p); got != "攻方の持駒、飛 1" {
		t.Errorf("the focus goes to %q, expected the piece that was taken back", got)
	}

	// And then it can be solved, which counts the three that were wrong.
	for _, m := range []string{"R*1a", "2b2a+", "2d2b+"} {
		p.Do(`await b.play("` + m + `")`)
	}
	checkSolved(t, p)
	if got := events[struct{ Wrong int }](p, "solved"); got[0].Wrong != 3 {
		t.Errorf("wrong moves: %+v", got)
	}
}

func TestHints(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, solve)
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times before the reader did anything", n)
	}
	for i, want := range []string{"持駒の飛を使います。", "持駒の飛を１一へ。", "正解は▲１一飛"} {
		p.Click(button("ヒント"))
		p.Wait(fmt.Sprintf("events.length === %d", i+1))
		if got := status(p); got != want {
			t.Errorf("hint %d: %q", i+1, got)
		}
		if n := browsertest.Eval[int](p, `b.shadowRoot.querySelectorAll(".hint").length`); n != min(i+1, 2) {
			t.Errorf("hint %d marks %d cells", i+1, n)
		}
	}
	if !browsertest.Eval[bool](p, "!!"+in(".arrow")) {
		t.Error("the third hint has no arrow")
	}
	if browsertest.Eval[string](p, button("ヒント")+`.ariaDisabled`) != "true" {
		t.Error("there is a fourth hint")
	}
	for _, m := range []string{"R*1a", "2b2a+", "2d2b+"} {
		p.Do(`await b.play("` + m + `")`)
	}
	waitState(p, "solved", 5)
	if got := status(p); !strings.Contains(got, "ヒント3回") {
		t.Errorf("the board says %q", got)
	}
}

func TestAnswer(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, solve)
	if browsertest.Eval[bool](p, `b.shadowRoot.textContent.includes("飛") && !!b.shadowRoot.querySelector("ol li")`) {
		t.Error("the answer shows before it was asked for")
	}
	p.Click(button("答えを見る"))
	waitState(p, "answer", 0)
	if got := browsertest.Eval[[]string](p, `[...b.shadowRoot.querySelectorAll("ol li")].map((x) => x.innerText)`); !slices.Equal(got,
		[]string{"1 ▲１一飛", "2 △同玉", "3 ▲２一香成", "4 △１二玉", "5 ▲２二飛成"}) {
		t.Errorf("the answer is %q", got)
	}
	p.Click(button("最後へ"))
	waitState(p, "answer", 5)
	p.Click(button("はじめから"))
	waitState(p, "play", 0)

	// A position without mate says so.
	p.Do(`b.setAttribute("sfen", "4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1")`)
	p.Click(button("答えを見る"))
	p.Wait(in("p") + `.innerText === "詰みはありません。"`)
	p.Click(button("ヒント"))
	p.Wait(`b.state === "play"`)
}

// The line of a page is played without the server, as far as the reader follows it.
func TestLineOfThePage(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, solve+` moves="`+strings.Join(solution, " ")+`"`)
	if got := status(p); got != "5手詰" {
		t.Errorf("the board says %q", got)
	}
	for _, m := range []string{"R*1a", "21香成", "Rx2b+", "２二飛成"} {
		p.Do(`await b.play("` + m + `")`)
	}
	checkSolved(t, p)
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
	p.Do(`b.reset(); b.wrong = "stay"; await b.play("2d2c+")`)
	waitState(p, "wrong", 2)
	if n := s.asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times about a move that is not the page's", n)
	}
}

// Where the server does not know whether an interposition counts, the author's line goes on, and
// without one every move counts; but only as long as the server does not know.
func TestUncounted(t *testing.T) {
	const futile = `mode="solve" sfen="7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"`
	const author = futile + ` moves="4e4c+ P*3c 4c3c 1c1b 2a2b+"`
	p := serve(t).open(t, browsertest.Screen{}, author)
	check := func(what string, want ...string) {
		t.Helper()
		if got := browsertest.Eval[string](p, `b.play("4e4c+")`); got != "replied" || !slices.Equal(played(p), want) {
			t.Errorf("%s: the move was %s, and %v are on the board", what, got, played(p))
		}
	}
	// answer has all questions answered so, and counts them.
	answer := func(text string) {
		p.Do(fmt.Sprintf("window.asked = 0; b.fetcher = async () => { asked++; return new Response(%q) }", text))
	}
	const byCount = `{"verdict":"mate","moves":[{"move":"P*3c"}],"length":{"low":3,"reason":"overloaded"}}`
	for _, text := range []string{`{"verdict":"unknown","moves":[]}`, "", byCount} {
		replace(p, author)
		answer(text)
		check(text, "4e4c+", "P*3c")
		if n := browsertest.Eval[int](p, "asked"); n != 1 {
			t.Errorf("%s: the server was asked %d times", text, n)
		}
	}
	replace(p, author+" raw")
	answer("")
	check("every move counts", "4e4c+", "P*3c")
	if n := browsertest.Eval[int](p, "asked"); n != 0 {
		t.Errorf("the server was asked %d times although every move counts", n)
	}

	replace(p, futile)
	answer(byCount)
	check("without the author's line", "4e4c+", "P*3c")
	if got := status(p); !strings.Contains(got, "無駄合かもしれません") {
		t.Errorf("the board says %q", got)
	}
	answer(`{"verdict":"mate","moves":[{"move":"1c1b"}],"length":{"low":2,"high":2}}`)
	p.Do("b.takeBack()")
	check("asked again", "4e4c+", "1c1b")
	p.Do(`await b.play("4c2c")`)
	waitState(p, "solved", 3)
	if got := status(p); !strings.Contains(got, "正解！ 3手詰") || strings.Contains(got, "数えて") {
		t.Errorf("what was taken back is in %q", got)
	}
}

func TestView(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, `sfen="`+problem+`" moves="`+strings.Join(solution, " ")+`"`)
	waitState(p, "play", 0)
	p.Click(button("一手進む"))
	p.Click(button("一手進む"))
	waitState(p, "play", 2)
	if got := status(p); got != "2/5手　△同玉" {
		t.Errorf("the board says %q", got)
	}
	p.Do("b.focus()")
	p.Keys("PageDown")
	waitState(p, "play", 3)
	p.Keys("PageUp", "PageUp")
	waitState(p, "play", 1)
	p.Click(`[...b.shadowRoot.querySelectorAll("ol button")][3]`)
	waitState(p, "play", 4)
	p.Click(button("最初へ"))
	waitState(p, "play", 0)
	p.Do("b.goTo(99)")
	waitState(p, "play", 5)
	moves := events[struct {
		Move, By string
		Ply      int
	}](p, "move")
	if last := moves[len(moves)-1]; last.Move != "2d2b+" || last.By != "replay" || last.Ply != 5 {
		t.Errorf("tsume-move: %+v", last)
	}
	p.Click(square("2d"))
	if browsertest.Eval[bool](p, "!!"+in(".picked")) {
		t.Error("a piece can be picked up in a board that only shows")
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}

	// Turned round, the squares are in the order they are seen.
	first := in("[role=row]:nth-child(2) [role=gridcell]") + `.getAttribute("aria-label").slice(0, 2)`
	if got := browsertest.Eval[string](p, first); got != "９一" {
		t.Errorf("the first square is %s", got)
	}
	p.Click(button("盤を反転"))
	p.Wait(first + ` === "１九"`)
}

// Every mate is right, whatever the page has in mind.
func TestOtherMates(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, `mode="solve" sfen="k8/9/1G7/9/9/9/9/9/9 b 2G 1" moves="G*8b"`)
	if got := browsertest.Eval[string](p, `b.play("G*9b")`); got != "solved" {
		t.Errorf("a mate that is not the page's was %s", got)
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
	// The page's line may end early. Then the server goes on.
	replace(p, solve+` moves="R*1a 1b1a"`)
	p.Do(`await b.play("R*1a"); await b.play("2b2a+"); await b.play("2d2b+")`)
	checkSolved(t, p)
	if n := s.asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times, expected once", n)
	}
}

// With the defender to move, the board begins with the reply; that is no move of the reader's.
func TestDefenderFirst(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, `mode="solve" sfen="8R/7Lk/9/7R1/9/9/9/9/9 w 2b4g4s4n3l18p 1"`)
	waitState(p, "play", 1)
	if got := status(p); got != "△１一玉" {
		t.Errorf("the board says %q", got)
	}
	if browsertest.Eval[string](p, button("待った")+".ariaDisabled") != "true" {
		t.Error("the defender's first move can be taken back")
	}
	p.Do(`b.takeBack(); await b.play("2b2a+"); b.takeBack()`)
	waitState(p, "play", 1)
	p.Do(`await b.play("2b2a+"); await b.play("2d2b+")`)
	waitState(p, "solved", 4)

	// Where the reply escapes, there was nothing to solve.
	replace(p, `mode="solve" sfen="9/7Lk/8R/7R1/9/9/9/9/9 w 2b4g4s4n3l18p 1"`)
	waitState(p, "wrong", 1)
	if got := status(p); got != "詰みはありません。" {
		t.Errorf("the board says %q", got)
	}
}

// Both sides may have a king, and either may attack.
func TestTwoKings(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, `mode="solve" sfen="4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1"`)
	if got := browsertest.Eval[string](p, `b.play("G*4b")`); got != "wrong" {
		t.Errorf("a gold without support was %s", got)
	}
	p.Do("b.takeBack()")
	if got := browsertest.Eval[string](p, `b.play("G*5b")`); got != "solved" {
		t.Errorf("the gold on the head was %s", got)
	}
	replace(p, `mode="solve" sfen="4k4/9/9/9/9/9/4p4/9/4K4 w g2R2B3G4S4N4L17P 1"`)
	if got := browsertest.Eval[string](p, square("5g")+".ariaLabel"); got != "５七、攻方の歩" {
		t.Errorf("white's pawn is %q", got)
	}
	if got := browsertest.Eval[string](p, `b.play("G*5h")`); got != "solved" {
		t.Errorf("white's gold was %s", got)
	}
	// Promoted pieces.
	replace(p, `mode="solve" sfen="4k4/9/4+P4/9/9/9/9/9/9 b G 1"`)
	if got := browsertest.Eval[string](p, square("5c")+".ariaLabel"); got != "５三、攻方のと" {
		t.Errorf("a tokin is %q", got)
	}
	if got := browsertest.Eval[string](p, `b.play("52金")`); got != "solved" {
		t.Errorf("the move was %s", got)
	}
}

// While the server thinks, the board says so, takes no second move, and lets the first be taken
// back.
func TestSlowServer(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, solve)
	p.Do(`const real = fetch; window.fetch = (url, o) => new Promise((done, fail) => { window.answer = done; o.signal.onabort = fail }).then(() => real(url, o))`)
	p.Do(`window.first = b.play("R*1a")`)
	waitState(p, "thinking", 1)
	p.Wait(in("p") + `.innerText === "応手を考えています…"`)
	if got := browsertest.Eval[[]string](p, `Promise.all([b.play("2b2a+"), b.play("2d2b+")])`); !slices.Equal(got, []string{"illegal", "illegal"}) {
		t.Errorf("moves of the reader in the defender's turn were %q", got)
	}
	p.Click(button("待った"))
	waitState(p, "play", 0)
	if got := browsertest.Eval[string](p, "first"); got != "gone" {
		t.Errorf("a move that was taken back was %s", got)
	}
	// A hint, asked for twice, is one.
	p.Do(`window.hinted = Promise.all([b.hint(), b.hint()])`)
	waitState(p, "thinking", 0)
	p.Do("answer()")
	if got := browsertest.Eval[[]int](p, "hinted"); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("two hints at once: %v", got)
	}
	waitState(p, "play", 0)
	p.Do(`window.first = b.play("R*1a")`)
	p.Do(`answer(); await first`)
	waitState(p, "play", 2)
}
