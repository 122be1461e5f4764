//go:build !board

package wire

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// notationNames are what the tag "notations" of a field stands for.
func notationNames() []string { return notation.Names(notation.Formats()) }

// ReadText reads the body of POST /v1/read, and the records in the text that it has. hands is that of
// ApplyHands.
func (r *Reader) ReadText(body []byte) (records []*notation.Record, hands string, p *Problem) {
	var req ReadRequest
	if p := r.Text(body, &req); p != nil {
		return nil, "", p
	}
	// The decoder allows only formats that there are; without one it is detected.
	format, _ := notation.ParseFormat(req.Format)
	records, p = ParseRecords([]byte(req.Text), "body.text",
		notation.Options{Charset: notation.UTF8, Format: format})
	return records, req.Hands, p
}

// ParseRecords reads what a text at a location holds: records or positions, at least one.
func ParseRecords(text []byte, location string, opts notation.Options) ([]*notation.Record, *Problem) {
	records, err := notation.ParseAll(text, opts)
	if err == nil {
		return records, nil
	}
	faults := RecordFaults("body", err)
	for i := range faults {
		faults[i].Location = location
	}
	return nil, Invalid(faults)
}

// AnalyzeRecord reads the query of POST /v1/analyze with a record, whose moves are the author's line.
// find returns it, or what is wrong with it.
func (r *Reader) AnalyzeRecord(query string, q *AnalysisQuestion,
	find func() (*notation.Record, []Fault)) *Problem {
	var req AnalyzeRecordRequest
	faults := r.analyzeRecord.DecodeQuery(query, &req)
	record, wrong := find()
	var p shogi.Position
	var notes []Note
	if record != nil {
		p, notes = record.Start, RecordNotes(record)
		q.Line, q.Told = record.Moves(), record.Plies
	}
	problem := Question{Notes: notes}
	if len(wrong) == 0 {
		wrong = problem.SetProblem("body", p)
	}
	wrong = q.setProblem("query", "", req.request(), &problem, wrong)
	return r.finishAnalysis(req.request(), append(faults, wrong...), q)
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
			note.TextJa = fmt.Sprintf("%d行%d文字目からの指し手は読めません。%sその前までを使いました。",
				n.Line, n.Column, n.Why.Japanese())
			note.TextEn = fmt.Sprintf("The moves from line %d, column %d on cannot be read: %s. "+
				"Only what stands before is used.", n.Line, n.Column, n.Why)
		case notation.NoteRecords:
			note.TextJa = fmt.Sprintf("%d行目から別の棋譜や局面があります。最初のものだけを使いました。", n.Line)
			note.TextEn = fmt.Sprintf("Another record begins at line %d. Only the first one is used.", n.Line)
		case notation.NoteText:
			if left++; left > 1 {
				continue
			}
			note.TextJa = fmt.Sprintf("棋譜や局面でない部分は読み飛ばしました（%d行目の「%s」など）。", n.Line, n.Text)
			note.TextEn = fmt.Sprintf("Text that is no notation was left out (%q in line %d, for one).", n.Text, n.Line)
		case notation.NoteColumn:
			note.TextJa = fmt.Sprintf("複数ある列や項目のうち「%s」を使いました。", n.Text)
			note.TextEn = fmt.Sprintf("Of several columns or keys, %q is used.", n.Text)
		}
		notes = append(notes, note)
	}
	return notes
}

// RecordFaults returns what is wrong with a record, from an error of package notation.
func RecordFaults(location string, err error) []Fault {
	e, ok := errors.AsType[*notation.Error](err)
	if !ok {
		return []Fault{ErrorFault(location, err)}
	}
	faults := make([]Fault, len(e.Faults))
	for i := range e.Faults {
		f := &e.Faults[i]
		faults[i] = NewFault(location, f.Msg)
		faults[i].Offset, faults[i].Line, faults[i].Column = &f.Offset, f.Line, f.Column
		faults[i].Code = f.Code
	}
	return faults
}

// Record returns the answer as a record: the position with the line of the mate, and how it ends.
// Notes are comments on the position, which must be that of the answer. In print the line is as long
// as books count, if the answer knows it. The error is that moves are none.
func (a *Answer) Record(p *shogi.Position, format notation.Format) (*notation.Record, error) {
	result := solver.Result{Verdict: ParseVerdict(a.Verdict), NoMateWithin: a.NoMateWithin,
		Exact: a.Exact != nil && *a.Exact}
	moves := a.Moves
	if format == notation.Print && a.Length != nil && a.Length.Moves != nil {
		moves = a.Length.Moves
	}
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		if err != nil {
			return nil, err
		}
		result.Line = append(result.Line, m)
	}
	r := report.ResultRecord(p, &result)
	for _, note := range a.Notes {
		r.Root.Comments = append(r.Root.Comments, note.TextJa)
	}
	return r, nil
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
		Plies:    r.Plies,
		Header:   make([]HeaderField, len(r.Header)),
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
	out.Moves, out.MovesJa, out.MovesEn = writeLine(r.Start, moves)
	if slices.ContainsFunc(r.Notes, func(n notation.Note) bool { return n.Code == notation.NoteMoves }) {
		out.Written = r.Written()
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
