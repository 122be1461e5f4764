package levels

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A spread makes an engine weaker, as people are: it plays one of the moves that it values nearly
// as highly as the best, the less often the lower. It misses no mate that it sees, and makes no
// blunder that it does not believe in.
type spread struct {
	play.Engine
	seed uint64
	most play.Score // centipawns below the best
}

const (
	spreadLines = 6 // the moves that it chooses among
	// A move is half as likely for each such part of most that it is worse.
	spreadHalves = 4
)

func (s *spread) Search(ctx context.Context, g *shogi.Game, lim play.Limits,
	report func(play.Info)) play.Choice {
	asked := max(lim.MultiPV, 1)
	if asked == 1 {
		// Only a search for one line begins with a look for short mates.
		look := lim
		look.Nodes = 1
		c := s.Engine.Search(ctx, g, look, nil)
		if plies, ok := c.Score.Mate(); ok && plies > 0 {
			if report != nil {
				report(c.Info())
			}
			return c
		}
	}
	lim.MultiPV = max(lim.MultiPV, spreadLines)
	var lines [spreadLines]play.Info
	best := s.Engine.Search(ctx, g, lim, func(i play.Info) {
		if i.Text == "" && i.MultiPV >= 1 && i.MultiPV <= spreadLines && len(i.Line) > 0 {
			if i.MultiPV == 1 {
				lines = [spreadLines]play.Info{} // another set
			}
			lines[i.MultiPV-1] = i
		}
		if report != nil && i.MultiPV <= asked {
			report(i)
		}
	})
	if _, mate := best.Score.Mate(); mate || best.Declares || best.Move == shogi.NoMove {
		return best
	}
	var weights [spreadLines]int
	total := 0
	for i := range lines {
		line := &lines[i]
		below := best.Score - line.Score
		if len(line.Line) == 0 || below > s.most {
			continue
		}
		if below < 0 && line.Depth < lines[0].Depth {
			continue // it was better in the iteration before, and is not any more
		}
		weights[i] = 1 << 16 >> (max(below, 0) * spreadHalves / s.most)
		total += weights[i]
	}
	if total == 0 {
		return best
	}
	at := newRand(s.seed, g).IntN(total)
	for i := range lines {
		if at -= weights[i]; at >= 0 {
			continue
		}
		line := &lines[i]
		if report != nil && i > 0 { // the last line reported is that of the move
			line.MultiPV, line.Nodes = 1, best.Nodes
			report(*line)
		}
		c := play.Choice{Move: line.Line[0], Score: line.Score, Line: line.Line, Depth: best.Depth,
			Nodes: best.Nodes}
		if len(line.Line) > 1 {
			c.Ponder = line.Line[1]
		}
		return c
	}
	return best
}
