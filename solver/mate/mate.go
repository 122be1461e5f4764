// Package mate is where a program that wants a mate solver begins: New returns the standard ladder
// of solvers, the cheapest first, of which every front end asks. Nothing unverified comes out of
// it. Whether a problem is sound, and how long it is as books count, is what package analysis says,
// of a session that NewSession makes.
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//
//		"github.com/tsumero/tsumero/shogi"
//		"github.com/tsumero/tsumero/solver"
//		"github.com/tsumero/tsumero/solver/mate"
//	)
//
//	func main() {
//		p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
//		r := mate.New(mate.Options{}).Solve(context.Background(), p, solver.Limits{Shortest: true})
//		fmt.Println(r.Verdict, r.Line) // mate [G*5b]
//	}
package mate

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
)

// Options are what the solvers may take of the machine.
type Options struct {
	TableBytes int // memory of a search for long mates; default 64 MiB
	Searches   int // for long mates at the same time, each with that memory; more wait. Default 1
	Threads    int // of one search for a long mate. Verdicts and exact lengths do not depend on it. Default 1
	// Report is handed every mate that failed its independent replay and was turned into Unknown: a
	// bug in a solver. nil: nobody is told.
	Report func(p shogi.Position, r solver.Result, err error)
}

// New returns the solver behind every front end.
func New(o Options) solver.Solver {
	return ladder(dfpn.New(dfpn.Options{TableBytes: o.TableBytes, Searches: o.Searches, Threads: o.Threads}), o)
}

// NewSession returns a session for an analysis.Analyzer, which keeps what it finds from one question
// to the next. It has dfpn.SessionBytes of memory.
func NewSession() solver.Session { return dfpn.NewSession() }

// ladder returns the solver that asks long last.
func ladder(long solver.Solver, o Options) solver.Solver {
	return solver.Verified(solver.First(mate1.Solver, within3, long), mate1.Find, o.Report)
}

// within3 is mate3 that leaves it to the next solver to show that there is no mate, if that is asked
// for.
var within3 = solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	r := mate3.Solver.Solve(ctx, p, lim)
	if lim.Check && r.Verdict == solver.NoMate {
		return solver.Result{Reason: solver.ReasonDepth, Nodes: r.Nodes, Solver: r.Solver}
	}
	return r
})
