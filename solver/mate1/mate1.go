// Package mate1 finds a mate in one move, whenever there is one.
//
// # Soundness
//
// A move that Find returns is mate for one of two reasons. Either it was made on the board and the
// rules library found no flight, capture or interposition. Or it is a single check from a neighbour
// of the king, so that nothing can stand between, on a square that another piece of the attacker
// guards and that no defender but the king attacks, pinned or not, the mover's origin counted as
// empty; and every other neighbour that the defender does not occupy is attacked after the move.
// For the last, attackers are counted on the board before the move, with the king lifted. What the
// mover attacked from its origin and what a slider attacked behind the mover's destination are
// taken away again, and what the mover attacks from there is added; its leaving opens lines only
// for pieces behind it, and moves of pieces that a slider of their own side attacks are always made
// on the board. So the count errs only towards flights that do not exist.
//
// # Completeness
//
// All legal checks are considered. One is dropped without being made only if it fails a condition
// every mate meets:
//
//   - each neighbour of the king that the defender does not occupy, other than the square the check lands on, is
//     attacked after the move: by a piece that attacked it before, by the moved piece from its new square, or by a
//     slider that the move uncovered;
//   - the square the check lands on, if it is a neighbour, is attacked by another piece: before the move already,
//     or by a slider that the move uncovered.
//
// Attacks are taken with the king lifted, so that it does not hide behind itself; that a moved
// piece may give up attacks or cut a ray is ignored, which errs towards trying the move. A slider
// that checks from a distance attacks two neighbours at most, a dragon four, and against it alone a
// defender who holds a silver, gold, bishop or rook can interpose.
//
// Left out are pawn drops, whose mate is illegal (打ち歩詰め) and which the generator does not
// produce then, and the non-promotions outside shogi.UsefulMoves. A promoted pawn, bishop or rook
// attacks all that its unpromoted twin does, and so does a gold where a lance would stand on the
// second rank; attacking more never spoils a mate, but for one thing: it might let the attacker's
// king out of a pawn drop that would otherwise be mate to it, and so make an interposition legal
// that was not. Such a drop is never the only answer to a check: see shogi.Position.HasEvasion.
package mate1

import (
	"context"
	"sync"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Solver finds mates of one ply. What it does not find is Unknown with NoMateWithin 1; it says
// NoMate only if the attacker has no legal check at all. With the defender to move it decides only
// whether that side is mated already.
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
	if !p.HasCheck() {
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

// Find returns a move that mates at once, NoMove if there is none. Which one, if there are several,
// depends on p alone. It makes and takes back moves on p, which is unchanged when it returns.
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

// findInCheck serves an attacker who stands in check himself: few moves parry and check, so they
// are generated.
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

// A node is what the attacker attacks around the defender's king, with that king lifted off the
// board.
type node struct {
	p           *shogi.Position
	us          shogi.Color
	king        shogi.Square
	occupied    shogi.Bitboard     // the occupied squares without the king's
	zone        shogi.Bitboard     // the king's neighbours
	once, twice shogi.Bitboard     // the neighbours attacked by at least one, at least two pieces
	open        shogi.Bitboard     // the neighbours the king could step on now
	checks      [16]shogi.Bitboard // by kind: from where a piece of the attacker would check the king
	reached     shogi.Bitboard     // every square the sliders attack
	shut        bool               // the defender holds a piece that can interpose anywhere, so a lone distant check never mates
	blockers    shogi.Bitboard     // pieces of either side that stand alone between a slider and the king
	sliders     int
	slider      [8]shogi.Square // lances, bishops, rooks, horses and dragons; a set has no more
	attacks     [8]shogi.Bitboard
}

func (n *node) fill(p *shogi.Position, us shogi.Color, king shogi.Square) {
	them := us.Opponent()
	n.p, n.us, n.king, n.zone = p, us, king, shogi.Neighbours(king)
	n.occupied = p.Occupied().Without(king)
	bishop, rook := shogi.BishopAttacks(king, n.occupied), shogi.RookAttacks(king, n.occupied)
	gold := shogi.StepAttacks(them, shogi.Gold, king)
	c := &n.checks
	c[shogi.Pawn] = shogi.StepAttacks(them, shogi.Pawn, king)
	c[shogi.Lance] = rook.And(shogi.ForwardRay(them, king))
	c[shogi.Knight] = shogi.StepAttacks(them, shogi.Knight, king)
	c[shogi.Silver] = shogi.StepAttacks(them, shogi.Silver, king)
	c[shogi.Bishop], c[shogi.Rook] = bishop, rook
	c[shogi.Gold], c[shogi.Tokin], c[shogi.ProLance], c[shogi.ProKnight], c[shogi.ProSilver] = gold, gold, gold, gold, gold
	c[shogi.Horse], c[shogi.Dragon] = bishop.Or(n.zone), rook.Or(n.zone)
	n.shut = p.Hand(them).HasUnconfined()
	n.blockers = p.SliderBlockers(king, us)
	n.sliders = 0
	n.once, n.twice, n.reached = shogi.Bitboard{}, shogi.Bitboard{}, shogi.Bitboard{}
	for b := p.PiecesOf(us, shogi.Lance); !b.IsEmpty(); {
		sq := b.Pop()
		n.addSlider(sq, shogi.LanceAttacks(us, sq, n.occupied))
	}
	for b := p.PiecesOf(us, shogi.Bishop); !b.IsEmpty(); {
		sq := b.Pop()
		n.addSlider(sq, shogi.BishopAttacks(sq, n.occupied))
	}
	for b := p.PiecesOf(us, shogi.Rook); !b.IsEmpty(); {
		sq := b.Pop()
		n.addSlider(sq, shogi.RookAttacks(sq, n.occupied))
	}
	for b := p.PiecesOf(us, shogi.Horse); !b.IsEmpty(); {
		sq := b.Pop()
		n.addSlider(sq, shogi.BishopAttacks(sq, n.occupied).Or(shogi.Neighbours(sq)))
	}
	for b := p.PiecesOf(us, shogi.Dragon); !b.IsEmpty(); {
		sq := b.Pop()
		n.addSlider(sq, shogi.RookAttacks(sq, n.occupied).Or(shogi.Neighbours(sq)))
	}
	once, twice := n.once, n.twice
	for b := p.SteppersNear(us, king); !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.StepAttacks(us, p.Piece(sq).Type(), sq).And(n.zone)
		twice = twice.Or(once.And(a))
		once = once.Or(a)
	}
	n.once, n.twice = once, twice
	n.open = n.zone.AndNot(p.Pieces(them)).AndNot(once)
}

// addSlider notes what the slider on sq attacks.
func (n *node) addSlider(sq shogi.Square, attacks shogi.Bitboard) {
	n.slider[n.sliders&7], n.attacks[n.sliders&7] = sq, attacks
	n.sliders++
	n.reached = n.reached.Or(attacks)
	near := attacks.And(n.zone)
	n.twice = n.twice.Or(n.once.And(near))
	n.once = n.once.Or(near)
}

// covers reports whether a piece of the given kind on sq, together with the squares in more,
// attacks every neighbour that is open to the king, sq left aside.
func (n *node) covers(kind shogi.PieceType, sq shogi.Square, more shogi.Bitboard) bool {
	left := n.open.AndNot(more).Without(sq)
	return left.IsEmpty() || left.IsSubsetOf(shogi.Attacks(n.us, kind, sq, n.occupied))
}

// findDrop looks for a mate by a drop.
func (n *node) findDrop() shogi.Move {
	hand := n.p.Hand(n.us)
	if hand.IsEmpty() {
		return shogi.NoMove
	}
	near := n.once.AndNot(n.occupied) // where a dropped piece cannot be captured by the king
	line := near                      // where a dropped slider cannot: also on every distant square
	if !n.shut && n.open.Len() <= 2 {
		line = n.zone.Not().Or(near).AndNot(n.occupied)
	}
	if hand.Has(shogi.Gold) {
		if m := n.findDropOf(shogi.Gold, n.checks[shogi.Gold].And(near)); m != shogi.NoMove {
			return m
		}
	}
	if hand.Has(shogi.Rook) {
		if m := n.findDropOf(shogi.Rook, n.checks[shogi.Rook].And(line)); m != shogi.NoMove {
			return m
		}
	}
	if hand.Has(shogi.Silver) {
		if m := n.findDropOf(shogi.Silver, n.checks[shogi.Silver].And(near)); m != shogi.NoMove {
			return m
		}
	}
	if hand.Has(shogi.Bishop) {
		if m := n.findDropOf(shogi.Bishop, n.checks[shogi.Bishop].And(line)); m != shogi.NoMove {
			return m
		}
	}
	if hand.Has(shogi.Knight) && n.open.IsEmpty() { // a knight attacks no neighbour of a king it checks
		to := n.checks[shogi.Knight].AndNot(n.occupied)
		if m := n.findDropOf(shogi.Knight, to); m != shogi.NoMove {
			return m
		}
	}
	if hand.Has(shogi.Lance) {
		return n.findDropOf(shogi.Lance, n.checks[shogi.Lance].And(line))
	}
	return shogi.NoMove
}

// findDropOf looks for a mate by a drop of a piece of the given kind on one of the squares of to,
// all of them empty and checking.
func (n *node) findDropOf(kind shogi.PieceType, to shogi.Bitboard) shogi.Move {
	for !to.IsEmpty() {
		sq := to.Pop()
		if !n.covers(kind, sq, shogi.Bitboard{}) {
			continue
		}
		captors := n.captors(sq, n.p.Occupied())
		if !captors.AndNot(n.blockers).IsEmpty() {
			continue
		}
		m := shogi.NewDrop(kind, sq)
		if captors.IsEmpty() && n.zone.Has(sq) && n.holds(&mover{}, sq, kind) || mates(n.p, m) {
			return m
		}
	}
	return shogi.NoMove
}

// captors returns the defenders other than the king that attack sq when the squares in occupied are
// obstacles.
func (n *node) captors(sq shogi.Square, occupied shogi.Bitboard) shogi.Bitboard {
	return n.p.AttackersTo(sq, n.us.Opponent(), occupied).Without(n.king)
}

// findMove looks for a mate by a move on the board.
func (n *node) findMove() shogi.Move {
	p, us := n.p, n.us
	ours := p.Pieces(us)
	uncovering := n.blockers.And(ours)  // pieces in front of a slider that looks at the king
	special := uncovering.Or(n.reached) // origins whose move changes what the sliders attack
	movers := p.CheckCandidates(us, n.king).Or(uncovering)

	// Any other piece must land on a neighbour of the king that a second piece guards, unless it
	// checks from afar: a slider that leaves few neighbours open and cannot be interposed, or a
	// knight that leaves none.
	distant := n.open.Len() <= 4 && !n.shut
	for i := range n.sliders {
		from := n.slider[i&7]
		movers = movers.Without(from)
		// No slider attacks the king yet, so lifting it did not change where this one can go.
		attacks := n.attacks[i&7]
		if distant || attacks.AndNot(ours).Intersects(n.twice) || special.Has(from) {
			if m := n.findMoveOf(from, attacks, uncovering); m != shogi.NoMove {
				return m
			}
		}
	}
	for !movers.IsEmpty() {
		from := movers.Pop()
		kind := p.Piece(from).Type()
		attacks := shogi.StepAttacks(us, kind, from)
		if attacks.AndNot(ours).Intersects(n.twice) || special.Has(from) || kind == shogi.Knight && n.open.IsEmpty() {
			if m := n.findMoveOf(from, attacks, uncovering); m != shogi.NoMove {
				return m
			}
		}
	}
	return shogi.NoMove
}

// findMoveOf looks for a mate by a move of the piece on from, which attacks the squares in attacks.
func (n *node) findMoveOf(from shogi.Square, attacks, uncovering shogi.Bitboard) shogi.Move {
	p, us := n.p, n.us
	kind := p.Piece(from).Type()
	v := mover{from: from, kind: kind, attacks: attacks, uncovers: uncovering.Has(from)}
	reach := attacks.AndNot(p.Pieces(us))
	var discovered shogi.Bitboard // squares off the line between slider and king
	if v.uncovers {
		discovered = reach.AndNot(shogi.RayThrough(n.king, from))
	}
	plain, promoted := reach, shogi.Bitboard{}
	if kind.CanPromote() {
		promoted = reach
		if !shogi.InPromotionZone(us, from) {
			promoted = reach.And(shogi.PromotionZone(us))
		}
		if !kind.MayNeedNoPromotion() {
			plain = reach.AndNot(promoted)
		}
		promoted = promoted.And(n.checks[kind.Promoted()&15].Or(discovered))
	}
	plain = plain.And(n.checks[kind&15].Or(discovered))
	if plain.Or(promoted).IsEmpty() {
		return shogi.NoMove
	}

	if v.backed = n.reached.Has(from); v.backed {
		v.opened = n.opened(from)
	}
	// A neighbour must be guarded by another piece, and a lone distant check must not be answered
	// by a drop.
	target := n.twice.Or(v.opened)
	if v.uncovers || kind == shogi.Knight || kind.IsSlider() && !n.shut {
		target = target.Or(n.zone.Not())
	}
	for to := promoted.And(target); !to.IsEmpty(); {
		sq := to.Pop()
		if m := shogi.NewPromotion(from, sq); n.isMate(&v, sq, kind.Promoted(), m) {
			return m
		}
	}
	for to := plain.And(target); !to.IsEmpty(); {
		sq := to.Pop()
		if m := shogi.NewMove(from, sq); !shogi.IsDead(us, kind, sq) && n.isMate(&v, sq, kind, m) {
			return m
		}
	}
	return shogi.NoMove
}

// A mover is a piece on the board whose moves are tried.
type mover struct {
	from     shogi.Square
	kind     shogi.PieceType
	attacks  shogi.Bitboard // from where it stands
	uncovers bool           // it stands in front of a slider that looks at the king
	backed   bool           // a slider attacks it, so its leaving may open neighbours to attack:
	opened   shogi.Bitboard // those
}

// isMate reports whether m, by which v comes to stand on sq as after, a check, mates.
func (n *node) isMate(v *mover, sq shogi.Square, after shogi.PieceType, m shogi.Move) bool {
	if !n.covers(after, sq, v.opened) {
		return false
	}
	captors := n.captors(sq, n.p.Occupied().Without(v.from))
	if !v.backed {
		// One behind the mover, as the king sees it, may be pinned once the mover is gone.
		if free := captors.AndNot(n.blockers); !free.IsEmpty() && !free.IsSubsetOf(shogi.RayThrough(n.king, v.from)) {
			return false
		}
	}
	if !n.isSafe(m) {
		return false
	}
	contact := n.zone.Has(sq) && n.twice.Has(sq) && !v.uncovers && !v.backed
	return contact && captors.IsEmpty() && n.holds(v, sq, after) || mates(n.p, m)
}

// holds reports whether every neighbour that the king could step on is attacked when v, or a drop
// if v is the zero mover, stands on sq, a neighbour that another piece guards, as after. It goes
// beyond covers in counting what is given up: what the piece attacked from its origin, and what
// sliders attacked behind sq. A false answer proves nothing.
func (n *node) holds(v *mover, sq shogi.Square, after shogi.PieceType) bool {
	lost := v.attacks
	if n.reached.Has(sq) && !n.occupied.Has(sq) {
		for i := range n.sliders {
			slider := n.slider[i&7]
			if !n.attacks[i&7].Has(sq) || v.attacks.Has(sq) && slider == v.from {
				continue
			}
			behind := n.attacks[i&7].And(shogi.RayThrough(slider, sq)).AndNot(shogi.Between(slider, sq))
			if behind.Intersects(lost) {
				return false // a neighbour may lose two attackers, and n.twice promises no third
			}
			lost = lost.Or(behind)
		}
	}
	lost = lost.And(n.zone).AndNot(n.twice).AndNot(n.p.Pieces(n.us.Opponent())).Without(sq)
	return lost.IsEmpty() || lost.IsSubsetOf(shogi.Attacks(n.us, after, sq, n.occupied))
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
