package notation

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

// AppendKIF appends the record in KIF: with the drawn board, whatever it is, and both hands in
// full. It begins with the line that says UTF-8.
func (r *Record) AppendKIF(dst []byte) []byte {
	dst = append(dst, "#KIF version=2.0 encoding=UTF-8\n"...)
	dst = r.appendHeader(dst)
	dst = append(dst, "手数----指手---------消費時間--\n"...)
	dst = appendComments(dst, r.Root)
	return appendLines(dst, startOf(r), 0, r.Start.Ply(), false)
}

// AppendKI2 appends the record in KI2, which has no times and no bookmarks.
func (r *Record) AppendKI2(dst []byte) []byte {
	dst = r.appendHeader(dst)
	dst = append(dst, '\n')
	dst = appendComments(dst, r.Root)
	return appendLines(dst, startOf(r), 0, r.Start.Ply(), true)
}

// AppendPrint appends the main line as magazines print it, without the position: "１二飛、２一玉、３二銀
// まで３手詰". Of a line that does not mate it says how it ends, if the record does.
func (r *Record) AppendPrint(dst []byte) []byte {
	moves, end := r.Moves(), startOf(r)
	for n := range r.mainLine() {
		end = end.next(n)
	}
	dst = append(dst, strings.Join(movetext.PrintedLine(r.Start, moves), "、")...)
	until := " " + movetext.PrintedPlies(len(moves))
	switch {
	case end.node.End == "":
	case len(moves) == 0:
		dst = appendOutcome(dst, &end)
	case end.node.End == Mated:
		dst = append(dst, until+"詰"...)
	default:
		dst = appendOutcome(append(dst, until+"で"...), &end)
	}
	return append(dst, '\n')
}

// AppendBOD appends a position as a drawn board with hands and side to move, the part of a KIF that
// says the position.
func AppendBOD(dst []byte, p *shogi.Position) []byte {
	dst = appendHand(dst, p, shogi.White)
	dst = append(dst, "  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n"...)
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		dst = append(dst, '|')
		for file := int(shogi.File9); file >= 0; file-- {
			pc := p.Piece(shogi.SquareAt(shogi.File(file), rank))
			switch {
			case pc == shogi.NoPiece:
				dst = append(dst, " ・"...)
			case pc.Color() == shogi.Black:
				dst = append(append(dst, ' '), nameOf(pc.Type()).board...)
			default:
				dst = append(append(dst, 'v'), nameOf(pc.Type()).board...)
			}
		}
		dst = append(append(append(dst, '|'), kanji(int(rank)+1)...), '\n')
	}
	dst = append(dst, "+---------------------------+\n"...)
	dst = appendHand(dst, p, shogi.Black)
	if p.SideToMove() == shogi.Black {
		return append(dst, "先手番\n"...)
	}
	return append(dst, "後手番\n"...)
}

func appendHand(dst []byte, p *shogi.Position, c shogi.Color) []byte {
	dst = append(dst, [2]string{"先手の持駒：", "後手の持駒："}[c]...)
	if h := p.Hand(c); !h.IsEmpty() {
		return append(AppendHand(dst, h), '\n')
	}
	return append(dst, "なし\n"...)
}

// AppendHand appends what a hand holds, as KIF writes it: "飛　歩三　", nothing if it is empty.
func AppendHand(dst []byte, h shogi.Hand) []byte {
	for _, n := range handNames {
		if count := h.Count(n.kind); count > 0 {
			dst = append(dst, n.board...)
			if count > 1 {
				dst = append(dst, kanji(count)...)
			}
			dst = append(dst, "　"...)
		}
	}
	return dst
}

// appendHeader appends the header and the position. The length of a problem is said if it is known.
func (r *Record) appendHeader(dst []byte) []byte {
	for _, f := range r.Header {
		if key, value := oneLine(f.Key), oneLine(f.Value); isPlainKey(key) &&
			!isPieceList(folded(key+"："+value)) {
			dst = append(append(append(append(dst, key...), "："...), escaped(value)...), '\n')
		}
	}
	if r.Ending() == Mated && r.Get("手数") == "" {
		dst = fmt.Appendf(dst, "手数：%d\n", len(r.Moves()))
	}
	if ply := r.Start.Ply(); ply > 1 {
		dst = fmt.Appendf(dst, "手数＝%d  まで\n", ply-1)
	}
	return AppendBOD(dst, &r.Start)
}

// isPlainKey reports whether a line with the key is read as a field of the header with that key.
func isPlainKey(key string) bool {
	switch key {
	case "手合割", "手番", "持駒", "持ち駒":
		return false
	}
	read, _, _ := cutField(key + "：")
	return read == key && kindOfLine(key+"：") == fieldLine && kindOfLine(key+"：1手 1手") == fieldLine && !strings.Contains(key, "&") &&
		!strings.HasSuffix(key, "の持駒") && !strings.HasSuffix(key, "の持ち駒")
}

func appendComments(dst []byte, n *Node) []byte {
	for _, c := range n.Comments {
		for text := range strings.SplitSeq(c, "\n") {
			dst = append(append(append(dst, '*'), escaped(oneLine(text))...), '\n')
		}
	}
	return dst
}

// appendLines appends the line that begins with the next node at i, then its variations from the
// last branching point to the first, each with its own. first is the number of the record's first
// move.
func appendLines(dst []byte, at point, i, first int, ki2 bool) []byte {
	if len(at.node.Next) == 0 {
		return dst
	}
	isMain := i == 0 && at.to == shogi.NoSquare
	line := []point{at}
	for n := at.node.Next[i]; ; n = n.Next[0] {
		before := &line[len(line)-1]
		hasVariations := len(before.node.Next) > 1 && n != before.node.Next[len(before.node.Next)-1]
		next := before.next(n)
		switch {
		case !ki2:
			dst = appendComments(appendKIFNode(dst, before, &next, hasVariations), n)
			if n.End == Mated && isMain { // after the comments, where json-kifu-format looks for it
				dst = appendUntil(dst, next.position.Ply()-first, &next)
			}
		case n.Move != shogi.NoMove:
			dst = append(movetext.AppendJapanese(dst, &before.position, n.Move, before.to), '\n')
			dst = appendComments(dst, n)
		default:
			dst = appendUntil(dst, next.position.Ply()-first, &next)
			dst = appendComments(dst, n)
		}
		if line = append(line, next); len(n.Next) == 0 {
			break
		}
	}
	// The variations at the first point of this line are those of the line before it, which write
	// themselves.
	for k := len(line) - 2; k >= 0; k-- {
		if k == 0 && i > 0 {
			break
		}
		point := &line[k]
		for j := 1; j < len(point.node.Next); j++ {
			dst = fmt.Appendf(dst, "\n変化：%d手\n", point.position.Ply())
			dst = appendLines(dst, *point, j, first, ki2)
		}
	}
	return dst
}

// appendUntil appends the line まで…, which says the number of moves and how the line ends at a
// point. The words are those that other programs know.
func appendUntil(dst []byte, moves int, end *point) []byte {
	dst = append(strconv.AppendInt(append(dst, "まで"...), int64(moves), 10), "手で"...)
	return append(appendOutcome(dst, end), '\n')
}

// appendOutcome appends how a line ends at a point.
func appendOutcome(dst []byte, end *point) []byte {
	us := end.position.SideToMove()
	sides := [2]string{"先手", "後手"}
	switch e := end.node.End; e {
	case Resigns:
		dst = append(append(dst, sides[us.Opponent()]...), "の勝ち"...)
	case TimeUp:
		dst = append(append(append(dst, "時間切れにより"...), sides[us.Opponent()]...), "の勝ち"...)
	case IllegalAction, IllegalMove, Declares:
		dst = append(append(append(dst, sides[us]...), "の"...), e.word()...)
	default:
		dst = append(dst, escaped(oneLine(e.word()))...)
	}
	return dst
}

func appendKIFNode(dst []byte, before, after *point, hasVariations bool) []byte {
	n := after.node
	dst = fmt.Appendf(dst, "%4d ", before.position.Ply())
	if n.Move != shogi.NoMove {
		dst = appendKIFMove(dst, &before.position, n.Move, before.to)
	} else {
		dst = append(dst, endWord(n.End)...)
	}
	if n.Timed {
		seconds, total := int(n.Elapsed.Seconds()), int(after.clock[before.position.SideToMove()].Seconds())
		dst = fmt.Appendf(dst, "   (%2d:%02d/%02d:%02d:%02d)", seconds/60, seconds%60, total/3600, total/60%60, total%60)
	}
	if hasVariations && (n.Timed || n.Move != shogi.NoMove) { // else some would take it for a part of the word
		dst = append(dst, '+')
	}
	dst = append(dst, '\n')
	if name := oneLine(n.Bookmark); name != "" {
		if name[0] == '#' {
			name = " " + name // else it would begin a character reference
		}
		dst = append(append(append(dst, '&'), escaped(name)...), '\n')
	}
	return dst
}

// endWord returns the word for an end as one that is read as such.
func endWord(e Ending) string {
	word := strings.Join(strings.FieldsFunc(oneLine(e.word()), func(r rune) bool { return strings.ContainsRune(blanks+"(+", r) }), "_")
	if word == "" || beginsMove(word) {
		word = "_" + word
	}
	return escaped(word)
}

func appendKIFMove(dst []byte, p *shogi.Position, m shogi.Move, previous shogi.Square) []byte {
	dst = movetext.AppendDestination(dst, m.To(), previous)
	if m.IsDrop() {
		return append(append(dst, m.Dropped().Japanese()...), "打"...)
	}
	dst = append(dst, p.Piece(m.From()).Type().Japanese()...)
	if m.IsPromotion() {
		dst = append(dst, "成"...)
	}
	return append(appendDigits(append(dst, '('), m.From()), ')')
}
