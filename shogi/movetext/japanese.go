// Package movetext writes moves as Japanese and Western records do. It is apart from package
// notation, which reads and writes whole records with it, because the program of a page needs no
// more.
package movetext

import (
	"strconv"

	"github.com/tsumero/tsumero/shogi"
)

// AppendJapanese appends m, which must be legal in p, as Japanese records write it (the KI2 style):
// "▲５二金打", "△同　玉", "▲３三銀右上成". previous is the destination of the move before, or
// shogi.NoSquare; a move that goes there too is written 同.
//
// The words follow the federation's 棋譜の表記方法 (https://www.shogi.or.jp/faq/kihuhyouki.html).
// Where another piece of the same kind goes there too, the movement tells them apart (上 寄 引),
// else the side the piece comes from (右 左, 直 for a straight step forward), else both. 打 is
// written where a piece on the board goes there too, 不成 where the piece could have promoted.
// Pieces count by how they move: also those that are pinned. The rule says no word of them, but a
// reader need not know who is in check to tell pieces apart, and the programs that read records do
// not ask.
func AppendJapanese(dst []byte, p *shogi.Position, m shogi.Move, previous shogi.Square) []byte {
	dst = append(dst, sideMarks[p.SideToMove()]...)
	dst = AppendDestination(dst, m.To(), previous)
	return appendPiece(dst, p, m)
}

// AppendPrinted is AppendJapanese as magazines print moves, without the sign of the side and the
// space behind 同: "５二金打", "同玉", "３三銀右上成".
func AppendPrinted(dst []byte, p *shogi.Position, m shogi.Move, previous shogi.Square) []byte {
	if m.To() == previous {
		dst = append(dst, "同"...)
	} else {
		dst = AppendDestination(dst, m.To(), shogi.NoSquare)
	}
	return appendPiece(dst, p, m)
}

// appendPiece appends what follows the square: the piece, which of several, and how it moves.
func appendPiece(dst []byte, p *shogi.Position, m shogi.Move) []byte {
	us, to := p.SideToMove(), m.To()
	kind := m.Dropped()
	if !m.IsDrop() {
		kind = p.Piece(m.From()).Type()
	}
	dst = append(dst, kind.Japanese()...)

	rivals := p.AttackersTo(to, us, p.Occupied()).And(p.PiecesOf(us, kind))
	if m.IsDrop() {
		if !rivals.IsEmpty() {
			dst = append(dst, "打"...)
		}
		return dst
	}
	from := m.From()
	dst = appendWhich(dst, us, kind, from, to, rivals.Without(from))
	switch {
	case m.IsPromotion():
		dst = append(dst, "成"...)
	case kind.CanPromote() && (shogi.InPromotionZone(us, from) || shogi.InPromotionZone(us, to)):
		dst = append(dst, "不成"...)
	}
	return dst
}

// JapaneseLine returns the moves, each legal after those before it, as AppendJapanese writes them.
// The first names its square in full.
func JapaneseLine(p shogi.Position, moves []shogi.Move) []string {
	return textsOf(p, moves, AppendJapanese)
}

// PrintedLine is JapaneseLine as AppendPrinted writes moves.
func PrintedLine(p shogi.Position, moves []shogi.Move) []string {
	return textsOf(p, moves, AppendPrinted)
}

func textsOf(p shogi.Position, moves []shogi.Move,
	write func([]byte, *shogi.Position, shogi.Move, shogi.Square) []byte) []string {
	line := make([]string, len(moves))
	previous := shogi.NoSquare
	for i, m := range moves {
		line[i] = string(write(nil, &p, m, previous))
		previous = m.To()
		p.Do(m)
	}
	return line
}

// USILine returns moves in USI, nil for nil.
func USILine(moves []shogi.Move) []string {
	if moves == nil {
		return nil
	}
	line := make([]string, len(moves))
	for i, m := range moves {
		line[i] = m.String()
	}
	return line
}

var wideDigits = [...]string{"０", "１", "２", "３", "４", "５", "６", "７", "８", "９"}

// PrintedPlies returns what magazines print behind the last of so many moves: "まで３手".
func PrintedPlies(n int) string {
	text := "まで"
	for _, digit := range strconv.Itoa(n) {
		text += wideDigits[digit-'0']
	}
	return text + "手"
}

// Kanji are the numbers from 0 to 10.
var Kanji = [...]string{"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十"}

// sideMarks are the signs of the sides before their moves.
var sideMarks = [2]string{"▲", "△"}

// AppendDestination appends the square, or 同 if it is where the move before went.
func AppendDestination(dst []byte, to, previous shogi.Square) []byte {
	if to == previous {
		return append(dst, "同　"...)
	}
	return append(append(dst, wideDigits[to.File()+1]...), Kanji[to.Rank()+1]...)
}

// appendWhich appends the words that tell the piece on from, of kind t and colour c, from the
// rivals of its kind that go to to as well.
func appendWhich(dst []byte, c shogi.Color, t shogi.PieceType, from, to shogi.Square, rivals shogi.Bitboard) []byte {
	if rivals.IsEmpty() {
		return dst
	}
	movement := MovementOf(c, from, to)
	unique := true
	for rival := range rivals.All() {
		unique = unique && MovementOf(c, rival, to) != movement
	}
	if unique {
		return append(dst, string(movement)...)
	}

	// A set has only two bishops and two rooks: promoted or not, the two are compared with each
	// other, and 直 is not used. The side of other pieces is that of the step they make.
	if base := t.Base(); base == shogi.Bishop || base == shogi.Rook {
		return append(dst, string(SideFrom(c, from, rivals.First()))...)
	}
	side := SideFrom(c, from, to)
	dst = append(dst, string(side)...)
	if side == Straight {
		return dst // of the steps along the file, the one back is unique by its movement
	}
	for rival := range rivals.All() {
		if SideFrom(c, rival, to) == side {
			return append(dst, string(movement)...)
		}
	}
	return dst
}

// MovementOf says whether going from a to b is forward (上), sideways (寄) or back (引), as c sees
// it.
func MovementOf(c shogi.Color, a, b shogi.Square) rune {
	up := int(a.Rank()) - int(b.Rank())
	if c == shogi.White {
		up = -up
	}
	switch {
	case up > 0:
		return '上'
	case up < 0:
		return '引'
	}
	return '寄'
}

// Straight is the side of a piece on the same file.
const Straight = '直'

// SideFrom says on which side of b the square a lies, as c sees it: 左, 右, or Straight if on the
// same file.
func SideFrom(c shogi.Color, a, b shogi.Square) rune {
	switch {
	case a.File() == b.File():
		return Straight
	case (a.File() > b.File()) == (c == shogi.Black):
		return '左'
	}
	return '右'
}
