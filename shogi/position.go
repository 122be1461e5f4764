package shogi

// A Position is a board, two hands and the side to move. Kings may be missing, and so may any other piece.
// Positions come from ParseSFEN, ParsePosition, Start or a Builder; the zero Position is not one.
//
// A Position holds no pointer: assignment copies it, == compares every bit of it.
type Position struct {
	byType   [16]Bitboard // by PieceType, both colours; byType[goldMovers] is all that steps like a gold
	byColor  [2]Bitboard
	boardKey uint64
	hand     [2]Hand
	ply      uint32
	side     Color
	king     [2]Square  // NoSquare where there is none
	board    [128]Piece // 81 used; a power of two saves the bounds checks
}

// goldMovers is the unused sixteenth kind: the union of Gold, Tokin, ProLance, ProKnight and ProSilver.
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

// BoardKey returns the Zobrist key of the pieces on the board and the side to move. It leaves out the hands,
// which a mate table compares by dominance, and the ply.
func (p *Position) BoardKey() uint64 { return p.boardKey }

// Key returns a key of board, side to move and both hands.
func (p *Position) Key() uint64 {
	h := uint64(p.hand[0]) | uint64(p.hand[1])<<32
	h = (h ^ h>>31) * 0x9fb21c651e98df25
	return p.boardKey ^ h ^ h>>29
}

// SamePosition reports whether p and q have the same pieces, hands and side to move; plies may differ.
func (p *Position) SamePosition(q *Position) bool {
	return p.boardKey == q.boardKey && p.hand == q.hand && p.side == q.side && p.board == q.board
}

// Undo is what Do cannot recompute, for taking the move back.
type Undo struct {
	boardKey uint64
	captured Piece
}

// Captured returns the piece the move captured, NoPiece if none.
func (u Undo) Captured() Piece { return u.captured }

// Do plays m, which must be pseudo-legal in p.
func (p *Position) Do(m Move) Undo {
	u := Undo{boardKey: p.boardKey}
	us, to := p.side&1, m.To()&127
	if m.IsDrop() {
		t := m.Dropped()
		p.hand[us] = p.hand[us].Remove(t, 1)
		p.put(to, PieceOf(us, t))
	} else {
		from := m.From() & 127
		pc := p.board[from]
		if u.captured = p.board[to]; u.captured != NoPiece {
			p.lift(to, u.captured)
			p.hand[us] = p.hand[us].Add(u.captured.Type().Base(), 1)
		}
		p.lift(from, pc)
		if m.IsPromotion() {
			pc |= promotedBit
		}
		p.put(to, pc)
	}
	p.side ^= 1
	p.ply++
	p.boardKey ^= zobristWhite
	return u
}

// Undo takes back m, the last move done, with what Do returned for it.
func (p *Position) Undo(m Move, u Undo) {
	p.side ^= 1
	p.ply--
	us, to := p.side&1, m.To()&127
	pc := p.board[to]
	p.lift(to, pc)
	if m.IsDrop() {
		p.hand[us] = p.hand[us].Add(pc.Type(), 1)
	} else {
		if m.IsPromotion() {
			pc &^= promotedBit
		}
		p.put(m.From()&127, pc)
		if u.captured != NoPiece {
			p.put(to, u.captured)
			p.hand[us] = p.hand[us].Remove(u.captured.Type().Base(), 1)
		}
	}
	p.boardKey = u.boardKey
}

// AttackersTo returns the pieces of colour c that attack sq when the squares in occupied are obstacles.
// Pieces of c outside occupied count as present: callers that lift a piece off the board mask it out of the answer.
func (p *Position) AttackersTo(sq Square, c Color, occupied Bitboard) Bitboard {
	sq &= 127
	back := &steps[(c^1)&1] // a piece of c attacks sq from where a piece of the other colour on sq would step to
	b := back[Pawn][sq].And(p.byType[Pawn]).
		Or(back[Knight][sq].And(p.byType[Knight])).
		Or(back[Silver][sq].And(p.byType[Silver])).
		Or(back[Gold][sq].And(p.byType[goldMovers])).
		Or(kingAttacks(sq).And(p.byType[King].Or(p.byType[Horse]).Or(p.byType[Dragon])))
	b = b.Or(p.sliderAttackers(sq, c, occupied))
	return b.And(p.byColor[c&1])
}

// sliderAttackers returns the lances, bishops, rooks, horses and dragons that look at sq along a free line;
// it may include pieces of the other colour. Most squares are aligned with none, which the mask tests find cheaply.
func (p *Position) sliderAttackers(sq Square, c Color, occupied Bitboard) Bitboard {
	sq &= 127
	var b Bitboard
	us := p.byColor[c&1]
	if diag := diagonals[sq].And(p.byType[Bishop].Or(p.byType[Horse])).And(us); !diag.IsEmpty() {
		b = bishopAttacks(sq, occupied).And(diag)
	}
	if cross := crosses[sq].And(p.byType[Rook].Or(p.byType[Dragon])).And(us); !cross.IsEmpty() {
		b = b.Or(rookAttacks(sq, occupied).And(cross))
	}
	if lances := rays[forwardDir(c^1)][sq].And(p.byType[Lance]).And(us); !lances.IsEmpty() {
		b = b.Or(lanceAttacks(c^1, sq, occupied).And(lances))
	}
	return b
}

// IsAttacked reports whether a piece of colour c attacks sq when the squares in occupied are obstacles.
func (p *Position) IsAttacked(sq Square, c Color, occupied Bitboard) bool {
	sq &= 127
	back := &steps[(c^1)&1]
	us := p.byColor[c&1]
	near := back[Pawn][sq].And(p.byType[Pawn]).
		Or(back[Knight][sq].And(p.byType[Knight])).
		Or(back[Silver][sq].And(p.byType[Silver])).
		Or(back[Gold][sq].And(p.byType[goldMovers])).
		Or(kingAttacks(sq).And(p.byType[King].Or(p.byType[Horse]).Or(p.byType[Dragon])))
	return near.Intersects(us) || !p.sliderAttackers(sq, c, occupied).IsEmpty()
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

// InCheck reports whether the king of the side to move is attacked.
func (p *Position) InCheck() bool {
	k := p.king[p.side&1]
	return k != NoSquare && p.IsAttacked(k, p.side^1, p.Occupied())
}

// SliderBlockers returns the pieces, of either colour, that stand alone between sq and a slider of colour c that
// looks at sq along that line.
func (p *Position) SliderBlockers(sq Square, c Color) Bitboard { return p.sliderBlockers(sq, c) }

// sliderBlockers returns the pieces, of either colour, that stand alone between sq and a slider of colour c that
// looks at sq along that line. Those of the other colour are pinned to sq, those of colour c may discover an attack.
func (p *Position) sliderBlockers(sq Square, c Color) Bitboard {
	sq &= 127
	us := p.byColor[c&1]
	snipers := diagonals[sq].And(p.byType[Bishop].Or(p.byType[Horse])).
		Or(crosses[sq].And(p.byType[Rook].Or(p.byType[Dragon]))).
		Or(rays[forwardDir(c^1)][sq].And(p.byType[Lance])).And(us)
	var blockers Bitboard
	occupied := p.Occupied()
	for !snipers.IsEmpty() {
		b := between(sq, snipers.Pop()).And(occupied)
		if !b.HasMany() {
			blockers = blockers.Or(b)
		}
	}
	return blockers
}

// Pinned returns the pieces of colour c that may move only along the line between their king and an enemy slider.
func (p *Position) Pinned(c Color) Bitboard {
	k := p.king[c&1]
	if k == NoSquare {
		return Bitboard{}
	}
	return p.sliderBlockers(k, c^1).And(p.byColor[c&1])
}
