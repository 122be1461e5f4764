package solvertest

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/solver"
)

// A question is what a solver is asked.
type question struct {
	known  *Known
	limits solver.Limits
	ctx    context.Context // nil: one that does not end
}

// faults returns what is wrong with r as the answer to q by a solver that makes the claim.
func faults(q *question, claim Claim, r *solver.Result) []string {
	var found []string
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	known, plies := q.known, q.limits.Plies
	p := known.Position
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return []string{err.Error()}
	}
	reach := claim.Plies // the longest mate the solver finds from here
	if attacker != p.SideToMove() && reach < Never {
		reach--
	}
	within := reach // the longest it must find now
	if plies > 0 {
		within = min(within, plies)
	}
	ended := solver.NoReason
	if q.ctx != nil {
		ended = solver.StopReason(q.ctx)
	}
	free := q.limits.Nodes == 0 && ended == solver.NoReason
	line := len(r.Line)

	fault(r.Solver == "", "no solver is named")
	fault(r.Nodes == 0 && ended == solver.NoReason, "no node was looked at")
	fault(q.limits.Nodes > 0 && r.Nodes > q.limits.Nodes, "more nodes than allowed")
	fault(r.Reason == solver.NoReason && r.Verdict == solver.Unknown, "an Unknown has a reason")
	fault(r.Reason != solver.NoReason && r.Verdict == solver.NoMate, "a NoMate has no reason")

	switch r.Verdict {
	case solver.Mate:
		if err := solver.Verify(p, *r, nil); err != nil {
			fault(true, "%v", err)
		}
		fault(known.Least == Never, "there is no mate")
		fault(known.Least < Never && line < known.Least, "the shortest mate has at least %d plies", known.Least)
		fault(r.Exact && line > known.Most, "exact, but there is a mate in %d", known.Most)
		fault(claim.Shortest && !r.Exact && r.Reason == solver.NoReason, "the solver claims to find the shortest, but not exactly this length")
		fault(plies > 0 && line > plies, "the line has %d plies, more than allowed", line)
		fault(r.NoMateWithin >= line && line > 0, "a mate within the bound")
	case solver.NoMate:
		fault(known.Most < Never, "there is a mate in %d", known.Most)
		fault(line > 0 || r.Exact || r.NoMateWithin != 0, "a NoMate has neither line nor length nor bound")
	case solver.Unknown:
		fault(line > 0 || r.Exact, "an Unknown has neither line nor length")
		fault(r.NoMateWithin < 0 || r.NoMateWithin >= known.Most, "there is a mate in %d", known.Most)
		fault(free && known.Most <= within, "left undecided: mate in %d", known.Most)
		fault(free && within < Never && r.NoMateWithin < within, "the bound must be %d at least", within)
		fault(free && plies > 0 && plies <= reach && r.Reason != solver.ReasonPlies, "the reason is the limit of plies")
		switch r.Reason {
		case solver.ReasonPlies:
			fault(plies == 0 || r.NoMateWithin < plies, "the plies did not run out")
		case solver.ReasonNodes:
			fault(q.limits.Nodes == 0, "no limit of nodes was given")
		case solver.ReasonTime, solver.ReasonCancelled:
			fault(r.Reason != ended, "the context did not end so")
		case solver.ReasonProof: // one of several threads may find a mate before it sees that time is over
			fault(q.limits.Nodes == 0 && ended != solver.ReasonTime, "neither nodes nor time ran out")
			fault(known.Least == Never, "there is no mate")
		case solver.ReasonDepth:
			fault(reach == Never, "the solver claims any length")
		default:
			fault(true, "no solver ends by itself for the reason %q", r.Reason)
		}
	default:
		fault(true, "no such verdict")
	}
	return found
}
