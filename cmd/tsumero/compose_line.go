package main

import (
	"context"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/compose"
)

// lineFlags are those of compose line, beside those of all searches.
type lineFlags struct {
	searchFlags
	helpers, reach int
}

func newComposeLine() *cobra.Command {
	var f lineFlags
	cmd := &cobra.Command{
		Use:   "line MOVES",
		Short: "Find a diagram whose solution is a line of moves",
		Long: `Line finds problems whose solution is a given line of moves (手順から配置). What the moves need is
deduced: which pieces stand where they come from, what is taken, which squares are empty, what is in
hand. Then White's king, if it does not move, and pieces near it that no move speaks of are searched,
the fewest first. A diagram that is another one and more is not printed.

The moves are in USI or as KIF and books write them, and may leave open which piece it is or where it
comes from; - reads them from the standard input. Without --count or --cpu it ends after ten problems.` + aboutSearches,
		Example: `  tsumero compose line --helpers 1 '21歩成(22) 同玉(11) 12銀打'
  tsumero compose line --reach 1 --strict '2b2a+ 1a2a S*1b'
  tsumero compose line 'S*2c 2b1c G*1d'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			o := compose.LineOptions{Search: f.search(check), Helpers: f.helpers, Reach: f.reach}
			check.Fault(f.helpers < 0 || f.helpers > compose.MaxHelpers, "--helpers is %d, but must be 0 to %d", f.helpers,
				compose.MaxHelpers)
			check.Fault(f.reach < 1 || f.reach > 8, "--reach is %d, but must be 1 to 8", f.reach)
			check.Fault(cmd.Flags().Changed("plies"), "--plies does not go with a line, which has its length")
			if err := check.Err(); err != nil {
				return err
			}
			moves, err := givenMoves(cmd, args)
			if err != nil {
				return err
			}
			o.Moves = moves
			figures, err := o.Count()
			if err != nil {
				return f.refuse(cmd, err)
			}
			if f.count == 0 && f.cpu == 0 {
				f.count = 10
			}
			return f.run(cmd, args, o.Search, figures,
				func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
					o.Search = s
					return compose.Lines(ctx, o)
				})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.helpers, "helpers", 2, "put up to `N` pieces on the board that no move speaks of")
	flags.IntVar(&f.reach, "reach", 2, "as far as `N` squares from the king")
	f.add(cmd, -1, "with no more than `N` pieces in Black's hand (-1: any)")
	return cmd
}

// givenMoves reads the moves that args spell, or the standard input.
func givenMoves(cmd *cobra.Command, args []string) (list []compose.GivenMove, err error) {
	text := strings.Join(args, " ")
	if text == "-" {
		all, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), notation.MaxBytes))
		if err != nil {
			return nil, err
		}
		text = string(all)
	}
	moves, err := notation.ParseLoose(text)
	if m, ok := shogi.MessageOf(err); ok {
		return nil, command.Exit(command.ExitBadPosition, errorText(m.String()))
	}
	if len(moves) == 0 {
		return nil, command.UsageError(cmd, "the moves of the line are missing")
	}
	for _, m := range moves {
		list = append(list, compose.GivenMove(m))
	}
	return list, nil
}
