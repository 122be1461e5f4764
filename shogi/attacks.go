package shogi

import "math/bits"

// The eight directions a slider looks in. The first four lead to smaller square numbers, the last four to larger
// ones, which decides how the first obstacle is found. direction d+4 is the opposite of d.
const (
	dirUp        = iota // towards rank a
	dirRight            // towards file 1
	dirUpRight          //
	dirDownRight        //
	dirDown
	dirLeft
	dirDownLeft
	dirUpLeft
	numDirs
	// notAligned is the direction between squares that share no line; its rays are all empty.
	notAligned
)

var dirStep = [numDirs]struct{ file, rank int }{
	dirUp: {0, -1}, dirRight: {-1, 0}, dirUpRight: {-1, -1}, dirDownRight: {-1, 1},
	dirDown: {0, 1}, dirLeft: {1, 0}, dirDownLeft: {1, 1}, dirUpLeft: {1, -1},
}

// forwardDir is the direction c's pawns and lances look in.
func forwardDir(c Color) int { return int(c) * (dirDown - dirUp) }

func offset(sq Square, file, rank int) (Square, bool) {
	f, r := int(sq.File())+file, int(sq.Rank())+rank
	if f < 0 || f > 8 || r < 0 || r > 8 {
		return NoSquare, false
	}
	return SquareAt(File(f), Rank(r)), true
}

// rays[d][sq] is every square from sq, exclusive, to the edge in direction d.
var rays = func() (t [16][128]Bitboard) {
	for d, step := range dirStep {
		for sq := range Square(NumSquares) {
			for to, ok := offset(sq, step.file, step.rank); ok; to, ok = offset(to, step.file, step.rank) {
				t[d][sq] = t[d][sq].With(to)
			}
		}
	}
	return t
}()

// directions[a*128+b] is the direction in which b is seen from a, or notAligned.
var directions = func() (t [128 * 128]uint8) {
	for i := range t {
		t[i] = notAligned
	}
	for a := range Square(NumSquares) {
		for d := range numDirs {
			for b := range rays[d][a].All() {
				t[int(a)*128+int(b)] = uint8(d)
			}
		}
	}
	return t
}()

func direction(a, b Square) uint8 { return directions[int(a&127)<<7|int(b&127)] }

// between returns the squares strictly between a and b on their common line, none if they share none.
func between(a, b Square) Bitboard {
	d := direction(a, b)
	return rays[d&15][a&127].AndNot(rays[d&15][b&127]).AndNot(bit(b))
}

// rayThrough returns every square of the ray that starts at a, exclusive, and runs through b to the edge.
func rayThrough(a, b Square) Bitboard { return rays[direction(a, b)&15][a&127] }

// upward cuts a ray that leads to larger square numbers after its first obstacle: subtracting one flips
// every bit up to the lowest one.
func upward(ray, occupied Bitboard) Bitboard {
	b := ray.And(occupied)
	lo, borrow := bits.Sub64(b.lo, 1, 0)
	return Bitboard{ray.lo & (b.lo ^ lo), ray.hi & (b.hi ^ (b.hi - borrow))}
}

// downward cuts a ray that leads to smaller square numbers after its first obstacle.
func downward(ray, occupied Bitboard) Bitboard {
	b := ray.And(occupied)
	if b.hi != 0 {
		return Bitboard{0, ray.hi & (^uint64(0) << (63 - uint(bits.LeadingZeros64(b.hi))))}
	}
	return Bitboard{ray.lo & (^uint64(0) << (63 - uint(bits.LeadingZeros64(b.lo|1)))), ray.hi}
}

func rookAttacks(sq Square, occupied Bitboard) Bitboard {
	sq &= 127
	return upward(rays[dirDown][sq], occupied).Or(upward(rays[dirLeft][sq], occupied)).
		Or(downward(rays[dirUp][sq], occupied)).Or(downward(rays[dirRight][sq], occupied))
}

func bishopAttacks(sq Square, occupied Bitboard) Bitboard {
	sq &= 127
	return upward(rays[dirDownLeft][sq], occupied).Or(upward(rays[dirUpLeft][sq], occupied)).
		Or(downward(rays[dirUpRight][sq], occupied)).Or(downward(rays[dirDownRight][sq], occupied))
}

func lanceAttacks(c Color, sq Square, occupied Bitboard) Bitboard {
	if c == Black {
		return downward(rays[dirUp][sq&127], occupied)
	}
	return upward(rays[dirDown][sq&127], occupied)
}

// steps[c][t][sq] is where a piece of kind t and colour c on sq can step. For sliders it holds their
// one-square steps only: the king's steps for Horse and Dragon, nothing for Lance, Bishop and Rook.
var steps = func() (t [2][16][128]Bitboard) {
	type step struct{ file, rank int }
	orthogonal := []step{{0, -1}, {-1, 0}, {1, 0}, {0, 1}}
	diagonal := []step{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}
	gold := append([]step{{-1, -1}, {1, -1}}, orthogonal...)
	king := append(append([]step{}, orthogonal...), diagonal...)
	kinds := map[PieceType][]step{
		Pawn:   {{0, -1}},
		Knight: {{-1, -2}, {1, -2}},
		Silver: append([]step{{0, -1}}, diagonal...),
		Gold:   gold, Tokin: gold, ProLance: gold, ProKnight: gold, ProSilver: gold,
		King: king, Horse: king, Dragon: king,
	}
	for kind, list := range kinds {
		for sq := range Square(NumSquares) {
			for _, s := range list {
				if to, ok := offset(sq, s.file, s.rank); ok {
					t[Black][kind][sq] = t[Black][kind][sq].With(to)
				}
				if to, ok := offset(sq, s.file, -s.rank); ok {
					t[White][kind][sq] = t[White][kind][sq].With(to)
				}
			}
		}
	}
	return t
}()

func stepAttacks(c Color, t PieceType, sq Square) Bitboard { return steps[c&1][t&15][sq&127] }

// StepAttacks is Attacks for the kinds that only step: Pawn, Knight, Silver, King and all that move like a gold.
func StepAttacks(c Color, t PieceType, sq Square) Bitboard { return stepAttacks(c, t, sq) }

func kingAttacks(sq Square) Bitboard { return steps[Black][King][sq&127] }

// diagonals and crosses are the squares a bishop or rook reaches on an empty board.
var diagonals, crosses = func() (d, c [128]Bitboard) {
	for sq := range Square(NumSquares) {
		d[sq] = bishopAttacks(sq, Bitboard{})
		c[sq] = rookAttacks(sq, Bitboard{})
	}
	return d, c
}()

// Attacks returns the squares a piece of kind t and colour c on sq attacks when the squares in occupied are obstacles.
func Attacks(c Color, t PieceType, sq Square, occupied Bitboard) Bitboard {
	switch t {
	case Lance:
		return lanceAttacks(c, sq, occupied)
	case Bishop:
		return bishopAttacks(sq, occupied)
	case Rook:
		return rookAttacks(sq, occupied)
	case Horse:
		return bishopAttacks(sq, occupied).Or(kingAttacks(sq))
	case Dragon:
		return rookAttacks(sq, occupied).Or(kingAttacks(sq))
	}
	return stepAttacks(c, t, sq)
}

// contactSquares[c][kind][sq] is where a piece of kind next to sq attacks it, the piece being of the colour opposite to c.
var contactSquares = func() (t [2][16][128]Bitboard) {
	for c := Black; c <= White; c++ {
		for kind := Pawn; kind < numPieceTypes; kind++ {
			for sq := range Square(NumSquares) {
				t[c][kind][sq] = Attacks(c, kind, sq, Bitboard{}).And(kingAttacks(sq))
			}
		}
	}
	return t
}()

// ContactSquares returns the neighbours of sq from which a piece of kind t, of the colour opposite to c, attacks sq.
func ContactSquares(c Color, t PieceType, sq Square) Bitboard {
	return contactSquares[c&1][t&15][sq&127]
}

// Between returns the squares strictly between a and b, none if they are not on one rank, file or diagonal.
func Between(a, b Square) Bitboard { return between(a, b) }

// RayThrough returns every square of the ray that starts at a, exclusive, and runs through b to the edge of the board,
// none if a and b are not on one rank, file or diagonal.
func RayThrough(a, b Square) Bitboard { return rayThrough(a, b) }

// ForwardRay returns every square in front of sq on its file, as c sees it.
func ForwardRay(c Color, sq Square) Bitboard { return rays[forwardDir(c)&15][sq&127] }

// PromotionZone returns the three ranks where c promotes.
func PromotionZone(c Color) Bitboard { return promotionZone[c&1] }

// InPromotionZone reports whether sq is on one of the three ranks where c promotes.
func InPromotionZone(c Color, sq Square) bool { return promotionZone[c&1].Has(sq) }

// Neighbours returns the up to eight squares around sq.
func Neighbours(sq Square) Bitboard { return kingAttacks(sq) }

// guardReach[c][k][kind] is every square from which a stepping piece of c attacks a neighbour of k.
var guardReach = func() (t [2][128][16]Bitboard) {
	for c := Black; c <= White; c++ {
		for k := range Square(NumSquares) {
			for _, kind := range []PieceType{Pawn, Knight, Silver, Gold, King} {
				for b := kingAttacks(k); !b.IsEmpty(); {
					t[c][k][kind] = t[c][k][kind].Or(stepAttacks(c^1, kind, b.Pop()))
				}
			}
		}
	}
	return t
}()

// rankMask[r] is all squares of rank r.
var rankMask = func() (t [9]Bitboard) {
	for sq := range Square(NumSquares) {
		t[sq.Rank()] = t[sq.Rank()].With(sq)
	}
	return t
}()

// promotionZone[c] is the three far ranks, lastRank[c] the farthest, lastTwoRanks[c] the two farthest, as c sees them.
var (
	promotionZone = [2]Bitboard{
		rankMask[RankA].Or(rankMask[RankB]).Or(rankMask[RankC]),
		rankMask[RankG].Or(rankMask[RankH]).Or(rankMask[RankI]),
	}
	lastRank     = [2]Bitboard{rankMask[RankA], rankMask[RankI]}
	lastTwoRanks = [2]Bitboard{rankMask[RankA].Or(rankMask[RankB]), rankMask[RankH].Or(rankMask[RankI])}
)

// filesWithout returns all squares of the files on which b, at most one square a file, has none.
// In each nine-bit file, (1<<8)-b keeps bit 8 exactly when the file is empty; that bit is then spread over the file.
func filesWithout(b Bitboard) Bitboard {
	const topLo, topHi = 0x4020100804020100 & loMask, 1<<8 | 1<<17
	lo, hi := (topLo-b.lo)&topLo, (topHi-b.hi)&topHi
	return Bitboard{lo | (lo - lo>>8), hi | (hi - hi>>8)}
}
