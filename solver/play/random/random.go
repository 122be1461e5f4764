// Package random is the level that plays any legal move, each with the same chance: non-promotions
// and moves that hang a piece as well as all others.
package random

import (
	"context"
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// An Engine plays random moves. Its choice depends on its seed, the position and the number of
// moves played, and on nothing that it was asked before.
type Engine struct{ seed uint64 }

// New returns an Engine.
func New(seed uint64) *Engine { return &Engine{seed} }

// NewGame does nothing: there is nothing to forget.
func (e *Engine) NewGame() {}

// Search chooses among the legal moves, or those of lim.Moves, and heeds nothing else in lim. It
// reports nothing, for it has no opinion.
func (e *Engine) Search(_ context.Context, g *shogi.Game, lim play.Limits,
	_ func(play.Info)) play.Choice {
	p := g.Position()
	var buf shogi.MoveBuffer
	moves := Allowed(&p, &buf, lim.Moves)
	if len(moves) == 0 {
		return play.Choice{}
	}
	m := moves[NewRand(e.seed, g).IntN(len(moves))]
	return play.Choice{Move: m, Line: []shogi.Move{m}, Nodes: 1}
}

// Allowed writes to buf, and returns, the legal moves of p, in the order of the generator; if only
// is not nil, those that are in it too.
func Allowed(p *shogi.Position, buf *shogi.MoveBuffer, only []shogi.Move) []shogi.Move {
	moves := p.LegalMoves(buf, shogi.AllMoves)
	if only == nil {
		return moves
	}
	wanted := make(map[shogi.Move]bool, len(only))
	for _, m := range only {
		wanted[m] = true
	}
	kept := moves[:0]
	for _, m := range moves {
		if wanted[m] {
			kept = append(kept, m)
		}
	}
	return kept
}

// NewRand returns the random numbers for a choice in the current position of g. They depend on the
// seed, the position and the number of moves played alone, so the same question gets the same
// answer whatever was asked before.
func NewRand(seed uint64, g *shogi.Game) *rand.Rand {
	p := g.Position()
	return rand.New(rand.NewPCG(seed, p.Key()+uint64(len(g.Moves()))))
}
