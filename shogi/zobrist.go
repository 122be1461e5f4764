package shogi

// This file is the only code that changes the pieces on the board, so that bitboards, board array, king squares
// and key never disagree.

// zobrist[piece][square] are the random words of the board key, zobristWhite the word of White to move.
var zobrist, zobristWhite = func() (t [32][128]uint64, white uint64) {
	// splitmix64 (Steele, Lea, Flood 2014) from a fixed seed: keys are the same in every run and build.
	state := uint64(0x7473756d65726f21)
	next := func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for c := Black; c <= White; c++ {
		for k := Pawn; k < numPieceTypes; k++ {
			for sq := range NumSquares {
				t[PieceOf(c, k)][sq] = next()
			}
		}
	}
	return t, next()
}()

// put places a piece on an empty square.
func (p *Position) put(sq Square, pc Piece) {
	sq &= 127
	b := bit(sq)
	t := pc.Type()
	p.byType[t&15] = p.byType[t&15].Or(b)
	if t.movesLikeGold() {
		p.byType[goldMovers] = p.byType[goldMovers].Or(b)
	}
	c := pc.Color() & 1
	p.byColor[c] = p.byColor[c].Or(b)
	if t == King {
		p.king[c] = sq
	}
	p.board[sq] = pc
	p.boardKey ^= zobrist[pc&31][sq]
}

// lift removes the piece pc from sq, where it must stand.
func (p *Position) lift(sq Square, pc Piece) {
	sq &= 127
	b := bit(sq)
	t := pc.Type()
	p.byType[t&15] = p.byType[t&15].AndNot(b)
	if t.movesLikeGold() {
		p.byType[goldMovers] = p.byType[goldMovers].AndNot(b)
	}
	c := pc.Color() & 1
	p.byColor[c] = p.byColor[c].AndNot(b)
	if t == King {
		p.king[c] = NoSquare
	}
	p.board[sq] = NoPiece
	p.boardKey ^= zobrist[pc&31][sq]
}

// RecomputeBoardKey returns the board key computed from nothing but the pieces and the side to move.
// It equals BoardKey unless there is a bug.
func (p *Position) RecomputeBoardKey() uint64 {
	var key uint64
	for sq := range NumSquares {
		if pc := p.board[sq]; pc != NoPiece {
			key ^= zobrist[pc&31][sq]
		}
	}
	if p.side == White {
		key ^= zobristWhite
	}
	return key
}
