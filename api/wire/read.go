package wire

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// A ReadRequest is a text that is only read: the body of POST /v1/read.
type ReadRequest struct {
	Text   string `json:"text" minLength:"1"`
	Format string `json:"format,omitempty" enum:"sfen,kif,ki2,csa,jkf"`
}

// A ReadAnswer says what a text holds.
type ReadAnswer struct {
	Format  string       `json:"format" enum:"sfen,kif,ki2,csa,jkf"`
	Charset string       `json:"charset" enum:"utf-8,shift_jis,euc-jp"`
	Records []ReadRecord `json:"records" nullable:"false" minItems:"1"`
}

// A ReadRecord is one record of a text. Fields that do not apply are absent.
type ReadRecord struct {
	SFEN     string        `json:"sfen"`
	Attacker string        `json:"attacker,omitempty" enum:"black,white"`
	Title    string        `json:"title,omitempty"`
	Author   string        `json:"author,omitempty"`
	Header   []HeaderField `json:"header" nullable:"false"`
	First    string        `json:"first"`
	Moves    []string      `json:"moves" nullable:"false"`
	MovesJa  []string      `json:"moves_ja" nullable:"false"`
	Last     string        `json:"last"`
	Ending   string        `json:"ending,omitempty" example:"TORYO"`
}

// A HeaderField is one line of the header of a record.
type HeaderField struct {
	Key   string `json:"key" example:"作者"`
	Value string `json:"value"`
}

// titleKeys and authorKeys are the header keys of what an answer names on its own, the best first.
var (
	titleKeys  = []string{"作品名", "表題"}
	authorKeys = []string{"作者"}
)

// NewReadAnswer returns what is told of the records of a text, of which there is one at least.
func NewReadAnswer(records []*notation.Record) *ReadAnswer {
	a := &ReadAnswer{
		Format:  records[0].Format.String(),
		Charset: records[0].Charset.String(),
		Records: make([]ReadRecord, len(records)),
	}
	for i, r := range records {
		a.Records[i] = newReadRecord(r)
	}
	return a
}

// newReadRecord returns what is told of a record.
func newReadRecord(r *notation.Record) ReadRecord {
	moves := r.Moves()
	out := ReadRecord{
		Title:   firstOf(r, titleKeys),
		Author:  firstOf(r, authorKeys),
		Header:  make([]HeaderField, len(r.Header)),
		Moves:   make([]string, len(moves)),
		MovesJa: make([]string, len(moves)),
		First:   r.Start.ProblemSFEN(),
		Ending:  string(r.Ending()),
	}
	for i, f := range r.Header {
		out.Header[i] = HeaderField{f.Key, f.Value}
	}
	p, previous := r.Start, shogi.NoSquare
	for i, m := range moves {
		out.Moves[i] = m.String()
		out.MovesJa[i] = string(notation.AppendJapanese(nil, &p, m, previous))
		previous = m.To()
		p.Do(m)
	}
	out.Last = p.ProblemSFEN()
	problem := r.Start
	if r.Format == notation.SFEN {
		problem = p
	}
	out.SFEN = problem.ProblemSFEN()
	if attacker, err := solver.Attacker(&problem); err == nil {
		out.Attacker = attacker.String()
	}
	return out
}

// firstOf returns the value of the first of keys that the header of a record has.
func firstOf(r *notation.Record, keys []string) string {
	for _, key := range keys {
		if value := r.Get(key); value != "" {
			return value
		}
	}
	return ""
}
