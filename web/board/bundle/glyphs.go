package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// names are the characters on the pieces.
const names = "歩香桂銀金角飛玉と杏圭全馬龍"

// unit is how many thousandths of an em the outlines are rounded to: on the widest board, a third
// of a pixel.
const unit = 11

// symbolScale is how much larger than kanji symbols are, which leave the edge of a piece free.
const symbolScale = 1.3

// pairs are the two characters on the same pieces, as on those of wood.
var pairs = strings.Fields("歩兵 香車 桂馬 銀将 金将 角行 飛車 玉将 と金 成香 成桂 成銀 龍馬 龍王")

// glyphs makes the modules "pieces", "symbols" and "pairs" of the outlines of the sets of pieces,
// as short as a text of one character to a command or a number can be: see glyphs.ts, which reads
// it.
var glyphs = api.Plugin{Name: "glyphs", Setup: func(build api.PluginBuild) {
	resolve := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: args.Path, Namespace: "pieces"}, nil
	}
	load := func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		face, scale := outlines.Pieces, 1.0
		if args.Path == "symbols" {
			face, scale = outlines.Symbols(), symbolScale
		}
		var all []string
		for _, char := range names {
			segments, err := drawn(face, char)
			if args.Path == "pairs" {
				segments, err = drawnPair(char)
			}
			if err != nil {
				return api.OnLoadResult{}, err
			}
			all = append(all, string(char)+path(segments))
		}
		contents := fmt.Sprintf("export default %q; export const UNIT = %g", strings.Join(all, " "), unit*scale)
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
	}
	build.OnResolve(api.OnResolveOptions{Filter: `^(pieces|symbols|pairs)$`}, resolve)
	build.OnLoad(api.OnLoadOptions{Filter: ".", Namespace: "pieces"}, load)
}}

// drawn returns the outline of a character.
func drawn(face *outlines.Face, char rune) ([]outlines.Segment, error) {
	g, ok := face.Glyph(char)
	if !ok {
		return nil, fmt.Errorf("the outlines lack %c", char)
	}
	return g.AppendSegments(nil), nil
}

// Of an em, how wide and how high each of two characters on a piece is.
const pairWidth, pairHeight = 0.66, 0.6

// drawnPair returns the outlines of the two characters for a name, one below the other.
func drawnPair(name rune) (both []outlines.Segment, err error) {
	middle := -pairHeight / 2
	for _, char := range pairs[strings.IndexRune(names, name)/len("歩")] {
		segments, err := drawn(outlines.Text, char)
		if err != nil {
			return nil, err
		}
		for _, s := range segments {
			for i, p := range s.P {
				x, y := float64(p.X-outlines.Middle.X), float64(p.Y-outlines.Middle.Y)
				s.P[i] = outlines.Point{
					X: outlines.Middle.X + int(math.Round(pairWidth*x)),
					Y: outlines.Middle.Y + int(math.Round(pairHeight*y+middle*outlines.Em)),
				}
			}
			both = append(both, s)
		}
		middle += pairHeight
	}
	return both, nil
}

// The commands: those of SVG, in this order from character 34 on.
const (
	move = iota
	line
	horizontal
	vertical
	cubic
	quadratic
)

// path writes an outline with relative commands. Contours are not closed, which their fill does not
// need, so that each is relative to the end of the one before.
func path(segments []outlines.Segment) string {
	var b strings.Builder
	last := -1
	at := outlines.Point{}
	round := func(p outlines.Point) outlines.Point {
		return outlines.Point{X: rounded(p.X - outlines.Middle.X), Y: rounded(p.Y - outlines.Middle.Y)}
	}
	write := func(command int, numbers ...int) {
		if command != last {
			b.WriteRune(rune(34 + command))
		}
		last = command
		if command == move {
			last = line // as SVG reads it
		}
		for _, n := range numbers {
			// Small numbers of either sign are the first of 87 printable characters; after those
			// come others of two bytes.
			zigzag := 2 * n
			if n < 0 {
				zigzag = -2*n - 1
			}
			char := rune(40 + zigzag)
			if char > 126 {
				char += 34
			}
			b.WriteRune(char)
		}
	}
	from := outlines.Point{} // at, before rounding
	for i := range segments {
		s := &segments[i]
		p := round(s.P[0])
		switch {
		case s.Op == outlines.CurveTo:
			r := round(s.P[2])
			if c, ok := oneControl(from, s.P); ok {
				q := round(c)
				write(quadratic, q.X-at.X, q.Y-at.Y, r.X-at.X, r.Y-at.Y)
			} else {
				q := round(s.P[1])
				write(cubic, p.X-at.X, p.Y-at.Y, q.X-at.X, q.Y-at.Y, r.X-at.X, r.Y-at.Y)
			}
			p = r
		case s.Op == outlines.MoveTo:
			last = -1
			write(move, p.X-at.X, p.Y-at.Y)
		case p.Y == at.Y:
			write(horizontal, p.X-at.X)
		case p.X == at.X:
			write(vertical, p.Y-at.Y)
		default:
			write(line, p.X-at.X, p.Y-at.Y)
		}
		at = p
		from = s.Points()[len(s.Points())-1]
	}
	return b.String()
}

// oneControl returns the control point of the curve of second degree that is next to a cubic one,
// and whether the two are nowhere further apart than the rounding.
func oneControl(from outlines.Point, p [3]outlines.Point) (outlines.Point, bool) {
	// The two guesses of it that either end of the cubic makes, and their middle. The curves differ
	// by at most √3/18 of the difference of those guesses, times two.
	ax, ay := float64(3*p[0].X-from.X)/2, float64(3*p[0].Y-from.Y)/2
	bx, by := float64(3*p[1].X-p[2].X)/2, float64(3*p[1].Y-p[2].Y)/2
	far := math.Hypot(ax-bx, ay-by) * math.Sqrt(3) / 9
	return outlines.Point{X: int(math.Round((ax + bx) / 2)), Y: int(math.Round((ay + by) / 2))}, far <= unit
}

// rounded returns n in units, to the nearest.
func rounded(n int) int {
	if n < 0 {
		return -rounded(-n)
	}
	return (n + unit/2) / unit
}
