package board_test

import (
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// hear is the script for what a screen reader was last told.
var hear = in(".live") + ".textContent"

// wrongMove plays a move that does not mate: the king takes the rook.
func wrongMove(p *browsertest.Page) {
	p.Do(`b.reset(); await b.play("R*1c")`)
	waitState(p, "wrong", 2)
}

// After a wrong move the board is not dead: what the reader does on it takes the move back, and
// picks up what was touched.
func TestTryAgain(t *testing.T) {
	mouse := browsertest.Screen{Width: 1280, Height: 800}
	finger := browsertest.Screen{Width: 360, Height: 640, Touch: true}
	for name, c := range map[string]struct {
		screen browsertest.Screen
		press  func(p *browsertest.Page, element string)
		drag   func(p *browsertest.Page, from, to string)
	}{
		"mouse": {mouse, (*browsertest.Page).Click, (*browsertest.Page).Drag},
		"touch": {finger, (*browsertest.Page).Tap, (*browsertest.Page).Swipe},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t).open(t, c.screen, stay)
			picked := func(cell string) string { return cell + `.ariaSelected === "true"` }

			wrongMove(p)
			c.press(p, square("2d")) // another piece
			waitState(p, "play", 0)
			p.Wait(picked(square("2d")))
			p.Wait(hear + `.startsWith("戻しました。指し直してください。") && ` + hear + `.includes("選択")`)

			wrongMove(p)
			c.press(p, square("9i")) // nothing
			waitState(p, "play", 0)
			if browsertest.Eval[bool](p, "!!"+in(".picked")) {
				t.Error("something is picked up")
			}
			if got := status(p); got != "戻しました。指し直してください。" {
				t.Errorf("the board says %q", got)
			}

			// The piece that made the move is picked up where it came from.
			rook := `b.sfen = "4k4/9/9/9/9/9/9/9/R8 b - 1"; await b.play("9i9a+")`
			p.Do(rook)
			waitState(p, "wrong", 2)
			c.press(p, square("9a"))
			waitState(p, "play", 0)
			p.Wait(picked(square("9i")))
			p.Do("b.reset(); " + rook)
			waitState(p, "wrong", 2)
			c.drag(p, square("9a"), square("9d"))
			waitState(p, "play", 0)
			p.Wait(in("p") + `.innerText.includes("９四飛")`) // which gives no check

			// A drag does all of it at once.
			p.Do(`b.sfen = "` + problem + `"`)
			wrongMove(p)
			c.drag(p, square("2d"), square("2e"))
			waitState(p, "play", 0)
			p.Wait(in("p") + `.innerText === "▲２五飛は王手ではありません。"`)
		})
	}
}

// With the keyboard, and told to who does not see it.
func TestTryAgainByKeyboard(t *testing.T) {
	for lang, c := range map[string]struct{ eye, ear, back string }{
		"ja": {"盤に触れると指し直せます。", "盤の上で Enter を押すと指し直せます。", "戻しました。指し直してください。"},
		"en": {"Tap the board to try again.", "Press Enter on the board to try again.",
			"Taken back. Try another move."},
	} {
		p := serve(t).open(t, browsertest.Screen{}, stay+` lang="`+lang+`"`)
		p.Do("b.focus()")
		p.Keys("1")
		p.Do(in("input") + `.value = ""`)
		p.Type("13飛打")
		p.Keys("Enter")
		waitState(p, "wrong", 2)
		p.Wait(hear + `.endsWith("` + c.ear + `")`)
		if got := browsertest.Eval[string](p, in("p small")+".innerText"); got != c.eye {
			t.Errorf("the board says %q", got)
		}
		p.Accessible()
		p.Keys("Enter")
		waitState(p, "play", 0)
		p.Wait(hear + `.startsWith("` + c.back + `")`)
	}
}

// What is typed belongs to the mode and to the position that it was typed for: positions have a
// field of their own.
func TestFieldOfTheMode(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, `mode="edit" sfen="`+problem+`"`)
	move, position := in("#i"), in("#s")
	check := func(field, want string) {
		t.Helper()
		if got := browsertest.Eval[string](p, field+".checkVisibility() && "+field+".value"); got != want {
			t.Errorf("the field has %q, want %q", got, want)
		}
	}
	check(position, problem)
	p.Click(button("この局面で指す"))
	p.Wait(`b.mode === "solve" && b.state === "play"`)
	check(move, "")
	p.Do(move + `.value = "52"; b.mode = "edit"; b.position`)
	check(position, problem)
	// A position that cannot be read stays while it can be mended, and no longer.
	p.Do(position + `.value = "4k5"; ` + position + `.form.requestSubmit()`)
	p.Wait(`b.state === "error"`)
	check(position, "4k5")
	p.Do(`b.mode = "solve"; b.sfen = "` + problem + `"; b.position`)
	check(move, "")
	p.Do(move + `.value = "52"; b.sfen = "4k4/9/4G4/9/9/9/9/9/9 b G 1"; b.position`)
	check(move, "")
}

// What the board said of a position leaves with it, and what comes late is not said any more.
func TestStaleWords(t *testing.T) {
	s := serve(t)
	const other = "4k4/9/4G4/9/9/9/9/9/9 b G 1"
	says := map[string]string{"solve": "王手の連続で詰ませてください。", "edit": "攻方の手番", "view": ""}
	p := s.open(t, browsertest.Screen{}, solve)
	for _, before := range []string{
		`await b.play("R*1c")`, `await b.hint()`, `await b.showAnswer(); b.goTo(2)`,
	} {
		for mode, want := range says {
			replace(p, solve)
			p.Do(before + `; b.sfen = "` + other + `"; b.mode = "` + mode + `"; b.position`)
			if got := status(p); got != want && !(mode == "edit" && got != "") {
				t.Errorf("%s, then %s: the board says %q", before, mode, got)
			}
			marks := browsertest.Eval[int](p,
				`b.shadowRoot.querySelectorAll(".arrow, .hint, .last, .picked, ol li").length`)
			if marks > 0 || browsertest.Eval[string](p, in("p")+".className") != "" {
				t.Errorf("%s, then %s: %d marks of the position before", before, mode, marks)
			}
		}
	}

	// Answers that come late.
	p.Do(`const real = fetch; window.fetch = async (url, o) => {
		const answer = await real(url, { ...o, signal: undefined });
		await new Promise((done) => (window.arrive = done));
		return answer;
	}`)
	for _, question := range []string{`b.play("R*1c")`, `b.hint()`, `b.showAnswer()`} {
		for mode, want := range says {
			replace(p, solve)
			p.Do(`window.arrive = undefined; window.asked = ` + question)
			p.Wait(`window.arrive`)
			p.Do(`b.sfen = "` + other + `"; b.mode = "` + mode + `"; b.position;
				arrive(); await asked`)
			if got := status(p); got != want && !(mode == "edit" && got != "") {
				t.Errorf("%s, then %s: the board says %q", question, mode, got)
			}
			if got := browsertest.Eval[string](p, "b.position"); got != other {
				t.Errorf("%s, then %s: the position is %s", question, mode, got)
			}
			for _, kind := range []string{"wrong", "answer"} {
				if got := events[any](p, kind); len(got) > 0 {
					t.Errorf("%s, then %s: late, tsume-%s: %v", question, mode, kind, got)
				}
			}
		}
	}
}

// A page learns of every change of the position, and of nothing else.
func TestPositionEvent(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, solve)
	p.Do(`window.seen = []; b.addEventListener("tsume-position", ({ detail }) =>
		seen.push(detail.sfen === b.position && detail.played.length))`)
	check := func(do string, want ...int) {
		t.Helper()
		p.Do(`seen.length = 0; ` + do)
		got := browsertest.Eval[[]int](p, `seen.map(Number)`)
		if len(got) != len(want) {
			t.Errorf("%s: %v, expected %v", do, got, want)
			return
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %v, expected %v", do, got, want)
			}
		}
	}
	check(`await b.play("R*1a")`, 1, 2)
	check(`b.takeBack()`, 0)
	check(`b.lang = "en"; b.flip = true; b.position`)
	check(`await b.hint()`)
	check(`await b.showAnswer(); b.goTo(1); b.goTo(0)`, 1, 0)
	check(`b.sfen = "4k4/9/4G4/9/9/9/9/9/9 b G 1"; b.position`, 0)
}
