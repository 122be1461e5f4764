package diagram

import (
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// A drawing of an icon is an SVG of paths of straight lines, with the commands M, m, L, l, H, h, V, v
// and Z and round joins and ends.
type icon struct {
	ViewBox string     `xml:"viewBox,attr"`
	Paths   []iconPath `xml:"path"`
}

type iconPath struct {
	D      string  `xml:"d,attr"`
	Fill   string  `xml:"fill,attr"`
	Stroke string  `xml:"stroke,attr"`
	Width  float64 `xml:"stroke-width,attr"`
}

// A point is one of a path, in the units of the drawing or in pixels.
type point struct{ x, y float64 }

// iconRadius is how far from the middle of an icon its drawing may reach, in sides of the icon:
// systems that cut icons into their own shape leave a circle of this radius.
const iconRadius = 0.4

// WriteIcon draws a square icon as PNG, of size pixels: one that may be cut, in the middle of the
// colour of paper, or one that fills the square, with nothing behind it. The drawing is an SVG of
// paths of straight lines, such as that of the piece that is the mark of the pages.
func WriteIcon(w io.Writer, svg []byte, size int, mayBeCut bool) error {
	var drawn icon
	var box [4]float64
	if err := xml.Unmarshal(svg, &drawn); err != nil {
		return fmt.Errorf("diagram: icon: %w", err)
	}
	if _, err := fmt.Sscan(drawn.ViewBox, &box[0], &box[1], &box[2], &box[3]); err != nil {
		return fmt.Errorf("diagram: icon: viewBox %q: %w", drawn.ViewBox, err)
	}
	scale := float64(size) / max(box[2], box[3])
	if mayBeCut {
		scale = 2 * iconRadius * float64(size) / math.Hypot(box[2], box[3])
	}
	at := func(p point) point {
		middle := float64(size) / 2
		return point{middle + scale*(p.x-box[0]-box[2]/2), middle + scale*(p.y-box[1]-box[3]/2)}
	}
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	if mayBeCut {
		draw.Draw(picture, picture.Bounds(), image.NewUniform(themes[Light].paper.opaque()), image.Point{}, draw.Src)
	}
	raster := vector.NewRasterizer(size, size)
	paint := func(fill string, outlines ...[]point) error {
		colour, err := parseColour(fill)
		if err != nil {
			return err
		}
		for _, outline := range outlines { // each by itself, so that where they overlap nothing is left out
			raster.Reset(size, size)
			for i, p := range outline {
				if i == 0 {
					raster.MoveTo(float32(p.x), float32(p.y))
				} else {
					raster.LineTo(float32(p.x), float32(p.y))
				}
			}
			raster.ClosePath()
			raster.Draw(picture, picture.Bounds(), image.NewUniform(colour), image.Point{})
		}
		return nil
	}
	for _, path := range drawn.Paths {
		lines, err := parsePath(path.D)
		if err != nil {
			return err
		}
		for _, line := range lines {
			for i := range line {
				line[i] = at(line[i])
			}
		}
		if path.Fill != "none" {
			if err := paint(path.Fill, lines...); err != nil {
				return err
			}
		}
		for _, line := range lines {
			for i := range line[1:] {
				if err := paint(path.Stroke, capsule(line[i], line[i+1], scale*path.Width/2)); err != nil {
					return err
				}
			}
		}
	}
	return png.Encode(w, picture)
}

// capsule returns the outline of a line with round ends.
func capsule(from, to point, radius float64) (outline []point) {
	const steps = 24 // of half a circle
	direction := math.Atan2(to.y-from.y, to.x-from.x)
	for i, end := range [2]point{to, from} {
		first := direction + math.Pi*(float64(i)-0.5)
		for step := range steps + 1 {
			sin, cos := math.Sincos(first + math.Pi*float64(step)/steps)
			outline = append(outline, point{end.x + radius*cos, end.y + radius*sin})
		}
	}
	return outline
}

// parsePath returns the lines of a path, those that it closes with their first point at the end.
func parsePath(d string) (lines [][]point, err error) {
	var at point
	var line []point
	for d != "" {
		command := d[0]
		end := strings.IndexAny(d[1:], "MmLlHhVvZz") + 1
		if end == 0 {
			end = len(d)
		}
		numbers, err := parseNumbers(d[1:end])
		if err != nil {
			return nil, err
		}
		d = d[end:]
		step := 2
		switch command {
		case 'M', 'm':
			line = nil
			lines = append(lines, nil)
		case 'H', 'h', 'V', 'v':
			step = 1
		case 'L', 'l':
		case 'Z', 'z':
			lines[len(lines)-1] = append(line, line[0])
			continue
		default:
			return nil, fmt.Errorf("diagram: icon: the command %q is none of straight lines", command)
		}
		if len(lines) == 0 || len(numbers) == 0 || len(numbers)%step != 0 {
			return nil, fmt.Errorf("diagram: icon: %q has %d numbers", command, len(numbers))
		}
		for i := 0; i < len(numbers); i += step {
			to := numbers[i:]
			isRelative := command >= 'a'
			origin := point{}
			if isRelative {
				origin = at
			}
			switch command {
			case 'H', 'h':
				at.x = origin.x + to[0]
			case 'V', 'v':
				at.y = origin.y + to[0]
			default:
				at = point{origin.x + to[0], origin.y + to[1]}
			}
			line = append(line, at)
		}
		lines[len(lines)-1] = line
	}
	return lines, nil
}

// parseNumbers reads numbers with spaces between them, of which a minus needs none.
func parseNumbers(text string) (numbers []float64, err error) {
	for _, field := range strings.Fields(strings.ReplaceAll(text, "-", " -")) {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, fmt.Errorf("diagram: icon: %w", err)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// parseColour reads a colour as #rrggbb.
func parseColour(text string) (color.RGBA, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 24)
	if err != nil || len(text) != 7 {
		return color.RGBA{}, fmt.Errorf("diagram: icon: the colour is %q", text)
	}
	return rgb(n).opaque(), nil
}

// opaque returns the colour as package image has it.
func (c rgb) opaque() color.RGBA {
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}
}
