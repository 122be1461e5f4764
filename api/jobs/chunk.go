package jobs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
)

// The most lines of a chunk, and about the most bytes: a chunk has one line at least.
const (
	MaxChunkLines = 1024
	MaxChunkBytes = 128 << 10
)

// A Chunk is consecutive lines of the input of a job, empty ones left out.
type Chunk []Line

// A Line is a line of the input.
type Line struct {
	Number  int    // in the input, from 1, empty lines counted
	Text    []byte // without its end; nil if it is too long
	TooLong bool
}

// chunkHeader begins a chunk, with the number of the format.
const chunkHeader = "tsumero-chunk 1\n"

// Encode returns the chunk as it is stored: after a header, each line with its number, a tab and the
// text, or with its number alone if it is too long.
func (c Chunk) Encode() []byte {
	size := len(chunkHeader)
	for i := range c {
		size += len(c[i].Text) + 12
	}
	b := append(make([]byte, 0, size), chunkHeader...)
	for i := range c {
		b = strconv.AppendInt(b, int64(c[i].Number), 10)
		if !c[i].TooLong {
			b = append(append(b, '\t'), c[i].Text...)
		}
		b = append(b, '\n')
	}
	return b
}

// newerChunk begins chunks of a format that this program does not know.
var newerChunk = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^tsumero-chunk [2-9]\n`)
})

// DecodeChunk reads what Encode returned. The lines share its memory. The error of a chunk of a newer
// format is ErrNewer.
func DecodeChunk(data []byte) (Chunk, error) {
	rest, ok := bytes.CutPrefix(data, []byte(chunkHeader))
	switch {
	case newerChunk().Match(data):
		return nil, fmt.Errorf("%w: a chunk", ErrNewer)
	case !ok:
		return nil, errors.New("jobs: no chunk")
	}
	var c Chunk
	for last := 0; len(rest) > 0; {
		text, after, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			return nil, errors.New("jobs: the chunk ends within a line")
		}
		rest = after
		number, text, hasText := bytes.Cut(text, []byte("\t"))
		n, err := strconv.Atoi(string(number))
		if err != nil || n <= last {
			return nil, fmt.Errorf("jobs: a chunk has %.20q after line %d", number, last)
		}
		last = n
		c = append(c, Line{n, text, !hasText})
	}
	if len(c) == 0 {
		return nil, errors.New("jobs: the chunk is empty")
	}
	return c, nil
}

// A Splitter cuts a stream into chunks, always at the same places for the same bytes.
type Splitter struct {
	// MaxLines is the most lines of a chunk. NewSplitter sets MaxChunkLines.
	MaxLines int

	in      *bufio.Reader
	longest int // most bytes of a line
	number  int // of the line read last
	ready   Line
	err     error
}

// NewSplitter returns a Splitter for r. Lines of more than longest bytes are too long.
func NewSplitter(r io.Reader, longest int) *Splitter {
	return &Splitter{MaxLines: MaxChunkLines, in: bufio.NewReaderSize(r, min(longest+2, 1<<20)), longest: longest}
}

// Next returns the next chunk, which the caller may keep. The error is io.EOF at the end, or that of
// the reader; a line that it cut off is not among those returned before.
func (s *Splitter) Next() (Chunk, error) {
	var c Chunk
	for size := 0; len(c) < s.MaxLines; {
		if s.ready.Number == 0 && s.err == nil {
			s.ready, s.err = s.line()
		}
		if s.ready.Number == 0 {
			break
		}
		size += len(s.ready.Text)
		if len(c) > 0 && size > MaxChunkBytes {
			break
		}
		c = append(c, s.ready)
		s.ready = Line{}
	}
	if len(c) == 0 {
		return nil, s.err
	}
	if s.err != nil && !errors.Is(s.err, io.EOF) {
		return nil, s.err
	}
	return c, nil
}

// line reads the next line that is not empty. Its number is 0 if there is none before the error.
func (s *Splitter) line() (Line, error) {
	for {
		var text []byte
		size := 0
		piece, err := s.in.ReadSlice('\n')
		for {
			if size += len(piece); size <= s.longest+2 {
				text = append(text, piece...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
			piece, err = s.in.ReadSlice('\n')
		}
		if err != nil && (!errors.Is(err, io.EOF) || size == 0) {
			return Line{}, err
		}
		s.number++
		if size > s.longest+2 {
			return Line{Number: s.number, TooLong: true}, err
		}
		if text = bytes.TrimSpace(text); len(text) > s.longest {
			return Line{Number: s.number, TooLong: true}, err
		}
		if len(text) > 0 {
			return Line{Number: s.number, Text: text}, err
		}
		if err != nil {
			return Line{}, err
		}
	}
}
