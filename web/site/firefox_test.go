package site

import (
	"fmt"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// TestFirefox: the main flows in another browser than that of all other tests. A newcomer moves a
// piece and is answered, asks for the solution and goes through it, pastes a record, sees every
// move's verdict, and sets up a position; the reader of a link solves its problem.
func TestFirefox(t *testing.T) {
	s := serve(t)
	p := browsertest.OpenFirefox(t, browsertest.Screen{Width: 390, Height: 844})
	load := func(path string) {
		p.Goto(s.URL + path)
		p.Wait(ready)
	}
	load(studyLink + "&lang=ja")
	p.Drag(cell(4, 5), cell(2, 5))
	p.Wait(`board.shadowRoot.querySelector("dialog button")`)
	p.Tap(`board.shadowRoot.querySelector("dialog button")`)
	p.Wait(`board.played.length === 2 && board.played[0] === "4e4c+"`)
	click(p, "#solve")
	waitVerdict(p, "mate")
	wantText(t, p, verdictShown, "5手詰|最短と証明済み")
	p.Click(moveButtons + "[2]")
	p.Wait("board.played.length === 3")
	p.Do(element("#solve") + ".focus()")
	p.Keys("End")
	p.Wait("board.played.length === 5")
	p.Accessible()

	p.Keys("Home")
	click(p, "#examine")
	p.Wait(visible("#moves-box"))
	click(p, "#moves tr:nth-child(2) button")
	p.Wait("board.played.length === 1")

	paste(p, kif)
	p.Wait(fmt.Sprintf("board.position === %q", recorded))

	edit(p)
	before := browsertest.Eval[string](p, "board.position")
	p.Drag(cell(0, 4), cell(5, 4))
	p.Wait(fmt.Sprintf("board.position !== %q", before))

	p.Goto(s.URL + shortLink + "&lang=en")
	p.Wait(readable)
	p.Drag(cell(4, 5), cell(2, 5))
	p.Wait(`board.shadowRoot.querySelector("dialog button")`)
	p.Click(`board.shadowRoot.querySelector("dialog button")`)
	p.Wait(`board.played.length === 2`)
	clean(t, p)
}
