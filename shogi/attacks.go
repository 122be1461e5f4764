package shogi

import "math/bits"

// The eight directions a slider looks in: the rook's, then the bishop's. Up and right lead to
// smaller square numbers, down and left to larger ones, and a diagonal goes with its file, which
// decides how the first obstacle is found.
const (
	dirUp    = iota // towards rank a
	dirRight        // towards file 1
	dirDown
	dirLeft
	dirUpRight
	dirDownRight
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

func offset(sq Square, file, rank int) (Square, bool) {
	f, r := int(sq.File())+file, int(sq.Rank())+rank
	if f < 0 || f > 8 || r < 0 || r > 8 {
		return NoSquare, false
	}
	return SquareAt(File(f), Rank(r)), true
}

// rays[sq][d] is every square from sq, exclusive, to the edge in direction d. The rays of one
// square lie side by side, the rook's in one cache line and the bishop's in the next.
var rays = func() (t [128][16]Bitboard) {
	for d, step := range dirStep {
		for sq := range Square(NumSquares) {
			for to, ok := offset(sq, step.file, step.rank); ok; to, ok = offset(to, step.file, step.rank) {
				t[sq][d] = t[sq][d].With(to)
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
			for b := range rays[a][d].All() {
				t[int(a)*128+int(b)] = uint8(d)
			}
		}
	}
	return t
}()

func direction(a, b Square) uint8 { return directions[int(a&127)<<7|int(b&127)] }

// Between returns the squares strictly between a and b, none if they are not on one rank, file or
// diagonal.
func Between(a, b Square) Bitboard {
	d := direction(a, b)
	return rays[a&127][d&15].AndNot(rays[b&127][d&15]).AndNot(bit(b))
}

// RayThrough returns every square of the ray that starts at a, exclusive, and runs through b to the
// edge of the board, none if a and b are not on one rank, file or diagonal.
func RayThrough(a, b Square) Bitboard { return rays[a&127][direction(a, b)&15] }

// upward cuts a ray that leads to larger square numbers after its first obstacle: subtracting one
// flips every bit up to the lowest one.
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

// RookAttacks is Attacks for a Rook of either colour.
func RookAttacks(sq Square, occupied Bitboard) Bitboard {
	r := &rays[sq&127]
	return upward(r[dirDown], occupied).Or(upward(r[dirLeft], occupied)).
		Or(downward(r[dirUp], occupied)).Or(downward(r[dirRight], occupied))
}

// BishopAttacks is Attacks for a Bishop of either colour.
func BishopAttacks(sq Square, occupied Bitboard) Bitboard {
	r := &rays[sq&127]
	return upward(r[dirDownLeft], occupied).Or(upward(r[dirUpLeft], occupied)).
		Or(downward(r[dirUpRight], occupied)).Or(downward(r[dirDownRight], occupied))
}

// LanceAttacks is Attacks for a Lance.
func LanceAttacks(c Color, sq Square, occupied Bitboard) Bitboard {
	if c == Black {
		return downward(rays[sq&127][dirUp], occupied)
	}
	return upward(rays[sq&127][dirDown], occupied)
}

// emptyAttacks[c][sq][t] is what a piece of kind t and colour c on sq attacks on an empty board.
// The kinds of one square lie side by side because they are asked for together. Like the other
// large tables it is filled where it stands: as the result of a function it would be copied.
var emptyAttacks [2][128][16]Bitboard

func init() {
	t := &emptyAttacks
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
	for sq := range Square(NumSquares) {
		for kind, list := range kinds {
			for _, s := range list {
				if to, ok := offset(sq, s.file, s.rank); ok {
					t[Black][sq][kind] = t[Black][sq][kind].With(to)
				}
				if to, ok := offset(sq, s.file, -s.rank); ok {
					t[White][sq][kind] = t[White][sq][kind].With(to)
				}
			}
		}
		diagonals, cross := BishopAttacks(sq, Bitboard{}), RookAttacks(sq, Bitboard{})
		for c := Black; c <= White; c++ {
			a := &t[c][sq]
			a[Lance], a[Bishop], a[Rook] = LanceAttacks(c, sq, Bitboard{}), diagonals, cross
			a[Horse], a[Dragon] = a[Horse].Or(diagonals), a[Dragon].Or(cross)
		}
	}
}

// StepAttacks is Attacks for the kinds that only step, whom no obstacle can stop: Pawn, Knight,
// Silver, King and all that move like a gold.
func StepAttacks(c Color, t PieceType, sq Square) Bitboard { return emptyAttacks[c&1][sq&127][t&15] }

// EmptyAttacks is Attacks on an empty board.
func EmptyAttacks(c Color, t PieceType, sq Square) Bitboard { return emptyAttacks[c&1][sq&127][t&15] }

// Neighbours returns the up to eight squares around sq.
func Neighbours(sq Square) Bitboard { return emptyAttacks[Black][sq&127][King] }

// Around returns which of the eight squares around sq are in b, one bit each, in ascending order of
// the squares: bits 0-2 are those on the file to the right, 3 and 4 the ones above and below sq,
// 5-7 those on the file to the left. Bits of squares off the board are clear.
func (b Bitboard) Around(sq Square) uint8 {
	b = b.And(Neighbours(sq))
	// The square above on the right comes to bit 0. Nothing of b is lost, because the neighbours
	// span 21 squares only.
	turn := 10 - int(sq)
	w := bits.RotateLeft64(b.lo, turn) | bits.RotateLeft64(b.hi, turn+loSquares)
	return uint8(w&7 | w>>6&8 | w>>7&16 | w>>13&0xe0)
}

// Attacks returns the squares a piece of kind t and colour c on sq attacks when the squares in
// occupied are obstacles.
func Attacks(c Color, t PieceType, sq Square, occupied Bitboard) Bitboard {
	switch t {
	case Lance:
		return LanceAttacks(c, sq, occupied)
	case Bishop:
		return BishopAttacks(sq, occupied)
	case Rook:
		return RookAttacks(sq, occupied)
	case Horse:
		return BishopAttacks(sq, occupied).Or(Neighbours(sq))
	case Dragon:
		return RookAttacks(sq, occupied).Or(Neighbours(sq))
	}
	return StepAttacks(c, t, sq)
}

// ForwardRay returns every square in front of sq on its file, as c sees it.
func ForwardRay(c Color, sq Square) Bitboard { return emptyAttacks[c&1][sq&127][Lance] }

// PromotionZone returns the three ranks where c promotes.
func PromotionZone(c Color) Bitboard { return promotionZone[c&1] }

// InPromotionZone reports whether sq is on one of the three ranks where c promotes.
func InPromotionZone(c Color, sq Square) bool { return promotionZone[c&1].Has(sq) }

// guardReach[c][k][kind] is every square from which a piece of c could attack a neighbour of k if
// nothing stood between.
var guardReach [2][128][16]Bitboard

func init() {
	t := &guardReach
	for c := Black; c <= White; c++ {
		for k := range Square(NumSquares) {
			for kind := Pawn; kind < numPieceTypes; kind++ {
				for b := Neighbours(k); !b.IsEmpty(); {
					t[c][k][kind] = t[c][k][kind].Or(StepAttacks(c^1, kind, b.Pop()))
				}
			}
		}
	}
}

// rankMask[r] is all squares of rank r.
var rankMask = func() (t [9]Bitboard) {
	for sq := range Square(NumSquares) {
		t[sq.Rank()] = t[sq.Rank()].With(sq)
	}
	return t
}()

// promotionZone[c] is the three far ranks, lastTwoRanks[c] the two farthest, as c sees them.
var (
	promotionZone = [2]Bitboard{
		rankMask[RankA].Or(rankMask[RankB]).Or(rankMask[RankC]),
		rankMask[RankG].Or(rankMask[RankH]).Or(rankMask[RankI]),
	}
	lastTwoRanks = [2]Bitboard{rankMask[RankA].Or(rankMask[RankB]), rankMask[RankH].Or(rankMask[RankI])}
)

// deadEnds[c][t] is where a piece of kind t and colour c could never move again (行き所のない駒).
var deadEnds = [2][16]Bitboard{
	{Pawn: rankMask[RankA], Lance: rankMask[RankA], Knight: lastTwoRanks[Black]},
	{Pawn: rankMask[RankI], Lance: rankMask[RankI], Knight: lastTwoRanks[White]},
}

// IsDead reports whether an unpromoted piece of kind t and colour c could never move again from sq.
func IsDead(c Color, t PieceType, sq Square) bool { return deadEnds[c&1][t&15].Has(sq) }

// filesWithout returns all squares of the files on which b, at most one square a file, has none. In
// each nine-bit file, (1<<8)-b keeps bit 8 exactly when the file is empty; that bit is then spread
// over the file.
func filesWithout(b Bitboard) Bitboard {
	const topLo, topHi = 0x4020100804020100 & loMask, 1<<8 | 1<<17
	lo, hi := (topLo-b.lo)&topLo, (topHi-b.hi)&topHi
	return Bitboard{lo | (lo - lo>>8), hi | (hi - hi>>8)}
}
