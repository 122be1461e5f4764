package cli

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
)

// FormatNames are the values of --notation.
var FormatNames = append([]string{"auto"}, notation.Names(notation.Formats())...)

// A FileFormat says how positions are read from a file.
type FileFormat struct {
	Format notation.Format // Unknown: found out by the first lines
	Usual  notation.Format // what it is if the first lines do not show it
	After  int             // of a record, solve the position after this number of moves
}

// Files reads the positions of a file in whatever notation it is: one position a line for SFEN and
// for what is no notation, else the position of each record. It reads no more than it needs to tell
// before it yields the first position, and of a regular file what it has at the start.
func Files(r io.Reader, f FileFormat) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		r, err := asItIs(r)
		if err != nil {
			yield(Question{}, err)
			return
		}
		rest := r
		if f.Format == notation.Unknown {
			var refused error
			if f.Format, rest, refused, err = detect(r); err != nil || refused != nil {
				yield(Question{fault: refused}, err)
				return
			}
			if f.Format == notation.Unknown {
				f.Format = f.Usual
			}
		}
		questions := Lines(rest)
		if f.Format != notation.Unknown && f.Format != notation.SFEN {
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

// detect returns the notation of an input, and the input again from its beginning, in UTF-8 if it
// is in UTF-16. It reads up to the first line that is neither empty nor a comment, and of a file
// further if that line does not tell. refused says that it is no text.
func detect(r io.Reader) (f notation.Format, whole io.Reader, refused, err error) {
	_, isFile := r.(*wholeFile)
	var head []byte
	for {
		size := len(head)
		head = append(head, make([]byte, 4<<10)...)
		n, err := r.Read(head[size:])
		head = head[:size+n]
		switch {
		case size == 0 && notation.IsUTF16(head):
			r = transform.NewReader(io.MultiReader(bytes.NewReader(head), r),
				unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
			head = nil
			continue
		case notation.IsOtherKind(head):
			_, refused := notation.Parse(head, notation.Options{})
			return 0, nil, refused, nil
		}
		whole := head[:bytes.LastIndexByte(head, '\n')+1]
		if err == io.EOF || len(head) >= maxPeeked {
			whole = head
		}
		switch format := notation.Detect(whole); {
		case format != notation.Unknown, err == io.EOF, len(head) >= maxPeeked, hasContent(whole) && !isFile:
			return format, io.MultiReader(bytes.NewReader(head), r), nil, nil
		case err != nil:
			return notation.Unknown, nil, nil, err
		}
	}
}

// hasContent reports whether a text has a line that is neither empty nor a comment of any notation.
func hasContent(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) > 0 && line[0] != '#' && line[0] != '\'' {
			return true
		}
	}
	return false
}

// recordQuestions reads the records of a file. A file with faults is one question that has them.
func recordQuestions(r io.Reader, f FileFormat) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		data, err := io.ReadAll(io.LimitReader(r, notation.MaxBytes+1))
		if err != nil {
			yield(Question{}, err)
			return
		}
		records, err := notation.ParseAll(data, notation.Options{Format: f.Format})
		if err != nil {
			yield(Question{size: int64(len(data)), fault: err}, nil)
			return
		}
		size := int64(len(data)) / int64(len(records))
		for i, record := range records {
			q := Question{size: size, notes: wire.RecordNotes(record), title: wire.Title(record),
				author: wire.Author(record)}
			q.plies = record.Plies
			if len(records) > 1 {
				q.record = i + 1
				q.where = fmt.Sprintf("record %d", q.record)
			}
			after := f.After
			if after == 0 {
				after = record.Shown()
			}
			p, err := record.After(after)
			if q.text = p.SFEN(); err != nil {
				q.text, q.fault = record.Start.SFEN(), err
			} else {
				q.moves = record.Moves()[after:]
			}
			if after == 0 {
				q.written = record.Written()
			}
			if !yield(q, nil) {
				return
			}
		}
	}
}
