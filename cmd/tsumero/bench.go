package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
)

// benchPositions are SFENs with the known length of the shortest mate, -1 for none at any length.
//
//go:embed testdata/bench.tsv
var benchPositions []byte

type benchFlags struct {
	duration time.Duration
	repeat   int
	profile  string
}

func newBench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the solvers on a fixed set of positions",
		Long: `Bench runs each solver on one processor over positions that are part of the program and whose answers are known:
mates in 1, mates in 3, longer mates of games, positions without a mate, and a few classical problems. The row
"shortest" looks for the shortest of the longer mates. No search looks at more than a number of nodes that is the same
every time, so some answers are unknown. A wrong one ends it with exit code 1.

The line "Bench:" is the number of nodes of one pass of all solvers. It is the same on every machine and changes only
when a search does, so it tells a change of behaviour from a change of speed.

The times are those of the whole answer, on a table of 64 MiB: a row of "mate" is what a front end waits for, its
verification included.

A CPU profile of bench, taken with --cpuprofile, is what default.pgo is made from.`,
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return bench(cmd, f) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.duration, "duration", 150*time.Millisecond, "measure each row for at least `DURATION`")
	flags.IntVar(&f.repeat, "repeat", 0, "measure each row with exactly `N` passes instead")
	flags.StringVar(&f.profile, "cpuprofile", "", "write a CPU profile to `FILE`")
	return cmd
}

// A benchGroup is the positions of one kind, and what is asked about each.
type benchGroup struct {
	name      string
	limits    solver.Limits
	positions []benchPosition
}

type benchPosition struct {
	position shogi.Position
	plies    int // of the shortest mate, -1 for none
}

// The kinds of positions.
const (
	mateIn1 = iota
	mateIn3
	longerMate
	noMate
	classic
	shortest
	numGroups
)

// classicPlies is the least length of a classical problem; the mates of the games are shorter.
const classicPlies = 19

// benchTable is the size of the table, in bytes.
const benchTable = 64 << 20

// benchGroups returns the embedded positions by kind.
func benchGroups() ([numGroups]benchGroup, error) {
	groups := [numGroups]benchGroup{
		mateIn1:    {name: "mate in 1"},
		mateIn3:    {name: "mate in 3"},
		longerMate: {name: "longer mate", limits: solver.Limits{Nodes: 200_000}},
		noMate:     {name: "no mate", limits: solver.Limits{Nodes: 200_000}},
		classic:    {name: "classic", limits: solver.Limits{Nodes: 200_000}},
		shortest:   {name: "shortest", limits: solver.Limits{Nodes: 10_000, Shortest: true}},
	}
	lines := bufio.NewScanner(bytes.NewReader(benchPositions))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 2 {
			return groups, fmt.Errorf("bench.tsv: no answer in %q", lines.Text())
		}
		p, err := shogi.ParseSFEN(fields[0])
		if err != nil {
			return groups, fmt.Errorf("bench.tsv: %w", err)
		}
		plies, err := strconv.Atoi(fields[1])
		if err != nil {
			return groups, fmt.Errorf("bench.tsv: %w", err)
		}
		g := &groups[longerMate]
		switch {
		case plies == 1:
			g = &groups[mateIn1]
		case plies == 3:
			g = &groups[mateIn3]
		case plies == -1:
			g = &groups[noMate]
		case plies >= classicPlies:
			g = &groups[classic]
		}
		g.positions = append(g.positions, benchPosition{p, plies})
	}
	groups[shortest].positions = groups[longerMate].positions
	return groups, lines.Err()
}

// A benchRow is what one solver did with one group in one pass, and how long a pass took.
type benchRow struct {
	verdicts [3]int
	nodes    uint64
	passes   int
	elapsed  time.Duration // of all passes
}

func bench(cmd *cobra.Command, f benchFlags) error {
	if f.repeat < 0 || f.duration < 0 {
		return usageError(cmd, "--repeat and --duration must not be negative")
	}
	if f.profile != "" {
		file, err := os.Create(f.profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	groups, err := benchGroups()
	if err != nil {
		return err
	}
	solvers := []struct {
		name string
		solver.Solver
		groups []int
	}{
		{"mate1", mate1.Solver, []int{mateIn1, mateIn3, longerMate, noMate}},
		{"mate3", mate3.Solver, []int{mateIn1, mateIn3, longerMate, noMate}},
		{"dfpn", dfpn.New(dfpn.Options{TableBytes: benchTable}), []int{longerMate, noMate, classic, shortest}},
		{"mate", mate.New(mate.Options{TableBytes: benchTable}), []int{mateIn1, mateIn3, longerMate, noMate}},
	}

	ctx, out := cmd.Context(), cmd.OutOrStdout()
	fmt.Fprintf(out, "%-19s %9s %5s %6s %7s %7s %11s %13s\n",
		"solver", "positions", "mate", "nomate", "unknown", "nodes", "µs/position", "nodes/s")
	var signature uint64
	var elapsed time.Duration
	for _, s := range solvers {
		for _, i := range s.groups {
			g := groups[i]
			row, err := measure(ctx, s.Solver, g, f)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			signature += row.nodes
			elapsed += row.elapsed
			positions := float64(row.passes * len(g.positions))
			_, err = fmt.Fprintf(out, "%-19s %9d %5d %6d %7d %7d %11.2f %13s\n", s.name+", "+g.name, len(g.positions),
				row.verdicts[solver.Mate], row.verdicts[solver.NoMate], row.verdicts[solver.Unknown], row.nodes,
				row.elapsed.Seconds()*1e6/positions, cli.PerSecond(row.nodes*uint64(row.passes), row.elapsed))
			if err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(out)
	if err := benchPerft(ctx, out, f); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Time: %v\nBench: %d\n", elapsed.Round(time.Millisecond), signature)
	return err
}

// measure lets s solve the group until f is satisfied. The answers are checked in the first pass; later ones repeat it.
func measure(ctx context.Context, s solver.Solver, g benchGroup, f benchFlags) (benchRow, error) {
	var row benchRow
	start := time.Now()
	for again := true; again; {
		for _, q := range g.positions {
			r := s.Solve(ctx, q.position, g.limits)
			if row.passes > 0 {
				continue
			}
			if ctx.Err() != nil {
				break
			}
			if err := contradicts(&r, q.plies); err != nil {
				return row, &exitError{exitNegative, fmt.Errorf("%s: %w", q.position.SFEN(), err)}
			}
			row.verdicts[r.Verdict]++
			row.nodes += r.Nodes
		}
		row.passes++
		row.elapsed = time.Since(start)
		if ctx.Err() != nil {
			return row, interrupted("nothing is printed of a row that is not complete")
		}
		if again = row.elapsed < f.duration; f.repeat > 0 {
			again = row.passes < f.repeat
		}
	}
	return row, nil
}

// contradicts reports how r differs from the truth, which is the length of the shortest mate, or -1 if there is none.
func contradicts(r *solver.Result, plies int) error {
	switch {
	case r.Verdict == solver.Mate && (plies < 0 || len(r.Line) < plies || r.Exact && len(r.Line) > plies):
		return fmt.Errorf("answered mate in %d, the truth is %d", len(r.Line), plies)
	case r.Verdict == solver.NoMate && plies > 0:
		return fmt.Errorf("answered no mate, the truth is mate in %d", plies)
	case r.Verdict == solver.Unknown && plies > 0 && r.NoMateWithin >= plies:
		return fmt.Errorf("answered no mate within %d, the truth is mate in %d", r.NoMateWithin, plies)
	}
	return nil
}

// benchTrees are trees of legal moves with their known number of leaves.
var benchTrees = []struct {
	name, sfen string
	depth      int
	leaves     uint64
}{
	{"initial position", shogi.StartSFEN, 5, 19861490},
	{"many drops", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 3, 4809015},
}

func benchPerft(ctx context.Context, out io.Writer, f benchFlags) error {
	for _, t := range benchTrees {
		p, err := shogi.ParseSFEN(t.sfen)
		if err != nil {
			return err
		}
		start, passes := time.Now(), 0
		for again := true; again; {
			if n := shogi.Perft(p, t.depth, shogi.AllMoves); n != t.leaves {
				return &exitError{exitNegative, fmt.Errorf("perft %d of %s is %d, the truth is %d", t.depth, t.sfen, n, t.leaves)}
			}
			passes++
			if ctx.Err() != nil {
				return interrupted("perft is not complete")
			}
			if again = time.Since(start) < f.duration; f.repeat > 0 {
				again = passes < f.repeat
			}
		}
		elapsed := time.Since(start)
		if _, err := fmt.Fprintf(out, "Perft: %s, depth %d, %s leaves/s\n", t.name, t.depth, cli.PerSecond(t.leaves*uint64(passes), elapsed)); err != nil {
			return err
		}
	}
	return nil
}
