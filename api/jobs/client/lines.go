package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
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

// readHead reads the number of a line. A report on a problem has another field of the name, behind
// it, and may be long.
func readHead(text []byte) (h head, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return h, err
	}
	unfinished := false
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return h, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return h, err
		}
		switch name {
		case "line":
			if json.Unmarshal(value, &h.line) == nil && h.line > 0 {
				return h, nil
			}
		case "type":
			unfinished = string(value) == `"/problems/not_finished"`
		case "next":
			_ = json.Unmarshal(value, &h.next)
		}
	}
	if !unfinished {
		return h, errMalformed
	}
	return h, nil
}
