package notation

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lazy returns the regular expression, which is compiled when it is first asked for: all of them
// take a millisecond.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// A mapped text is one that was made of another, whose places it can tell.
type mapped struct {
	text string
	// The bytes of text from out[i] on are those of the other text from in[i] on.
	out, in []int
}

// A mapper makes a mapped text.
type mapper struct {
	strings.Builder
	mapped
}

// put appends text, which stands for what begins at a byte of the other text.
func (m *mapper) put(text string, at int) {
	if text != "" {
		m.out, m.in = append(m.out, m.Len()), append(m.in, at)
		m.WriteString(text)
	}
}

// putAll appends what another mapper made of the same text.
func (m *mapper) putAll(other *mapper) {
	text := other.String()
	for i, from := range other.out {
		end := len(text)
		if i+1 < len(other.out) {
			end = other.out[i+1]
		}
		m.put(text[from:end], other.in[i])
	}
}

func (m *mapper) finish() mapped {
	m.text = m.String()
	return m.mapped
}

// relocate moves what was found in the text to where it stands in the other one.
func (m *mapped) relocate(other string, r *reading) {
	r.relocate(func(offset int) place {
		i, at := len(m.out)-1, 0
		for i > 0 && m.out[i] > offset {
			i--
		}
		if i >= 0 {
			end := len(other)
			if i+1 < len(m.in) {
				end = m.in[i+1]
			}
			if at = m.in[i] + max(offset-m.out[i], 0); at > end {
				at = m.in[i]
			}
		}
		for at > 0 && at < len(other) && !utf8.RuneStart(other[at]) {
			at--
		}
		return placeIn(other, min(at, len(other)))
	})
}

// spelled returns text as people type it. What is copied from a PDF or a page has radicals and
// compatibility ideographs in place of the kanji that they look like, blanks that do not break, and
// characters that are never seen. Comments of a KIF stay as they are. ok is false if nothing changes.
func spelled(text string) (m mapped, ok bool) {
	if strings.IndexFunc(text, isMisspelled) < 0 {
		return mapped{}, false
	}
	var b mapper
	for l := range lines(text) {
		end := l.end()
		for end < len(text) && (text[end] == '\r' || text[end] == '\n') {
			end++
		}
		if strings.HasPrefix(l.text, "*") {
			b.put(text[l.at:end], l.at)
			continue
		}
		from := l.at
		for i, c := range text[l.at:end] {
			if !isMisspelled(c) {
				continue
			}
			b.put(text[from:l.at+i], from)
			from = l.at + i + utf8.RuneLen(c)
			if !unicode.In(c, unicode.Cf, unicode.Variation_Selector) {
				b.put(norm.NFKC.String(string(c)), l.at+i)
			}
		}
		b.put(text[from:end], from)
	}
	return b.finish(), true
}

// isMisspelled reports whether spelled has another character, or none, in place of c.
func isMisspelled(c rune) bool {
	switch {
	case c < 0xa0:
		return false
	case c >= 0x2e80 && c <= 0x2fdf, c >= 0xf900 && c <= 0xfaff: // radicals, compatibility ideographs
		return true
	}
	return unicode.In(c, unicode.Cf, unicode.Variation_Selector) || c != '　' && unicode.Is(unicode.Zs, c)
}
