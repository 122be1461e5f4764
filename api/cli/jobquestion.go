package cli

import (
	"unicode/utf8"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

// maxJobID is the longest id of a question in bytes, so that it is a wire.ID with quotes and escapes.
const maxJobID = 100

// ToSolve returns the question whether there is a mate. A position with faults is sent as it is:
// the service tells them in place of its answer. The error is one of the file. No field is set that
// a wire.BatchRequest lacks.
func (q Question) ToSolve() (*wire.AnalyzeBatchRequest, error) {
	switch {
	case q.fault != nil && (q.text == "" || q.record != nil):
		return nil, explain(q, q.fault)
	case q.fault != nil:
		return q.request(q.text), nil
	}
	text := q.text
	if _, err := shogi.ParsePosition(text); err != nil {
		if p, _, err := q.position(); err == nil { // else the server says what is wrong with it
			text = p.SFEN()
		}
	}
	return q.request(text), nil
}

// ToAnalyze returns the question whether a problem is sound. The problem begins after that number
// of the moves that come with the position; the moves behind are the author's line.
func (q Question) ToAnalyze(after int) (*wire.AnalyzeBatchRequest, error) {
	if q.fault != nil && (q.text == "" || q.record != nil) {
		return nil, explain(q, q.fault)
	}
	p, line, _, err := q.problem()
	if err != nil {
		return q.request(q.text), nil
	}
	if line, err = playUntil(&p, line, after); err != nil {
		return nil, q.locate(err)
	}
	j := q.request(p.SFEN())
	j.Line = movetext.USILine(line)
	return j, nil
}

// request returns a question about a position, with where it stands as its id.
func (q Question) request(sfen string) *wire.AnalyzeBatchRequest {
	r := &wire.AnalyzeBatchRequest{AnalyzeRequest: wire.AnalyzeRequest{SFEN: sfen}}
	if id := q.jobID(); id != "" {
		r.ID = wire.AppendJSON(nil, id)
	}
	return r
}

// jobID returns where the question stands, the end of that if it is long.
func (q Question) jobID() string {
	id := q.place().String()
	if len(id) <= maxJobID {
		return id
	}
	id = id[len(id)-maxJobID:]
	for !utf8.RuneStart(id[0]) {
		id = id[1:]
	}
	return "…" + id
}
