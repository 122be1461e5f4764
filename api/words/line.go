package words

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// Line returns moves that begin at a ply of the line, one after the other, with spaces between them.
func (w *Report) Line(ply int, moves ...shogi.Move) Text {
	var ja, en []string
	for _, t := range w.moves(ply, moves...) {
		ja, en = append(ja, t.Ja), append(en, t.En)
	}
	return Text{strings.Join(ja, " "), strings.Join(en, " ")}
}
