//go:build lab

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
)

type inspectFlags struct {
	nodes   uint64
	time    time.Duration
	memory  cli.Size
	threads int
	plies   int
	moves   int
	share   float64
}

func newInspect() *cobra.Command {
	f := inspectFlags{memory: 256 << 20}
	cmd := &cobra.Command{
		Use:   "inspect POSITION",
		Short: "Show where the search for long mates spends its nodes",
		Long: `Inspect looks for any mate of a position and prints a tree of where the nodes went, whether the
position was solved or not: the moves that took most, their replies, and so on. It shows what holds a
search up.

A line has the nodes spent below the position, their part of all, its proof number and disproof
number, or what it was decided to be, and the moves that lead to it. A position that several moves
lead to has all its nodes in each of their lines, and the table may have forgotten some, so parts
need not add up. "no mate" may hold within the plies that were left, or on this way only.`,
		Example: `  tsumero-lab inspect '5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1'
  tsumero-lab inspect --time 1m --memory 1G --plies 12 --moves 2 'lns…'`,
		Args: command.Positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return inspect(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.Uint64Var(&f.nodes, "nodes", 1_000_000, "look at no more than `N` positions (0: any number)")
	flags.DurationVar(&f.time, "time", 0, "search no longer than `DURATION` (0: any time)")
	flags.Var(&f.memory, "memory", "`SIZE` of the table")
	flags.IntVar(&f.threads, "threads", 1, "search with `N` threads")
	flags.IntVar(&f.plies, "plies", 5, "show lines of up to `N` plies")
	flags.IntVar(&f.moves, "moves", 3, "show up to `N` moves of a position")
	flags.Float64Var(&f.share, "share", 1, "show only what took `PERCENT` of the nodes")
	return cmd
}

func inspect(cmd *cobra.Command, args []string, f *inspectFlags) error {
	if err := f.check(); err != nil {
		return command.UsageError(cmd, "%w", err)
	}
	p, err := command.OnePosition(cmd, args)
	if err != nil {
		return err
	}
	if _, err := solver.Attacker(&p); err != nil {
		return command.Exit(command.ExitBadPosition, err)
	}
	ctx := cmd.Context()
	if f.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.time)
		defer cancel()
	}
	o := dfpn.Options{TableBytes: int(f.memory), Threads: f.threads}
	cut := dfpn.Cut{Plies: f.plies, Moves: f.moves, Share: f.share / 100}
	r, root := dfpn.Inspect(ctx, p, solver.Limits{Nodes: f.nodes}, o, cut)
	return writeWork(cmd.OutOrStdout(), &p, &r, &root)
}

func (f *inspectFlags) check() error {
	if err := checkSearch(f.memory, f.threads, f.time); err != nil {
		return err
	}
	switch {
	case f.plies < 1 || f.plies > maxInspectPlies:
		return fmt.Errorf("--plies is %d, but must be 1 to %d", f.plies, maxInspectPlies)
	case f.moves < 1 || f.moves > maxInspectMoves:
		return fmt.Errorf("--moves is %d, but must be 1 to %d", f.moves, maxInspectMoves)
	case !(f.share >= 0 && f.share <= 100):
		return fmt.Errorf("--share is %v, but must be 0 to 100", f.share)
	}
	return nil
}

const (
	maxInspectPlies = 1000
	maxInspectMoves = 600 // more than a position has
)

// writeWork writes what the search of p came to, and a line for each position that took work.
func writeWork(out io.Writer, p *shogi.Position, r *solver.Result, root *dfpn.Work) error {
	w := bufio.NewWriter(out)
	switch r.Verdict {
	case solver.Mate:
		fmt.Fprintf(w, "%v in %d", r.Verdict, len(r.Line))
	case solver.NoMate:
		fmt.Fprint(w, "no mate")
	default:
		fmt.Fprintf(w, "%v: %s", r.Verdict, r.Reason)
	}
	fmt.Fprintf(w, " (not verified), %d nodes, %d expanded\n%10s %6s %8s %8s  line\n", r.Nodes, r.Expansions,
		"nodes", "part", "pn", "dn")
	var write func(work *dfpn.Work, depth int)
	write = func(work *dfpn.Work, depth int) {
		numbers := fmt.Sprintf("%8d %8d", work.PN, work.DN)
		switch {
		case work.Verdict == solver.Mate:
			numbers = fmt.Sprintf("%17s", "mate")
		case work.Verdict == solver.NoMate:
			numbers = fmt.Sprintf("%17s", "no mate")
		case work.PN == 0 && work.DN == 0:
			numbers = fmt.Sprintf("%17s", "")
		}
		move := p.ProblemSFEN()
		if depth > 0 {
			move = work.Move.String()
		}
		fmt.Fprintf(w, "%10d %5.1f%% %s  %s%s\n", work.Nodes, 100*float64(work.Nodes)/float64(max(r.Nodes, 1)),
			numbers, strings.Repeat("  ", depth), move)
		for i := range work.Then {
			write(&work.Then[i], depth+1)
		}
	}
	write(root, 0)
	return w.Flush()
}
