package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/solver/compose"
)

func newComposeHands(l cli.Language) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "hands POSITION",
		Short: l.Text("Find the hands with which a board is a sound problem", "完全作になる持駒の探索（持駒サーチ）"),
		Long: l.Text(`Hands looks at one board with every hand of up to so many pieces, from what is not on the board
(持駒サーチ), and prints the sound problems among them, small hands first. The hands of the position do not
count; White holds what Black does not.`+aboutSearches,
			`一つの配置に、盤上にない駒から選んだすべての持駒を試し、完全作を少ない持駒から順に出力します。局面に
書かれた持駒は使いません。残りの駒は玉方が持ちます。`+aboutSearchesJa),
		Example: `  tsumero compose hands '7nl/7k1/9/7P1/9/9/9/9/9 b - 1'
  tsumero compose hands --hand 4 --plies 7-15 --strict '7nl/7k1/9/7P1/9/9/9/9/9 b - 1'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			s := f.search(check)
			check.Fault(f.hand < 0, "--hand is %d, but must be 0 to 38",
				"--hand の %d は誤りです（0～38）。", f.hand)
			if err := check.Err(); err != nil {
				return err
			}
			p, err := command.OnePosition(cmd, args)
			if err != nil {
				return err
			}
			o := compose.HandsOptions{Search: s, Position: p, Pieces: f.hand}
			figures, err := o.Count()
			if err != nil {
				return f.refuse(cmd, err)
			}
			return f.run(cmd, args, s, figures, func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
				o.Search = s
				return compose.Hands(ctx, o)
			})
		},
	}
	f.add(l, cmd, 3, l.Text("with up to `N` pieces in Black's hand", "攻方の持駒の上限 `N`"))
	return cmd
}
