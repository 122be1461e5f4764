package solver

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
)

// First returns a Solver that asks the given ones in turn, the cheapest first, and returns the
// first decided result. Each may spend the nodes the ones before it left. What an undecided one
// proved, the bound NoMateWithin, is kept.
func First(solvers ...Solver) Solver { return first(solvers) }

type first []Solver

func (f first) Solve(ctx context.Context, p shogi.Position, lim Limits) Result {
	var best Result
	for i, s := range f {
		left := lim
		left.NoMateWithin = max(lim.NoMateWithin, best.NoMateWithin)
		if lim.Nodes > 0 {
			if best.Nodes >= lim.Nodes {
				best.Reason = ReasonNodes
				return best
			}
			left.Nodes = lim.Nodes - best.Nodes
		}
		r := s.Solve(ctx, p, left)
		r.Nodes += best.Nodes
		r.Expansions += best.Expansions
		r.NoMateWithin = max(r.NoMateWithin, best.NoMateWithin)
		if r.Verdict == Mate && r.NoMateWithin >= len(r.Line)-2 {
			r.Exact = true // mates have the parity of the side to move, so the next shorter one is two plies shorter
		}
		if r.Verdict != Unknown || i == len(f)-1 || stopped(r.Reason) || lim.Plies > 0 && r.NoMateWithin >= lim.Plies {
			if r.Verdict == NoMate {
				r.NoMateWithin = 0
			}
			return r
		}
		best = r
	}
	return best
}

// stopped reports whether r is a limit that the next solver would run into as well.
func stopped(r Reason) bool {
	return r == ReasonNodes || r == ReasonTime || r == ReasonCancelled
}
