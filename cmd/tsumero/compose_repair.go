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
	"github.com/tsumero/tsumero/shogi/notation"
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
plays in it, or everything, was moved, the line comes from there. What was changed is printed in the
last column of tsv, and in both languages in ndjson.

If the line does not fit the diagram, it cannot be played or does not mate, there is a misprint (誤植).
Then every change of one piece on the board, of one in hand, and of one move is tried, and all are
printed with which the line can be played and mates: first those that make it the solution of a sound
problem, at the end those that are not sound. The last column of tsv says what supports each. None is said
to be the truth, and there may be two misprints, so that nothing is found. --plies does not count then.

Every single change is looked at. Of two, those are chosen that the cooks lead to: the first does away
with one, and the second has to do with what is still wrong then. How many were looked at, and how many
were not decided within the limits, is said at the end; so "nothing found" of two changes does not say
that there is nothing. Without --count or --cpu it ends after ten problems.` + aboutSearches,
		Example: `  tsumero compose repair --count 1 '7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1'
  tsumero compose repair --changes 1 --language ja problem.kif
  tsumero compose repair --language ja misprint.ki2
  tsumero compose repair --cpu 60s -o ndjson 'position sfen … moves …'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			check.Choices("language")
			o := compose.RepairOptions{Search: f.search(check), Changes: changes, Tally: new(compose.RepairTally)}
			check.Fault(changes < 1 || changes > 2, "--changes is %d, but must be 1 or 2", changes)
			if err := check.Err(); err != nil {
				return err
			}
			if err := oneProblem(cmd, args, &o); err != nil {
				return err
			}
			f.heading = wire.ComposedHeading + wire.ChangesHeading
			if o.Misprinted() {
				f.heading += wire.FitHeading
				f.noun = "change"
			} else if f.count == 0 && f.cpu == 0 {
				f.count = 10
			}
			p := o.Position
			err := f.run(cmd, args, o.Search, 0, func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
				o.Search = s
				problems, err := compose.Repair(ctx, o)
				if m, ok := shogi.MessageOf(err); ok && f.language == "ja" {
					err = errorText(m.Japanese())
				}
				return problems, err
			})
			if o.Tally.Misprint {
				printMisprintTally(cmd.ErrOrStderr(), &o)
			} else if o.Tally.Line != nil {
				printRepairTally(cmd.ErrOrStderr(), p, o.Tally, changes)
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
func oneProblem(cmd *cobra.Command, args []string, o *compose.RepairOptions) error {
	if len(args) == 0 {
		return command.UsageError(cmd, "one problem is wanted, not 0")
	}
	paths, err := cli.FindPaths(args, cli.OutputFiles())
	if err != nil {
		return err
	}
	n := 0
	for q, err := range paths.Questions(cmd.InOrStdin(), cli.FileFormat{}) {
		if err != nil {
			return err
		}
		if n++; n > 1 {
			return command.UsageError(cmd, "one problem is wanted, not several")
		}
		// What the text says is tried even where the moves can be played: they may mean others than in
		// the diagram as it is.
		p, text := q.Written()
		written, told, fault := notation.ParseWritten(text)
		if fault == nil && len(written) > 0 {
			o.Position, o.Told = p, told
			for _, m := range written {
				o.Written = append(o.Written, compose.GivenMove(m))
			}
			continue
		}
		if o.Position, o.Line, err = q.Problem(); err != nil {
			return command.Exit(command.ExitBadPosition, err)
		}
		if why := q.Unread(); why != "" {
			return command.Exit(command.ExitBadPosition, errorText(why))
		}
	}
	if n == 0 {
		return command.UsageError(cmd, "one problem is wanted, not 0")
	}
	return nil
}

// printMisprintTally prints how far a search for misprints went.
func printMisprintTally(out io.Writer, o *compose.RepairOptions) {
	t := o.Tally
	fmt.Fprintf(out, "the line does not fit the diagram: %d of its %d moves can be played, or it does not mate\n", t.Before,
		max(len(o.Written), len(o.Line)))
	fmt.Fprintf(out, "one change: %d of %d looked at\n", t.Singles, t.Of[0])
	if t.Open[0] > 0 {
		fmt.Fprintf(out, "not known whether they are sound: %d of them\n", t.Open[0])
	}
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
