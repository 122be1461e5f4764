package notation

import (
	"regexp"
	"strings"

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
	listSquare = `[1-9][1-9一二三四五六七八九] *成?[玉王飛龍竜角馬金銀全桂圭香杏歩と]`
	listBreaks = blanks + `、,・/|;。.()【】〔〕〈〉《》「」<>[]`
	listBreak  = `[ \t　、,・/|;。.()【】〔〕〈〉《》「」<>\[\]]`
)

var (
	// listText is a line with the list of a side: its name and a piece, behind a title or a hand.
	listText = regexp.MustCompile(`^(?:(?:[^:]*` + listBreak + `)?|` + listBreak + `*(?:` + listSide +
		` *の?)? *` + listHand + `.*` + listBreak + `)` +
		listSide + listOf + ` *` + listSquare + `(?:[1-9]|` + listBreak + `|$)`)
	// listHandText is a hand in brackets, which only lists have.
	listHandText = regexp.MustCompile(`^[【〔〈《「<\[](?:` + listSide + ` *の?)? *持ち?駒 *[】〕〉》」>\]]`)
	// listRest is a line that goes on with the list of the line before. It is no move: those have a
	// number or a mark, or stand behind another line.
	listRest = regexp.MustCompile(`^` + listBreak + `*` + listSquare)

	// listPart finds the name of what is listed: a hand of a side, the pieces of a side on the
	// board, or the hand of a mark or of nobody.
	listPart = regexp.MustCompile(listSide + ` *の? *` + listHand + `|` + listSide + listOf +
		`|([▲△▼▽☗☖])?` + listHand)
	listPiece = regexp.MustCompile(`^([1-9])([1-9一二三四五六七八九]) *(成?[玉王飛龍竜角馬金銀全桂圭香杏歩と])`)
)

// isPieceList reports whether a line, folded, lists pieces by their squares.
func isPieceList(text string) bool {
	if !strings.ContainsAny(text, "方手駒") {
		return false
	}
	return listText.MatchString(text) || listHandText.MatchString(text)
}

// A pieceList is what was read of the lists of pieces on the board.
type pieceList struct {
	given [2]bool     // a list of this side
	isIn  bool        // the line before is a list
	side  shogi.Color // of the last one
}

// isAny reports whether there are lists at all.
func (p *pieceList) isAny() bool { return p.given[shogi.Black] || p.given[shogi.White] }

// list reads a line that lists pieces, up to the first fault.
func (r *kifReader) list(l *line) {
	if r.notInMoves(l.place(0), pieceLists) {
		return
	}
	if r.rows > 0 && !r.pieces.isAny() {
		r.faults.add(l.place(0), rowCount, r.rows)
		return
	}
	parts := listPart.FindAllStringSubmatchIndex(l.text, -1)
	first := len(l.text)
	if len(parts) > 0 {
		first = parts[0][0]
	}
	switch title := strings.Trim(l.text[:first], listBreaks); {
	case r.pieces.isIn:
		r.listed(l, 0, first)
	case title != "":
		r.record.note(noteAt(l.place(strings.Index(l.text, title)), NoteText, title))
	}
	r.pieces.isIn = true
	before := len(*r.faults)
	for i, part := range parts {
		end := len(l.text)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		switch {
		case part[2] >= 0: // a side and its hand
			r.listedHand(l, part[1], end, shogi.Color(sideOf(l.text[part[2]:part[3]])))
		case part[4] >= 0:
			r.pieces.side = shogi.Color(sideOf(l.text[part[4]:part[5]]))
			r.listed(l, part[1], end)
		default:
			c, _ := cutMark(l.text[part[0]:])
			if i > 0 && strings.HasSuffix(strings.TrimRight(l.text[:part[0]], blanks), "(") {
				c = r.pieces.side // 受方：13玉（持駒：金）
			}
			r.listedHand(l, part[1], end, c)
		}
		if len(*r.faults) > before {
			return
		}
	}
}

// listedHand reads a hand from byte i to end of a line.
func (r *kifReader) listedHand(l *line, i, end int, c shogi.Color) {
	text := l.text
	l.text = text[:i] + strings.TrimRight(text[i:end], listBreaks)
	r.hand(l, i, c)
	l.text = text
}

// listed reads the pieces of a side from byte i to end of a line.
func (r *kifReader) listed(l *line, i, end int) {
	c := r.pieces.side
	r.pieces.given[c] = true
	r.rows = 9 // the board is given
	for {
		s := strings.TrimLeft(l.text[i:end], listBreaks)
		i = end - len(s)
		if s == "" {
			return
		}
		at, found := l.place(i), listPiece.FindStringSubmatch(s)
		var kind shogi.PieceType
		if found != nil {
			kind, _, _ = cutKind(found[3])
		}
		if kind == shogi.NoPieceType {
			word := s
			if n := strings.IndexAny(s, listBreaks); n > 0 {
				word = s[:n]
			}
			r.faults.add(at, badListed, clip(word), c)
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
