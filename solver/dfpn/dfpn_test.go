package dfpn_test

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// shortest asks for the shortest mate.
type shortest struct{ solver.Solver }

func (s shortest) Solve(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	lim.Shortest = true
	return s.Solver.Solve(ctx, p, lim)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	solvertest.Run(t, dfpn.New(dfpn.Options{Searches: 4}), solvertest.Claim{Plies: solvertest.Never, Nodes: 8_000})
}

func TestConformanceShortest(t *testing.T) {
	notShort(t)
	t.Parallel()
	solvertest.Run(t, shortest{dfpn.New(dfpn.Options{Searches: 4})}, solvertest.Claim{Plies: solvertest.Never, Shortest: true, Nodes: 8_000})
}

// TestConformanceThreads asks with 3 threads what one thread answers.
func TestConformanceThreads(t *testing.T) {
	t.Parallel()
	o := dfpn.Options{TableBytes: 4 << 20, Threads: 3}
	one := dfpn.New(dfpn.Options{TableBytes: 4 << 20})
	solvertest.Threads(t, one, dfpn.NewAtOnce(o))
	if !testing.Short() {
		o.Searches = 2
		claim := solvertest.Claim{Plies: solvertest.Never, Nodes: 8_000, Threads: true}
		solvertest.Run(t, dfpn.NewAtOnce(o), claim)
	}
}
