package board_test

import (
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// The main flows in another browser than that of all other tests: a problem is solved with the
// mouse and with a finger, and one is begun with the keyboard.
func TestFirefox(t *testing.T) {
	s := serve(t)
	p := browsertest.OpenFirefox(t, browsertest.Screen{})
	load := func(attributes string) {
		p.Goto(site(t, nil, pageWith("ja", s.script(), tag(attributes))))
		p.Do(listen)
	}
	load(solve)
	p.Drag(hand(0, rook), square("1a"))
	waitState(p, "play", 2)
	p.Click(square("2b"))
	p.Click(square("2a"))
	waitState(p, "play", 4)
	p.Tap(square("2d"))
	p.Tap(square("2b"))
	p.Wait(in("dialog"))
	p.Tap(in("dialog button"))
	checkSolved(t, p)
	p.Accessible()

	load(solve)
	p.Keys("Tab") // the one stop of the grid
	if got := focused(p); got != "５五、空き" {
		t.Fatalf("the first stop is %q", got)
	}
	p.Type("１一飛打")
	p.Keys("Enter")
	waitState(p, "play", 2)
	shoot(t, p, "firefox")
}
