package notation

import "github.com/tsumero/tsumero/shogi"

// The codes of a Note. They are stable: programs may compare them.
const (
	NoteMoves   = "unread_moves"  // the moves from there on cannot be read; Why says why
	NoteRecords = "more_records"  // another record begins there, which was not read
	NoteText    = "left_out_text" // what stands there is no notation; Text is its beginning
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

// maxNotes bounds the notes of a record.
const maxNotes = 16

// note adds a note to the record. Lines that follow each other are left out in one.
func (r *Record) note(n Note) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, n)
	}
}
