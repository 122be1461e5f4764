package levels

import (
	"context"
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// random plays any legal move, each with the same chance: non-promotions and moves that hang a piece
// as well as all others. Its choice depends on its seed, the position and the number of moves played,
// and on nothing that it was asked before.
type random struct{ seed uint64 }

// NewGame does nothing: there is nothing to forget.
func (e *random) NewGame() {}

// Search chooses among the legal moves, or those of lim.Moves, and heeds nothing else in lim. It
// reports nothing, for it has no opinion.
func (e *random) Search(_ context.Context, g *shogi.Game, lim play.Limits,
	_ func(play.Info)) play.Choice {
	var buf shogi.MoveBuffer
	moves := lim.Allowed(g, &buf)
	if len(moves) == 0 {
		return play.Choice{}
	}
	m := moves[newRand(e.seed, g).IntN(len(moves))]
	return play.Choice{Move: m, Line: []shogi.Move{m}, Nodes: 1}
}

// newRand returns the random numbers for a choice in the current position of g. They depend on the
// seed, the position and the number of moves played alone, so the same question gets the same
// answer whatever was asked before.
func newRand(seed uint64, g *shogi.Game) *rand.Rand {
	p := g.Position()
	return rand.New(rand.NewPCG(seed, p.Key()+uint64(len(g.Moves()))))
}
