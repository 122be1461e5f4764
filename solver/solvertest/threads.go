package solvertest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/solver"
)

// Threads asks one, a solver whose searches have one thread, and many, the same solver with
// several, for the shortest mates of the positions of the package. Both must give the same
// verdicts, the same exact lengths and the same exact lines. The nodes may differ, and so may the
// line of a mate that is not exact.
func Threads(t *testing.T, one, many solver.Solver) {
	threads(&kit{t, one, Claim{}, 0}, many, every(12, Positions(t)))
}

// nodesForThreads is enough for nearly all positions of the package.
const nodesForThreads = 50_000

func threads(k *kit, many solver.Solver, positions []Known) {
	compared := 0
	for i := range positions {
		p := positions[i].Position
		limits := solver.Limits{Nodes: nodesForThreads, Shortest: true}
		a := k.solver.Solve(context.Background(), p, limits)
		if a.Reason == solver.ReasonNodes {
			continue
		}
		b := many.Solve(context.Background(), p, limits)
		if b.Reason == solver.ReasonNodes {
			continue
		}
		compared++
		fault := disagreement(&a, &b)
		if a.Reason != b.Reason {
			fault = fmt.Sprintf("the reasons are %q and %q", a.Reason, b.Reason)
		}
		if fault != "" {
			k.Errorf("%s: sfen %s: %s: one thread %+v, several %+v",
				positions[i].Source, p.SFEN(), fault, a, b)
		}
	}
	k.Logf("%d of %d positions compared", compared, len(positions))
	if compared*10 < len(positions)*8 {
		k.Errorf("of %d positions only %d were decided", len(positions), compared)
	}
}

// disagreement returns what differs between two answers to one question, by one solver with any
// number of threads, that must not: "" if nothing does. An answer that a limit cut short may be
// less.
func disagreement(a, b *solver.Result) string {
	unlimited := a.Reason == solver.NoReason && b.Reason == solver.NoReason
	switch {
	case a.Verdict != b.Verdict &&
		(unlimited || a.Verdict != solver.Unknown && b.Verdict != solver.Unknown):
		return fmt.Sprintf("the verdicts are %v and %v", a.Verdict, b.Verdict)
	case a.Exact && b.Exact && len(a.Line) != len(b.Line):
		return fmt.Sprintf("the shortest mates have %d and %d plies", len(a.Line), len(b.Line))
	case a.Exact && b.Exact && unlimited && !slices.Equal(a.Line, b.Line):
		return "the lines of the shortest mates differ"
	}
	return ""
}
