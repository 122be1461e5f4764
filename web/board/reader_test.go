package board_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// phone is the smallest screen that all of a problem fits on.
var phone = browsertest.Screen{Width: 360, Height: 640, Touch: true}

// What refutes a wrong move is seen, is said, and goes back by itself; what it was stays written.
func TestWrongMoveGoesBack(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, solve)
	p.Do(`window.heard = []; new MutationObserver(() => heard.push(` + hear + `)).observe(` + in(".live") +
		`, { childList: true, characterData: true, subtree: true })`)
	const refuted = "１三飛は、同玉と取られて詰みません。"
	for _, still := range []bool{true, false} {
		p.Show(browsertest.Screen{Still: still})
		p.Do(`b.reset(); b.focus(); await 0; heard.length = 0; window.sliding = 0; await b.play("R*1c")`)
		waitState(p, "wrong", 2)
		if got := status(p); got != refuted {
			t.Errorf("the board says %q", got)
		}
		p.Do(`await new Promise((done) => new MutationObserver(done).observe(` + in("p") + `, { childList: true }));
			window.sliding = b.shadowRoot.getAnimations().length`)
		waitState(p, "play", 0)
		want := map[bool]int{true: 0, false: 1}[still] // the king; the rook is back in the hand
		if got := browsertest.Eval[int](p, "sliding"); got < want || still && got > 0 {
			t.Errorf("still %v: %d pieces slide back", still, got)
		}
		if got := status(p); got != refuted+" 戻しました。指し直してください。" {
			t.Errorf("afterwards the board says %q", got)
		}
		// That the reply is looked for is heard where it takes long.
		heard := `heard.filter((s) => s !== "応手を考えています…").join("/")`
		if got := browsertest.Eval[string](p, heard); got != "１三飛は、同玉と取られて詰みません。/戻しました。指し直してください。" {
			t.Errorf("a screen reader says %q", got)
		}
		if browsertest.Eval[bool](p, "!!"+in(".arrow")) {
			t.Error("there is an arrow still")
		}
	}
	p.Accessible()
	// The words are those of the language, also after the moves are gone.
	p.Do(`b.lang = "en"; b.position`)
	if got := status(p); got != "R*1c does not mate: Kx1c. Taken back. Try another move." {
		t.Errorf("in English the board says %q", got)
	}
	// What the reader does meanwhile goes before.
	p.Do(`b.lang = "ja"; await b.play("R*1c"); b.takeBack(); await b.play("R*1a")`)
	waitState(p, "play", 2)
	p.Do(`await new Promise((done) => setTimeout(done, 2200))`)
	waitState(p, "play", 2)
}

// On the screen of a phone the message, the squares and what the thumb needs are seen at once.
func TestOnPhone(t *testing.T) {
	p := serve(t).open(t, phone, stay)
	for _, c := range []struct{ do, lang string }{
		{``, "ja"}, {`await b.hint()`, "ja"}, {`await b.play("R*1c")`, "ja"}, {`b.reset()`, "en"}, {`await b.play("R*1c")`, "en"},
	} {
		p.Do(`scrollTo(0, 0); b.lang = "` + c.lang + `"; ` + c.do)
		type box struct{ Top, Bottom, Width, Height float64 }
		get := func(element string) box {
			t.Helper()
			return browsertest.Eval[box](p, `(({ top, bottom, width, height }) => ({ top, bottom, width, height }))(`+element+`.getBoundingClientRect())`)
		}
		message, squares := get(in("p")), get(in("[role=grid]"))
		if message.Top < 0 || message.Bottom > squares.Top {
			t.Errorf("%v: the message is at %v, the squares are at %v", c, message, squares)
		}
		back := "待った"
		if c.lang == "en" {
			back = "Take back"
		}
		undo := get(button(back))
		if undo.Top < squares.Bottom || undo.Bottom > 640 || undo.Height < 44 || undo.Width < 44 {
			t.Errorf("%v: what takes back is at %v, the squares are at %v", c, undo, squares)
		}
	}
	small := browsertest.Eval[[]string](p, `[...b.shadowRoot.querySelectorAll("button, input")].filter((x) => x.checkVisibility())
		.filter((x) => { const r = x.getBoundingClientRect(); return r.width < 44 || r.height < 43.9 }).map((x) => x.title || x.innerText)`)
	if len(small) > 0 {
		t.Errorf("too small for a thumb: %q", small)
	}
}

// Setting up explains itself, takes nothing for good, and asks before it wipes.
func TestEditing(t *testing.T) {
	const start = "4k4/9/9/9/4S4/9/9/9/9 b - 1"
	p := serve(t).open(t, phone, `mode="edit" sfen="`+start+`"`)
	help := func(want string) {
		t.Helper()
		if got := browsertest.Eval[string](p, in(".edit [role=group]")+".ariaLabel"); got != want {
			t.Errorf("the buttons are for %q, want %q", got, want)
		}
	}
	position := func(want string) {
		t.Helper()
		p.Wait(fmt.Sprintf("b.position === %q", want))
	}
	help("選んだ駒")
	if got := browsertest.Eval[string](p, in(".edit p")+".innerText"); !strings.HasPrefix(got, "駒を選び、置くマスを選びます。") {
		t.Errorf("the explanation is %q", got)
	}
	if got := browsertest.Eval[float64](p, in(".edit [role=group]")+".getBoundingClientRect().bottom"); got > 640 {
		t.Errorf("what changes a piece ends at %v pixels", got)
	}
	if got := browsertest.Eval[int](p, `b.shadowRoot.querySelectorAll(".edit [aria-disabled]").length`); got != 5 {
		t.Errorf("%d buttons can do nothing, want those for a piece and those that undo", got)
	}
	p.Tap(square("5e"))
	help("５五、攻方の銀")
	p.Tap(button("成る"))
	position("4k4/9/9/9/4+S4/9/9/9/9 b - 1")
	p.Tap(button("玉方の駒にする"))
	position("4k4/9/9/9/4+s4/9/9/9/9 b - 1")
	help("５五、玉方の成銀")
	p.Accessible()
	p.Tap(button("成りを戻す"))
	p.Tap(button("駒箱へ"))
	position("4k4/9/9/9/9/9/9/9/9 b - 1")
	p.Tap(button("元に戻す"))
	p.Tap(button("元に戻す"))
	position("4k4/9/9/9/4+s4/9/9/9/9 b - 1")
	p.Wait(hear + `.includes("元に戻しました")`)
	p.Tap(button("やり直す"))
	position("4k4/9/9/9/4s4/9/9/9/9 b - 1")

	// Asked before, which Escape and the other button decline.
	for _, decline := range []func(){func() { p.Keys("Escape") }, func() { p.Click(button("やめる")) }} {
		p.Tap(button("盤を空に"))
		p.Wait(in("dialog"))
		if got := focused(p); got != "やめる" {
			t.Errorf("the focus is on %q", got)
		}
		p.Accessible()
		decline()
		p.Wait("!" + in("dialog"))
		position("4k4/9/9/9/4s4/9/9/9/9 b - 1")
	}
	p.Tap(button("盤を空に"))
	p.Tap(button("空にする"))
	position("9/9/9/9/9/9/9/9/9 b - 1")

	// A page that has its own way to go on hides that of the board.
	p.Do(`b.setAttribute("controls", "edit input")`)
	p.Wait("!" + button("この局面で指す") + " && !!" + button("盤を空に"))
	p.Do(`b.removeAttribute("controls")`)

	// By keys, and whatever made the change: a text, a faulty one, the page.
	undo := func(key, modifier string) {
		p.Do(`b.focus(); b.shadowRoot.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "` + key + `", ` + modifier + `, bubbles: true, composed: true, cancelable: true }))`)
	}
	undo("z", "ctrlKey: true")
	position("4k4/9/9/9/4s4/9/9/9/9 b - 1")
	undo("y", "ctrlKey: true")
	position("9/9/9/9/9/9/9/9/9 b - 1")
	undo("z", "metaKey: true")
	undo("Z", "metaKey: true, shiftKey: true")
	position("9/9/9/9/9/9/9/9/9 b - 1")
	p.Do(in("#s") + `.value = "4k5"; ` + in("#s") + `.form.requestSubmit()`)
	p.Wait(`b.state === "error"`)
	undo("z", "ctrlKey: true")
	position("9/9/9/9/9/9/9/9/9 b - 1")
	p.Do(`b.sfen = "` + problem + `"; b.position`)
	undo("z", "ctrlKey: true")
	position("9/9/9/9/9/9/9/9/9 b - 1")
	undo("y", "ctrlKey: true")
	position(problem)
	if got := browsertest.Eval[string](p, "b.sfen"); got != problem {
		t.Errorf("the attribute is %s", got)
	}
	// Where nothing is to be set up the keys are the browser's.
	p.Do(`b.mode = "solve"; b.position; window.taken = 0; document.addEventListener("keydown", (e) => (taken += e.defaultPrevented))`)
	undo("z", "ctrlKey: true")
	position(problem)
	if browsertest.Eval[int](p, "taken") != 0 || browsertest.Eval[bool](p, in(".edit")+".checkVisibility()") {
		t.Error("a problem can be edited")
	}
}

// The question mark shows the keys of the mode, to the eye and to the ear.
func TestKeys(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, solve+` lang="en"`)
	for mode, want := range map[string]string{"solve": "Take back", "edit": "Undo, redo", "view": "Back and forth in the line"} {
		p.Do(`b.mode = "` + mode + `"; b.position; b.focus()`)
		p.Keys("?")
		p.Wait(in("dialog"))
		text := browsertest.Eval[[]string](p, `[...b.shadowRoot.querySelectorAll("dd")].map((x) => x.innerText)`)
		found := 0
		for _, words := range text {
			if words == want {
				found++
			}
		}
		if found != 1 || len(text) < 5 {
			t.Errorf("the keys of %s are %q", mode, text)
		}
		if got := browsertest.Eval[string](p, in("dialog")+".ariaLabel"); got != "Keys" {
			t.Errorf("the dialog is called %q", got)
		}
		p.Accessible()
		shoot(t, p, "keys-"+mode)
		p.Keys("Escape")
		p.Wait("!" + in("dialog"))
		if !browsertest.Eval[bool](p, `b.shadowRoot.activeElement.matches("[role=gridcell]")`) {
			t.Error("the focus is not back on the squares")
		}
	}
	p.Click(button("Keys"))
	p.Wait(in("dialog"))
}

// After a problem comes the next one, by the page or by its address, and this one can be shared and
// played again.
func TestAfterSolving(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, `mode="solve" sfen="`+headGold+`" share="/1" next="#two"`)
	visible := func() string {
		return browsertest.Eval[string](p, `[...b.shadowRoot.querySelectorAll(".bar button")].filter((x) => x.checkVisibility()).map((x) => x.innerText).join()`)
	}
	if got := visible(); got != "ヒント,待った,答えを見る,⇅,?" {
		t.Errorf("at first there are %s", got)
	}
	p.Do(`b.play("G*5b")`)
	waitState(p, "solved", 1)
	if got := visible(); got != "«,‹,›,»,次の問題,はじめから,共有,⇅,?" {
		t.Errorf("after it was solved there are %s", got)
	}
	p.Accessible()
	shoot(t, p, "after-solving")

	origin := browsertest.Eval[string](p, "location.origin")
	p.Do(`window.shared = []; navigator.share = async (what) => void shared.push(what.url)`)
	p.Click(button("共有"))
	p.Wait(`shared.join() === "` + origin + `/1"`)
	p.Do(`navigator.share = undefined; Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void shared.push(text) } })`)
	p.Click(button("共有"))
	p.Wait(`shared.join() === "` + origin + `/1,` + origin + `/1" && ` + in("p") + `.innerText.includes("アドレスをコピーしました。")`)
	p.Do(`navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))`)
	p.Click(button("共有"))
	p.Wait(in("p") + `.innerText.includes("この問題のアドレス：` + origin + `/1")`)
	p.Do(`navigator.share = () => Promise.reject(new DOMException("", "AbortError"))`) // the reader thinks better of it
	p.Click(button("共有"))

	p.Do(`b.addEventListener("tsume-next", (e) => { e.preventDefault(); window.next = e.detail.next }, { once: true })`)
	p.Click(button("次の問題"))
	p.Wait(`window.next === "#two" && !location.hash`)
	p.Click(button("次の問題"))
	p.Wait(`location.hash === "#two"`)
	p.Do(`b.next = "javascript:window.ran = true"`)
	p.Click(button("次の問題"))
	p.Click(button("はじめから"))
	waitState(p, "play", 0)
	if browsertest.Eval[bool](p, "!!window.ran") {
		t.Error("a script was run")
	}
}

// TestScreens leaves pictures of the board as readers have it in the folder BROWSER_SHOTS.
func TestScreens(t *testing.T) {
	if os.Getenv("BROWSER_SHOTS") == "" {
		t.Skip("pictures are made when BROWSER_SHOTS names a folder")
	}
	s := serve(t)
	for _, c := range []browsertest.Screen{{Width: 360, Height: 640, Touch: true}, {Width: 390, Height: 844, Touch: true, Dark: true}, {Width: 768, Height: 1024}, {Width: 1440, Height: 900, Dark: true}} {
		for _, lang := range []string{"ja", "en"} {
			p := s.open(t, c, stay+` lang="`+lang+`" next`)
			take := func(name string) {
				if err := os.WriteFile(fmt.Sprintf("%s/%d-%s-%s.png", os.Getenv("BROWSER_SHOTS"), c.Width, lang, name), p.PNG(false), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			take("start")
			p.Do(`await b.play("R*1c")`)
			take("wrong")
			p.Do(`b.reset(); await b.hint(); await b.hint(); await b.hint()`)
			take("hint")
			p.Do(`for (const m of ["R*1a", "2b2a+", "2d2b+"]) await b.play(m)`)
			take("solved")
			replace(p, `mode="edit" lang="`+lang+`" sfen="`+problem+`"`)
			take("edit")
			p.Click(square("2b"))
			take("picked")
			p.Do(in(".edit button:last-of-type") + `; [...b.shadowRoot.querySelectorAll(".edit button")].find((x) => /空に|Clear/.test(x.innerText)).click()`)
			p.Wait(in("dialog"))
			take("clear")
		}
	}
}
