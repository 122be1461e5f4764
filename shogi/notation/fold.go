package notation

import "strings"

// others are characters that people use for those of a notation, beside the full-width forms of
// ASCII: the lines that boxes are drawn with, and blanks of other widths.
var others = map[rune]rune{'　': ' ', '\u00a0': ' ', '\u2002': ' ', '\u2003': ' ', '･': '・',
	'│': '|', '┃': '|', '║': '|', '¦': '|', '￤': '|', '─': '-', '━': '-', '═': '-', '－': '-',
	'−': '-', '‐': '-', '–': '-', '—': '-', '―': '-', '步': '歩'}

// folded returns text with the characters of ASCII in place of those that look like them, one for
// each: full-width digits, letters and signs, and the lines of drawn boxes.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80, r > '〿' && r < '！' && r != '步': // ASCII, kana and kanji
			return r
		case r >= '！' && r <= '～':
			return r - '！' + '!'
		case r >= '┌' && r <= '╬': // the corners and crosses of boxes
			if _, ok := others[r]; !ok {
				return '+'
			}
		}
		if other, ok := others[r]; ok {
			return other
		}
		return r
	}, text)
}
