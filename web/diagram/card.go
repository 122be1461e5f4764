package diagram

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
)

// drawCard draws the board on the right and the title on the left.
func (d *Diagram) drawCard(p *shogi.Position, o Options) {
	const (
		side   = 56
		boardX = 520
		boardY = 23
		left   = 72
		wide   = boardX - left - 40
		small  = 26
	)
	w := newDrawing(d, p, o, CardWidth, CardHeight)
	w.boardAndHands(boardX, boardY, side, beforeBoard)

	problem, mate := "詰将棋", "%d手詰"
	if o.Lang == English {
		problem, mate = "Tsume shogi", "Mate in %d"
	}
	title, kind := o.Title, problem
	if title == "" {
		title, kind = problem, ""
	}
	if o.Plies > 0 {
		kind = fmt.Sprintf(mate, o.Plies)
	}
	b := fit(title, wide, 5, 68, 28)
	top := (CardHeight - b.height()) / 2
	w.text(kind, left, top-small*1.2, small, w.faint)
	w.block(b, left, top, start)
	below := int(top + b.height() + 28)
	w.rect(left, below, left+56, below+4, w.promoted)
	w.text("Tsumero", left, CardHeight-boardY-30, small, w.faint)
}
