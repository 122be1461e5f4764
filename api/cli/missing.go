package cli

import "github.com/tsumero/tsumero/shogi"

// missing returns how many pieces of each kind are neither on the board of p nor in a hand.
func missing(p *shogi.Position) (kinds [shogi.King]int, total int) {
	for t := shogi.Pawn; t < shogi.King; t++ {
		n := shogi.FullSet[t]
		for _, c := range []shogi.Color{shogi.Black, shogi.White} {
			n -= p.Hand(c).Count(t) + p.PiecesOf(c, t).Len()
			if t.CanPromote() {
				n -= p.PiecesOf(c, t.Promoted()).Len()
			}
		}
		kinds[t] = n
		total += n
	}
	return kinds, total
}

// withRest returns p with every missing piece in the hand of c.
func withRest(p *shogi.Position, c shogi.Color) (shogi.Position, error) {
	setup := p.Setup()
	kinds, _ := missing(p)
	for t := shogi.Pawn; t < shogi.King; t++ {
		setup.Hands[c] = setup.Hands[c].Add(t, kinds[t])
	}
	return setup.Position()
}
