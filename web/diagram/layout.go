package diagram

import (
	"math"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// colours are what a theme chooses.
type colours struct {
	paper    rgb // around the board
	board    rgb
	ink      rgb // pieces, lines, title
	promoted rgb
	faint    rgb // coordinates and the line below the board
	line     rgb // between the squares
	arrived  rgb // the square the last move went to
	left     rgb // the square it came from
}

var themes = [...]colours{
	Light: {paper: 0xfffefa, board: 0xfbf2de, ink: 0x1d1a16, promoted: 0xb4231a, faint: 0x6b6255, line: 0x5c5244, arrived: 0xf0d18f, left: 0xf6e4bd},
	Dark:  {paper: 0x17181b, board: 0x222327, ink: 0xece6d9, promoted: 0xff8a73, faint: 0xa39d90, line: 0x6d6a63, arrived: 0x4d4426, left: 0x373425},
	Print: {paper: 0xffffff, board: 0xffffff, ink: 0x000000, promoted: 0x000000, faint: 0x000000, line: 0x000000, arrived: 0xcccccc, left: 0xe8e8e8},
}

// kanji are the kinds of piece in one character each.
var kanji = [...]rune{
	shogi.Pawn: '歩', shogi.Lance: '香', shogi.Knight: '桂', shogi.Silver: '銀',
	shogi.Bishop: '角', shogi.Rook: '飛', shogi.Gold: '金', shogi.King: '玉',
	shogi.Tokin: 'と', shogi.ProLance: '杏', shogi.ProKnight: '圭', shogi.ProSilver: '全',
	shogi.Horse: '馬', shogi.Dragon: '龍',
}

// handOrder is the order in which hands are listed.
var handOrder = [...]shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance, shogi.Pawn}

var (
	numerals  = []rune("一二三四五六七八九")
	sideMarks = [2]rune{shogi.Black: '☗', shogi.White: '☖'}
)

// The parts of a diagram in sides of a square. A diagram without its margins is across wide.
const (
	handWidth  = 0.78 // the column of a hand
	handGap    = 0.20 // between the board and the hand on its left
	rankWidth  = 0.56 // the letters of the ranks, right of the board
	rankGap    = 0.14 // between them and the hand on the right
	fileHeight = 0.56 // the numbers of the files, above the board
	footHeight = 0.86 // the line below
	noFoot     = 0.14 // where there is none
	margin     = 0.34

	beforeBoard = handWidth + handGap
	behindBoard = rankGap + handWidth
)

// A drawing is a scene that is made.
type drawing struct {
	*scene
	colours
	options  Options
	position *shogi.Position
	face     face // of the pieces
}

func newDrawing(d *Diagram, p *shogi.Position, o Options, width, height int) *drawing {
	d.width, d.height, d.background = width, height, themes[o.Theme].paper
	d.shapes = make([]shape, 0, 192)
	w := &drawing{scene: &d.scene, colours: themes[o.Theme], options: o, position: p}
	if o.Pieces == International {
		w.face = symbolFace
	}
	return w
}

// hasHand reports whether the hand of a side is drawn.
func hasHand(p *shogi.Position, o Options, side shogi.Color) bool {
	if o.Hands == AttackerHand && o.attacker != nil {
		return side == *o.attacker
	}
	return o.Hands == BothHands || side == attackerOf(p)
}

// attackerOf returns the side that is to force mate: the one without a king where the other has
// one, else the one to move.
func attackerOf(p *shogi.Position) shogi.Color {
	hasKing := func(c shogi.Color) bool { return !p.PiecesOf(c, shogi.King).IsEmpty() }
	side := p.SideToMove()
	if hasKing(side) && !hasKing(side.Opponent()) {
		return side.Opponent()
	}
	return side
}

// drawDiagram draws the title over a board with all that belongs to it.
func (d *Diagram) drawDiagram(p *shogi.Position, o Options) {
	before, behind, foot := beforeBoard, behindBoard, footHeight
	if !hasHand(p, o, far(o)) {
		before = 0
	}
	if !hasHand(p, o, far(o).Opponent()) {
		behind = 0
	}
	if o.Hands == AttackerHand {
		foot = noFoot
	}
	across := before + 9 + rankWidth + behind
	side := int(float64(o.Width) / (across + 2*margin))
	c := float64(side)
	top := int(math.Round(margin * c))
	var title block
	if o.Title != "" {
		// It stands over the middle of the board, and must not leave the picture.
		width := 2 * min(before+4.5, 4.5+rankWidth+behind)
		title = fit(o.Title, width*c, 2, 0.62*c, 0.35*c)
		top += int(math.Round(title.height() + 0.26*c))
	}
	height := top + int(math.Round(fileHeight*c)) + 9*side + int(math.Round(foot*c))
	if o.Hands == AttackerHand {
		height += int(math.Round(margin * c))
	}
	w := newDrawing(d, p, o, o.Width, height)
	left := (o.Width - int(across*c)) / 2
	if o.Title != "" {
		w.block(title, float64(left)+(before+4.5)*c, margin*c, middle, w.ink)
	}
	w.boardAndHands(left, top, side, before)
}

// far returns the side that is drawn above.
func far(o Options) shogi.Color {
	if o.Flip {
		return shogi.Black
	}
	return shogi.White
}

// boardAndHands draws everything but the title, with squares of side pixels and so many times that
// before them.
func (w *drawing) boardAndHands(left, top, side int, before float64) {
	c := float64(side)
	x := left + int(math.Round(before*c))
	y := top + int(math.Round(fileHeight*c))
	w.marks(x, y, side)
	w.grid(x, y, side)
	w.coordinates(x, y, side)
	w.pieces(x, y, side)

	above := far(w.options)
	if hasHand(w.position, w.options, above) {
		w.hand(above, float64(left)+handWidth*c/2, float64(y), c)
	}
	if below := above.Opponent(); hasHand(w.position, w.options, below) {
		w.hand(below, float64(x)+(9+rankWidth+rankGap+handWidth/2)*c, float64(y), c)
	}
	if w.options.Hands == BothHands {
		w.centred(w.turn(), float64(x)+4.5*c, float64(y)+(9+footHeight/2)*c, 0.42*c, w.faint)
	}
}

// at returns the column and the row in which a square is drawn.
func (w *drawing) at(sq shogi.Square) (column, row int) {
	column, row = 8-int(sq.File()), int(sq.Rank())
	if w.options.Flip {
		column, row = 8-column, 8-row
	}
	return column, row
}

func (w *drawing) marks(x, y, side int) {
	w.rect(x, y, x+9*side, y+9*side, w.board)
	mark := func(sq shogi.Square, fill rgb) {
		column, row := w.at(sq)
		w.rect(x+column*side, y+row*side, x+(column+1)*side, y+(row+1)*side, fill)
	}
	if m := w.options.Last; m != shogi.NoMove {
		if !m.IsDrop() {
			mark(m.From(), w.left)
		}
		mark(m.To(), w.arrived)
	}
}

// grid draws the lines, the four dots and the frame. Lines lie around the border of two squares,
// the frame outside.
func (w *drawing) grid(x, y, side int) {
	thin := max(1, int(math.Round(float64(side)/44)))
	thick := max(2, int(math.Round(float64(side)/17)))
	end := 9 * side
	for i := 1; i < 9; i++ {
		at := i*side - thin/2
		w.rect(x+at, y, x+at+thin, y+end, w.line)
	}
	for i := 1; i < 9; i++ {
		at := i*side - thin/2
		w.rect(x, y+at, x+end, y+at+thin, w.line)
	}
	off := float64(thin%2) / 2 // the middle of the line
	for _, i := range [...]int{3, 6} {
		for _, j := range [...]int{3, 6} {
			w.disc(float64(x+i*side)+off, float64(y+j*side)+off, max(1.5, float64(side)*0.066), w.line)
		}
	}
	x0, y0, x1, y1 := x-thick+1, y-thick+1, x+end+thick, y+end+thick
	w.rect(x0, y0, x1, y0+thick, w.ink)
	w.rect(x0, y1-thick, x1, y1, w.ink)
	w.rect(x0, y0, x0+thick, y1, w.ink)
	w.rect(x1-thick, y0, x1, y1, w.ink)
}

func (w *drawing) coordinates(x, y, side int) {
	c := float64(side)
	for i := range 9 {
		column, row := w.at(shogi.SquareAt(shogi.File(i), shogi.Rank(i)))
		w.centred(string(rune('1'+i)), float64(x)+(float64(column)+0.5)*c, float64(y)-0.30*c, 0.38*c, w.faint)
		rank, size := numerals[i], 0.34*c
		if w.options.Lang == English {
			rank, size = rune('a'+i), 0.38*c
		}
		w.centred(string(rank), float64(x)+9*c+0.36*c, float64(y)+(float64(row)+0.5)*c, size, w.faint)
	}
}

func (w *drawing) pieces(x, y, side int) {
	c := float64(side)
	size := 0.84 * c
	if side < 22 || w.face == symbolFace { // a thumbnail has no pixels to give away
		size = 0.93 * c
	}
	// Colours one after the other, so that SVG groups them.
	for _, promoted := range [...]bool{false, true} {
		fill := w.ink
		if promoted {
			fill = w.promoted
		}
		for sq := range shogi.Square(shogi.NumSquares) {
			pc := w.position.Piece(sq)
			if pc == shogi.NoPiece || pc.Type().IsPromoted() != promoted {
				continue
			}
			column, row := w.at(sq)
			turned := (pc.Color() == shogi.White) != w.options.Flip
			w.piece(pc.Type(), float64(x)+(float64(column)+0.5)*c, float64(y)+(float64(row)+0.5)*c, size, turned, fill)
		}
	}
}

// piece draws a piece around a place. Pictures stand in the outline of a piece, without which most
// of them would not show whose they are.
func (w *drawing) piece(t shogi.PieceType, x, y, size float64, turned bool, fill rgb) {
	if w.face == symbolFace {
		w.glyph(symbolFace, outlines.Body, x, y, size, turned, fill)
	}
	w.glyph(w.face, kanji[t], x, y, size, turned, fill)
}

// A sign is a part of the column of a hand.
type sign struct {
	text  string
	size  float64         // in sides of a square
	gap   float64         // above it
	piece shogi.PieceType // if there is no text
}

// hand writes the pieces of a side from top to bottom, as books do: its mark, then kinds with their
// counts.
func (w *drawing) hand(side shogi.Color, x, top, c float64) {
	signs := w.signs(side)
	long := 0.0
	for _, s := range signs {
		long += s.gap + s.size
	}
	scale := c * min(1, 9/long)
	y := top
	for _, s := range signs {
		y += (s.gap + s.size/2) * scale
		if s.text == "" {
			w.piece(s.piece, x, y, s.size*scale, false, w.ink)
		} else {
			w.centred(s.text, x, y, s.size*scale, w.ink)
		}
		y += s.size / 2 * scale
	}
}

// heldSize is the size of a piece in a hand.
func (w *drawing) heldSize() float64 {
	if w.face == symbolFace {
		return 0.74
	}
	return 0.62
}

func (w *drawing) signs(side shogi.Color) []sign {
	signs := append(make([]sign, 0, 24), sign{text: string(sideMarks[side]), size: 0.60})
	h := w.position.Hand(side)
	if w.options.Lang == English {
		for _, t := range handOrder {
			if n := h.Count(t); n > 0 {
				signs = append(signs, sign{piece: t, size: w.heldSize(), gap: 0.16})
				if n > 1 {
					signs = append(signs, sign{text: strconv.Itoa(n), size: 0.40, gap: 0.0})
				}
			}
		}
		if h.IsEmpty() {
			signs = append(signs, sign{text: "–", size: 0.5, gap: 0.1})
		}
		return signs
	}
	signs = append(signs, sign{text: "持", size: 0.42, gap: 0.06}, sign{text: "駒", size: 0.42, gap: 0})
	gap := 0.22
	for _, t := range handOrder {
		n := h.Count(t)
		if n == 0 {
			continue
		}
		signs = append(signs, sign{piece: t, size: w.heldSize(), gap: gap})
		gap = 0.2
		space := 0.04
		for _, numeral := range countText(n) {
			signs = append(signs, sign{text: string(numeral), size: 0.44, gap: space})
			space = 0
		}
	}
	if h.IsEmpty() {
		signs = append(signs, sign{text: "な", size: 0.46, gap: gap}, sign{text: "し", size: 0.46, gap: 0})
	}
	return signs
}

// turn says who moves.
func (w *drawing) turn() string {
	side := w.position.SideToMove()
	mark := string(sideMarks[side])
	switch {
	case w.options.Lang == English && side == shogi.White:
		return mark + " White to play"
	case w.options.Lang == English:
		return mark + " Black to play"
	case side == shogi.White:
		return mark + " 後手番"
	}
	return mark + " 先手番"
}

// countText returns a count up to 18 in Japanese numerals; one is not written.
func countText(n int) string {
	switch {
	case n <= 1:
		return ""
	case n < 10:
		return string(numerals[n-1])
	case n == 10:
		return "十"
	}
	return "十" + string(numerals[n-11])
}
