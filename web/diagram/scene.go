package diagram

import (
	"math"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// A scene is what is seen: shapes over a background, in the order they are painted. Units are
// pixels, x to the right and y down. Rectangles lie on whole pixels, so that lines are sharp;
// everything else is rounded to a hundredth, which is what SVG is written with.
type scene struct {
	width, height int
	background    rgb
	shapes        []shape
}

// An rgb is an opaque colour, 0xRRGGBB.
type rgb uint32

// A shape has one fill and is one of three things.
type shape struct {
	kind shapeKind
	fill rgb

	x0, y0, x1, y1 int // of a rectangle

	// The middle of a disc and its radius, or the place of a glyph's origin and the pixels a unit
	// of it takes, negative if it is turned by half a turn.
	x, y, scale float64
	glyph       outlines.Glyph
	face        face
}

type shapeKind uint8

const (
	rectangle shapeKind = iota
	disc
	character
)

// A face is one of package outlines.
type face uint8

const (
	pieceFace face = iota
	textFace
	symbolFace
)

// glyphOf returns the glyph of a character, or the mark for a missing one.
func (f face) glyphOf(r rune) outlines.Glyph {
	from := [...]*outlines.Face{outlines.Pieces, outlines.Text, outlines.Symbols()}[f]
	g, ok := from.Glyph(r)
	if !ok { // a letter without its accents is better than none
		plain, _ := utf8.DecodeRuneInString(norm.NFKD.String(string(r)))
		g, ok = from.Glyph(plain)
	}
	if !ok {
		g, _ = outlines.Text.Glyph(outlines.Geta)
	}
	return g
}

func hundredth(x float64) float64 { return math.Round(x*100) / 100 }

// precise rounds a scale, which is multiplied by up to a thousand units.
func precise(x float64) float64 { return math.Round(x*1e6) / 1e6 }

func (s *scene) rect(x0, y0, x1, y1 int, fill rgb) {
	s.shapes = append(s.shapes, shape{kind: rectangle, fill: fill, x0: x0, y0: y0, x1: x1, y1: y1})
}

func (s *scene) disc(x, y, radius float64, fill rgb) {
	s.shapes = append(s.shapes, shape{kind: disc, fill: fill, x: hundredth(x), y: hundredth(y), scale: hundredth(radius)})
}

// glyph puts the middle of a full-width character at a place, of a size in pixels per em.
func (s *scene) glyph(f face, r rune, x, y, size float64, turned bool, fill rgb) {
	scale := precise(size / outlines.Em)
	if turned {
		scale = -scale
	}
	g := f.glyphOf(r)
	s.shapes = append(s.shapes, shape{kind: character, fill: fill, face: f, glyph: g, scale: scale,
		x: hundredth(x - scale*float64(g.Advance)/2), y: hundredth(y - scale*float64(outlines.Middle.Y))})
}
