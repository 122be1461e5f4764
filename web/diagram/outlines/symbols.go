package outlines

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Symbols is the international set: the pieces as pictures, for those who do not read kanji. They
// are drawn for this project, by the numbers below. The pieces have the names that they have in
// Pieces, and Body is the five-sided piece around each, which shows whose it is.
//
//	king      a crown            gold    a star of six points, to where it moves
//	rook      a tower            silver  a ring with five points, to where it moves
//	bishop    a mitre            knight  the head of a horse
//	pawn      as in chess        lance   a long arrow
//
// A promoted piece has a plus, as it has in SFEN.
var Symbols = sync.OnceValue(newSymbols)

// Body is the name of the outline of a piece in Symbols.
const Body = '☗'

// A contour is a closed line around the middle of a piece: what lies inside is filled if the line
// runs clockwise, and cut out of what is filled if it runs the other way.
type contour []Segment

// The parts of the symbols, as SVG paths of absolute commands: x to the right, y down, the middle
// of the piece at 0 0. They lie inside the body, and no two that are filled overlap: rasterizers
// that sum up what is covered would make their common edges too dark.
const (
	bodyPath  = "M0 -500 L340 -390 L440 490 L-440 490 L-340 -390 Z M0 -456 L-304 -358 L-394 448 L394 448 L304 -358 Z"
	crownPath = "M-240 120 L-270 -150 L-125 -10 L0 -225 L125 -10 L270 -150 L240 120 Z M-245 175 L245 175 L245 285 L-245 285 Z"
	towerPath = "M-245 -290 L-135 -290 L-135 -200 L-55 -200 L-55 -290 L55 -290 L55 -200 L135 -200 L135 -290 L245 -290 L245 -95 L160 -30 L180 190 L285 215 L285 310 L-285 310 L-285 215 L-180 190 L-160 -30 L-245 -95 Z"
	mitrePath = "M0 -290 C70 -240 215 -110 215 30 C215 110 175 165 125 200 L-125 200 C-175 165 -215 110 -215 30 C-215 -110 -70 -240 0 -290 Z M95 -160 L-5 10 L45 40 L140 -105 Z M-265 240 L265 240 L265 315 L-265 315 Z"
	pawnPath  = "M-75 -25 L75 -25 L115 165 L210 210 L210 300 L-210 300 L-210 210 L-115 165 Z"
	arrowPath = "M0 -350 L165 -80 L50 -105 L50 320 L-50 320 L-50 -105 L-165 -80 Z"
	horsePath = "M-50 -330 L15 -245 C175 -220 250 -60 240 190 L265 310 L-185 310 L-175 235 C-160 120 -25 85 -10 -25 C-70 10 -115 15 -150 60 L-235 110 L-290 40 L-268 -25 C-225 -95 -190 -160 -110 -225 Z"
	plusPath  = "M165 150 L235 150 L235 215 L300 215 L300 285 L235 285 L235 350 L165 350 L165 285 L100 285 L100 215 L165 215 Z"

	starRadius = 330 // of the points of a general's star
	starBase   = 165 // of what is between them
	ringHole   = 75
)

func newSymbols() *Face {
	tips := []contour{disc(-255, -225, 38), disc(0, -305, 38), disc(255, -225, 38)}
	unpromoted := map[rune][]contour{
		'玉': append(contours(crownPath), tips...),
		'飛': contours(towerPath),
		'角': append(contours(mitrePath), disc(0, -352, 38)),
		'金': {star(0, 1, 2, 4, 6, 7)},
		'銀': {star(0, 1, 3, 5, 7), reversed(disc(0, 0, ringHole))},
		'桂': append(contours(horsePath), reversed(disc(-85, -125, 26))),
		'香': contours(arrowPath),
		'歩': append(contours(pawnPath), disc(0, -170, 115)),
	}
	glyphs := []Outline{outline(Body, contours(bodyPath))}
	for name, shape := range unpromoted {
		glyphs = append(glyphs, outline(name, shape))
	}
	for name, from := range map[rune]rune{'龍': '飛', '馬': '角', '全': '銀', '圭': '桂', '杏': '香', 'と': '歩'} {
		var shape []contour
		for _, c := range unpromoted[from] {
			shape = append(shape, scaled(c, 0.8, -75, -75))
		}
		glyphs = append(glyphs, outline(name, append(shape, contours(plusPath)...)))
	}
	slices.SortFunc(glyphs, func(a, b Outline) int { return cmp.Compare(a.Char, b.Char) })
	return newFace(string(Encode(glyphs)))
}

// outline moves contours to where glyphs lie.
func outline(name rune, shape []contour) Outline {
	o := Outline{Char: name, Advance: Em}
	for _, c := range shape {
		o.Segments = append(o.Segments, scaled(c, 1, Middle.X, Middle.Y)...)
	}
	return o
}

// contours reads a path of the commands M, L, C and Z. The paths are part of the program.
func contours(path string) (all []contour) {
	number := func(word string) int {
		n, err := strconv.Atoi(word)
		if err != nil {
			panic(err)
		}
		return n
	}
	words := strings.Fields(strings.NewReplacer("M", "M ", "L", "L ", "C", "C ").Replace(path))
	for len(words) > 0 {
		s := Segment{Op: LineTo}
		switch words[0] {
		case "Z":
			words = words[1:]
			continue
		case "M":
			s.Op = MoveTo
			all = append(all, nil)
		case "C":
			s.Op = CurveTo
		}
		for i := range s.Points() {
			s.P[i] = Point{number(words[1+2*i]), number(words[2+2*i])}
		}
		words = words[1+2*len(s.Points()):]
		last := len(all) - 1
		all[last] = append(all[last], s)
	}
	return all
}

// disc returns a circle of four curves that keep within 0.03 % of it.
func disc(x, y, radius int) contour {
	k := int(math.Round(0.5522847498 * float64(radius)))
	r := radius
	return contour{
		{MoveTo, [3]Point{{x, y - r}}},
		{CurveTo, [3]Point{{x + k, y - r}, {x + r, y - k}, {x + r, y}}},
		{CurveTo, [3]Point{{x + r, y + k}, {x + k, y + r}, {x, y + r}}},
		{CurveTo, [3]Point{{x - k, y + r}, {x - r, y + k}, {x - r, y}}},
		{CurveTo, [3]Point{{x - r, y - k}, {x - k, y - r}, {x, y - r}}},
	}
}

// star returns a star with points to some of the eight neighbours of a square, which are numbered
// clockwise from the one straight ahead.
func star(points ...int) contour {
	var c contour
	for i := range 16 { // odd ones are between two neighbours
		radius := float64(starBase)
		if i%2 == 0 && slices.Contains(points, i/2) {
			radius = starRadius
		}
		sin, cos := math.Sincos(float64(i) * math.Pi / 8)
		at := Point{int(math.Round(radius * sin)), int(math.Round(-radius * cos))}
		c = append(c, Segment{LineTo, [3]Point{at}})
	}
	c[0].Op = MoveTo
	return c
}

func scaled(c contour, by float64, dx, dy int) contour {
	moved := slices.Clone(c)
	for i := range moved {
		for j := range moved[i].Points() {
			p := &moved[i].P[j]
			*p = Point{int(math.Round(float64(p.X)*by)) + dx, int(math.Round(float64(p.Y)*by)) + dy}
		}
	}
	return moved
}

// reversed returns a contour that runs the other way.
func reversed(c contour) contour {
	ends := make([]Point, len(c)) // of the segments
	for i := range c {
		points := c[i].Points()
		ends[i] = points[len(points)-1]
	}
	back := contour{{MoveTo, [3]Point{ends[len(ends)-1]}}}
	for i := len(c) - 1; i > 0; i-- {
		s := Segment{Op: c[i].Op, P: [3]Point{ends[i-1]}}
		if s.Op == CurveTo {
			s.P = [3]Point{c[i].P[1], c[i].P[0], ends[i-1]}
		}
		back = append(back, s)
	}
	return back
}
