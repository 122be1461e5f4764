package compose

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
)

// How a family is grown. A family that goes to eleven plies takes some seconds.
const (
	maxRoots = 6  // mates in one that it begins with
	tries    = 60 // candidates made of each of them; of a longer problem more, by the square
	perCell  = 2  // problems of one length and theme that are kept
	width    = 8  // problems of one length that are grown
)

// family returns sound problems that end in a random final figure, by plies.
func (w *worker) family(ctx context.Context) map[int][]*problem {
	grown := map[int][]*problem{}
	mated := finalFigure(w.rng)
	parents := roots(w.rng, &mated)
	for plies := 3; plies <= w.Most && len(parents) > 0; plies += 2 {
		var found []*problem
		for _, parent := range parents {
			replies := retractReplies(&parent.position)
			for range tries * (plies / 2) * (plies / 2) {
				if ctx.Err() != nil {
					return nil
				}
				if child := w.prepend(ctx, replies, plies); child != nil {
					found = append(found, child)
				}
			}
		}
		grown[plies] = found
		parents = best(found)
	}
	return grown
}

// prepend returns a problem of so many plies that begins with a random check and one of the replies,
// nil if what it tries is none.
func (w *worker) prepend(ctx context.Context, replies replies, plies int) *problem {
	q, ok := replies.candidate(w.rng)
	if !ok {
		return nil
	}
	child, outcome := w.lookBefore(ctx, q, plies)
	w.tally.Lengths[plies].Outcomes[outcome]++
	return child
}

// lookBefore is look for a position before a problem, whose solution must begin with the check and the
// reply that lead to it and have so many plies.
func (w *worker) lookBefore(ctx context.Context, q predecessor, plies int) (*problem, Outcome) {
	p := q.Position
	switch {
	case !w.isUnseen(&p):
		return nil, Impossible
	case mate1.Find(&p) != shogi.NoMove:
		return nil, OtherPlies
	case w.decide(ctx, p.After(q.Check), plies-1) != solver.Mate:
		return nil, NoMate
	}
	c := *w.Conditions
	c.Least, c.Most = plies, plies
	e := *w.examiner
	e.Conditions = &c
	child, outcome := e.look(ctx, p, &known{mates: true, by: []shogi.Move{q.Check}})
	if outcome == Sound && (child.line[0] != q.Check || child.line[1] != q.Reply) {
		return nil, Unwanted
	}
	return child, outcome
}

// isUnseen reports whether a position has not been looked at in this unit of work.
func (w *worker) isUnseen(p *shogi.Position) bool {
	if w.seen[p.Key()] || !w.mayStand(p) {
		return false
	}
	w.seen[p.Key()] = true
	return true
}

// roots returns mates in one that end in the figure, by one move alone.
func roots(rng *rand.Rand, mated *shogi.Position) (list []*problem) {
	checks := appendRetractions(nil, mated)
	rng.Shuffle(len(checks), func(i, j int) { checks[i], checks[j] = checks[j], checks[i] })
	for _, check := range checks {
		if p, ok := check.before(mated); ok && len(list) < maxRoots && matesBy(&p) == 1 {
			list = append(list, &problem{position: p, line: []shogi.Move{check.move}})
		}
	}
	return list
}

// matesBy counts the moves that mate at once.
func matesBy(p *shogi.Position) (n int) {
	var buf shogi.MoveBuffer
	for _, m := range p.Checks(&buf, shogi.AllMoves) {
		if next := p.After(m); next.IsCheckmate() {
			n++
		}
	}
	return n
}

// best returns the problems of one length that are grown further: the best of each cell.
func best(found []*problem) (list []*problem) {
	slices.SortStableFunc(found, func(a, b *problem) int { return cmp.Compare(b.score, a.score) })
	cells := map[uint8]int{}
	for _, q := range found {
		if cells[q.themes]++; cells[q.themes] <= perCell && len(list) < width {
			list = append(list, q)
		}
	}
	return list
}

// A reply is a position in which the defender is in check, and the reply that leads to a problem.
type reply struct {
	position shogi.Position
	move     shogi.Move
}

// replies are those that lead to a problem, in kinds that are chosen from with weights.
type replies []chance[[]reply]

// retractReplies returns the replies that lead to a problem: moves of the king, of other pieces and
// drops, and the first two with a capture, by which a piece of the attacker is sacrificed.
func retractReplies(p *shogi.Position) replies {
	const (
		kingTakes = iota
		kingMoves
		takes
		moves
		drops
	)
	kinds := replies{kingTakes: {weight: 46}, kingMoves: {weight: 24}, takes: {weight: 14}, moves: {weight: 6},
		drops: {weight: 10}}
	for _, r := range appendRetractions(nil, p) {
		before, ok := r.before(p)
		if !ok || !before.InCheck() {
			continue
		}
		kind := drops
		switch {
		case r.move.IsDrop():
		case before.Piece(r.move.From()).Type() == shogi.King:
			kind = kingMoves
		default:
			kind = moves
		}
		if r.captured != shogi.NoPiece {
			kind--
		}
		kinds[kind].of = append(kinds[kind].of, reply{before, r.move})
	}
	return slices.DeleteFunc(kinds, func(k chance[[]reply]) bool { return len(k.of) == 0 })
}

// candidate returns a random check before a random reply. ok is false if there is none before that
// reply.
func (l replies) candidate(rng *rand.Rand) (q predecessor, ok bool) {
	if len(l) == 0 {
		return q, false
	}
	of := choose(rng, l)
	r := of[rng.IntN(len(of))]
	checks := appendRetractions(nil, &r.position)
	rng.Shuffle(len(checks), func(i, j int) { checks[i], checks[j] = checks[j], checks[i] })
	for _, check := range checks {
		// A problem lives on few captures.
		if check.captured != shogi.NoPiece && rng.IntN(8) > 0 {
			continue
		}
		if p, ok := check.before(&r.position); ok {
			return predecessor{p, check.move, r.move}, true
		}
	}
	return q, false
}
