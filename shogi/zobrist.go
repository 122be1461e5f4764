package shogi

import "encoding/binary"

// This file is the only code that changes the pieces on the board, so that bitboards, board array,
// king squares and key never disagree.

// zobrist[piece][square] are the random words of the board key, zobristWhite the word of White to
// move.
var zobrist, zobristWhite = func() (t [32][128]uint64, white uint64) {
	// splitmix64 (Steele, Lea, Flood 2014) from a fixed seed: keys are the same in every run and
	// build.
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

// moveClass[t] is the second bitboard that a piece of kind t is in: goldMovers for all that step
// like a gold, and for the others slot 0, which nobody reads. So no branch is needed to tell them
// apart.
var moveClass = [16]uint8{
	Gold: goldMovers, Tokin: goldMovers, ProLance: goldMovers, ProKnight: goldMovers, ProSilver: goldMovers,
}

// toggle puts the piece pc on sq in bitboards and key, or takes it away: to both, the two are the
// same.
func (p *Position) toggle(sq Square, pc Piece) {
	b, t := bit(sq), pc.Type()&15
	class := moveClass[t] & 15
	p.byType[t] = p.byType[t].Xor(b)
	p.byType[class] = p.byType[class].Xor(b)
	p.byColor[pc.Color()&1] = p.byColor[pc.Color()&1].Xor(b)
	p.boardKey ^= zobrist[pc&31][sq&127]
}

// put places a piece on an empty square.
func (p *Position) put(sq Square, pc Piece) {
	p.toggle(sq, pc)
	p.board[sq&127] = pc
	if pc.Type() == King {
		p.king[pc.Color()&1] = sq
	}
}

// lift removes the piece pc from sq, where it must stand.
func (p *Position) lift(sq Square, pc Piece) {
	p.toggle(sq, pc)
	p.board[sq&127] = NoPiece
	if pc.Type() == King {
		p.king[pc.Color()&1] = NoSquare
	}
}

// move takes the piece before from one square and puts after, the same piece promoted or not, on
// another, an empty one.
func (p *Position) move(from, to Square, before, after Piece) {
	p.toggle(from, before)
	p.toggle(to, after)
	p.board[from&127] = NoPiece
	p.board[to&127] = after
	if after.Type() == King {
		p.king[after.Color()&1] = to
	}
}

// SaltKey gives p, and every position played from it, another board key, so that a table keeps it
// apart from positions with the same board. The key of a position that is turned or read is plain.
func (s *SearchPosition) SaltKey(salt uint64) { s.boardKey ^= salt }

// RecomputeBoardKey returns the board key computed from nothing but the pieces and the side to
// move. It equals BoardKey unless there is a bug, or SaltKey was used.
func (s *SearchPosition) RecomputeBoardKey() uint64 {
	p := (*Position)(s)
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

// AppendEncoding appends all that the numbers of this package hang on: the random words of the
// board key, and how moves and hands are packed. Who writes keys, moves or hands to a file tells by
// it whether another program means the same by them.
func AppendEncoding(dst []byte) []byte {
	put := func(words ...uint64) {
		for _, w := range words {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	for c := Black; c <= White; c++ {
		for k := Pawn; k < numPieceTypes; k++ {
			put(zobrist[PieceOf(c, k)][:NumSquares]...)
		}
	}
	put(zobristWhite)
	for sq := range Square(NumSquares) {
		other := NumSquares - 1 - sq
		put(uint64(NewMove(sq, other)), uint64(NewPromotion(sq, other)))
	}
	for k := Pawn; k <= Gold; k++ {
		put(uint64(NewDrop(k, 1)), uint64(Hand(0).Add(k, 1)))
	}
	return dst
}
