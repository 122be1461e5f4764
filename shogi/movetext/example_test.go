package movetext_test

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

func ExampleJapaneseLine() {
	g, err := shogi.ParsePosition("startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range movetext.JapaneseLine(g.Start(), g.Moves()) {
		fmt.Println(text)
	}
	// Output:
	// ▲７六歩
	// △３四歩
	// ▲２二角成
	// △同　銀
	// ▲４五角
}
