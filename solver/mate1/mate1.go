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
	node   node
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
	n := &f.node
	n.fill(p, us, king)
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
	occupied    shogi.Bitboard // the occupied squares without the king's
	zone        shogi.Bitboard // the king's neighbours
	once, twice shogi.Bitboard // the neighbours attacked by at least one, at least two pieces
	open        shogi.Bitboard // the neighbours the king could step on now
	bishop      shogi.Bitboard // from where a bishop, a rook would check the king
	rook        shogi.Bitboard
	reached     shogi.Bitboard // every square the sliders attack
	blockers    shogi.Bitboard // pieces of either side that stand alone between a slider and the king
	sliders     int
	slider      [8]shogi.Square // lances, bishops, rooks, horses and dragons; a set has no more
	attacks     [8]shogi.Bitboard
}

func (n *node) fill(p *shogi.Position, us shogi.Color, king shogi.Square) {
	them := us.Opponent()
	n.p, n.us, n.king, n.zone = p, us, king, shogi.Neighbours(king)
	n.occupied = p.Occupied().Without(king)
	n.bishop = shogi.Attacks(us, shogi.Bishop, king, n.occupied)
	n.rook = shogi.Attacks(us, shogi.Rook, king, n.occupied)
	n.blockers = p.SliderBlockers(king, us)
	n.sliders = 0
	var once, twice, reached shogi.Bitboard
	for b := p.SlidersOf(us); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.Attacks(us, p.Piece(sq).Type(), sq, n.occupied)
		n.slider[n.sliders&7], n.attacks[n.sliders&7] = sq, a
		n.sliders++
		reached = reached.Or(a)
		a = a.And(n.zone)
		twice = twice.Or(once.And(a))
		once = once.Or(a)
	}
	for b := p.SteppersNear(us, king); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.StepAttacks(us, p.Piece(sq).Type(), sq).And(n.zone)
		twice = twice.Or(once.And(a))
		once = once.Or(a)
	}
	n.once, n.twice, n.reached = once, twice, reached
	n.open = n.zone.AndNot(p.Pieces(them)).AndNot(once)
}

// checkSquares returns from where a piece of the given kind would check the king.
func (n *node) checkSquares(kind shogi.PieceType) shogi.Bitboard {
	switch kind {
	case shogi.Bishop:
		return n.bishop
	case shogi.Rook:
		return n.rook
	case shogi.Horse:
		return n.bishop.Or(n.zone)
	case shogi.Dragon:
		return n.rook.Or(n.zone)
	case shogi.Lance:
		return n.rook.And(shogi.ForwardRay(n.us.Opponent(), n.king))
	}
	return shogi.StepAttacks(n.us.Opponent(), kind, n.king)
}

// covers reports whether a piece of the given kind on sq, together with the squares in more, attacks every neighbour
// that is open to the king, sq left aside.
func (n *node) covers(kind shogi.PieceType, sq shogi.Square, more shogi.Bitboard) bool {
	left := n.open.AndNot(more).Without(sq)
	return left.IsEmpty() || left.IsSubsetOf(shogi.Attacks(n.us, kind, sq, n.occupied))
}

// findDrop looks for a mate by a drop.
func (n *node) findDrop() shogi.Move {
	hand := n.p.Hand(n.us)
	near := n.once.AndNot(n.occupied) // where a dropped piece cannot be captured by the king
	for kind := shogi.Gold; kind >= shogi.Lance; kind-- {
		if !hand.Has(kind) {
			continue
		}
		to := n.checkSquares(kind).AndNot(n.occupied)
		switch kind {
		case shogi.Gold, shogi.Silver:
			to = to.And(near)
		case shogi.Knight: // it attacks no neighbour of a king it checks
			if !n.open.IsEmpty() {
				continue
			}
		default:
			if n.shut() || n.open.Len() > 2 {
				to = to.And(near)
			} else {
				to = to.And(near.Or(n.zone.Not()))
			}
		}
		for !to.IsEmpty() {
			sq := to.Pop()
			if n.covers(kind, sq, shogi.Bitboard{}) && !n.capturable(sq) {
				if m := shogi.NewDrop(kind, sq); mates(n.p, m) {
					return m
				}
			}
		}
	}
	return shogi.NoMove
}

// shut reports whether the defender holds a piece that can be dropped on any square: a lone distant check never mates.
func (n *node) shut() bool {
	hand := n.p.Hand(n.us.Opponent())
	return hand.Has(shogi.Silver) || hand.Has(shogi.Gold) || hand.Has(shogi.Bishop) || hand.Has(shogi.Rook)
}

// capturable reports whether a defender other than the king, pinned by nothing, attacks sq. A piece that lands there
// can be captured then, unless its move gives a double check or pins the captor, which takes a slider behind its origin.
func (n *node) capturable(sq shogi.Square) bool {
	captors := n.p.AttackersTo(sq, n.us.Opponent(), n.p.Occupied())
	return !captors.AndNot(n.blockers).Without(n.king).IsEmpty()
}

// findMove looks for a mate by a move on the board.
func (n *node) findMove() shogi.Move {
	p, us := n.p, n.us
	ours := p.Pieces(us)
	uncovering := n.blockers.And(ours) // pieces in front of a slider that looks at the king
	movers := p.CheckCandidates(us, n.king).Or(uncovering)
	for i := range n.sliders {
		from := n.slider[i&7]
		movers = movers.Without(from)
		// No slider attacks the king yet, so lifting it did not change where this one can go.
		if m := n.findMoveOf(from, n.attacks[i&7].AndNot(ours), uncovering); m != shogi.NoMove {
			return m
		}
	}
	for !movers.IsEmpty() {
		from := movers.Pop()
		reach := shogi.StepAttacks(us, p.Piece(from).Type(), from).AndNot(ours)
		if m := n.findMoveOf(from, reach, uncovering); m != shogi.NoMove {
			return m
		}
	}
	return shogi.NoMove
}

// findMoveOf looks for a mate by a move of the piece on from to a square of reach.
func (n *node) findMoveOf(from shogi.Square, reach, uncovering shogi.Bitboard) shogi.Move {
	p, us := n.p, n.us
	kind := p.Piece(from).Type()
	var discovered shogi.Bitboard // squares off the line between slider and king
	everyForm := false
	uncovers := uncovering.Has(from)
	if uncovers {
		discovered = reach.AndNot(shogi.RayThrough(n.king, from))
		// See the package comment for why a discovered check may need a form that no other check does.
		everyForm = p.King(us) != shogi.NoSquare && p.Hand(us.Opponent()).Has(shogi.Pawn)
	}
	plain, promoted := reach, shogi.Bitboard{}
	if kind.CanPromote() {
		promoted = reach
		if !shogi.InPromotionZone(us, from) {
			promoted = reach.And(shogi.PromotionZone(us))
		}
		if !kind.MayNeedNoPromotion() && !everyForm {
			plain = reach.AndNot(promoted)
		}
		promoted = promoted.And(n.checkSquares(kind.Promoted()).Or(discovered))
	}
	plain = plain.And(n.checkSquares(kind).Or(discovered))
	if plain.Or(promoted).IsEmpty() {
		return shogi.NoMove
	}

	var opened shogi.Bitboard
	backed := n.reached.Has(from)
	if backed {
		opened = n.opened(from)
	}
	// A neighbour must be guarded by another piece, and a lone distant check must not be answered by a drop.
	target := n.twice.Or(opened)
	if uncovers || kind == shogi.Knight || kind.IsSlider() && !n.shut() {
		target = target.Or(n.zone.Not())
	}
	for to := promoted.And(target); !to.IsEmpty(); {
		sq := to.Pop()
		if n.covers(kind.Promoted(), sq, opened) && (backed || !n.capturable(sq)) {
			if m := shogi.NewPromotion(from, sq); n.isSafe(m) && mates(p, m) {
				return m
			}
		}
	}
	for to := plain.And(target); !to.IsEmpty(); {
		sq := to.Pop()
		if n.covers(kind, sq, opened) && (backed || !n.capturable(sq)) && !shogi.IsDead(us, kind, sq) {
			if m := shogi.NewMove(from, sq); n.isSafe(m) && mates(p, m) {
				return m
			}
		}
	}
	return shogi.NoMove
}

// isSafe reports whether m leaves the attacker's own king, if there is one, unattacked.
func (n *node) isSafe(m shogi.Move) bool {
	own := n.p.King(n.us)
	if own == shogi.NoSquare {
		return true
	}
	if m.From() == own {
		return n.p.IsLegal(m)
	}
	return !n.p.Pinned(n.us).Has(m.From()) || shogi.RayThrough(own, m.From()).Has(m.To())
}

// opened returns the neighbours that the attacker's sliders attack once from is empty.
func (n *node) opened(from shogi.Square) shogi.Bitboard {
	var all shogi.Bitboard
	occupied := n.occupied.Without(from)
	for i := range n.sliders {
		if n.attacks[i&7].Has(from) {
			sq := n.slider[i&7]
			all = all.Or(shogi.Attacks(n.us, n.p.Piece(sq).Type(), sq, occupied))
		}
	}
	return all.And(n.zone)
}
