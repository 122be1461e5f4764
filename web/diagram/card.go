package diagram

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
)

// drawCard draws the board on the right, and on the left the title, or large how long the problem is
// with the title above it.
func (d *Diagram) drawCard(p *shogi.Position, o Options) {
	const (
		left  = 72
		edge  = 23 // around everything
		small = 26
	)
	side, boardX, boardY, before := 56, 520, edge, beforeBoard
	if o.Hands == AttackerHand { // which leaves room for a larger board
		side, boardX, boardY = 62, 530, 16
		if !hasHand(p, o, far(o)) {
			before = 0
		}
	}
	w := newDrawing(d, p, o, CardWidth, CardHeight)
	w.boardAndHands(boardX, boardY, side, before)

	problem, mate := "詰将棋", "%d手詰"
	if o.Lang == English {
		problem, mate = "Tsume shogi", "Mate in %d"
	}
	wide := float64(boardX - left - 40)
	above, large := problem, fit(o.Title, wide, 5, 68, 28)
	switch {
	case o.Plies > 0:
		large = fit(fmt.Sprintf(mate, o.Plies), wide, 1, 128, 28)
	case o.Title == "":
		above, large = "", fit(problem, wide, 5, 68, 28)
	}
	head, headColour, gap := block{[]string{above}, small}, w.faint, small*0.7
	if o.Plies > 0 && o.Title != "" {
		head, headColour, gap = fit(o.Title, wide, 4, 44, 24), w.ink, 36
	}
	top := (CardHeight - large.height()) / 2
	if o.Plies > 0 {
		top += (head.height() + gap) / 2
	}
	w.block(head, left, top-gap-head.height(), start, headColour)
	w.block(large, left, top, start, w.ink)
	below := int(top + large.height() + 28)
	w.rect(left, below, left+56, below+4, w.promoted)
	w.text("Tsumero", left, CardHeight-edge-30, small, w.faint)
}
