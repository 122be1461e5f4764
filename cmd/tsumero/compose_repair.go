package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver/compose"
)

func newComposeRepair() *cobra.Command {
	var f searchFlags
	var changes int
	cmd := &cobra.Command{
		Use:   "repair PROBLEM",
		Short: "Find the sound problems nearest to one that is cooked",
		Long: `Repair looks for the sound problems nearest to one that has a cook or pieces left over (余詰修正): first
with one change, then with two, the natural ones first. A change moves a piece, puts one on the board
or takes one away, makes another kind of one, adds to the hand or takes from it, or moves everything.
Of a problem that is sound but for idle pieces these are taken away.

The problem is a position or a file with one record or position. The moves that come with it, in a
record or after "moves", are the author's line, else it is the main line of the report, and after it the
lines of some cooks. The solution of every problem that is printed is such a line; where a piece that
plays in it, or everything, was moved, the line comes from there. What was changed is printed in the last column of tsv, and in both languages
in ndjson.

Every single change is looked at. Of two, those are chosen that the cooks lead to: the first does away
with one, and the second has to do with what is still wrong then. How many were looked at, and how many
were not decided within the limits, is said at the end; so "nothing found" of two changes does not say
that there is nothing. Without --count or --cpu it ends after ten problems.` + aboutSearches,
		Example: `  tsumero compose repair --count 1 '7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1'
  tsumero compose repair --changes 1 --language ja problem.kif
  tsumero compose repair --cpu 60s -o ndjson 'position sfen … moves …'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			check.Choices("language")
			s := f.search(check)
			check.Fault(changes < 1 || changes > 2, "--changes is %d, but must be 1 or 2", changes)
			if err := check.Err(); err != nil {
				return err
			}
			p, line, err := oneProblem(cmd, args)
			if err != nil {
				return err
			}
			if f.count == 0 && f.cpu == 0 {
				f.count = 10
			}
			f.heading = wire.ComposedHeading + wire.ChangesHeading
			var tally compose.RepairTally
			err = f.run(cmd, args, s, 0, func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
				problems, err := compose.Repair(ctx, compose.RepairOptions{Search: s, Position: p, Line: line,
					Changes: changes, Tally: &tally})
				if m, ok := shogi.MessageOf(err); ok && f.language == "ja" {
					err = errorText(m.Japanese())
				}
				return problems, err
			})
			if tally.Line != nil {
				printRepairTally(cmd.ErrOrStderr(), p, &tally, changes)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&changes, "changes", 2, "make up to `N` changes, 1 or 2")
	command.ChoiceFlag(cmd, &f.language, "language", "", "en", []string{"en", "ja"}, "`LANGUAGE` of the changes in tsv: en or ja")
	f.add(cmd, -1, "with no more than `N` pieces in Black's hand (-1: any)")
	return cmd
}

// oneProblem reads the problem that args spell, or that is in the file they name, with its line.
func oneProblem(cmd *cobra.Command, args []string) (p shogi.Position, line []shogi.Move, err error) {
	if len(args) == 0 {
		return p, nil, command.UsageError(cmd, "one problem is wanted, not 0")
	}
	paths, err := cli.FindPaths(args, cli.OutputFiles())
	if err != nil {
		return p, nil, err
	}
	n := 0
	for q, err := range paths.Questions(cmd.InOrStdin(), cli.FileFormat{}) {
		if err != nil {
			return p, nil, err
		}
		if n++; n > 1 {
			return p, nil, command.UsageError(cmd, "one problem is wanted, not several")
		}
		if p, line, err = q.Problem(); err != nil {
			return p, nil, command.Exit(command.ExitBadPosition, err)
		}
	}
	if n == 0 {
		return p, nil, command.UsageError(cmd, "one problem is wanted, not 0")
	}
	return p, line, nil
}

// printRepairTally prints how far a repair went.
func printRepairTally(out io.Writer, p shogi.Position, t *compose.RepairTally, changes int) {
	fmt.Fprintf(out, "kept line: %s\n", strings.Join(movetext.EnglishLine(p, t.Line), " "))
	fmt.Fprintf(out, "one change: %d of %d diagrams looked at\n", t.Singles, t.Of[0])
	if changes > 1 && t.Coverage == compose.All {
		fmt.Fprintf(out, "two changes: %d of %d diagrams looked at\n", t.Pairs, t.Of[1])
	} else if changes > 1 {
		fmt.Fprintf(out, "two changes: %d of %d chosen diagrams looked at; there are more that were not chosen\n", t.Pairs, t.Of[1])
	}
	if open := t.Open[0] + t.Open[1]; open > 0 {
		fmt.Fprintf(out, "not decided within the limits: %d of them\n", open)
	}
}
