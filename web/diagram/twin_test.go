package diagram_test

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A second way from SVG to pixels, made for readability: it knows the elements and path commands of
// this package's SVG and refuses everything else. Curves are cut into many straight pieces. Each
// row of pixels is looked at along many lines, of which a part lies inside by the nonzero rule.
const lines = 32

type vertex struct{ x, y float64 }

// contours are closed polygons.
type contours [][]vertex

// readSVG draws an SVG.
func readSVG(t *testing.T, svg []byte) *image.RGBA {
	t.Helper()
	var picture *image.RGBA
	defined := map[string]contours{}
	inDefs := false
	var fills []color.RGBA
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the SVG is not XML: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			attrs := map[string]string{}
			for _, a := range e.Attr {
				attrs[a.Name.Local] = a.Value
			}
			fill := color.RGBA{A: 0xff}
			if len(fills) > 0 {
				fill = fills[len(fills)-1]
			}
			if attrs["fill"] != "" {
				fill = hexColour(t, attrs["fill"])
			}
			fills = append(fills, fill)
			switch e.Name.Local {
			case "svg":
				var w, h int
				if _, err := fmt.Sscanf(attrs["width"]+" "+attrs["height"], "%d %d", &w, &h); err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprintf("0 0 %d %d", w, h); attrs["viewBox"] != want {
					t.Errorf("viewBox %q, want %q", attrs["viewBox"], want)
				}
				picture = image.NewRGBA(image.Rect(0, 0, w, h))
			case "defs":
				inDefs = true
			case "path":
				shape := readPath(t, attrs["d"])
				if inDefs {
					defined[attrs["id"]] = shape
				} else {
					shape.paint(picture, fill)
				}
			case "circle":
				circle(number(t, attrs["cx"]), number(t, attrs["cy"]), number(t, attrs["r"])).paint(picture, fill)
			case "use":
				shape, ok := defined[strings.TrimPrefix(attrs["href"], "#")]
				if !ok {
					t.Fatalf("%s is used and not defined", attrs["href"])
				}
				var x, y, scale float64
				if _, err := fmt.Sscanf(attrs["transform"], "translate(%g %g)scale(%g)", &x, &y, &scale); err != nil {
					t.Fatalf("transform %q: %v", attrs["transform"], err)
				}
				shape.placed(x, y, scale).paint(picture, fill)
			case "title", "desc", "g":
			default:
				t.Fatalf("unexpected element %s", e.Name.Local)
			}
		case xml.EndElement:
			fills = fills[:len(fills)-1]
			if e.Name.Local == "defs" {
				inDefs = false
			}
		}
	}
	return picture
}

func hexColour(t *testing.T, s string) color.RGBA {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(s) != 7 {
		t.Fatalf("%q is no colour", s)
	}
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func circle(x, y, r float64) contours {
	var c []vertex
	for i := range 64 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 64)
		c = append(c, vertex{x + r*cos, y + r*sin})
	}
	return contours{c}
}

// readPath reads path data: the commands M m H h V v l c s z.
func readPath(t *testing.T, data string) (all contours) {
	t.Helper()
	var at, start, control vertex
	var open []vertex
	rest := data
	numbers := func(n int) []float64 {
		var list []float64
		for range n {
			rest = strings.TrimLeft(rest, " ,")
			end := 1
			for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] == '.') {
				end++
			}
			list = append(list, number(t, rest[:end]))
			rest = rest[end:]
		}
		return list
	}
	moreNumbers := func() bool {
		trimmed := strings.TrimLeft(rest, " ,")
		return trimmed != "" && strings.IndexByte("-.0123456789", trimmed[0]) >= 0
	}
	curve := func(p [6]float64) {
		a, b, c, d := at, vertex{p[0], p[1]}, vertex{p[2], p[3]}, vertex{p[4], p[5]}
		const pieces = 16
		for i := 1; i <= pieces; i++ {
			u := float64(i) / pieces
			v := 1 - u
			open = append(open, vertex{
				v*v*v*a.x + 3*v*v*u*b.x + 3*v*u*u*c.x + u*u*u*d.x,
				v*v*v*a.y + 3*v*v*u*b.y + 3*v*u*u*c.y + u*u*u*d.y})
		}
		at, control = d, c
	}
	for rest = strings.TrimLeft(rest, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		command := rest[0]
		rest = rest[1:]
		for first := true; first || moreNumbers(); first = false {
			if command != 'c' && command != 's' || first && !strings.ContainsRune("cs", rune(command)) {
				control = at
			}
			switch command {
			case 'M', 'm':
				n := numbers(2)
				if command == 'm' {
					n[0], n[1] = n[0]+at.x, n[1]+at.y
				}
				at = vertex{n[0], n[1]}
				start, open = at, []vertex{at}
			case 'H', 'h', 'V', 'v', 'l':
				switch command {
				case 'H':
					at.x = numbers(1)[0]
				case 'h':
					at.x += numbers(1)[0]
				case 'V':
					at.y = numbers(1)[0]
				case 'v':
					at.y += numbers(1)[0]
				case 'l':
					n := numbers(2)
					at = vertex{at.x + n[0], at.y + n[1]}
				}
				open = append(open, at)
			case 'c':
				n := numbers(6)
				curve([6]float64{at.x + n[0], at.y + n[1], at.x + n[2], at.y + n[3], at.x + n[4], at.y + n[5]})
			case 's':
				n := numbers(4)
				curve([6]float64{2*at.x - control.x, 2*at.y - control.y, at.x + n[0], at.y + n[1], at.x + n[2], at.y + n[3]})
			case 'z':
				all, at = append(all, open), start
			default:
				t.Fatalf("unexpected command %q in %s", command, data)
			}
		}
	}
	return all
}

// placed returns the contours scaled and moved.
func (c contours) placed(x, y, scale float64) contours {
	moved := make(contours, len(c))
	for i, contour := range c {
		for _, v := range contour {
			moved[i] = append(moved[i], vertex{x + scale*v.x, y + scale*v.y})
		}
	}
	return moved
}

// paint fills the contours.
func (c contours) paint(m *image.RGBA, fill color.RGBA) {
	bounds := m.Bounds()
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, contour := range c {
		for _, v := range contour {
			top, bottom = min(top, v.y), max(bottom, v.y)
		}
	}
	covered := make([]float64, bounds.Dx())
	for y := max(0, int(math.Floor(top))); y < min(bounds.Dy(), int(math.Ceil(bottom))); y++ {
		clear(covered)
		for i := range lines {
			c.scan(float64(y)+(float64(i)+0.5)/lines, covered)
		}
		for x, sum := range covered {
			if sum > 0 {
				under, part := m.RGBAAt(x, y), sum/lines
				blend := func(u, o uint8) uint8 { return uint8(math.Round(float64(u)*(1-part) + float64(o)*part)) }
				m.SetRGBA(x, y, color.RGBA{blend(under.R, fill.R), blend(under.G, fill.G), blend(under.B, fill.B), 0xff})
			}
		}
	}
}

// scan adds to every pixel the part of it that is inside on the line at height y.
func (c contours) scan(y float64, covered []float64) {
	type crossing struct {
		x       float64
		winding int
	}
	var crossings []crossing
	for _, contour := range c {
		for i, a := range contour {
			b := contour[(i+1)%len(contour)]
			winding := 1
			if a.y > b.y {
				a, b, winding = b, a, -1
			}
			if a.y <= y && y < b.y {
				crossings = append(crossings, crossing{a.x + (b.x-a.x)*(y-a.y)/(b.y-a.y), winding})
			}
		}
	}
	slices.SortFunc(crossings, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
	winding := 0
	for i := 0; i+1 < len(crossings); i++ {
		winding += crossings[i].winding
		if winding == 0 {
			continue
		}
		from, to := max(0, crossings[i].x), min(crossings[i+1].x, float64(len(covered)))
		for x := int(from); float64(x) < to; x++ {
			covered[x] += min(to, float64(x+1)) - max(from, float64(x))
		}
	}
}
