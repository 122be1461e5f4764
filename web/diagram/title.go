package diagram

import (
	"strings"

	"github.com/tsumero/tsumero/web/diagram/outlines"
)

// text writes a line that begins at x; y is the height of the middle of its characters.
func (s *scene) text(line string, x, y, size float64, fill rgb) {
	for i, r := range line {
		if i == 0 && strings.ContainsRune(opening, r) {
			x -= size / 2
		}
		advance := float64(textFace.glyphOf(r).Advance) * size / outlines.Em
		s.glyph(textFace, r, x+advance/2, y, size, false, fill)
		x += advance
	}
}

// centred writes a line around x.
func (s *scene) centred(line string, x, y, size float64, fill rgb) {
	s.text(line, x-textWidth(line)*size/2, y, size, fill)
}

// Full-width marks of which one half is blank. The blank half does not count at the ends of a line,
// as in print.
const (
	opening = "「『（［｛【〔〈《"
	closing = "」』）］｝】〕〉》、。，．"
)

// Marks that begin no line besides the closing ones, and marks that end none besides the opening
// ones.
const (
	noStart = closing + "・：；！？ゝゞ々ーぁぃぅぇぉっゃゅょァィゥェォッャュョ ,.:;!?)]}"
	noEnd   = opening + "([{"
)

// textWidth returns the width of a line in ems.
func textWidth(line string) float64 {
	return runesWidth([]rune(line))
}

func runesWidth(line []rune) float64 {
	if len(line) == 0 {
		return 0
	}
	sum := 0
	for _, r := range line {
		sum += textFace.glyphOf(r).Advance
	}
	width := float64(sum) / outlines.Em
	if strings.ContainsRune(opening, line[0]) {
		width -= 0.5
	}
	if strings.ContainsRune(closing, line[len(line)-1]) {
		width -= 0.5
	}
	return width
}

// A block is a text in lines of one size.
type block struct {
	lines []string
	size  float64
}

const lineHeight = 1.3

func (b block) height() float64 { return b.size * (1 + lineHeight*float64(len(b.lines)-1)) }

// An alignment says what of a line stands at its place.
type alignment uint8

const (
	start alignment = iota
	middle
)

// block writes a block below y.
func (w *drawing) block(b block, x, y float64, a alignment, fill rgb) {
	for i, line := range b.lines {
		at := y + b.size*(0.5+lineHeight*float64(i))
		if a == middle {
			w.centred(line, x, at, b.size, fill)
		} else {
			w.text(line, x, at, b.size, fill)
		}
	}
}

// fit breaks a text into at most n lines of a width, in the largest size that it fits in; a line is
// rather made smaller by a fifth than broken. Where the smallest size is too large still, words are
// broken and there are more lines.
func fit(text string, width float64, n int, largest, smallest float64) block {
	runes := []rune(text)
	for lines := 1; lines <= n; lines++ {
		least := largest * 0.8
		if lines == n {
			least = smallest
		}
		for size := largest; size >= least; size *= 0.95 {
			if b := breakLines(runes, width/size, lines); b != nil {
				return block{b, size}
			}
		}
	}
	return block{hardLines(runes, width/smallest), smallest}
}

// breakLines breaks a text into at most n lines of at most width ems and of about equal length,
// where marks or blanks are if that can be; nil if it cannot be done without breaking words.
func breakLines(text []rune, width float64, n int) []string {
	total := runesWidth(text)
	if total <= width {
		return []string{string(text)}
	}
	if n == 1 || total > width*float64(n) {
		return nil
	}
	goal := total / float64(n)
	best, bestCost := 0, 0.0
	for i := 1; i < len(text); i++ {
		if !mayBreak(text[i-1], text[i]) {
			continue
		}
		first := runesWidth(trim(text[:i]))
		if first > width {
			break
		}
		if runesWidth(trim(text[i:])) > width*float64(n-1) {
			continue
		}
		cost := max(goal-first, first-goal)
		before, after := text[i-1], text[i]
		if before != ' ' && before != '　' &&
			!strings.ContainsRune(closing, before) && !strings.ContainsRune(opening, after) {
			cost += 0.25 * width // between characters
		}
		if best == 0 || cost < bestCost {
			best, bestCost = i, cost
		}
	}
	if best == 0 {
		return nil
	}
	rest := breakLines(trim(text[best:]), width, n-1)
	if rest == nil {
		return nil
	}
	return append([]string{string(trim(text[:best]))}, rest...)
}

// hardLines breaks a text wherever a line is full.
func hardLines(text []rune, width float64) []string {
	var lines []string
	for len(text) > 0 {
		n := 1
		for n < len(text) && runesWidth(text[:n+1]) <= width {
			n++
		}
		lines = append(lines, string(trim(text[:n])))
		text = trim(text[n:])
	}
	return lines
}

// trim cuts off the blanks at both ends.
func trim(text []rune) []rune {
	for len(text) > 0 && isBlank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isBlank(r rune) bool { return r == ' ' || r == '　' || r == '\u00a0' }

// mayBreak reports whether a line may end between two characters.
func mayBreak(before, after rune) bool {
	switch {
	case before == ' ' || before == '　':
		return true
	case strings.ContainsRune(noStart, after) || strings.ContainsRune(noEnd, before):
		return false
	}
	return before >= 0x2e80 || after >= 0x2e80 // kana and kanji
}
