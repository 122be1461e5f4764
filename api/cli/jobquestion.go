package cli

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
)

// A JobQuestion is a question as a job has it: what its line says, or the body of the request.
type JobQuestion struct {
	ID    string   `json:"id,omitempty"` // where it stands in the input
	SFEN  string   `json:"sfen"`
	Hands string   `json:"hands,omitempty"`
	Line  []string `json:"line,omitempty"` // the author's, of a problem to be analysed
}

// maxJobID is the longest JobQuestion.ID in bytes, so that it is a wire.ID with quotes and escapes.
const maxJobID = 100

// ToSolve returns the question whether there is a mate. A position with faults is sent as it is:
// the service tells them in place of its answer. The error is one of the file.
func (q Question) ToSolve() (*JobQuestion, error) {
	if q.fault != nil {
		return nil, errors.New(explain(q, q.fault))
	}
	text := q.text
	if _, err := shogi.ParsePosition(text); err != nil {
		if p, _, err := q.read(); err == nil { // else the server says what is wrong with it
			text = p.SFEN()
		}
	}
	return &JobQuestion{ID: q.jobID(), SFEN: text}, nil
}

// ToAnalyze returns the question whether a problem is sound, which begins after so many of the
// moves that come with the position. The rest of them are the author's line.
func (q Question) ToAnalyze(after int) (*JobQuestion, error) {
	if q.fault != nil {
		return nil, errors.New(explain(q, q.fault))
	}
	p, line, _, err := q.problem()
	if err != nil {
		return &JobQuestion{ID: q.jobID(), SFEN: q.text}, nil
	}
	if after > len(line) {
		return nil, errors.New(q.locate(fmt.Sprintf("there are %s, none is number %d",
			Plural(len(line), "move"), after)))
	}
	for _, m := range line[:after] {
		p.Do(m)
	}
	j := &JobQuestion{ID: q.jobID(), SFEN: p.SFEN()}
	for _, m := range line[after:] {
		j.Line = append(j.Line, m.String())
	}
	return j, nil
}

// jobID returns where the question stands, the end of that if it is long.
func (q Question) jobID() string {
	id := OneLine(q.place())
	if len(id) <= maxJobID {
		return id
	}
	id = id[len(id)-maxJobID:]
	for !utf8.RuneStart(id[0]) {
		id = id[1:]
	}
	return "…" + id
}

// Append appends the question as a line of JSON.
func (q *JobQuestion) Append(dst []byte) []byte { return append(dst, wire.Encode(q)...) }
