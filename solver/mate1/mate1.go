// Package mate1 finds a mate in one move, whenever there is one.
//
// # Soundness
//
// A move that Find returns is mate for one of two reasons. Either it was made on the board and the
// rules library found no flight, capture or interposition. Or it is a single check by the piece
// that moves, from a neighbour of the king or by a knight, so that nothing can stand between; and
// on the board as it is after the move
//
//   - every defender but the king that attacks the checker is pinned to a line that misses it;
//   - every neighbour of the king that no defender occupies is attacked, the king lifted. That
//     includes the square of a checker next to him.
//
// Only pieces that step on a neighbour, and sliders that would attack one if nothing stood between,
// can attack or open anything there, so no others are looked at.
//
// # Completeness
//
// All legal checks are considered. One is dropped without being made only if it fails a condition
// every mate meets:
//
//   - each neighbour of the king that the defender does not occupy, other than the square the check
//     lands on, is attacked after the move: by a piece that attacked it before, by the moved piece
//     from its new square, or by a slider whose line the move opened;
//   - the square the check lands on, if it is a neighbour, is attacked by another piece: before the
//     move already, or by a slider whose line the move opened;
//   - unless another piece checks too, no defender can capture the checker;
//   - a lone check from afar by a slider leaves the defender nothing to drop in between that may be
//     dropped anywhere: a silver, gold, bishop or rook.
//
// Attacks are taken with the king lifted, so that it does not hide behind itself. That a moved
// piece may give up attacks or cut a ray is ignored at first, and what it attacks from its new
// square is looked up for a board that is otherwise empty; both err towards trying the move. The
// conditions hold in check as well. So whether the attacker stands in check is asked only when a
// move meets the first two; if he does, his checks are generated and made.
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
	"math/bits"
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
	f.position = p
	m := f.Find(&f.position)
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
	node     node
	checks   shogi.MoveBuffer
	position shogi.Position // the copy that Solver searches
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
	n := &f.node
	n.fill(p, us, king)
	m := n.findDrop()
	if m == shogi.NoMove {
		m = n.findMove()
	}
	if m == attackerInCheck {
		return f.findInCheck(p)
	}
	return m
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

// attackerInCheck is what findDrop and findMove return if a move might mate but the attacker stands
// in check.
const attackerInCheck shogi.Move = 1<<16 - 1

// A node is what the attacker attacks around the defender's king, with that king lifted off the
// board. Neighbours are those of the king.
type node struct {
	p        *shogi.Position
	us       shogi.Color
	king     shogi.Square
	asked    bool           // whether the attacker stands in check; pinned is known then
	lines    bool           // whether bishop and rook are known
	occupied shogi.Bitboard // the occupied squares without the king's
	zone     shogi.Bitboard // the neighbours
	twice    shogi.Bitboard // the neighbours attacked by at least two pieces
	near     shogi.Bitboard // the empty neighbours that are attacked
	open     shogi.Bitboard // the neighbours the king could step on now
	around   uint8          // open as Bitboard.Around gives it
	afar     kinds          // those that may mate from a square that is no neighbour
	bishop   shogi.Bitboard // from where a bishop checks the king
	rook     shogi.Bitboard // from where a rook checks the king
	pinned   shogi.Bitboard // the attacker's pieces that are pinned to its king

	steppers   shogi.Bitboard    // the pieces that step on a neighbour
	sliders    int               // at most 8, that would attack a neighbour if nothing stood between
	slider     [8]shogi.Square   // where they stand
	attacks    [8]shogi.Bitboard // and what they attack
	reached    shogi.Bitboard    // everything they attack
	opening    shogi.Bitboard    // what those attack that something keeps from a neighbour
	uncovering shogi.Bitboard    // the attacker's pieces that alone stand between one and the king
}

func (n *node) fill(p *shogi.Position, us shogi.Color, king shogi.Square) {
	zone := shogi.Neighbours(king)
	occupied := p.Occupied().Without(king)
	var once, twice, opening, uncovering shogi.Bitboard
	sliders := 0
	for b := p.ForSearch().SlidersNear(us, king); !b.IsEmpty(); sliders++ {
		sq := b.Pop()
		kind := p.Piece(sq).Type()
		a := shogi.Attacks(us, kind, sq, occupied)
		n.slider[sliders&7], n.attacks[sliders&7] = sq, a
		empty := shogi.EmptyAttacks(us, kind, sq)
		if empty.And(zone) != a.And(zone) {
			opening = opening.Or(a)
		}
		if empty.Has(king) {
			if between := shogi.Between(king, sq).And(occupied); !between.HasMany() {
				uncovering = uncovering.Or(between)
			}
		}
		twice = twice.Or(once.And(a))
		once = once.Or(a)
	}
	n.sliders, n.reached, n.opening = sliders, once, opening
	n.uncovering = uncovering.And(p.Pieces(us))
	n.steppers = p.SteppersNear(us, king)
	for b := n.steppers; !b.IsEmpty(); {
		sq := b.Pop()
		a := shogi.StepAttacks(us, p.Piece(sq).Type(), sq)
		twice = twice.Or(once.And(a))
		once = once.Or(a)
	}
	n.p, n.us, n.king, n.asked, n.lines = p, us, king, false, false
	n.occupied, n.zone = occupied, zone
	n.twice, n.near = twice.And(zone), once.And(zone).AndNot(occupied)
	n.open = zone.AndNot(p.Pieces(us.Opponent())).AndNot(once)
	n.around = n.open.Around(king)
	n.afar = afar[us&1][n.around]
	if p.Hand(us.Opponent()).HasUnconfined() {
		n.afar &= 1 << shogi.Knight // a piece can be dropped between all others and the king
	}
}

// checks returns from where a piece of the given kind checks the king.
func (n *node) checks(kind shogi.PieceType) shogi.Bitboard {
	if !kind.IsSlider() {
		return shogi.StepAttacks(n.us.Opponent(), kind, n.king)
	}
	if !n.lines {
		n.lines = true
		n.bishop = shogi.BishopAttacks(n.king, n.occupied)
		n.rook = shogi.RookAttacks(n.king, n.occupied)
	}
	switch kind {
	case shogi.Lance:
		return n.rook.And(shogi.ForwardRay(n.us.Opponent(), n.king))
	case shogi.Bishop:
		return n.bishop
	case shogi.Rook:
		return n.rook
	case shogi.Horse:
		return n.bishop.Or(n.zone)
	}
	return n.rook.Or(n.zone)
}

// isInCheck reports whether the attacker stands in check. Nobody asks again if so. In most
// positions no move passes the first tests, and nobody asks at all.
func (n *node) isInCheck() bool {
	if n.asked {
		return false
	}
	n.asked = true
	var checkers shogi.Bitboard
	checkers, n.pinned = n.p.CheckersAndPinned()
	return !checkers.IsEmpty()
}

// covers reports whether a piece of the given kind on sq, together with the squares in more,
// attacks every neighbour that is open to the king, sq left aside.
func (n *node) covers(kind shogi.PieceType, sq shogi.Square, more shogi.Bitboard) bool {
	left := n.open.AndNot(more).Without(sq)
	return left.IsEmpty() || left.IsSubsetOf(shogi.Attacks(n.us, kind, sq, n.occupied))
}

// The kinds that may mate by a drop, and the sliders, in the order they are tried, which decides
// which of several mates is found.
var (
	dropOrder = [...]shogi.PieceType{
		shogi.Gold, shogi.Rook, shogi.Silver, shogi.Bishop, shogi.Knight, shogi.Lance,
	}
	sliderOrder = [...]shogi.PieceType{
		shogi.Lance, shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon,
	}
)

// findDrop looks for a mate by a drop.
func (n *node) findDrop() shogi.Move {
	held := kinds(n.p.Hand(n.us).Kinds())
	near := uint64(n.near.Around(n.king)) // where the king cannot capture the piece
	c := coveringDrops[n.us&1][n.around] & lanes[held>>1&127] & (near * everyLane)
	if n.afar&held != 0 {
		return n.findDropFromAfar(held, c)
	}
	for ; c != 0; c &= c - 1 {
		i := bits.TrailingZeros64(c)
		if m := n.contactDrop(dropOrder[i>>3], n.neighbour(i&7)); m != shogi.NoMove {
			return m
		}
	}
	return shogi.NoMove
}

// findDropFromAfar is findDrop where a piece that is held may mate from a square that is no
// neighbour. In near are the drops on neighbours, in the lanes of coveringDrops.
func (n *node) findDropFromAfar(held kinds, near uint64) shogi.Move {
	for i, kind := range dropOrder {
		if held&n.afar&(1<<kind) != 0 {
			to := n.checks(kind).And(n.zone.Not().Or(n.near)).AndNot(n.occupied)
			drop := shogi.NewDrop(kind, 0)
			m := n.find(drop, shogi.NoSquare, kind, to, shogi.Bitboard{}, false)
			if m != shogi.NoMove {
				return m
			}
			continue
		}
		for to := uint8(near >> (8 * i)); to != 0; to &= to - 1 {
			if m := n.contactDrop(kind, n.neighbour(bits.TrailingZeros8(to))); m != shogi.NoMove {
				return m
			}
		}
	}
	return shogi.NoMove
}

// contactDrop returns the drop of a piece of the given kind on sq if it mates. The square must be
// in near, and the piece attack there what is open.
func (n *node) contactDrop(kind shogi.PieceType, sq shogi.Square) shogi.Move {
	switch {
	case n.isInCheck():
		return attackerInCheck
	case n.isCapturable(shogi.NoSquare, sq) || !n.leavesNoFlight(shogi.NoSquare, sq, kind):
		return shogi.NoMove
	}
	return shogi.NewDrop(kind, sq)
}

// neighbour returns the neighbour of the king with the given bit of Bitboard.Around.
func (n *node) neighbour(bit int) shogi.Square {
	return n.king + shogi.Square(neighbourOffset[bit&7])
}

var neighbourOffset = [8]int8{-10, -9, -8, -1, 1, 8, 9, 10}

// findMove looks for a mate by a move on the board.
func (n *node) findMove() shogi.Move {
	p, us := n.p, n.us
	ours := p.Pieces(us)

	// A piece must land on a neighbour that a second piece guards, unless it checks from afar or is
	// special: its leaving may open the line of a slider.
	guarded := n.twice.AndNot(ours).Around(n.king)
	special := n.uncovering.Or(n.opening.And(ours))
	if guarded == 0 && special.IsEmpty() && n.afar == 0 {
		return shogi.NoMove
	}

	sliders := special.And(p.SlidersOf(us))
	if n.afar != 0 {
		for _, kind := range sliderOrder {
			if n.mayMateFromAfar(kind) {
				sliders = sliders.Or(p.PiecesOf(us, kind))
			}
		}
	}
	for i := range n.sliders {
		if n.attacks[i&7].Around(n.king)&guarded != 0 {
			sliders = sliders.With(n.slider[i&7])
		}
	}
	if !sliders.IsEmpty() {
		for _, kind := range sliderOrder {
			for b := sliders.And(p.PiecesOf(us, kind)); !b.IsEmpty(); {
				from := b.Pop()
				// No slider attacks the king yet, so lifting it did not change where this one can
				// go.
				attacks := shogi.Attacks(us, kind, from, n.occupied)
				m := shogi.NoMove
				if special.Has(from) || n.mayMateFromAfar(kind) {
					m = n.findMoveOf(from, kind, attacks)
				} else {
					m = n.findContact(from, kind, attacks.Around(n.king)&guarded)
				}
				if m != shogi.NoMove {
					return m
				}
			}
		}
	}

	movers := special.AndNot(p.SlidersOf(us))
	if !movers.IsEmpty() {
		movers = movers.And(p.ForSearch().CheckCandidates(us, n.king).Or(n.uncovering))
	}
	if n.afar.has(shogi.Knight) {
		movers = movers.Or(p.PiecesOf(us, shogi.Knight))
	}
	if guarded != 0 {
		movers = movers.Or(n.steppers)
	}
	for !movers.IsEmpty() {
		from := movers.Pop()
		kind := p.Piece(from).Type()
		attacks := shogi.StepAttacks(us, kind, from)
		m := shogi.NoMove
		if special.Has(from) || kind == shogi.Knight && n.afar.has(shogi.Knight) {
			m = n.findMoveOf(from, kind, attacks)
		} else {
			m = n.findContact(from, kind, attacks.Around(n.king)&guarded)
		}
		if m != shogi.NoMove {
			return m
		}
	}
	return shogi.NoMove
}

// mayMateFromAfar reports whether a piece of the given kind may mate from a square that is no
// neighbour, promoted or not.
func (n *node) mayMateFromAfar(kind shogi.PieceType) bool {
	return n.afar&(1<<(kind&15)|1<<(kind.Promoted()&15)) != 0
}

// findContact looks for a mate by a move of the piece of the given kind on from to one of the
// neighbours in to.
func (n *node) findContact(from shogi.Square, kind shogi.PieceType, to uint8) shogi.Move {
	covering := &covering[n.us&1][n.around]
	if kind.CanPromote() {
		promoted := to
		if !shogi.InPromotionZone(n.us, from) {
			promoted &= shogi.PromotionZone(n.us).Around(n.king)
		}
		if !kind.MayNeedNoPromotion() {
			to &^= promoted
		}
		after := kind.Promoted()
		for promoted &= covering[after&15]; promoted != 0; promoted &= promoted - 1 {
			sq := n.neighbour(bits.TrailingZeros8(promoted))
			if n.isInCheck() {
				return attackerInCheck
			}
			if m := shogi.NewPromotion(from, sq); n.isMate(m, from, sq, after) {
				return m
			}
		}
	}
	for to &= covering[kind&15]; to != 0; to &= to - 1 {
		sq := n.neighbour(bits.TrailingZeros8(to))
		if n.isInCheck() {
			return attackerInCheck
		}
		if m := shogi.NewMove(from, sq); n.isMate(m, from, sq, kind) {
			return m
		}
	}
	return shogi.NoMove
}

// isMate reports whether the move m from one square to another, a neighbour on which the piece
// stands as after and gives the only check, is legal and mates.
func (n *node) isMate(m shogi.Move, from, sq shogi.Square, after shogi.PieceType) bool {
	return n.isSafe(from, m) && !n.isCapturable(from, sq) && n.leavesNoFlight(from, sq, after)
}

// findMoveOf looks for a mate by a move of the piece of the given kind on from, which attacks the
// squares in attacks.
func (n *node) findMoveOf(
	from shogi.Square, kind shogi.PieceType, attacks shogi.Bitboard,
) shogi.Move {
	us := n.us
	reach := attacks.AndNot(n.p.Pieces(us))
	uncovers := n.uncovering.Has(from)
	var discovered shogi.Bitboard // squares off the line between slider and king
	if uncovers {
		discovered = reach.AndNot(shogi.RayThrough(n.king, from))
	}
	var opened shogi.Bitboard
	if n.opening.Has(from) {
		opened = n.opened(from)
	}
	target := n.twice.Or(opened)
	if uncovers || n.afar != 0 || !opened.IsEmpty() {
		target = target.Or(n.zone.Not())
	}
	if reach = reach.And(target); reach.IsEmpty() {
		return shogi.NoMove
	}
	if kind.CanPromote() {
		promoted := reach
		if !shogi.InPromotionZone(us, from) {
			promoted = reach.And(shogi.PromotionZone(us))
		}
		if !kind.MayNeedNoPromotion() {
			reach = reach.AndNot(promoted)
		}
		after := kind.Promoted()
		to := promoted.And(n.checks(after).Or(discovered))
		m := n.find(shogi.NewPromotion(from, 0), from, after, to, opened, uncovers)
		if m != shogi.NoMove {
			return m
		}
	}
	// Where the piece could never move again (行き所のない駒) it mates if it mates promoted, and that has
	// been tried.
	to := reach.And(n.checks(kind).Or(discovered))
	return n.find(shogi.NewMove(from, 0), from, kind, to, opened, uncovers)
}

// find looks for a mate among the checks base onto the squares of to, by which a piece from the
// square from, NoSquare for a drop, comes to stand there as after; base has the destination 0. The
// neighbours in opened are attacked once the piece has left, and uncovers is set if it stands in
// front of a slider that looks at the king.
func (n *node) find(
	base shogi.Move, from shogi.Square, after shogi.PieceType,
	to, opened shogi.Bitboard, uncovers bool,
) shogi.Move {
	for !to.IsEmpty() {
		sq := to.Pop()
		if !n.covers(after, sq, opened) {
			continue
		}
		if n.isInCheck() {
			return attackerInCheck
		}
		m := base | shogi.Move(sq)
		if !n.isSafe(from, m) {
			continue
		}
		mated := false
		switch {
		case uncovers:
			mated = !shogi.IsDead(n.us, after, sq) && mates(n.p, m)
		case n.isCapturable(from, sq):
		case n.zone.Has(sq) || after == shogi.Knight:
			mated = n.leavesNoFlight(from, sq, after)
		default:
			mated = mates(n.p, m)
		}
		if mated {
			return m
		}
	}
	return shogi.NoMove
}

// isCapturable reports whether a defender other than the king may capture the only checker, which
// came from the square from to sq.
func (n *node) isCapturable(from, sq shogi.Square) bool {
	captors := n.p.AttackersTo(sq, n.us.Opponent(), n.p.Occupied().Without(from)).Without(n.king)
	for !captors.IsEmpty() {
		if !n.isPinned(captors.Pop(), from, sq) {
			return true
		}
	}
	return false
}

// isPinned reports whether, after a move from the square from to sq, the defender on w is pinned to
// a line that misses sq.
func (n *node) isPinned(w, from, sq shogi.Square) bool {
	if shogi.RayThrough(n.king, w).Has(sq) {
		return false // so sq is on no line that is looked at below
	}
	occupied := n.occupied.Without(from)
	for i := range n.sliders {
		s := n.slider[i&7]
		line := shogi.Between(n.king, s)
		if s != from && line.Has(w) && !line.And(occupied).HasMany() &&
			shogi.EmptyAttacks(n.us, n.p.Piece(s).Type(), s).Has(n.king) {
			return true
		}
	}
	return false
}

// leavesNoFlight reports whether every square that the king could go to is attacked after a move
// from the square from, NoSquare for a drop, to sq, on which the piece stands as after.
func (n *node) leavesNoFlight(from, sq shogi.Square, after shogi.PieceType) bool {
	if from == shogi.NoSquare && !n.reached.Has(sq) {
		return true // it cuts no line, and only drops that attack what is open come here
	}
	p, us := n.p, n.us
	occupied := n.occupied.Without(from).With(sq)
	attacked := shogi.Attacks(us, after, sq, occupied)
	for i := range n.sliders {
		s, a := n.slider[i&7], n.attacks[i&7]
		if s == from {
			continue
		}
		if a.Has(from) || a.Has(sq) {
			a = shogi.Attacks(us, p.Piece(s).Type(), s, occupied)
		}
		attacked = attacked.Or(a)
	}
	for b := n.steppers.Without(from); !b.IsEmpty(); {
		s := b.Pop()
		attacked = attacked.Or(shogi.StepAttacks(us, p.Piece(s).Type(), s))
	}
	return n.zone.AndNot(p.Pieces(us.Opponent()).Without(sq)).IsSubsetOf(attacked)
}

// isSafe reports whether m, a drop or a move of the piece on from, leaves the attacker's own king,
// which is not in check, unattacked.
func (n *node) isSafe(from shogi.Square, m shogi.Move) bool {
	own := n.p.King(n.us)
	if own == shogi.NoSquare || from == shogi.NoSquare {
		return true
	}
	if from == own {
		return n.p.IsLegal(m)
	}
	return !n.pinned.Has(from) || shogi.RayThrough(own, from).Has(m.To())
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

// kinds is a set of kinds of piece.
type kinds uint16

func (k kinds) has(kind shogi.PieceType) bool { return k>>kind&1 != 0 }

// Where a piece stands that checks a king and attacks all of the neighbours that are open to it,
// its own square left aside, on a board that is otherwise empty. Sets of neighbours are bytes as
// Bitboard.Around gives them.
//
//	covering[us][open][kind]  the neighbours on which it does
//	afar[us][open]            the kinds that do elsewhere
var covering, afar = func() (near [2][256][16]uint8, far [2][256]kinds) {
	const king = shogi.NumSquares / 2 // so far from the edges that every sort of place is there
	for us := shogi.Black; us <= shogi.White; us++ {
		for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
			for sq := range shogi.Square(shogi.NumSquares) {
				attacks := shogi.EmptyAttacks(us, kind, sq)
				if kind == shogi.King || !attacks.Has(king) {
					continue
				}
				place := shogi.BitboardOf(sq).Around(king)
				covered := attacks.Around(king) | place
				for open := covered; ; open = (open - 1) & covered { // all subsets
					if place != 0 {
						near[us][open][kind] |= place
					} else {
						far[us][open] |= 1 << kind
					}
					if open == 0 {
						break
					}
				}
			}
		}
	}
	return near, far
}()

// coveringDrops is covering of the kinds of dropOrder, a lane of eight bits each. lanes has all
// bits of the lanes of the kinds that a hand holds; its index is half of Hand.Kinds.
var coveringDrops, lanes = func() (drops [2][256]uint64, lanes [128]uint64) {
	for i, kind := range dropOrder {
		for open := range 256 {
			for us := range 2 {
				drops[us][open] |= uint64(covering[us][open][kind]) << (8 * i)
			}
		}
		for held := range 128 {
			if kinds(held << 1).has(kind) {
				lanes[held] |= 0xff << (8 * i)
			}
		}
	}
	return drops, lanes
}()

const everyLane = 0x0101010101010101 // times a byte puts it in every lane
