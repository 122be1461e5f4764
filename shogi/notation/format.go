package notation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
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
	Print // the main line as magazines print it; it is only written
)

// A kind is what there is to know of a notation.
type kind struct {
	format     Format
	name       string // of several kinds of a format, that of the first is its own
	endings    string // of the names of files
	mediaTypes string // of its texts; the first is that of what is written
	several    bool   // a file may hold several records
	between    string // what stands between them
	// read returns the records of a text, most at most. What is wrong with it goes to the faults. nil:
	// it is only written.
	read  func(text string, f *faults, most int) []*Record
	write func(r *Record, dst []byte) []byte // nil: it is only read
}

// kinds is the table of notations. A new one is a Format, a row, a case of detect, and a file with
// its reader and writer; all else that names notations is made of the table.
var kinds = []kind{
	{format: SFEN, name: "sfen", endings: ".sfen", mediaTypes: "application/x-sfen text/x-sfen",
		several: true, read: parseSFEN, write: appendSFEN},
	{format: SFEN, name: "usi", endings: ".usi .tsv .txt"}, // also lists of positions
	{format: KIF, name: "kif", endings: ".kif .kifu", mediaTypes: "application/x-kif text/x-kif",
		read: parseKIF, write: (*Record).AppendKIF},
	{format: KI2, name: "ki2", endings: ".ki2 .ki2u", mediaTypes: "application/x-ki2 text/x-ki2",
		read: parseKIF, write: (*Record).AppendKI2},
	{format: KIF, name: "bod", endings: ".bod"},
	{format: CSA, name: "csa", endings: ".csa", mediaTypes: "application/x-csa text/x-csa",
		several: true, between: "/\n", read: parseCSA, write: (*Record).AppendCSA},
	{format: JKF, name: "jkf", endings: ".jkf", mediaTypes: "application/x-jkf+json",
		several: true, read: parseJKF, write: (*Record).AppendJKF},
	{format: Print, name: "print", mediaTypes: "text/plain", several: true, write: (*Record).AppendPrint},
}

// kind returns the first kind of a format, or one without a name.
func (f Format) kind() kind {
	for _, k := range kinds {
		if k.format == f {
			return k
		}
	}
	return kind{}
}

// String returns its name, such as "kif", or "unknown".
func (f Format) String() string { return cmp.Or(f.kind().name, "unknown") }

// MediaTypes returns those of its texts. The first is that of what Append writes. None of them is
// registered.
func (f Format) MediaTypes() []string { return strings.Fields(f.kind().mediaTypes) }

// Several reports whether a file may hold several records, and what stands between them.
func (f Format) Several() (between string, ok bool) {
	k := f.kind()
	return k.between, k.several
}

// Formats returns all notations.
func Formats() (list []Format) {
	for _, k := range kinds {
		if k.read != nil {
			list = append(list, k.format)
		}
	}
	return list
}

// Written returns the notations that records are written in. Print and SFEN, which have only moves,
// are the last.
func Written() (list []Format) {
	for _, k := range kinds {
		if k.write != nil && k.format != SFEN {
			list = append(list, k.format)
		}
	}
	return append(list, SFEN)
}

// Names returns the names of notations.
func Names(formats []Format) (names []string) {
	for _, f := range formats {
		names = append(names, f.String())
	}
	return names
}

// Titles returns what people call the notations of records that are read, all but SFEN and USI.
func Titles() (titles []string) {
	for _, k := range kinds {
		if k.format != SFEN && k.format != Print {
			titles = append(titles, strings.ToUpper(k.name))
		}
	}
	return titles
}

// List joins names as a sentence does: "kif, csa or jkf".
func List(names []string, word string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// WithMoves lists the Titles but BOD, which has no moves.
func WithMoves() string { return strings.Replace(List(Titles(), "or"), "BOD, ", "", 1) }

var noFormat = shogi.NewText(CodeFormat,
	"found no notation that is known, expected SFEN, "+WithMoves(),
	"SFEN・"+strings.Join(Titles(), "・")+" のどれとしても読めません。")

// Extensions returns how the names of files end, such as ".kif".
func Extensions() (list []string) {
	for _, k := range kinds {
		list = append(list, strings.Fields(k.endings)...)
	}
	return list
}

// OfExtension returns the notation that the end of a file's name stands for, or Unknown.
func OfExtension(ext string) Format {
	for _, k := range kinds {
		if slices.Contains(strings.Fields(k.endings), strings.ToLower(ext)) {
			return k.format
		}
	}
	return Unknown
}

// ParseFormat reads the name of a notation. "usi" is sfen, and "bod" kif.
func ParseFormat(name string) (Format, error) {
	for _, k := range kinds {
		if k.name == strings.ToLower(name) {
			return k.format, nil
		}
	}
	return Unknown, fmt.Errorf("notation: %q is not a notation (expected %s)", clip(name),
		List(Names(Formats()), "or"))
}

// csaStart is how the first statement of a CSA file may begin.
var csaStart = lazy(`^(V\d|'CSA|N[+-]|\$[A-Z_]+:|P(I|[1-9]([ +*-]|$)|[+-]\d\d)|[+-]$|[+-]\d{4}[A-Z]{2}|%[A-Z+-])`)

// numbered is how a numbered line of a KIF begins, folded.
var numbered = lazy(`^[0-9]+ +([1-9][1-9一二三四五六七八九]|[^\x00-\x7f])`)

// The parts of an SFEN, its blanks as people write them.
const (
	sfenBoard  = `(?:[+1-9KRBGSNLPkrbgsnlp]+/){8}[+1-9KRBGSNLPkrbgsnlp]+`
	sfenBlanks = `[ _\t　]+`
	// fenRest is what a FEN with hands has behind the board: both hands, and the side to move as chess
	// calls it, whose White moves first.
	fenRest  = `\[([^\]\n]*)\](?: +([bwBW]))?(?: +[-0-9]+)*`
	sfenRest = sfenBlanks + `([bwBW])` + sfenBlanks + `(?:-|[0-9KRBGSNLPkrbgsnlp]+)(?:` + sfenBlanks + `[0-9]+)?`
)

var (
	// sfenText is a position in USI, SFEN or FEN, wherever it stands in a line: its side to move, or of a
	// FEN the hands and the side.
	sfenText = lazy(`(?:position` + sfenBlanks + `)?(?:sfen` + sfenBlanks + `)?(?:startpos|` + sfenBoard + `(?:` + sfenRest + `|` + fenRest + `))(?:[ _\t　\pP\pS\p{L}]|$)`)
	// sfenPart is what can only be meant as the board of an SFEN, though it may be cut off.
	sfenPart = lazy(`^[+0-9A-Za-z]{2,}(/[+0-9A-Za-z]+){2,}/?$`)
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
		if begins(first, "{[") && found == Unknown && !prose {
			if f := detectJSON(text[l.at+len(line)-len(first):]); f != Unknown {
				return f
			}
		}
		word, _, _ := strings.Cut(wordBlanks.Replace(first), " ")
		switch {
		case first == "", first == "/" && found == Unknown: // which separates records of CSA
			continue
		case csaStart().MatchString(line):
			return CSA
		case first[0] == '#', first[0] == '\'' && found == Unknown:
			continue // a comment; of a CSA that has not begun
		case strings.Count(word, "/") == 8, word == "position", word == "sfen", word == "startpos",
			strings.Contains(word, "/") && sfenPart().MatchString(word),
			found == Unknown && hasSFEN(first):
			return SFEN
		}
		text := strings.TrimLeft(folded(unescaped(line)), quotes)
		switch {
		case strings.Contains(text, "駒") && handText().MatchString(text):
			found = KIF
		case isPieceList(text):
			found = KIF
		case isMove(text):
			return KI2
		case numbered().MatchString(text), strings.HasPrefix(text, "手数-"):
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
	line = folded(line)
	return (strings.Count(line, "/") >= 8 || strings.Contains(line, "startpos")) && sfenText().MatchString(line)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
