package usi

import (
	"context"
	"errors"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/threat"
)

// The values of the option MateMode: what go mate asks.
const (
	modeMate      = "mate"
	modeThreat    = "threat"    // whether the side that is not to move threatens mate (詰めろ)
	modeBrinkmate = "brinkmate" // whether the side to move has a brinkmate (必至)
)

// threaten answers go mate where the option MateMode asks about a threat or a brinkmate. USI has no
// words for these: a brinkmate is a line like that of a mate, which ends with the last attack, and what
// else there is to say stands in info strings. "nomate" is a proof that there is no threat; that there
// is no brinkmate within so many moves proves no more than that, and so is a timeout.
func (s *mateSearch) threaten(ctx context.Context) Checkmate {
	if !s.hasSession() {
		return Checkmate{}
	}
	by := threat.New(s.engine.held.session)
	answers := make(chan threat.Result, 1)
	s.aside(ctx, func(ctx context.Context, _ func(Info)) []Info {
		ask := by.Brinkmate
		if s.engine.mode == modeThreat {
			ask = by.Threat
		}
		r, err := ask(ctx, s.position, threat.Limits{Nodes: s.request.Nodes, Attacks: (s.request.Depth + 1) / 2})
		if err != nil {
			return []Info{{String: "error: " + reason(err)}}
		}
		answers <- r
		return nil
	})
	answer := Checkmate{ThenResign: s.engine.bestmoveAfterStop && errors.Is(s.ended, errStopped)}
	select {
	case r := <-answers:
		s.sayThreat(&r)
		answer.NoMate = r.Verdict == threat.NoThreat
		if r.Verdict != threat.Threat { // whose line begins with a pass
			answer.Line = r.Line
		}
	default:
	}
	return answer
}

// sayThreat says in info lines what was found out.
func (s *mateSearch) sayThreat(r *threat.Result) {
	s.result.Nodes = r.Nodes
	i := s.info()
	switch r.Verdict {
	case threat.Threat:
		s.report(i)
		s.text("threat: if %s passes, it is mated in %s: %s", s.position.SideToMove(), plies(len(r.Line)), formatMoves(r.Line))
	case threat.NoThreat:
		s.report(i)
		s.text("proven: no threat; if %s passes, it is not mated", s.position.SideToMove())
	case threat.Mate:
		s.text("mate in %s, and so no brinkmate", plies(len(r.Line)))
		i.Score, i.PV = s.score(len(r.Line)), r.Line
		s.report(i)
	case threat.Brinkmate:
		s.text("brinkmate in %s: whatever follows the last of these moves, %s is mated",
			plies(threat.Plies(r.Attacks)), s.position.SideToMove().Opponent())
		if !r.Exact {
			s.text("not proven shortest")
		}
		i.PV = r.Line
		s.report(i)
	case threat.None:
		s.report(i)
		s.text("proven: no mate, and no brinkmate within %s", plies(threat.Plies(r.Attacks)))
	default:
		s.report(i)
		s.result = solver.Result{Nodes: r.Nodes, Reason: r.Reason}
		s.text("%s", s.undecided())
	}
}
