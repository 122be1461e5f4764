package answer

import (
	"fmt"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/sched"
)

// Defaults are what lines mean that do not say otherwise. A nil one has none.
type Defaults struct {
	solve   wire.LinesRequest
	analyze wire.AnalyzeRecordRequest
}

// ParseDefaults reads the query of an address that says what the lines of a body of one kind mean
// where they do not say it themselves: the limits and hands of Solve, and of Analyze everything but
// the position and the author's line. The problem has every fault of the query.
func (a *Answerer) ParseDefaults(kind Kind, query string) (*Defaults, *wire.Problem) {
	d := new(Defaults)
	switch kind {
	case Solve:
		return d, a.requests.LinesQuery(query, &d.solve)
	case Analyze:
		return d, a.requests.AnalyzeLinesQuery(query, &d.analyze)
	}
	return nil, unknownKind(kind)
}

// unknownKind returns the problem of a kind of which there are no lines.
func unknownKind(kind Kind) *wire.Problem {
	return wire.NewProblem(wire.NotOffered, fmt.Sprintf("No line asks what the kind %q does.", kind))
}

// ReadLine reads a line of a kind, which is Solve or Analyze, as the scheduler takes it. The id is
// a part of the line, nil if it has none. missing is for PlainBody and TimedBody. The problem has
// every fault of the line, or says that what it asks is not offered.
func (a *Answerer) ReadLine(kind Kind, line []byte, d *Defaults) (id wire.ID, q *sched.Question,
	missing int, p *wire.Problem) {
	if d == nil {
		d = &noDefaults
	}
	switch kind {
	case Solve:
		var asked wire.Question
		if id, p = a.requests.LineOver(&d.solve, line, &asked); p == nil {
			q = new(sched.Question)
			p = a.Question(&asked, q)
		}
		return id, q, asked.Missing, p
	case Analyze:
		var asked wire.AnalysisQuestion
		if id, p = a.requests.AnalyzeLineOver(&d.analyze, line, &asked); p == nil {
			p = a.Offered()
		}
		if p != nil {
			return id, nil, 0, p
		}
		return id, a.Analysis(&asked), asked.Missing, nil
	}
	return nil, nil, 0, unknownKind(kind)
}

var noDefaults Defaults // is not changed
