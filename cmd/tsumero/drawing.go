package main

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

const fullBlank = "　"

// drawing returns p as Japanese records draw it (the BOD form of KIF): White's pieces carry a "v".
func drawing(p *shogi.Position) string {
	var b strings.Builder
	b.WriteString("後手の持駒：" + handText(p.Hand(shogi.White)) + "\n")
	b.WriteString("  ９ ８ ７ ６ ５ ４ ３ ２ １\n")
	b.WriteString("+---------------------------+\n")
	ranks := []rune("一二三四五六七八九")
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		b.WriteByte('|')
		for file := int(shogi.File9); file >= int(shogi.File1); file-- {
			b.WriteString(squareText(p.Piece(shogi.SquareAt(shogi.File(file), rank))))
		}
		b.WriteByte('|')
		b.WriteRune(ranks[rank])
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

// pieceLetters are the kinds in one character each.
var pieceLetters = [...]string{
	shogi.Pawn: "歩", shogi.Lance: "香", shogi.Knight: "桂", shogi.Silver: "銀",
	shogi.Bishop: "角", shogi.Rook: "飛", shogi.Gold: "金", shogi.King: "玉",
	shogi.Tokin: "と", shogi.ProLance: "杏", shogi.ProKnight: "圭", shogi.ProSilver: "全",
	shogi.Horse: "馬", shogi.Dragon: "龍",
}

func squareText(pc shogi.Piece) string {
	switch {
	case pc == shogi.NoPiece:
		return " ・"
	case pc.Color() == shogi.White:
		return "v" + pieceLetters[pc.Type()]
	}
	return " " + pieceLetters[pc.Type()]
}

func handText(h shogi.Hand) string {
	var held []string
	for _, t := range []shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance, shogi.Pawn} {
		if n := h.Count(t); n > 0 {
			held = append(held, pieceLetters[t]+countText(n))
		}
	}
	if len(held) == 0 {
		return "なし"
	}
	return strings.Join(held, fullBlank)
}

// countText returns a count up to 18 in Japanese numerals; one is not written.
func countText(n int) string {
	digits := []string{"", "一", "二", "三", "四", "五", "六", "七", "八", "九"}
	switch {
	case n == 1:
		return ""
	case n < 10:
		return digits[n]
	}
	return "十" + digits[n-10]
}
