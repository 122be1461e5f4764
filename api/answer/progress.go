//go:build !board

package answer

import (
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/analysis"
)

// factsEvery is how much time lies between two looks at what is new in an analysis, at least: each
// writes the whole report.
const factsEvery = 50 * time.Millisecond

// An analysisProgress publishes how an analysis goes.
type analysisProgress struct {
	publish func(any)
	state   AnalysisState
	fresh   []string // pointers to what is new and not yet published
	written time.Time
}

// An AnalysisState is how an analysis goes, as those who follow it see it. It does not change.
type AnalysisState struct {
	wire.AnalyzeProgressEvent
	Facts []NumberedFact // the latest of each pointer, in the order in which they were found out
}

// A NumberedFact is a fact and its number, so that it is sent to a client once.
type NumberedFact struct {
	Number int
	wire.FactEvent
}

// update is called by the analysis.
func (p *analysisProgress) update(u analysis.Update) {
	p.state.AnalyzeProgressEvent = wire.AnalyzeProgressEvent{Phase: u.Phase.String(), Done: u.Done,
		Total: u.Total, Nodes: u.Nodes}
	if u.Pointer != "" && !slices.Contains(p.fresh, u.Pointer) {
		p.fresh = append(p.fresh, u.Pointer)
	}
	if now := time.Now(); len(p.fresh) > 0 && now.Sub(p.written) >= factsEvery {
		p.written = now
		p.add(wire.FactsOf(wire.NewAnalyzeAnswer(u.Report()), p.fresh))
		p.fresh = p.fresh[:0]
	}
	state := p.state
	p.publish(&state)
}

// add puts new facts into a copy of those that there are.
func (p *analysisProgress) add(facts []wire.FactEvent) {
	number := 0
	if n := len(p.state.Facts); n > 0 {
		number = p.state.Facts[n-1].Number
	}
	all := slices.DeleteFunc(slices.Clone(p.state.Facts), func(old NumberedFact) bool {
		return slices.ContainsFunc(facts, func(f wire.FactEvent) bool { return f.Pointer == old.Pointer })
	})
	for _, f := range facts {
		number++
		all = append(all, NumberedFact{number, f})
	}
	p.state.Facts = all
}
