package site

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// phone is a small one.
var phone = browsertest.Screen{Width: 360, Height: 640, Touch: true, Still: true}

// sticksOut is the script for what of the board is not on the screen as it is, without scrolling:
// the squares and hands, the message, and the button that takes back.
const sticksOut = `(() => {
	const b = document.querySelector("tsume-board"), find = (s) => b.shadowRoot.querySelector(s);
	const buttons = [...b.shadowRoot.querySelectorAll("button")];
	const back = buttons.find((e) => /^(待った|Take back)$/.test(e.textContent));
	const parts = { squares: find("[role=grid]"), message: find("p"), back };
	return Object.entries(parts).filter(([, e]) => {
		const { left, top, right, bottom } = e.getBoundingClientRect();
		const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
		return !e.checkVisibility() || !inside;
	}).map(([name, e]) => name + " ends at " + Math.round(e.getBoundingClientRect().bottom));
})()`

// TestPhone: on the first screen of a phone there are the board, which begins in its upper third,
// what it says of a wrong move, and how to go on.
func TestPhone(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, phone)
	for name, path := range map[string]string{
		"ja": shortLink + "&lang=ja", "en": shortLink + "&lang=en",
		"title":    shortLink + "&lang=ja&title=%E7%AC%AC%E4%B8%80%E7%95%AA",
		"set":      setLink + "&lang=ja",
		"embed":    "/embed" + shortLink[2:] + "&lang=ja",
		"embed-en": "/embed" + shortLink[2:] + "&lang=en",
	} {
		p.Goto(s.URL + path)
		p.Wait(`document.querySelector("tsume-board").state === "play"`)
		p.Do(`window.board = document.querySelector("tsume-board"); await board.play("2a2b+")`)
		p.Wait(`board.state === "wrong"`)
		const top = `board.shadowRoot.querySelector("[role=grid]").getBoundingClientRect().top / innerHeight`
		for _, height := range []int{640, 844} {
			screen := phone
			if screen.Height = height; height == 844 {
				screen.Width = 390
			}
			p.Show(screen)
			if out := browsertest.Eval[[]string](p, sticksOut); len(out) > 0 {
				t.Errorf("%s, %d: not on the first screen: %q", name, height, out)
			}
			if at := browsertest.Eval[float64](p, top); at > 1./3 {
				t.Errorf("%s, %d: the board begins at %.2f of the screen", name, height, at)
			}
			if y := browsertest.Eval[int](p, "scrollY"); y != 0 {
				t.Errorf("%s: the page is scrolled by %d", name, y)
			}
			if folder := os.Getenv("BROWSER_SHOTS"); folder != "" {
				shot := filepath.Join(folder, fmt.Sprintf("phone-%s-%d.png", name, height))
				if err := os.WriteFile(shot, p.PNG(false), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		p.Show(phone)
		if strings.HasPrefix(path, "/p?") {
			if wide := browsertest.Eval[float64](p, boardWidth); wide != float64(phone.Width) {
				t.Errorf("%s: the board is %v pixels wide", name, wide)
			}
		}
		const cell = `board.shadowRoot.querySelector('[data-cell="41"]')` // 4e, with a rook
		wide := browsertest.Eval[float64](p, cell+`.getBoundingClientRect().width`)
		if wide < 24 {
			t.Errorf("%s: a square is %v pixels wide", name, wide)
		}
		if name == "title" {
			p.Accessible()
		}
		// A touch of a piece takes the move back and picks the piece up.
		p.Tap(cell)
		p.Wait(`board.state === "play" && board.played.length === 0`)
		p.Wait(cell + `.ariaSelected === "true"`)
		if !browsertest.Eval[bool](p, `!!board.shadowRoot.querySelector(".target")`) {
			t.Errorf("%s: the piece can go nowhere", name)
		}
	}
}
