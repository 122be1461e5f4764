package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tsumero/tsumero/shogi"
)

// A Decoder decodes and validates requests of type T, a struct whose tags say what is valid:
//
//	json       the name of the field; without ",omitempty" the field is required
//	minimum    of an integer: the least value
//	maximum    of an integer: the largest value, where its Maxima has none
//	minLength  of a string: 1 if it must not be empty
//	enum       of a string: the values it may have, separated by commas; "notations" for the names of
//	           all notations; of a list, its strings
//	maxItems   of a list of strings: how many there may be
//
// The largest values of integers are its Maxima. A name stands for one field only if it is
// spelled exactly so, an object has it once, and there are no others. null is as good as absent
// for a field that is not required. Integers are not negative; 3.0 and 1e5 are integers.
//
// A Decoder does not change, so that any number of goroutines may use it.
type Decoder[T any] struct {
	part string
	root func() *object // made when it is first needed
}

// An object says what fields an object has.
type object struct{ fields []field }

// A field says what values a field has, and where in the struct it is.
type field struct {
	name        string
	index       int
	kind        kind
	required    bool
	nonEmpty    bool
	least, most uint64
	enum        []string
	maxItems    int     // of a list
	object      *object // of a nested object
	flat        []int   // in a struct that is embedded: its index before the field's
}

// A kind is the kind of values of a field.
type kind uint8

const (
	kindString kind = iota
	kindBoolean
	kindSigned
	kindUnsigned
	kindObject
	kindID
	kindStrings
)

// Maxima are the largest values of integers, by the name of the field.
type Maxima interface {
	// Most returns the largest value of a field. ok is false if it has none.
	Most(name string) (most uint64, ok bool)
}

// NewDecoder returns the decoder of T. part is how faults name what is decoded: body, line or
// query. Decode panics if T has a field that requests cannot have.
func NewDecoder[T any](part string, b Maxima) *Decoder[T] {
	return &Decoder[T]{part, sync.OnceValue(func() *object { return newObject(reflect.TypeFor[T](), nil, b) })}
}

// newObject reads the tags of a struct.
func newObject(t reflect.Type, flat []int, b Maxima) *object {
	o := &object{}
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			o.fields = append(o.fields, newObject(sf.Type, append(slices.Clone(flat), i), b).fields...)
			continue
		}
		name, option, _ := strings.Cut(sf.Tag.Get("json"), ",")
		f := field{name: name, index: i, flat: flat, required: option == "", most: math.MaxUint64,
			nonEmpty: sf.Tag.Get("minLength") == "1"}
		switch kind := sf.Type.Kind(); {
		case sf.Type == reflect.TypeFor[ID]():
			f.kind = kindID
		case kind == reflect.String:
			f.kind = kindString
		case sf.Type == reflect.TypeFor[[]string]():
			f.kind = kindStrings
			var err error
			if f.maxItems, err = strconv.Atoi(sf.Tag.Get("maxItems")); err != nil {
				panic(err)
			}
		case kind == reflect.Bool:
			f.kind = kindBoolean
		case kind == reflect.Int, kind == reflect.Int64:
			f.kind, f.most = kindSigned, math.MaxInt64
		case kind == reflect.Uint64:
			f.kind = kindUnsigned
		case kind == reflect.Struct:
			f.kind, f.object = kindObject, newObject(sf.Type, nil, b)
		default:
			panic(fmt.Sprintf("wire: %v.%s is a %v, which requests cannot have", t, sf.Name, sf.Type))
		}
		if enum := sf.Tag.Get("enum"); enum == "notations" {
			f.enum = notationNames()
		} else if enum != "" {
			f.enum = strings.Split(enum, ",")
		}
		if least := sf.Tag.Get("minimum"); least != "" {
			var err error
			if f.least, err = strconv.ParseUint(least, 10, 64); err != nil {
				panic(err)
			}
		}
		if most := sf.Tag.Get("maximum"); most != "" {
			var err error
			if f.most, err = strconv.ParseUint(most, 10, 64); err != nil {
				panic(err)
			}
		}
		if most, ok := b.Most(name); ok {
			f.most = most
		}
		o.fields = append(o.fields, f)
	}
	if len(o.fields) > 64 {
		panic(fmt.Sprintf("wire: %v has more fields than bits", t))
	}
	return o
}

// in returns the field in a struct.
func (f *field) in(v reflect.Value) reflect.Value {
	for _, i := range f.flat {
		v = v.Field(i)
	}
	return v.Field(f.index)
}

// Decode reads a request in JSON. It returns every fault of it; into then has what is valid. The
// problem is that text is not JSON. An ID is a part of text.
func (d *Decoder[T]) Decode(text []byte, into *T) ([]Fault, *Problem) {
	r := readers.Get().(*reader)
	defer r.release()
	r.begin(d.part, text)
	err := r.object(d.root(), reflect.ValueOf(into).Elem())
	if err == nil {
		if _, err = r.dec.ReadToken(); errors.Is(err, io.EOF) {
			return r.faults, nil
		}
	}
	return nil, jsonProblem(d.part, text)
}

// A reader is the work on one text.
type reader struct {
	dec    *jsontext.Decoder
	in     bytes.Buffer
	text   []byte
	path   []byte // where it is, as faults name it
	part   string
	buf    []byte
	faults []Fault
}

var readers = sync.Pool{New: func() any {
	r := &reader{path: make([]byte, 0, 64), buf: make([]byte, 0, 256)}
	r.dec = jsontext.NewDecoder(&r.in)
	return r
}}

func (r *reader) begin(part string, text []byte) {
	r.text, r.part = text, part
	r.in = *bytes.NewBuffer(text) // of which the decoder reads without a copy
	r.path = append(r.path[:0], part...)
	// That strings are UTF-8 and keys are not repeated is what jsontext would want: for the one
	// encoding/json has U+FFFD, and of the other every instance is a fault.
	r.dec.Reset(&r.in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// keepBuffer is the most memory that a reader keeps.
const keepBuffer = 4 << 10

func (r *reader) release() {
	r.text, r.faults = nil, nil
	r.in = bytes.Buffer{}
	if cap(r.buf) <= keepBuffer && cap(r.path) <= keepBuffer {
		readers.Put(r)
	}
}

func (r *reader) fault(what *shogi.Text, args ...any) {
	r.faults = append(r.faults, fault(string(r.path), what, args...))
}

// object reads an object into a struct.
func (r *reader) object(o *object, v reflect.Value) error {
	if r.dec.PeekKind() != '{' {
		r.fault(wantObject)
		return r.skip()
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	var seen uint64             // a bit for each field
	var unknown map[string]bool // other names
	here := len(r.path)
	for r.dec.PeekKind() != '}' {
		name, offset, err := r.name()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(o.fields, func(f field) bool { return f.name == string(name) })
		if i >= 0 && seen>>i&1 != 0 || i < 0 && unknown[string(name)] {
			r.repeated(offset, name)
		}
		if i < 0 {
			if !unknown[string(name)] {
				if unknown == nil {
					unknown = map[string]bool{}
				}
				unknown[string(name)] = true
				r.path = append(append(r.path, '.'), name...)
				r.fault(unknownField)
				r.path = r.path[:here]
			}
			err = r.skip()
		} else {
			seen |= 1 << i
			f := &o.fields[i]
			r.path = append(append(r.path, '.'), f.name...)
			err = r.field(f, v)
			r.path = r.path[:here]
		}
		if err != nil {
			return err
		}
	}
	for i := range o.fields {
		if f := &o.fields[i]; f.required && seen>>i&1 == 0 {
			r.fault(requiredField, f.name)
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// name reads the name of a field. It may be read until the next one is.
func (r *reader) name() (name []byte, offset int, err error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, 0, err
	}
	offset = int(r.dec.InputOffset()) - len(raw)
	return r.unquote(raw), offset, nil
}

// unquote returns the text of a string in JSON, invalid UTF-8 in it replaced. It may be read until
// the next one is.
func (r *reader) unquote(raw []byte) []byte {
	for _, c := range raw[1 : len(raw)-1] {
		if c == '\\' || c >= 0x80 {
			r.buf, _ = jsontext.AppendUnquote(r.buf[:0], raw) // an error about UTF-8
			return r.buf
		}
	}
	return raw[1 : len(raw)-1]
}

// repeated adds a fault about a name that its object has had already.
func (r *reader) repeated(offset int, name []byte) {
	f := fault(r.part, keyTwice, Clip(string(name)))
	f.Offset = &offset
	r.faults = append(r.faults, f)
}

// skip reads a value that is not used, but whose repeated names are faults.
func (r *reader) skip() error {
	start, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	switch start.Kind() {
	default:
		return nil
	case '{':
		names := map[string]bool{}
		for r.dec.PeekKind() != '}' {
			name, offset, err := r.name()
			if err != nil {
				return err
			}
			if names[string(name)] {
				r.repeated(offset, name)
			}
			names[string(name)] = true
			if err := r.skip(); err != nil {
				return err
			}
		}
	case '[':
		for r.dec.PeekKind() != ']' {
			if err := r.skip(); err != nil {
				return err
			}
		}
	}
	_, err = r.dec.ReadToken() // its end
	return err
}

// field reads the value of a field.
func (r *reader) field(f *field, v reflect.Value) error {
	next := r.dec.PeekKind()
	if next == 'n' && !f.required {
		return r.skip()
	}
	switch f.kind {
	case kindObject:
		return r.object(f.object, f.in(v))
	case kindStrings:
		return r.strings(f, f.in(v))
	case kindBoolean:
		if next != 't' && next != 'f' {
			r.fault(wantBoolean)
			return r.skip()
		}
		token, err := r.dec.ReadToken()
		if err == nil {
			f.in(v).SetBool(token.Bool())
		}
		return err
	case kindID:
		if next != '"' && next != '0' {
			r.fault(wantID)
			return r.skip()
		}
	case kindString:
		if next != '"' {
			r.fault(wantString)
			return r.skip()
		}
	case kindSigned, kindUnsigned:
		if next != '0' {
			r.fault(wantInteger)
			return r.skip()
		}
	}
	raw, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	switch f.kind {
	case kindID:
		if len(raw) > maxEcho {
			r.fault(tooManyBytes, len(raw), maxEcho)
			break
		}
		end := int(r.dec.InputOffset())
		f.in(v).SetBytes(r.text[end-len(raw) : end : end])
	case kindString:
		r.string(f, v, string(r.unquote(raw)))
	default:
		r.integer(f, v, raw)
	}
	return nil
}

// strings reads a list of strings. Those after the last that there may be are skipped.
func (r *reader) strings(f *field, v reflect.Value) error {
	if r.dec.PeekKind() != '[' {
		r.fault(wantArray)
		return r.skip()
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	list, here := []string{}, len(r.path)
	for n := 0; r.dec.PeekKind() != ']'; n++ {
		var err error
		r.path = append(strconv.AppendInt(append(r.path, '['), int64(n), 10), ']')
		switch {
		case n >= f.maxItems:
			err = r.skip()
		case r.dec.PeekKind() != '"':
			r.fault(wantString)
			err = r.skip()
		default:
			var raw []byte
			if raw, err = r.dec.ReadValue(); err == nil {
				list = r.item(f, list, string(r.unquote(raw)))
			}
		}
		r.path = r.path[:here]
		if err != nil {
			return err
		}
		if n == f.maxItems {
			r.fault(tooManyItems, f.maxItems)
		}
	}
	v.Set(reflect.ValueOf(list))
	_, err := r.dec.ReadToken()
	return err
}

// item appends a string to a list if it may be in it.
func (r *reader) item(f *field, list []string, s string) []string {
	if f.enum != nil && !slices.Contains(f.enum, s) {
		r.noValue(f)
		return list
	}
	return append(list, s)
}

// noValue adds the fault of a string that is none of those a field may have.
func (r *reader) noValue(f *field) { r.fault(notOneOf, strings.Join(f.enum, ", ")) }

// string takes over a string if it is valid.
func (r *reader) string(f *field, v reflect.Value, s string) {
	switch {
	case f.nonEmpty && s == "":
		r.fault(emptyString)
	case f.enum != nil && !slices.Contains(f.enum, s):
		r.noValue(f)
	default:
		f.in(v).SetString(s)
	}
}

// integer takes over a number in JSON if it is a valid integer.
func (r *reader) integer(f *field, v reflect.Value, raw []byte) {
	n := uint64(0)
	for i, c := range raw {
		if c < '0' || c > '9' || i == 19 { // 19 digits cannot overflow
			r.float(f, v, raw)
			return
		}
		n = 10*n + uint64(c-'0')
	}
	r.setInteger(f, v, n)
}

// float is integer for a number of any form. One beyond those of float64 is beyond all bounds.
func (r *reader) float(f *field, v reflect.Value, raw []byte) {
	if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		r.setInteger(f, v, n)
		return
	}
	x, _ := strconv.ParseFloat(string(raw), 64) // or an infinity of its sign
	if x != math.Trunc(x) {
		r.fault(wantInteger)
	}
	switch {
	case x < float64(f.least):
		r.belowLeast(f)
	case x >= 1<<64:
		r.aboveMost(f)
	case x == math.Trunc(x):
		r.setInteger(f, v, uint64(x))
	case x > float64(f.most):
		r.aboveMost(f)
	}
}

func (r *reader) setInteger(f *field, v reflect.Value, n uint64) {
	switch {
	case n < f.least:
		r.belowLeast(f)
	case n > f.most:
		r.aboveMost(f)
	case f.kind == kindSigned:
		f.in(v).SetInt(int64(n))
	default:
		f.in(v).SetUint(n)
	}
}

func (r *reader) belowLeast(f *field) { r.fault(belowLeast, f.least) }
func (r *reader) aboveMost(f *field)  { r.fault(aboveMost, f.most) }
