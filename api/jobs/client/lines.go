package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/tsumero/tsumero/api/wire"
)

// A lineReader reads lines of JSON. Empty ones keep a connection alive and are left out.
type lineReader struct {
	in   *bufio.Reader
	long []byte // a line that is longer than the buffer
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next line with its end, until the next call. A line without its end was cut off:
// the error is then io.ErrUnexpectedEOF.
func (l *lineReader) next() ([]byte, error) {
	for {
		text, err := l.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			l.long = append(l.long[:0], text...)
			for errors.Is(err, bufio.ErrBufferFull) {
				if len(l.long) > maxAnswer {
					return nil, errMalformed
				}
				text, err = l.in.ReadSlice('\n')
				l.long = append(l.long, text...)
			}
			text = l.long
		}
		if errors.Is(err, io.EOF) && len(text) > 0 {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			return text, nil
		}
	}
}

// A head is what the first fields of a line say.
type head struct {
	line int // its number, 0 for the line that says that the rest is not done
	next int // of that line: the first that is not
}

// readHead reads the number of a line.
func readHead(text []byte) (h head, err error) {
	if n, ok := wire.LineNumber(text); ok {
		return head{line: n}, nil
	}
	var p wire.ResultsProblem
	if json.Unmarshal(text, &p) != nil || p.Problem == nil ||
		p.Type != wire.NotFinished.TypeURI() {
		return h, errMalformed
	}
	return head{next: p.Next}, nil
}
