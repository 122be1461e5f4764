package diagram

import (
	"strconv"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// AppendSVG appends the picture as an SVG document. Every character is defined once and used where
// it stands; there are no styles, no scripts and nothing to load, so that it shows the same inside
// any page.
func (d *Diagram) AppendSVG(dst []byte) []byte { return d.AppendInline(dst, nil) }

// Outlines are the characters that the pictures of a page have defined so far. Make one with make.
type Outlines map[pathKey]bool

// AppendInline is AppendSVG for a picture within a page of many: the characters that outlines has are
// not defined again, and those that are new are added to it. nil has none and gets none.
func (d *Diagram) AppendInline(dst []byte, outlines Outlines) []byte {
	dst = append(dst, `<svg xmlns="http://www.w3.org/2000/svg" width="`...)
	dst = strconv.AppendInt(dst, int64(d.width), 10)
	dst = append(dst, `" height="`...)
	dst = strconv.AppendInt(dst, int64(d.height), 10)
	dst = append(dst, `" viewBox="0 0 `...)
	dst = strconv.AppendInt(dst, int64(d.width), 10)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(d.height), 10)
	dst = append(dst, `" role="img"><title>`...)
	dst = appendEscaped(dst, d.name)
	dst = append(dst, `</title><desc>`...)
	dst = appendEscaped(dst, d.words)
	dst = append(dst, `</desc><defs>`...)
	dst = d.appendDefinitions(dst, outlines)
	dst = append(dst, `</defs><path fill="`...)
	dst = appendColour(dst, d.background)
	dst = append(dst, `" d="M0 0h`...)
	dst = strconv.AppendInt(dst, int64(d.width), 10)
	dst = append(dst, 'v')
	dst = strconv.AppendInt(dst, int64(d.height), 10)
	dst = append(dst, `H0z"/>`...)
	dst = d.appendShapes(dst)
	return append(dst, `</svg>`...)
}

// appendDefinitions appends the outline of every character of the picture once, without those that
// the page has.
func (d *Diagram) appendDefinitions(dst []byte, page Outlines) []byte {
	for i := range d.shapes {
		s := &d.shapes[i]
		if s.kind != character || s.glyph.IsBlank() || d.hasBefore(i) {
			continue
		}
		if key := s.pathKey(); page[key] {
			continue
		} else if page != nil {
			page[key] = true
		}
		dst = append(dst, `<path id="`...)
		dst = appendID(dst, s)
		dst = append(dst, `" d="`...)
		dst = append(dst, s.pathData()...)
		dst = append(dst, `"/>`...)
	}
	return dst
}

// hasBefore reports whether the character of shape i is that of one before it. A picture has some
// dozens.
func (d *Diagram) hasBefore(i int) bool {
	s := &d.shapes[i]
	for j := range d.shapes[:i] {
		if o := &d.shapes[j]; o.kind == character && o.glyph.Char == s.glyph.Char && o.face == s.face {
			return true
		}
	}
	return false
}

// appendShapes appends the shapes: runs of one colour in a group, runs of rectangles in one path.
func (d *Diagram) appendShapes(dst []byte) []byte {
	for i := 0; i < len(d.shapes); {
		fill := d.shapes[i].fill
		dst = append(dst, `<g fill="`...)
		dst = appendColour(dst, fill)
		dst = append(dst, `">`...)
		for i < len(d.shapes) && d.shapes[i].fill == fill {
			switch s := &d.shapes[i]; s.kind {
			case rectangle:
				dst = append(dst, `<path d="`...)
				for ; i < len(d.shapes) && d.shapes[i].fill == fill && d.shapes[i].kind == rectangle; i++ {
					dst = d.shapes[i].appendRectangle(dst)
				}
				dst = append(dst, `"/>`...)
				continue
			case disc:
				dst = append(dst, `<circle cx="`...)
				dst = appendNumber(dst, s.x)
				dst = append(dst, `" cy="`...)
				dst = appendNumber(dst, s.y)
				dst = append(dst, `" r="`...)
				dst = appendNumber(dst, s.scale)
				dst = append(dst, `"/>`...)
			case character:
				if !s.glyph.IsBlank() {
					dst = s.appendUse(dst)
				}
			}
			i++
		}
		dst = append(dst, `</g>`...)
	}
	return dst
}

func (s *shape) appendRectangle(dst []byte) []byte {
	dst = append(dst, 'M')
	dst = strconv.AppendInt(dst, int64(s.x0), 10)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(s.y0), 10)
	dst = append(dst, 'H')
	dst = strconv.AppendInt(dst, int64(s.x1), 10)
	dst = append(dst, 'V')
	dst = strconv.AppendInt(dst, int64(s.y1), 10)
	dst = append(dst, 'H')
	dst = strconv.AppendInt(dst, int64(s.x0), 10)
	return append(dst, 'z')
}

func (s *shape) appendUse(dst []byte) []byte {
	dst = append(dst, `<use href="#`...)
	dst = appendID(dst, s)
	dst = append(dst, `" transform="translate(`...)
	dst = appendNumber(dst, s.x)
	dst = append(dst, ' ')
	dst = appendNumber(dst, s.y)
	dst = append(dst, `)scale(`...)
	dst = appendNumber(dst, s.scale)
	return append(dst, `)"/>`...)
}

// appendID appends the name of a character's outline, which is the same in all pictures: several
// can stand in one page.
func appendID(dst []byte, s *shape) []byte {
	dst = append(dst, "pts"[s.face])
	return strconv.AppendInt(dst, int64(s.glyph.Char), 16)
}

// appendNumber appends a number with the digits it was rounded to.
func appendNumber(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'f', -1, 64) }

func appendColour(dst []byte, c rgb) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '#')
	for shift := 20; shift >= 0; shift -= 4 {
		dst = append(dst, digits[c>>shift&15])
	}
	return dst
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func appendEscaped(dst []byte, s string) []byte { return append(dst, escaper.Replace(s)...) }

// drawnPaths keeps the path data of the characters that every diagram has. Titles are not kept:
// strangers choose them.
var drawnPaths sync.Map // from pathKey to string

type pathKey struct {
	face face
	char rune
}

func (s *shape) pathKey() pathKey { return pathKey{s.face, s.glyph.Char} }

// furniture are the characters of text that are kept.
const furniture = "一二三四五六七八九十0123456789abcdefghi☗☖持駒先後手番なしBlackWhitetopy "

// pathData returns the outline of the character of s as the attribute d of a path.
func (s *shape) pathData() string {
	key := s.pathKey()
	if data, ok := drawnPaths.Load(key); ok {
		return data.(string)
	}
	data := outlines.SVG(s.glyph.AppendSegments(nil), outlines.Point{})
	if s.face != textFace || strings.ContainsRune(furniture, s.glyph.Char) {
		drawnPaths.Store(key, data)
	}
	return data
}
