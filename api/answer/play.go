//go:build !board

package answer

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/play"
)

// Choose has an engine choose a move in a game that goes on. What it was asked before does not change
// the answer. An engine that chooses what is no move has a bug: Choose panics.
func Choose(ctx context.Context, engine play.Engine, q *wire.PlayQuestion) play.Choice {
	engine.NewGame()
	c := engine.Search(ctx, &q.Game, q.Limits, nil)
	p := q.Game.Position()
	if !p.IsLegal(c.Move) {
		panic(fmt.Sprintf("level %s plays %v in %s", q.Level, c.Move, p.SFEN()))
	}
	for i, m := range c.Line {
		if !p.IsLegal(m) { // what a table remembers may be of another position
			c.Line = c.Line[:i]
			break
		}
		p.Do(m)
	}
	return c
}
