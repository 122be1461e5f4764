package search

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/play"
)

// The solver of long mates gets one in so many nodes of a search, in slices between iterations.
// Small ones decide nothing, and during a large one nobody looks at a ponderhit.
const (
	mateShare      = 10
	leastMateNodes = 100
	mostMateNodes  = 30_000

	// verifyNodes are for the proof of a mate that the search has found.
	verifyNodes = 30_000
)

// askMate asks the solver of mates about the root. It reports whether there is a mate: the first
// move of r.moves begins it then.
func (r *root) askMate(ctx context.Context) bool {
	if r.engine.options.NewSession == nil || r.noMate || r.limits.Moves != nil || r.lines > 1 {
		return false
	}
	if r.nodes/mateShare < r.mateNodes+leastMateNodes || r.limit-r.nodes < leastMateNodes {
		return false
	}
	before := r.mateNodes
	found := r.mate(ctx, 0, min(r.nodes/mateShare-before, r.limit-r.nodes, mostMateNodes))
	r.nodes += r.mateNodes - before
	return found
}

// verifyMate asks the solver for a mate that the search has found, so that it is not an opinion any
// more. The nodes for that come on top of a limit.
func (r *root) verifyMate(ctx context.Context) {
	plies, ok := play.Score(r.moves[0].newest().score).Mate()
	if r.engine.options.NewSession == nil || !ok || plies <= 0 || r.verified || r.limits.Moves != nil {
		return
	}
	r.mate(ctx, plies, verifyNodes)
}

// mate asks for a mate in at most so many plies, 0 for any number, with so many nodes.
func (r *root) mate(ctx context.Context, plies int, nodes uint64) bool {
	lim := solver.Limits{Plies: plies, Nodes: nodes, AnyLine: true}
	if left := r.pliesLeft(); left >= 0 {
		if left == 0 {
			return false
		}
		if lim.Plies == 0 || left < lim.Plies {
			lim.Plies = left
		}
	}
	ctx, cancel := r.timer.context(ctx)
	defer cancel()
	e := r.engine
	if e.session == nil {
		e.session = e.options.NewSession()
	}
	res := e.session.Ask(ctx, solver.Question{Position: r.p, Attacker: r.p.SideToMove(), Limits: lim})
	r.mateNodes += res.Nodes
	r.noMate = res.Verdict == solver.NoMate
	if res.Verdict != solver.Mate || len(res.Line) == 0 {
		return false
	}
	r.verified = r.choose(res.Line)
	return r.verified
}

// shortMate asks for a mate in three plies, as the search does below the root, and reports whether
// there is one: the first move of r.moves begins it then.
func (r *root) shortMate() bool {
	if r.limits.Moves != nil || r.lines > 1 {
		return false
	}
	line, plies := r.mate3.Find(&r.p)
	return plies > 0 && r.mateCounts(plies) && r.choose(slices.Clone(line[:plies]))
}

// choose puts the first move of line, a mate, at the top of r.moves, unless it ends the game by
// repetition: the solvers of mates know nothing of the moves before.
func (r *root) choose(line []shogi.Move) bool {
	if r.repeats(line[0]) {
		return false
	}
	for i := range r.moves {
		if m := r.moves[i]; m.move == line[0] {
			copy(r.moves[1:i+1], r.moves[:i])
			m.now = result{mateIn(len(line)), play.Exact, line, len(line)}
			r.moves[0] = m
			return true
		}
	}
	return false
}

// repeats reports whether m makes a position occur for the fourth time.
func (r *root) repeats(m shogi.Move) bool {
	r.line.Push(&r.p, r.stack[0].inCheck)
	child := r.p
	child.Do(m)
	once := r.line.Repetition(&child, child.InCheck()) != shogi.NoLineRepetition
	r.line.Pop()
	if !once {
		return false
	}
	next := r.game.After(m)
	return next.Repetition() != shogi.NoRepetition
}

// pliesLeft returns within how many plies a mate at the root has to come, -1 if there is no limit.
func (r *root) pliesLeft() int {
	if r.rules.MaxMoves == 0 || r.rules.LastMove == play.ExtendChecks {
		return -1
	}
	left := r.rules.MaxMoves - r.p.Ply() + 1
	if r.rules.LastMove == play.MateDraws {
		left--
	}
	return left
}
