package compose

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
)

// EvolveOptions are what is asked of Evolve.
type EvolveOptions struct {
	Options
	// Start are what islands begin with. Without any, each begins with a family of the reverse method.
	Start []shogi.Position

	steps int // of an island; 0: islandSteps
}

// How an island is evolved.
const (
	islandSteps    = 2000 // candidates
	islandStarts   = 8    // of EvolveOptions.Start
	islandFounders = 8    // kinds of problems there are at least, if the reverse method makes them
	perIsland      = 3    // problems of one length that leave at most
	prependWeight  = 40   // of 100 changes, so many are a check and a reply before the problem
)

// Evolve makes problems by changing others, until ctx ends. A unit of work is an island: a population that
// is begun anew, so that no kind of problem takes all the room. If tally is not nil it is kept up to
// date.
func Evolve(ctx context.Context, o EvolveOptions, tally *Tally) iter.Seq[Problem] {
	if len(o.Start) > 0 {
		o.shortest = 3 // else what it begins with might be too short to be grown
	}
	return o.run(ctx, tally, func(ctx context.Context, w *worker) map[int][]*problem { return w.island(ctx, &o) },
		func(l *selection, found map[int][]*problem) bool { return l.best(found, perIsland, l.isFull) })
}

// A cell is a place in a population for one problem: the best of its kind.
type cell struct {
	plies  int
	themes uint8
	pieces int // in pairs
	first  int // where the first move goes, as seen from the king
}

func cellOf(q *problem) cell {
	to, king := q.line[0].To(), q.position.King(shogi.White)
	file, rank := int(to.File())-int(king.File()), int(to.Rank())-int(king.Rank())
	return cell{len(q.line), q.themes, countPieces(&q.position) / 2, (file+8)*17 + rank + 8}
}

// An individual is a problem of a population, and how often it was changed.
type individual struct {
	*problem
	cell    cell
	used    int
	replies replies // that lead to it; nil until asked for
}

// A population is the best problem of each cell, in the order in which the cells were found.
type population struct {
	list []*individual
	at   map[cell]int
}

// add puts a problem into its cell if it is the best there.
func (y *population) add(q *problem) {
	c := cellOf(q)
	i, ok := y.at[c]
	switch {
	case !ok:
		y.at[c] = len(y.list)
		y.list = append(y.list, &individual{problem: q, cell: c})
	case q.score > y.list[i].score:
		y.list[i] = &individual{problem: q, cell: c, used: y.list[i].used / 2}
	}
}

// choose returns one to be changed: of some, the one that has been changed least often for its score.
func (y *population) choose(rng *rand.Rand) *individual {
	var best *individual
	var least float64
	for range 4 {
		i := y.list[rng.IntN(len(y.list))]
		if cost := float64(i.used) - 2*i.score - 0.5*float64(len(i.line)); best == nil || cost < least {
			best, least = i, cost
		}
	}
	best.used++
	return best
}

// island returns the problems of a population, by plies.
func (w *worker) island(ctx context.Context, o *EvolveOptions) map[int][]*problem {
	start := o.Start
	y := population{at: map[cell]int{}}
	for len(start) == 0 && len(y.list) < islandFounders && ctx.Err() == nil {
		grown := w.family(ctx)
		for plies := 3; plies <= w.Most; plies += 2 {
			for _, q := range grown[plies] {
				y.add(q)
			}
		}
	}
	for range min(len(start), islandStarts) {
		p := start[w.rng.IntN(len(start))]
		if q := w.lookAt(ctx, p); q != nil {
			y.add(q)
		}
	}
	for range cmp.Or(o.steps, islandSteps) {
		if ctx.Err() != nil || len(y.list) == 0 {
			break
		}
		if q := w.offspring(ctx, y.choose(w.rng)); q != nil && len(q.line) >= 3 {
			y.add(q)
		}
	}
	found := map[int][]*problem{}
	for _, i := range y.list {
		found[len(i.line)] = append(found[len(i.line)], i.problem)
	}
	return found
}

// offspring returns a problem that is a changed one, nil if what it tries is none.
func (w *worker) offspring(ctx context.Context, parent *individual) *problem {
	if len(parent.line)+2 <= w.Most && w.rng.IntN(100) < prependWeight {
		if parent.replies == nil {
			parent.replies = retractReplies(&parent.position)
		}
		return w.prepend(ctx, parent.replies, len(parent.line)+2)
	}
	l := layout{setup: parent.position.Setup()}
	for range 1 + w.rng.IntN(2) {
		if !l.change(w.rng) {
			return nil
		}
	}
	p, err := l.setup.Position()
	if err != nil || p.Pieces(shogi.Black).IsEmpty() {
		return nil
	}
	return w.lookAt(ctx, p)
}

// lookAt returns the problem of a position if it is sound, and no longer than wanted.
func (w *worker) lookAt(ctx context.Context, p shogi.Position) *problem {
	plies, outcome := 0, Impossible // the plies are known of sound ones only
	var q *problem
	if w.isUnseen(&p) {
		if q, outcome = w.look(ctx, p, new(known)); outcome == Sound {
			plies = len(q.line)
		}
	}
	w.tally.Lengths[plies].Outcomes[outcome]++
	return q
}

// A changeKind is a way to change a diagram.
type changeKind uint8

const (
	movePiece changeKind = iota
	addPiece
	takeAway
	swapKind
	swapPieces
	mirrorPiece
	shiftAll
	addToHand
	takeFromHand
	putFromHand
)

var changeKinds = []chance[changeKind]{{movePiece, 30}, {addPiece, 14}, {takeAway, 12}, {swapKind, 16}, {swapPieces, 5},
	{mirrorPiece, 4}, {shiftAll, 4}, {addToHand, 6}, {takeFromHand, 5}, {putFromHand, 4}}

// change makes a random change to a diagram. It returns false if there is no piece for it. What comes of
// it may be no position, or what there was.
func (l *layout) change(rng *rand.Rand) bool {
	board, hand := &l.setup.Board, l.setup.Hands[shogi.Black]
	var squares []shogi.Square // with pieces, the king left out
	king := shogi.NoSquare
	for sq, pc := range board {
		switch {
		case pc == shogi.PieceOf(shogi.White, shogi.King):
			king = shogi.Square(sq)
		case pc != shogi.NoPiece && pc.Type() != shogi.King:
			squares = append(squares, shogi.Square(sq))
		}
	}
	kind := choose(rng, changeKinds)
	if len(squares) == 0 && kind <= mirrorPiece && kind != addPiece {
		kind = addPiece
	}
	occupied := func() shogi.Square { return squares[rng.IntN(len(squares))] }
	near := func(sq shogi.Square, reach int) (to shogi.Square, ok bool) {
		to, ok = shiftedBy(sq, rng.IntN(2*reach+1)-reach, rng.IntN(2*reach+1)-reach)
		return to, ok && board[to] == shogi.NoPiece
	}
	inHand := func() (shogi.Piece, bool) {
		t := shogi.Pawn + shogi.PieceType(rng.IntN(int(shogi.Gold-shogi.Pawn)+1))
		return shogi.PieceOf(shogi.Black, t), hand.Has(t)
	}
	switch kind {
	case movePiece:
		from := occupied()
		if rng.IntN(6) == 0 {
			from = king
		}
		reach := 1
		if rng.IntN(3) == 0 {
			reach = 8
		}
		if to, ok := near(from, reach); ok {
			return l.apply(&Change{Kind: Moved, Old: board[from], From: from, To: to})
		}
	case addPiece:
		if to, ok := near(king, 1+rng.IntN(3)); ok {
			return l.apply(&Change{Kind: Added, Piece: randomPiece(rng), To: to})
		}
	case takeAway:
		from := occupied()
		return l.apply(&Change{Kind: Removed, Old: board[from], From: from})
	case swapKind:
		from := occupied()
		return l.apply(&Change{Kind: Replaced, Old: board[from], Piece: randomPiece(rng), From: from})
	case swapPieces:
		l.swap(occupied(), occupied())
	case mirrorPiece:
		from := occupied()
		if to, ok := shiftedBy(from, 2*(int(king.File())-int(from.File())), 0); ok {
			l.swap(from, to)
		}
	case shiftAll:
		l.shift(rng.IntN(3)-1, rng.IntN(3)-1)
	case addToHand:
		return l.apply(&Change{Kind: HandAdded, Piece: shogi.PieceOf(shogi.Black, choose(rng, inHands))})
	case takeFromHand:
		if pc, ok := inHand(); ok {
			return l.apply(&Change{Kind: HandRemoved, Piece: pc})
		}
	case putFromHand:
		if pc, ok := inHand(); ok {
			if to, ok := near(king, 2); ok {
				return l.apply(&Change{Kind: HandRemoved, Piece: pc}) && l.apply(&Change{Kind: Added, Piece: pc, To: to})
			}
		}
	}
	return true
}

// inHands are the pieces that are given to Black's hand.
var inHands = []chance[shogi.PieceType]{{shogi.Pawn, 6}, {shogi.Lance, 3}, {shogi.Knight, 4}, {shogi.Silver, 5},
	{shogi.Gold, 5}, {shogi.Bishop, 2}, {shogi.Rook, 2}}

// randomPiece returns a piece of either colour, as those of final figures are.
func randomPiece(rng *rand.Rand) shogi.Piece {
	if rng.IntN(2) == 0 {
		return shogi.PieceOf(shogi.Black, choose(rng, attackers))
	}
	return shogi.PieceOf(shogi.White, choose(rng, defenders))
}
