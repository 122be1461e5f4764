package length

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
)

// Prove returns a bound from above of the length of p, the defender to move, if one of at most b plies
// is found, else Unbounded.
func (e *Engine) Prove(p shogi.Position, b int) int {
	e.begin(context.Background(), p, 0)
	return e.proveDefence(b)
}
