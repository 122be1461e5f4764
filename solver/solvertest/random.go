package solvertest

import "github.com/tsumero/tsumero/solver/lab/crosscheck"

// Random makes random mate problems. Equal seeds and streams give equal problems.
type Random = crosscheck.Problems

// NewRandom returns the given stream of problems of the seed.
func NewRandom(seed, stream uint64) *Random { return crosscheck.NewProblems(seed, stream) }
