// Package door wires the solvers into the one every front end uses: the cheapest first, nothing unverified out.
package door

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
)

// New returns the solver behind every front end. A mate that fails its independent replay is turned into Unknown and
// handed to report, which may be nil; it means a bug in a solver.
func New(report func(p shogi.Position, r solver.Result, err error)) solver.Solver {
	return solver.Verified(solver.First(mate1.Solver, mate3.Solver), mate1.Find, report)
}
