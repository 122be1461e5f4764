package main

import (
	"context"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/compose"
)

func newComposeEvolve(l cli.Language) *cobra.Command {
	var f growFlags
	cmd := &cobra.Command{
		Use:   "evolve [FILE|FOLDER]...",
		Short: l.Text("Compose by changing problems", "作品の改作による創作"),
		Long: l.Text(`Evolve makes problems out of others: it moves, adds, takes away and exchanges pieces on the board and in
hand, and puts a check and a reply before them. Of each kind, by length, themes, pieces and the square of
the first move, the best is kept and changed further. Once some thousand changes were tried the best are
printed, and another island is begun with other problems.

The problems to begin with are those of files and folders, whose line is not looked at; without any they
are made by the reverse method. Those of the files are no limit to what is printed: for that give them to
--not-in as well.`+aboutGrowing,
			`元の作品の駒を動かし、加え、除き、取り替え、前に王手と応手を付けて、新しい作品を作ります。手数、手
筋、駒数、初手の位置の種類ごとに、最も良いものを残して変えていきます。数千回の変更の後に良いものを出
力し、別の作品から始めます。

元の作品はファイルやフォルダで指定します（手順は見ません）。なければ逆算で作ります。元の作品に似た
ものを除くには --not-in にも指定します。`+aboutGrowingJa),
		Example: `  tsumero compose evolve --plies 5-9 --cpu 60s
  tsumero compose evolve --plies 7-13 --theme nonpromotion --weight nonpromotion=3 problems.tsv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			o := compose.EvolveOptions{Options: f.options(cmd, check)}
			if err := check.Err(); err != nil {
				return err
			}
			run := f.command("evolve")
			for _, path := range args {
				run += " " + path
			}
			var err error
			if o.Start, err = readStart(cmd, args); err != nil {
				return err
			}
			return f.run(cmd, o.Options, run, "island", func(ctx context.Context, options compose.Options,
				tally *compose.Tally) iter.Seq[compose.Problem] {
				o.Options = options
				return compose.Evolve(ctx, o, tally)
			})
		},
	}
	f.add(l, cmd)
	return cmd
}

// readStart returns the positions of files in which Black is to mate, with White holding what is not on
// the board.
func readStart(cmd *cobra.Command, paths []string) (list []shogi.Position, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	for q, err := range cli.ReadSources(cli.Sources(paths, cli.OutputFiles()), cmd.InOrStdin(), cli.FileFormat{}) {
		if err != nil {
			return nil, err
		}
		p, err := q.Position()
		if err != nil {
			return nil, err
		}
		if attacker, err := solver.Attacker(&p); err != nil || attacker != p.SideToMove() {
			continue
		}
		if p.SideToMove() == shogi.White {
			p = p.Rotated()
		}
		p.GiveMissing(shogi.White)
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, command.UsageError(cmd, cli.Errorf("there is no problem to begin with: %s",
			"元になる作品がありません：%s", fmt.Sprint(paths)))
	}
	return list, nil
}
