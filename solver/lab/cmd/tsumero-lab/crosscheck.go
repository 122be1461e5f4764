package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/lab/crosscheck"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/mate1"
)

// The bounds of what may be asked for.
const (
	maxGame      = 100_000       // plies of a random game
	maxHuntNodes = 1_000_000_000 // for one problem of a hunt
)

func newCrosscheck() *cobra.Command {
	o := crosscheck.Options{MateIn1: mate1.Find}
	var hunting time.Duration
	var nodes uint64
	cmd := &cobra.Command{
		Use:   "crosscheck",
		Short: "Compare move generators and a slow twin on random games, or hunt for false proofs",
		Long: `Crosscheck has two modes: random games, which test the rules, and --hunt, which tests the
solver.

Without --hunt it plays random games, from the initial position and from random ones, and at
every position compares whatever knows the rules:

  at each one   every pseudo-legal move is made on the board, and what it turns out to be is
                compared with the legal moves, the checks and the evasions, all and the useful
                ones, with whether a move is legal or gives check, whether there is an evasion
                or a mate in one, and with the keys. Undo must restore every bit, and the game
                is played on a second board as well.
  at 1 in 32    (--plain-every) the moves, checks and mates are also found by a second
                implementation of the rules, which is slow, plain, and was written independently.
                Every move that can be written is asked about, the keys are recomputed, and the
                SFEN is written and read back.

So a mistake in one place is found at once, and one that all generators share by the second
implementation. A core checks some 50 thousand positions a second: two check 10^9 in three hours.

It stops at the first disagreement, prints its seed, position and move, the two lists of moves
that differ, and the command that shows it again, and exits with 1. The seed is printed first; a
run of the same build with the same --seed, --game, --positions and --max-plies checks the same
positions, on any number of processors. Ctrl-C ends a run with what has been checked by then, and
the command to go on with.

With --hunt it does not compare the rules. For the given time, it looks for positions that the
solver for long mates answers wrongly: crowded problems, long interpositions, chases over the
empty board, positions of random games. Each is also solved with left and right exchanged, and
by the same solver with its techniques switched off and hardly any memory, or with several
threads. After every defence along a mate the rest is solved again. Where there should be no
mate, short ones are looked for with all moves. Problem n of a seed is always the same.`,
		Example: `  tsumero-lab crosscheck --positions 1000000000
  tsumero-lab crosscheck --positions 100000 --plain-every 1
  tsumero-lab crosscheck --seed 42
  tsumero-lab crosscheck --hunt 8h --jobs 2`,
		Args: command.Positional(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.Uint64Var(&o.Positions, "positions", 1_000_000,
		"check at least `N` positions: games are played to their end")
	flags.Uint64Var(&o.Seed, "seed", 0,
		"`N` that decides every position (default: a new one each time)")
	flags.Uint64Var(&o.Game, "game", 0, "begin with game `N` of the seed")
	flags.IntVar(&o.PlainEvery, "plain-every", crosscheck.PlainEvery,
		"compare one position in `N` with the second implementation of the rules; 0 for none")
	flags.IntVar(&o.MaxPlies, "max-plies", 256, "end a game after `N` plies")
	command.PerProcessorFlag(flags, &o.Workers, "jobs",
		"play `N` games, or look at N problems, at the same time")
	flags.DurationVar(&hunting, "hunt", 0,
		"look for false proofs for `DURATION`, such as 10m, instead of playing games")
	flags.Uint64Var(&nodes, "nodes", 20_000, "with --hunt: give up a problem after `N` nodes")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		hunts := cmd.Flags().Changed("hunt")
		for _, flag := range []struct {
			name string
			hunt bool
		}{{"positions", false}, {"game", false}, {"plain-every", false}, {"max-plies", false},
			{"nodes", true}} {
			switch {
			case !cmd.Flags().Changed(flag.name) || flag.hunt == hunts:
			case hunts:
				return command.UsageError(cmd, "--%s does not go with --hunt", flag.name)
			default:
				return command.UsageError(cmd, "--%s goes with --hunt only", flag.name)
			}
		}
		switch {
		case hunts && hunting <= 0:
			return command.UsageError(cmd, "--hunt is %v, but must be a time such as 10m", hunting)
		case nodes == 0 || nodes > maxHuntNodes:
			return command.UsageError(cmd, "--nodes is %d, but must be 1 to %d", nodes, maxHuntNodes)
		case o.Positions == 0:
			return command.UsageError(cmd, "--positions must not be 0")
		case o.PlainEvery < 0:
			return command.UsageError(cmd, "--plain-every must not be negative")
		case o.MaxPlies < 1 || o.MaxPlies > maxGame:
			return command.UsageError(cmd, "--max-plies is %d, but must be 1 to %d", o.MaxPlies, maxGame)
		case o.Workers < 1 || o.Workers > command.MaxJobs:
			return command.UsageError(cmd, "--jobs is %d, but must be 1 to %d", o.Workers, command.MaxJobs)
		}
		if !cmd.Flags().Changed("seed") {
			o.Seed = rand.Uint64()
		}
		if hunts {
			h := crosscheck.HuntOptions{
				Seed:       o.Seed,
				Workers:    o.Workers,
				Nodes:      nodes,
				Contenders: contenders(o.Workers),
				MateIn1:    o.MateIn1,
			}
			return hunt(cmd.Context(), h, hunting, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}
		return playRandom(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// contenders returns the solver that is hunted and those it is compared with, for so many problems
// at the same time.
func contenders(jobs int) []crosscheck.Contender {
	contender := func(name string, o dfpn.Options) crosscheck.Contender {
		o.Searches = jobs
		return crosscheck.Contender{Name: name, Solver: dfpn.New(o)}
	}
	return []crosscheck.Contender{
		contender("dfpn", dfpn.Options{TableBytes: 8 << 20}),
		contender("dfpn, plainer, 1 MiB", dfpn.Options{TableBytes: 1 << 20,
			NoDelay: true, NoEpsilon: true, NoDCE: true, NoHints: true}),
		contender("dfpn, 1 MiB", dfpn.Options{TableBytes: 1 << 20, NoDCE: true, NoHints: true}),
		contender("dfpn, 3 threads", dfpn.Options{TableBytes: 2 << 20, Threads: 3}),
	}
}

// A progressReport shows how far a run is: with a bar on a terminal, else, such as in a log, with a
// line now and then.
type progressReport struct {
	stderr      io.Writer
	bar         *progressbar.ProgressBar
	start, last time.Time // last: of the last line
}

func newProgressReport(stderr io.Writer, total int64, what string) *progressReport {
	now := time.Now()
	return &progressReport{stderr, cli.NewBar(stderr, total, what), now, now}
}

// reportEvery is the time between two lines.
const reportEvery = 10 * time.Second

// set says how much of the total is done. line returns the line to print after so much time.
func (r *progressReport) set(done int64, line func(elapsed time.Duration) string) {
	_ = r.bar.Set64(done)
	if now := time.Now(); !cli.IsTerminal(r.stderr) && now.Sub(r.last) >= reportEvery {
		r.last = now
		fmt.Fprintln(r.stderr, line(now.Sub(r.start)))
	}
}

// finish removes the bar and returns how long the run took.
func (r *progressReport) finish() time.Duration {
	_ = r.bar.Finish()
	return time.Since(r.start)
}

// disagreement returns the disagreement that err is, or nil, and how many that are.
func disagreement(err error) (found *crosscheck.Disagreement, n int) {
	if errors.As(err, &found) {
		n = 1
	}
	return found, n
}

// hunt hunts for the given time.
func hunt(ctx context.Context, o crosscheck.HuntOptions, duration time.Duration,
	out, stderr io.Writer) error {
	if _, err := fmt.Fprintf(out, "seed %d\n", o.Seed); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	report := newProgressReport(stderr, int64(duration), "hunting")
	stats, err := crosscheck.Hunt(limited, o, func(s crosscheck.HuntStats) {
		done := min(time.Since(report.start), duration)
		report.set(int64(done), func(elapsed time.Duration) string {
			return fmt.Sprintf("%v of %v, %s: %d mates, %d without", cli.RoundTime(elapsed),
				duration, cli.Plural(s.Problems, "problem"), s.Mates, s.NoMates)
		})
	})
	elapsed := report.finish()

	found, disagreements := disagreement(err)
	_, writeErr := fmt.Fprintf(out, `problems           %d: %d mates, %d without, %d undecided
longest mate       %d plies
solved again       %s after defences, %d of them undecided
plain searches     %d
disagreements      %d
%v, %s problems/s
`, stats.Problems, stats.Mates, stats.NoMates, stats.Undecided, stats.Longest,
		cli.Plural(stats.Replayed, "position"), stats.Unsure, stats.Plain, disagreements,
		cli.RoundTime(elapsed), cli.English.PerSecond(stats.Problems, elapsed))
	switch {
	case found != nil:
		return command.Exit(command.ExitNegative, found)
	case ctx.Err() != nil:
		return command.Interrupted("the hunt ended early")
	case err != nil && limited.Err() == nil:
		return err
	}
	return writeErr
}

// playRandom plays random games. An o.PlainEvery of 0 means never.
func playRandom(ctx context.Context, o crosscheck.Options, out, stderr io.Writer) error {
	if _, err := fmt.Fprintf(out, "seed %d\n", o.Seed); err != nil {
		return err
	}
	again := fmt.Sprintf("tsumero-lab crosscheck --seed %d --max-plies %d --plain-every %d",
		o.Seed, o.MaxPlies, o.PlainEvery)
	if o.PlainEvery == 0 {
		o.PlainEvery = -1
	}
	report := newProgressReport(stderr, int64(min(o.Positions, 1<<62)), "checking")
	stats, err := crosscheck.Run(ctx, o, func(s crosscheck.Stats) {
		report.set(int64(min(s.Positions, o.Positions)), func(elapsed time.Duration) string {
			part := float64(s.Positions) / float64(o.Positions)
			left := time.Duration(max(0, float64(elapsed)/part-float64(elapsed)))
			return fmt.Sprintf("%d of %d positions checked, %s/s, %v left", s.Positions, o.Positions,
				cli.English.PerSecond(s.Positions, elapsed), left.Round(time.Second))
		})
	})
	elapsed := report.finish()

	found, disagreements := disagreement(err)
	_, writeErr := fmt.Fprintf(out, `positions          %d in %s: %d with a king missing
by the plain rules %d
in check           %d: %d by two pieces, %d mated
legal moves        %d: %d of them checks
mates in one       %d
pawn-drop mates    %d, all of them illegal
captures           %d
passes             %d
declarations       %d
disagreements      %d
%v, %s positions/s
`, stats.Positions, cli.Plural(stats.Games, "game"), stats.OneKing, stats.Plain,
		stats.InCheck, stats.Double, stats.Mated, stats.Moves, stats.Checks,
		stats.Mates, stats.PawnMates, stats.Captures, stats.Passes, stats.Declares, disagreements, cli.RoundTime(elapsed),
		cli.English.PerSecond(stats.Positions, elapsed))
	switch {
	case found != nil:
		if found.Got != "" || found.Want != "" {
			fmt.Fprintf(out, "\nfound   %s\nwanted  %s\n", found.Got, found.Want)
		}
		fmt.Fprintf(out, "\nsfen %s\n%s --game %d --positions 1\n", found.SFEN, again, found.Game)
		return command.Exit(command.ExitNegative, found)
	case err != nil && ctx.Err() != nil:
		return command.Interrupted("the next positions are those of\n%s --game %d --positions %d", again,
			o.Game+stats.Games, o.Positions-stats.Positions)
	case err != nil:
		return err
	}
	return writeErr
}
