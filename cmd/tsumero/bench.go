package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/bench"
)

type benchFlags struct {
	bench.Options
	profile string
}

func newBench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the solvers on a fixed set of positions",
		Long: `Bench runs each solver on one processor over positions that are part of the
program and whose answers are known: mates in 1, mates in 3, longer mates of games, positions
without a mate, and a few classical problems. The row "shortest" looks for the shortest of the
longer mates. Each search has a limit of nodes that is the same every time, so some answers are
unknown. A wrong answer ends the run with exit code 1.

The line "Bench:" is the number of nodes of one pass of all solvers. It is the same on every
machine and changes only when a search does, so it tells a change of behaviour from a change of
speed.

The times are those of the whole answer, on a table of 64 MiB: a row of "mate" is what a front
end waits for, its verification included.

A CPU profile of bench, taken with --cpuprofile, is what default.pgo is made from.`,
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd, f) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.Duration, "duration", 150*time.Millisecond,
		"measure each row for at least `DURATION`")
	flags.IntVar(&f.Repeat, "repeat", 0, "measure each row with exactly `N` passes instead")
	flags.StringVar(&f.profile, "cpuprofile", "", "write a CPU profile to `FILE`")
	return cmd
}

func runBench(cmd *cobra.Command, f benchFlags) error {
	if f.Repeat < 0 || f.Duration < 0 {
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

	ctx, out := cmd.Context(), cmd.OutOrStdout()
	fmt.Fprintf(out, "%-19s %9s %5s %6s %7s %7s %11s %13s\n",
		"solver", "positions", "mate", "nomate", "unknown", "nodes", "µs/position", "nodes/s")
	var signature uint64
	var elapsed time.Duration
	err := bench.Solvers(ctx, f.Options, func(r bench.Row) error {
		signature += r.Nodes
		elapsed += r.Elapsed
		_, err := fmt.Fprintf(out, "%-19s %9d %5d %6d %7d %7d %11.2f %13s\n", r.Name, r.Positions,
			r.Verdicts[solver.Mate], r.Verdicts[solver.NoMate], r.Verdicts[solver.Unknown], r.Nodes,
			r.Elapsed.Seconds()*1e6/float64(r.Passes*r.Positions),
			cli.PerSecond(r.Nodes*uint64(r.Passes), r.Elapsed))
		return err
	})
	if err != nil {
		return benchError(err)
	}
	fmt.Fprintln(out)
	err = bench.Perft(ctx, f.Options, func(r bench.PerftRow) error {
		_, err := fmt.Fprintf(out, "Perft: %s, depth %d, %s leaves/s\n", r.Name, r.Depth,
			cli.PerSecond(r.Leaves*uint64(r.Passes), r.Elapsed))
		return err
	})
	if err != nil {
		return benchError(err)
	}
	_, err = fmt.Fprintf(out, "Time: %v\nBench: %d\n", elapsed.Round(time.Millisecond), signature)
	return err
}

// benchError gives the error of a measurement its exit code.
func benchError(err error) error {
	var wrong *bench.WrongError
	switch {
	case errors.As(err, &wrong):
		return &exitError{exitNegative, err}
	case errors.Is(err, context.Canceled):
		return interrupted("nothing is printed of a row that is not complete")
	}
	return err
}
