package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/compose"
)

// placeFlags are those of compose place, beside those of all searches.
type placeFlags struct {
	searchFlags
	move, piece, on []string
	added           int
}

func newComposePlace() *cobra.Command {
	var f placeFlags
	cmd := &cobra.Command{
		Use:   "place POSITION",
		Short: "Find where a piece has to stand for a sound problem",
		Long: `Place looks at a diagram with one piece or two placed otherwise, and prints the sound problems. With
--move, pieces of the diagram are moved to any free squares (駒位置サーチ). With --piece, pieces are added
(置駒サーチ): any of those that are named, as many at once as --added says. --on says on which squares they
may stand.

Pieces are written as in SFEN: R is a rook of Black's, r one of White's, +R a dragon. Black's hand is that
of the position, and White holds what is left.` + aboutSearches,
		Example: `  tsumero compose place --piece r,b,s,+R '7nl/7k1/9/7P1/9/9/9/9/9 b GS 1'
  tsumero compose place --move 1a --on 1a,2a,3a '7nl/7k1/9/7P1/9/9/9/9/9 b GS 1'
  tsumero compose place --piece p,P --added 2 --strict '7nl/7k1/9/7P1/9/9/9/9/9 b GS 1'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			o := f.options(check)
			if err := check.Err(); err != nil {
				return err
			}
			var err error
			if o.Position, err = command.OnePosition(cmd, args); err != nil {
				return err
			}
			figures, err := o.Count()
			if err != nil {
				return f.refuse(cmd, err)
			}
			return f.run(cmd, args, o.Search, figures,
				func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
					o.Search = s
					return compose.Place(ctx, o)
				})
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.move, "move", nil, "move the piece on this `SQUARE`, such as 5c; one or two of them")
	flags.StringSliceVar(&f.piece, "piece", nil, "add one of these `PIECES`, such as R,g,+P")
	flags.IntVar(&f.added, "added", 1, "add `N` pieces at once, 1 or 2")
	flags.StringSliceVar(&f.on, "on", nil, "put them on these `SQUARES`, such as 1a,2b (default: wherever nothing stands)")
	f.add(cmd, -1, "with no more than `N` pieces in Black's hand (-1: any)")
	return cmd
}

// options returns what the flags ask for, and adds their faults.
func (f *placeFlags) options(check *command.Checks) compose.PlaceOptions {
	o := compose.PlaceOptions{Search: f.search(check), Added: f.added}
	check.Fault((len(f.move) == 0) == (len(f.piece) == 0), "either --move or --piece is wanted")
	check.Fault(len(f.move) > 2, "--move names %d squares, but at most two pieces can be moved at once", len(f.move))
	check.Fault(f.added < 1 || f.added > 2, "--added is %d, but must be 1 or 2", f.added)
	for _, text := range f.move {
		sq, err := shogi.ParseSquare(text)
		check.Fault(err != nil, "--move is %q, but must be a square such as 5c", text)
		o.Moved = append(o.Moved, sq)
	}
	for _, text := range f.piece {
		pc, ok := compose.ParsePiece(text)
		check.Fault(!ok, "--piece is %q, but must be pieces as in SFEN, such as R, g or +P", text)
		o.Pieces = append(o.Pieces, pc)
	}
	for _, text := range f.on {
		sq, err := shogi.ParseSquare(text)
		check.Fault(err != nil, "--on is %q, but must be squares such as 1a,2b", text)
		if err == nil {
			o.Squares = o.Squares.With(sq)
		}
	}
	return o
}
