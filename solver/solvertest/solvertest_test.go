package solvertest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
)

func TestMate1(t *testing.T) { Run(t, mate1.Solver, Claim{Plies: 1, Shortest: true}) }

func TestMate3(t *testing.T) { Run(t, mate3.Solver, Claim{Plies: 3, Shortest: true}) }

func TestMate3WithoutTheorems(t *testing.T) {
	s := mate3.New(mate3.Options{NoDropOmission: true, NoMoveOmission: true, NoEscapeFirst: true, NoLastMate: true, NoKiller: true})
	Run(t, s, Claim{Plies: 3, Shortest: true})
}

func TestFirst(t *testing.T) {
	Run(t, solver.First(mate1.Solver, mate3.Solver), Claim{Plies: 3, Shortest: true})
}

func TestDoor(t *testing.T) {
	Run(t, mate.New(mate.Options{Searches: 4}), Claim{Plies: Never, Nodes: 2_000})
}

// A recorder notes whether anything was reported.
type recorder struct {
	mu     sync.Mutex
	faults []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func (r *recorder) Logf(string, ...any) {}

// faultsFound returns what a part of the kit, or with no name all of them, reports about s.
func faultsFound(part string, s solver.Solver, claim Claim, positions []Known) []string {
	var rec recorder
	for _, p := range parts {
		if part == "" || part == p.name {
			p.run(&kit{&rec, s, claim, 0}, positions)
		}
	}
	return rec.faults
}

// A solver with any of these faults must not pass, and the part that is there for it must be the
// one to say so.
func TestFaultsAreFound(t *testing.T) {
	positions := every(5, Positions(t))
	claim := Claim{Plies: 3, Shortest: true}
	if found := faultsFound("", mate3.Solver, claim, positions); len(found) > 0 {
		t.Fatalf("mate3 itself does not pass: %v", found)
	}
	// changed returns a solver that answers what change makes of mate3's answer.
	changed := func(change func(ctx context.Context, p *shogi.Position, r *solver.Result)) solver.Solver {
		return solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			r := mate3.Solver.Solve(ctx, p, lim)
			change(ctx, &p, &r)
			return r
		})
	}
	var calls atomic.Uint64
	for _, c := range []struct {
		name, part string
		solver     solver.Solver
	}{
		{"claims less than it must", "answers", mate1.Solver},
		{"never a mate", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if r.Verdict == solver.Mate {
				*r = solver.Result{Reason: solver.ReasonDepth, Nodes: r.Nodes, Solver: r.Solver}
			}
		})},
		{"no mate where there is one", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if len(r.Line) == 3 {
				*r = solver.Result{Verdict: solver.NoMate, Nodes: r.Nodes, Solver: r.Solver}
			}
		})},
		{"NoMate for what is too deep", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if r.Reason == solver.ReasonDepth {
				*r = solver.Result{Verdict: solver.NoMate, Nodes: r.Nodes, Solver: r.Solver}
			}
		})},
		{"bound too high", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if r.NoMateWithin == 3 {
				r.NoMateWithin = 5
			}
		})},
		{"no bound", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) { r.NoMateWithin = 0 })},
		{"half a line", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if len(r.Line) == 3 {
				r.Line = r.Line[:1]
			}
		})},
		{"not exact", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) { r.Exact = false })},
		{"no reason", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) { r.Reason = solver.NoReason })},
		{"a reason for a mate", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			r.Reason = solver.ReasonDepth
		})},
		{"nameless", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) { r.Solver = "" })},
		{"a line for an Unknown", "answers", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if r.Verdict == solver.Unknown {
				r.Line = []shogi.Move{shogi.NewMove(1, 0)}
			}
		})},
		{"blind for White", "colours", changed(func(_ context.Context, p *shogi.Position, r *solver.Result) {
			if p.SideToMove() == shogi.White && r.Verdict == solver.Mate {
				*r = solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 1, Nodes: r.Nodes, Solver: r.Solver}
			}
		})},
		{"blind for a king that is mated already", "defender to move", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if r.Verdict == solver.Mate && len(r.Line) == 0 {
				*r = solver.Result{Reason: solver.ReasonDepth, Nodes: r.Nodes, Solver: r.Solver}
			}
		})},
		{"other answers every time", "same question, same answer", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			r.Nodes += calls.Add(1)
		})},
		{"blind for the limit of plies", "limit of plies", solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			return mate3.Solver.Solve(ctx, p, solver.Limits{Nodes: lim.Nodes})
		})},
		{"wrong reason for the limit of plies", "limit of plies", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if r.Reason == solver.ReasonPlies {
				r.Reason = solver.ReasonDepth
			}
		})},
		{"blind for the limit of nodes", "limit of nodes", solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			return mate3.Solver.Solve(ctx, p, solver.Limits{Plies: lim.Plies})
		})},
		{"a bound it had no nodes to prove", "limit of nodes", changed(func(_ context.Context, _ *shogi.Position, r *solver.Result) {
			if r.Reason == solver.ReasonNodes {
				r.NoMateWithin = 3
			}
		})},
		{"out of time is no mate", "context ended", changed(func(ctx context.Context, _ *shogi.Position, r *solver.Result) {
			if ctx.Err() != nil && r.Verdict == solver.Unknown {
				*r = solver.Result{Verdict: solver.NoMate, Nodes: r.Nodes, Solver: r.Solver}
			}
		})},
		{"cancelled called out of time", "context ended", changed(func(ctx context.Context, _ *shogi.Position, r *solver.Result) {
			if ctx.Err() != nil && r.Verdict == solver.Unknown {
				r.Reason = solver.ReasonTime
			}
		})},
		{"a mate too many in too little time", "context ended", changed(func(ctx context.Context, _ *shogi.Position, r *solver.Result) {
			if ctx.Err() != nil && r.Verdict == solver.Unknown {
				r.Reason = solver.ReasonProof
			}
		})},
		{"decides without a king", "no problem", changed(func(_ context.Context, p *shogi.Position, r *solver.Result) {
			if _, err := solver.Attacker(p); err != nil {
				*r = solver.Result{Verdict: solver.NoMate, Nodes: 1, Solver: "liar"}
			}
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if found := faultsFound(c.part, c.solver, claim, positions); len(found) == 0 {
				t.Errorf("passes %q", c.part)
			}
		})
	}
	t.Run("claims any length", func(t *testing.T) {
		if found := faultsFound("answers", mate3.Solver, Claim{Plies: Never}, positions); len(found) == 0 {
			t.Error("a solver of three plies passes as one of any length")
		}
	})
}

// With several threads nodes and lines that are not exact may differ, and nothing else.
func TestThreadsFaultsAreFound(t *testing.T) {
	positions := every(25, Positions(t))
	one := mate3.Solver
	changed := func(change func(r *solver.Result)) solver.Solver {
		return solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			r := one.Solve(ctx, p, lim)
			change(&r)
			return r
		})
	}
	otherLine := func(r *solver.Result) {
		if len(r.Line) > 0 {
			r.Line = slices.Clone(r.Line)
			r.Line[0] = shogi.NewMove(1, 0)
		}
	}
	for _, c := range []struct {
		name   string
		passes bool
		change func(r *solver.Result)
	}{
		{"nothing", true, func(*solver.Result) {}},
		{"nodes", true, func(r *solver.Result) { r.Nodes += 5 }},
		{"the line of a mate that is not exact", true, func(r *solver.Result) { otherLine(r); r.Exact = false }},
		{"the line of an exact mate", false, otherLine},
		{"its length", false, func(r *solver.Result) {
			if len(r.Line) == 3 {
				r.Line = r.Line[:1]
			}
		}},
		{"a verdict", false, func(r *solver.Result) {
			if r.Verdict == solver.Mate {
				*r = solver.Result{Verdict: solver.NoMate}
			}
		}},
		{"a mate is missed", false, func(r *solver.Result) {
			if r.Verdict == solver.Mate {
				*r = solver.Result{}
			}
		}},
		{"a bug is admitted", false, func(r *solver.Result) {
			if r.Verdict == solver.Mate {
				*r = solver.Result{Reason: solver.ReasonUnverified}
			}
		}},
		{"the nodes always run out", false, func(r *solver.Result) { r.Reason = solver.ReasonNodes }},
	} {
		var rec recorder
		threads(&kit{&rec, one, Claim{}, 0}, changed(c.change), positions)
		if passes := len(rec.faults) == 0; passes != c.passes {
			t.Errorf("%s: passes: %v, want %v: %v", c.name, passes, c.passes, rec.faults)
		}
	}
}

// The plain search finds what is known, on both sides of the limit.
func TestShortest(t *testing.T) {
	for i, k := range every(5, Positions(t)) {
		for _, plies := range []int{1, 3} {
			want := Never
			if k.Most <= plies {
				want = k.Most
			}
			if got := Shortest(&k.Position, plies); got != want {
				t.Errorf("%s: sfen %s: within %d plies %d, want %d", k.Source, k.Position.SFEN(), plies, got, want)
			}
		}
		if testing.Short() && i > 20 {
			break
		}
	}
}

func TestRandom(t *testing.T) {
	seed := shogitest.Seed(t)
	a, b, other := NewRandom(seed, 1), NewRandom(seed, 1), NewRandom(seed, 2)
	attacks, defences, different := 0, 0, 0
	for range 2_000 {
		p, same := a.Next(), b.Next()
		if p != same {
			t.Fatalf("the same seed and stream gave %s and %s", p.SFEN(), same.SFEN())
		}
		if p != other.Next() {
			different++
		}
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatalf("%s: %v", p.SFEN(), err)
		}
		if attacker == p.SideToMove() {
			attacks++
		} else {
			defences++
		}
		setup := p.Setup()
		if _, err := setup.Position(); err != nil {
			t.Fatalf("%s: %v", p.SFEN(), err)
		}
	}
	if attacks == 0 || defences == 0 || different == 0 {
		t.Errorf("%d problems with the attacker to move, %d with the defender, %d differ between streams", attacks, defences, different)
	}
}

func TestParse(t *testing.T) {
	const gold = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	for _, c := range []struct {
		line        string
		least, most int // -1: refused
	}{
		{gold + "\t1\tfrom", 1, 1},
		{gold + "\t-1", Never, Never},
		{gold + "\t<=17", 0, 17},
		{gold + "\t?", 0, Never},
		{gold, -1, -1},
		{gold + "\tone", -1, -1},
		{gold + "\t-2", -1, -1},
		{"4k4/9/9 b - 1\t1", -1, -1},
		{"9/9/9/9/9/9/9/9/9 b - 1\t1", -1, -1},
	} {
		k, err := parse(c.line)
		if (err != nil) != (c.least < 0) {
			t.Errorf("%q: %v", c.line, err)
		} else if err == nil && (k.Least != c.least || k.Most != c.most) {
			t.Errorf("%q: %d to %d plies, want %d to %d", c.line, k.Least, k.Most, c.least, c.most)
		}
	}
}
