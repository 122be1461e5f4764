package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/train"
)

type naginagiFlags struct {
	train.NaginagiOptions
	data   string
	output string
	games  int
}

func newTrainNaginagi() *cobra.Command {
	var f naginagiFlags
	cmd := &cobra.Command{
		Use:   "naginagi",
		Short: "Train the network of the level naginagi on the ends of random games",
		Long: `Naginagi plays games of random moves, takes the last two positions of those that end by mate, the
one before the mate and the mate itself, and trains the network of the level on them: the side that
can mate wins, the side that is mated loses. With --data pairs+quiet it adds positions that are worth
the same to both sides: any of the games, and some with a check that is no mate.

It prints how well the network tells apart what it was not trained on: the two positions of a pair;
a side that is mated from one that is merely in check (AUC). Then the level plays --games against
random moves, to count its checks: its known vice is to check without need, even by a piece that
can be taken.

The same options give the same file on every machine. The network that the level has is that of
--seed 1 --data pairs.`,
		Example: `  tsumero-lab train naginagi --output naginagi.bin
  tsumero-lab train naginagi --data pairs+quiet --output quiet.bin --games 100`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runNaginagi(cmd, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write the network to `FILE`")
	flags.StringVar(&f.data, "data", "pairs", "train on `DATA`: pairs or pairs+quiet")
	flags.Uint64Var(&f.Seed, "seed", 1, "`N` that decides the games and the first weights")
	flags.IntVar(&f.Pairs, "pairs", 20_000, "take `N` pairs")
	flags.IntVar(&f.games, "games", 12, "play `N` games against random moves")
	return cmd
}

func runNaginagi(cmd *cobra.Command, f naginagiFlags) error {
	switch {
	case f.data != "pairs" && f.data != "pairs+quiet":
		return command.UsageError(cmd, "--data is %q, but must be pairs or pairs+quiet", f.data)
	case f.output == "":
		return command.UsageError(cmd, "--output must name a file for the network")
	case f.Pairs < 10 || f.Pairs > 1_000_000:
		return command.UsageError(cmd, "--pairs is %d, but must be 10 to 1000000", f.Pairs)
	case f.games < 0 || f.games > 1_000_000:
		return command.UsageError(cmd, "--games is %d, but must be 0 to 1000000", f.games)
	}
	f.Quiet = f.data == "pairs+quiet"
	ctx, out, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()

	var report *progressReport
	var what string
	started := time.Now()
	net, r, err := train.Naginagi(ctx, f.NaginagiOptions, func(now string, done, total int) {
		if now != what {
			if report != nil {
				report.finish()
			}
			report, what = newProgressReport(stderr, int64(total), now), now
		}
		report.set(int64(done), func(time.Duration) string {
			return fmt.Sprintf("%s: %d of %d positions", now, done, total)
		})
	})
	if report != nil {
		report.finish()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return command.Interrupted("nothing is written")
	case err != nil:
		return err
	}
	file, _ := net.AppendBinary(nil)
	if err := writeFile(f.output, file); err != nil {
		return err
	}
	fmt.Fprintf(out, `random games        %d, %d of them end by mate (%.1f %%)
trained on          %s, in %v
network             %s, %d bytes
pairs told apart    %.1f %% of %d
mean value          %.2f mated, %.2f can mate, %.2f any position, %.2f in check and not mated
AUC                 %.2f mated below in check and not mated
`, r.Games, r.Mates, 100*float64(r.Mates)/float64(r.Games),
		cli.Plural(r.Trained, "position"), cli.RoundTime(time.Since(started)),
		net.Hash(), len(file), 100*r.PairAccuracy, r.Held, r.Mated, r.CanMate, r.Any, r.InCheck, r.AUC)
	if f.games == 0 {
		return nil
	}

	report = newProgressReport(stderr, int64(f.games), "playing")
	rate, err := train.PlayRandom(ctx, net, f.games, f.Seed, func(done int) {
		report.set(int64(done), func(time.Duration) string { return fmt.Sprintf("%d of %d games", done, f.games) })
	})
	elapsed := report.finish()
	switch {
	case err != nil && ctx.Err() != nil:
		return command.Interrupted("%s is written, %s of %d were played", f.output, cli.Plural(rate.Games, "game"), f.games)
	case err != nil:
		return err
	}
	fmt.Fprintf(out, `against random      +%d =%d -%d in %v
moves that check    %.1f %%; of random moves %.1f %%
checks              %d: %d mate, %d others are by a piece that can be taken at once
mates in 1 missed   %d
positions           %d
`, rate.Won, rate.Drawn, rate.Lost, cli.RoundTime(elapsed), 100*float64(rate.Checks)/float64(max(1, rate.Moves)),
		100*float64(rate.RandomChecks)/float64(max(1, rate.RandomMoves)),
		rate.Checks, rate.Mates, rate.LooseChecks, rate.MissedMates, rate.Leaves)
	return nil
}
