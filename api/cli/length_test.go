package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate"
)

// Raw lengths and those by F2 as published: see the corpus of package analysis.
const (
	raw5F2in3 = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
	raw7F2in7 = "5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
)

func solveLengths(t *testing.T, o Options, policy length.Policy, positions ...string) string {
	t.Helper()
	o.Workers, o.Length = 1, &policy
	o.Limits.Shortest = true
	o.NewSession = func() solver.Session { return dfpn.NewSession() }
	if o.Solver == nil {
		o.Solver = mate.New(mate.Options{})
	}
	var out, stderr bytes.Buffer
	tally, err := Solve(t.Context(), o, Arguments(positions), &out, &stderr, new(Progress))
	if err != nil || tally.Answered != len(positions) {
		t.Errorf("%+v, %v, %s", tally, err, &stderr)
	}
	return out.String()
}

// The conventional length comes first, and the raw one where it differs. The interposition that makes
// the difference is marked.
func TestSolveLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy length.Policy
		sfen   string
		want   []string
		not    string
	}{
		{length.F2, raw5F2in3, []string{"\nmate in 3 by F2; counting every move, mate in 5: black forces it\n",
			"\n  ply 2: P*3c is futile (the same play goes on): taken by +Rx3c, nothing changes\n",
			"\n  R-4c+ K-1b +R-2c\n"}, "P*3c +Rx3c"},
		{length.F0, raw5F2in3, []string{"\nmate in 5 by F0: black forces it\n"}, "futile"},
		{length.F1, raw5F2in3, []string{"\nmate in 5 by F1: black forces it\n"}, "futile"},
		{length.F2, raw7F2in7, []string{"\nmate in 7 by F2: black forces it\n"}, "futile"},
		{length.F2, headGold, []string{"\nmate in 1 by F2: black forces it\n"}, "futile"},
		// From the middle of it, the defender to move.
		{length.F2, raw5F2in3 + " moves 4e4c+", []string{"\nmate in 2 by F2; counting every move, mate in 4: ",
			"\n  △１二玉 ", "\n  ply 1: P*3c is futile"}, ""},
		{length.F2, "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2", []string{"\nmate: white is mated already\n"}, "F2"},
		{length.F2, "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1", []string{"\nno mate: "}, "F2"},
		// White attacks.
		{length.F2, "9/9/9/9/3r5/P8/K8/9/1r7 w 2B4G4S4N4L17P 1", []string{"\nmate in 3 by F2; counting every move, mate in 5: white"}, ""},
	} {
		out := solveLengths(t, Options{Output: "text"}, c.policy, c.sfen)
		for _, text := range c.want {
			if !strings.Contains(out, text) {
				t.Errorf("%v %s: no %q in\n%s", c.policy, c.sfen, text, out)
			}
		}
		if c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("%v %s: %s in\n%s", c.policy, c.sfen, c.not, out)
		}
	}
}

func TestSolveLengthFormats(t *testing.T) {
	t.Parallel()
	out := solveLengths(t, Options{Output: "json"}, length.F2, raw5F2in3)
	if !strings.Contains(out, `,"length":{"policy":"F2","low":3,"high":3,"raw":{"low":5,"high":5},"futile":[{"ply":`) {
		t.Error(out)
	}
	out = solveLengths(t, Options{Output: "tsv"}, length.F2, raw5F2in3, "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1")
	lines := strings.Split(out, "\n")
	if !strings.HasSuffix(lines[0], "\telapsed_us\tpolicy\tlength_low\tlength_high") ||
		!strings.HasSuffix(lines[1], "\tF2\t3\t3") || !strings.HasSuffix(lines[2], "\t\t\t") {
		t.Error(out)
	}
}

// A length that the limits leave open is an interval that has the true one.
func TestSolveLengthLimits(t *testing.T) {
	t.Parallel()
	const long = "1p4g+b1/3l2gks/4sn2s/3pn1S1g/2pn1pl1l/2n1p1p2/R6g1/KR7/B6L1 b 12p 1" // 13 by all policies
	for _, nodes := range []uint64{1, 30, 1000} {
		found := solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
			r := mate.New(mate.Options{}).Solve(t.Context(), p, solver.Limits{Shortest: true})
			r.Exact, r.NoMateWithin = false, 0
			return r
		})
		out := solveLengths(t, Options{Output: "text", Solver: found, Limits: solver.Limits{Nodes: nodes}}, length.F2, long)
		if !strings.Contains(out, " to 13 by F2, the nodes ran out (--nodes); counting every move, mate in 13 or fewer") {
			t.Errorf("%d nodes:\n%s", nodes, out)
		}
		// Where nobody set a limit, the flag that looks further is the one of the policy.
		out = solveLengths(t, Options{Output: "text", Solver: found, LengthNodes: nodes}, length.F2, long)
		if !strings.Contains(out, " to 13, the nodes ran out (--length F2); counting every move, mate in 13 or fewer") {
			t.Errorf("%d nodes by default:\n%s", nodes, out)
		}
	}
}

// What was asked before changes no answer, and not its nodes.
func TestSolveLengthAgain(t *testing.T) {
	t.Parallel()
	for _, moves := range []bool{false, true} {
		out := solveLengths(t, Options{Output: "text", Moves: moves}, length.F2, raw5F2in3, raw5F2in3)
		first, second, _ := strings.Cut(strings.TrimSuffix(out, "\n"), "\n\n")
		if first != second {
			t.Errorf("printed\n%s\nand then\n%s", first, second)
		}
	}
}

// An interrupting session ends the run at its first question.
type interrupting struct {
	solver.Session
	interrupt func()
}

func (s interrupting) Reset() {}

func (s interrupting) Decide(ctx context.Context, _ solver.Question) solver.Decision {
	s.interrupt()
	<-ctx.Done()
	return solver.Decision{Reason: solver.ReasonCancelled}
}

// An interrupt leaves no length of which half is known, unless it was asked for.
func TestSolveLengthInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sfen  string
		moves bool
		nodes uint64 // by default
		want  string
	}{
		{raw7F2in7, false, 1_000_000, "\nmate in 7: black forces it\n"},
		{raw7F2in7, false, 0, " to 7 by F2, interrupted; "},
		{raw5F2in3, true, 1_000_000, "\nmate in 5: black forces it\n"},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		var out, stderr bytes.Buffer
		o := Options{Solver: mate.New(mate.Options{}), Workers: 1, Output: "text", Moves: c.moves,
			Limits: solver.Limits{Shortest: true}, Length: new(length.F2), LengthNodes: c.nodes,
			NewSession: func() solver.Session { return interrupting{interrupt: interrupt} }}
		_, err := Solve(ctx, o, Arguments([]string{c.sfen}), &out, &stderr, new(Progress))
		if !errors.Is(err, ErrInterrupted) || !strings.Contains(out.String(), c.want) {
			t.Errorf("%+v: %v\n%s", c, err, &out)
		}
	}
}
