package mate3_test

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate3"
)

func ExampleSearcher_Find() {
	p := shogi.MustParseSFEN("3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1")
	s := mate3.NewSearcher(mate3.Options{})
	line, plies := s.Find(&p)
	fmt.Println("mate in", plies, "plies, beginning with", line[0])
	// Output: mate in 3 plies, beginning with 9f5b+
}
