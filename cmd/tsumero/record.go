package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/tsumero/tsumero/shogi/notation"
)

// formatNames are the values of --format.
var formatNames = []string{"auto", "sfen", "kif", "ki2", "csa", "jkf"}

// A fileFormat says how positions are read from a file.
type fileFormat struct {
	format notation.Format // Unknown: found out by the first lines
	after  int             // of a record, solve the position after so many moves
}

// fileQuestions reads the positions of a file in whatever notation it is: one position a line for SFEN and for what is no
// notation, else the position of each record. It reads no more than it needs to tell before it yields the first position.
func fileQuestions(r io.Reader, f fileFormat) iter.Seq2[question, error] {
	return func(yield func(question, error) bool) {
		rest, err := r, error(nil)
		if f.format == notation.Unknown {
			if f.format, rest, err = detect(r); err != nil {
				yield(question{}, err)
				return
			}
		}
		questions := lineQuestions(rest)
		if f.format != notation.Unknown && f.format != notation.SFEN {
			questions = recordQuestions(rest, f)
		}
		for q, err := range questions {
			if !yield(q, err) {
				return
			}
		}
	}
}

// maxPeeked is how much of an input is looked at to find out its notation.
const maxPeeked = 64 << 10

// detect returns the notation of an input, and the input again from its beginning. It reads up to the first line that is
// neither empty nor a comment.
func detect(r io.Reader) (notation.Format, io.Reader, error) {
	var head []byte
	for {
		size := len(head)
		head = append(head, make([]byte, 4<<10)...)
		n, err := r.Read(head[size:])
		head = head[:size+n]
		whole := head[:bytes.LastIndexByte(head, '\n')+1]
		if err == io.EOF || len(head) >= maxPeeked {
			whole = head
		}
		switch format := notation.Detect(whole); {
		case format != notation.Unknown, err == io.EOF, len(head) >= maxPeeked, tells(whole):
			return format, io.MultiReader(bytes.NewReader(head), r), nil
		case err != nil:
			return notation.Unknown, nil, err
		}
	}
}

// tells reports whether a text has a line that is neither empty nor a comment of any notation.
func tells(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) > 0 && line[0] != '#' && line[0] != '\'' {
			return true
		}
	}
	return false
}

// recordQuestions reads the records of a file. A file with faults is one question that has them.
func recordQuestions(r io.Reader, f fileFormat) iter.Seq2[question, error] {
	return func(yield func(question, error) bool) {
		data, err := io.ReadAll(io.LimitReader(r, notation.MaxBytes+1))
		if err != nil {
			yield(question{}, err)
			return
		}
		records, err := notation.ParseAll(data, notation.Options{Format: f.format})
		if err != nil {
			yield(question{size: int64(len(data)), fault: err}, nil)
			return
		}
		size := int64(len(data)) / int64(len(records))
		for i, record := range records {
			q := question{size: size}
			if len(records) > 1 {
				q.where = fmt.Sprintf("record %d", i+1)
			}
			p, err := record.After(f.after)
			if q.text = p.SFEN(); err != nil {
				q.text, q.fault = record.Start.SFEN(), err
			}
			if !yield(q, nil) {
				return
			}
		}
	}
}

// explainRecord lists the faults of a file that is no record of its notation.
func explainRecord(q question, e *notation.Error) string {
	var b strings.Builder
	name := "the text"
	if e.Format != notation.Unknown {
		name += ", read as " + strings.ToUpper(e.Format.String())
	}
	b.WriteString(q.locate(plural(len(e.Faults), "fault") + " in " + name))
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "\n  line %d, column %d: %s", f.Line, f.Column, f.Msg)
	}
	return b.String()
}

// recordFaults returns the faults of a file as JSON has them.
func recordFaults(e *notation.Error) []fault {
	faults := make([]fault, len(e.Faults))
	for i := range e.Faults {
		f := &e.Faults[i]
		faults[i] = fault{Location: "file", Offset: &f.Offset, Line: f.Line, Column: f.Column, Code: f.Code, Message: f.Msg}
	}
	return faults
}

// asRecordError returns the faults of a file, nil if err is something else.
func asRecordError(err error) *notation.Error {
	var e *notation.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
