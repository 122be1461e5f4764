package usi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine is the longest line read, in bytes. shogi.MaxPositionText, which limits positions, is a
// quarter of it.
const maxLine = 4 << 20

// byteOrderMark is what some programs on Windows write before the first line into a pipe.
const byteOrderMark = "\uFEFF"

// A line is one line of input without its end, LF or CR LF, and without a byte order mark.
type line struct {
	text string
	cut  bool // the line was longer than maxLine; text is how it began
}

// An input is the lines of a reader as they come in.
type input struct {
	lines chan line // closed at the end of the input
	err   error     // why the input ended, nil for an ordinary end; set before lines is closed
}

// readLines reads lines from r until it ends or ctx does. The last line needs no line end.
func readLines(ctx context.Context, r io.Reader) *input {
	in := &input{lines: make(chan line)}
	go func() {
		defer close(in.lines)
		b := bufio.NewReaderSize(r, 64<<10)
		for {
			l, err := readLine(b)
			if err != nil && !errors.Is(err, io.EOF) {
				in.err = fmt.Errorf("usi: reading commands: %w", err)
			}
			if err == nil || l.text != "" {
				select {
				case in.lines <- l:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return in
}

// readLine returns the next line. With an error it returns what it has read of the line.
func readLine(r *bufio.Reader) (line, error) {
	var text []byte
	var l line
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine + len("\r\n") - len(text); len(part) > room {
			part, l.cut = part[:room], true
		}
		text = append(text, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text = trimEnd(trimEnd(text, '\n'), '\r')
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		if len(text) > maxLine {
			l.cut = true
		}
		if l.cut {
			text = text[:min(len(text), 1<<10)] // enough to name it; the rest need not be kept
		}
		l.text = string(text)
		return l, err
	}
}

func trimEnd(text []byte, c byte) []byte {
	if n := len(text); n > 0 && text[n-1] == c {
		return text[:n-1]
	}
	return text
}

// A printer writes lines. After a write has failed it writes nothing more.
type printer struct {
	out io.Writer
	err error // of the first write that failed
	buf []byte
}

// printf writes one line with one Write. The line is plain ASCII with single blanks: GUIs split at
// each blank, and read bytes in code pages of their own.
func (p *printer) printf(format string, args ...any) {
	if p.err != nil {
		return
	}
	p.buf = append(plain(fmt.Appendf(p.buf[:0], format, args...)), '\n')
	if _, err := p.out.Write(p.buf); err != nil {
		p.err = fmt.Errorf("usi: writing an answer: %w", err)
	}
}

// infof writes an "info string" line.
func (p *printer) infof(format string, args ...any) { p.printf("info string "+format, args...) }

// plain returns b with single blanks, none at the ends, and every byte that is not printable ASCII
// escaped.
func plain(b []byte) []byte {
	clean := len(b) == 0 || b[0] != ' ' && b[len(b)-1] != ' '
	for i, c := range b {
		if c < ' ' || c > '~' || c == ' ' && i+1 < len(b) && b[i+1] == ' ' {
			clean = false
			break
		}
	}
	if clean {
		return b
	}
	words := strings.Fields(strings.ReplaceAll(string(b), "…", "..."))
	out := b[:0:0]
	for i, w := range words {
		if i > 0 {
			out = append(out, ' ')
		}
		for _, c := range []byte(w) {
			if c < ' ' || c > '~' {
				out = fmt.Appendf(out, `\x%02x`, c)
			} else {
				out = append(out, c)
			}
		}
	}
	return out
}

// quote quotes and shortens text that is quoted back.
func quote(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q...", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
