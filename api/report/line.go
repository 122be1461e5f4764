package report

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// Line returns moves that begin at a ply of the line, one after the other, with spaces between them.
func (w *Writer) Line(ply int, moves ...shogi.Move) Text {
	var ja, en []string
	for _, t := range w.moves(ply, moves...) {
		ja, en = append(ja, t.Ja), append(en, t.En)
	}
	return Text{strings.Join(ja, " "), strings.Join(en, " ")}
}

// Hand names the pieces of a hand in few letters.
func Hand(h shogi.Hand) Text {
	ja, _ := heldText(h)
	return Text{ja, h.String()}
}
