package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/ordered"
)

// maxPerftDepth bounds what may be asked for: beyond it the count may not fit in 64 bits.
const maxPerftDepth = 12

type perftFlags struct {
	divide bool
	useful bool
	jobs   int
}

func newPerft() *cobra.Command {
	var f perftFlags
	cmd := &cobra.Command{
		Use:   "perft DEPTH [POSITION]",
		Short: "Count the leaves of the tree of legal moves",
		Long: `Perft counts the move sequences of DEPTH plies from a position, the initial one
by default. The count is compared with that of other programs: where a move generator is wrong,
it differs.

The count goes to standard output, the speed to standard error. The last ply is counted without
making its moves.`,
		Example: `  tsumero-lab perft 5
  tsumero-lab perft --divide 3 'l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1'`,
		Args: command.Positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return perft(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.divide, "divide", false, "also print the count below each first move")
	flags.BoolVar(&f.useful, "useful", false,
		"leave out the non-promotions that are useful only around pawn-drop mates")
	command.PerProcessorFlag(flags, &f.jobs, "jobs", "count `N` subtrees at the same time")
	return cmd
}

func perft(cmd *cobra.Command, args []string, f perftFlags) error {
	depth, err := strconv.Atoi(args[0])
	switch {
	case err != nil || depth < 0 || depth > maxPerftDepth:
		return command.UsageError(cmd, "the depth is %q, but must be 0 to %d", args[0], maxPerftDepth)
	case f.jobs < 1 || f.jobs > command.MaxJobs:
		return command.UsageError(cmd, "--jobs is %d, but must be 1 to %d", f.jobs, command.MaxJobs)
	}
	p := shogi.Start()
	if len(args) > 1 {
		p, err = command.OnePosition(cmd, args[1:])
		if err != nil {
			return err
		}
	}
	set := shogi.AllMoves
	if f.useful {
		set = shogi.UsefulMoves
	}

	stderr := cmd.ErrOrStderr()
	start := time.Now()
	counts, err := countLeaves(cmd.Context(), p, depth, set, f.jobs, stderr)
	if err != nil {
		return command.Interrupted("the count is not complete")
	}
	elapsed := time.Since(start)
	out := cmd.OutOrStdout()
	var total uint64
	for _, c := range counts {
		total += c.leaves
		if f.divide && depth > 0 {
			fmt.Fprintf(out, "%s: %d\n", c.move, c.leaves)
		}
	}
	if _, err := fmt.Fprintln(out, total); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "depth %d, %v, %s leaves/s\n", depth, cli.RoundTime(elapsed),
		cli.English.PerSecond(total, elapsed))
	return nil
}

// A rootCount is how many leaves lie below one move of the root.
type rootCount struct {
	move   shogi.Move
	leaves uint64
}

// countLeaves counts the leaves below each legal move of p, in the order of the generator. The
// subtrees two plies below p are counted on jobs goroutines. Depth 0 has one leaf, below no move.
// The error is that of ctx.
func countLeaves(ctx context.Context, p shogi.Position, depth int, set shogi.MoveSet, jobs int,
	stderr io.Writer) ([]rootCount, error) {
	if depth == 0 {
		return []rootCount{{leaves: 1}}, nil
	}
	var buf shogi.MoveBuffer
	moves := p.LegalMoves(&buf, set)
	counts := make([]rootCount, len(moves))
	if depth == 1 {
		for i, m := range moves {
			counts[i] = rootCount{m, 1}
		}
		return counts, nil
	}
	type subtree struct {
		root int // index of the move of the root
		top  shogi.Position
	}
	subtrees := func(_ context.Context, yield func(subtree) bool) {
		var replies shogi.MoveBuffer
		for i, m := range moves {
			child := p
			child.Do(m)
			for _, reply := range child.LegalMoves(&replies, set) {
				grandchild := child
				grandchild.Do(reply)
				if !yield(subtree{i, grandchild}) {
					return
				}
			}
		}
	}
	count := func(ctx context.Context, s subtree) uint64 {
		if ctx.Err() != nil {
			return 0
		}
		return shogi.Perft(s.top, depth-2, set)
	}
	for i, m := range moves {
		counts[i].move = m
	}
	bar := cli.NewBar(stderr, int64(len(moves)), "counting")
	o := ordered.Options[subtree]{Workers: jobs}
	for s, leaves := range ordered.Map(ctx, o, subtrees, count) {
		counts[s.root].leaves += leaves
		_ = bar.Set(s.root + 1)
	}
	_ = bar.Finish()
	return counts, ctx.Err()
}
