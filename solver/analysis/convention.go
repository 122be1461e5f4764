package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// A Convention says by what the moves of a report are counted and compared.
type Convention struct {
	Policy length.Policy
	// Turning is that of the problem from which the position came. It decides between moves that
	// are equally good, so that along a problem the same are best as in the Analysis of it.
	Turning length.Turning
	// Author is what the author's line plays in the position, NoMove if there is none.
	Author shogi.Move
	Nodes  uint64 // limit of all searches together, 0: any number
}

// A Counted is what the moves of a position with a mate come to by a policy.
type Counted struct {
	Policy length.Policy
	// Length is that of the position, no more than the raw one.
	Length length.Interval
	// Best is the move of best play, as package length defines it: of the defender never one that is
	// futile. It is NoMove where the defender is mated, and where it is not known, as Reason says.
	Best shogi.Move
	// Moves are the moves of which more is known than by the raw count.
	Moves  map[shogi.Move]CountedMove
	Reason solver.Reason
	Nodes  uint64
}

// A CountedMove is what a move comes to by a policy.
type CountedMove struct {
	Length length.Interval // that of the position if the move is played
	Futile *length.Reply   // why the reply is left out; it has no Length then
	Line   []shogi.Move    // best play from the move on, nil if it is not known
}

// The nodes that the choice between moves of equal length may take, and the lines after the others:
// most of what they ask is remembered by then. And those of a check's length, if it is not the best.
const (
	choiceNodes = 300_000
	lineAfter   = 30_000
	checkNodes  = 100_000
)

// Count adds to the report of a Mate in p what its moves come to by a convention, and puts them in
// that order. What it cannot find out it leaves to the raw count.
func (r *Report) Count(ctx context.Context, e *length.Engine, p shogi.Position, attacker shogi.Color,
	c Convention) {
	if r.Verdict != solver.Mate {
		return
	}
	w := &counting{ctx: ctx, e: e, turn: c.Turning, raw: r,
		found: &Counted{Policy: c.Policy, Moves: map[shogi.Move]CountedMove{},
			Length: length.Interval{Low: r.Plies % 2, High: r.Plies}}}
	w.turn.Rotate = attacker != shogi.Black // whatever the problem was
	w.p = w.turn.Position(p)
	r.Counted = w.found
	e.Begin(shogi.Black, c.Policy)
	e.Forget() // what another question has left would change the nodes
	w.budget = e.Budget(ctx, cmp.Or(c.Nodes, unlimitedNodes))
	w.choice = e.Budget(ctx, choiceNodes)
	w.lines = e.Budget(ctx, lineAfter)
	if n, ok := w.budget.Within(w.p, r.Plies); ok {
		w.found.Length = length.Exactly(n)
		if r.ByDefender {
			w.replies(n, w.turn.Move(c.Author))
		} else {
			w.checks(n)
		}
	} else {
		w.found.Length.Low = min(n+(r.Plies-n)&1, r.Plies)
	}
	for _, b := range []*length.Budget{w.budget, w.choice, w.lines} {
		w.spend(b)
	}
	r.Nodes += w.found.Nodes
	if !w.found.Length.IsExact() || w.found.Best == shogi.NoMove && w.found.Length.High > 0 {
		w.found.Reason = cmp.Or(w.budget.Reason, solver.ReasonNodes)
		return
	}
	w.rank()
}

// ReasonNotOffered is why a length is not known to who has no sessions.
const ReasonNotOffered solver.Reason = "not_offered"

// CountRaw is Count where the raw count and the policy's are the same, under F0 and where the
// defender is mated already, and where there is a reason why nothing is counted by the policy.
func (r *Report) CountRaw(policy length.Policy, reason solver.Reason) {
	c := &Counted{Policy: policy, Best: r.Best, Moves: map[shogi.Move]CountedMove{}, Reason: reason}
	c.Length = length.Interval{Low: r.Plies % 2, High: r.Plies}
	switch {
	case reason != solver.NoReason:
	case r.Exact:
		c.Length.Low = r.Plies
	default:
		c.Reason = cmp.Or(r.Reason, solver.ReasonNodes)
	}
	r.Counted = c
}

// counting is the work of Count. Its positions and moves are turned, so that the attacker is Black.
type counting struct {
	ctx                   context.Context
	e                     *length.Engine
	turn                  length.Turning
	p                     shogi.Position
	raw                   *Report
	found                 *Counted
	budget, choice, lines *length.Budget
}

// spend counts what a budget took.
func (w *counting) spend(b *length.Budget) {
	w.found.Nodes += b.Nodes
	if b.Reason != solver.NoReason && b.Reason != solver.ReasonNodes {
		w.raw.Repeatable = false
	}
}

// add adds what is known of a move.
func (w *counting) add(m shogi.Move, c CountedMove) {
	if c.Line != nil {
		c.Line = w.turn.Moves(c.Line)
	}
	if c.Futile != nil {
		turned := *c.Futile
		turned.Move, turned.Capture = w.turn.Move(turned.Move), w.turn.Move(turned.Capture)
		c.Futile = &turned
	}
	w.found.Moves[w.turn.Move(m)] = c
}

// line returns best play from a move on, after which the length is plies; nil if it is not known.
func (w *counting) line(by *length.Budget, m shogi.Move, plies int) []shogi.Move {
	rest, ok := length.NewPlay(by, shogi.Black).Line(w.p.After(m), plies)
	if !ok {
		return nil
	}
	return append([]shogi.Move{m}, rest...)
}

// replies counts the defender's replies, the length being plies.
func (w *counting) replies(plies int, author shogi.Move) {
	list, ok := w.budget.Replies(w.p, plies)
	if !ok {
		return
	}
	best, ok := length.NewPlay(w.choice, shogi.Black).Reply(w.p, plies, author)
	if ok {
		w.found.Best = w.turn.Move(best)
	}
	for _, r := range list {
		if r.Futile != length.NotFutile {
			w.add(r.Move, CountedMove{Futile: &r})
			continue
		}
		by := w.lines
		if r.Move == best {
			by = w.choice
		}
		w.add(r.Move, CountedMove{Length: length.Exactly(r.Length), Line: w.line(by, r.Move, r.Length-1)})
	}
}

// checks counts the attacker's checks that mate, the length being plies.
func (w *counting) checks(plies int) {
	best := shogi.NoMove
	if c, ok := length.NewPlay(w.choice, shogi.Black).Check(w.p, plies); ok {
		best = c.Move
	}
	for i := range w.raw.Moves {
		v := &w.raw.Moves[i]
		if v.Verdict != solver.Mate {
			continue
		}
		m := w.turn.Move(v.Move)
		by := w.lines
		if m == best {
			by = w.choice
		}
		budget := w.e.Budget(w.ctx, checkNodes)
		n, ok := budget.Within(w.p.After(m), v.Plies()-1)
		w.spend(budget)
		if !ok {
			w.add(m, CountedMove{Length: length.Interval{Low: max(plies, n+1+n&1), High: v.Plies()}})
			continue
		}
		w.add(m, CountedMove{Length: length.Exactly(n + 1), Line: w.line(by, m, n)})
		if best == shogi.NoMove && n+1 == plies {
			best = m
		}
	}
	w.found.Best = w.turn.Move(best)
}

// rank puts the moves in order: the best first, those that are left out last.
func (w *counting) rank() {
	value := func(m *MoveVerdict) int {
		c, ok := w.found.Moves[m.Move]
		switch {
		case m.Move == w.found.Best:
			return -1
		case c.Futile != nil:
			return 2 * length.Unbounded
		case !ok:
			return length.Unbounded
		case w.raw.ByDefender:
			return length.Unbounded - c.Length.High
		}
		return c.Length.High
	}
	slices.SortStableFunc(w.raw.Moves, func(a, b MoveVerdict) int { return value(&a) - value(&b) })
}

// A FoundLength is the length of a mate under a policy.
type FoundLength struct {
	By     length.Interval
	Nodes  uint64
	Reason solver.Reason        // why the length is not exact
	Futile map[int]length.Reply // the futile moves of the line that was found, by their index
	Line   []shogi.Move         // of best play, if that is another one and known
}

// FindLength finds the length of a mate in p under a policy, which of the moves of its raw line are
// futile, and the line of best play if that line is longer or has such moves, as far as the limits of
// each question allow. No policy makes a mate longer than the line.
func FindLength(ctx context.Context, e *length.Engine, p shogi.Position, attacker shogi.Color,
	policy length.Policy, line []shogi.Move, nodes uint64) FoundLength {
	raw, turn := len(line), length.Orient(&p, attacker)
	p = turn.Position(p)
	e.Begin(shogi.Black, policy)
	e.Forget() // what another question has left would change the nodes
	n, reason := e.Within(ctx, p, raw, nodes)
	found := FoundLength{By: length.Exactly(n), Nodes: e.Nodes(), Reason: reason}
	if reason != solver.NoReason {
		found.By = length.Interval{Low: min(n+(raw-n)&1, raw), High: raw}
		return found
	}
	found.Futile = map[int]length.Reply{}
	at := p
	for i, m := range turn.Moves(line) {
		if at.SideToMove() != shogi.Black && m.IsDrop() {
			if r, ok := futileReply(ctx, e, at, m, raw-i, nodes, &found.Nodes); ok {
				r.Move, r.Capture = turn.Move(r.Move), turn.Move(r.Capture)
				found.Futile[i] = r
			}
		}
		at.Do(m)
	}
	if n == raw && len(found.Futile) == 0 {
		return found
	}
	budget := e.Budget(ctx, lineNodes)
	best, ok := length.NewPlay(budget, shogi.Black).Line(p, n)
	if found.Nodes += budget.Nodes; ok {
		found.Line = turn.Moves(best)
	}
	return found
}

// futileReply returns why the drop m in p is futile, and whether it is, if the length of p is at most
// plies. It adds the nodes that it takes to spent.
func futileReply(ctx context.Context, e *length.Engine, p shogi.Position, m shogi.Move, plies int,
	nodes uint64, spent *uint64) (r length.Reply, ok bool) {
	least, reason := e.Within(ctx, p, plies, nodes)
	*spent += e.Nodes()
	if reason != solver.NoReason {
		return r, false
	}
	replies, _ := e.Replies(ctx, p, least, nodes)
	*spent += e.Nodes()
	for _, r := range replies {
		if r.Move == m {
			return r, r.Futile != length.NotFutile
		}
	}
	return r, false
}
