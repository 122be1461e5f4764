package mate_test

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
)

// The shortest mate, in USI and in Japanese. Every legal move counts: a book, which leaves out the
// futile interposition, calls this a mate in 3 (see package analysis).
func ExampleNew() {
	p, err := shogi.ParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1")
	if err != nil {
		fmt.Println(err) // every fault, with its place
		return
	}
	r := mate.New(mate.Options{}).Solve(context.Background(), p, solver.Limits{Shortest: true})
	fmt.Println(r.Verdict, r.Exact, r.Line)
	fmt.Println(movetext.JapaneseLine(p, r.Line))
	// Output:
	// mate true [4e4c+ P*3c 4c3c 1c1b 2a2b+]
	// [▲４三飛成 △３三歩 ▲同　龍 △１二玉 ▲２二飛成]
}
