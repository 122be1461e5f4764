package notation

// The codes of a Note. They are stable: programs may compare them.
const (
	NoteMoves   = "unread_moves"  // the moves from there on cannot be read; Text says why
	NoteRecords = "more_records"  // another record begins there, which was not read
	NoteText    = "left_out_text" // what stands there is no notation; Text is its beginning
)

// A Note says what of a text is not in the record that was read from it.
type Note struct {
	Code         string // one of the Note constants
	Line, Column int    // as those of a Fault
	Offset       int
	Text         string
}

func noteAt(at place, code, text string) Note {
	return Note{code, at.line + 1, at.column + 1, at.offset, clip(text)}
}

// maxNotes bounds the notes of a record.
const maxNotes = 16

// note adds a note to the record. Lines that follow each other are left out in one.
func (r *Record) note(n Note) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, n)
	}
}
