package eval

import (
	"hash/fnv"
	"strconv"
	"sync"

	"github.com/tsumero/tsumero/shogi"
)

// The inputs of a network are 1,710 bits, the features. A position has one list of them for each
// of its sides: in the view of White the board is turned by half a turn and the colours are
// exchanged, so that both sides are seen alike.
//
//	  0 …   44  how many of each kind the own hand holds, one bit a count, zero included:
//	            pawn 0-18, lance 0-4, knight 0-4, silver 0-4, gold 0-4, bishop 0-2, rook 0-2
//	 45 …   89  the same of the other hand
//	 90 …  899  the own pieces on the board: ten kinds of 81 squares each, in the order pawn, lance,
//	            knight, silver, gold and what moves like it, bishop, horse, rook, dragon, king
//	900 … 1709  the other's pieces
//
// Squares count from the own right corner farthest from the own side, 1a for Black, file by file.
const (
	NumFeatures = 1710

	// MaxFeatures is how many features a position of a full set has at most: one for each of seven
	// kinds in two hands, and one for each of forty pieces.
	MaxFeatures = 14 + 40

	handFeatures  = 45
	kindFeatures  = shogi.NumSquares
	pieceFeatures = 10 * kindFeatures
	boardFeatures = 2 * handFeatures
)

// handBase[t] is the first feature of kind t in the own hand.
var handBase = [16]uint16{
	shogi.Pawn: 0, shogi.Lance: 19, shogi.Knight: 24, shogi.Silver: 29, shogi.Gold: 34,
	shogi.Bishop: 39, shogi.Rook: 42,
}

// pieceBase[pc] is the first feature of piece pc in the view of Black.
var pieceBase = func() (base [32]uint16) {
	kinds := [10][]shogi.PieceType{
		{shogi.Pawn}, {shogi.Lance}, {shogi.Knight}, {shogi.Silver},
		{shogi.Gold, shogi.Tokin, shogi.ProLance, shogi.ProKnight, shogi.ProSilver},
		{shogi.Bishop}, {shogi.Horse}, {shogi.Rook}, {shogi.Dragon}, {shogi.King},
	}
	for i, kind := range kinds {
		for _, t := range kind {
			own := uint16(boardFeatures + i*kindFeatures)
			base[shogi.PieceOf(shogi.Black, t)] = own
			base[shogi.PieceOf(shogi.White, t)] = own + pieceFeatures
		}
	}
	return base
}()

// viewBit is what the pieces of the two colours differ in.
const viewBit = shogi.Piece(16)

// PieceFeature returns the feature of piece pc on sq in the view of a side.
func PieceFeature(view shogi.Color, pc shogi.Piece, sq shogi.Square) int {
	v := int(view & 1)
	turned := (int(sq) ^ -v) + v*shogi.NumSquares // 80-sq for White
	return int(pieceBase[(pc^shogi.Piece(v)*viewBit)&31]) + turned
}

// HandFeature returns the feature, in the view of a side, of owner holding n pieces of kind t.
func HandFeature(view, owner shogi.Color, t shogi.PieceType, n int) int {
	return int((view^owner)&1)*handFeatures + int(handBase[t&15]) + n
}

// AppendFeatures appends the features of p in the view of a side, in no particular order.
func AppendFeatures(dst []uint16, p *shogi.Position, view shogi.Color) []uint16 {
	for _, owner := range [2]shogi.Color{shogi.Black, shogi.White} {
		hand := p.Hand(owner)
		for t := shogi.Pawn; t < shogi.King; t++ {
			dst = append(dst, uint16(HandFeature(view, owner, t, hand.Count(t))))
		}
	}
	for b := p.Occupied(); !b.IsEmpty(); {
		sq := b.Pop()
		dst = append(dst, uint16(PieceFeature(view, p.Piece(sq), sq)))
	}
	return dst
}

// FeatureSet returns a number that identifies the meaning of each feature. A network for another one
// has to be refused.
var FeatureSet = sync.OnceValue(func() uint64 {
	h := fnv.New64a()
	var b []byte
	for t := shogi.Pawn; t < shogi.King; t++ {
		for n := range shogi.FullSet[t] + 1 {
			b = appendMeaning(b[:0], t.String(), n, HandFeature(shogi.Black, shogi.Black, t, n))
			h.Write(b)
		}
	}
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		for _, c := range [2]shogi.Color{shogi.Black, shogi.White} {
			pc := shogi.PieceOf(c, t)
			for sq := range shogi.NumSquares {
				f := PieceFeature(shogi.Black, pc, shogi.Square(sq))
				b = appendMeaning(b[:0], pc.String(), sq, f)
				h.Write(b)
			}
		}
	}
	return h.Sum64()
})

func appendMeaning(b []byte, what string, which, feature int) []byte {
	b = append(b, what...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(which), 10)
	b = append(b, '=')
	b = strconv.AppendInt(b, int64(feature), 10)
	return append(b, '\n')
}
