package shogi

import "math/bits"

// Colour is a type parameter in the generators: arrays of different length make the compiler build
// each generator once per colour, with the colour a constant (len(c)-1). Correctness does not
// depend on that, only speed.
type (
	blackSide [1]struct{}
	whiteSide [2]struct{}
	aSide     interface{ blackSide | whiteSide }
)

// Whether moves are written down or only counted is a type parameter for the same reason.
type (
	listing  [1]struct{}
	counting [2]struct{}
	aSink    interface{ listing | counting }
)

// A MoveBuffer is room for the moves of one position; the most any position has is 593. The caller
// owns it and may use it again for the next position, which ends the life of the slice returned for
// this one.
type MoveBuffer [1024]Move

const bufferMask = 1023

// A MoveSet says whether a generator leaves out moves that are never better than their promoted
// twin.
type MoveSet bool

const (
	// AllMoves is every legal move.
	AllMoves MoveSet = true
	// UsefulMoves leaves out the non-promotion of a pawn, bishop or rook that could promote, and of
	// a lance that reaches the second rank. They matter only where a stronger piece would turn a
	// pawn drop into mate (打ち歩詰め).
	UsefulMoves MoveSet = false
)

// LegalMoves writes every legal move of p to buf and returns them, in an order that depends on p
// alone.
func (p *Position) LegalMoves(buf *MoveBuffer, set MoveSet) []Move {
	if p.side == Black {
		return buf[:legalMoves[blackSide, listing](p, buf, set)]
	}
	return buf[:legalMoves[whiteSide, listing](p, buf, set)]
}

// CountLegalMoves returns how many moves LegalMoves returns, in a fraction of its time.
func (p *Position) CountLegalMoves(set MoveSet) int {
	if p.side == Black {
		return legalMoves[blackSide, counting](p, nil, set)
	}
	return legalMoves[whiteSide, counting](p, nil, set)
}

// PseudoLegalMoves writes to buf, and returns, every move that obeys how pieces move, captures and
// promotes, nifu and the dead squares; it may leave the own king attacked or mate by a pawn drop.
// IsLegal tells these apart.
func (s *SearchPosition) PseudoLegalMoves(buf *MoveBuffer, set MoveSet) []Move {
	p := (*Position)(s)
	if p.side == Black {
		return buf[:pseudoLegalMoves[blackSide, listing](p, buf, set)]
	}
	return buf[:pseudoLegalMoves[whiteSide, listing](p, buf, set)]
}

func legalMoves[C aSide, S aSink](p *Position, buf *MoveBuffer, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	king := p.king[us]
	if king == NoSquare {
		n := boardMoves[C, S](p, buf, 0, p.byColor[us], p.byColor[us].Not(), set)
		return drops[C, S](p, buf, n, p.Occupied().Not(), true)
	}
	checkers, pinned := p.sight(king, us^1)
	pinned = pinned.And(p.byColor[us])
	if !checkers.IsEmpty() {
		return evasions[C, S](p, buf, checkers, pinned, set)
	}
	target := p.byColor[us].Not()
	n := boardMoves[C, S](p, buf, 0, p.byColor[us].AndNot(pinned).Without(king), target, set)
	for pinned := pinned; !pinned.IsEmpty(); {
		from := pinned.Pop()
		n = pieceMoves[C, S](p, buf, n, from, target.And(RayThrough(king, from)), set)
	}
	n = kingMoves[C, S](p, buf, n, king, target)
	return drops[C, S](p, buf, n, p.Occupied().Not(), true)
}

func pseudoLegalMoves[C aSide, S aSink](p *Position, buf *MoveBuffer, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	n := boardMoves[C, S](p, buf, 0, p.byColor[us], p.byColor[us].Not(), set)
	if king := p.king[us]; king != NoSquare {
		n = emit[S](buf, n, NewMove(king, 0), Neighbours(king).AndNot(p.byColor[us]))
	}
	return drops[C, S](p, buf, n, p.Occupied().Not(), false)
}

// emit appends base with each square of to as destination. base must have destination 0.
func emit[S aSink](buf *MoveBuffer, n int, base Move, to Bitboard) int {
	var s S
	if len(s) == len(counting{}) {
		return n + to.Len()
	}
	for lo := to.lo; lo != 0; lo &= lo - 1 {
		buf[n&bufferMask] = base | Move(bits.TrailingZeros64(lo))
		n++
	}
	for hi := to.hi; hi != 0; hi &= hi - 1 {
		buf[n&bufferMask] = base | Move(bits.TrailingZeros64(hi)+loSquares)
		n++
	}
	return n
}

// emitOne appends m.
func emitOne[S aSink](buf *MoveBuffer, n int, m Move) int {
	var s S
	if len(s) == len(listing{}) {
		buf[n&bufferMask] = m
	}
	return n + 1
}

// kingMoves appends the king's steps onto squares of target that the opponent does not attack once
// the king has left.
func kingMoves[C aSide, S aSink](p *Position, buf *MoveBuffer, n int, king Square, target Bitboard) int {
	var c C
	them := Color(len(c)-1) ^ 1
	to := Neighbours(king).And(target)
	if to.IsEmpty() {
		return n
	}
	attacked := p.ForSearch().AttackedNear(king, them, p.Occupied().Without(king))
	return emit[S](buf, n, NewMove(king, 0), to.AndNot(attacked))
}

// boardMoves appends the moves onto squares of target of the pieces in movers other than the king.
func boardMoves[C aSide, S aSink](p *Position, buf *MoveBuffer, n int, movers, target Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	occupied := p.Occupied()
	zone := promotionZone[us]

	// Pawns, all at once: the origin is one step behind the destination.
	behind := NewMove(1, 0)
	if us == White {
		behind = -behind
	}
	to := p.byType[Pawn].And(movers).towards(us).And(target)
	n = emitPawns[S](buf, n, behind, movePromotes, to.And(zone))
	if set == AllMoves {
		to = to.AndNot(deadEnds[us][Pawn])
	} else {
		to = to.AndNot(zone)
	}
	n = emitPawns[S](buf, n, behind, 0, to)

	for from := p.byType[Lance].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		n = lanceMoves[S](buf, n, us, sq, LanceAttacks(us, sq, occupied).And(target), set)
	}
	for from := p.byType[Knight].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := StepAttacks(us, Knight, sq).And(target)
		n = emit[S](buf, n, NewMove(sq, 0)|movePromotes, to.And(zone))
		n = emit[S](buf, n, NewMove(sq, 0), to.AndNot(deadEnds[us][Knight]))
	}
	for from := p.byType[Silver].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		to := StepAttacks(us, Silver, sq).And(target)
		n = emit[S](buf, n, NewMove(sq, 0), to)
		n = emit[S](buf, n, NewMove(sq, 0)|movePromotes, promotions(us, sq, to))
	}
	for from := p.byType[goldMovers].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		n = emit[S](buf, n, NewMove(sq, 0), StepAttacks(us, Gold, sq).And(target))
	}
	for from := p.byType[Bishop].Or(p.byType[Rook]).And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		var to Bitboard
		if p.byType[Bishop].Has(sq) {
			to = BishopAttacks(sq, occupied).And(target)
		} else {
			to = RookAttacks(sq, occupied).And(target)
		}
		n = majorMoves[S](buf, n, us, sq, to, set)
	}
	for from := p.byType[Horse].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		n = emit[S](buf, n, NewMove(sq, 0), BishopAttacks(sq, occupied).Or(Neighbours(sq)).And(target))
	}
	for from := p.byType[Dragon].And(movers); !from.IsEmpty(); {
		sq := from.Pop()
		n = emit[S](buf, n, NewMove(sq, 0), RookAttacks(sq, occupied).Or(Neighbours(sq)).And(target))
	}
	return n
}

func emitPawns[S aSink](buf *MoveBuffer, n int, behind, flags Move, to Bitboard) int {
	var s S
	if len(s) == len(counting{}) {
		return n + to.Len()
	}
	for !to.IsEmpty() {
		sq := to.Pop()
		buf[n&bufferMask] = (NewMove(sq, sq) + behind) | flags
		n++
	}
	return n
}

func lanceMoves[S aSink](buf *MoveBuffer, n int, us Color, sq Square, to Bitboard, set MoveSet) int {
	n = emit[S](buf, n, NewMove(sq, 0)|movePromotes, to.And(promotionZone[us]))
	if set == AllMoves {
		return emit[S](buf, n, NewMove(sq, 0), to.AndNot(deadEnds[us][Lance]))
	}
	return emit[S](buf, n, NewMove(sq, 0), to.AndNot(lastTwoRanks[us]))
}

// majorMoves appends the moves of a bishop or rook.
func majorMoves[S aSink](buf *MoveBuffer, n int, us Color, sq Square, to Bitboard, set MoveSet) int {
	promoting := promotions(us, sq, to)
	n = emit[S](buf, n, NewMove(sq, 0)|movePromotes, promoting)
	if set == UsefulMoves {
		to = to.AndNot(promoting)
	}
	return emit[S](buf, n, NewMove(sq, 0), to)
}

// pieceMoves appends the moves of the one piece on sq, not a king, onto squares of target.
func pieceMoves[C aSide, S aSink](p *Position, buf *MoveBuffer, n int, sq Square, target Bitboard, set MoveSet) int {
	var c C
	us := Color(len(c) - 1)
	if target.IsEmpty() {
		return n
	}
	t := p.board[sq&127].Type()
	to := Attacks(us, t, sq, p.Occupied()).And(target)
	if t.CanPromote() {
		promoting := promotions(us, sq, to)
		n = emit[S](buf, n, NewMove(sq, 0)|movePromotes, promoting)
		to = withoutPromotion(us, t, to, promoting, set)
	}
	return emit[S](buf, n, NewMove(sq, 0), to)
}

// promotions returns those of the destinations to where a piece of us that can promote and comes
// from sq may do so.
func promotions(us Color, sq Square, to Bitboard) Bitboard {
	if promotionZone[us&1].Has(sq) {
		return to
	}
	return to.And(promotionZone[us&1])
}

// withoutPromotion returns those of the destinations to where a piece of kind t, which can promote
// on those in promoting, stays as it is in the moves of set.
func withoutPromotion(us Color, t PieceType, to, promoting Bitboard, set MoveSet) Bitboard {
	switch {
	case set == AllMoves || t == Knight || t == Silver:
		return to.AndNot(deadEnds[us&1][t&15])
	case t == Lance:
		return to.AndNot(lastTwoRanks[us&1])
	}
	return to.AndNot(promoting)
}

// DropSquares returns the empty squares where c may drop a piece of kind t as far as nifu (二歩)
// and the dead ends (行き所のない駒) go: all of them for a silver, bishop, rook or gold, none for a
// kind that cannot be held. It asks neither whether c holds such a piece, nor whether the drop
// leaves c's king in check, nor whether a pawn drop mates (打ち歩詰め); of the side to move IsLegal
// knows that.
func (p *Position) DropSquares(c Color, t PieceType) Bitboard {
	if t == NoPieceType || t >= King {
		return Bitboard{}
	}
	return p.dropSquares(c, t, p.Occupied().Not())
}

// dropSquares returns those squares of target, which must be empty, that are in DropSquares.
func (p *Position) dropSquares(c Color, t PieceType, target Bitboard) Bitboard {
	if t == Pawn {
		target = target.And(filesWithout(p.byType[Pawn].And(p.byColor[c&1])))
	}
	return target.AndNot(deadEnds[c&1][t&15])
}

// drops appends the drops on squares of target, which must be empty. With legal set it leaves out a
// pawn drop that mates (打ち歩詰め).
func drops[C aSide, S aSink](p *Position, buf *MoveBuffer, n int, target Bitboard, legal bool) int {
	var c C
	us := Color(len(c) - 1)
	hand := p.hand[us]
	if hand.IsEmpty() || target.IsEmpty() {
		return n
	}
	if hand.Has(Pawn) {
		to := p.dropSquares(us, Pawn, target)
		if legal {
			if sq := p.pawnCheckSquare(us); to.Has(sq) && p.isPawnDropMate(us, sq) {
				to = to.Without(sq)
			}
		}
		n = emit[S](buf, n, NewDrop(Pawn, 0), to)
	}
	if hand.Has(Lance) {
		n = emit[S](buf, n, NewDrop(Lance, 0), p.dropSquares(us, Lance, target))
	}
	if hand.Has(Knight) {
		n = emit[S](buf, n, NewDrop(Knight, 0), p.dropSquares(us, Knight, target))
	}
	for t := Silver; t <= Gold; t++ {
		if hand.Has(t) {
			n = emit[S](buf, n, NewDrop(t, 0), target)
		}
	}
	return n
}

// pawnCheckSquare returns the square from which a pawn of us checks the other king, NoSquare if
// there is none.
func (p *Position) pawnCheckSquare(us Color) Square {
	k := p.king[(us^1)&1]
	if k == NoSquare {
		return NoSquare
	}
	if b := StepAttacks(us^1, Pawn, k); !b.IsEmpty() {
		return b.First()
	}
	return NoSquare
}

// isPawnDropMate reports whether a pawn of us dropped on sq, the empty square in front of the other
// king, leaves that king without an answer: nothing can stand between, so only a capture of the
// pawn or a king move could be one.
func (p *Position) isPawnDropMate(us Color, sq Square) bool {
	them := us ^ 1
	k := p.king[them&1]
	occupied := p.Occupied().With(sq)
	captors := p.AttackersTo(sq, them, occupied).Without(k)
	if !captors.IsEmpty() {
		// A piece pinned to k cannot leave its line, and no such line passes through the pawn's
		// square: the pawn would stand between. The pawn itself may have cut a pin, so pins are
		// those after the drop.
		pinned := Bitboard{}
		snipers := p.SliderBlockers(k, us).And(captors)
		for b := snipers; !b.IsEmpty(); {
			from := b.Pop()
			if !RayThrough(k, from).Has(sq) {
				pinned = pinned.With(from)
			}
		}
		if !captors.AndNot(pinned).IsEmpty() {
			return false
		}
	}
	// The usual answer is to take the pawn with the king, so that is asked first. The king hides
	// nothing from a slider: it would be in check before the drop.
	return p.IsAttacked(sq, us, occupied) &&
		Neighbours(k).AndNot(p.byColor[them&1]).IsSubsetOf(p.ForSearch().AttackedNear(k, us, occupied))
}
