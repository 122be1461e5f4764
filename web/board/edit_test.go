package board_test

import (
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

func TestEdit(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{Height: 1000, Width: 1280}, `mode="edit"`)
	if got := status(p); got != "玉を置いてください。" {
		t.Errorf("the board says %q", got)
	}
	p.Drag(boxOf(king), square("5a"))
	p.Drag(boxOf(gold), square("5c"))
	p.Click(boxOf(gold)) // tap, tap
	p.Click(hand(0, 0))  // the hand as a whole takes it
	p.Wait(`b.position === "4k4/9/4G4/9/9/9/9/9/9 b G 1"`)
	p.Drag(square("5a"), hand(0, 0)) // no hand holds a king
	if got := browsertest.Eval[string](p, "b.position"); got != "4k4/9/4G4/9/9/9/9/9/9 b G 1" {
		t.Errorf("a king dragged to a hand: %s", got)
	}

	// The same with keys, and what a second tap makes of a piece.
	p.Click(square("9i"))
	p.Keys("s", "ArrowRight", "N", "+")
	p.Wait(`b.position === "4k4/9/4G4/9/9/9/9/9/S+n7 b G 1"`)
	p.Keys("Delete", "ArrowLeft", "Enter", "Enter")
	p.Wait(`b.position === "4k4/9/4G4/9/9/9/9/9/+S8 b G 1"`)
	p.Keys("Enter", "Enter", "Backspace")
	p.Wait(`b.position === "4k4/9/4G4/9/9/9/9/9/9 b G 1"`)
	p.Click(button("残りを玉方へ"))
	p.Wait(`b.position === "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"`)
	if got := browsertest.Eval[string](p, `b.getAttribute("sfen")`); got != "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1" {
		t.Errorf("the attribute is %s", got)
	}
	edits := events[struct{ SFEN string }](p, "edit")
	if last := edits[len(edits)-1]; last.SFEN != "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1" {
		t.Errorf("tsume-edit: %+v", last)
	}
	p.Click(button("手番を変える"))
	p.Wait(`b.position.includes(" w ")`)
	p.Click(button("手番を変える"))

	// A typed position.
	p.Do(in("#s") + `.value = "9/7Lk/9/7R1/9/9/9/9/9 b R 1"`)
	p.Click(button("この局面にする"))
	p.Wait(`b.getAttribute("sfen").startsWith("9/7Lk")`)
	p.Click(button("盤を空に"))
	p.Click(in("dialog button")) // empty it
	p.Wait(`b.position === "9/9/9/9/9/9/9/9/9 b - 1"`)

	p.Do(`b.setAttribute("sfen", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")`)
	p.Click(button("この局面で指す"))
	p.Wait(`b.getAttribute("mode") === "solve"`)
	p.Drag(hand(0, gold), square("5b"))
	waitState(p, "solved", 1)
}

func TestFaultyPosition(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, `mode="solve" sfen="9/9/4k4/9 b G 1"`)
	for sfen, says := range map[string]string{
		"9/9/4k4/9 b G 1":                   "読めません：9/9/4k4/9",
		"9/9/4k5/9/9/9/9/9/9 b G 1":         "読めません：4k5",
		"9/9/4x4/9/9/9/9/9/9 b G 1":         "読めません：4x4",
		"9/9/4+k4/9/9/9/9/9/9 b G 1":        "読めません：4+k4",
		"9/9/4k4/9/9/9/9/9/9 x G 1":         "読めません：x",
		"9/9/4k4/9/9/9/9/9/9 b K 1":         "読めません：K",
		"9/9/4k4/9/9/9/9/9/9 b 5G 1":        "読めません：5G",
		"N8/9/4k4/9/9/9/9/9/9 b G 1":        "読めません：N8/9/4k4/9/9/9/9/9/9",
		"9/9/9/9/9/9/9/9/9 b G 1":           "玉を置いてください。",
		"9/9/4k4/9/9/9/9/9/9 b G moves G*9": "読めません：G*9",
		// A line does not go on after the mate.
		"4k4/9/4P4/9/9/9/9/9/9 b G moves G*5b 5a5b": "読めません：5a5b",
	} {
		p.Do(`b.setAttribute("sfen", "` + sfen + `")`)
		p.Wait(`b.state === "error"`)
		if got := status(p); got != says {
			t.Errorf("%s: %q, expected %q", sfen, got, says)
		}
	}
	p.Accessible()
	p.Do(`b.setAttribute("sfen", "position sfen 4k4/9/4P4/9/9/9/9/9/9_b_GP moves G*5b")`) // as it is written elsewhere
	p.Wait(`b.state === "play"`)
}
