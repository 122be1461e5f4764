package notation_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// A problem as it is pasted: its notation is found out, and 残り全部 is the rest of the set.
func ExampleParse() {
	r, err := notation.Parse([]byte(`作者：誰か
後手の持駒：残り全部
| ・ ・ ・ ・v玉 ・ ・ ・ ・|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|
先手の持駒：金
▲５二金 まで1手詰
`), notation.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Format, r.Get("作者"), r.Ending())
	fmt.Println(r.Start.SFEN())
	fmt.Println(r.Moves())
	// Output:
	// ki2 誰か TSUMI
	// 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1
	// [G*5b]
}

// Two problems, each with its solution.
func ExampleParseAll() {
	records, err := notation.ParseAll([]byte(`position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1 moves G*5b
position sfen 9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1 moves G*5c 5b6a G*6b
`), notation.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range records {
		fmt.Println(r.Start.SFEN(), r.Moves())
	}
	// Output:
	// 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1 [G*5b]
	// 9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1 [G*5c 5b6a G*6b]
}

// Every fault of a position is told with its line and column.
func ExampleError() {
	_, err := notation.Parse([]byte("P-51OU\nP+53FU54FU00KX\n+\n"), notation.Options{})
	var e *notation.Error
	if errors.As(err, &e) {
		for _, f := range e.Faults {
			fmt.Printf("%d:%d %s: %s\n", f.Line, f.Column, f.Code, f.Msg)
		}
	}
	// Output:
	// 2:7 nifu: found a second black pawn on file 5 (nifu)
	// 2:11 board: found "00KX", expected a square and a piece, such as 51OU or 00KI
}

// A solution for other programs; without the board, which comes first.
func ExampleRecord_AppendKIF() {
	p := shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G 1")
	r := notation.NewRecord(p, []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))}, notation.Mated)
	_, moves, _ := strings.Cut(string(r.AppendKIF(nil)), "先手番\n")
	fmt.Print(moves)
	// Output:
	// 手数----指手---------消費時間--
	//    1 ５二金打
	//    2 詰み
	// まで1手で詰み
}
