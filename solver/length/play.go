package length

import (
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Lengths are what Play asks. An Engine with limits is one: see Budget.
type Lengths interface {
	// Within returns the length of p if it is at most plies, else more. ok is false if limits ended
	// the search.
	Within(p shogi.Position, plies int) (n int, ok bool)
	// Replies returns what the replies in p come to, whose length is at most plies.
	Replies(p shogi.Position, plies int) (list []Reply, ok bool)
}

// A Choice is the best move of a position, and how many pieces the attacker has in hand at the end
// of the best lines: Least if it spends what it can, Most if it keeps them.
type Choice struct {
	Move        shogi.Move // NoMove where the defender is mated
	Least, Most int
}

// Play chooses the moves of best play, which the package documentation defines, in positions whose
// length is exact. It remembers its choices.
type Play struct {
	lengths  Lengths
	attacker shogi.Color
	known    map[state]Choice
}

// A state is what a length depends on.
type state struct {
	board        uint64
	black, white shogi.Hand
}

// NewPlay returns the play in problems of that attacker, whose lengths are those of one policy.
func NewPlay(lengths Lengths, attacker shogi.Color) *Play {
	return &Play{lengths, attacker, map[state]Choice{}}
}

func stateOf(p *shogi.Position) state {
	return state{p.BoardKey(), p.Hand(shogi.Black), p.Hand(shogi.White)}
}

// Check returns the attacker's choice in p, the length of which is plies. ok is false if the limits
// do not suffice.
func (b *Play) Check(p shogi.Position, plies int) (best Choice, ok bool) {
	key := stateOf(&p)
	if c, ok := b.known[key]; ok {
		return c, true
	}
	for _, m := range PreferredChecks(&p) {
		next := p
		next.Do(m)
		n, ok := b.lengths.Within(next, plies-1)
		if !ok {
			return Choice{}, false
		}
		if n >= plies {
			continue
		}
		c, ok := b.Defence(next, n)
		if !ok {
			return Choice{}, false
		}
		if best.Move == shogi.NoMove || c.Least < best.Least {
			best.Move, best.Least = m, c.Least
		}
		best.Most = max(best.Most, c.Most)
	}
	if best.Move == shogi.NoMove { // plies is not the length
		return best, false
	}
	b.known[key] = best
	return best, true
}

// Defence returns the defender's choice in p, the length of which is plies, where there is no
// author's line. ok is false if the limits do not suffice.
func (b *Play) Defence(p shogi.Position, plies int) (best Choice, ok bool) {
	if plies == 0 {
		n := p.Hand(b.attacker).Len()
		return Choice{Least: n, Most: n}, true
	}
	key := stateOf(&p)
	if c, ok := b.known[key]; ok {
		return c, true
	}
	longest, ok := b.longest(&p, plies)
	if !ok {
		return Choice{}, false
	}
	for _, m := range longest {
		next := p
		next.Do(m)
		c, ok := b.Check(next, plies-1)
		if !ok {
			return Choice{}, false
		}
		if best.Move == shogi.NoMove || c.Least < best.Least {
			best.Move, best.Least = m, c.Least
		}
		if m == longest[0] || c.Most < best.Most {
			best.Most = c.Most
		}
	}
	if best.Move == shogi.NoMove { // plies is not the length
		return best, false
	}
	b.known[key] = best
	return best, true
}

// longest returns the defender's replies in p, whose length is plies, that last as long and are not
// futile, in their order.
func (b *Play) longest(p *shogi.Position, plies int) (moves []shogi.Move, ok bool) {
	replies, ok := b.lengths.Replies(*p, plies)
	for _, r := range replies {
		if r.Futile == NotFutile && r.Length == plies {
			moves = append(moves, r.Move)
		}
	}
	slices.SortFunc(moves, func(a, b shogi.Move) int { return ComparePreferred(p, a, b) })
	return moves, ok
}

// Reply returns the reply that the defender plays in p, whose length is plies, where the author's
// line goes on with the given move, NoMove if there is none. It is NoMove where the defender is
// mated, by the policy or by the rules. Where the limits do not suffice to compare what is left
// over, it is the first of the longest replies; ok is false if not even those are known.
func (b *Play) Reply(p shogi.Position, plies int, author shogi.Move) (m shogi.Move, ok bool) {
	if plies == 0 {
		return shogi.NoMove, true
	}
	longest, ok := b.longest(&p, plies)
	if !ok {
		return shogi.NoMove, false
	}
	if slices.Contains(longest, author) {
		return author, true
	}
	if c, ok := b.Defence(p, plies); ok {
		return c.Move, true
	}
	return longest[0], true
}

// Line returns the line of best play from p, whose length is plies. ok is false if the limits do
// not suffice; the line then has what is known of it.
func (b *Play) Line(p shogi.Position, plies int) (line []shogi.Move, ok bool) {
	for ; plies > 0; plies-- {
		choose := b.Defence
		if p.SideToMove() == b.attacker {
			choose = b.Check
		}
		c, ok := choose(p, plies)
		if !ok {
			return line, false
		}
		line = append(line, c.Move)
		p.Do(c.Move)
	}
	return line, true
}

// A Budget is an Engine that may look at so many more nodes.
type Budget struct {
	ctx    context.Context
	engine *Engine
	left   uint64
	// Nodes is how many were looked at so far, and Reason why a question was not answered.
	Nodes  uint64
	Reason solver.Reason
}

// Budget returns the Engine with a limit of nodes for all questions together.
func (e *Engine) Budget(ctx context.Context, nodes uint64) *Budget {
	return &Budget{ctx: ctx, engine: e, left: nodes}
}

// Within is Engine.Within.
func (b *Budget) Within(p shogi.Position, plies int) (n int, ok bool) {
	if b.left == 0 {
		b.Reason = solver.ReasonNodes
		return b.engine.known(&p), false
	}
	n, reason := b.engine.Within(b.ctx, p, plies, b.left)
	return n, b.spend(reason)
}

// Replies is Engine.Replies.
func (b *Budget) Replies(p shogi.Position, plies int) (list []Reply, ok bool) {
	if b.left == 0 {
		b.Reason = solver.ReasonNodes
		return nil, false
	}
	list, reason := b.engine.Replies(b.ctx, p, plies, b.left)
	return list, b.spend(reason)
}

// spend counts what the last question took, and returns whether it was answered.
func (b *Budget) spend(reason solver.Reason) (ok bool) {
	n := b.engine.Nodes()
	b.Nodes += n
	b.left -= min(b.left, n)
	if reason != solver.NoReason {
		b.Reason = reason
	}
	return reason == solver.NoReason
}
