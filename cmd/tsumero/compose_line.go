package main

import (
	"context"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
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

func newComposeLine(l cli.Language) *cobra.Command {
	var f lineFlags
	cmd := &cobra.Command{
		Use:   "line MOVES",
		Short: l.Text("Find a diagram whose solution is a line of moves", "手順からの配置"),
		Long: l.Text(`Line finds problems whose solution is a given line of moves (手順から配置). What the moves need is
deduced: which pieces stand where they come from, what is taken, which squares are empty, what is in
hand. Then White's king, if it does not move, and pieces near it that no move speaks of are searched,
the fewest first. A diagram that is another one and more is not printed.

The moves are in USI or as KIF and books write them, and may leave open which piece it is or where it
comes from; - reads them from the standard input. Without --count or --cpu it ends after ten problems.`+aboutSearches,
			`与えた手順が解になる作品を探します。手順から、動く駒の元の位置、取られる駒、空いているマス、持駒を
割り出し、玉の位置（動かないとき）と、手順に出てこない近くの駒を、少ないものから探します。

指し手は USI か、KIF や本の書き方です。どの駒か、どこから動くかは書かなくてもかまいません。- では
標準入力から読みます。--count も --cpu もなければ10題で終わります。`+aboutSearchesJa),
		Example: `  tsumero compose line --helpers 1 '21歩成(22) 同玉(11) 12銀打'
  tsumero compose line --reach 1 --strict '2b2a+ 1a2a S*1b'
  tsumero compose line 'S*2c 2b1c G*1d'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			o := compose.LineOptions{Search: f.search(check), Helpers: f.helpers, Reach: f.reach}
			check.Range("helpers", f.helpers, 0, compose.MaxHelpers)
			check.Range("reach", f.reach, 1, 8)
			check.Fault(cmd.Flags().Changed("plies"), "--plies does not go with a line, which has its length",
				"手数は手順で決まるので、--plies は使えません。")
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
	flags.IntVar(&f.helpers, "helpers", 2, l.Text("put up to `N` pieces on the board that no move speaks of",
		"手順に出てこない駒を置く枚数の上限 `N`"))
	flags.IntVar(&f.reach, "reach", 2, l.Text("as far as `N` squares from the king",
		"玉からの距離の上限 `N` マス"))
	f.add(l, cmd, -1, l.Text("with no more than `N` pieces in Black's hand (-1: any)",
		"攻方の持駒の上限 `N`（-1 は無制限）"))
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
		return nil, command.Exit(command.ExitBadPosition, shogi.NewError("", m))
	}
	if len(moves) == 0 {
		return nil, command.UsageError(cmd, cli.Errorf("the moves of the line are missing",
			"手順がありません。"))
	}
	for _, m := range moves {
		list = append(list, compose.GivenMove(m))
	}
	return list, nil
}
