package crosscheck

import (
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// opening returns the position that a game of the random player begins with, and after how many
// plies what is rare about such a position is played away, 0 for never. Three games of four begin
// with checks from afar, with pins and discovered checks around two kings or, a few, with a king
// that has entered the other camp, and end soon; the others are long.
func opening(problems *solvertest.Random, rng *rand.Rand, number uint64) (p shogi.Position, plies int) {
	switch number % 4 {
	case 0:
		number /= 4
		if plies = 64; number%initialEvery == 0 {
			plies = 0
		}
		return start(rng, number), plies
	case 1:
		return problems.Interposition(), 16
	}
	if number%16 == 3 {
		return problems.Entered(), 16
	}
	return problems.Crossfire(), 16
}

// initialEvery is how often start returns the initial position.
const initialEvery = 4

// start returns the position a game begins with: the initial position for one game in initialEvery,
// and for the others a random one. Random play from the initial position hardly ever meets a pawn
// drop that mates, a double check or a long interposition; such positions do.
func start(rng *rand.Rand, number uint64) shogi.Position {
	if number%initialEvery == 0 {
		return shogi.Start()
	}
	for {
		if p, err := setup(rng); err == nil {
			return p
		}
	}
}

// setup returns a random position, or an error if what came out is none: two kings, one, or none,
// few pieces or many, in half of the positions gathered around the kings, and the rest in hand or
// missing.
func setup(rng *rand.Rand) (shogi.Position, error) {
	s := shogi.Setup{Side: shogi.Color(rng.IntN(2)), Ply: 1}
	var kings []shogi.Color
	switch rng.IntN(16) {
	case 0: // nobody to check
	case 1:
		kings = []shogi.Color{s.Side}
	case 2, 3, 4, 5, 6: // a mate problem: the side to move has nothing to fear
		kings = []shogi.Color{s.Side.Opponent()}
	default:
		kings = []shogi.Color{shogi.Black, shogi.White}
	}
	var stand []shogi.Square // where the kings stand
	for _, c := range kings {
		sq := shogi.Square(rng.IntN(shogi.NumSquares))
		if s.Board[sq] != shogi.NoPiece {
			sq = (sq + 40) % shogi.NumSquares
		}
		s.Board[sq] = shogi.PieceOf(c, shogi.King)
		stand = append(stand, sq)
	}
	gathered := rng.IntN(2) == 0 && len(stand) > 0
	onBoard := 1 + rng.IntN(50) // percent of the set
	inHand := rng.IntN(101)     // percent of the rest
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for range shogi.FullSet[kind] {
			c := shogi.Color(rng.IntN(2))
			if rng.IntN(100) < onBoard {
				k := kind
				if k.CanPromote() && rng.IntN(3) == 0 {
					k = k.Promoted()
				}
				sq := shogi.Square(rng.IntN(shogi.NumSquares))
				if gathered {
					sq = near(rng, stand[rng.IntN(len(stand))], 3)
				}
				if s.Board[sq] == shogi.NoPiece && !shogi.IsDead(c, k, sq) &&
					(k != shogi.Pawn || !pawnOn(&s, c, sq.File())) {
					s.Board[sq] = shogi.PieceOf(c, k)
					continue
				}
			}
			if rng.IntN(100) < inHand {
				s.Hands[c] = s.Hands[c].Add(kind, 1)
			}
		}
	}
	return s.Position()
}

// near returns a random square at most so many files and ranks away.
func near(rng *rand.Rand, sq shogi.Square, away int) shogi.Square {
	line := func(at int) int { return max(0, min(8, at+rng.IntN(2*away+1)-away)) }
	return shogi.SquareAt(shogi.File(line(int(sq.File()))), shogi.Rank(line(int(sq.Rank()))))
}

func pawnOn(s *shogi.Setup, c shogi.Color, file shogi.File) bool {
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		if s.Board[shogi.SquareAt(file, rank)] == shogi.PieceOf(c, shogi.Pawn) {
			return true
		}
	}
	return false
}

// passes reports whether the side to move passes now, which it may do only out of check. So both
// sides come to move on many a board, and one of them builds up what a game seldom shows.
func passes(rng *rand.Rand, p *shogi.Position) bool { return rng.IntN(16) == 0 && !p.InCheck() }

// choose returns a random legal move, NoMove if there is none: more often than not a check, a
// capture, a drop beside the other king or a promotion if there is one.
func choose(rng *rand.Rand, p *shogi.Position, legal, checks []shogi.Move) shogi.Move {
	if len(legal) == 0 {
		return shogi.NoMove
	}
	king := p.King(p.SideToMove().Opponent())
	wish := func(shogi.Move) bool { return true }
	switch rng.IntN(8) {
	case 0, 1:
		if len(checks) > 0 {
			return checks[rng.IntN(len(checks))]
		}
	case 2, 3:
		wish = func(m shogi.Move) bool { return p.Piece(m.To()) != shogi.NoPiece }
	case 4:
		wish = func(m shogi.Move) bool { return m.IsDrop() && beside(m.To(), king) }
	case 5:
		wish = func(m shogi.Move) bool { return m.IsPromotion() }
	}
	first := rng.IntN(len(legal))
	for i := range legal {
		if m := legal[(first+i)%len(legal)]; wish(m) {
			return m
		}
	}
	return legal[first]
}

// beside reports whether two squares touch.
func beside(a, b shogi.Square) bool {
	if !b.IsValid() {
		return false
	}
	files, ranks := int(a.File())-int(b.File()), int(a.Rank())-int(b.Rank())
	return files >= -1 && files <= 1 && ranks >= -1 && ranks <= 1
}
