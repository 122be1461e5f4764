// Package mate1 finds a mate in one move, whenever there is one.
//
// # Soundness
//
// The legal checks are generated, and every check that survives the filter is made on the board and the defender's
// king flights, captures and interpositions are tried by the rules library. So a move that Find returns is mate.
//
// # Completeness
//
// A check is dropped without being made only if it fails a condition every mating move meets:
//
//   - each neighbour of the king that the defender does not occupy, other than the square the check lands on, is
//     attacked after the move: by a piece that attacked it before, by the moved piece from its new square, or by a
//     slider that the move uncovered;
//   - the square the check lands on, if it is a neighbour, is attacked by another piece: before the move already,
//     or by a slider that the move uncovered.
//
// Attacks are taken with the king lifted, so that it does not hide behind itself; that a moved piece may give up
// attacks or cut a ray is ignored, which errs towards trying the move.
//
// Left out are pawn drops, whose mate is illegal (打ち歩詰め) and which the generator does not produce then, and the
// non-promotions outside shogi.UsefulMoves. A promoted pawn, bishop or rook attacks all that its unpromoted twin
// does, and so does a gold where a lance would stand on the second rank; attacking more never spoils a mate, but for
// one thing: it may let the attacker's king out of a pawn drop that would otherwise be mate to it, and so make an
// interposition legal that was not. So if the attacker has a king and the defender a pawn in hand, every move is tried.
package mate1

import (
	"context"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Solver finds mates of one ply. What it does not find is Unknown with NoMateWithin 1; it says NoMate only if the
// attacker has no legal check at all. With the defender to move it decides only whether that side is mated already.
var Solver solver.Solver = solver.Func(solve)

const name = "mate1"

func solve(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	r := solver.Result{Solver: name, Nodes: 1}
	attacker, err := solver.Attacker(&p)
	if err != nil {
		r.Reason = solver.ReasonDepth
		return r
	}
	if p.SideToMove() != attacker {
		if !p.HasEvasion() {
			r.Verdict, r.Exact = solver.Mate, true
			return r
		}
		r.Reason = solver.ReasonDepth
		return r
	}
	f := finders.Get().(*Finder)
	defer finders.Put(f)
	m := f.Find(&p)
	if m != shogi.NoMove {
		r.Verdict, r.Line, r.Exact = solver.Mate, []shogi.Move{m}, true
		return r
	}
	if len(p.Checks(&f.checks, shogi.AllMoves)) == 0 {
		r.Verdict = solver.NoMate
		return r
	}
	r.NoMateWithin = 1
	r.Reason = solver.ReasonDepth
	if lim.Plies == 1 {
		r.Reason = solver.ReasonPlies
	}
	return r
}

// A Finder is the working space of Find. The zero Finder is ready; one Finder serves one goroutine.
type Finder struct {
	checks shogi.MoveBuffer
}

var finders = sync.Pool{New: func() any { return new(Finder) }}

// Find returns a move that mates at once, NoMove if there is none. Which one, if there are several, depends on p alone.
// It makes and takes back moves on p, which is unchanged when it returns.
func Find(p *shogi.Position) shogi.Move {
	f := finders.Get().(*Finder)
	m := f.Find(p)
	finders.Put(f)
	return m
}

// Find is the function Find with a working space of its own.
func (f *Finder) Find(p *shogi.Position) shogi.Move {
	us := p.SideToMove()
	them := us.Opponent()
	king := p.King(them)
	if king == shogi.NoSquare {
		return shogi.NoMove
	}
	set := shogi.UsefulMoves
	if p.King(us) != shogi.NoSquare && p.Hand(them).Has(shogi.Pawn) {
		set = shogi.AllMoves
	}
	checks := p.Checks(&f.checks, set)
	if len(checks) == 0 {
		return shogi.NoMove
	}

	g := guardsAround(p, king, us)
	open := g.zone.AndNot(p.Pieces(them)).AndNot(g.once) // neighbours the king could step on now
	for _, m := range checks {
		to := m.To()
		var kind shogi.PieceType
		if m.IsDrop() {
			if g.zone.Has(to) && !g.once.Has(to) {
				continue
			}
			kind = m.Dropped()
		} else {
			from := m.From()
			if g.sliders.Has(from) {
				if mates(p, m) { // it may uncover a slider: no filter
					return m
				}
				continue
			}
			if g.zone.Has(to) && !g.twice.Has(to) {
				continue
			}
			kind = p.Piece(from).Type()
			if m.IsPromotion() {
				kind = kind.Promoted()
			}
		}
		if left := open.Without(to); !left.IsEmpty() &&
			!left.IsSubsetOf(shogi.Attacks(us, kind, to, g.occupied)) {
			continue
		}
		if mates(p, m) {
			return m
		}
	}
	return shogi.NoMove
}

// mates reports whether the legal check m leaves the defender without a move.
func mates(p *shogi.Position, m shogi.Move) bool {
	u := p.Do(m)
	mated := !p.HasEvasion()
	p.Undo(m, u)
	return mated
}

// guards is what the attacker attacks around the king, with the king lifted off the board.
type guards struct {
	zone        shogi.Bitboard // the king's neighbours
	occupied    shogi.Bitboard // the occupied squares without the king's
	once, twice shogi.Bitboard // the neighbours attacked by at least one, at least two pieces
	sliders     shogi.Bitboard // every square attacked by a lance, bishop, rook, horse or dragon
}

func guardsAround(p *shogi.Position, king shogi.Square, us shogi.Color) guards {
	g := guards{zone: shogi.Neighbours(king), occupied: p.Occupied().Without(king)}
	for b := p.SlidersOf(us); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.Attacks(us, p.Piece(sq).Type(), sq, g.occupied)
		g.sliders = g.sliders.Or(a)
		a = a.And(g.zone)
		g.twice = g.twice.Or(g.once.And(a))
		g.once = g.once.Or(a)
	}
	for b := p.SteppersNear(us, king); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.StepAttacks(us, p.Piece(sq).Type(), sq).And(g.zone)
		g.twice = g.twice.Or(g.once.And(a))
		g.once = g.once.Or(a)
	}
	return g
}
