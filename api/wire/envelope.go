package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Fields are the fields of an answer as JSON, without the braces of their object:
// "sfen":"…","attacker":"black". An answer is kept like this, because each of those who get it has
// other fields before and behind these: see Envelope.
type Fields []byte

// FieldsOf returns the fields of a value of this package. They take no more memory than they need:
// caches keep them.
func FieldsOf(v any) Fields {
	text := AppendJSON(nil, v)
	return bytes.Clone(text[1 : len(text)-1])
}

// ParseFields returns the fields of an object in JSON.
func ParseFields(text []byte) (f Fields, err error) {
	err = eachField(text, func(name, value []byte) bool {
		f = f.append(name, value)
		return true
	})
	return f, err
}

// name begins a field. Its value is to be appended.
func (f Fields) name(name string) Fields {
	if len(f) > 0 {
		f = append(f, ',')
	}
	return append(append(append(f, '"'), name...), `":`...)
}

// text appends a field with a string that may have anything in it. Most have nothing to escape.
func (f Fields) text(name, s string) Fields {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return AppendJSON(f.name(name), s)
		}
	}
	return f.plain(name, s)
}

// plain appends a field with a string in which there is nothing to escape.
func (f Fields) plain(name, s string) Fields {
	return append(append(append(f.name(name), '"'), s...), '"')
}

func (f Fields) plainList(name string, list []string) Fields {
	f = append(f.name(name), '[')
	for i, s := range list {
		if i > 0 {
			f = append(f, ',')
		}
		f = append(append(append(f, '"'), s...), '"')
	}
	return append(f, ']')
}

func (f Fields) number(name string, n uint64) Fields {
	return strconv.AppendUint(f.name(name), n, 10)
}

func (f Fields) boolean(name string, b bool) Fields { return strconv.AppendBool(f.name(name), b) }

// append appends a field. The name is in its quotes.
func (f Fields) append(name, value []byte) Fields {
	if len(f) > 0 {
		f = append(f, ',')
	}
	return append(append(append(f, name...), ':'), value...)
}

// An Envelope is an answer, or the problem in its place, with the fields that are not the same for
// everybody who gets the answer. It is the only writer of both.
type Envelope struct {
	Line    int // number of the line of the input that it answers; 0: not written
	ID      ID  // of that line; empty: not written
	Answer  Fields
	Problem *Problem // in place of Answer
	Notes   []Note
	// Elapsed is how long the search took. It is written only if Timed is set: it would make the
	// same answer another one each time.
	Elapsed time.Duration
	Timed   bool
}

// Append appends the envelope as an object on one line, without the end of the line.
func (e *Envelope) Append(dst []byte) []byte {
	if e.Problem != nil {
		if e.Line == 0 && len(e.ID) == 0 {
			return AppendJSON(dst, e.Problem)
		}
		return AppendJSON(dst, &BatchProblem{e.ID, e.Line, e.Problem})
	}
	dst = append(slices.Grow(dst, len(e.Answer)+len(e.ID)+64), '{')
	if e.Line > 0 {
		dst = append(strconv.AppendInt(append(dst, `"line":`...), int64(e.Line), 10), ',')
	}
	if len(e.ID) > 0 {
		dst = append(append(append(dst, `"id":`...), e.ID...), ',')
	}
	dst = append(dst, e.Answer...)
	if len(e.Notes) > 0 {
		dst = AppendJSON(append(dst, `,"notes":`...), e.Notes)
	}
	if e.Timed {
		dst = strconv.AppendInt(append(dst, `,"elapsed_us":`...), e.Elapsed.Microseconds(), 10)
	}
	return append(dst, '}')
}

// AppendLine appends the envelope as a line.
func (e *Envelope) AppendLine(dst []byte) []byte { return append(e.Append(dst), '\n') }

// ParseEnvelope reads what Append wrote. Notes and the time are among the fields of the answer then.
func ParseEnvelope(text []byte) (*Envelope, error) {
	e := new(Envelope)
	err := eachField(text, func(name, value []byte) bool {
		switch {
		case e.Line == 0 && string(name) == `"line"` && isNumber(value):
			e.Line, _ = strconv.Atoi(string(value))
		case e.ID == nil && string(name) == `"id"`:
			e.ID = bytes.Clone(value)
		default:
			e.Answer = e.Answer.append(name, value)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	e.Problem = parseProblem(text)
	return e, nil
}

// parseProblem returns the problem that there is in place of an answer, nil if text is an answer.
func parseProblem(text []byte) *Problem {
	if !bytes.Contains(text, []byte(`"type":"/problems/`)) {
		return nil
	}
	p := new(Problem)
	if json.Unmarshal(text, p) != nil || !strings.HasPrefix(p.Type, "/problems/") || p.Status < 400 {
		return nil
	}
	return p
}

// LineNumber returns the number of the line that the text of an envelope answers. ok is false if it
// names none. What stands behind the number is not read: a report on a problem is long, and has
// another field of that name.
func LineNumber(text []byte) (n int, ok bool) {
	err := eachField(text, func(name, value []byte) bool {
		if string(name) == `"line"` && isNumber(value) {
			n, _ = strconv.Atoi(string(value))
		}
		return n == 0
	})
	return n, err == nil && n > 0
}

// isNumber reports whether a value in JSON is a number.
func isNumber(value []byte) bool { return jsontext.Value(value).Kind() == '0' }

// errNoObject is the error of a text that is no object in JSON.
var errNoObject = errors.New("wire: no JSON object")

// eachField calls on with each field of an object, until it returns false. The name is in its
// quotes. Both are valid during the call alone.
func eachField(text []byte, on func(name, value []byte) bool) error {
	r := readers.Get().(*reader)
	r.begin("", text)
	defer r.release()
	if token, err := r.dec.ReadToken(); err != nil || token.Kind() != '{' {
		return errNoObject
	}
	for r.dec.PeekKind() != '}' {
		name, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		r.buf = append(r.buf[:0], name...) // the next read may overwrite it
		value, err := r.dec.ReadValue()
		if err != nil {
			return err
		}
		if !on(r.buf, value) {
			return nil
		}
	}
	_, _ = r.dec.ReadToken() // the closing brace
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errNoObject
	}
	return nil
}
