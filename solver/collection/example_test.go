package collection_test

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
)

// The same problem from the other side of the board is found again.
func ExampleIndex() {
	p := shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1")
	var x collection.Index
	for _, q := range []shogi.Position{p, p.Mirrored()} {
		d, err := collection.Describe(&collection.Problem{Position: q})
		if err != nil {
			panic(err)
		}
		for _, m := range x.Related(d, collection.Duplicate, collection.MirrorTwin) {
			fmt.Println(m.Relation, "of problem", m.ID)
		}
		x.Add(d)
	}
	// Output:
	// mirror_twin of problem 0
}
