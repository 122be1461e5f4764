package certificate

import "io"

// words writes lines, and words in lines of at most 100 bytes.
type words struct {
	w    io.Writer
	hold bool // write nothing yet
	buf  []byte
	at   int // bytes in the last line
	err  error
}

// line writes a line.
func (o *words) line(text string) {
	o.buf = append(append(o.buf, text...), '\n')
	o.at = 0
	o.write(false)
}

// word writes a word into the last line, or a new one if that is full.
func (o *words) word(text string) {
	switch {
	case o.at == 0:
	case o.at+1+len(text) > 100:
		o.buf = append(o.buf, '\n')
		o.at = 0
	default:
		o.buf = append(o.buf, ' ')
		o.at++
	}
	o.buf = append(o.buf, text...)
	o.at += len(text)
	o.write(false)
}

// flush ends the last line and returns the first error there was.
func (o *words) flush() error {
	if o.at > 0 {
		o.line("")
	}
	o.write(true)
	return o.err
}

func (o *words) write(all bool) {
	if !o.hold && (all || len(o.buf) > 32<<10) && len(o.buf) > 0 {
		if o.err == nil {
			_, o.err = o.w.Write(o.buf)
		}
		o.buf = o.buf[:0]
	}
}
