package search

import "math"

// The margins of the search are in centipawns, depths in plies.
const (
	aspirationDepth  = 4  // from this depth on the root is searched with a window
	aspirationWindow = 50 // its half width at first

	reverseFutilityDepth    = 7
	reverseFutilityStep     = 120
	reverseFutilityImproved = 100 // less when the evaluation is improving

	nullMoveDepth = 3

	iirDepth = 4 // internal iterative reduction without a table move

	futilityDepth              = 6
	futilityBase, futilityStep = 180, 130

	quietCountBase = 6 // late move pruning: so many quiets and twice the square of the depth

	exchangeDepth       = 7
	quietExchangeStep   = 30  // times the square of the depth
	captureExchangeStep = 100 // times the depth

	mate3Depth = 3

	quiescenceMargin = 200 // futility of captures
)

// reductions[depth][n] is by how much the n-th move is reduced.
var reductions = func() (r [64][64]int8) {
	var logs [64]float64
	for n := 1; n < 64; n++ {
		logs[n] = math.Log(float64(n))
		for depth := 1; depth <= n; depth++ {
			r[depth][n] = int8(logs[depth] * logs[n] / 2.25)
			r[n][depth] = r[depth][n]
		}
	}
	return r
}()
