package httpapi

import (
	"net/url"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// rawParameter returns the value of the first parameter of that name in a query, still encoded.
func rawParameter(query, name string) string {
	for pair := range strings.SplitSeq(query, "&") {
		k, v, _ := strings.Cut(pair, "=")
		if k == name {
			return v
		}
	}
	return ""
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
