package diagram

import (
	"math"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
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
	margin     = 0.34

	across = 2*handWidth + handGap + 9 + rankWidth + rankGap

	// The middle of the board is nearer to the left. A title stands over it, and must not leave the
	// picture.
	boardMiddle = handWidth + handGap + 4.5
	titleWidth  = 2 * boardMiddle
)

// A drawing is a scene that is made.
type drawing struct {
	*scene
	colours
	options  Options
	position *shogi.Position
}

func newDrawing(d *Diagram, p *shogi.Position, o Options, width, height int) *drawing {
	d.width, d.height, d.background = width, height, themes[o.Theme].paper
	d.shapes = make([]shape, 0, 192)
	return &drawing{&d.scene, themes[o.Theme], o, p}
}

// drawDiagram draws the title over a board with all that belongs to it.
func (d *Diagram) drawDiagram(p *shogi.Position, o Options) {
	side := int(float64(o.Width) / (across + 2*margin))
	c := float64(side)
	top := int(math.Round(margin * c))
	var title block
	if o.Title != "" {
		title = fit(o.Title, titleWidth*c, 2, 0.62*c, 0.35*c)
		top += int(math.Round(title.height() + 0.26*c))
	}
	height := top + int(math.Round(fileHeight*c)) + 9*side + int(math.Round(footHeight*c))
	w := newDrawing(d, p, o, o.Width, height)
	left := (o.Width - int(across*c)) / 2
	if o.Title != "" {
		w.block(title, float64(left)+boardMiddle*c, margin*c, middle)
	}
	w.boardAndHands(left, top, side)
}

// boardAndHands draws everything but the title, with squares of side pixels.
func (w *drawing) boardAndHands(left, top, side int) {
	c := float64(side)
	x := left + int(math.Round((handWidth+handGap)*c))
	y := top + int(math.Round(fileHeight*c))
	w.marks(x, y, side)
	w.grid(x, y, side)
	w.coordinates(x, y, side)
	w.pieces(x, y, side)

	bottom, far := shogi.Black, shogi.White
	if w.options.Flip {
		bottom, far = far, bottom
	}
	handTop := float64(y)
	w.hand(far, float64(left)+handWidth*c/2, handTop, c)
	w.hand(bottom, float64(x)+(9+rankWidth+rankGap+handWidth/2)*c, handTop, c)
	w.centred(w.turn(), float64(x)+4.5*c, float64(y)+(9+footHeight/2)*c, 0.42*c, w.faint)
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
	if side < 22 { // a thumbnail has no pixels to give away
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
			w.glyph(pieceFace, kanji[pc.Type()], float64(x)+(float64(column)+0.5)*c, float64(y)+(float64(row)+0.5)*c, size, turned, fill)
		}
	}
}

// A sign is a part of the column of a hand.
type sign struct {
	text string
	size float64 // in sides of a square
	gap  float64 // above it
	face face
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
		if s.face == pieceFace {
			w.glyph(pieceFace, []rune(s.text)[0], x, y, s.size*scale, false, w.ink)
		} else {
			w.centred(s.text, x, y, s.size*scale, w.ink)
		}
		y += s.size / 2 * scale
	}
}

func (w *drawing) signs(side shogi.Color) []sign {
	signs := append(make([]sign, 0, 24), sign{text: string(sideMarks[side]), size: 0.60, face: textFace})
	h := w.position.Hand(side)
	if w.options.Lang == English {
		for _, t := range handOrder {
			if n := h.Count(t); n > 0 {
				signs = append(signs, sign{string(kanji[t]), 0.62, 0.16, pieceFace})
				if n > 1 {
					signs = append(signs, sign{strconv.Itoa(n), 0.40, 0.0, textFace})
				}
			}
		}
		if h.IsEmpty() {
			signs = append(signs, sign{"–", 0.5, 0.1, textFace})
		}
		return signs
	}
	signs = append(signs, sign{"持", 0.42, 0.06, textFace}, sign{"駒", 0.42, 0, textFace})
	gap := 0.22
	for _, t := range handOrder {
		n := h.Count(t)
		if n == 0 {
			continue
		}
		signs = append(signs, sign{string(kanji[t]), 0.62, gap, pieceFace})
		gap = 0.2
		space := 0.04
		for _, numeral := range countText(n) {
			signs = append(signs, sign{string(numeral), 0.44, space, textFace})
			space = 0
		}
	}
	if h.IsEmpty() {
		signs = append(signs, sign{"な", 0.46, gap, textFace}, sign{"し", 0.46, 0, textFace})
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
