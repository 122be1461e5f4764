package outlines_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// pieces are the kinds as diagrams name them.
const pieces = "歩香桂銀角飛金玉王と杏圭全馬龍竜"

func TestFaces(t *testing.T) {
	if n := outlines.Pieces.Len(); n != len([]rune(pieces)) {
		t.Errorf("%d pieces, want %d", n, len([]rune(pieces)))
	}
	for _, r := range pieces {
		checkGlyph(t, outlines.Pieces, r)
	}
	// Level 1 and level 2 of JIS X 0208, the vendors' kanji, kana, Latin, full-width forms, the
	// marks of the sides.
	for _, r := range "亜詰将棋図巧無双腕弌熙髙﨑①ⅣあんアンーヴｱABCxyzéōŪ–—’”１９ａＺ☗☖▲△「」、。…〓" {
		checkGlyph(t, outlines.Text, r)
	}
	for _, r := range "😀ꡀ\n\x00" {
		if _, ok := outlines.Text.Glyph(r); ok {
			t.Errorf("%q has a glyph", r)
		}
	}
	for _, r := range " \u00a0　" {
		g, ok := outlines.Text.Glyph(r)
		if !ok || g.Advance == 0 || len(g.AppendSegments(nil)) != 0 {
			t.Errorf("%q is no blank: %v, advance %d", r, ok, g.Advance)
		}
	}
}

// The symbols have a picture for each kind, no two the same, and each lies inside the body of a
// piece.
func TestSymbols(t *testing.T) {
	body, ok := outlines.Symbols().Glyph(outlines.Body)
	if !ok {
		t.Fatal("there is no body")
	}
	// half is half as wide as the body is at a height: its outer contour is straight there.
	half := func(y int) int {
		segments := body.AppendSegments(nil)
		shoulder, base := segments[1].P[0], segments[2].P[0]
		if y < shoulder.Y {
			top := segments[0].P[0]
			return (shoulder.X - top.X) * (y - top.Y) / (shoulder.Y - top.Y)
		}
		return shoulder.X - outlines.Middle.X + (base.X-shoulder.X)*(y-shoulder.Y)/(base.Y-shoulder.Y)
	}
	seen := map[string]rune{}
	for _, r := range "歩香桂銀角飛金玉と杏圭全馬龍" {
		checkGlyph(t, outlines.Symbols(), r)
		g, _ := outlines.Symbols().Glyph(r)
		segments := g.AppendSegments(nil)
		upright := outlines.SVG(segments, outlines.Point{})
		if twin, ok := seen[upright]; ok {
			t.Errorf("%c and %c look the same", r, twin)
		}
		seen[upright] = r
		top, bottom := outlines.Middle.Y, outlines.Middle.Y
		for _, s := range segments {
			for _, p := range s.Points() {
				top, bottom = min(top, p.Y), max(bottom, p.Y)
				if x := p.X - outlines.Middle.X; max(x, -x) > half(p.Y) {
					t.Errorf("%c leaves the body at %v", r, p)
				}
			}
		}
		if above, below := outlines.Middle.Y-top, bottom-outlines.Middle.Y; above < 200 || below < 200 {
			t.Errorf("%c is %d high above the middle and %d below", r, above, below)
		}
	}
	if n := outlines.Symbols().Len(); n != len(seen)+1 {
		t.Errorf("%d symbols, want %d", n, len(seen)+1)
	}
}

// A glyph has contours, lies about where its character stands, and full-width ones advance by the
// square.
func checkGlyph(t *testing.T, f *outlines.Face, r rune) {
	t.Helper()
	g, ok := f.Glyph(r)
	if !ok || g.Char != r {
		t.Errorf("%q has no glyph", r)
		return
	}
	path := g.AppendSegments(nil)
	if len(path) < 3 || path[0].Op != outlines.MoveTo {
		t.Errorf("%q: %d segments, expected a contour", r, len(path))
	}
	if r >= 0x3000 && r < 0xff00 && g.Advance != outlines.Em {
		t.Errorf("%q: advance %d, want %d", r, g.Advance, outlines.Em)
	}
	for _, s := range path {
		for _, p := range s.P[:1] {
			if p.X < -200 || p.X > outlines.Em+200 || p.Y < -outlines.Ascent-200 || p.Y > outlines.Em-outlines.Ascent+200 {
				t.Errorf("%q goes to %v", r, p)
			}
		}
	}
}

func TestEveryGlyphReads(t *testing.T) {
	n := 0
	for _, f := range []*outlines.Face{outlines.Pieces, outlines.Text} {
		var all []outlines.Outline
		for r := rune(0); r < 0x20000; r++ {
			if g, ok := f.Glyph(r); ok {
				all = append(all, outlines.Outline{Char: r, Advance: g.Advance, Segments: g.AppendSegments(nil)})
			}
		}
		if len(all) != f.Len() {
			t.Errorf("%d glyphs found, the face has %d", len(all), f.Len())
		}
		n += len(outlines.Encode(all))
	}
	size := 0
	for _, name := range []string{"pieces.bin", "text.bin"} {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		size += len(file)
	}
	if n != size {
		t.Errorf("written anew the files have %d bytes, committed are %d", n, size)
	}
}

func TestSVG(t *testing.T) {
	square := []outlines.Segment{
		{Op: outlines.MoveTo, P: [3]outlines.Point{{X: 10, Y: 20}}},
		{Op: outlines.LineTo, P: [3]outlines.Point{{X: 30, Y: 20}}},
		{Op: outlines.LineTo, P: [3]outlines.Point{{X: 30, Y: 0}}},
		{Op: outlines.LineTo, P: [3]outlines.Point{{X: 25, Y: 2}}},
		{Op: outlines.CurveTo, P: [3]outlines.Point{{X: 24, Y: 2}, {X: 22, Y: 3}, {X: 20, Y: 5}}},
		{Op: outlines.CurveTo, P: [3]outlines.Point{{X: 18, Y: 7}, {X: 15, Y: 9}, {X: 10, Y: 9}}},
		{Op: outlines.MoveTo, P: [3]outlines.Point{{X: 0, Y: 0}}},
		{Op: outlines.LineTo, P: [3]outlines.Point{{X: 1, Y: 1}}},
		{Op: outlines.LineTo, P: [3]outlines.Point{{X: 2, Y: 0}}},
	}
	const want = "m0 0h20v-20l-5 2c-1 0-3 1-5 3s-5 4-10 4zm-10-20l1 1 1-1z"
	if got := outlines.SVG(square, outlines.Point{X: 10, Y: 20}); got != want {
		t.Errorf("SVG = %s\nwant  %s", got, want)
	}
}

func TestLicense(t *testing.T) {
	for _, want := range []string{"© 2017-2022 Adobe", "SIL OPEN FONT LICENSE Version 1.1", "THE FONT SOFTWARE IS PROVIDED"} {
		if !strings.Contains(outlines.License, want) {
			t.Errorf("the notice lacks %q", want)
		}
	}
}
