package notation

import (
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// Limits on what is read.
const (
	// MaxBytes is the largest text Parse reads, in bytes as they are given.
	MaxBytes = 1 << 20
	// MaxMoves is the largest number of moves, variations included, that the records of one text
	// may have.
	MaxMoves = 20_000
	// MaxDepth is how deep variations may lie in each other.
	MaxDepth = 64
	// MaxRecords is the largest number of records in one text.
	MaxRecords = 1000
	// maxFaults bounds how many faults of one text are reported.
	maxFaults = 64
)

// The codes of a Fault. They are stable: programs may compare them. Faults of a position have the
// codes of shogi.Fault, such as "nifu", besides.
const (
	CodeTooLong       = "too_long"       // a limit of this package is exceeded
	CodeCharset       = "charset"        // bytes that are no text
	CodeFormat        = "format"         // no notation that is known
	CodeSyntax        = "syntax"         // a line that is none of what may stand there
	CodeJSON          = "json"           // no JSON, or not what JKF says
	CodeNoBoard       = "no_board"       // there is no diagram that what is there could begin from
	CodeMissing       = "missing"        // a part of the position is missing
	CodeRepeated      = "repeated"       // a part of the position is given twice
	CodeBoard         = "board"          // a row of a drawn board with a fault
	CodeHand          = "hand"           // a hand with a fault
	CodeHandicap      = "handicap"       // a 手合割 that says no position
	CodeSide          = "side"           // a side to move that contradicts another
	CodeMoveSyntax    = "move_syntax"    // what should be a move is none
	CodeMoveNumber    = "move_number"    // a move with another number than the one it has
	CodeMoveAmbiguous = "move_ambiguous" // a move that several pieces can make
	CodeMoveMismatch  = "move_mismatch"  // a move that contradicts the board: of another piece, or from an empty square
	CodeIllegalMove   = "illegal_move"   // a move the rules do not allow there
	CodeAfterEnd      = "after_end"      // a move after the end of the line
	CodeVariation     = "variation"      // a variation of a move that does not exist
	CodeNoText        = "no_text"        // a file of another kind: a picture, a PDF, an archive
	CodeAddress       = "address"        // an address (URL) that has no position in it
)

// A Fault is one thing that is wrong with a text.
type Fault struct {
	Line   int    // counted from 1
	Column int    // in characters, counted from 1
	Offset int    // in bytes of the text as UTF-8 without a byte order mark
	Code   string // one of the Code constants, or of those of shogi.Fault
	// Square is where the fault is on the board, for an illegal move the Square of its
	// shogi.IllegalError; shogi.NoSquare if it is about no single square, or about one that the
	// text does not name.
	Square shogi.Square
	Msg    shogi.Message // what was found and what was expected
}

// moveTo gives the fault another place.
func (f *Fault) moveTo(at place) { f.Line, f.Column, f.Offset = at.line+1, at.column+1, at.offset }

// The codes of a Note. They are stable: programs may compare them.
const (
	NoteMoves   = "unread_moves"  // the moves from there on cannot be read; Why says why
	NoteRecords = "more_records"  // another record begins there, which was not read
	NoteText    = "left_out_text" // what stands there is no notation; Text is its beginning
	NoteColumn  = "column"        // of several columns or keys the one named Text is taken, which stands there
)

// A Note says what of a text is not in the record that was read from it.
type Note struct {
	Code         string // one of the Note constants
	Line, Column int    // as those of a Fault
	Offset       int
	Text         string
	Why          shogi.Message
}

func noteAt(at place, code, text string) Note {
	return Note{Code: code, Line: at.line + 1, Column: at.column + 1, Offset: at.offset, Text: clip(text)}
}

// noteOf returns the note that a fault ends the moves.
func noteOf(f *Fault) Note {
	return Note{Code: NoteMoves, Line: f.Line, Column: f.Column, Offset: f.Offset, Why: f.Msg}
}

// An Error lists what is wrong with a text, in its order.
type Error struct {
	Format Format // as which it was read; Unknown if that was not found out
	Faults []Fault
	Source // of what it is about, if that is a part of a list

	sfen error // what package shogi found, if it was read as SFEN
}

// Unwrap returns the *shogi.SFENError of a position that is read by itself, whose offsets are in Text.
func (e *Error) Unwrap() error { return e.sfen }

// Error names every fault: line, column, what was found and what was expected.
func (e *Error) Error() string { return "notation: " + e.Message().String() }

// Message returns the message that Error has after the name of the package.
func (e *Error) Message() shogi.Message {
	if e.Format == Unknown {
		return badText.With(faults(e.Faults))
	}
	return badRecord.With(strings.ToUpper(e.Format.String()), faults(e.Faults))
}

// String and Japanese return the faults in a sentence.
func (f faults) String() string {
	var b strings.Builder
	for i, one := range f {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "line %d, column %d: %s", one.Line, one.Column, one.Msg)
	}
	return b.String()
}

func (f faults) Japanese() string {
	var b strings.Builder
	for _, one := range f {
		fmt.Fprintf(&b, "%d行%d文字目：%s", one.Line, one.Column, one.Msg.Japanese())
	}
	return b.String()
}

// A place is where something stands in a text. The zero place is its beginning.
type place struct {
	line, column int // counted from 0
	offset       int
}

// faultAt returns a fault at a byte of a text.
func faultAt(text string, offset int, what *shogi.Text, args ...any) Fault {
	p := placeIn(text, offset)
	return Fault{p.line + 1, p.column + 1, offset, what.Code, shogi.NoSquare, what.With(args...)}
}

// placeIn returns the place of a byte of a text.
func placeIn(text string, offset int) place {
	p := place{offset: offset}
	for l := range lines(text) {
		if l.at > offset {
			break
		}
		p.line, p.column = l.number, utf8.RuneCountInString(text[l.at:min(offset, l.at+len(l.text))])
	}
	return p
}

// A line is a line of a text without its end.
type line struct {
	text   string
	number int // counted from 0
	at     int // its offset
	// raw is the line as it was given, if text has other characters in place of some of its.
	raw string
	// The byte asked for last, its column, and its place in raw: a line may be as long as the text,
	// and have as many places.
	known, column, rawKnown int
}

// place returns the place of a byte of the line, in time proportional to how far it is behind the
// one asked for before.
func (l *line) place(i int) place {
	i = min(max(i, 0), len(l.text))
	if i < l.known {
		l.known, l.column, l.rawKnown = 0, 0, 0
	}
	n := utf8.RuneCountInString(l.text[l.known:i])
	l.column += n
	l.known = i
	if l.raw == "" {
		return place{l.number, l.column, l.at + i}
	}
	for ; n > 0 && l.rawKnown < len(l.raw); n-- {
		_, size := utf8.DecodeRuneInString(l.raw[l.rawKnown:])
		l.rawKnown += size
	}
	return place{l.number, l.column, l.at + l.rawKnown}
}

// end returns the offset of the end of the line.
func (l *line) end() int {
	if l.raw != "" {
		return l.at + len(l.raw)
	}
	return l.at + len(l.text)
}

// set gives the line another text, with a character for each of its.
func (l *line) set(text string) {
	if text == l.text {
		return
	}
	if l.raw == "" {
		l.raw = l.text
	}
	l.text, l.known, l.column, l.rawKnown = text, 0, 0, 0
}

// lines yields the lines of a text, which end in LF, CR LF or CR. The last one need not end.
func lines(text string) iter.Seq[line] {
	return func(yield func(line) bool) {
		at := 0
		for n := 0; at < len(text); n++ {
			end := strings.IndexAny(text[at:], "\r\n")
			if end < 0 {
				yield(line{text: text[at:], number: n, at: at})
				return
			}
			end += at
			if !yield(line{text: text[at:end], number: n, at: at}) {
				return
			}
			at = end + 1
			if text[end] == '\r' && at < len(text) && text[at] == '\n' {
				at++
			}
		}
	}
}

// faults collects what is wrong with a text.
type faults []Fault

// add notes a fault that is about no single square.
func (f *faults) add(at place, what *shogi.Text, args ...any) {
	f.addMessage(shogi.NoSquare, at, what.Code, what.With(args...))
}

// addOn notes a fault about the square sq.
func (f *faults) addOn(sq shogi.Square, at place, what *shogi.Text, args ...any) {
	f.addMessage(sq, at, what.Code, what.With(args...))
}

// addMessage is addOn for what is worded already, under a code that may be another one.
func (f *faults) addMessage(sq shogi.Square, at place, code string, m shogi.Message) {
	if len(*f) < maxFaults {
		*f = append(*f, Fault{at.line + 1, at.column + 1, at.offset, code, sq, m})
	}
}

// clip shortens foreign text for an error message, at the end of a character.
func clip(s string) string {
	n := 60
	if len(s) <= n {
		return s
	}
	for n > 56 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// maxNotes bounds the notes of a record.
const maxNotes = 16

// note adds a note to the record. Lines that follow each other are left out in one.
func (r *Record) note(n Note) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, n)
	}
}
