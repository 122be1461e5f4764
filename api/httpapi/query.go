package httpapi

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// queryParameters are those of GET /v1/solve.
var queryParameters = []string{"sfen", "plies", "nodes", "time_ms", "shortest"}

// parameters goes through the parameters of a query: their names, and their values, which are still encoded.
func parameters(query string) iter.Seq2[string, string] {
	return func(yield func(name, raw string) bool) {
		for pair := range strings.SplitSeq(query, "&") {
			if pair == "" {
				continue
			}
			name, raw, _ := strings.Cut(pair, "=")
			if decoded, err := url.QueryUnescape(name); err == nil {
				name = decoded
			}
			if !yield(name, raw) {
				return
			}
		}
	}
}

// rawParameter returns the value of the first parameter of that name in a query, still encoded.
func rawParameter(query, name string) string {
	for n, raw := range parameters(query) {
		if n == name {
			return raw
		}
	}
	return ""
}

// strayParameters returns the parameters that are not among the known ones, and those that come again.
func strayParameters(query string, known []string) (faults []fault) {
	seen := make([]string, 0, 8)
	for name := range parameters(query) {
		switch {
		case !slices.Contains(known, name):
			faults = append(faults, fault{Location: "query." + name, Message: "unexpected parameter, expected " + strings.Join(known, ", ")})
		case slices.Contains(seen, name):
			faults = append(faults, fault{Location: "query." + name, Message: "found a second time, expected once"})
		}
		seen = append(seen, name)
	}
	return faults
}

// setPositionFromQuery makes the position in an encoded parameter the one asked about. A "+" in a query means a blank
// to whoever escapes as forms do, and itself to whoever forgot to escape a promoted piece; the two look alike, but of
// the readings no two are positions: in one the board lacks squares that are words of their own in the other.
func (q *question) setPositionFromQuery(location, raw string) []fault {
	literal, err := url.PathUnescape(raw)
	if err != nil {
		return []fault{{Location: location, Message: "found a % that begins no escape, expected % and two hexadecimal digits"}}
	}
	form, _ := url.QueryUnescape(raw) // the same escapes
	if !strings.Contains(raw, "+") {
		return q.setPosition(location, literal)
	}
	readings := []string{literal, form}
	// Both at once: a promoted piece and blanks that are all sent as "+".
	words := strings.Fields(form)
	for side := 1; side < len(words); side++ {
		if words[side] == "b" || words[side] == "w" {
			readings = append(readings, strings.Join(words[:side], "+")+" "+strings.Join(words[side:], " "))
			break
		}
	}
	for _, text := range readings {
		if _, err := shogi.ParsePosition(text); err == nil {
			return q.setPosition(location, text)
		}
	}
	text := form
	if strings.ContainsAny(literal, " _.\t") {
		text = literal
	}
	faults := q.setPosition(location, text)
	return append(faults, fault{Location: location, Message: `found a "+" that is not escaped: one that means a promoted piece must be sent as %2B`})
}
