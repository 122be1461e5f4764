package solver_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
)

func ExampleFirst() {
	p := shogi.MustParseSFEN("3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1")
	s := solver.First(mate1.Solver, mate3.Solver)
	r := s.Solve(context.Background(), p, solver.Limits{})
	fmt.Println(r.Verdict, "in", r.Plies(), "plies, by", r.Solver)
	fmt.Println("it begins with", r.Line[0])
	// Output:
	// mate in 3 plies, by mate3
	// it begins with 9f5b+
}

// "None within three plies" is not "none".
func ExampleResult() {
	s := solver.First(mate1.Solver, mate3.Solver)
	for _, sfen := range []string{
		"8k/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1",
		"k8/9/1G7/9/9/9/9/9/8R b r2b3g4s4n4l18p 1",
	} {
		p := shogi.MustParseSFEN(sfen)
		r := s.Solve(context.Background(), p, solver.Limits{})
		fmt.Printf("%s, none within %d, reason %q\n", r.Verdict, r.NoMateWithin, r.Reason)
	}
	// Output:
	// nomate, none within 0, reason ""
	// unknown, none within 3, reason "solver_depth"
}

// A script is a solver that gives one answer and notes what it was asked.
type script struct {
	answer solver.Result
	asked  []solver.Limits
}

func (s *script) Solve(_ context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
	s.asked = append(s.asked, lim)
	return s.answer
}

func TestFirst(t *testing.T) {
	line := func(plies int) []shogi.Move { return slices.Repeat([]shogi.Move{shogi.NewMove(1, 0)}, plies) }
	unknown := func(bound int, reason solver.Reason, nodes uint64, name string) solver.Result {
		return solver.Result{NoMateWithin: bound, Reason: reason, Nodes: nodes, Solver: name}
	}
	mate := func(plies int, exact bool, nodes uint64, name string) solver.Result {
		return solver.Result{Verdict: solver.Mate, Line: line(plies), Exact: exact, Nodes: nodes, Solver: name}
	}
	for _, c := range []struct {
		name    string
		answers []solver.Result
		limits  solver.Limits
		want    solver.Result
		asked   []solver.Limits // of each solver in turn; those missing were not asked
	}{
		{"the first decides, and nobody else is asked",
			[]solver.Result{mate(1, true, 1, "a"), mate(3, true, 9, "b")}, solver.Limits{},
			mate(1, true, 1, "a"), []solver.Limits{{}}},
		{"no mate decides as well",
			[]solver.Result{{Verdict: solver.NoMate, Nodes: 2, Solver: "a"}, mate(3, true, 9, "b")}, solver.Limits{},
			solver.Result{Verdict: solver.NoMate, Nodes: 2, Solver: "a"}, []solver.Limits{{}}},
		{"the second decides; nodes add up",
			[]solver.Result{unknown(1, solver.ReasonDepth, 4, "a"), mate(3, true, 9, "b")}, solver.Limits{},
			solver.Result{Verdict: solver.Mate, Line: line(3), Exact: true, NoMateWithin: 1, Nodes: 13, Solver: "b"}, []solver.Limits{{}, {NoMateWithin: 1}}},
		{"the bound of the first makes the length of the second exact",
			[]solver.Result{unknown(3, solver.ReasonDepth, 4, "a"), mate(5, false, 9, "b")}, solver.Limits{},
			solver.Result{Verdict: solver.Mate, Line: line(5), Exact: true, NoMateWithin: 3, Nodes: 13, Solver: "b"}, []solver.Limits{{}, {NoMateWithin: 3}}},
		{"but not a length that leaves room for a shorter one",
			[]solver.Result{unknown(3, solver.ReasonDepth, 4, "a"), mate(7, false, 9, "b")}, solver.Limits{},
			solver.Result{Verdict: solver.Mate, Line: line(7), NoMateWithin: 3, Nodes: 13, Solver: "b"}, []solver.Limits{{}, {NoMateWithin: 3}}},
		{"a NoMate keeps no bound",
			[]solver.Result{unknown(3, solver.ReasonDepth, 4, "a"), {Verdict: solver.NoMate, Nodes: 5, Solver: "b"}}, solver.Limits{},
			solver.Result{Verdict: solver.NoMate, Nodes: 9, Solver: "b"}, []solver.Limits{{}, {NoMateWithin: 3}}},
		{"nobody decides: the last one's reason, the best bound",
			[]solver.Result{unknown(3, solver.ReasonDepth, 4, "a"), unknown(1, solver.ReasonDepth, 5, "b")}, solver.Limits{},
			unknown(3, solver.ReasonDepth, 9, "b"), []solver.Limits{{}, {NoMateWithin: 3}}},
		{"each may spend what the ones before it left",
			[]solver.Result{unknown(1, solver.ReasonDepth, 4, "a"), unknown(2, solver.ReasonDepth, 5, "b"), mate(5, false, 1, "c")},
			solver.Limits{Nodes: 100, Plies: 9},
			solver.Result{Verdict: solver.Mate, Line: line(5), NoMateWithin: 2, Nodes: 10, Solver: "c"},
			[]solver.Limits{{Nodes: 100, Plies: 9}, {Nodes: 96, Plies: 9, NoMateWithin: 1}, {Nodes: 91, Plies: 9, NoMateWithin: 2}}},
		{"nothing is left for the second",
			[]solver.Result{unknown(1, solver.ReasonDepth, 4, "a"), mate(3, true, 9, "b")}, solver.Limits{Nodes: 4},
			unknown(1, solver.ReasonNodes, 4, "a"), []solver.Limits{{Nodes: 4}}},
		{"the nodes ran out in the first",
			[]solver.Result{unknown(1, solver.ReasonNodes, 4, "a"), mate(3, true, 9, "b")}, solver.Limits{Nodes: 4},
			unknown(1, solver.ReasonNodes, 4, "a"), []solver.Limits{{Nodes: 4}}},
		{"the time ran out in the first",
			[]solver.Result{unknown(1, solver.ReasonTime, 4, "a"), mate(3, true, 9, "b")}, solver.Limits{},
			unknown(1, solver.ReasonTime, 4, "a"), []solver.Limits{{}}},
		{"cancelled in the first",
			[]solver.Result{unknown(0, solver.ReasonCancelled, 4, "a"), mate(3, true, 9, "b")}, solver.Limits{},
			unknown(0, solver.ReasonCancelled, 4, "a"), []solver.Limits{{}}},
		{"all that was asked for is proven",
			[]solver.Result{unknown(1, solver.ReasonPlies, 4, "a"), mate(3, true, 9, "b")}, solver.Limits{Plies: 1},
			unknown(1, solver.ReasonPlies, 4, "a"), []solver.Limits{{Plies: 1}}},
		{"the second proves what was asked for, and the third is not asked",
			[]solver.Result{unknown(1, solver.ReasonDepth, 4, "a"), unknown(3, solver.ReasonPlies, 5, "b"), mate(5, false, 1, "c")},
			solver.Limits{Plies: 3},
			unknown(3, solver.ReasonPlies, 9, "b"), []solver.Limits{{Plies: 3}, {Plies: 3, NoMateWithin: 1}}},
		{"no solver", nil, solver.Limits{}, solver.Result{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var scripts []*script
			var solvers []solver.Solver
			for _, a := range c.answers {
				s := &script{answer: a}
				scripts, solvers = append(scripts, s), append(solvers, s)
			}
			got := solver.First(solvers...).Solve(t.Context(), shogi.Start(), c.limits)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			var asked []solver.Limits
			for _, s := range scripts {
				asked = append(asked, s.asked...)
			}
			if !reflect.DeepEqual(asked, c.asked) {
				t.Errorf("asked with %+v, want %+v", asked, c.asked)
			}
		})
	}
}

// The same context reaches every solver.
func TestFirstHandsOnTheContext(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, true)
	calls := 0
	s := solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		if ctx.Value(key{}) != true {
			t.Error("another context")
		}
		calls++
		return solver.Result{Reason: solver.ReasonDepth}
	})
	solver.First(s, s).Solve(ctx, shogi.Start(), solver.Limits{})
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
}
