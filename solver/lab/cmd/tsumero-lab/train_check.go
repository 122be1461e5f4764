package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/train"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels/naginagi"
)

func newTrainCheck() *cobra.Command {
	var net string
	lambda := 0.95
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Say what is in files of records or of networks, and whether it is in order",
		Long: `Check reads files of records and of networks to their end. Of records it says how they were made
and what they hold, and checks each position by the rules; with --net also how far a network is from
them. Of a network it says its size and its hash.

The exit code is 0 if all files are in order, and 1 if one is not.`,
		Example: `  tsumero-lab train check games.rec
  tsumero-lab train check --net net32.bin games.rec`,
		Args: command.Positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(lambda >= 0 && lambda <= 1) {
				return command.UsageError(cmd, "--lambda is %v, but must be 0 to 1", lambda)
			}
			var n *eval.Net
			if net != "" {
				var err error
				if n, err = eval.ReadNet(net); err != nil {
					return err
				}
			}
			bad := false
			for _, path := range args {
				err := checkFile(cmd, path, n, lambda)
				var system *os.PathError
				switch {
				case cmd.Context().Err() != nil:
					return command.Interrupted("%s was not read to its end", path)
				case errors.As(err, &system):
					return err
				case err != nil:
					fmt.Fprintf(cmd.ErrOrStderr(), "tsumero-lab: %s: %v\n", path, err)
					bad = true
				}
			}
			if bad {
				return command.Exit(command.ExitNegative, nil)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&net, "net", "", "also measure the network of `FILE` on the records")
	flags.Float64Var(&lambda, "lambda", lambda, "with --net: weight `L` of the score in the target, 0 to 1")
	return cmd
}

// checkFile prints what is in a file. The error is what is wrong with it.
func checkFile(cmd *cobra.Command, path string, net *eval.Net, lambda float64) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := cmd.OutOrStdout()
	start := make([]byte, 16)
	n, _ := io.ReadFull(file, start)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if bytes.HasPrefix(start[:n], []byte("tsumero net")) {
		other, err := eval.ReadNet(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s: a network of %s, hash %s\n", path, cli.Plural(other.Units(), "unit"), other.Hash())
		return err
	}
	if bytes.HasPrefix(start[:n], []byte("tsumero naginagi")) {
		text, err := io.ReadAll(io.LimitReader(file, eval.MaxNetSize+1))
		if err != nil {
			return err
		}
		other, err := naginagi.ParseNet(text)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s: the network of naginagi, hash %s\n", path, other.Hash())
		return err
	}
	r, err := train.NewReader(file)
	if err != nil {
		return err
	}
	s, err := summarize(cmd, r, net, lambda)
	h := r.Header()
	fmt.Fprintf(out, "%s: %s of %s, by %s of %s, seed %d, %s a move", path, cli.Plural(s.positions, "position"),
		cli.Plural(len(s.games), "game"), h.Level, h.Engine, h.Seed, cli.Plural(h.Nodes, "node"))
	if h.Net != "" {
		fmt.Fprintf(out, ", network %s", h.Net)
	}
	if h.Note != "" {
		fmt.Fprintf(out, ", %s", h.Note)
	}
	fmt.Fprintln(out)
	if s.positions > 0 {
		each := 100 / float64(s.positions)
		fmt.Fprintf(out, "  the side to move won %.1f %%, drew %.1f %%, lost %.1f %%; mean ply %.0f, mean score %.0f\n",
			float64(s.results[train.Won])*each, float64(s.results[train.Drawn])*each,
			float64(s.results[train.Lost])*each, float64(s.plies)/float64(s.positions),
			float64(s.scores)/float64(s.positions))
		fmt.Fprintf(out, "  divergence %.6f, square %.6f by the pieces alone\n", s.material.Divergence, s.material.Square)
		if net != nil {
			fmt.Fprintf(out, "  divergence %.6f, square %.6f by the network %s\n", s.net.Divergence, s.net.Square, net.Hash())
		}
	}
	return err
}

// A recordSummary is what records come to.
type recordSummary struct {
	positions     int
	games         map[uint32]bool
	results       [train.Won + 1]int
	plies, scores int64
	material, net train.Loss
}

// summarize reads records to their end, and returns what it has read even if there is an error.
func summarize(cmd *cobra.Command, r *train.Reader, net *eval.Net, lambda float64) (*recordSummary, error) {
	s := &recordSummary{games: map[uint32]bool{}}
	// Records are measured in blocks, so that they need not all be in memory.
	var block []train.Record
	measure := func() {
		s.material.Add(train.Measure(nil, block, lambda))
		if net != nil {
			s.net.Add(train.Measure(net, block, lambda))
		}
		block = block[:0]
	}
	defer measure()
	for cmd.Context().Err() == nil {
		offset := r.Offset()
		record, err := r.Read()
		if err == io.EOF {
			return s, nil
		}
		if err == nil {
			if _, fault := record.Position.Position(int(record.Ply)); fault != nil {
				err = &train.FormatError{Offset: offset, Err: fmt.Errorf("the position: %w", fault)}
			}
		}
		if err != nil {
			return s, err
		}
		s.positions++
		s.games[record.Game] = true
		s.results[record.Result]++
		s.plies += int64(record.Ply)
		s.scores += int64(record.Score)
		if block = append(block, record); len(block) == 1<<16 {
			measure()
		}
	}
	return s, cmd.Context().Err()
}
