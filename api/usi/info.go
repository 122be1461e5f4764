package usi

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// report writes the info lines about what the search came to. A mate's moves come last, so that they stand just before
// the answer: some GUIs show the last pv and not the answer. outlook is added to the reason of an undecided one.
func (e *engine) report(s *search, why cause, outlook string) {
	s.reported = true
	if !s.mate {
		e.greet()
	}
	if s.problem != "" {
		e.infof("error: %s", s.problem)
		return
	}
	side := s.position.SideToMove()
	if s.defending {
		e.infof("%s defends and %s attacks: %s is to move, in check, and has the only king", side, side.Opponent(), side)
	}
	switch r := &s.result; {
	case r.Verdict == solver.Mate && len(r.Line) == 0:
		e.infof("%s is mated already: there is no move to give", side)
	case r.Verdict == solver.Mate:
		n := len(r.Line)
		if !r.Exact {
			e.infof("%s", s.unsure(why))
		}
		e.printf("info depth %d seldepth %d %s score mate %d pv %s", n, n, s.stats(), s.score(n), usi(r.Line))
	case r.Verdict == solver.NoMate:
		e.printf("info %s score cp 0", s.stats())
		e.infof("proven: there is no mate of any length")
	default:
		e.printf("info %s", s.stats())
		e.infof("%s%s", s.undecided(why), outlook)
	}
}

// greet tells the user, once, why the engine resigns so easily.
func (e *engine) greet() {
	if !e.greeted {
		e.greeted = true
		e.infof("this is a mate engine: it plays the first move of a mate, and without one it resigns")
	}
}

// tell writes the info lines about a search that goes on.
func (e *engine) tell(p *solver.Progress) {
	s := e.search
	if s.ponder {
		return // not a word yet
	}
	if p.Phase != s.phase && p.Mate > 0 {
		s.phase = p.Phase
		switch p.Phase {
		case solver.Shortening:
			e.infof("mate in %s found, looking for a shorter one", plies(p.Mate))
		case solver.Choosing:
			e.infof("mate in %s is the shortest, choosing its line", plies(p.Mate))
		}
	}
	var b []byte
	if n := len(p.Line); n > 0 {
		s.depth = max(s.depth, n)
		b = fmt.Appendf(b, " depth %d seldepth %d", n, s.depth)
	}
	b = fmt.Appendf(b, " %s", stats(time.Since(s.began), p.Nodes, p.TableFill))
	if p.Mate > 0 {
		b = fmt.Appendf(b, " score mate %d", s.score(p.Mate))
	}
	if len(p.Line) > 0 {
		b = fmt.Appendf(b, " pv %s", usi(p.Line))
	}
	e.printf("info%s", b)
}

// score returns what USI calls a mate in n: negative if the side to move is mated.
func (s *search) score(n int) int {
	if s.defending {
		return -n
	}
	return n
}

// stats returns the numbers every info line carries, for the end of the search.
func (s *search) stats() string {
	fill := 0.0
	if p := s.last.Load(); p != nil {
		fill = p.TableFill
	}
	return stats(s.took, s.result.Nodes, fill)
}

// stats returns the numbers every info line carries.
func stats(took time.Duration, nodes uint64, fill float64) string {
	perSecond := float64(nodes) / max(took, time.Microsecond).Seconds()
	return fmt.Sprintf("time %d nodes %d nps %d hashfull %d", took.Milliseconds(), nodes, int64(min(perSecond, math.MaxInt32)), int(1000*fill))
}

// unsure says of a mate why it may not be the shortest.
func (s *search) unsure(why cause) string {
	text := fmt.Sprintf("mate in %s, not proven shortest", plies(len(s.result.Line)))
	if n := s.result.NoMateWithin; n > 0 {
		text += fmt.Sprintf(": there is none within %s", plies(n))
	}
	switch {
	case s.result.Reason == solver.ReasonNodes:
		text += fmt.Sprintf("; the limit of %d nodes is reached", s.limits.Nodes)
	case why != "":
		text += "; " + string(why)
	}
	return text
}

// undecided says why there is no verdict.
func (s *search) undecided(why cause) string {
	var parts []string
	if why != "" {
		parts = append(parts, string(why))
	}
	if n := s.result.NoMateWithin; n > 0 {
		parts = append(parts, fmt.Sprintf("no mate within %s", plies(n)))
	}
	switch s.result.Reason {
	case solver.ReasonPlies:
		parts = append(parts, fmt.Sprintf("longer ones were not looked for, by the limit of %d", s.limits.Plies))
	case solver.ReasonNodes:
		parts = append(parts, fmt.Sprintf("the limit of %d nodes is reached", s.limits.Nodes))
	case solver.ReasonDepth:
		parts = append(parts, "the solver looks no deeper, a longer mate may exist")
	case solver.ReasonUnverified:
		parts = append(parts, "internal error: a mate was claimed that does not verify, so it is withheld")
	case solver.ReasonTime, solver.ReasonCancelled, solver.NoReason:
		// why has said it
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

// usi returns moves in USI form, with blanks between them.
func usi(moves []shogi.Move) string {
	var b []byte
	for i, m := range moves {
		if i > 0 {
			b = append(b, ' ')
		}
		b = m.AppendUSI(b)
	}
	return string(b)
}
