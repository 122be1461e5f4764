package crosscheck

import (
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
)

// initialEvery is how often a game begins with the initial position.
const initialEvery = 4

// start returns the position a game begins with: the initial position for one game in initialEvery, and for the others a random
// one, with two kings, one, or none, few pieces or many, and the rest in hand or missing. Random play from the initial
// position hardly ever meets a pawn drop that mates, a double check or a long interposition; such positions do.
func start(rng *rand.Rand, number uint64) shogi.Position {
	if number%initialEvery == 0 {
		return shogi.Start()
	}
	for {
		if p, err := setup(rng, number); err == nil {
			return p
		}
	}
}

func setup(rng *rand.Rand, number uint64) (shogi.Position, error) {
	s := shogi.Setup{Side: shogi.Color(rng.IntN(2)), Ply: 1}
	empty := func() (shogi.Square, bool) {
		sq := shogi.Square(rng.IntN(shogi.NumSquares))
		return sq, s.Board[sq] == shogi.NoPiece
	}
	kings := []shogi.Color{shogi.Black, shogi.White}
	switch number / initialEvery % 4 {
	case 0: // the side to move has nothing to fear
		kings = []shogi.Color{s.Side.Opponent()}
	case 1:
		if rng.IntN(8) == 0 {
			kings = nil
		}
	}
	for _, c := range kings {
		if sq, ok := empty(); ok {
			s.Board[sq] = shogi.PieceOf(c, shogi.King)
		}
	}
	density := 1 + rng.IntN(100) // percent of the set on the board
	inHand := rng.IntN(101)      // percent of the rest in hand
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for range shogi.FullSet[kind] {
			c := shogi.Color(rng.IntN(2))
			if rng.IntN(100) < density/2 {
				k := kind
				if k.CanPromote() && rng.IntN(3) == 0 {
					k = k.Promoted()
				}
				sq, ok := empty()
				if ok && !shogi.IsDead(c, k, sq) && !(k == shogi.Pawn && pawnOn(&s, c, sq.File())) {
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

func pawnOn(s *shogi.Setup, c shogi.Color, file shogi.File) bool {
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		if s.Board[shogi.SquareAt(file, rank)] == shogi.PieceOf(c, shogi.Pawn) {
			return true
		}
	}
	return false
}

// choose returns a random legal move, more often a check, a capture or a drop near a king than not.
func choose(rng *rand.Rand, p *shogi.Position, legal, checks []shogi.Move) shogi.Move {
	if len(legal) == 0 {
		return shogi.NoMove
	}
	if len(checks) > 0 && rng.IntN(3) == 0 {
		return checks[rng.IntN(len(checks))]
	}
	m := legal[rng.IntN(len(legal))]
	for range 3 {
		if p.Piece(m.To()) != shogi.NoPiece || m.IsPromotion() {
			return m
		}
		m = legal[rng.IntN(len(legal))]
	}
	return m
}
