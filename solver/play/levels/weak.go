package levels

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A weak engine plays as somebody does who reads little and overlooks much: of the legal moves it
// sees a share, another one in each position, and chooses the best of these, by few nodes. So it
// errs by what it did not see, and does not give pieces away for nothing as random moves would. Its
// choice depends on the seed, the position and the number of moves played, as that of random.
type weak struct {
	play.Engine
	seed  uint64
	nodes uint64 // that it looks at for a move at most; 0: any number
	sees  int    // percent of the legal moves, at least one; 0: all
}

func (w *weak) Search(ctx context.Context, g *shogi.Game, lim play.Limits,
	report func(play.Info)) play.Choice {
	if w.nodes > 0 && (lim.Nodes == 0 || lim.Nodes > w.nodes) {
		lim.Nodes = w.nodes
	}
	if w.sees > 0 {
		var buf shogi.MoveBuffer
		lim.Moves = w.seen(g, lim.Allowed(g, &buf))
	}
	return w.Engine.Search(ctx, g, lim, report)
}

// seen returns those of moves that the engine sees. Moves of a king that is not in check are
// overlooked twice as easily: among few moves they would be the best too often, and the king would
// wander.
func (w *weak) seen(g *shogi.Game, moves []shogi.Move) []shogi.Move {
	rng := newRand(w.seed, g)
	rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	moves = moves[:(len(moves)*w.sees+99)/100]
	p := g.Position()
	king := p.King(p.SideToMove())
	if p.InCheck() {
		return moves
	}
	n := 0
	for _, m := range moves {
		if m.IsDrop() || m.From() != king || rng.IntN(100) < w.sees {
			moves[n] = m
			n++
		}
	}
	return moves[:max(n, min(1, len(moves)))]
}
