package diagram

import (
	"bytes"
	"compress/lzw"
	"context"
	"encoding/binary"
	"image/color"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// Limits and defaults of animations.
const (
	MaxMoves          = 60
	MaxAnimationWidth = 640
	MinDelay          = 200 * time.Millisecond
	MaxDelay          = 10 * time.Second
	DefaultDelay      = time.Second
	MaxLoops          = 100

	// The first and the last position stay so many times as long as the others.
	firstDelays = 2
	lastDelays  = 3
)

// An Animation is a line of moves, a picture for the position before it and after each move.
type Animation struct {
	Start shogi.Position
	Moves []shogi.Move // legal ones, at most MaxMoves
	// Options are those of each picture. Last is the move that led to Start, Card and Plies are of
	// no use, and with Hands: AttackerHand the attacker is that of Start.
	Options Options
	Delay   time.Duration // how long a move is seen, in hundredths of a second; 0 for DefaultDelay
	Loops   int           // how often it is shown, 0 for ever; at most MaxLoops
}

// complete sets what is left to defaults and returns what is wrong, nothing if it can be drawn.
func (a *Animation) complete() []*OptionError {
	faults := a.Options.complete(&a.Start)
	bad := func(option string, what *shogi.Text, args ...any) {
		faults = append(faults, &OptionError{option, what.With(args...)})
	}
	if o := &a.Options; o.Card {
		bad("size", noCard, MinWidth, MaxAnimationWidth)
	} else if o.Width > MaxAnimationWidth && o.Width <= MaxWidth {
		bad("size", badWidth, o.Width, MinWidth, MaxAnimationWidth)
	}
	if len(a.Moves) > MaxMoves {
		bad("moves", manyMoves, len(a.Moves), MaxMoves)
	}
	if a.Delay == 0 {
		a.Delay = DefaultDelay
	}
	if a.Delay < MinDelay || a.Delay > MaxDelay {
		bad("delay", badDelay, a.Delay.String(), MinDelay.Milliseconds(), MaxDelay.Milliseconds())
	}
	if a.Loops < 0 || a.Loops > MaxLoops {
		bad("loop", badLoops, strconv.Itoa(a.Loops), MaxLoops)
	}
	return faults
}

// AppendGIF appends the animation as a GIF to body, which is shown in messages, mails and forums
// where other formats stand still. Each frame after the first has what changed, the rest of it is
// transparent: a move takes some two thousand bytes. Errors are *OptionError and those of ctx.
func (a Animation) AppendGIF(ctx context.Context, body *bytes.Buffer) error {
	if faults := a.complete(); len(faults) > 0 {
		return faults[0]
	}
	o := a.Options
	o.attacker = new(attackerOf(&a.Start))
	g := gifWriter{frames: new(bytes.Buffer)}
	before, now := canvases.Get().(*canvas), canvases.Get().(*canvas)
	defer func() { canvases.Put(before); canvases.Put(now) }()

	p := a.Start
	for i := range len(a.Moves) + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		delay := a.Delay
		if i == 0 {
			delay *= firstDelays
		} else {
			p.Do(a.Moves[i-1])
			o.Last = a.Moves[i-1]
		}
		if i == len(a.Moves) {
			delay = a.Delay * lastDelays
		}
		d, err := Draw(&p, o)
		if err != nil {
			return err
		}
		before, now = now, before
		now.paint(&d.scene)
		if i == 0 {
			g.add(nil, now, delay)
		} else {
			g.add(before, now, delay)
		}
	}
	g.appendTo(body, now.width, now.height, a.Loops)
	return nil
}

// A gifWriter makes a GIF. The standard library's takes all frames as pictures at once, which are
// some thirty megabytes; here each is compressed as it comes, and no more is kept of it.
type gifWriter struct {
	frames  *bytes.Buffer
	palette palette // of all frames; numbers only grow, so that earlier ones stay right
	pixels  []byte
	lzw     *lzw.Writer
}

// transparent is the number of the colour that lets the frame before be seen; colours follow.
const (
	transparent  = 0
	mostColours  = 255
	literalWidth = 8 // bits of a number
)

// add appends a frame: what is different from the one before, or all of it.
func (g *gifWriter) add(before, now *canvas, delay time.Duration) {
	x0, y0, x1, y1 := 0, 0, now.width, now.height
	if before != nil {
		x0, y0, x1, y1 = changed(before, now)
	}
	g.frames.Write([]byte{0x21, 0xf9, 4, 1<<2 | 1}) // left where it is; with a transparent colour
	g.uint16(int(delay / (10 * time.Millisecond)))
	g.frames.Write([]byte{transparent, 0, 0x2c})
	g.uint16(x0)
	g.uint16(y0)
	g.uint16(x1 - x0)
	g.uint16(y1 - y0)
	g.number(before, now, x0, y0, x1, y1)
	g.frames.Write([]byte{0, literalWidth})
	blocks := &blockWriter{to: g.frames}
	if g.lzw == nil {
		g.lzw = lzw.NewWriter(blocks, lzw.LSB, literalWidth).(*lzw.Writer)
	} else {
		g.lzw.Reset(blocks, lzw.LSB, literalWidth)
	}
	_, _ = g.lzw.Write(g.pixels) // a buffer takes everything
	_ = g.lzw.Close()
	blocks.close()
}

// changed returns the smallest rectangle outside of which two pictures are equal: one pixel if they
// are equal everywhere.
func changed(a, b *canvas) (x0, y0, x1, y1 int) {
	x0, y0 = a.width, a.height
	for y := range a.height {
		row, other := a.pixels[y*a.width:(y+1)*a.width], b.pixels[y*a.width:(y+1)*a.width]
		for x, pixel := range row {
			if pixel != other[x] {
				x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+1), y+1
			}
		}
	}
	if x1 == 0 {
		return 0, 0, 1, 1
	}
	return x0, y0, x1, y1
}

// number makes the pixels of a frame numbers of the palette. A line has some
// 200 colours; should there be too many, the nearest stands for others.
func (g *gifWriter) number(before, now *canvas, x0, y0, x1, y1 int) {
	g.pixels = g.pixels[:0]
	last, number := rgb(math.MaxUint32), 0
	for y := y0; y < y1; y++ {
		for i := y*now.width + x0; i < y*now.width+x1; i++ {
			pixel := now.pixels[i]
			switch {
			case before != nil && before.pixels[i] == pixel:
				g.pixels = append(g.pixels, transparent)
				continue
			case pixel != last:
				index := g.palette.index(pixel, mostColours)
				if index < 0 {
					c := color.RGBA{byte(pixel >> 16), byte(pixel >> 8), byte(pixel), 0xff}
					index = g.palette.colours.Index(c)
				}
				last, number = pixel, index+1
			}
			g.pixels = append(g.pixels, byte(number))
		}
	}
}

func (g *gifWriter) uint16(n int) {
	g.frames.Write(binary.LittleEndian.AppendUint16(nil, uint16(n)))
}

// appendTo writes the file, whose frames are there.
func (g *gifWriter) appendTo(to *bytes.Buffer, width, height, loops int) {
	const tableSize = 7 // of 2^8 colours
	to.WriteString("GIF89a")
	to.Write(binary.LittleEndian.AppendUint16(nil, uint16(width)))
	to.Write(binary.LittleEndian.AppendUint16(nil, uint16(height)))
	to.Write([]byte{1<<7 | 7<<4 | tableSize, 0, 0})
	table := make([]byte, 3*(mostColours+1))
	for i, c := range g.palette.colours {
		r, green, b, _ := c.RGBA()
		copy(table[3*(i+1):], []byte{byte(r >> 8), byte(green >> 8), byte(b >> 8)})
	}
	to.Write(table)
	if loops != 1 { // what stands here is how often it is shown again, and 0 is for ever
		to.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01")
		to.Write(binary.LittleEndian.AppendUint16(nil, uint16(max(loops-1, 0))))
		to.WriteByte(0)
	}
	to.Write(g.frames.Bytes())
	to.WriteByte(0x3b)
}

// A blockWriter writes data as GIF has it: in blocks of up to 255 bytes with their length before
// them, and an empty one at the end.
type blockWriter struct {
	to    *bytes.Buffer
	block [256]byte // with the length first
	n     int
}

var _ io.ByteWriter = (*blockWriter)(nil)

func (w *blockWriter) Write(data []byte) (int, error) {
	for _, b := range data {
		_ = w.WriteByte(b)
	}
	return len(data), nil
}

func (w *blockWriter) WriteByte(b byte) error {
	w.n++
	if w.block[w.n] = b; w.n == len(w.block)-1 {
		w.flush()
	}
	return nil
}

// Flush is asked for by lzw of what takes bytes one at a time; blocks are full all the same.
func (w *blockWriter) Flush() error { return nil }

func (w *blockWriter) flush() {
	if w.n > 0 {
		w.block[0] = byte(w.n)
		w.to.Write(w.block[:w.n+1])
		w.n = 0
	}
}

func (w *blockWriter) close() {
	w.flush()
	w.to.WriteByte(0)
}
