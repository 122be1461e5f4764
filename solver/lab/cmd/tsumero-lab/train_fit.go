package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/train"
)

type fitFlags struct {
	train.Options
	output     string
	every      int // one game in so many is for validation
	validation int // positions
}

func newTrainFit() *cobra.Command {
	var f fitFlags
	cmd := &cobra.Command{
		Use:   "fit RECORDS...",
		Short: "Train a network on records of positions",
		Long: `Fit trains the network of the level full on the positions of files. It corrects the value that
the pieces alone have, and begins with no correction.

The target is the probability to win: --lambda of it from the score that a search gave the position,
the rest from the result of the game. One game in --validation-games is not trained on but used to
measure, after each epoch, the network that would be written: by its mean divergence from the
targets, 0 for one that is always right, and for comparison that of the pieces alone. The best
network so far is in the file of --output, what it was made from in OUTPUT.json beside it, and
Ctrl-C ends a training with what it has.

A smaller divergence is no proof of a stronger network; games are.

The same files and options give the same network, on any number of processors. Memory: 52 bytes a
position. A core trains on some 200,000 positions a second with 32 units.`,
		Example: `  tsumero-lab train fit --units 32 --epochs 8 --output net32.bin games-*.rec
  tsumero-lab train fit --units 0 --lambda 1 --output linear.bin games.rec`,
		Args: command.Positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return runFit(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "write the network to `FILE`")
	flags.IntVar(&f.Units, "units", 32, "width `N` of the first layer, a multiple of 8; 0: none")
	flags.IntVar(&f.Epochs, "epochs", 10, "use each position `N` times")
	flags.IntVar(&f.Batch, "batch", 2048, "make a step after `N` positions")
	flags.Float64Var(&f.Rate, "rate", 0.002, "learning rate `R` at the beginning; it falls to a thirtieth")
	flags.Float64Var(&f.Decay, "decay", 0.01, "weight decay `D`, as a part of the rate")
	flags.Float64Var(&f.Lambda, "lambda", 0.95, "weight `L` of the score in the target, 0 to 1")
	flags.Uint64Var(&f.Seed, "seed", 1, "`N` that decides first weights and order")
	flags.BoolVar(&f.NoMirror, "no-mirror", false, "do not exchange left and right at random")
	flags.IntVar(&f.every, "validation-games", 50, "keep one game in `N` for validation; 0: none")
	flags.IntVar(&f.validation, "validation", 200_000, "validate with no more than `N` positions")
	command.PerProcessorFlag(flags, &f.Workers, "jobs", "use `N` goroutines")
	return cmd
}

// A provenance says what a network was made from.
type provenance struct {
	Commit     string        `json:"commit"`
	Hash       string        `json:"hash"` // of the weights
	Options    train.Options `json:"options"`
	Sources    []source      `json:"sources"`
	Positions  int           `json:"positions"` // trained on
	Epoch      int           `json:"epoch"`     // after which the network was written
	Used       int           `json:"used"`      // positions of that epoch
	Validation train.Loss    `json:"validation"`
	Material   train.Loss    `json:"material"` // the same of the value without a network
}

func runFit(cmd *cobra.Command, args []string, f fitFlags) error {
	switch err := f.Options.Check(); {
	case err != nil:
		return command.UsageError(cmd, "%w", err)
	case f.output == "":
		return command.UsageError(cmd, "--output must name a file for the network")
	case f.Epochs < 1:
		return command.UsageError(cmd, "--epochs is %d, but must be 1 or more", f.Epochs)
	case f.every < 0 || f.validation < 0:
		return command.UsageError(cmd, "--validation-games and --validation must not be negative")
	case f.Workers > command.MaxJobs:
		return command.UsageError(cmd, "--jobs is %d, but must be 1 to %d", f.Workers, command.MaxJobs)
	}
	ctx, out, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	made := provenance{Commit: command.Revision(), Options: f.Options}
	var records, validation []train.Record
	for _, path := range args {
		s, err := readRecords(path, func(r *train.Record) {
			switch {
			case !train.IsValidation(r.Game, f.every):
				records = append(records, *r)
			case len(validation) < f.validation:
				validation = append(validation, *r)
			}
		})
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return command.Interrupted("nothing is written")
		}
		made.Sources = append(made.Sources, s)
	}
	made.Positions = len(records)
	made.Material = train.Measure(nil, validation, f.Lambda)
	fmt.Fprintf(out, "%s, %d for validation: divergence %.6f, square %.6f by the pieces alone\n",
		cli.Plural(len(records), "position"), len(validation), made.Material.Divergence, made.Material.Square)

	report := newProgressReport(stderr, int64(len(records))*int64(f.Epochs), "training")
	started, best := time.Now(), -1.0
	var writeErr error
	err := train.Fit(ctx, records, validation, f.Options, func(p train.Progress) {
		done := int64(p.Epoch-1)*int64(p.Total) + int64(p.Positions)
		report.set(done, func(elapsed time.Duration) string {
			return fmt.Sprintf("epoch %d: %d of %d positions, divergence %.6f, %s/s", p.Epoch, p.Positions, p.Total,
				p.Loss, cli.English.PerSecond(uint64(done), elapsed))
		})
		if p.Net == nil {
			return
		}
		made.Epoch, made.Used, made.Validation = p.Epoch, p.Positions, p.Validation
		mark := ""
		if best < 0 || p.Validation.Divergence < best {
			best, mark = p.Validation.Divergence, ", written"
			made.Hash = p.Net.Hash()
			file, _ := p.Net.AppendBinary(nil)
			text, err := json.MarshalIndent(made, "", "  ")
			writeErr = errors.Join(writeErr, err, writeFile(f.output, file),
				writeFile(f.output+".json", append(text, '\n')))
		}
		fmt.Fprintf(out, "epoch %d: divergence %.6f; validation %.6f, square %.6f; %v%s\n", p.Epoch, p.Loss,
			p.Validation.Divergence, p.Validation.Square, cli.RoundTime(time.Since(started)), mark)
	})
	report.finish()
	switch {
	case writeErr != nil:
		return writeErr
	case err != nil && ctx.Err() != nil:
		return command.Interrupted("%s has the best network so far", f.output)
	}
	return err
}
