package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/compose"
)

// shapeFlags are those of compose shape, beside those of all searches.
type shapeFlags struct {
	searchFlags
	shapes, at string
	seed       uint64
	list       bool
}

func newComposeShape(l cli.Language) *cobra.Command {
	var f shapeFlags
	cmd := &cobra.Command{
		Use: "shape SHAPE",
		Short: l.Text("Make problems whose first or last diagram is a picture",
			"曲詰の創作（初形曲詰・詰上り曲詰）"),
		Long: l.Text(`Shape makes problems in which the squares with a piece are a letter, a digit or another picture, in the
first diagram (初形曲詰) or in the last (詰上り曲詰), anywhere on the board. SHAPE is a name of the list that
--list prints, or rows of # and . with / between them, such as '###/.#./.#.'.

There are far too many figures to look at each: they are tried at random, by the seed, until --count or
--cpu ends the search. Without these it ends after ten problems.

A file of --shapes has the name of each shape in a line, and below it its rows of # and .; lines that
begin with ; are comments.`+aboutSearches,
			`駒のあるマスが文字や絵になる作品を、初形（初形曲詰）か詰上り（詰上り曲詰）で作ります。盤上の場所は
問いません。SHAPE は --list の名前か、'###/.#./.#.' のように # と . の行を / でつないだものです。

図が多くて全部は調べられないので、乱数の種に従って無作為に、--count か --cpu まで（なければ10題）探
します。

--shapes のファイルは、形ごとに名前の行と、# と . の行です。; で始まる行は注釈です。`+aboutSearchesJa),
		Example: `  tsumero compose shape T --count 3
  tsumero compose shape ハ --at end --cpu 60s --strict
  tsumero compose shape '#...#/.#.#./..#..' --plies 5-9 --hand 2
  tsumero compose shape --list`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			check.Choices("at")
			o := compose.ShapeOptions{Search: f.search(check), Seed: f.seed, AtEnd: f.at == "end"}
			check.Fault(!f.list && len(args) != 1, "one shape is wanted, not %d",
				"形を一つ指定してください（%d個あります）。", len(args))
			if err := check.Err(); err != nil {
				return err
			}
			list, err := f.pictures()
			if err != nil {
				return err
			}
			if f.list {
				for _, p := range list {
					fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n\n", p.Name, strings.Join(p.Rows, "\n"))
				}
				return nil
			}
			if o.Picture, err = picture(cmd, list, args[0]); err != nil {
				return f.refuse(cmd, err)
			}
			figures, err := o.Count()
			if err != nil {
				return f.refuse(cmd, err)
			}
			if f.count == 0 && f.cpu == 0 {
				f.count = 10
			}
			fmt.Fprintln(cmd.ErrOrStderr(), command.LanguageOf(cmd).Sprintf("about %s figures, tried at random",
				"約%s図を無作為に調べます。", compose.RoundFigures(figures)))
			return f.run(cmd, args, o.Search, 0, func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
				o.Search = s
				return compose.Shape(ctx, o)
			})
		},
	}
	flags := cmd.Flags()
	command.ChoiceFlag(cmd, &f.at, "at", "", "start", []string{"start", "end"}, l.Text("which diagram is the picture: start or end",
		"形にする図 `WHERE`：start（初形）、end（詰上り）"))
	flags.StringVar(&f.shapes, "shapes", "", l.Text("read the shapes from `FILE` (default: a list of letters, digits and figures)",
		"形を読むファイル `FILE`（既定：文字、数字、図形の一覧）"))
	flags.Uint64Var(&f.seed, "seed", 1, l.Text("`N` of the run: another one makes other problems",
		"乱数の種 `N`。変えると別の作品になる"))
	flags.BoolVar(&f.list, "list", false, l.Text("print the shapes that are known, and end",
		"使える形の一覧"))
	f.add(l, cmd, 4, l.Text("with no more than `N` pieces in Black's hand (-1: any)",
		"攻方の持駒の上限 `N`（-1 は無制限）"))
	return cmd
}

// pictures returns the shapes that have names.
func (f *shapeFlags) pictures() ([]compose.Picture, error) {
	if f.shapes == "" {
		return compose.Pictures(), nil
	}
	text, err := os.ReadFile(f.shapes)
	if err != nil {
		return nil, command.Exit(command.ExitFailure, err)
	}
	list, err := compose.ParsePictures(string(text))
	if m, ok := shogi.MessageOf(err); ok {
		err = fmt.Errorf("%s: %w", f.shapes, shogi.NewError("", m))
	}
	if err != nil {
		return nil, command.Exit(command.ExitFailure, err)
	}
	return list, nil
}

// picture returns the shape of a name, or that of rows with / between them.
func picture(cmd *cobra.Command, list []compose.Picture, text string) (compose.Picture, error) {
	if p, ok := compose.FindPicture(list, text); ok {
		return p, nil
	}
	if !strings.ContainsAny(text, "#.") {
		return compose.Picture{}, command.UsageError(cmd, cli.Errorf("there is no shape %q: --list prints all, and '###/.#./.#.' draws one",
			"「%s」という形はありません。一覧は --list、'###/.#./.#.' のようにも書けます。", text))
	}
	return compose.DrawPicture(text)
}
