package notation

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// What a KIF, a KI2 or a BOD says of the position: the drawn board, the hands, the side to move and how
// many moves led there.

var (
	handText = lazy(`^([▲△▼▽☗☖])?(.*?) *の? *持ち?駒 *(?:[:=は] *|(?:[飛角金銀桂香歩無残(\-]|な[しい]|ナシ)|$| )`)
	restText = lazy(`^残り?駒?の?(?:全部|全て|すべて)?`)
	plyText  = lazy(`^手数[＝=][ \t　]*([0-9０-９]+)`)

	// noneText says that nothing is held.
	noneText = lazy(`^(?:\(?(?:な[しい]|無し?|ナシ)\)?。?|-+)`)
)

// row reads a row of the board: "| ・v香 …|一". A blank, or else "+" or "^", stands before a piece of Black.
func (r *kifReader) row(l *line) {
	r.rows++
	r.rowAt = l.place(0)
	if r.rows > 9 {
		if r.rows == 10 {
			r.faults.add(r.rowAt, tenthRow)
		}
		return
	}
	if !r.gridRow(l) {
		r.cellsRow(l)
	}
}

// gridRow reads a row whose squares are two characters wide, as programs draw it. It reports whether
// it is one; if not, it is drawn by hand or has faults.
func (r *kifReader) gridRow(l *line) bool {
	rank := shogi.Rank(r.rows - 1)
	s := l.text[strings.IndexByte(l.text, '|')+1:]
	for file := int(shogi.File9); file >= 0; file-- {
		sq := shogi.SquareAt(shogi.File(file), rank)
		if s == "" {
			return false
		}
		c := shogi.Black
		switch s[0] {
		case 'v', 'V':
			c = shogi.White
		case ' ', '+', '^':
		default:
			return false
		}
		char, size := utf8.DecodeRuneInString(s[1:])
		switch kind := kindOnBoard(string(char)); {
		case kind != shogi.NoPieceType:
			r.draft.board[sq], r.draft.boardAt[sq] = shogi.PieceOf(c, kind), l.place(len(l.text)-len(s))
		case char != '・' || c == shogi.White:
			return false
		}
		s = s[1+size:]
	}
	if s != "" && s[0] != '|' {
		return false
	}
	r.rowName(l, strings.TrimPrefix(s, "|"))
	return true
}

// rowName checks the name of a row, which may be left out.
func (r *kifReader) rowName(l *line, s string) {
	if name := strings.Trim(s, blanks+"段|"); name != "" && kanji(r.rows) != name && strconv.Itoa(r.rows) != name &&
		name != string(rune('a'+r.rows-1)) {
		at := l.place(len(l.text) - len(strings.TrimLeft(s, blanks)))
		r.faults.add(at, rowName, clip(name), r.rows, kanji(r.rows))
	}
}

// cellsRow reads a row whose squares are as wide as people draw them: each a piece, or a sign for
// none, and before a piece of White a sign. Between them there may be blanks and lines.
func (r *kifReader) cellsRow(l *line) {
	rank := shogi.Rank(r.rows - 1)
	s := l.text[strings.IndexByte(l.text, '|')+1:]
	for file := int(shogi.File9); file >= 0; file-- {
		sq := shogi.SquareAt(shogi.File(file), rank)
		r.draft.board[sq] = shogi.NoPiece
		at, found := l.place(len(l.text)-len(s)), s
		s = strings.TrimLeft(s, blanks)
		unmarked, c := s, shogi.Black
		if marked, rest := cutMark(s); len(rest) < len(s) {
			c, s = marked, rest
		} else if begins(s, "vV↓") {
			_, size := utf8.DecodeRuneInString(s)
			c, s = shogi.White, s[size:]
		} else if begins(s, "+^↑") {
			_, size := utf8.DecodeRuneInString(s)
			s = s[size:]
		}
		hasMark := len(s) < len(unmarked)
		s = strings.TrimLeft(s, blanks)
		kind, rest, ok := cutKind(s)
		_, size := utf8.DecodeRuneInString(s)
		switch {
		case ok:
			r.draft.board[sq], r.draft.boardAt[sq] = shogi.PieceOf(c, kind), at
		case !hasMark && begins(s, "・.*□_"):
			rest = s[size:]
		case !hasMark && (s == "" || s[0] == '|'):
			r.faults.add(at, rowWidth, r.rows, int(shogi.File9)-file)
			return
		default:
			r.faults.addOn(sq, at, inCell,
				clip(found[:len(found)-len(s)+size]), file+1)
			return
		}
		s = rest
		if inner := strings.TrimLeft(s, blanks); file > 0 && strings.HasPrefix(inner, "|") && strings.Count(inner, "|") > 1 {
			s = inner[1:] // a line between the squares
		}
	}
	if name := strings.Trim(s, blanks); name != "" && name[0] != '|' && kanji(r.rows) != name {
		r.faults.add(l.place(len(l.text)-len(s)), afterRow, clip(s))
		return
	}
	r.rowName(l, strings.TrimPrefix(strings.TrimLeft(s, blanks), "|"))
}

// hand reads what a side holds, from byte i of the line. Between the pieces there may be blanks or
// nothing, and the numbers may be in kanji or digits.
func (r *kifReader) hand(l *line, i int, c shogi.Color) {
	if r.notInMoves(l.place(0), aHand) {
		return
	}
	if r.hands[c] {
		r.faults.add(l.place(0), secondHand, c)
		return
	}
	r.hands[c] = true
	for {
		s := strings.TrimLeft(l.text[i:], blanks+"、,・")
		i = len(l.text) - len(s)
		if s == "" {
			return
		}
		at := l.place(i)
		if none := noneText().FindString(s); none != "" {
			i += len(none)
			continue
		}
		if m := restText().FindString(s); m != "" {
			r.draft.rest[c], r.draft.restAt[c], r.held = true, at, true
			i += len(m)
			continue
		}
		char, size := utf8.DecodeRuneInString(s)
		kind := kindOnBoard(string(char))
		if kind == shogi.NoPieceType || kind >= shogi.King {
			r.faults.add(at, badHand, string(char))
			return
		}
		after := strings.TrimLeft(s[size:], blanks+"×xX*")
		n, rest, ok := cutCount(strings.TrimPrefix(after, "("))
		switch {
		case !ok:
			n, rest = 1, s[size:]
		case n == 0:
			r.faults.add(at, zeroHeld, string(char))
		case strings.HasPrefix(after, "("):
			rest = strings.TrimPrefix(rest, ")")
		}
		rest = strings.TrimPrefix(rest, "枚")
		r.draft.hands[c][kind] += n
		r.draft.handAt[c][kind] = at
		r.held = true
		i = len(l.text) - len(rest)
	}
}

// cutHand returns whose hand a line says, as colour, and where in the line what is held begins; -1
// if the line says no hand. "持駒" alone is the attacker's, as diagrams in print have it.
func cutHand(text string) (c, at int) {
	start := len(text) - len(strings.TrimLeft(text, blanks))
	found := handText().FindStringSubmatchIndex(text[start:])
	if found == nil {
		return -1, 0
	}
	at = start + strings.Index(text[start:], "駒") + len("駒")
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], blanks+":=は"))
	mark := ""
	if found[2] >= 0 {
		mark = text[start:][found[2]:found[3]]
	}
	name := strings.Trim(text[start:][found[4]:found[5]], blanks)
	c = sideOf(name)
	switch {
	case mark != "":
		marked, _ := cutMark(mark)
		if c >= 0 && c != int(marked) || strings.ContainsAny(name, ":") {
			return -1, 0
		}
		c = int(marked) // and the name of a player
	case name == "":
		c = int(shogi.Black)
	}
	return c, at
}

// sideOf returns the side that a word means, as colour, or -1.
func sideOf(word string) int {
	switch word {
	case "先手", "下手", "攻方", "攻め方", "攻手", "攻め手", "詰方", "詰め方", "先", "下":
		return int(shogi.Black)
	case "後手", "上手", "玉方", "受方", "受け方", "受手", "受け手", "後", "上":
		return int(shogi.White)
	}
	return -1
}

func (r *kifReader) setSide(at place, c shogi.Color) {
	switch {
	case r.notInMoves(at, theSide):
	case r.sided && r.draft.side != c:
		r.faults.add(at, otherTurn, c, r.draft.side)
	default:
		r.sided, r.draft.side, r.draft.sideAt = true, c, at
	}
}

// played reads "手数＝57  ▲３四銀  まで": how many moves led to the position.
func (r *kifReader) played(at place, text string) {
	n := number(plyText().FindStringSubmatch(text)[1])
	switch {
	case r.notInMoves(at, thePlies):
	case n >= shogi.MaxPly:
		r.faults.add(at, largeNumber, n, shogi.MaxPly)
	default:
		r.draft.ply = n + 1 // of the move that comes next
	}
}

// notInMoves reports a part of the position that comes too late.
func (r *kifReader) notInMoves(at place, what *shogi.Text) bool {
	if r.started {
		r.faults.add(at, tooLate, what)
	}
	return r.started
}
