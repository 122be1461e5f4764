package collection

import (
	"strings"
)

// LineKey returns the line as likeness sees it: each move by its kind and where it goes as seen from
// the defender's king; the smaller one of the line and its mirror image.
func (d *Description) LineKey() string {
	texts := make([]string, len(d.line))
	for i, s := range d.line {
		texts[i] = s.String()
	}
	return strings.Join(texts, " ")
}
