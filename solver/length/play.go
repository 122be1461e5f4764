package length

import (
	"context"
	"math"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Lengths are what Play asks. An Engine with limits is one: see Budget.
type Lengths interface {
	// Within returns the length of p if it is at most plies, else more. ok is false if limits ended
	// the search.
	Within(p shogi.Position, plies int) (n int, ok bool)
	// IsWithin reports whether the length of p, with the defender to move, is at most plies.
	IsWithin(p shogi.Position, plies int) (yes, ok bool)
	// Replies returns what the replies in p come to, whose length is at most plies.
	Replies(p shogi.Position, plies int) (list []Reply, ok bool)
}

// A Choice is the best move of a position, and how many pieces the attacker has in hand at the end
// of the best lines if it spends what it can.
type Choice struct {
	Move  shogi.Move // NoMove where the defender is mated
	Least int
}

// Play chooses the moves of best play, which the package documentation defines, in positions whose
// length is exact. It remembers its choices.
type Play struct {
	lengths  Lengths
	attacker shogi.Color
	known    map[state]Choice
	kept     map[state]kept
}

// kept is what is known of how many pieces the attacker can keep: at least so many, and less than
// so many.
type kept struct{ least, below int }

// A state is what a length depends on.
type state struct {
	board        uint64
	black, white shogi.Hand
}

// NewPlay returns the play in problems of that attacker, whose lengths are those of one policy.
func NewPlay(lengths Lengths, attacker shogi.Color) *Play {
	return &Play{lengths, attacker, map[state]Choice{}, map[state]kept{}}
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
		next := p.After(m)
		if best.Move != shogi.NoMove && b.floor(&next, plies-1) >= best.Least {
			continue
		}
		yes, ok := b.lengths.IsWithin(next, plies-1)
		if !ok {
			return Choice{}, false
		}
		if !yes {
			continue
		}
		c, ok := b.Defence(next, plies-1)
		if !ok {
			return Choice{}, false
		}
		if best.Move == shogi.NoMove || c.Least < best.Least {
			best = Choice{m, c.Least}
		}
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
		return Choice{Least: p.Hand(b.attacker).Len()}, true
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
		next := p.After(m)
		if best.Move != shogi.NoMove && b.floor(&next, plies-1) >= best.Least {
			continue
		}
		c, ok := b.Check(next, plies-1)
		if !ok {
			return Choice{}, false
		}
		if best.Move == shogi.NoMove || c.Least < best.Least {
			best = Choice{m, c.Least}
		}
	}
	if best.Move == shogi.NoMove { // plies is not the length
		return best, false
	}
	b.known[key] = best
	return best, true
}

// floor returns the least that the attacker can have in hand plies after p: each of its moves spends
// one piece at most.
func (b *Play) floor(p *shogi.Position, plies int) int {
	return max(p.Hand(b.attacker).Len()-(plies+1)/2, 0)
}

// Most returns how many pieces the attacker has in hand at the end of the best lines from p, whose
// length is plies, if it keeps what it can. ok is false if the limits do not suffice.
func (b *Play) Most(p shogi.Position, plies int) (n int, ok bool) {
	for {
		keeps, ok := b.keeps(p, plies, n+1)
		if !keeps || !ok {
			return n, ok
		}
		n++
	}
}

// keeps reports whether the attacker can have n pieces in hand at the end of the best lines from p,
// whose length is plies, whatever the defender does.
func (b *Play) keeps(p shogi.Position, plies, n int) (yes, ok bool) {
	switch held := p.Hand(b.attacker).Len(); {
	case held+(plies+1)/2 < n: // each of its moves gains one piece at most
		return false, true
	case plies == 0:
		return held >= n, true
	}
	key := stateOf(&p)
	k, met := b.kept[key]
	if !met {
		k.below = math.MaxInt
	}
	if n <= k.least || n >= k.below {
		return n <= k.least, true
	}
	attacks := p.SideToMove() == b.attacker
	var moves []shogi.Move
	if attacks {
		moves = PreferredChecks(&p)
	} else if moves, ok = b.longest(&p, plies); !ok {
		return false, false
	}
	yes = !attacks
	for _, m := range moves {
		next := p.After(m)
		if attacks {
			if yes, ok := b.lengths.IsWithin(next, plies-1); !ok {
				return false, false
			} else if !yes {
				continue
			}
		}
		keeps, ok := b.keeps(next, plies-1, n)
		if !ok {
			return false, false
		}
		if keeps == attacks {
			yes = attacks
			break
		}
	}
	if yes {
		k.least = n
	} else {
		k.below = n
	}
	b.kept[key] = k
	return yes, true
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

// IsWithin is Engine.IsWithin.
func (b *Budget) IsWithin(p shogi.Position, plies int) (yes, ok bool) {
	if b.left == 0 {
		b.Reason = solver.ReasonNodes
		return false, false
	}
	yes, reason := b.engine.IsWithin(b.ctx, p, plies, b.left)
	return yes, b.spend(reason)
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
