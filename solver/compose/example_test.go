package compose_test

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/compose"
	"github.com/tsumero/tsumero/solver/mate"
)

// With which piece in hand, or with none, is this board a sound problem?
func ExampleHands() {
	problems, err := compose.Hands(context.Background(), compose.HandsOptions{
		Search: compose.Search{
			Conditions: compose.Conditions{Least: 3, Most: 31, MaxHand: -1, MaxCaptures: -1},
			NewSession: mate.NewSession,
		},
		Position: shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b - 1"),
		Pieces:   1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for p := range problems {
		fmt.Println(p.Position.ProblemSFEN(), p.Line)
	}
	// Output:
	// 7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1 [4e4c+ 1c1b 4c2c]
}
