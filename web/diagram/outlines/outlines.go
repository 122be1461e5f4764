// Package outlines holds the shapes of the characters that diagrams are drawn with, so that no font
// need be installed: two subsets of Noto Serif CJK JP (SIL Open Font License 1.1, see OFL.txt), as
// paths and nothing else.
//
//	Pieces   SemiBold   the one-kanji names of the pieces
//	Text     Medium     the characters of Windows-31J and European letters: coordinates, hands and titles
//
// The files are made by the command in folder extract. pieces.bin is also what the board in the
// browser draws with, see Encode for its form.
//
// A glyph lies in a square of Em units, x to the right and y down as on a screen. Its origin is at
// the left end of the baseline; a full-width character fills the square from (0, -Ascent) to (Em,
// Em-Ascent).
package outlines

import (
	_ "embed"
	"encoding/binary"
	"sort"
	"strconv"
	"strings"
)

// The measures of both faces, in units of the outlines.
const (
	Em     = 1000
	Ascent = 880 // of a full-width character above the baseline
)

// Middle is the middle of a full-width character, around which a piece is turned.
var Middle = Point{Em / 2, Em/2 - Ascent}

// Geta (下駄) is the mark that printers put where a type is missing.
const Geta = '〓'

// License is the notice and licence of the fonts, which go wherever the outlines go.
//
//go:embed OFL.txt
var License string

//go:embed pieces.bin
var piecesFile string

//go:embed text.bin
var textFile string

// The faces.
var (
	Pieces = newFace(piecesFile)
	Text   = newFace(textFile)
)

// A Face is a set of glyphs. It is immutable.
type Face struct {
	count int
	index string // of count rows: character (3 bytes), advance (2), offset of the path (3), all big-endian
	paths string
}

// rowSize is the size of a row of the index.
const rowSize = 8

// newFace reads a file that Encode wrote. The file is part of the program.
func newFace(file string) *Face {
	n := int(file[0])<<8 | int(file[1])
	end := 2 + n*rowSize
	return &Face{count: n, index: file[2:end], paths: file[end:]}
}

// Glyph returns the glyph of a character, and whether the face has one.
func (f *Face) Glyph(r rune) (Glyph, bool) {
	i := sort.Search(f.count, func(i int) bool { return f.char(i) >= r })
	if i == f.count || f.char(i) != r {
		return Glyph{}, false
	}
	return f.at(i), true
}

// Len returns how many glyphs the face has.
func (f *Face) Len() int { return f.count }

func (f *Face) char(i int) rune {
	row := f.index[i*rowSize:]
	return rune(row[0])<<16 | rune(row[1])<<8 | rune(row[2])
}

func (f *Face) offset(i int) int {
	if i == f.count {
		return len(f.paths)
	}
	row := f.index[i*rowSize:]
	return int(row[5])<<16 | int(row[6])<<8 | int(row[7])
}

func (f *Face) at(i int) Glyph {
	row := f.index[i*rowSize:]
	return Glyph{Char: f.char(i), Advance: int(row[3])<<8 | int(row[4]), path: f.paths[f.offset(i):f.offset(i+1)]}
}

// A Glyph is the outline of a character. Its contours are closed and filled by the nonzero rule.
type Glyph struct {
	Char    rune
	Advance int // how far the next character stands to the right
	path    string
}

// An Op says what a Segment does.
type Op uint8

// The operations.
const (
	MoveTo  Op = iota // begin a contour at P[0], closing the one before
	LineTo            // a straight line to P[0]
	CurveTo           // a cubic Bézier curve with the control points P[0] and P[1] to P[2]
)

// A Point is a place in a glyph.
type Point struct{ X, Y int }

// A Segment is a part of an outline.
type Segment struct {
	Op Op
	P  [3]Point
}

// Points returns the points of s that count.
func (s *Segment) Points() []Point {
	if s.Op == CurveTo {
		return s.P[:]
	}
	return s.P[:1]
}

// The operations of a path in a file. Points are differences to the one before.
const (
	opMove       = iota // x, y
	opLine              // x, y
	opHorizontal        // x
	opVertical          // y
	opCurve             // three points
)

// IsBlank reports whether there is nothing to see.
func (g Glyph) IsBlank() bool { return g.path == "" }

// AppendSegments appends the outline of g.
func (g Glyph) AppendSegments(dst []Segment) []Segment {
	var at Point
	path := g.path
	number := func() int {
		v, shift := 0, 0
		for {
			b := path[0]
			path = path[1:]
			v |= int(b&0x7f) << shift
			if b < 0x80 {
				return v>>1 ^ -(v & 1)
			}
			shift += 7
		}
	}
	point := func() Point {
		at.X += number()
		at.Y += number()
		return at
	}
	for len(path) > 0 {
		op := path[0]
		path = path[1:]
		switch op {
		case opMove:
			dst = append(dst, Segment{MoveTo, [3]Point{point()}})
		case opLine:
			dst = append(dst, Segment{LineTo, [3]Point{point()}})
		case opHorizontal:
			at.X += number()
			dst = append(dst, Segment{LineTo, [3]Point{at}})
		case opVertical:
			at.Y += number()
			dst = append(dst, Segment{LineTo, [3]Point{at}})
		case opCurve:
			dst = append(dst, Segment{CurveTo, [3]Point{point(), point(), point()}})
		}
	}
	return dst
}

// An Outline is a glyph for Encode.
type Outline struct {
	Char     rune
	Advance  int
	Segments []Segment
}

// Encode returns the file of a face. The outlines must be in the order of their characters. The
// file is
//
//	2 bytes                 the number of glyphs
//	8 bytes for each glyph  character (3), advance (2), offset of its path after the rows (3)
//	the paths               operations: a byte 0 to 4 and its numbers, see opMove and the following
//
// with big-endian integers in the rows. The numbers of paths are signed varints as encoding/binary
// has them (zigzag, seven bits to a byte, the low ones first), differences to the point before; the
// first is from (0, 0).
func Encode(glyphs []Outline) []byte {
	file := []byte{byte(len(glyphs) >> 8), byte(len(glyphs))}
	var paths []byte
	for _, g := range glyphs {
		file = append(file, byte(g.Char>>16), byte(g.Char>>8), byte(g.Char), byte(g.Advance>>8), byte(g.Advance),
			byte(len(paths)>>16), byte(len(paths)>>8), byte(len(paths)))
		var at Point
		number := func(n int) { paths = binary.AppendVarint(paths, int64(n)) }
		point := func(p Point) {
			number(p.X - at.X)
			number(p.Y - at.Y)
			at = p
		}
		for _, s := range g.Segments {
			switch p := s.P[0]; {
			case s.Op == MoveTo:
				paths = append(paths, opMove)
				point(p)
			case s.Op == LineTo && p.Y == at.Y:
				paths = append(paths, opHorizontal)
				number(p.X - at.X)
				at = p
			case s.Op == LineTo && p.X == at.X:
				paths = append(paths, opVertical)
				number(p.Y - at.Y)
				at = p
			case s.Op == LineTo:
				paths = append(paths, opLine)
				point(p)
			case s.Op == CurveTo:
				paths = append(paths, opCurve)
				for _, p := range s.P {
					point(p)
				}
			}
		}
	}
	return append(file, paths...)
}

// SVG returns the outline as the value of a path's attribute d, with the place from in the origin
// and as short as relative commands make it.
func SVG(segments []Segment, from Point) string {
	var w pathWriter
	at := from
	start := at // of the contour, where z leads back to
	for i, s := range segments {
		p := s.P[0]
		if s.Op == MoveTo && i > 0 {
			w.command('z')
			at = start
		}
		switch {
		case s.Op == MoveTo:
			w.command('m', p.X-at.X, p.Y-at.Y)
			start = p
		case s.Op == LineTo && p.Y == at.Y:
			w.command('h', p.X-at.X)
		case s.Op == LineTo && p.X == at.X:
			w.command('v', p.Y-at.Y)
		case s.Op == LineTo:
			w.command('l', p.X-at.X, p.Y-at.Y)
		case s.Op == CurveTo:
			q, r := s.P[1], s.P[2]
			previous := Point{}
			if i > 0 && segments[i-1].Op == CurveTo {
				previous = Point{at.X - segments[i-1].P[1].X, at.Y - segments[i-1].P[1].Y}
			}
			if (Point{p.X - at.X, p.Y - at.Y}) == previous {
				w.command('s', q.X-at.X, q.Y-at.Y, r.X-at.X, r.Y-at.Y)
			} else {
				w.command('c', p.X-at.X, p.Y-at.Y, q.X-at.X, q.Y-at.Y, r.X-at.X, r.Y-at.Y)
			}
			p = r
		}
		at = p
	}
	if len(segments) > 0 {
		w.command('z')
	}
	return w.text.String()
}

// A pathWriter leaves out what path data can do without: a command that is the one before, blanks
// before a minus.
type pathWriter struct {
	text strings.Builder
	last byte
}

func (w *pathWriter) command(name byte, numbers ...int) {
	fresh := name != w.last
	if fresh {
		w.text.WriteByte(name)
	}
	for i, n := range numbers {
		if n >= 0 && (i > 0 || !fresh) {
			w.text.WriteByte(' ')
		}
		w.text.WriteString(strconv.Itoa(n))
	}
	w.last = name
}
