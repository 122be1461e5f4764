package notation

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// A Loose move is what a text says of a move by itself, without the position that it is played in.
type Loose struct {
	To, From shogi.Square    // From is NoSquare if it is not said
	Kind     shogi.PieceType // before the move; NoPieceType if it is not said
	Drop     bool
	Promotes bool
}

var (
	// looseNumber is the number of a move, and looseTime how long it took.
	looseNumber = regexp.MustCompile(`^[0-9]{1,3}(?:[.:]|手目|[ \t])[ \t]*`)
	looseTime   = regexp.MustCompile(`^[ \t]*\([ \t]*[0-9]+:[0-9:/ \t]*\)`)
)

// ParseLoose reads a line of moves without a position: in USI, or as KIF, KI2 and books write them.
// Numbers, times and the marks of the sides do not count. Words that tell pieces apart by where they stand,
// such as 右, are refused, for there is no board. The error is an *Error.
func ParseLoose(text string) (list []Loose, err error) {
	previous := shogi.NoSquare
	rest := folded(text)
	all := rest
	for {
		rest = strings.TrimLeft(rest, blanks+"\r\n,、→▲△☗☖▼▽")
		if rest == "" || strings.HasPrefix(rest, "まで") {
			return list, nil
		}
		word := rest
		if end := strings.IndexAny(rest, "\n\r\t ,"); end >= 0 {
			word = rest[:end]
		}
		if m, err := shogi.ParseMove(word); err == nil {
			w := Loose{To: m.To(), From: shogi.NoSquare, Drop: m.IsDrop(), Promotes: m.IsPromotion()}
			if w.Drop {
				w.Kind = m.Dropped()
			} else {
				w.From = m.From()
			}
			list, previous, rest = append(list, w), w.To, rest[len(word):]
			continue
		}
		if number := looseNumber.FindString(rest); number != "" {
			rest = strings.TrimLeft(rest[len(number):], blanks+"▲△☗☖▼▽")
		}
		w, after, expected := cutMove(rest, previous)
		if expected == nil && len(w.words) > 0 {
			expected = theOrigin
		}
		if expected != nil {
			at := len(all) - len(after)
			before := all[:at]
			line := before[strings.LastIndexByte(before, '\n')+1:]
			word, _, _ = strings.Cut(rest, "\n")
			return nil, &Error{Faults: []Fault{{Line: strings.Count(before, "\n") + 1,
				Column: utf8.RuneCountInString(line) + 1, Offset: at, Code: CodeMoveSyntax,
				Square: shogi.NoSquare, Msg: inMove.With(clip(word), expected.With())}}}
		}
		after = after[len(looseTime.FindString(after)):]
		list = append(list, Loose{w.to, w.from, w.kind, w.drop, w.promotes})
		previous, rest = w.to, after
	}
}
