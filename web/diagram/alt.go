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
		b.WriteString(sideOf(p, side, lang, true))
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
		b.WriteString(names[i] + sideOf(p, side, lang, side == attacker))
	}
	return strings.TrimSuffix(b.String(), " ")
}

// sideOf puts the pieces of a side into words, and its hand, if that is wanted.
func sideOf(p *shogi.Position, side shogi.Color, lang Lang, withHand bool) string {
	if lang == English {
		return englishSide(p, side, withHand)
	}
	return japaneseSide(p, side, withHand)
}

// listOr returns what is in a list, or what there is in its place.
func listOr(list []string, separator, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, separator)
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

// japaneseSide returns "２四角、２五歩。持駒、飛、銀二。".
func japaneseSide(p *shogi.Position, side shogi.Color, withHand bool) string {
	var board, hand []string
	for _, t := range spoken {
		for sq := range p.PiecesOf(side, t).All() {
			square := []rune{'１' + rune(sq.File()), numerals[sq.Rank()]}
			board = append(board, string(square)+japaneseNames[t])
		}
	}
	text := listOr(board, "、", "盤上になし") + "。"
	if !withHand {
		return text
	}
	h := p.Hand(side)
	for _, t := range handOrder {
		if n := h.Count(t); n > 0 {
			hand = append(hand, "、"+japaneseNames[t]+countText(n))
		}
	}
	return text + "持駒" + listOr(hand, "", "なし") + "。"
}

// englishNames are one and several of a kind.
var englishNames = [...][2]string{
	shogi.Pawn: {"pawn", "pawns"}, shogi.Lance: {"lance", "lances"}, shogi.Knight: {"knight", "knights"}, shogi.Silver: {"silver", "silvers"},
	shogi.Bishop: {"bishop", "bishops"}, shogi.Rook: {"rook", "rooks"}, shogi.Gold: {"gold", "golds"}, shogi.King: {"king", "kings"},
	shogi.Tokin: {"tokin", "tokins"}, shogi.ProLance: {"promoted lance", "promoted lances"}, shogi.ProKnight: {"promoted knight", "promoted knights"},
	shogi.ProSilver: {"promoted silver", "promoted silvers"}, shogi.Horse: {"horse", "horses"}, shogi.Dragon: {"dragon", "dragons"},
}

// englishSide returns "bishop 2d, pawns 2e 3f; in hand rook, 2 silvers. ".
func englishSide(p *shogi.Position, side shogi.Color, withHand bool) string {
	var board, hand []string
	for _, t := range spoken {
		squares := p.PiecesOf(side, t)
		if squares.IsEmpty() {
			continue
		}
		text := plural(t, squares.Len())
		for sq := range squares.All() {
			text += " " + sq.String()
		}
		board = append(board, text)
	}
	text := listOr(board, ", ", "nothing on the board")
	if !withHand {
		return text + ". "
	}
	h := p.Hand(side)
	for _, t := range handOrder {
		switch n := h.Count(t); n {
		case 0:
		case 1:
			hand = append(hand, plural(t, n))
		default:
			hand = append(hand, strconv.Itoa(n)+" "+plural(t, n))
		}
	}
	return text + "; in hand " + listOr(hand, ", ", "nothing") + ". "
}

func plural(t shogi.PieceType, n int) string {
	if n == 1 {
		return englishNames[t][0]
	}
	return englishNames[t][1]
}
