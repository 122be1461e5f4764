package solvertest

import (
	"flag"
	"testing"

	"github.com/tsumero/tsumero/solver/crosscheck"
)

// Random makes random mate problems. Equal seeds and streams give equal problems.
type Random = crosscheck.Problems

// NewRandom returns the given stream of problems of the seed.
func NewRandom(seed, stream uint64) *Random { return crosscheck.NewProblems(seed, stream) }

var seed = flag.Uint64("solvertest.seed", 1, "seed of all that tests of solvers draw at random")

// Seed returns the seed of a test: the same at every run, so that a failure repeats, unless the
// flag -solvertest.seed gives another.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	tb.Logf("repeat with -solvertest.seed=%d", *seed)
	return *seed
}
