package shogi

// A Position is a board, two hands and the side to move. Kings may be missing, and so may any other
// piece. Positions come from ParseSFEN, ParsePosition, Start or a Setup; the zero Position is not
// one.
//
// A Position holds no pointer: assignment copies it, == compares every bit of it.
type Position struct {
	byType   [16]Bitboard // by PieceType, both colours; for slots 0 and goldMovers see moveClass
	byColor  [2]Bitboard
	boardKey uint64
	hand     [2]Hand
	ply      uint32
	side     Color
	king     [2]Square  // NoSquare where there is none
	board    [128]Piece // 81 used; a power of two saves the bounds checks
}

// goldMovers is the unused sixteenth kind: the union of Gold, Tokin, ProLance, ProKnight and
// ProSilver.
const goldMovers = 15

// Piece returns the piece on sq, NoPiece if it is empty.
func (p *Position) Piece(sq Square) Piece { return p.board[sq&127] }

// Hand returns what c holds.
func (p *Position) Hand(c Color) Hand { return p.hand[c&1] }

// SideToMove returns the side whose turn it is.
func (p *Position) SideToMove() Color { return p.side }

// Ply returns the number of the move about to be played, the last field of an SFEN; 1 at the start.
func (p *Position) Ply() int { return int(p.ply) }

// King returns the square of c's king, NoSquare if c has none.
func (p *Position) King(c Color) Square { return p.king[c&1] }

// Occupied returns the squares that hold a piece.
func (p *Position) Occupied() Bitboard { return p.byColor[0].Or(p.byColor[1]) }

// Pieces returns the squares that hold a piece of colour c.
func (p *Position) Pieces(c Color) Bitboard { return p.byColor[c&1] }

// PiecesOf returns the squares that hold a piece of colour c and kind t.
func (p *Position) PiecesOf(c Color, t PieceType) Bitboard { return p.byType[t&15].And(p.byColor[c&1]) }

// SlidersOf returns the lances, bishops, rooks, horses and dragons of c.
func (p *Position) SlidersOf(c Color) Bitboard {
	return p.byType[Lance].Or(p.byType[Bishop]).Or(p.byType[Rook]).Or(p.byType[Horse]).Or(p.byType[Dragon]).And(p.byColor[c&1])
}

// SteppersNear returns the pieces of c, sliders left out, that attack a neighbour of sq.
func (p *Position) SteppersNear(c Color, sq Square) Bitboard {
	reach := &guardReach[c&1][sq&127]
	return p.byType[Pawn].And(reach[Pawn]).
		Or(p.byType[Knight].And(reach[Knight])).
		Or(p.byType[Silver].And(reach[Silver])).
		Or(p.byType[goldMovers].And(reach[Gold])).
		Or(p.byType[King].And(reach[King])).
		And(p.byColor[c&1])
}

// SlidersNear returns the lances, bishops, rooks, horses and dragons of c that would attack a
// neighbour of sq if nothing stood between.
func (s *SearchPosition) SlidersNear(c Color, sq Square) Bitboard {
	p := (*Position)(s)
	reach := &guardReach[c&1][sq&127]
	return p.byType[Lance].And(reach[Lance]).
		Or(p.byType[Bishop].And(reach[Bishop])).
		Or(p.byType[Rook].And(reach[Rook])).
		Or(p.byType[Horse].And(reach[Horse])).
		Or(p.byType[Dragon].And(reach[Dragon])).
		And(p.byColor[c&1])
}

// AttackedNear returns the neighbours of king that c attacks when the squares in occupied are
// obstacles. It is the sum of IsAttacked over the neighbours, for less than a few such questions
// cost.
func (s *SearchPosition) AttackedNear(king Square, c Color, occupied Bitboard) Bitboard {
	p := (*Position)(s)
	us, reach := p.byColor[c&1], &guardReach[c&1][king&127]
	attacked := p.byType[Pawn].And(us).towards(c)
	for b := p.byType[Knight].And(reach[Knight]).
		Or(p.byType[Silver].And(reach[Silver])).
		Or(p.byType[goldMovers].And(reach[Gold])).
		Or(p.byType[King].And(reach[King])).And(us); !b.IsEmpty(); {
		sq := b.Pop()
		attacked = attacked.Or(StepAttacks(c, p.board[sq&127].Type(), sq))
	}
	for b := p.ForSearch().SlidersNear(c, king); !b.IsEmpty(); {
		sq := b.Pop()
		attacked = attacked.Or(Attacks(c, p.board[sq&127].Type(), sq, occupied))
	}
	return attacked.And(Neighbours(king))
}

// BoardKey returns the Zobrist key of the pieces on the board and the side to move. It leaves out
// the hands, which a mate table compares by dominance, and the ply.
func (p *Position) BoardKey() uint64 { return p.boardKey }

// Key returns a key of board, side to move and both hands.
func (p *Position) Key() uint64 {
	return keyOf(p.boardKey, uint64(p.hand[0])|uint64(p.hand[1])<<32)
}

// keyOf returns the key of a board and two hands, White's in the upper half.
func keyOf(boardKey, hands uint64) uint64 {
	h := (hands ^ hands>>31) * 0x9fb21c651e98df25
	return boardKey ^ h ^ h>>29
}

// SamePosition reports whether p and q have the same pieces, hands and side to move; plies may
// differ.
func (p *Position) SamePosition(q *Position) bool {
	return p.boardKey == q.boardKey && p.hand == q.hand && p.side == q.side && p.board == q.board
}

// Undo is what Do cannot recompute, for taking the move back.
type Undo struct {
	before   remembered // nothing without the build tag debug
	boardKey uint64
	captured Piece
}

// Captured returns the piece the move captured, NoPiece if none.
func (u Undo) Captured() Piece { return u.captured }

// After returns the position after m, which must be legal.
func (p *Position) After(m Move) Position {
	next := *p
	next.Do(m)
	return next
}

// Do plays m, which must be pseudo-legal in p. If it leaves the own king in check, nothing may be
// played from there. With the build tag debug, p checks itself, and again in Undo; see debug.go.
func (p *Position) Do(m Move) Undo {
	u := Undo{before: p.remember(), boardKey: p.boardKey}
	us, to := p.side&1, m.To()
	if m.IsDrop() {
		t := m.Dropped()
		p.hand[us] = p.hand[us].Remove(t, 1)
		p.put(to, PieceOf(us, t))
	} else {
		if u.captured = p.board[to&127]; u.captured != NoPiece {
			p.lift(to, u.captured)
			p.hand[us] = p.hand[us].Add(u.captured.Type().Base(), 1)
		}
		from := m.From()
		before := p.board[from&127]
		after := before
		if m.IsPromotion() {
			after |= promotedBit
		}
		p.move(from, to, before, after)
	}
	p.side ^= 1
	p.ply++
	p.boardKey ^= zobristWhite
	p.checkDone(m, &u)
	return u
}

// Undo takes back m, the last move done, with what Do returned for it.
func (p *Position) Undo(m Move, u Undo) {
	p.side ^= 1
	p.ply--
	us, to := p.side&1, m.To()
	after := p.board[to&127]
	if m.IsDrop() {
		p.lift(to, after)
		p.hand[us] = p.hand[us].Add(after.Type(), 1)
	} else {
		before := after
		if m.IsPromotion() {
			before &^= promotedBit
		}
		p.move(to, m.From(), after, before)
		if u.captured != NoPiece {
			p.put(to, u.captured)
			p.hand[us] = p.hand[us].Remove(u.captured.Type().Base(), 1)
		}
	}
	p.boardKey = u.boardKey
	p.checkUndone(m, &u)
}

// AttackersTo returns the pieces of colour c that attack sq when the squares in occupied are
// obstacles. Pieces of c outside occupied count as present: callers that lift a piece off the board
// mask it out of the answer.
func (p *Position) AttackersTo(sq Square, c Color, occupied Bitboard) Bitboard {
	b, snipers := p.attackersOnEmpty(sq, c)
	for !snipers.IsEmpty() {
		s := snipers.Pop()
		if !Between(sq, s).Intersects(occupied) {
			b = b.With(s)
		}
	}
	return b
}

// IsAttacked reports whether a piece of colour c attacks sq when the squares in occupied are
// obstacles.
func (p *Position) IsAttacked(sq Square, c Color, occupied Bitboard) bool {
	steppers, snipers := p.attackersOnEmpty(sq, c)
	if !steppers.IsEmpty() {
		return true
	}
	for !snipers.IsEmpty() {
		if !Between(sq, snipers.Pop()).Intersects(occupied) {
			return true
		}
	}
	return false
}

// attackersOnEmpty returns the pieces of colour c that attack sq with a single step, and its
// sliders that would attack sq along a line if nothing stood between.
func (p *Position) attackersOnEmpty(sq Square, c Color) (steppers, snipers Bitboard) {
	// A piece of c attacks sq from where a piece of the other colour on sq would step to.
	back := &emptyAttacks[(c^1)&1][sq&127]
	us, horses, dragons := p.byColor[c&1], p.byType[Horse], p.byType[Dragon]
	steppers = back[Pawn].And(p.byType[Pawn]).
		Or(back[Knight].And(p.byType[Knight])).
		Or(back[Silver].And(p.byType[Silver])).
		Or(back[Gold].And(p.byType[goldMovers])).
		Or(back[King].And(p.byType[King].Or(horses).Or(dragons))).
		And(us)
	snipers = back[Lance].And(p.byType[Lance]).
		Or(back[Bishop].And(p.byType[Bishop].Or(horses))).
		Or(back[Rook].And(p.byType[Rook].Or(dragons))).
		And(us)
	return steppers, snipers
}

// Checkers returns the pieces that give check to the side to move, none if it has no king.
func (p *Position) Checkers() Bitboard { return p.checkersOf(p.side) }

func (p *Position) checkersOf(c Color) Bitboard {
	k := p.king[c&1]
	if k == NoSquare {
		return Bitboard{}
	}
	return p.AttackersTo(k, c^1, p.Occupied())
}

// CheckersAndPinned returns the pieces that give check to the side to move, and its own pieces that
// may move only along the line between its king and an enemy slider; none if it has no king.
func (p *Position) CheckersAndPinned() (checkers, pinned Bitboard) {
	us := p.side & 1
	k := p.king[us]
	if k == NoSquare {
		return Bitboard{}, Bitboard{}
	}
	checkers, blockers := p.sight(k, us^1)
	return checkers, blockers.And(p.byColor[us])
}

// InCheck reports whether the king of the side to move is attacked.
func (p *Position) InCheck() bool {
	k := p.king[p.side&1]
	return k != NoSquare && p.IsAttacked(k, p.side^1, p.Occupied())
}

// SliderBlockers returns the pieces, of either colour, that stand alone between sq and a slider of
// colour c that looks at sq along that line. Those of the other colour are pinned to sq, those of
// colour c may discover an attack.
func (p *Position) SliderBlockers(sq Square, c Color) Bitboard {
	_, blockers := p.sight(sq, c)
	return blockers
}

// sight returns the pieces of colour c that attack sq, and the SliderBlockers.
func (p *Position) sight(sq Square, c Color) (attackers, blockers Bitboard) {
	occupied := p.Occupied()
	attackers, snipers := p.attackersOnEmpty(sq, c)
	for !snipers.IsEmpty() {
		s := snipers.Pop()
		switch b := Between(sq, s).And(occupied); {
		case b.IsEmpty():
			attackers = attackers.With(s)
		case !b.HasMany():
			blockers = blockers.Or(b)
		}
	}
	return attackers, blockers
}

// Rotated returns the position turned by half a turn with the colours exchanged: what White saw,
// Black sees. Moves turn with it by Move.Rotated.
func (p *Position) Rotated() Position {
	q := Position{king: [2]Square{NoSquare, NoSquare}, hand: [2]Hand{p.hand[1], p.hand[0]}, side: p.side ^ 1, ply: p.ply}
	for sq := range Square(NumSquares) {
		if pc := p.board[sq]; pc != NoPiece {
			q.put(NumSquares-1-sq, pc^whiteBit)
		}
	}
	if q.side == White {
		q.boardKey ^= zobristWhite
	}
	return q
}

// Mirrored returns the position seen in a mirror: file 1 becomes file 9.
func (p *Position) Mirrored() Position {
	q := Position{king: [2]Square{NoSquare, NoSquare}, hand: p.hand, side: p.side, ply: p.ply}
	for sq := range Square(NumSquares) {
		if pc := p.board[sq]; pc != NoPiece {
			q.put(sq.Mirrored(), pc)
		}
	}
	if q.side == White {
		q.boardKey ^= zobristWhite
	}
	return q
}

// BoardKeyAfter returns the BoardKey that p has after m, without making it.
func (p *Position) BoardKeyAfter(m Move) uint64 {
	key, us, to := p.boardKey^zobristWhite, p.side&1, m.To()&127
	if m.IsDrop() {
		return key ^ zobrist[PieceOf(us, m.Dropped())&31][to]
	}
	from := m.From() & 127
	before := p.board[from]
	after := before
	if m.IsPromotion() {
		after |= promotedBit
	}
	return key ^ zobrist[before&31][from] ^ zobrist[after&31][to] ^ zobrist[p.board[to]&31][to]
}

// KeyAfter returns the Key that p has after m, without making it.
func (s *SearchPosition) KeyAfter(m Move) uint64 {
	p := (*Position)(s)
	us := p.side & 1
	own, other := uint64(p.HandAfter(m)), uint64(p.hand[us^1])
	return keyOf(p.BoardKeyAfter(m), own<<(us*32)|other<<((us^1)*32))
}

// HandAfter returns what the side to move holds after m.
func (p *Position) HandAfter(m Move) Hand {
	hand := p.hand[p.side&1]
	if m.IsDrop() {
		return hand.Remove(m.Dropped(), 1)
	}
	if captured := p.board[m.To()&127]; captured != NoPiece {
		return hand.Add(captured.Type().Base(), 1)
	}
	return hand
}

// SetAside takes a piece of kind t, of which c must hold one, out of play.
func (p *Position) SetAside(c Color, t PieceType) { p.hand[c&1] = p.hand[c&1].Remove(t, 1) }

// PutBack undoes SetAside.
func (p *Position) PutBack(c Color, t PieceType) { p.hand[c&1] = p.hand[c&1].Add(t, 1) }

// GiveAway makes c keep just so much in hand, of which it must hold at least that, and gives its
// opponent the rest.
func (p *Position) GiveAway(c Color, keep Hand) {
	rest := p.hand[c&1] - keep
	p.hand[c&1] = keep
	p.hand[c.Opponent()&1] += rest
}
