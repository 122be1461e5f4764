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

// numbered is how a numbered line of a KIF begins, folded.
var numbered = regexp.MustCompile(`^[0-9]+ +([1-9][1-9一二三四五六七八九]|[^\x00-\x7f])`)

// The parts of an SFEN, its blanks as people write them.
const (
	sfenBoard  = `(?:[+1-9KRBGSNLPkrbgsnlp]+/){8}[+1-9KRBGSNLPkrbgsnlp]+`
	sfenBlanks = `[ _\t　]+`
	sfenRest   = sfenBlanks + `[bw]` + sfenBlanks + `(?:-|[0-9KRBGSNLPkrbgsnlp]+)(?:` + sfenBlanks + `[0-9]+)?`
)

var (
	// sfenText is a position in USI or SFEN, wherever it stands in a line.
	sfenText = regexp.MustCompile(`(?:position` + sfenBlanks + `)?(?:sfen` + sfenBlanks + `)?(?:startpos|` + sfenBoard + sfenRest + `)(?:[ _\t　\pP\pS\p{L}]|$)`)
	// sfenPart is what can only be meant as the board of an SFEN, though it may be cut off.
	sfenPart = regexp.MustCompile(`^[+0-9A-Za-z]{2,}(/[+0-9A-Za-z]+){2,}/?$`)
)

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

var wordBlanks = strings.NewReplacer("_", " ", "\t", " ", "　", " ")

func detect(text string) Format {
	found := Unknown
	prose := false // lines of no notation were passed
	for l := range lines(text) {
		line := strings.TrimRight(l.text, blanks)
		first := strings.TrimLeft(line, blanks)
		word, _, _ := strings.Cut(wordBlanks.Replace(first), " ")
		switch {
		case first == "", first == "/" && found == Unknown: // which separates records of CSA
			continue
		case strings.HasPrefix(first, "{") && !prose:
			return JKF
		case csaStart.MatchString(line):
			return CSA
		case first[0] == '#', first[0] == '\'' && found == Unknown:
			continue // a comment; of a CSA that has not begun
		case strings.Count(word, "/") == 8, word == "position", word == "sfen", word == "startpos",
			strings.Contains(word, "/") && sfenPart.MatchString(word),
			found == Unknown && hasSFEN(first):
			return SFEN
		}
		text := strings.TrimLeft(folded(unescaped(line)), quotes)
		switch {
		case strings.Contains(text, "駒") && handText.MatchString(text):
			found = KIF
		case isMark(text), isBare(text):
			return KI2
		case numbered.MatchString(text), strings.HasPrefix(text, "手数-"):
			return KIF
		case strings.HasPrefix(text, "+-"), strings.HasPrefix(text, "|"), first[0] == '*', first[0] == '&',
			strings.HasSuffix(text, "手番"), text == "盤面回転", isFiles(text),
			strings.ContainsAny(line, "：:") && !isASCII(first) && !strings.Contains(line, "://"):
			found = KIF // or KI2, which has the same header and board
		default:
			prose = true
		}
	}
	return found
}

// hasSFEN reports whether a position in SFEN stands somewhere in a line.
func hasSFEN(line string) bool {
	return (strings.Count(line, "/") >= 8 || strings.Contains(line, "startpos")) && sfenText.MatchString(line)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
