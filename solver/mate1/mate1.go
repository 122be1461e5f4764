// Package mate1 finds a mate in one move, whenever there is one.
//
// # Soundness
//
// Every check that survives the filter is made on the board, and the defender's king flights, captures and
// interpositions are tried by the rules library. So a move that Find returns is mate.
//
// # Completeness
//
// All legal checks are considered. One is dropped without being made only if it fails a condition every mate meets:
//
//   - each neighbour of the king that the defender does not occupy, other than the square the check lands on, is
//     attacked after the move: by a piece that attacked it before, by the moved piece from its new square, or by a
//     slider that the move uncovered;
//   - the square the check lands on, if it is a neighbour, is attacked by another piece: before the move already,
//     or by a slider that the move uncovered.
//
// Attacks are taken with the king lifted, so that it does not hide behind itself; that a moved piece may give up
// attacks or cut a ray is ignored, which errs towards trying the move. A slider that checks from a distance attacks
// two neighbours at most, a dragon four, and against it alone a defender who holds a silver, gold, bishop or rook can
// interpose.
//
// Left out are pawn drops, whose mate is illegal (打ち歩詰め) and which the generator does not produce then, and the
// non-promotions outside shogi.UsefulMoves. A promoted pawn, bishop or rook attacks all that its unpromoted twin
// does, and so does a gold where a lance would stand on the second rank; attacking more never spoils a mate, but for
// one thing: it may let the attacker's king out of a pawn drop that would otherwise be mate to it, and so make an
// interposition legal that was not. That takes a check by another piece than the moved one, for a checking slider
// captures on its line in either form. So if the attacker has a king and the defender a pawn in hand, discovered
// checks are tried in both forms.
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
	king := p.King(us.Opponent())
	if king == shogi.NoSquare {
		return shogi.NoMove
	}
	if p.InCheck() {
		return f.findInCheck(p)
	}
	n := newNode(p, us, king)
	if m := n.findDrop(); m != shogi.NoMove {
		return m
	}
	return n.findMove()
}

// findInCheck serves an attacker who stands in check himself: few moves parry and check, so they are generated.
func (f *Finder) findInCheck(p *shogi.Position) shogi.Move {
	for _, m := range p.Checks(&f.checks, shogi.AllMoves) {
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

// A node is what the attacker attacks around the defender's king, with that king lifted off the board.
type node struct {
	p           *shogi.Position
	us          shogi.Color
	king        shogi.Square
	zone        shogi.Bitboard // the king's neighbours
	occupied    shogi.Bitboard // the occupied squares without the king's
	once, twice shogi.Bitboard // the neighbours attacked by at least one, at least two pieces
	sliders     shogi.Bitboard // every square attacked by a lance, bishop, rook, horse or dragon
	open        shogi.Bitboard // the neighbours the king could step on now
	shut        bool           // the defender holds a piece that can be dropped anywhere: no lone distant check mates
}

func newNode(p *shogi.Position, us shogi.Color, king shogi.Square) node {
	them := us.Opponent()
	n := node{p: p, us: us, king: king, zone: shogi.Neighbours(king), occupied: p.Occupied().Without(king)}
	for b := p.SlidersOf(us); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.Attacks(us, p.Piece(sq).Type(), sq, n.occupied)
		n.sliders = n.sliders.Or(a)
		a = a.And(n.zone)
		n.twice = n.twice.Or(n.once.And(a))
		n.once = n.once.Or(a)
	}
	for b := p.SteppersNear(us, king); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.StepAttacks(us, p.Piece(sq).Type(), sq).And(n.zone)
		n.twice = n.twice.Or(n.once.And(a))
		n.once = n.once.Or(a)
	}
	n.open = n.zone.AndNot(p.Pieces(them)).AndNot(n.once)
	hand := p.Hand(them)
	n.shut = hand.Has(shogi.Silver) || hand.Has(shogi.Gold) || hand.Has(shogi.Bishop) || hand.Has(shogi.Rook)
	return n
}

// findDrop looks for a mate by a drop.
func (n *node) findDrop() shogi.Move {
	hand := n.p.Hand(n.us)
	if hand.IsEmpty() {
		return shogi.NoMove
	}
	them := n.us.Opponent()
	near := n.once.AndNot(n.occupied) // where a dropped piece cannot be captured by the king
	for kind := shogi.Gold; kind >= shogi.Lance; kind-- {
		if !hand.Has(kind) {
			continue
		}
		if kind == shogi.Knight { // it attacks no neighbour of a king it checks
			if n.open.IsEmpty() {
				for b := shogi.StepAttacks(them, shogi.Knight, n.king).AndNot(n.occupied); !b.IsEmpty(); {
					if m := shogi.NewDrop(kind, b.Pop()); mates(n.p, m) {
						return m
					}
				}
			}
			continue
		}
		for b := shogi.ContactSquares(them, kind, n.king).And(near); !b.IsEmpty(); {
			to := b.Pop()
			if n.covers(kind, to, shogi.Bitboard{}) {
				if m := shogi.NewDrop(kind, to); mates(n.p, m) {
					return m
				}
			}
		}
		if n.shut || kind == shogi.Gold || kind == shogi.Silver || n.open.HasMoreThan(2) {
			continue
		}
		for b := shogi.Attacks(them, kind, n.king, n.occupied).AndNot(n.zone).AndNot(n.occupied); !b.IsEmpty(); {
			to := b.Pop()
			if n.covers(kind, to, shogi.Bitboard{}) {
				if m := shogi.NewDrop(kind, to); mates(n.p, m) {
					return m
				}
			}
		}
	}
	return shogi.NoMove
}

// covers reports whether a piece of the given kind on sq, together with the squares in more, attacks every neighbour
// that is open to the king, sq left aside.
func (n *node) covers(kind shogi.PieceType, sq shogi.Square, more shogi.Bitboard) bool {
	left := n.open.AndNot(more).Without(sq)
	return left.IsEmpty() || left.IsSubsetOf(shogi.Attacks(n.us, kind, sq, n.occupied))
}

// findMove looks for a mate by a move on the board.
func (n *node) findMove() shogi.Move {
	p, us := n.p, n.us
	them := us.Opponent()
	ours := p.Pieces(us)
	uncovering := p.SliderBlockers(n.king, us).And(ours)
	own := p.King(us)
	pinned := p.Pinned(us)

	for movers := p.CheckCandidates(us, n.king).AndNot(uncovering); !movers.IsEmpty(); {
		from := movers.Pop()
		kind := p.Piece(from).Type()
		to := shogi.Attacks(us, kind, from, p.Occupied()).AndNot(ours)
		if pinned.Has(from) {
			to = to.And(shogi.RayThrough(own, from))
		}
		var opened shogi.Bitboard
		guarded := n.twice // with the mover itself gone
		if n.sliders.Has(from) {
			opened = n.opened(from)
			guarded = guarded.Or(opened)
		}
		reach := guarded
		if kind == shogi.Knight {
			reach = reach.Or(shogi.StepAttacks(them, shogi.Knight, n.king))
		} else if kind.IsSlider() && !n.shut && !n.open.AndNot(opened).HasMoreThan(4) {
			reach = reach.Or(n.zone.Not())
		}
		for to = to.And(reach); !to.IsEmpty(); {
			sq := to.Pop()
			promotes := kind.CanPromote() && (shogi.InPromotionZone(us, sq) || shogi.InPromotionZone(us, from))
			if promotes && n.checksAndCovers(kind.Promoted(), sq, from, opened) {
				if m := shogi.NewPromotion(from, sq); mates(p, m) {
					return m
				}
			}
			if (!promotes || kind.MayNeedNoPromotion() && !shogi.IsDead(us, kind, sq)) &&
				n.checksAndCovers(kind, sq, from, opened) {
				if m := shogi.NewMove(from, sq); mates(p, m) {
					return m
				}
			}
		}
	}
	if uncovering.IsEmpty() {
		return shogi.NoMove
	}
	return n.findDiscovered(uncovering)
}

// checksAndCovers reports whether a piece of the given kind, gone from one square to another, checks the king and
// covers the open neighbours together with the squares in opened.
func (n *node) checksAndCovers(kind shogi.PieceType, to, from shogi.Square, opened shogi.Bitboard) bool {
	if kind.IsSlider() {
		return shogi.Attacks(n.us, kind, to, n.p.Occupied().Without(from)).Has(n.king) && n.covers(kind, to, opened)
	}
	return shogi.StepAttacks(n.us, kind, to).Has(n.king) && n.covers(kind, to, opened)
}

// opened returns the neighbours that the attacker's sliders attack once from is empty.
func (n *node) opened(from shogi.Square) shogi.Bitboard {
	var all shogi.Bitboard
	occupied := n.occupied.Without(from)
	for b := n.p.SlidersOf(n.us).Without(from); !b.IsEmpty(); {
		sq := b.Pop()
		all = all.Or(shogi.Attacks(n.us, n.p.Piece(sq).Type(), sq, occupied))
	}
	return all.And(n.zone)
}

// findDiscovered looks for a mate by a move of one of the pieces in uncovering, which stand in front of a slider.
func (n *node) findDiscovered(uncovering shogi.Bitboard) shogi.Move {
	p, us := n.p, n.us
	own := p.King(us)
	everyForm := own != shogi.NoSquare && p.Hand(us.Opponent()).Has(shogi.Pawn)
	ci := p.CheckInfo()
	for !uncovering.IsEmpty() {
		from := uncovering.Pop()
		kind := p.Piece(from).Type()
		opened := n.opened(from)
		guarded := n.twice.Or(opened)
		for to := shogi.Attacks(us, kind, from, p.Occupied()).AndNot(p.Pieces(us)); !to.IsEmpty(); {
			sq := to.Pop()
			if n.zone.Has(sq) && !guarded.Has(sq) {
				continue
			}
			promotes := kind.CanPromote() && (shogi.InPromotionZone(us, sq) || shogi.InPromotionZone(us, from))
			if promotes && n.covers(kind.Promoted(), sq, opened) {
				m := shogi.NewPromotion(from, sq)
				if p.GivesCheck(m, &ci) && p.IsLegal(m) && mates(p, m) {
					return m
				}
			}
			if (!promotes || everyForm || kind.MayNeedNoPromotion()) && n.covers(kind, sq, opened) {
				m := shogi.NewMove(from, sq)
				if p.GivesCheck(m, &ci) && p.IsLegal(m) && mates(p, m) {
					return m
				}
			}
		}
	}
	return shogi.NoMove
}
