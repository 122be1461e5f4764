package notation

import (
	"fmt"
	"regexp"
	"strings"
)

// A Format is a notation.
type Format uint8

// The notations. The zero Format is none: Parse then detects it.
const (
	Unknown Format = iota
	SFEN           // a position and moves as shogi.ParsePosition reads them; written as USI does
	KIF            // also BOD, a KIF without moves
	KI2
	CSA
	JKF
)

var formatNames = [...]string{"unknown", "sfen", "kif", "ki2", "csa", "jkf"}

// String returns "sfen", "kif", "ki2", "csa", "jkf" or, for all else, "unknown".
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return formatNames[Unknown]
}

// ParseFormat reads the name of a notation: "sfen" or "usi", "kif" or "bod", "ki2", "csa", "jkf".
func ParseFormat(name string) (Format, error) {
	switch strings.ToLower(name) {
	case "sfen", "usi":
		return SFEN, nil
	case "kif", "bod":
		return KIF, nil
	case "ki2":
		return KI2, nil
	case "csa":
		return CSA, nil
	case "jkf":
		return JKF, nil
	}
	return Unknown, fmt.Errorf("notation: %q is not a notation (expected sfen, kif, ki2, csa or jkf)", clip(name))
}

// csaStart is how the first statement of a CSA file may begin.
var csaStart = regexp.MustCompile(`^(V\d|'CSA|N[+-]|\$[A-Z_]+:|P(I|[1-9]([ +*-]|$)|[+-]\d\d)|[+-]$|[+-]\d{4}[A-Z]{2}|%[A-Z+-])`)

// numbered is how a numbered line of a KIF begins.
var numbered = regexp.MustCompile(`^[ 　]*[0-9]+[ 　]+([1-9][一二三四五六七八九]|[^\x00-\x7f　])`)

// Detect returns the notation of a text by its first lines that tell, Unknown if none does. The
// text may be a beginning that was cut off at the end of a line. A line of SFEN is enough, whatever
// follows it.
func Detect(data []byte) Format {
	text, _, faults := decode(data, UnknownCharset)
	if len(faults) > 0 {
		return Unknown
	}
	return detect(text)
}

func detect(text string) Format {
	found := Unknown
	for l := range lines(text) {
		line := strings.TrimRight(l.text, blanks)
		first := strings.TrimLeft(line, " \t　")
		word, _, _ := strings.Cut(strings.NewReplacer("_", " ", "\t", " ").Replace(first), " ")
		switch {
		case first == "", first == "/" && found == Unknown: // which separates records of CSA
		case strings.HasPrefix(first, "{"):
			return JKF
		case csaStart.MatchString(line):
			return CSA
		case first[0] == '#', first[0] == '\'' && found == Unknown:
			// A comment; of a CSA that has not begun.
		case strings.Count(word, "/") == 8, word == "position", word == "sfen", word == "startpos":
			return SFEN
		case isMark(first):
			return KI2
		case numbered.MatchString(line), strings.HasPrefix(first, "手数-"):
			return KIF
		case strings.HasPrefix(first, "+-"), first[0] == '|', strings.ContainsAny(line, "：:"), strings.HasSuffix(first, "手番"),
			first == "盤面回転", first[0] == '*', first[0] == '&', strings.HasPrefix(first, "９"):
			if first[0] != '*' && first[0] != '&' && isASCII(first) && first[0] != '|' && !strings.HasPrefix(first, "+-") {
				return found // a colon alone is no sign of Japanese
			}
			found = KIF // or KI2, which has the same header and board
		default:
			return found
		}
	}
	return found
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
