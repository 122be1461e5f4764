package notation

import (
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// Who posts a problem without a diagram lists the pieces of each side by their squares, on one line
// or on several: "攻方：21飛 45飛 / 受方：13玉 14歩 / 持駒：金". Such lists are a board of a KIF; hands,
// a header and moves may stand beside them.

// Parts of the expressions below, for folded text.
const (
	listSide   = `(先手|下手|攻め?方|攻め?手|詰め?方|後手|上手|玉方|受け?方|受け?手)側?`
	listHand   = `持ち?駒 *[】\]〕〉》」>)]? *[:=は]?`
	listOf     = ` *(?:の? *(?:駒|配置|盤面?))?(?: *[】\]〕〉》」>)] *[:=は]?| *[:=は]| +)` // behind a side
	listDigit  = `[1-9一二三四五六七八九]`
	listPlace  = `[1-9]` + listDigit
	listName   = `成?(?:[玉王金銀]将?|飛車?|角行?|桂馬?|香車?|歩兵?|と金?|[龍竜][王馬]?|[馬全圭杏])`
	listSquare = listPlace + ` *` + listName
	listBreaks = blanks + `、,・/|;。.()【】〔〕〈〉《》「」<>[]`
	listBreak  = `[ \t　、,・/|;。.()【】〔〕〈〉《》「」<>\[\]]`
)

var (
	// listText is a line with the list of a side: its name and a piece, behind a title or a hand.
	listText = lazy(`^(?:(?:[^:]*` + listBreak + `)?|` + listBreak + `*(?:` + listSide +
		` *の?)? *` + listHand + `.*` + listBreak + `)` +
		listSide + listOf + ` *` + listSquare + `(?:[1-9]|` + listBreak + `|$)`)
	// listHandText is a hand in brackets, which only lists have.
	listHandText = lazy(`^[【〔〈《「<\[](?:` + listSide + ` *の?)? *持ち?駒 *[】〕〉》」>\]]`)
	// listRest is a line that goes on with the list of the line before. It is no move: those have a
	// number or a mark, or stand behind another line.
	listRest = lazy(`^` + listBreak + `*` + listSquare)

	// listPart finds the name of what is listed: a hand of a side, the pieces of a side on the
	// board, or the hand of a mark or of nobody.
	listPart = lazy(listSide + ` *の? *` + listHand + `|` + listSide + listOf +
		`|([▲△▼▽☗☖])?` + listHand)
	listPiece = lazy(`^([1-9])(` + listDigit + `) *(` + listName + `)`)

	// lostText finds a side with what is meant as a piece, and lostSide a side of a problem, whose
	// name no player has, with anything. In lines that are no list these are pieces that were not
	// read.
	lostText = lazy(`(?:^` + listBreak + `*` + listSide + `(?:` + listOf + `)?|(?::|` + listBreak +
		`)` + listSide + listOf + `) *(` + listPlace + `(?:[^1-9手分秒歳級段番]|$)|` + listDigit + `{2} *` + listName +
		`|` + listName + ` *(?:[1-9]|` + listDigit + `{2}))`)
	lostSide = lazy(`^` + listBreak + `*(攻め?方|攻め?手|詰め?方|玉方|受け?方|受け?手)側?` +
		` *(?:の? *(?:駒|配置|盤面?))?(?: *[】\]〕〉》」>)])? *[:=] *([^ ])`)

	// horseNames are the names of a horse that begin as those of a dragon do.
	horseNames = strings.NewReplacer("龍馬", "馬", "竜馬", "馬")
)

// isPieceList reports whether a line, folded, lists pieces by their squares.
func isPieceList(text string) bool {
	if !strings.ContainsAny(text, "方手駒") {
		return false
	}
	return listText().MatchString(text) || listHandText().MatchString(text)
}

// A pieceList is what was read of the lists of pieces on the board.
type pieceList struct {
	given [2]bool     // a list of this side
	isIn  bool        // the line before is a list, and ends with pieces on the board
	side  shogi.Color // of the last one
	lost  lostPieces
}

// lostPieces are pieces of a side in a line that is no list. Beside lists they are a fault: the
// position would be one without them. Beside a drawn board such a line is part of the header.
type lostPieces struct {
	at        place
	text      string // empty: there are none
	side      shogi.Color
	isProblem bool // the side is named as in problems, so the line is not about a player
}

// isAny reports whether there are lists at all.
func (p *pieceList) isAny() bool { return p.given[shogi.Black] || p.given[shogi.White] }

// lose keeps what a line that is no list has of the pieces of a side.
func (r *kifReader) lose(l *line) {
	plain := *l
	plain.set(folded(l.text))
	text := plain.text
	if r.pieces.lost.text != "" || !strings.ContainsAny(text, "方手") {
		return
	}
	side, piece, isProblem := "", -1, false
	if found := lostSide().FindStringSubmatchIndex(text); found != nil && !noneText().MatchString(text[found[4]:]) {
		side, piece, isProblem = text[found[2]:found[3]], found[4], true
	} else if found := lostText().FindStringSubmatchIndex(text); found != nil {
		first := max(found[2], found[4])
		side, piece = text[first:max(found[3], found[5])], found[6]
	} else {
		return
	}
	word := upTo(strings.TrimLeft(text[piece:], listBreaks), listBreaks)
	r.pieces.lost = lostPieces{plain.place(piece), word, shogi.Color(sideOf(side)), isProblem}
}

// hasLost reports whether pieces of the position were lost. Without lists, a board and 手合割 the
// lines of a problem can only be lists.
func (r *kifReader) hasLost() bool {
	lost := &r.pieces.lost
	return lost.text != "" && (r.pieces.isAny() || r.rows == 0 && r.handicap == nil && lost.isProblem)
}

// beginsLists reports whether a line with the list of a side, behind lists of both sides, begins
// those of another problem: it does not follow a list, has a title, lists both sides, or has a hand
// that is given already.
func (r *kifReader) beginsLists(l *line) bool {
	parts := listPart().FindAllStringSubmatchIndex(l.text, -1)
	if !r.pieces.isIn || strings.Trim(l.text[:parts[0][0]], listBreaks) != "" {
		return true
	}
	sides := [2]bool{}
	side := shogi.Black
	for _, part := range parts {
		if part[4] >= 0 {
			side = shogi.Color(sideOf(l.text[part[4]:part[5]]))
			sides[side] = true
		} else if r.hands[listedHolder(l.text, part, side)] {
			return true
		}
	}
	return sides == [2]bool{true, true}
}

// isHandOfNext reports whether a line with a hand is the first of another problem, whose lists stand
// in the next line: it stands apart from this problem, which is complete, or has its hand already.
func (r *kifReader) isHandOfNext(l *line, c shogi.Color) bool {
	isWhole := !r.pieces.isAny() || r.pieces.given == [2]bool{true, true}
	if !r.started && !(isWhole && (r.wasBlank || r.isNew || r.hands[c])) {
		return false
	}
	for next := range lines(r.text[l.end():]) {
		if next.number > 0 { // the first is what is left of this line
			return listText().MatchString(folded(strings.Trim(unescaped(next.text), quotes)))
		}
	}
	return false
}

// listedHolder returns whose hand a part of a list is. The side is that of the pieces before it in
// the line, or Black.
func listedHolder(text string, part []int, side shogi.Color) shogi.Color {
	name := text[part[0]:part[1]]
	if part[2] >= 0 {
		return shogi.Color(sideOf(text[part[2]:part[3]]))
	}
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:part[0]], blanks))
	if strings.ContainsRune("([〔【〈《「<", before) && !strings.ContainsAny(name, ")]〕】〉》」>") {
		return side // 受方：13玉（持駒：金）, but not 【受方】13玉【持駒】金
	}
	c, _ := cutMark(name)
	return c
}

// list reads a line that lists pieces, up to the first fault.
func (r *kifReader) list(l *line) {
	if r.notInMoves(l.place(0), pieceLists) {
		return
	}
	parts := listPart().FindAllStringSubmatchIndex(l.text, -1)
	first := len(l.text)
	if len(parts) > 0 {
		first = parts[0][0]
	}
	side := shogi.Black
	switch title := strings.Trim(l.text[:first], listBreaks); {
	case title == "":
	case r.pieces.isIn:
		side = r.pieces.side
		r.listed(l, 0, first)
	default:
		head := *l
		head.text = l.text[:first]
		r.lose(&head)
		r.record.note(noteAt(l.place(strings.Index(l.text, title)), NoteText, title))
	}
	r.pieces.isIn = len(parts) == 0 || parts[len(parts)-1][4] >= 0
	before := len(*r.faults)
	for i, part := range parts {
		end := len(l.text)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		if part[4] >= 0 {
			side = shogi.Color(sideOf(l.text[part[4]:part[5]]))
			r.pieces.side = side
			r.listed(l, part[1], end)
		} else {
			r.listedHand(l, part[1], end, listedHolder(l.text, part, side))
		}
		if len(*r.faults) > before || len(*r.faults) == maxFaults { // no more are added
			return
		}
	}
}

// listedHand reads a hand from byte i to end of a line.
func (r *kifReader) listedHand(l *line, i, end int, c shogi.Color) {
	text := l.text
	l.text = text[:i+len(strings.TrimRight(text[i:end], listBreaks))]
	r.hand(l, i, c)
	l.text = text
}

// listed reads the pieces of a side from byte i to end of a line.
func (r *kifReader) listed(l *line, i, end int) {
	if r.rows > 0 && !r.pieces.isAny() {
		r.faults.add(l.place(0), rowCount, r.rows)
		return
	}
	c := r.pieces.side
	r.pieces.given[c] = true
	r.rows = 9 // the board is given
	for {
		s := strings.TrimLeft(l.text[i:end], listBreaks)
		i = end - len(s)
		if s == "" {
			return
		}
		at, found := l.place(i), listPiece().FindStringSubmatch(s)
		var kind shogi.PieceType
		if found != nil {
			kind, _, _ = cutKind(horseNames.Replace(found[3]))
		}
		if kind == shogi.NoPieceType {
			r.faults.add(at, badListed, clip(upTo(s, listBreaks)), c)
			return
		}
		file, rank := found[1][0]-'0', digitOf([]rune(found[2])[0])
		sq := shogi.SquareAt(shogi.File(file-1), shogi.Rank(rank-1))
		if r.draft.board[sq] != shogi.NoPiece {
			r.faults.addOn(sq, at, listedTwice, sq)
			return
		}
		r.draft.board[sq], r.draft.boardAt[sq] = shogi.PieceOf(c, kind), at
		i += len(found[0])
	}
}
