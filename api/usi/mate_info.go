package usi

import (
	"fmt"
	"strings"
	"time"

	"github.com/tsumero/tsumero/solver"
)

// text reports text for the user.
func (s *mateSearch) text(format string, args ...any) {
	s.report(Info{String: fmt.Sprintf(format, args...)})
}

// reportResult reports the result. The moves of a mate come last, just before the answer: some GUIs
// show the last pv and not the answer. To the reason of an undecided result it appends more.
func (s *mateSearch) reportResult(more string) {
	if s.problem != "" {
		s.text("error: %s", s.problem)
		return
	}
	side := s.position.SideToMove()
	if s.defending {
		s.text("%s defends and %s attacks: %s is to move, in check, and has the only king",
			side, side.Opponent(), side)
	}
	i := s.info()
	switch r := &s.result; {
	case r.Verdict == solver.Mate && len(r.Line) == 0:
		s.text("%s is mated already: there is no move to give", side)
	case r.Verdict == solver.Mate:
		if !r.Exact {
			s.text("%s", s.notShortest())
		}
		s.reportMate()
	case r.Verdict == solver.NoMate:
		i.Score = Score{Kind: Centipawns}
		s.report(i)
		s.text("proven: there is no mate of any length")
	default:
		s.report(i)
		s.text("%s%s", s.undecided(), more)
	}
}

// info returns an info line about the work that is done.
func (s *mateSearch) info() Info {
	i := Info{Time: s.took, Nodes: s.result.Nodes}
	if p := s.progress.Load(); p != nil {
		i.HashFull = p.TableFill
	}
	return i
}

// reportMate reports the mate that is the result.
func (s *mateSearch) reportMate() {
	i, n := s.info(), len(s.result.Line)
	i.Depth, i.SelDepth, i.Score, i.PV = n, n, s.score(n), s.result.Line
	if s.engine.needsSession() && s.engine.multiPV > 1 && !s.defending {
		i.MultiPV = 1
	}
	s.report(i)
}

// reportProgress reports how a search goes on.
func (s *mateSearch) reportProgress(p *solver.Progress) {
	if p.Phase != s.phase && p.Mate > 0 {
		s.phase = p.Phase
		switch p.Phase {
		case solver.Shortening:
			s.text("mate in %s found, looking for a shorter one", plies(p.Mate))
		case solver.Choosing:
			s.text("mate in %s is the shortest, choosing its line", plies(p.Mate))
		}
	}
	i := Info{Time: time.Since(s.began), Nodes: p.Nodes, HashFull: p.TableFill, PV: p.Line}
	if n := len(p.Line); n > 0 {
		s.depth = max(s.depth, n)
		i.Depth, i.SelDepth = n, s.depth
	}
	if p.Mate > 0 {
		i.Score = s.score(p.Mate)
	}
	s.report(i)
}

// score returns the score of a mate in n plies.
func (s *mateSearch) score(n int) Score {
	if s.defending {
		n = -n
	}
	return Score{Kind: MateInPlies, Value: n}
}

// notShortest says of a mate why it may not be the shortest.
func (s *mateSearch) notShortest() string {
	text := fmt.Sprintf("mate in %s, not proven shortest", plies(len(s.result.Line)))
	if n := s.result.NoMateWithin; n > 0 {
		text += fmt.Sprintf(": there is none within %s", plies(n))
	}
	switch {
	case s.result.Reason == solver.ReasonNodes:
		text += fmt.Sprintf("; the limit of %d nodes is reached", s.request.Nodes)
	case s.ended != nil:
		text += "; " + s.ended.Error()
	}
	return text
}

// undecided says why there is no verdict.
func (s *mateSearch) undecided() string {
	var parts []string
	if s.ended != nil {
		parts = append(parts, s.ended.Error())
	}
	if n := s.result.NoMateWithin; n > 0 {
		parts = append(parts, fmt.Sprintf("no mate within %s", plies(n)))
	}
	switch s.result.Reason {
	case solver.ReasonPlies:
		parts = append(parts, fmt.Sprintf(
			"longer ones were not looked for, by the limit of %d", s.request.Depth))
	case solver.ReasonNodes:
		parts = append(parts, fmt.Sprintf("the limit of %d nodes is reached", s.request.Nodes))
	case solver.ReasonDepth:
		parts = append(parts, "the solver looks no deeper, a longer mate may exist")
	case solver.ReasonUnverified:
		parts = append(parts,
			"internal error: a mate was claimed that does not verify, so it is withheld")
	case solver.ReasonTime, solver.ReasonCancelled, solver.NoReason:
		// s.ended has said it
	default:
		parts = append(parts, string(s.result.Reason))
	}
	if len(parts) == 0 {
		return "undecided"
	}
	return strings.Join(parts, "; ")
}

// plies returns a length in words.
func plies(n int) string {
	if n == 1 {
		return "1 ply"
	}
	return fmt.Sprintf("%d plies", n)
}
