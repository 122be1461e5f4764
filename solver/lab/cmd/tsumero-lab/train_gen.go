package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/selfplay"
	"github.com/tsumero/tsumero/solver/lab/train"
	"github.com/tsumero/tsumero/solver/ordered"
	"github.com/tsumero/tsumero/solver/play/eval"
)

type genFlags struct {
	output    string
	games     uint32
	positions int
	time      time.Duration
	seed      uint64
	nodes     uint64
	net       string
	jobs      int
}

func newTrainGen() *cobra.Command {
	var f genFlags
	cmd := &cobra.Command{
		Use:   "gen",
		Short: "Play games against itself and record positions to train on",
		Long: `Gen lets the search play games against itself, with a network or without one, and writes their
quiet positions with the score of the search and the result of the game.

Game number n depends on --seed, --nodes, --net and the program alone. A file that is there already
is continued after its last game, if it was made in the same way; so Ctrl-C, or a crash, loses no
more than the games that were being played.`,
		Example: `  tsumero-lab train gen --output games.rec --positions 20000000
  tsumero-lab train gen --output next.rec --net net32.bin --nodes 1000 --seed 2 --time 2h`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runGen(cmd, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "append the records to `FILE`")
	flags.Uint32Var(&f.games, "games", math.MaxUint32, "end before game number `N`, the first is 0 (default: none)")
	flags.IntVar(&f.positions, "positions", math.MaxInt, "end when the file has `N` positions (default: any number)")
	flags.DurationVar(&f.time, "time", 0, "end after `DURATION` (0: never)")
	flags.Uint64Var(&f.seed, "seed", 1, "`N` that decides the games")
	flags.Uint64Var(&f.nodes, "nodes", 400, "look at `N` positions for a move")
	flags.StringVar(&f.net, "net", "", "value positions by the network of `FILE`")
	command.PerProcessorFlag(flags, &f.jobs, "jobs", "play `N` games at the same time")
	// The huge defaults mean no limit. The help leaves out a default of 0.
	flags.Lookup("games").DefValue, flags.Lookup("positions").DefValue = "0", "0"
	return cmd
}

func runGen(cmd *cobra.Command, f genFlags) error {
	switch {
	case f.output == "":
		return command.UsageError(cmd, "--output must name a file for the records")
	case f.positions < 1:
		return command.UsageError(cmd, "--positions is %d, but must be 1 or more", f.positions)
	case f.time < 0:
		return command.UsageError(cmd, "--time must not be negative")
	case f.nodes == 0 || f.nodes > 1_000_000_000:
		return command.UsageError(cmd, "--nodes is %d, but must be 1 to 1000000000", f.nodes)
	case f.jobs < 1 || f.jobs > command.MaxJobs:
		return command.UsageError(cmd, "--jobs is %d, but must be 1 to %d", f.jobs, command.MaxJobs)
	}
	header := train.Header{Engine: command.Revision(), Level: "search", Seed: f.seed, Nodes: f.nodes}
	o := selfplay.Options{Seed: f.seed, Nodes: f.nodes}
	if f.net != "" {
		var err error
		if o.Net, err = eval.ReadNet(f.net); err != nil {
			return err
		}
		header.Net = o.Net.Hash()
	}
	file, err := os.OpenFile(f.output, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	game, positions, err := continueRecords(file, header)
	if err != nil {
		return fmt.Errorf("%s: %w", f.output, err)
	}
	return playGames(cmd, &f, o, file, game, positions)
}

// continueRecords begins a file or finds its end. It returns the number of the next game, and how
// many positions there are.
func continueRecords(file *os.File, header train.Header) (game uint32, positions int, err error) {
	if info, err := file.Stat(); err != nil {
		return 0, 0, err
	} else if info.Size() == 0 {
		_, err = train.NewWriter(file, header)
		return 0, 0, err
	}
	r, err := train.NewReader(bufio.NewReader(file))
	if err != nil {
		return 0, 0, err
	}
	if r.Header() != header {
		return 0, 0, fmt.Errorf("its games were played in another way, %+v, now it would be %+v",
			r.Header(), header)
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break // what a killed program has left of a record goes
		}
		if err != nil {
			return 0, 0, err
		}
		game = record.Game + 1
		positions++
	}
	if err := file.Truncate(r.Offset()); err != nil {
		return 0, 0, err
	}
	_, err = file.Seek(r.Offset(), io.SeekStart)
	return game, positions, err
}

// playGames plays from a game on, and appends the records of each.
func playGames(cmd *cobra.Command, f *genFlags, o selfplay.Options, file io.Writer, game uint32,
	positions int) error {
	ctx := cmd.Context()
	if f.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.time)
		defer cancel()
	}
	out, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	if positions > 0 {
		fmt.Fprintf(out, "%s are there, going on with game %d\n", cli.Plural(positions, "position"), game)
	}
	players := make(chan *selfplay.Player, f.jobs)
	for range f.jobs {
		players <- selfplay.NewPlayer(o)
	}
	numbers := func(ctx context.Context, yield func(uint32) bool) {
		for n := game; n < f.games && ctx.Err() == nil; n++ {
			if !yield(n) {
				return
			}
		}
	}
	play := func(ctx context.Context, n uint32) []train.Record {
		player := <-players
		defer func() { players <- player }()
		return player.Play(ctx, n)
	}
	total := int64(f.positions)
	if f.positions == math.MaxInt {
		total = -1
	}
	report := newProgressReport(stderr, total, "playing")
	w := train.ContinueWriter(file)
	before, games := positions, 0
	var writeErr error
	for _, records := range ordered.Map(ctx, ordered.Options[uint32]{Workers: f.jobs}, numbers, play) {
		if ctx.Err() != nil || positions >= f.positions {
			break // games that came after one that was not finished are played again
		}
		if writeErr = w.Append(records...); writeErr != nil {
			break
		}
		positions += len(records)
		games++
		report.set(int64(positions), func(elapsed time.Duration) string {
			return fmt.Sprintf("%s of %s, %s/s", cli.Plural(positions, "position"), cli.Plural(games, "game"),
				cli.English.PerSecond(uint64(positions-before), elapsed))
		})
	}
	elapsed := report.finish()
	fmt.Fprintf(out, "%s of %s in %v, %s/s; the file has %d\n", cli.Plural(positions-before, "position"),
		cli.Plural(games, "game"), cli.RoundTime(elapsed), cli.English.PerSecond(uint64(positions-before), elapsed), positions)
	switch {
	case writeErr != nil:
		return writeErr
	case cmd.Context().Err() != nil:
		return command.Interrupted("the same command goes on with %s", f.output)
	}
	return nil
}
