package wire

// The codes of a note besides those of notation.Note.
const (
	NoteMissing  = "missing_pieces" // neither on the board nor in a hand
	NoteDefender = "no_defender"    // there is no king to mate
)

// A Note says of an answer what its other fields do not.
type Note struct {
	Code   string `json:"code" enum:"missing_pieces,no_defender,unread_moves,more_records,left_out_text,column"`
	Line   int    `json:"line,omitempty" minimum:"1"`
	Column int    `json:"column,omitempty" minimum:"1"`
	TextJa string `json:"text_ja"`
	TextEn string `json:"text_en"`
}
