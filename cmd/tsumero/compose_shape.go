package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

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

func newComposeShape() *cobra.Command {
	var f shapeFlags
	cmd := &cobra.Command{
		Use:   "shape SHAPE",
		Short: "Make problems whose first or last diagram is a picture",
		Long: `Shape makes problems in which the squares with a piece are a letter, a digit or another picture, in the
first diagram (初形曲詰) or in the last (詰上り曲詰), anywhere on the board. SHAPE is a name of the list that
--list prints, or rows of # and . with / between them, such as '###/.#./.#.'.

There are far too many figures to look at each: they are tried at random, by the seed, until --count or
--cpu ends the search. Without these it ends after ten problems.

A file of --shapes has the name of each shape in a line, and below it its rows of # and .; lines that
begin with ; are comments.` + aboutSearches,
		Example: `  tsumero compose shape T --count 3
  tsumero compose shape ハ --at end --cpu 60s --strict
  tsumero compose shape '#...#/.#.#./..#..' --plies 5-9 --hand 2
  tsumero compose shape --list`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			check.Choices("at")
			o := compose.ShapeOptions{Search: f.search(check), Seed: f.seed, AtEnd: f.at == "end"}
			check.Fault(!f.list && len(args) != 1, "one shape is wanted, not %d", len(args))
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
			fmt.Fprintf(cmd.ErrOrStderr(), "about %s figures, tried at random\n", compose.RoundFigures(figures))
			return f.run(cmd, args, o.Search, 0, func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
				o.Search = s
				return compose.Shape(ctx, o)
			})
		},
	}
	flags := cmd.Flags()
	command.ChoiceFlag(cmd, &f.at, "at", "", "start", []string{"start", "end"}, "which diagram is the picture: start or end")
	flags.StringVar(&f.shapes, "shapes", "", "read the shapes from `FILE` (default: a list of letters, digits and figures)")
	flags.Uint64Var(&f.seed, "seed", 1, "`N` of the run: another one makes other problems")
	flags.BoolVar(&f.list, "list", false, "print the shapes that are known, and end")
	f.add(cmd, 4, "with no more than `N` pieces in Black's hand (-1: any)")
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
		err = fmt.Errorf("%s: %s", f.shapes, m)
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
		return compose.Picture{}, command.UsageError(cmd, "there is no shape %q: --list prints all, and '###/.#./.#.' draws one", text)
	}
	return compose.DrawPicture(text)
}
