package wire

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// A ReadRequest is a text that is only read: the body of POST /v1/read.
type ReadRequest struct {
	Text   string `json:"text" minLength:"1"`
	Format string `json:"format,omitempty" enum:"notations"`
	Hands  string `json:"hands,omitempty" enum:"as_given,complete"`
}

// A ReadQuery is what the query of POST /v1/read says of a record in the body.
type ReadQuery struct {
	Hands string `json:"hands,omitempty" enum:"as_given,complete"`
}

// A ReadAnswer says what a text holds.
type ReadAnswer struct {
	Format  string       `json:"format" enum:"notations"`
	Charset string       `json:"charset" enum:"utf-8,shift_jis,euc-jp,utf-16"`
	Records []ReadRecord `json:"records" minItems:"1"`
}

// A ReadRecord is one record of a text. Fields that do not apply are absent.
type ReadRecord struct {
	SFEN     string        `json:"sfen"`
	Attacker string        `json:"attacker,omitempty" enum:"black,white"`
	Title    string        `json:"title,omitempty"`
	Author   string        `json:"author,omitempty"`
	Header   []HeaderField `json:"header"`
	First    string        `json:"first"`
	Moves    []string      `json:"moves"`
	MovesJa  []string      `json:"moves_ja"`
	MovesEn  []string      `json:"moves_en"`
	Last     string        `json:"last"`
	Ending   string        `json:"ending,omitempty"`
	Notes    []Note        `json:"notes,omitempty"`
}

// A HeaderField is one line of the header of a record.
type HeaderField struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// titleKeys and authorKeys are the header keys of what an answer names on its own, the best first.
var (
	titleKeys  = []string{"作品名", "表題"}
	authorKeys = []string{"作者"}
)

// NewReadAnswer returns the answer about the records of a text, at least one. hands is that of
// ApplyHands.
func NewReadAnswer(records []*notation.Record, hands string) *ReadAnswer {
	a := &ReadAnswer{
		Format:  records[0].Format.String(),
		Charset: records[0].Charset.String(),
		Records: make([]ReadRecord, len(records)),
	}
	for i, r := range records {
		a.Records[i] = newReadRecord(r, hands)
	}
	return a
}

// newReadRecord returns the part of the answer about one record.
func newReadRecord(r *notation.Record, hands string) ReadRecord {
	moves := r.Moves()
	first, last := r.Start, r.Start
	for _, m := range moves {
		last.Do(m)
	}
	problem := r.Position()
	notes := RecordNotes(r)
	var attackerName string
	if attacker, err := solver.Attacker(&problem); err == nil {
		attackerName = attacker.String()
		missing := ApplyHands(&problem, attacker.Opponent(), hands)
		notes = append(notes, Notes(missing)...)
		ApplyHands(&first, attacker.Opponent(), hands) // moves do not change what is missing
		ApplyHands(&last, attacker.Opponent(), hands)
	} else if why, ok := shogi.MessageOf(err); ok {
		notes = append(notes, Note{Code: NoteDefender, TextJa: why.Japanese(), TextEn: why.String()})
	}
	out := ReadRecord{
		Title:    Title(r),
		Author:   Author(r),
		Header:   make([]HeaderField, len(r.Header)),
		Moves:    make([]string, len(moves)),
		MovesJa:  notation.JapaneseLine(r.Start, moves),
		MovesEn:  notation.EnglishLine(r.Start, moves),
		SFEN:     problem.ProblemSFEN(),
		Attacker: attackerName,
		First:    first.ProblemSFEN(),
		Last:     last.ProblemSFEN(),
		Ending:   string(r.Ending()),
		Notes:    notes,
	}
	for i, f := range r.Header {
		out.Header[i] = HeaderField{f.Key, f.Value}
	}
	for i, m := range moves {
		out.Moves[i] = m.String()
	}
	return out
}

// Title returns what the header of a record calls the problem, and Author who made it; "" if it does
// not say.
func Title(r *notation.Record) string  { return firstOf(r, titleKeys) }
func Author(r *notation.Record) string { return firstOf(r, authorKeys) }

// firstOf returns the value of the first of keys that the header of a record has.
func firstOf(r *notation.Record, keys []string) string {
	for _, key := range keys {
		if value := r.Get(key); value != "" {
			return value
		}
	}
	return ""
}
