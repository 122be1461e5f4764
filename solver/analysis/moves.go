package analysis

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Moves reports what each move of p comes to if attacker is to force mate. The errors are those of
// ValidAttacker, and those of the Searcher. Running out of a limit is none, and neither is the end
// of ctx: the report then has what is known.
func Moves(ctx context.Context, by Searcher, p shogi.Position, attacker shogi.Color, lim Limits) (
	*Report, error) {
	if err := ValidAttacker(&p, attacker); err != nil {
		return nil, err
	}
	a := &analysis{ctx: ctx, by: by, p: &p, lim: lim.Limits, repeatable: true,
		quick: cmp.Or(lim.QuickNodes, 20_000), left: cmp.Or(lim.Nodes, unlimitedNodes),
		time: cmp.Or(lim.Time, unlimitedTime), defender: p.SideToMove() != attacker,
		twoKings: p.King(attacker) != shogi.NoSquare}
	if deadline, ok := ctx.Deadline(); ok && lim.Time == 0 {
		a.time = time.Until(deadline)
	}
	var buf shogi.MoveBuffer
	legal := p.Evasions
	if !a.defender {
		legal = p.Checks
	}
	for _, m := range legal(&buf, shogi.AllMoves) {
		a.moves = append(a.moves, MoveVerdict{Move: m, Line: []shogi.Move{m}})
	}
	a.decideByRules()
	a.decide()
	if !a.defender {
		a.refute()
	}
	if a.err != nil {
		return nil, a.err
	}
	for i := range a.moves {
		if m := &a.moves[i]; m.Verdict == solver.Unknown && m.Reason == solver.NoReason {
			m.Reason = cmp.Or(a.stopped(), solver.ReasonNodes) // too few of them for another search
		}
	}
	return a.report(), nil
}

// What is used where there is no limit. Parts of it are still more than any search uses.
const (
	unlimitedNodes = 1 << 62
	unlimitedTime  = 100 * 365 * 24 * time.Hour
)

// An analysis is the work on a report. All of its searches together have the limits. What nodes
// they used is counted as if nothing were in a cache, so that the report does not depend on it.
type analysis struct {
	ctx        context.Context
	by         Searcher
	p          *shogi.Position
	lim        solver.Limits
	moves      []MoveVerdict
	quick      uint64        // nodes that make no long search
	left       uint64        // nodes
	time       time.Duration // left
	repeatable bool          // so far
	overloaded bool          // there is no slot for a long search
	spent      uint64        // nodes
	defender   bool          // is to move
	twoKings   bool          // no solver takes the defender's side then
	root       solver.Result // of the position itself
	err        error         // of the Searcher: nothing is searched after it
}

// decideByRules decides a check that is mate, a reply that leaves no check, and what is too long.
func (a *analysis) decideByRules() {
	for i := range a.moves {
		m := &a.moves[i]
		next := a.p.After(m.Move)
		switch {
		case a.defender && !next.HasCheck():
			m.Verdict = solver.NoMate
		case !a.defender && next.IsCheckmate():
			m.Verdict, m.Exact = solver.Mate, true
		case a.lim.Plies == 1:
			m.Reason = solver.ReasonPlies
			if !a.defender {
				m.NoMateWithin = 1
			}
		}
	}
}

// open returns the moves that a search may yet decide and, where the shortest mates are asked for,
// those whose length may yet turn out to be that of the position.
func (a *analysis) open() (left []*MoveVerdict) {
	// Of mates: the attacker needs no more than the least, the defender resists no less than
	// longest.
	least, longest := math.MaxInt, 0
	for i := range a.moves {
		if m := &a.moves[i]; m.Verdict == solver.Mate {
			least, longest = min(least, m.Plies()), max(longest, m.shortest())
		}
	}
	known := a.root.Verdict == solver.Mate && a.root.Exact || !a.lim.Shortest
	for i := range a.moves {
		m := &a.moves[i]
		decisive := a.defender && m.Plies() > longest || !a.defender && m.shortest() < least
		if m.Verdict == solver.Unknown && m.Reason != solver.ReasonPlies ||
			m.Verdict == solver.Mate && !m.Exact && decisive && !known {
			left = append(left, m)
		}
	}
	return left
}

// decide decides the moves that are open, in the steps that the package documentation describes.
func (a *analysis) decide() {
	if len(a.open()) > 0 {
		a.searchRoot(min(a.quick, a.left/2))
	}
	if share := a.searchQuickly(); share > 0 {
		a.searchLong(share)
	}
	// What their last searches said was the end of those, and not what kept them from longer ones.
	for _, m := range a.open() {
		switch {
		case a.escapeKnown():
			m.Reason = solver.ReasonSettled
		case a.overloaded:
			m.Reason = solver.ReasonOverloaded
		default:
			m.Reason = cmp.Or(a.stopped(), m.Reason)
		}
	}
}

// searchQuickly makes a quick search of what follows each open move, and returns the nodes that each
// could take, 0 if there was none.
func (a *analysis) searchQuickly() (share uint64) {
	if !a.maySearch() {
		return 0
	}
	open := a.open()
	if len(open) > 0 {
		share = min(a.quick, a.shareOf(len(open)))
	}
	for _, m := range open {
		a.searchMove(m, min(share, a.left), a.time)
	}
	return share
}

// searchLong makes long searches, unless a reply is known to escape: of the position itself, then of
// the open moves, again and again while each can take at least twice the nodes of its last search,
// which were share of the quick one. With fewer it is not worth to search again from the start.
func (a *analysis) searchLong(share uint64) {
	if !a.maySearch() || a.escapeKnown() {
		return
	}
	if a.root.Verdict == solver.Unknown && (len(a.open()) > 0 || a.isTied()) && a.left/2 > a.quick {
		a.searchRoot(a.left / 2)
	}
	for open := a.open(); len(open) > 0 && !a.overloaded; open = a.open() {
		next := a.shareOf(len(open))
		if a.root.Verdict == solver.NoMate {
			// Some reply escapes, and to prove that of it takes about as much.
			next = min(next, max(2*share, roundDown(4*a.root.Nodes)))
		}
		if next < 2*share {
			return
		}
		share = next
		for i, m := range open {
			a.searchMove(m, min(share, a.left), a.time/time.Duration(len(open)-i))
			if a.overloaded || a.escapeKnown() {
				break
			}
		}
		if !a.maySearch() || a.escapeKnown() {
			return
		}
	}
}

// maySearch reports whether there may be another search, a long one too.
func (a *analysis) maySearch() bool { return !a.overloaded && !a.isOver() }

// shareOf returns how many nodes each of n searches may take of those that are left.
func (a *analysis) shareOf(n int) uint64 { return roundDown(a.left / uint64(n)) }

// escapeKnown reports whether a reply is known that escapes.
func (a *analysis) escapeKnown() bool {
	return a.defender && slices.ContainsFunc(a.moves, func(m MoveVerdict) bool { return m.Verdict == solver.NoMate })
}

// isTied reports whether several mates are the best.
func (a *analysis) isTied() bool {
	best, n := 0, 0
	for i := range a.moves {
		m := &a.moves[i]
		if m.Verdict != solver.Mate {
			continue
		}
		switch c := cmp.Compare(m.Plies(), best); {
		case n == 0, c < 0 && !a.defender, c > 0 && a.defender:
			best, n = m.Plies(), 1
		case c == 0:
			n++
		}
	}
	return n > 1
}

// searchRoot searches the position itself, unless no solver takes the side that is to move.
func (a *analysis) searchRoot(nodes uint64) {
	if a.defender && a.twoKings || nodes == 0 || a.isOver() {
		return
	}
	r := a.search(a.p, a.within(a.lim.Plies, nodes), a.time/2)
	if r.Verdict != solver.Unknown || a.root.Verdict == solver.Unknown {
		a.root = r
	}
	a.takeFromRoot()
}

// isOver reports whether nothing more can be searched.
func (a *analysis) isOver() bool { return a.err != nil || a.stopped() != solver.NoReason }

// stopped returns why no more can be searched, NoReason if it can.
func (a *analysis) stopped() solver.Reason {
	reason := solver.StopReason(a.ctx)
	switch {
	case reason != solver.NoReason:
	case a.time <= 0:
		reason = solver.ReasonTime
	case a.by.Stopped() != solver.NoReason:
		reason = a.by.Stopped()
	case a.left == 0:
		return solver.ReasonNodes
	default:
		return solver.NoReason
	}
	a.repeatable = false
	return reason
}

// roundDown returns the largest power of two up to n, 0 for 0: so that the same position, met from
// elsewhere with a few moves more or less, is the same question.
func roundDown(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len64(n) - 1)
}

// takeFromRoot takes over what the result of the position itself says of its moves.
func (a *analysis) takeFromRoot() {
	w := &a.root
	for i := range a.moves {
		switch m := &a.moves[i]; {
		case w.Verdict == solver.NoMate && !a.defender:
			m.Verdict, m.Reason = solver.NoMate, solver.NoReason
		case w.Verdict == solver.Mate && m.Move == w.Line[0] && m.Verdict != solver.Mate &&
			(w.Exact || !a.lim.Shortest):
			m.Verdict, m.Exact, m.Reason = solver.Mate, w.Exact, w.Reason
			m.setLine(w.Line[1:])
		}
	}
}

// searchMove searches what follows a move.
func (a *analysis) searchMove(m *MoveVerdict, nodes uint64, limit time.Duration) {
	if nodes == 0 || limit <= 0 || a.isOver() {
		return
	}
	next := a.p.After(m.Move)
	plies := max(0, a.lim.Plies-1)
	var r solver.Result
	if a.twoKings && !a.defender {
		r = a.searchReplies(&next, plies, nodes, limit)
	} else {
		r = a.search(&next, a.within(plies, nodes), limit)
	}
	m.Reason = r.Reason
	if r.NoMateWithin > 0 {
		m.NoMateWithin = max(m.NoMateWithin, r.NoMateWithin+1)
	}
	if m.Verdict != solver.Mate || r.Verdict == solver.Mate && 1+len(r.Line) <= m.Plies() {
		m.Verdict, m.Exact = r.Verdict, r.Exact
		m.setLine(r.Line)
	}
	m.Exact = m.Exact || m.Verdict == solver.Mate && m.NoMateWithin >= m.Plies()-2
}

// within returns the limits of a search that is to find what was asked for.
func (a *analysis) within(plies int, nodes uint64) solver.Limits {
	return solver.Limits{Plies: plies, Nodes: nodes, Shortest: a.lim.Shortest}
}

// search searches one position. The result of a search that failed is Unknown.
func (a *analysis) search(p *shogi.Position, lim solver.Limits, limit time.Duration) solver.Result {
	r, took, err := a.by.Search(a.ctx, *p, lim, limit)
	if err != nil {
		a.err = err
		return solver.Result{}
	}
	a.overloaded = a.overloaded || r.Reason == solver.ReasonOverloaded
	a.repeatable = a.repeatable && r.IsRepeatable()
	a.spent += r.Nodes
	a.left -= min(a.left, r.Nodes)
	a.time -= took
	return r
}

// orderReplies returns the defender's replies, those that leave the fewest checks first, and
// captures before others: where one refutes, it is early, and the plainest of those that do.
func orderReplies(p *shogi.Position) []shogi.Move {
	type reply struct {
		move   shogi.Move
		checks int
		quiet  int
	}
	var buf shogi.MoveBuffer
	var all []reply
	for _, m := range p.Evasions(&buf, shogi.AllMoves) {
		next := p.After(m)
		r := reply{m, next.CountChecks(), 1}
		if !m.IsDrop() && p.Piece(m.To()) != shogi.NoPiece {
			r.quiet = 0
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b reply) int {
		return cmp.Or(cmp.Compare(a.checks, b.checks), cmp.Compare(a.quiet, b.quiet))
	})
	moves := make([]shogi.Move, len(all))
	for i, r := range all {
		moves[i] = r.move
	}
	return moves
}

// searchReplies finds out what search would of a position with the defender to move, by searching
// what follows every reply. It is for two kings on the board, where a solver takes the side to move
// for the attacker. The line of a NoMate is the refutation.
func (a *analysis) searchReplies(p *shogi.Position, plies int, nodes uint64,
	limit time.Duration) solver.Result {
	out := solver.Result{Verdict: solver.Mate, Exact: true} // of no replies at all
	moves, end := orderReplies(p), a.time-limit
	for i, m := range moves {
		next := p.After(m)
		rest := uint64(len(moves) - i)
		switch {
		case !next.HasCheck():
			return solver.Result{Verdict: solver.NoMate, Line: []shogi.Move{m}}
		case plies == 1:
			return solver.Result{Reason: solver.ReasonPlies}
		case nodes < rest:
			return solver.Result{Reason: solver.ReasonNodes}
		case a.isOver():
			return solver.Result{Reason: a.stopped()}
		case a.time <= end:
			a.repeatable = false
			return solver.Result{Reason: solver.ReasonTime}
		}
		share := a.time - end
		if nodes > a.quick {
			share /= time.Duration(rest)
		}
		r := a.search(&next, a.within(max(0, plies-1), nodes/rest), share)
		nodes -= min(nodes, r.Nodes)
		switch {
		case r.Verdict == solver.NoMate:
			return solver.Result{Verdict: solver.NoMate, Line: []shogi.Move{m}}
		case r.Verdict == solver.Unknown:
			out = solver.Result{Reason: cmp.Or(out.Reason, r.Reason)} // a later reply may still refute
		case out.Verdict == solver.Mate && 1+len(r.Line) > len(out.Line):
			out.Line, out.Exact = append([]shogi.Move{m}, r.Line...), r.Exact
		case out.Verdict == solver.Mate && 1+len(r.Line) == len(out.Line):
			out.Exact = out.Exact || r.Exact // the longest resistance is as long as that
		}
	}
	return out
}

// refute finds a reply to each check that does not mate, as far as what is left of the limits
// allows: with quick searches first.
func (a *analysis) refute() {
	for _, quickly := range []bool{true, false} {
		var left []*MoveVerdict
		for i := range a.moves {
			if m := &a.moves[i]; m.Verdict == solver.NoMate && len(m.Line) == 1 {
				left = append(left, m)
			}
		}
		for i, m := range left {
			if quickly || !a.overloaded {
				a.refuteMove(m, quickly, len(left)-i)
			}
		}
	}
}

// refuteMove tries the replies to a check, one of some that are left.
func (a *analysis) refuteMove(m *MoveVerdict, quickly bool, some int) {
	p := a.p.After(m.Move)
	replies := orderReplies(&p)
	for i, reply := range replies {
		next := p.After(reply)
		if next.HasCheck() {
			if a.isOver() {
				return
			}
			nodes, limit := min(a.left, a.quick), a.time
			if !quickly {
				parts := some * (len(replies) - i)
				nodes, limit = a.shareOf(parts), a.time/time.Duration(parts)
				if nodes <= a.quick {
					return
				}
			}
			if a.search(&next, solver.Limits{Nodes: nodes}, limit).Verdict != solver.NoMate {
				continue
			}
		}
		m.setLine([]shogi.Move{reply})
		return
	}
}

// report makes the report.
func (a *analysis) report() *Report {
	a.rank()
	r, w := &Report{ByDefender: a.defender, Verdict: a.root.Verdict, Moves: a.moves, Nodes: a.spent,
		Repeatable: a.repeatable}, &a.root
	var n [3]int // of each verdict
	for i := range a.moves {
		m := &a.moves[i]
		n[m.Verdict]++
		switch m.Verdict {
		case solver.Unknown:
			r.Reason = cmp.Or(r.Reason, m.Reason)
		case solver.NoMate:
			m.NoMateWithin = 0
		}
	}
	best := false
	switch {
	case a.defender && n[solver.NoMate] > 0, !a.defender && n[solver.NoMate] == len(a.moves):
		r.Verdict, best = solver.NoMate, a.defender
	case !a.defender && n[solver.Mate] > 0, a.defender && n[solver.Mate] == len(a.moves):
		r.Verdict, best = solver.Mate, len(a.moves) > 0
		r.Exact = true
		if best {
			r.Plies, r.Exact = a.moves[0].Plies(), a.isExact()
		}
		if w.Verdict == solver.Mate && (w.Exact && !r.Exact || len(w.Line) < r.Plies) {
			r.Plies, r.Exact = len(w.Line), w.Exact
		}
	case r.Verdict == solver.Mate: // all replies lose, but not all are known to
		r.Plies, r.Exact = len(w.Line), w.Exact
	}
	if best {
		r.Best = a.moves[0].Move
	}
	return r
}

// rank puts the moves in order for the side that plays them.
func (a *analysis) rank() {
	w := &a.root
	for i := range a.moves {
		m := &a.moves[i]
		if w.Verdict == solver.Mate && len(w.Line) > 0 && m.Move == w.Line[0] && m.Verdict == solver.Unknown {
			// Its own search did not come as far.
			m.Verdict, m.Exact, m.Reason = solver.Mate, w.Exact, w.Reason
			m.setLine(w.Line[1:])
		}
		// No mate is shorter than that of the position, and lengths differ by two.
		if bound := w.NoMateWithin; !a.defender && m.Verdict == solver.Mate &&
			(m.Plies()-2 <= bound || w.Exact && w.Verdict == solver.Mate && m.Plies() == len(w.Line)) {
			m.Exact, m.Reason = true, solver.NoReason
		}
	}
	value := func(m *MoveVerdict) int {
		switch {
		case m.Verdict == solver.NoMate:
			return 1 << 20
		case m.Verdict == solver.Unknown:
			return 1 << 19
		case a.defender && w.Verdict == solver.Mate && w.Exact:
			return min(m.Plies(), len(w.Line)) // no reply resists longer than that
		}
		return m.Plies()
	}
	isRoot := func(m *MoveVerdict) int { // the move that a solver plays
		if w.Verdict == solver.Mate && len(w.Line) > 0 && m.Move == w.Line[0] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(a.moves, func(x, y MoveVerdict) int {
		c := value(&x) - value(&y)
		if a.defender {
			c = -c
		}
		return cmp.Or(c, isRoot(&x)-isRoot(&y))
	})
}

// isExact reports whether the length of the best move, which is a mate as all others of a defender
// are, is that of the position: proven itself, and no other move better, however long its mate
// takes.
func (a *analysis) isExact() bool {
	best := &a.moves[0]
	if a.defender {
		return slices.ContainsFunc(a.moves, func(m MoveVerdict) bool { return m.Exact && m.Plies() == best.Plies() })
	}
	return best.Plies() == 1 || best.Exact && !slices.ContainsFunc(a.moves, func(m MoveVerdict) bool {
		return m.Verdict != solver.NoMate && m.NoMateWithin < best.Plies()-2 && !(m.Exact && m.Plies() >= best.Plies())
	})
}
