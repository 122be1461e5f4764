package diagram

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/vector"

	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// WritePNG writes the picture as PNG. Edges are smoothed in shades steps, by which the few colours
// of a diagram mix to fewer than 256: the file has a palette, and is a third of the size it would
// have without.
func (d *Diagram) WritePNG(w io.Writer) error {
	c := canvases.Get().(*canvas)
	defer canvases.Put(c)
	c.paint(&d.scene)
	return encoder.Encode(w, c.image())
}

// shades is how many steps lie between the colours on two sides of an edge.
const shades = 32

// A canvas is the memory a picture is painted in. It is kept for the next.
type canvas struct {
	width, height int
	pixels        []rgb
	indexed       image.Paletted
	palette       palette
	mask          image.Alpha
	raster        vector.Rasterizer
	segments      []outlines.Segment
}

var (
	canvases = sync.Pool{New: func() any { return new(canvas) }}
	encoder  = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(encoderBuffers)}
)

type encoderBuffers struct{ pool sync.Pool }

func (b *encoderBuffers) Get() *png.EncoderBuffer {
	buffer, _ := b.pool.Get().(*png.EncoderBuffer)
	return buffer
}

func (b *encoderBuffers) Put(buffer *png.EncoderBuffer) { b.pool.Put(buffer) }

// sized returns a slice of n elements, in the same memory if it has room, with any content.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (c *canvas) paint(s *scene) {
	c.width, c.height = s.width, s.height
	c.pixels = sized(c.pixels, c.width*c.height)
	c.fill(0, 0, c.width, c.height, s.background)
	for i := range s.shapes {
		switch sh := &s.shapes[i]; sh.kind {
		case rectangle:
			c.fill(sh.x0, sh.y0, sh.x1, sh.y1, sh.fill)
		case disc:
			c.disc(sh)
		case character:
			c.character(sh)
		}
	}
}

func (c *canvas) fill(x0, y0, x1, y1 int, fill rgb) {
	for y := y0; y < y1; y++ {
		row := c.pixels[y*c.width+x0 : y*c.width+x1]
		for x := range row {
			row[x] = fill
		}
	}
}

func (c *canvas) disc(s *shape) {
	// Four Bézier curves that keep within 0.03 % of a circle.
	const k = 0.5522847498
	left, top := c.begin(s.x-s.scale, s.y-s.scale, s.x+s.scale, s.y+s.scale)
	x, y, r := float32(s.x-left), float32(s.y-top), float32(s.scale)
	c.raster.MoveTo(x+r, y)
	c.curve(x+r, y+k*r, x+k*r, y+r, x, y+r)
	c.curve(x-k*r, y+r, x-r, y+k*r, x-r, y)
	c.curve(x-r, y-k*r, x-k*r, y-r, x, y-r)
	c.curve(x+k*r, y-r, x+r, y-k*r, x+r, y)
	c.blend(int(left), int(top), s.fill)
}

func (c *canvas) character(s *shape) {
	c.segments = s.glyph.AppendSegments(c.segments[:0])
	if len(c.segments) == 0 {
		return
	}
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range c.segments {
		for _, p := range c.segments[i].Points() {
			x, y := s.x+s.scale*float64(p.X), s.y+s.scale*float64(p.Y)
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		}
	}
	left, top := c.begin(x0, y0, x1, y1)
	at := func(p outlines.Point) (x, y float32) {
		return float32(s.x + s.scale*float64(p.X) - left), float32(s.y + s.scale*float64(p.Y) - top)
	}
	for i := range c.segments {
		segment := &c.segments[i]
		x, y := at(segment.P[0])
		switch segment.Op {
		case outlines.MoveTo:
			c.raster.ClosePath()
			c.raster.MoveTo(x, y)
		case outlines.LineTo:
			c.raster.LineTo(x, y)
		case outlines.CurveTo:
			x1, y1 := at(segment.P[1])
			x2, y2 := at(segment.P[2])
			c.curve(x, y, x1, y1, x2, y2)
		}
	}
	c.raster.ClosePath()
	c.blend(int(left), int(top), s.fill)
}

// curve draws a Bézier curve as lines that keep within flatness of it, in pixels. The package's own
// CubeTo is content with less, which shows in small kanji.
func (c *canvas) curve(bx, by, cx, cy, dx, dy float32) {
	const flatness = 0.02
	ax, ay := c.raster.Pen()
	// The second differences bound how far n lines can be off: by 3/4 of the greatest, over n².
	bend := max(abs(ax-2*bx+cx), abs(ay-2*by+cy), abs(bx-2*cx+dx), abs(by-2*cy+dy))
	n := int(math.Sqrt(float64(bend)*(0.75/flatness))) + 1
	for i := 1; i < n; i++ {
		t := float32(i) / float32(n)
		s := 1 - t
		a, b, c1, d := s*s*s, 3*s*s*t, 3*s*t*t, t*t*t
		c.raster.LineTo(a*ax+b*bx+c1*cx+d*dx, a*ay+b*by+c1*cy+d*dy)
	}
	c.raster.LineTo(dx, dy)
}

func abs(x float32) float32 { return max(x, -x) }

// begin makes the raster ready for a shape within the given bounds and returns the whole pixel it
// begins at.
func (c *canvas) begin(x0, y0, x1, y1 float64) (left, top float64) {
	left, top = math.Floor(x0), math.Floor(y0)
	c.raster.Reset(int(math.Ceil(x1)-left), int(math.Ceil(y1)-top))
	c.raster.DrawOp = draw.Src
	return left, top
}

// blend lays what the raster holds over the picture.
func (c *canvas) blend(left, top int, fill rgb) {
	size := c.raster.Size()
	c.mask.Pix = sized(c.mask.Pix, size.X*size.Y)
	c.mask.Stride, c.mask.Rect = size.X, image.Rectangle{Max: size}
	c.raster.Draw(&c.mask, c.mask.Rect, image.Opaque, image.Point{})
	x0, x1 := max(0, -left), min(size.X, c.width-left)
	for y := max(0, -top); y < min(size.Y, c.height-top); y++ {
		covered := c.mask.Pix[y*size.X:]
		row := c.pixels[(top+y)*c.width:]
		for x := x0; x < x1; x++ {
			if covered[x] != 0 {
				row[left+x] = mix(row[left+x], fill, covered[x])
			}
		}
	}
}

// mix returns the colour of a pixel of which the part covered/255, rounded to one of the shades, is
// painted over.
func mix(under, over rgb, covered uint8) rgb {
	a := (uint32(covered)*shades + 127) / 255
	channel := func(shift uint) rgb {
		u, o := uint32(under>>shift&0xff), uint32(over>>shift&0xff)
		return rgb((u*(shades-a)+o*a+shades/2)/shades) << shift
	}
	return channel(16) | channel(8) | channel(0)
}

// image returns the picture with a palette or, should it have too many colours, without.
func (c *canvas) image() image.Image {
	c.indexed.Pix = sized(c.indexed.Pix, len(c.pixels))
	c.indexed.Stride, c.indexed.Rect = c.width, image.Rect(0, 0, c.width, c.height)
	c.palette.reset()
	last, index := rgb(0), -1
	for i, pixel := range c.pixels {
		if pixel != last || index < 0 {
			if index = c.palette.index(pixel, 256); index < 0 {
				return c.trueColour()
			}
			last = pixel
		}
		c.indexed.Pix[i] = uint8(index)
	}
	c.indexed.Palette = c.palette.colours
	return &c.indexed
}

func (c *canvas) trueColour() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, c.width, c.height))
	for i, p := range c.pixels {
		m.Pix[4*i], m.Pix[4*i+1], m.Pix[4*i+2], m.Pix[4*i+3] = uint8(p>>16), uint8(p>>8), uint8(p), 0xff
	}
	return m
}

// A palette numbers up to 256 colours in the order they come. It is a hash table of twice that
// size.
type palette struct {
	slots   [512]int16 // one more than the number, 0 for none
	keys    [512]rgb
	colours color.Palette
}

func (p *palette) reset() {
	p.slots = [512]int16{}
	p.colours = p.colours[:0]
}

// index returns the number of a colour, -1 if it is new and there are most already, at most 256.
func (p *palette) index(c rgb, most int) int {
	for i := uint32(c) * 0x9e3779b1 >> 23; ; i = (i + 1) & 511 {
		switch {
		case p.slots[i] == 0 && len(p.colours) == most:
			return -1
		case p.slots[i] == 0:
			p.slots[i], p.keys[i] = int16(len(p.colours)+1), c
			p.add(color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff})
			return len(p.colours) - 1
		case p.keys[i] == c:
			return int(p.slots[i]) - 1
		}
	}
}

// add appends a colour. The pictures of a theme have the same ones in much the same order: what is
// left in the memory from the last one need not be made again.
func (p *palette) add(c color.NRGBA) {
	n := len(p.colours)
	if n < cap(p.colours) {
		if old, ok := p.colours[:n+1][n].(color.NRGBA); ok && old == c {
			p.colours = p.colours[:n+1]
			return
		}
	}
	p.colours = append(p.colours, c)
}
