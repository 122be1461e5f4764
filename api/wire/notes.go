package wire

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi/notation"
)

// The codes of a note besides those of notation.Note.
const (
	NoteMissing  = "missing_pieces" // neither on the board nor in a hand
	NoteDefender = "no_defender"    // there is no king to mate
)

// A Note says of an answer what its other fields do not.
type Note struct {
	Code   string `json:"code" enum:"missing_pieces,no_defender,unread_moves,more_records,left_out_text"`
	Line   int    `json:"line,omitempty" minimum:"1"`
	Column int    `json:"column,omitempty" minimum:"1"`
	TextJa string `json:"text_ja"`
	TextEn string `json:"text_en"`
}

// RecordNotes returns notes on what a record does not have of the text that it was read from. All
// that was left out is one note.
func RecordNotes(r *notation.Record) []Note {
	var notes []Note
	left := 0
	for i := range r.Notes {
		n := &r.Notes[i]
		note := Note{Code: n.Code, Line: n.Line, Column: n.Column}
		switch n.Code {
		case notation.NoteMoves:
			note.TextJa = fmt.Sprintf("%d行%d文字目からの指し手は読めません。%s局面だけを使いました。",
				n.Line, n.Column, n.Why.Japanese())
			note.TextEn = fmt.Sprintf("The moves from line %d, column %d on cannot be read: %s. "+
				"Only the position is used.", n.Line, n.Column, n.Why)
		case notation.NoteRecords:
			note.TextJa = fmt.Sprintf("%d行目から別の棋譜や局面があります。最初のものだけを使いました。", n.Line)
			note.TextEn = fmt.Sprintf("Another record begins at line %d. Only the first one is used.", n.Line)
		case notation.NoteText:
			if left++; left > 1 {
				continue
			}
			note.TextJa = fmt.Sprintf("棋譜や局面でない文字は除きました（%d行目の「%s」など）。", n.Line, n.Text)
			note.TextEn = fmt.Sprintf("Text that is no notation was left out (%q in line %d, for one).", n.Text, n.Line)
		}
		notes = append(notes, note)
	}
	return notes
}
