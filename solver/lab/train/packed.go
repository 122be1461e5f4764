package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/tsumero/tsumero/shogi"
)

// A Packed is a position without its ply in 36 bytes, 288 bits of which the lowest of a byte comes
// first:
//
//	bits  0 …  80  the squares that hold a piece
//	bit        81  the side to move, 1 for White
//	bits 82 … 281  40 pieces of five bits each, shogi.Piece: those on the board in the order of
//	               their squares, those in hand in the order of colour and kind, zeros to the end
//	bits 282 … 287 zero
//
// A full set has forty pieces, so there is room for any position. Equal positions have equal bytes.
type Packed [packedSize]byte

const (
	packedSize = 36
	maxPieces  = 40
	pieceBits  = 5
	firstPiece = shogi.NumSquares + 1
)

// Pack returns p packed.
func Pack(p *shogi.Position) Packed {
	var w bitWriter
	occupied := p.Occupied()
	for sq := range shogi.Square(shogi.NumSquares) {
		if occupied.Has(sq) {
			w.packed[sq/8] |= 1 << (sq % 8)
		}
	}
	w.at = shogi.NumSquares
	w.put(uint(p.SideToMove()), 1)
	for b := occupied; !b.IsEmpty(); {
		w.put(uint(p.Piece(b.Pop())), pieceBits)
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		for t := shogi.Pawn; t < shogi.King; t++ {
			for range p.Hand(c).Count(t) {
				w.put(uint(shogi.PieceOf(c, t)), pieceBits)
			}
		}
	}
	return w.packed
}

type bitWriter struct {
	packed Packed
	at     int
}

func (w *bitWriter) put(value uint, size int) {
	for i := range size {
		w.packed[w.at/8] |= byte(value>>i&1) << (w.at % 8)
		w.at++
	}
}

// pieces is a packed position taken apart.
type pieces struct {
	side    shogi.Color
	onBoard int // pieces[:onBoard] stand on squares, the others are in hand
	n       int
	piece   [maxPieces]shogi.Piece
	square  [maxPieces]shogi.Square
	king    [2]shogi.Square
	hand    [2]shogi.Hand
}

// unpack takes k apart, or tells why it is no position of a shogi set with two kings.
func (k *Packed) unpack(s *pieces) error {
	words := [...]uint64{
		binary.LittleEndian.Uint64(k[0:]), binary.LittleEndian.Uint64(k[8:]),
		binary.LittleEndian.Uint64(k[16:]), binary.LittleEndian.Uint64(k[24:]),
		uint64(binary.LittleEndian.Uint32(k[32:])),
	}
	low, high := words[0], words[1]&(1<<(shogi.NumSquares-64)-1)
	*s = pieces{
		side:    shogi.Color(words[1] >> (shogi.NumSquares - 64) & 1),
		onBoard: bits.OnesCount64(low) + bits.OnesCount64(high),
		king:    [2]shogi.Square{shogi.NoSquare, shogi.NoSquare},
	}
	if s.onBoard > maxPieces {
		return fmt.Errorf("%d squares hold a piece, a set has only %d pieces", s.onBoard, maxPieces)
	}
	i := 0
	for ; low != 0; low &= low - 1 {
		s.square[i] = shogi.Square(bits.TrailingZeros64(low))
		i++
	}
	for ; high != 0; high &= high - 1 {
		s.square[i] = shogi.Square(64 + bits.TrailingZeros64(high))
		i++
	}
	var count [16]int8 // by kind
	for at := uint(firstPiece); s.n < maxPieces; at += pieceBits {
		word, shift := at/64, at%64
		code := words[word] >> shift
		if shift > 64-pieceBits {
			code |= words[word+1] << (64 - shift)
		}
		if code &= 1<<pieceBits - 1; code == 0 {
			break
		}
		pc := shogi.Piece(code)
		t := pc.Type()
		switch {
		case t == shogi.NoPieceType || t > shogi.Dragon:
			return fmt.Errorf("there is no piece %d", pc)
		case t == shogi.King:
			if s.n >= s.onBoard || s.king[pc.Color()] != shogi.NoSquare {
				return fmt.Errorf("a second king of %v, or one in hand", pc.Color())
			}
			s.king[pc.Color()] = s.square[s.n]
		case s.n >= s.onBoard && t.IsPromoted():
			return fmt.Errorf("a promoted piece, %v, in hand", t)
		default:
			base := t.Base()
			if count[base]++; int(count[base]) > shogi.FullSet[base] {
				return fmt.Errorf("more than %d pieces of kind %v", shogi.FullSet[base], base)
			}
			if s.n >= s.onBoard {
				s.hand[pc.Color()] = s.hand[pc.Color()].Add(t, 1)
			}
		}
		s.piece[s.n] = pc
		s.n++
	}
	switch {
	case s.n < s.onBoard:
		return fmt.Errorf("%d squares hold a piece, but only %d pieces are given", s.onBoard, s.n)
	case s.king[shogi.Black] == shogi.NoSquare || s.king[shogi.White] == shogi.NoSquare:
		return errors.New("a king is missing")
	}
	return nil
}

// Position returns the position, which gets the given ply, or why k is none that the rules allow.
func (k *Packed) Position(ply int) (shogi.Position, error) {
	var s pieces
	if err := k.unpack(&s); err != nil {
		return shogi.Position{}, err
	}
	setup := shogi.Setup{Side: s.side, Ply: ply, Hands: s.hand}
	for i, pc := range s.piece[:s.onBoard] {
		setup.Board[s.square[i]] = pc
	}
	p, err := setup.Position()
	switch {
	case err != nil:
		return shogi.Position{}, err
	case Pack(&p) != *k:
		return shogi.Position{}, errors.New("the pieces in hand are out of order, or unused bits are set")
	}
	return p, nil
}
