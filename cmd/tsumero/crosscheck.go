package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/solver/crosscheck"
	"github.com/tsumero/tsumero/solver/mate1"
)

func newCrosscheck() *cobra.Command {
	o := crosscheck.Options{MateIn1: mate1.Find}
	cmd := &cobra.Command{
		Use:   "crosscheck",
		Short: "Compare the rules with a slow twin on random games",
		Long: `Crosscheck plays random games, from the initial position and from random ones, and at every position compares the
move generators and the mate in one with a second implementation of the rules, which is slow, plain, and was written
independently: the legal moves, the checks, the evasions, whether each conceivable move is legal and gives check, keys,
undo, and whether there is a mate in one.

It stops at the first disagreement, prints its seed, position and move, and exits with 1. The seed is printed first; a
run with the same --seed, --positions and --max-plies checks the same positions, on any number of processors.`,
		Example: `  tsumero crosscheck --positions 5000000
  tsumero crosscheck --seed 42`,
		Args: positional(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.Uint64Var(&o.Positions, "positions", 1_000_000, "check at least `N` positions: games are played to their end")
	flags.Uint64Var(&o.Seed, "seed", 0, "`N` that decides every position (default: a new one each time)")
	flags.IntVar(&o.MaxPlies, "max-plies", 256, "end a game after `N` plies")
	flags.IntVarP(&o.Workers, "jobs", "j", runtime.GOMAXPROCS(0), "play `N` games at the same time")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case o.Positions == 0:
			return usageError(cmd, "--positions must not be 0")
		case o.MaxPlies < 1 || o.MaxPlies > maxGame:
			return usageError(cmd, "--max-plies is %d, but must be 1 to %d", o.MaxPlies, maxGame)
		case o.Workers < 1 || o.Workers > maxJobs:
			return usageError(cmd, "--jobs is %d, but must be 1 to %d", o.Workers, maxJobs)
		}
		if !cmd.Flags().Changed("seed") {
			o.Seed = rand.Uint64()
		}
		return playRandom(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// maxGame is the longest random game that may be asked for.
const maxGame = 100_000

// sayEvery is the time between two lines of progress where there is no terminal for a bar, such as in a log.
const sayEvery = 10 * time.Second

func playRandom(ctx context.Context, o crosscheck.Options, out, stderr io.Writer) error {
	if _, err := fmt.Fprintf(out, "seed %d\n", o.Seed); err != nil {
		return err
	}
	bar := newBar(stderr, int64(min(o.Positions, 1<<62)), "checking")
	start := time.Now()
	said := start
	stats, err := crosscheck.Run(ctx, o, func(s crosscheck.Stats) {
		_ = bar.Set64(int64(min(s.Positions, o.Positions)))
		if now := time.Now(); !isTerminal(stderr) && now.Sub(said) >= sayEvery {
			said = now
			fmt.Fprintf(stderr, "%d of %d positions checked, %s/s\n", s.Positions, o.Positions, perSecond(s.Positions, now.Sub(start)))
		}
	})
	elapsed := time.Since(start)
	_ = bar.Finish()

	var found *crosscheck.Disagreement
	disagreements := 0
	if errors.As(err, &found) {
		disagreements = 1
	}
	_, writeErr := fmt.Fprintf(out, `positions          %d, %d of them in check, in %s
legal moves        %d, %d of them checks
mates in one       %d
pawn-drop mates    %d, all of them illegal
disagreements      %d
%v, %s positions/s
`, stats.Positions, stats.InCheck, plural(stats.Games, "game"), stats.Moves, stats.Checks, stats.Mates, stats.PawnMates,
		disagreements, roundTime(elapsed), perSecond(stats.Positions, elapsed))
	switch {
	case found != nil:
		return &exitError{exitNegative, found}
	case err != nil && ctx.Err() != nil:
		return interrupted("the other positions are not checked")
	case err != nil:
		return err
	}
	return writeErr
}
