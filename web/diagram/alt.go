package diagram

import (
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// Alt puts a position into words, for the attribute alt of an image and for screen readers: each
// side's pieces with their squares, its hand, and whose turn it is.
func Alt(p *shogi.Position, lang Lang) string {
	var b strings.Builder
	for _, side := range [...]shogi.Color{shogi.Black, shogi.White} {
		if lang == English {
			b.WriteString([2]string{"Black: ", "White: "}[side])
		} else {
			b.WriteString([2]string{"先手：", "後手："}[side])
		}
		writeSide(&b, p, side, lang, true)
	}
	switch {
	case lang == English && p.SideToMove() == shogi.White:
		b.WriteString("White to play.")
	case lang == English:
		b.WriteString("Black to play.")
	case p.SideToMove() == shogi.White:
		b.WriteString("後手番。")
	default:
		b.WriteString("先手番。")
	}
	return b.String()
}

// ProblemAlt puts into words what a picture with Hands: AttackerHand shows: the pieces of attacker
// and defender, and the attacker's hand.
func ProblemAlt(p *shogi.Position, lang Lang) string {
	var b strings.Builder
	names := [2]string{"攻方：", "玉方："}
	if lang == English {
		names = [2]string{"Attacker: ", "Defender: "}
	}
	attacker := attackerOf(p)
	for i, side := range [...]shogi.Color{attacker, attacker.Opponent()} {
		b.WriteString(names[i])
		writeSide(&b, p, side, lang, side == attacker)
	}
	return strings.TrimSuffix(b.String(), " ")
}

// writeSide writes the pieces of a side and its hand, if that is wanted.
func writeSide(b *strings.Builder, p *shogi.Position, side shogi.Color, lang Lang, withHand bool) {
	if lang == English {
		writeEnglish(b, p, side, withHand)
	} else {
		writeJapanese(b, p, side, withHand)
	}
}

// spoken is the order in which pieces are named: as in hands, with the king first and promoted ones
// after their kind.
var spoken = [...]shogi.PieceType{shogi.King, shogi.Rook, shogi.Dragon, shogi.Bishop, shogi.Horse, shogi.Gold,
	shogi.Silver, shogi.ProSilver, shogi.Knight, shogi.ProKnight, shogi.Lance, shogi.ProLance, shogi.Pawn, shogi.Tokin}

// japaneseNames are the kinds as they are said.
var japaneseNames = [...]string{
	shogi.Pawn: "歩", shogi.Lance: "香", shogi.Knight: "桂", shogi.Silver: "銀",
	shogi.Bishop: "角", shogi.Rook: "飛", shogi.Gold: "金", shogi.King: "玉",
	shogi.Tokin: "と", shogi.ProLance: "成香", shogi.ProKnight: "成桂", shogi.ProSilver: "成銀",
	shogi.Horse: "馬", shogi.Dragon: "龍",
}

// writeJapanese writes "２四角、２五歩。持駒、飛、銀二。".
func writeJapanese(b *strings.Builder, p *shogi.Position, side shogi.Color, withHand bool) {
	some := false
	for _, t := range spoken {
		for sq := range p.PiecesOf(side, t).All() {
			if some {
				b.WriteString("、")
			}
			some = true
			b.WriteRune('１' + rune(sq.File()))
			b.WriteRune(numerals[sq.Rank()])
			b.WriteString(japaneseNames[t])
		}
	}
	if !some {
		b.WriteString("盤上になし")
	}
	b.WriteString("。")
	if !withHand {
		return
	}
	b.WriteString("持駒")
	h := p.Hand(side)
	for _, t := range handOrder {
		if n := h.Count(t); n > 0 {
			b.WriteString("、" + japaneseNames[t] + countText(n))
		}
	}
	if h.IsEmpty() {
		b.WriteString("なし")
	}
	b.WriteString("。")
}

// englishNames are one and several of a kind.
var englishNames = [...][2]string{
	shogi.Pawn: {"pawn", "pawns"}, shogi.Lance: {"lance", "lances"}, shogi.Knight: {"knight", "knights"}, shogi.Silver: {"silver", "silvers"},
	shogi.Bishop: {"bishop", "bishops"}, shogi.Rook: {"rook", "rooks"}, shogi.Gold: {"gold", "golds"}, shogi.King: {"king", "kings"},
	shogi.Tokin: {"tokin", "tokins"}, shogi.ProLance: {"promoted lance", "promoted lances"}, shogi.ProKnight: {"promoted knight", "promoted knights"},
	shogi.ProSilver: {"promoted silver", "promoted silvers"}, shogi.Horse: {"horse", "horses"}, shogi.Dragon: {"dragon", "dragons"},
}

// writeEnglish writes "bishop 2d, pawns 2e 3f; in hand rook, 2 silvers. ".
func writeEnglish(b *strings.Builder, p *shogi.Position, side shogi.Color, withHand bool) {
	some := false
	for _, t := range spoken {
		squares := p.PiecesOf(side, t)
		if squares.IsEmpty() {
			continue
		}
		if some {
			b.WriteString(", ")
		}
		some = true
		b.WriteString(plural(t, squares.Len()))
		for sq := range squares.All() {
			b.WriteByte(' ')
			b.WriteString(sq.String())
		}
	}
	if !some {
		b.WriteString("nothing on the board")
	}
	if !withHand {
		b.WriteString(". ")
		return
	}
	b.WriteString("; in hand ")
	h := p.Hand(side)
	some = false
	for _, t := range handOrder {
		n := h.Count(t)
		if n == 0 {
			continue
		}
		if some {
			b.WriteString(", ")
		}
		some = true
		if n > 1 {
			b.WriteString(strconv.Itoa(n))
			b.WriteByte(' ')
		}
		b.WriteString(plural(t, n))
	}
	if h.IsEmpty() {
		b.WriteString("nothing")
	}
	b.WriteString(". ")
}

func plural(t shogi.PieceType, n int) string {
	if n == 1 {
		return englishNames[t][0]
	}
	return englishNames[t][1]
}
