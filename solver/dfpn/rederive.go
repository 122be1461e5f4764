package dfpn

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
)

// A disproof that rests on a checkpoint is derived once more before it is believed: at the root, and
// within two plies of it, every check has to be answered by a move after which there is no mate.
// The positions after these answers are looked at in the same way, and further below each position
// after a check is searched by its own moves. So what the table says is believed from the fourth
// ply on: a false disproof that is stored for a position nearer to the root is found out.
//
// The checks are those of package mailbox, which knows the rules in another way than the search.

// rederivedPlies is how many plies below the root are derived anew.
const rederivedPlies = 2

// rederived reports whether it holds that there is no mate within length plies of the position on
// the board, as the search has just found. It does not look again unless that may rest on a
// checkpoint. If it does not hold, s.reason says why.
func (s *searcher) rederived(length int32) bool {
	if s.keeping == nil || !s.keeping.loaded {
		return true
	}
	limit := s.limit
	if limit > 0 {
		s.limit = proofLimit(limit, s.nodes)
	}
	s.ctx = s.proving
	s.unwindTo = noUnwind
	holds := s.isRefuted(state{s.p.BoardKey(), s.p.Hand(attacker)}, s.rootPathKey(), length, rederivedPlies)
	s.ctx = s.searching
	if s.limit = limit; limit > 0 {
		s.nodes = min(s.nodes, limit)
	}
	if !holds && s.reason == solver.NoReason {
		s.reason = solver.ReasonUnverified
	}
	return holds && s.reason == solver.NoReason
}

// isRefuted reports whether there is no mate within length plies of the position st on the board:
// of the attacker, because every check is answered; of the defender, because the answer that the
// search finds is one. The positions within so many plies are looked at in this way, and the search
// is believed about others.
func (s *searcher) isRefuted(st state, pathKey uint64, length int32, plies int) bool {
	attacks := s.p.SideToMove() == attacker
	var moves []shogi.Move
	if attacks {
		if moves = s.allChecks(); moves == nil {
			return false
		}
	} else {
		r := s.solveHere(st, pathKey, length)
		if r.dn != 0 || s.reason != solver.NoReason {
			return false
		}
		b := mailbox.From(&s.p)
		if length <= 0 {
			return b.HasLegalMove()
		}
		if !b.IsLegal(r.best) {
			return false
		}
		moves = []shogi.Move{r.best}
	}
	if length <= 0 || plies < 0 {
		return true
	}
	s.push(st.key, pathKey, st.hand, length, attacks)
	defer s.pop()
	depth := s.frames[len(s.frames)-1].depth
	for _, m := range moves {
		next := state{s.p.BoardKeyAfter(m), st.hand}
		if attacks {
			next.hand = s.p.HandAfter(m)
		}
		if s.repetition(next.key, next.hand) != noLoop {
			continue // which fails for the attacker
		}
		u := s.p.Do(m)
		ok := s.isRefuted(next, pathKey^stepKey(m, depth), length-1, plies-1)
		s.p.Undo(m, u)
		if !ok {
			return false
		}
	}
	return true
}

// solveHere searches the position st on the board, at the end of the path, for a mate within length
// plies, until it is solved or the search has to stop.
func (s *searcher) solveHere(st state, pathKey uint64, length int32) result {
	th := thresholds{unit, unit}
	for {
		s.push(st.key, pathKey, st.hand, length, s.p.SideToMove() == attacker)
		s.tca = 0
		var r result
		s.search(th, &r)
		s.pop()
		if r.isSolved() || s.reason != solver.NoReason {
			return r
		}
		th = th.raised(r.pn, r.dn)
	}
}

// allChecks returns the legal checks of the position on the board, by the plain rules, nil if those
// that the search goes by are others.
func (s *searcher) allChecks() []shogi.Move {
	b := mailbox.From(&s.p)
	checks := []shogi.Move{}
	for _, m := range b.LegalMoves() {
		if b.GivesCheck(m) {
			checks = append(checks, m)
		}
	}
	others := slices.Clone(s.p.Checks(&s.moves, shogi.AllMoves))
	slices.Sort(checks)
	slices.Sort(others)
	if !slices.Equal(checks, others) {
		return nil
	}
	return checks
}
