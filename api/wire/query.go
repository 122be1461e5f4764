package wire

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// DecodeQuery reads a request from the query of an address. Objects cannot be in one, and the
// strings of a list are separated by commas. Strings are taken over as they were sent, still
// escaped: see package sfenurl for why. An empty value is as good as none. It returns every fault;
// into then has what is valid.
func (d *Decoder[T]) DecodeQuery(query string, into *T) []Fault {
	r := reader{path: append(make([]byte, 0, 64), d.part...)}
	v := reflect.ValueOf(into).Elem()
	var seen, given uint64 // a bit for each field
	here := len(r.path)
	for name, raw := range sfenurl.Parameters(query) {
		r.path = append(append(r.path[:here], '.'), name...)
		i := slices.IndexFunc(d.root().fields, func(f field) bool { return f.name == name })
		switch {
		case i < 0:
			r.fault(unknownParameter, strings.Join(d.Names(), ", "))
			continue
		case seen>>i&1 != 0:
			r.fault(givenTwice)
			continue
		}
		seen |= 1 << i
		if raw != "" {
			given |= 1 << i
			r.parameter(&d.root().fields[i], v, raw)
		}
	}
	for i := range d.root().fields {
		if f := &d.root().fields[i]; f.required && given>>i&1 == 0 {
			r.path = append(append(r.path[:here], '.'), f.name...)
			r.fault(requiredParameter)
		}
	}
	return r.faults
}

// Query is DecodeQuery with the problem that faults are.
func (d *Decoder[T]) Query(query string, into *T) *Problem {
	if faults := d.DecodeQuery(query, into); len(faults) > 0 {
		return Invalid(faults)
	}
	return nil
}

// EncodeQuery returns the query that is decoded as v, whose strings are escaped.
func (d *Decoder[T]) EncodeQuery(v *T) string {
	var parameters []string
	for i := range d.root().fields {
		f := &d.root().fields[i]
		value := f.in(reflect.ValueOf(v).Elem())
		if value.IsZero() {
			continue
		}
		text := fmt.Sprint(value)
		if list, ok := value.Interface().([]string); ok {
			text = strings.Join(list, ",")
		}
		parameters = append(parameters, f.name+"="+text)
	}
	slices.Sort(parameters)
	return strings.Join(parameters, "&")
}

// Names returns the names of the fields.
func (d *Decoder[T]) Names() []string {
	names := make([]string, len(d.root().fields))
	for i := range names {
		names[i] = d.root().fields[i].name
	}
	return names
}

// Has reports whether there is a field of that name.
func (d *Decoder[T]) Has(name string) bool {
	return slices.ContainsFunc(d.root().fields, func(f field) bool { return f.name == name })
}

// parameter reads the value of a parameter.
func (r *reader) parameter(f *field, v reflect.Value, raw string) {
	if f.kind == kindString {
		r.string(f, v, raw)
		return
	}
	unescape := url.QueryUnescape
	if f.kind == kindStrings {
		unescape = url.PathUnescape // no item has a space, and a "+" is that of a move
	}
	value, err := unescape(raw)
	if err != nil {
		r.fault(sfenurl.BadEscape)
		return
	}
	if f.kind == kindStrings {
		list := []string{}
		for s := range strings.SplitSeq(value, ",") {
			list = r.item(f, list, s)
		}
		f.in(v).Set(reflect.ValueOf(list))
		return
	}
	if f.kind == kindBoolean {
		b, err := strconv.ParseBool(value)
		if err != nil {
			r.fault(invalidBoolean)
			return
		}
		f.in(v).SetBool(b)
		return
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(value, "+"), 10, 64)
	if err == nil {
		r.setInteger(f, v, n)
	} else if below, err := strconv.ParseInt(value, 10, 64); err == nil && below < 0 {
		r.belowLeast(f)
	} else {
		r.fault(invalidInteger)
	}
}
