package dfpn

import (
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// progress is what the reports of a search are made from.
type progress struct {
	reporter *solver.Reporter // nil if nobody listens
	rotated  bool
	phase    solver.Phase
	began    time.Time // of the phase
	next     time.Time // when a report is due
	spent    [solver.NumPhases]time.Duration
	best     []shogi.Move // the shortest mate found
	noMate   int
}

func (s *searcher) beginProgress(rotated bool) {
	s.progress = progress{reporter: solver.ReporterOf(s.ctx), rotated: rotated}
	if g := &s.progress; g.reporter != nil {
		g.began = time.Now()
		g.next = g.began.Add(g.reporter.Every())
	}
}

// enter ends the phase that the search is in.
func (s *searcher) enter(phase solver.Phase) {
	g := &s.progress
	if g.reporter != nil {
		now := time.Now()
		g.spent[g.phase] += now.Sub(g.began)
		g.began = now
	}
	g.phase = phase
}

// reportIfDue reports if it is time to. It is called about every millisecond.
func (s *searcher) reportIfDue() {
	g := &s.progress
	if g.reporter == nil {
		return
	}
	if now := time.Now(); !now.Before(g.next) {
		g.next = now.Add(g.reporter.Every())
		s.report(false)
	}
}

// report makes a report. In the middle of a search the frames are the line looked at.
func (s *searcher) report(done bool) {
	g := &s.progress
	if g.reporter == nil {
		return
	}
	p := solver.Progress{
		Phase: g.phase, Nodes: s.allNodes(),
		PN: leaves(s.rootPn), DN: leaves(s.rootDn),
		Mate: len(g.best), NoMateWithin: g.noMate,
		TableFill: s.table.fill(), Collections: s.table.collections,
		Spent: g.spent, Done: done,
	}
	p.Spent[g.phase] += time.Since(g.began)
	const shown = 64 // plies
	if g.phase != solver.Searching {
		p.Line = append(p.Line, g.best...)
	} else {
		for i := 1; i < min(len(s.frames), shown+1); i++ {
			p.Line = append(p.Line, s.frames[i].move)
		}
	}
	if g.rotated {
		for i, m := range p.Line {
			p.Line[i] = m.Rotated()
		}
	}
	g.reporter.Report(p)
}

// leaves returns a proof number or a disproof number in leaves.
func leaves(n uint32) uint64 { return (uint64(n) + uint64(unit) - 1) / uint64(unit) }
