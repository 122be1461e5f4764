package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// The signature of the bench moves only on purpose: "go test ./cmd/tsumero -run BenchSignature -update" moves it, and
// the commit that does so says why.
func TestBenchSignature(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and one search after the other")
	}
	const golden, columns = "testdata/bench.golden", 58 // the columns that do not depend on the machine
	var out, stderr bytes.Buffer
	if code := run(context.Background(), []string{"bench", "--repeat", "1"}, nil, &out, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var got strings.Builder
	for _, line := range strings.Split(out.String(), "\n") {
		switch {
		case strings.HasPrefix(line, "Bench: "):
			got.WriteString(line + "\n")
		case len(line) > columns && !strings.HasPrefix(line, "Perft: "):
			got.WriteString(strings.TrimRight(line[:columns], " ") + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("bench changed; if it should have, run this test with -update. Now:\n%s\nbefore:\n%s", got.String(), want)
	}
}

// What is wrong is noticed, what is open is not called wrong.
func TestBenchContradicts(t *testing.T) {
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
		if err := contradicts(&c.r, c.truth); (err != nil) != c.wrong {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A wrong answer ends the measurement.
func TestBenchRefusesWrongAnswers(t *testing.T) {
	groups, err := benchGroups()
	if err != nil {
		t.Fatal(err)
	}
	never := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Verdict: solver.NoMate}
	})
	for _, g := range groups {
		_, err := measure(context.Background(), never, g, benchFlags{repeat: 1})
		if wrong := g.name != "no mate"; (err != nil) != wrong {
			t.Errorf("%s: error %v for a solver that always says nomate", g.name, err)
		}
		if len(g.positions) < 50 && g.name != "classic" || len(g.positions) == 0 {
			t.Errorf("%s: only %d positions", g.name, len(g.positions))
		}
	}
}
