// Command extract makes the files of package outlines from the fonts, when the choice of characters
// changes:
//
//	apt-get download fonts-noto-cjk-extra && dpkg -x fonts-noto-cjk-extra_*.deb noto
//	go run ./web/diagram/outlines/extract -fonts noto/usr/share/fonts/opentype/noto -to web/diagram/outlines
//
// The committed files come from version 2.001 of the fonts (Debian 1:20220127+repack1-1).
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/encoding/japanese"

	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// pieces are the names of the pieces in one kanji each, with the other forms of king and dragon.
const pieces = "歩香桂銀角飛金玉王と杏圭全馬龍竜"

func main() {
	fonts := flag.String("fonts", "", "the `folder` of NotoSerifCJK-Medium.ttc and NotoSerifCJK-SemiBold.ttc")
	to := flag.String("to", ".", "the `folder` the files go to")
	flag.Parse()
	if err := run(*fonts, *to); err != nil {
		fmt.Fprintln(os.Stderr, "extract:", err)
		os.Exit(1)
	}
}

func run(fonts, to string) error {
	semiBold, err := open(filepath.Join(fonts, "NotoSerifCJK-SemiBold.ttc"))
	if err != nil {
		return err
	}
	medium, err := open(filepath.Join(fonts, "NotoSerifCJK-Medium.ttc"))
	if err != nil {
		return err
	}
	pieceGlyphs, err := semiBold.load([]rune(pieces))
	if err != nil {
		return err
	}
	textGlyphs, err := medium.load(textCharacters())
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"pieces.bin": outlines.Encode(pieceGlyphs),
		"text.bin":   outlines.Encode(textGlyphs),
	} {
		if err := os.WriteFile(filepath.Join(to, name), content, 0o644); err != nil {
			return err
		}
		fmt.Println(name, len(content), "bytes")
	}
	return nil
}

// textCharacters returns what titles are written with: every character of Windows-31J, the Japanese
// encoding of records, the letters of European languages (among them those of romanised Japanese),
// punctuation, and the marks of the two sides.
func textCharacters() []rune {
	runes := []rune("☗☖")
	for _, block := range [][2]rune{{' ', '~'}, {0xa0, 0x17f}, {0x2010, 0x2027}, {0x2030, 0x203e}} {
		for r := block[0]; r <= block[1]; r++ {
			runes = append(runes, r)
		}
	}
	decoder := japanese.ShiftJIS.NewDecoder()
	for lead := 0x81; lead <= 0xfc; lead++ {
		if lead >= 0xa0 && lead <= 0xdf || lead >= 0xf0 && lead <= 0xf9 { // half-width kana, and characters of one's own
			continue
		}
		for trail := 0x40; trail <= 0xfc; trail++ {
			text, err := decoder.Bytes([]byte{byte(lead), byte(trail)})
			if r := []rune(string(text)); err == nil && len(r) == 1 && r[0] != '\ufffd' {
				runes = append(runes, r[0])
			}
		}
	}
	for r := '｡'; r <= 'ﾟ'; r++ {
		runes = append(runes, r)
	}
	return runes
}

// A source is a font that is read.
type source struct {
	font   *sfnt.Font
	buffer sfnt.Buffer
}

// open reads the Japanese font of a collection.
func open(name string) (*source, error) {
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	collection, err := sfnt.ParseCollection(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err := collection.Font(0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.UnitsPerEm() != outlines.Em {
		return nil, fmt.Errorf("%s: %d units per em, expected %d", name, f.UnitsPerEm(), outlines.Em)
	}
	return &source{font: f}, nil
}

// load returns the glyphs of the characters, in their order and each once. It says which the font
// lacks.
func (s *source) load(runes []rune) ([]outlines.Outline, error) {
	runes = slices.Clone(runes)
	slices.Sort(runes)
	runes = slices.Compact(runes)
	var glyphs []outlines.Outline
	var missing []rune
	scale := fixed.I(outlines.Em) // one unit is one pixel
	for _, r := range runes {
		id, err := s.font.GlyphIndex(&s.buffer, r)
		if err != nil {
			return nil, err
		}
		if id == 0 {
			missing = append(missing, r)
			continue
		}
		advance, err := s.font.GlyphAdvance(&s.buffer, id, scale, font.HintingNone)
		if err != nil {
			return nil, err
		}
		path, err := s.font.LoadGlyph(&s.buffer, id, scale, nil)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", r, err)
		}
		glyph := outlines.Outline{Char: r, Advance: advance.Round()}
		for _, part := range path {
			segment, err := convert(part)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", r, err)
			}
			glyph.Segments = append(glyph.Segments, segment)
		}
		glyph.Segments = withoutClosing(glyph.Segments)
		glyphs = append(glyphs, glyph)
	}
	if len(missing) > 0 {
		fmt.Printf("the font lacks %q\n", string(missing))
	}
	return glyphs, nil
}

func convert(part sfnt.Segment) (outlines.Segment, error) {
	s := outlines.Segment{}
	n := 1
	switch part.Op {
	case sfnt.SegmentOpMoveTo:
		s.Op = outlines.MoveTo
	case sfnt.SegmentOpLineTo:
		s.Op = outlines.LineTo
	case sfnt.SegmentOpCubeTo:
		s.Op, n = outlines.CurveTo, 3
	default:
		return s, fmt.Errorf("operation %d is not one of CFF outlines", part.Op)
	}
	for i := range n {
		s.P[i] = outlines.Point{X: part.Args[i].X.Round(), Y: part.Args[i].Y.Round()}
	}
	return s, nil
}

// withoutClosing leaves out the line with which a contour is closed: every contour is.
func withoutClosing(path []outlines.Segment) []outlines.Segment {
	var out []outlines.Segment
	var start outlines.Point
	for i, s := range path {
		if s.Op == outlines.MoveTo {
			start = s.P[0]
		}
		last := i+1 == len(path) || path[i+1].Op == outlines.MoveTo
		if s.Op == outlines.LineTo && last && s.P[0] == start {
			continue
		}
		out = append(out, s)
	}
	return out
}
