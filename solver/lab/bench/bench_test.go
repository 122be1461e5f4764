package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// What is wrong is noticed, what is open is not called wrong.
func TestContradiction(t *testing.T) {
	line := make([]shogi.Move, 3)
	for _, c := range []struct {
		name  string
		r     solver.Result
		truth int
		wrong bool
	}{
		{"right length", solver.Result{Verdict: solver.Mate, Line: line, Exact: true}, 3, false},
		{"longer, and not said to be shortest", solver.Result{Verdict: solver.Mate, Line: line}, 1, false},
		{"longer, and said to be shortest", solver.Result{Verdict: solver.Mate, Line: line, Exact: true}, 1, true},
		{"shorter than possible", solver.Result{Verdict: solver.Mate, Line: line}, 5, true},
		{"mate where there is none", solver.Result{Verdict: solver.Mate, Line: line}, -1, true},
		{"no mate where there is none", solver.Result{Verdict: solver.NoMate}, -1, false},
		{"no mate where there is one", solver.Result{Verdict: solver.NoMate}, 15, true},
		{"open", solver.Result{NoMateWithin: 3}, 5, false},
		{"open where there is none", solver.Result{NoMateWithin: 3}, -1, false},
		{"a bound that is too high", solver.Result{NoMateWithin: 3}, 3, true},
	} {
		if what := contradiction(&c.r, c.truth); (what != "") != c.wrong {
			t.Errorf("%s: %q", c.name, what)
		}
	}
}

// A wrong answer ends the measurement.
func TestWrongAnswer(t *testing.T) {
	groups, err := readGroups()
	if err != nil {
		t.Fatal(err)
	}
	never := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Verdict: solver.NoMate}
	})
	for _, g := range groups {
		_, err := measure(t.Context(), "never", never, &g, Options{Repeat: 1})
		var wrong *WrongError
		if errors.As(err, &wrong) == (g.name == "no mate") {
			t.Errorf("%s: error %v for a solver that always says nomate", g.name, err)
		}
		if len(g.positions) < 50 && g.name != "classic" || len(g.positions) == 0 {
			t.Errorf("%s: only %d positions", g.name, len(g.positions))
		}
	}
}

// A row counts one pass, however many there are, and lasts for as long as was asked.
func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := position{shogi.Start(), -1}
		g := group{name: "three", positions: []position{p, p, p}}
		slow := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			time.Sleep(time.Second)
			return solver.Result{Nodes: 7, Expansions: 2}
		})
		began := time.Now()
		half := func() time.Duration { return time.Since(began) / 2 }
		for _, test := range []struct {
			Options
			passes int
		}{
			{Options{Repeat: 1}, 1}, {Options{Repeat: 4}, 4}, {Options{Repeat: 2, Duration: time.Hour}, 2},
			{Options{}, 1}, {Options{Duration: 3 * time.Second}, 1}, {Options{Duration: 4 * time.Second}, 2},
		} {
			test.Processor = half
			got, err := measure(t.Context(), "slow", slow, &g, test.Options)
			took := time.Duration(3*test.passes) * time.Second
			want := Row{Name: "slow, three", Positions: 3, Verdicts: [3]int{solver.Unknown: 3}, Nodes: 21,
				Expanded: 6, Passes: test.passes, Elapsed: took, Processor: took / 2}
			if got != want || err != nil {
				t.Errorf("%v: %+v, %v; want %+v", took, got, err, want)
			}
		}
	})
}

// An interrupt ends a measurement in any pass, and no row is reported.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Solvers(ctx, Options{Duration: time.Hour}, func(Row) error {
		t.Error("a row that is not complete")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Positions are read with what is known of them, and faults are said with their line.
func TestPositions(t *testing.T) {
	const mateIn1 = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	answer := func(r solver.Result) solver.Solver {
		return solver.Func(func(ctx context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
			if _, limited := ctx.Deadline(); !limited || !lim.Shortest {
				t.Error("the limits do not reach the solver")
			}
			return r
		})
	}
	lim := solver.Limits{Shortest: true}
	wrong := solver.Result{Verdict: solver.NoMate, Nodes: 3}
	row, err := Positions(t.Context(), Options{}, "all", answer(wrong),
		strings.NewReader("# none known\r\n\r\n"+mateIn1+"\r\n"+mateIn1+"\t?\tone\n\n"), lim, time.Minute)
	want := Row{Name: "all", Positions: 2, Nodes: 6, Passes: 1, Elapsed: row.Elapsed}
	want.Verdicts[solver.NoMate] = 2
	if err != nil || row != want {
		t.Errorf("%+v, %v; want %+v", row, err, want)
	}
	var known *WrongError
	_, err = Positions(t.Context(), Options{}, "all", answer(wrong), strings.NewReader(mateIn1+"\t1\n"), lim, time.Minute)
	if !errors.As(err, &known) {
		t.Errorf("a wrong answer: %v", err)
	}
	for text, want := range map[string]string{
		"":                                    "no positions",
		"# only this\n":                       "no positions",
		mateIn1 + "\nx\n":                     "line 2",
		mateIn1 + "\n9/9/9/9/9/9/9/9/9 b - 1": "line 2",
	} {
		_, err := Positions(t.Context(), Options{}, "all", answer(wrong), strings.NewReader(text), lim, time.Minute)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The short searches find what there is.
func TestFinders(t *testing.T) {
	rows := map[string]FindRow{}
	if err := Finders(t.Context(), Options{Repeat: 2}, func(r FindRow) error {
		if r.Passes != 2 || r.Elapsed <= 0 {
			t.Errorf("%+v", r)
		}
		rows[r.Name] = r
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, all := range map[string]bool{
		"mate1.Find, mate in 1": true, "mate1.Find, mate in 3": false, "mate1.Find, no mate": false,
		"mate3.Find, mate in 1": true, "mate3.Find, mate in 3": true, "mate3.Find, no mate": false,
	} {
		r := rows[name]
		want := 0
		if all {
			want = r.Positions
		}
		if r.Found != want || r.Positions == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
