//go:build !board

package answer

import (
	"context"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/sched"
)

// Defaults are what lines mean that do not say otherwise. A nil one has none.
type Defaults struct {
	requests *wire.Reader // nil: the Answerer's
	solve    wire.LinesRequest
	analyze  wire.AnalyzeRecordRequest
	compose  string // the request
}

// ParseDefaults reads the query of an address that says what the lines of a body of one kind mean
// where they do not say it themselves: the limits and hands of Solve, and of Analyze everything but
// the position and the author's line. Of Compose it is the request in JSON. The problem has every fault of the query. requests, unless
// nil, bound the limits of the query and of the lines instead of those of the Answerer.
func (a *Answerer) ParseDefaults(kind Kind, query string, requests *wire.Reader) (
	*Defaults, *wire.Problem) {
	if requests == nil {
		requests = a.requests
	}
	d := &Defaults{requests: requests}
	switch kind {
	case Solve:
		return d, requests.LinesQuery(query, &d.solve)
	case Analyze:
		return d, requests.AnalyzeLinesQuery(query, &d.analyze)
	case Compose:
		d.compose = query // each line reads it
		return d, nil
	}
	return nil, unknownKind(kind)
}

var (
	noKind     = shogi.NewText("", "No line asks what the kind %q does.", "種類「%s」の行はありません。")
	noAnalyses = shogi.NewText("",
		"Analyses need more memory than this service has, so that it does not offer them.",
		"検討に必要なメモリがこのサービスにはないので、提供していません。")
)

// unknownKind returns the problem of a kind of which there are no lines.
func unknownKind(kind Kind) *wire.Problem {
	return wire.NewProblem(wire.NotOffered, noKind, string(kind))
}

// ReadLine reads a line of a kind, which is Solve, Analyze or Compose, as the scheduler takes it. The id is
// a part of the line, nil if it has none. notes are for Plain and Timed. The problem has
// every fault of the line, or says that what it asks is not offered.
func (a *Answerer) ReadLine(kind Kind, line []byte, d *Defaults) (id wire.ID, q *sched.Question,
	notes []wire.Note, p *wire.Problem) {
	if d == nil {
		d = &noDefaults
	}
	requests := a.requests
	if d.requests != nil {
		requests = d.requests
	}
	switch kind {
	case Solve:
		var asked wire.Question
		if id, p = requests.LineOver(&d.solve, line, &asked); p == nil {
			q = new(sched.Question)
			a.Question(&asked, q)
		}
		return id, q, asked.Notes, p
	case Analyze:
		var asked wire.AnalysisQuestion
		if id, p = requests.AnalyzeLineOver(&d.analyze, line, &asked); p == nil {
			p = a.Offered()
		}
		if p != nil {
			return id, nil, nil, p
		}
		return id, a.Analysis(&asked), asked.Notes, nil
	case Compose:
		var asked wire.ComposeQuestion
		if id, p = requests.ReadCompose(d.compose, line, &asked); p == nil {
			p = a.Offered()
		}
		if p != nil {
			return id, nil, nil, p
		}
		return id, a.composition(&asked), nil, nil
	}
	return nil, nil, nil, unknownKind(kind)
}

var noDefaults Defaults // is not changed

// A Reply is what a line gets: an answer or a problem, unless it was Ended.
type Line struct {
	// Envelope is what GET of /v1/solve or /v1/analyze answers to the same question, byte by byte,
	// and the id of the line besides. That and the text of the answer are nil if there is none.
	wire.Envelope
	// Verdict is "mate", "nomate" or "unknown", and "faulty" if there is a Problem.
	Verdict string
	Nodes   uint64 // positions that were looked at for the answer, now or before
	// Ended says that the end of the context cut the work short. There is neither Answer nor
	// Problem: somebody else has to answer the line.
	Ended bool
}

// Faulty is the Verdict of a Reply with a problem.
const Faulty = "faulty"

// Line answers a line of a job, of a kind that is Solve, Analyze or Compose. It waits for its slots as long
// as it takes, on the account of c. A panic of a solver becomes a problem of the kind
// wire.InternalError. follow, unless nil, is called with the call that will answer the line, before
// that begins: see sched.Question.Follow. Calls of Analyze publish an *AnalysisState.
//
// The same line gets the same bytes again, on any machine, if its limits of time end nothing.
func (a *Answerer) Line(ctx context.Context, kind Kind, line []byte, d *Defaults, c *sched.Client,
	follow func(*sched.Call)) (reply Line) {
	defer func() {
		if v := recover(); v != nil {
			a.panicked(ctx, v)
			reply = faulty(reply.ID, notAnswered())
		}
	}()
	id, q, notes, p := a.ReadLine(kind, line, d)
	if p != nil {
		return faulty(id, p)
	}
	reply.ID = id // for a panic
	q.Client, q.Batch, q.Follow = c, true, follow
	found, _, err := a.scheduler.Ask(ctx, q)
	switch {
	case ctx.Err() != nil && (err != nil || !found.Repeatable):
		return Line{Envelope: wire.Envelope{ID: id}, Ended: true}
	case err != nil: // an analysis failed, or an equal question panicked
		return faulty(id, notAnswered())
	}
	reply.Envelope = Plain(found, notes)
	reply.ID, reply.Verdict, reply.Nodes = id, found.Result.Verdict.String(), found.Result.Nodes
	return reply
}

func faulty(id wire.ID, p *wire.Problem) Line {
	return Line{Envelope: wire.Envelope{ID: id, Problem: p}, Verdict: Faulty}
}

// notAnswered returns the problem of a line that there is a bug for.
func notAnswered() *wire.Problem {
	return wire.NewProblem(wire.InternalError, wire.LineFailed)
}
