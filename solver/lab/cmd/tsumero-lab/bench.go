package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/pprof"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/lab/bench"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play/levels"
)

type benchFlags struct {
	bench.Options
	profile string
	play    bool
	depth   int

	// The rest is about the positions of a file.
	file     string
	memory   cli.Size
	threads  int
	nodes    uint64
	each     time.Duration
	shortest bool
}

func newBench() *cobra.Command {
	f := benchFlags{Options: bench.Options{Processor: command.ProcessorTime}}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the solvers on a fixed set of positions",
		Long: `Bench runs each solver on one processor over positions that are part of the program and whose
answers are known: mates in 1, mates in 3, longer mates of games, positions without a mate, and a few
classical problems. The row "shortest" looks for the shortest of the longer mates. Each search has a
limit of nodes that is the same every time, so some answers are unknown. A wrong answer ends the run
with exit code 1.

A node is a position that was looked at. Those that are expanded have all their moves looked at, and
cost three times as much as the others, so a search that takes fewer nodes need not be faster: the
last column is the processor time, in seconds, of a million nodes.

The line "Bench:" is the number of nodes of one pass of all solvers. It is the same on every
machine and changes only when a search does, so it tells a change of behaviour from a change of
speed.

The times are those of the whole answer, on a table of 64 MiB: a row of "mate" is what a front
end waits for, its verification included.

With --file the solver of the front ends solves the positions of a file instead, each once. A line
is an SFEN and, after a tab if it is known, the plies of the shortest mate, -1 for none. Any line of
a shortest mate will do here, as for the USI engine.

With --play the engines that play games are measured instead, with one thread: they search positions
of games, each to the same depth. The line "Bench (play):" is the number of their nodes in one pass.

CPU profiles of bench, taken with --cpuprofile, with and without --play, are what default.pgo is made
from.`,
		Example: `  tsumero-lab bench --duration 5s
  tsumero-lab bench --play --depth 12
  tsumero-lab bench --file classics.tsv --time 10s --memory 1G
  tsumero-lab bench --file games.tsv --shortest --nodes 2000000 --threads 2`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd, f) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.Duration, "duration", 150*time.Millisecond,
		"measure each row for at least `DURATION`")
	flags.IntVar(&f.Repeat, "repeat", 0, "measure each row with exactly `N` passes instead")
	flags.BoolVar(&f.play, "play", false, "measure the playing engines instead")
	flags.IntVar(&f.depth, "depth", 9, "with --play: search each position `N` plies deep")
	flags.StringVarP(&f.file, "file", "f", "", "solve the positions of `FILE` instead; - is standard input")
	f.memory = 256 << 20
	flags.Var(&f.memory, "memory", "with --file: `SIZE` of the table")
	flags.IntVar(&f.threads, "threads", 1, "with --file: search each position with `N` threads")
	flags.Uint64Var(&f.nodes, "nodes", 0, "with --file: look at no more than `N` positions for each (0: any number)")
	flags.DurationVar(&f.each, "time", 0, "with --file: spend no more than `DURATION` on each (0: any)")
	flags.BoolVar(&f.shortest, "shortest", false, "with --file: look for the shortest mates")
	flags.StringVar(&f.profile, "cpuprofile", "", "write a CPU profile to `FILE`")
	return cmd
}

func runBench(cmd *cobra.Command, f benchFlags) error {
	if err := f.check(cmd); err != nil {
		return command.UsageError(cmd, "%w", err)
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

	if f.file != "" {
		return benchFile(cmd, &f)
	}
	if f.play {
		return benchPlay(cmd, &f)
	}
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	writeBenchHeading(out)
	var signature uint64
	var elapsed, processor time.Duration
	err := bench.Solvers(ctx, f.Options, func(r bench.Row) error {
		signature += r.Nodes
		elapsed += r.Elapsed
		processor += r.Processor
		return writeBenchRow(out, &r)
	})
	if err != nil {
		return benchError(err)
	}
	fmt.Fprintln(out)
	err = bench.Finders(ctx, f.Options, func(r bench.FindRow) error {
		_, err := fmt.Fprintf(out, "%s: %d of %d, %.0f ns a position\n", r.Name, r.Found, r.Positions,
			float64(r.Elapsed.Nanoseconds())/float64(r.Passes*r.Positions))
		return err
	})
	if err != nil {
		return benchError(err)
	}
	err = bench.Perft(ctx, f.Options, func(r bench.PerftRow) error {
		_, err := fmt.Fprintf(out, "Perft: %s, depth %d, %s leaves/s\n", r.Name, r.Depth,
			cli.English.PerSecond(r.Leaves*uint64(r.Passes), r.Elapsed))
		return err
	})
	if err != nil {
		return benchError(err)
	}
	_, err = fmt.Fprintf(out, "Time: %v, %v of processors\nBench: %d\n", elapsed.Round(time.Millisecond),
		processor.Round(time.Millisecond), signature)
	return err
}

// check returns what is wrong with the flags.
func (f *benchFlags) check(cmd *cobra.Command) error {
	if f.Repeat < 0 || f.Duration < 0 {
		return errors.New("--repeat and --duration must not be negative")
	}
	switch {
	case f.play && f.file != "":
		return errors.New("--play does not go with --file")
	case !f.play && cmd.Flags().Changed("depth"):
		return errors.New("--depth goes with --play only")
	case f.depth < 1 || f.depth > maxPlayDepth:
		return fmt.Errorf("--depth is %d, but must be 1 to %d", f.depth, maxPlayDepth)
	}
	if f.file == "" {
		for _, name := range []string{"memory", "threads", "nodes", "time", "shortest"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is for the positions of a --file", name)
			}
		}
		return nil
	}
	for _, name := range []string{"duration", "repeat"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not go with --file, whose positions are solved once", name)
		}
	}
	return checkSearch(f.memory, f.threads, f.each)
}

// checkSearch returns what is wrong with the flags --memory, --threads and --time of a search.
func checkSearch(table cli.Size, threads int, time time.Duration) error {
	switch most := command.MaxMemory(); {
	case table < command.LeastTable || table > most:
		return fmt.Errorf("--memory is %v, but must be %v to %v, which is all there is",
			table, command.LeastTable, most)
	case threads < 1 || threads > command.MaxThreads:
		return fmt.Errorf("--threads is %d, but must be 1 to %d", threads, command.MaxThreads)
	case time < 0:
		return errors.New("--time must not be negative")
	}
	return nil
}

// maxPlayDepth is more than a bench can wait for.
const maxPlayDepth = 60

// benchPlay measures the playing engines.
func benchPlay(cmd *cobra.Command, f *benchFlags) error {
	var players []bench.Player
	for _, name := range []string{"club", "full"} {
		e, err := levels.New(name, levels.Options{Nodes: math.MaxUint64})
		if err != nil {
			return err
		}
		players = append(players, bench.Player{Name: name, Engine: e})
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%-8s %9s %11s %13s %13s\n", "level", "positions", "nodes", "nodes/s", "allocs/search")
	var signature uint64
	err := bench.Play(cmd.Context(), f.Options, f.depth, players, func(r bench.PlayRow) error {
		signature += r.Nodes
		_, err := fmt.Fprintf(out, "%-8s %9d %11d %13s %13d\n", r.Name, r.Positions, r.Nodes,
			cli.English.PerSecond(r.Nodes*uint64(r.Passes), r.Elapsed), r.Allocs/uint64(r.Positions))
		return err
	})
	if err != nil {
		return benchError(err)
	}
	_, err = fmt.Fprintf(out, "Bench (play): %d\n", signature)
	return err
}

// benchFile measures the positions of a file.
func benchFile(cmd *cobra.Command, f *benchFlags) error {
	in := cmd.InOrStdin()
	if f.file != "-" {
		file, err := os.Open(f.file)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	s := mate.New(mate.Options{TableBytes: int(f.memory), Threads: f.threads})
	lim := solver.Limits{Nodes: f.nodes, Shortest: f.shortest, AnyLine: true}
	row, err := bench.Positions(cmd.Context(), f.Options, "mate", s, in, lim, f.each)
	if err != nil {
		return benchError(err)
	}
	out := cmd.OutOrStdout()
	writeBenchHeading(out)
	if err := writeBenchRow(out, &row); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Time: %v, %v of processors\n", row.Elapsed.Round(time.Millisecond),
		row.Processor.Round(time.Millisecond))
	return err
}

func writeBenchHeading(out io.Writer) {
	fmt.Fprintf(out, "%-19s %9s %5s %6s %7s %8s %8s %11s %14s\n",
		"solver", "positions", "mate", "nomate", "unknown", "nodes", "expanded", "µs/position", "CPU s/M nodes")
}

func writeBenchRow(out io.Writer, r *bench.Row) error {
	passes := float64(r.Passes)
	_, err := fmt.Fprintf(out, "%-19s %9d %5d %6d %7d %8d %8d %11.2f %14.3f\n", r.Name, r.Positions,
		r.Verdicts[solver.Mate], r.Verdicts[solver.NoMate], r.Verdicts[solver.Unknown], r.Nodes, r.Expanded,
		r.Elapsed.Seconds()*1e6/(passes*float64(r.Positions)),
		r.Processor.Seconds()*1e6/(passes*float64(r.Nodes)))
	return err
}

// benchError gives the error of a measurement its exit code.
func benchError(err error) error {
	var wrong *bench.WrongError
	switch {
	case errors.As(err, &wrong):
		return command.Exit(command.ExitNegative, err)
	case errors.Is(err, context.Canceled):
		return command.Interrupted("nothing is printed of a row that is not complete")
	}
	return err
}
