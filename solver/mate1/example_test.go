package mate1_test

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate1"
)

func ExampleFind() {
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1")
	fmt.Println(mate1.Find(&p))

	// The pawn would mate, so it must not be dropped (打ち歩詰め).
	p = shogi.MustParseSFEN("7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1")
	fmt.Println(mate1.Find(&p) == shogi.NoMove)
	// Output:
	// G*5b
	// true
}
