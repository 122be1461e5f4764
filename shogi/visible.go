package shogi

import (
	"strconv"
	"strings"
	"unicode"
)

// Visible returns text that a stranger has written as a terminal or a page can show it: characters
// that control a terminal, and those that change the direction of what stands around them, are
// escaped as in a string of Go. Line ends and tabs stay.
func Visible(text string) string {
	hidden := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' ||
			unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
	}
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// VisibleLine is Visible for what has to stay in a line and a column.
func VisibleLine(text string) string {
	return Visible(lineEnds.Replace(text))
}
