package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
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

func newComposePlace(l cli.Language) *cobra.Command {
	var f placeFlags
	cmd := &cobra.Command{
		Use: "place POSITION",
		Short: l.Text("Find where a piece has to stand for a sound problem",
			"完全作になる配置の探索（駒位置サーチ・置駒サーチ）"),
		Long: l.Text(`Place looks at a diagram with one piece or two placed otherwise, and prints the sound problems. With
--move, pieces of the diagram are moved to any free squares (駒位置サーチ). With --piece, pieces are added
(置駒サーチ): any of those that are named, as many at once as --added says. --on says on which squares they
may stand.

Pieces are written as in SFEN: R is a rook of Black's, r one of White's, +R a dragon. Black's hand is that
of the position, and White holds what is left.`+aboutSearches,
			`一、二枚の駒の位置を変えた図を調べ、完全作を出力します。--move は、図の駒を空いたマスに動かします
（駒位置サーチ）。--piece は、挙げた駒のどれかを --added 枚ずつ置きます（置駒サーチ）。--on は置く
マスです。

駒は SFEN の字で書きます（R は攻方の飛、r は玉方の飛、+R は龍）。攻方の持駒は局面のまま、残りは玉
方が持ちます。`+aboutSearchesJa),
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
	flags.StringSliceVar(&f.move, "move", nil, l.Text("move the piece on this `SQUARE`, such as 5c; one or two of them",
		"動かす駒のマス `SQUARE`（5c など。二つまで）"))
	flags.StringSliceVar(&f.piece, "piece", nil, l.Text("add one of these `PIECES`, such as R,g,+P",
		"置く駒の候補 `PIECES`（R,g,+P など）"))
	flags.IntVar(&f.added, "added", 1, l.Text("add `N` pieces at once, 1 or 2",
		"一度に置く枚数 `N`（1 か 2）"))
	flags.StringSliceVar(&f.on, "on", nil, l.Text("put them on these `SQUARES`, such as 1a,2b (default: wherever nothing stands)",
		"置くマス `SQUARES`（1a,2b など。既定：空いているマス全部）"))
	f.add(l, cmd, -1, l.Text("with no more than `N` pieces in Black's hand (-1: any)",
		"攻方の持駒の上限 `N`（-1 は無制限）"))
	return cmd
}

// options returns what the flags ask for, and adds their faults.
func (f *placeFlags) options(check *command.Checks) compose.PlaceOptions {
	o := compose.PlaceOptions{Search: f.search(check), Added: f.added}
	check.Fault((len(f.move) == 0) == (len(f.piece) == 0), "either --move or --piece is wanted",
		"--move か --piece のどちらか一方を指定してください。")
	check.Fault(len(f.move) > 2, "--move names %d squares, but at most two pieces can be moved at once",
		"--move が%dマスあります。一度に動かせる駒は二枚までです。", len(f.move))
	check.Range("added", f.added, 1, 2)
	for _, text := range f.move {
		sq, err := shogi.ParseSquare(text)
		check.Fault(err != nil, "--move is %q, but must be a square such as 5c",
			"--move の「%s」は誤りです（5c のようなマス）。", text)
		o.Moved = append(o.Moved, sq)
	}
	for _, text := range f.piece {
		pc, ok := compose.ParsePiece(text)
		check.Fault(!ok, "--piece is %q, but must be pieces as in SFEN, such as R, g or +P",
			"--piece の「%s」は誤りです（R、g、+P のような SFEN の駒）。", text)
		o.Pieces = append(o.Pieces, pc)
	}
	for _, text := range f.on {
		sq, err := shogi.ParseSquare(text)
		check.Fault(err != nil, "--on is %q, but must be squares such as 1a,2b",
			"--on の「%s」は誤りです（1a,2b のようなマス）。", text)
		if err == nil {
			o.Squares = o.Squares.With(sq)
		}
	}
	return o
}
