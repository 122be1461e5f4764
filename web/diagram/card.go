package diagram

import "github.com/tsumero/tsumero/shogi"

// drawCard draws the board on the right and the title on the left.
func (d *Diagram) drawCard(p *shogi.Position, o Options) {
	const (
		side   = 56
		c      = float64(side)
		left   = 72
		boardX = 516
		wide   = float64(boardX - left - 36)
	)
	w := newDrawing(d, p, o, CardWidth, CardHeight)
	const boardY = 23
	w.boardAndHands(boardX, boardY, side)

	title := o.Title
	if title == "" {
		title = map[Lang]string{Japanese: "詰将棋", English: "Tsume shogi"}[o.Lang]
	}
	b := fit(title, wide, 5, 68, 28)
	top := (CardHeight - b.height()) / 2
	w.block(b, left, top-12, start)
	below := int(top + b.height() + 26)
	w.rect(left, below, left+56, below+4, w.promoted)
}
