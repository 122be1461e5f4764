package diagram

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// Text draws p with characters: the BOD form of Japanese records, which other programs read too. "v" stands before
// White's pieces. Kanji are two cells wide on a terminal.
func Text(p *shogi.Position) string {
	var b strings.Builder
	b.WriteString("後手の持駒：" + handText(p.Hand(shogi.White)) + "\n")
	b.WriteString("  ９ ８ ７ ６ ５ ４ ３ ２ １\n")
	b.WriteString("+---------------------------+\n")
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		b.WriteByte('|')
		for file := int(shogi.File9); file >= int(shogi.File1); file-- {
			switch pc := p.Piece(shogi.SquareAt(shogi.File(file), rank)); {
			case pc == shogi.NoPiece:
				b.WriteString(" ・")
			case pc.Color() == shogi.White:
				b.WriteByte('v')
				b.WriteRune(kanji[pc.Type()])
			default:
				b.WriteByte(' ')
				b.WriteRune(kanji[pc.Type()])
			}
		}
		b.WriteByte('|')
		b.WriteRune(numerals[rank])
		b.WriteByte('\n')
	}
	b.WriteString("+---------------------------+\n")
	b.WriteString("先手の持駒：" + handText(p.Hand(shogi.Black)) + "\n")
	if p.SideToMove() == shogi.White {
		b.WriteString("後手番\n")
	} else {
		b.WriteString("先手番\n")
	}
	return b.String()
}

// handText lists a hand: kinds with their counts, one not written.
func handText(h shogi.Hand) string {
	var held []string
	for _, t := range handOrder {
		if n := h.Count(t); n > 0 {
			held = append(held, string(kanji[t])+countText(n))
		}
	}
	if len(held) == 0 {
		return "なし"
	}
	return strings.Join(held, "　")
}

// countText returns a count up to 18 in Japanese numerals; one is not written.
func countText(n int) string {
	switch {
	case n <= 1:
		return ""
	case n < 10:
		return string(numerals[n-1])
	case n == 10:
		return "十"
	}
	return "十" + string(numerals[n-11])
}
