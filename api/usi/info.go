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
			e.infof("mate in %s, not proven shortest", plies(n))
		}
		score := n
		if s.defending {
			score = -n
		}
		e.printf("info depth %d seldepth %d %s score mate %d pv %s", n, n, s.stats(), score, usi(r.Line))
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

// stats returns the numbers every info line carries. The solvers keep no table, which is therefore never filled.
func (s *search) stats() string {
	perSecond := float64(s.result.Nodes) / max(s.took, time.Microsecond).Seconds()
	return fmt.Sprintf("time %d nodes %d nps %d hashfull 0", s.took.Milliseconds(), s.result.Nodes, int64(min(perSecond, math.MaxInt32)))
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
