package diagram

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// maxQuery is the longest query in bytes. A position in full, escaped, has some 400, and a title at
// most some 1,000; the rest is for moves.
const maxQuery = 8 << 10

// maxFaults is the most faults that one problem lists.
const maxFaults = 64

// parameterNames are the parameters, in the order of the documentation.
var parameterNames = [parameters]string{"sfen", "size", "lang", "last", "title", "flip", "theme"}

// Their places in parameterNames.
const (
	sfenParameter = iota
	sizeParameter
	langParameter
	lastParameter
	titleParameter
	flipParameter
	themeParameter
	parameters // how many there are
)

// A request is what is asked for, as far as it shows: equal pictures have equal requests.
type request struct {
	position shogi.Position
	options  Options
	png      bool
}

// A fault is one thing that is wrong with a query.
type fault struct {
	Location string `json:"location"`         // query and the parameter
	Offset   *int   `json:"offset,omitempty"` // in bytes of the decoded value
	Code     string `json:"code,omitempty"`   // of a shogi.Fault
	Message  string `json:"message"`
}

// parseQuery reads a query, or returns every fault of it.
func parseQuery(query string) (request, []fault) {
	var faults []fault
	bad := func(name, message string) {
		faults = append(faults, fault{Location: "query." + name, Message: message})
	}
	values, seen := [parameters]string{}, [parameters]bool{}
	for name, raw := range sfenurl.Parameters(query) {
		i := slices.Index(parameterNames[:], name)
		switch {
		case i < 0:
			bad(clip(name), "unexpected parameter, expected "+strings.Join(parameterNames[:], ", "))
			continue
		case seen[i]:
			bad(name, "found a second time, expected once")
			continue
		}
		seen[i], values[i] = true, raw
		if i == sfenParameter {
			continue // not decoded yet: see package sfenurl
		}
		value, err := url.QueryUnescape(raw)
		if err != nil {
			bad(name, "found a % that begins no escape, expected % and two hexadecimal digits")
			seen[i] = false
		}
		values[i] = value
	}

	q := request{}
	o := &q.options
	// option reads one of the parameters with a few values.
	option := func(i int, allowed ...string) uint8 {
		if !seen[i] {
			return 0
		}
		n := slices.Index(allowed, values[i])
		if n < 0 {
			bad(parameterNames[i], fmt.Sprintf("found %q, expected %s",
				clip(values[i]), strings.Join(allowed, " or ")))
			return 0
		}
		return uint8(n)
	}
	positionFaults := readPosition(&q, values[sfenParameter], seen[sfenParameter])
	if size := values[sizeParameter]; seen[sizeParameter] {
		width, err := strconv.Atoi(size)
		isWidth := err == nil && width >= MinWidth && width <= MaxWidth && size[0] != '+'
		switch {
		case size == cardSize:
			o.Card = true
		case isWidth:
			o.Width = width
		default:
			bad("size", fmt.Sprintf("found %q, expected a width from %d to %d pixels, or %s",
				clip(size), MinWidth, MaxWidth, cardSize))
		}
	}
	o.Lang = Lang(option(langParameter, "ja", "en"))
	if seen[lastParameter] {
		if m, err := shogi.ParseMove(values[lastParameter]); err != nil {
			bad("last", strings.TrimPrefix(err.Error(), "shogi: "))
			o.Last = shogi.NoMove
		} else {
			o.Last = m
		}
	}
	o.Title = values[titleParameter]
	o.Flip = option(flipParameter, "false", "true") == 1
	o.Theme = Theme(option(themeParameter, "light", "dark", "print"))

	if len(positionFaults) > 0 {
		o.Last = shogi.NoMove // there is nothing to compare it with
	}
	for _, e := range o.complete(&q.position) {
		bad(e.Option, e.Msg)
	}
	return q, append(positionFaults, faults...)
}

var cardSize = fmt.Sprintf("%dx%d", CardWidth, CardHeight)

// readPosition reads the position of a query, and marks the last of the moves that come with it.
func readPosition(q *request, raw string, present bool) []fault {
	const location = "query.sfen"
	if !present {
		return []fault{{Location: location, Message: "required query parameter is missing"}}
	}
	game, err := sfenurl.Parse(raw)
	if err == nil {
		q.position = game.Position()
		if moves := game.Moves(); len(moves) > 0 {
			q.options.Last = moves[len(moves)-1]
		}
		return nil
	}
	var faults []fault
	var sfen *shogi.SFENError
	if errors.As(err, &sfen) {
		for _, f := range sfen.Faults {
			faults = append(faults, fault{
				Location: location, Offset: &f.Offset, Code: f.Code, Message: f.Field + ": " + f.Msg})
		}
	}
	var bad *sfenurl.Error
	switch errors.As(err, &bad); {
	case sfen == nil:
		faults = append(faults, fault{Location: location, Message: bad.Err.Error()})
	case bad.Plus:
		faults = append(faults, fault{Location: location, Message: sfenurl.PlusHint})
	}
	return faults
}

// clip shortens text that a stranger chose the length of, and makes it safe to show.
func clip(s string) string {
	const most = 60
	s = strings.ToValidUTF8(s, "\ufffd")
	for i := range s {
		if i > most {
			return s[:i] + "…"
		}
	}
	return s
}

// A problem is an error as RFC 9457 wants it, of the kinds and in the form that the whole service
// has.
type problem struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"`
	RequestID string  `json:"request_id,omitempty"`
	Errors    []fault `json:"errors,omitempty"`
}

func notFound() problem {
	return problem{Type: "/problems/not_found", Title: "There is nothing here", Status: http.StatusNotFound,
		Detail: "The path of a diagram ends in .svg or .png."}
}

func methodNotAllowed() problem {
	return problem{Type: "/problems/method_not_allowed", Title: "The method is not allowed here",
		Status: http.StatusMethodNotAllowed, Detail: "Diagrams answer GET and HEAD."}
}

func uriTooLong() problem {
	return problem{Type: "/problems/uri_too_long", Title: "The address is too long",
		Status: http.StatusRequestURITooLong, Detail: fmt.Sprintf("The query exceeds %d bytes.", maxQuery)}
}

func invalid(faults []fault) problem {
	detail := "The request has 1 fault."
	if n := len(faults); n > 1 {
		detail = fmt.Sprintf("The request has %d faults.", n)
	}
	if n := len(faults); n > maxFaults {
		faults = faults[:maxFaults]
		detail = fmt.Sprintf("The request has %d faults; the first %d are listed.", n, maxFaults)
	}
	return problem{Type: "/problems/invalid_question", Title: "The question has faults",
		Status: http.StatusUnprocessableEntity, Detail: detail, Errors: faults}
}

// write sends p. The id is the one the service has given the request.
func (p problem) write(w http.ResponseWriter) {
	header := w.Header()
	p.RequestID = header.Get("X-Request-Id")
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(p) // a client that is gone needs no answer
}
