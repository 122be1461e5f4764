package notation

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// csaKeys are the keys of CSA that mean a key of KIF.
var csaKeys = []struct{ csa, kif string }{
	{"EVENT", "棋戦"}, {"SITE", "場所"}, {"START_TIME", "開始日時"}, {"END_TIME", "終了日時"}, {"TIME_LIMIT", "持ち時間"}, {"OPENING", "戦型"},
	{"NOTE", "備考"},
}

// csaMove is a move.
var csaMove = lazy(`^[+-][0-9]{4}[A-Z]{2}`)

// dojoText is what 81Dojo adds to the header: who is to move, which is said again behind the board, and
// the ratings of the players.
var dojoText = lazy(`^(?:To_Move:[+-]|I[+-].*)$`)

// A csaReader reads one record of CSA.
type csaReader struct {
	reader
	rows    [9]bool
	initial bool // PI
	pieces  bool // P1 to P9, P+ or P-
	moving  bool // the side to move was given, moves follow
	any     bool // a statement was read
	at      point
	lastAt  place
}

func parseCSA(text string, f *faults, most int) []*Record {
	next := func(g grower) *csaReader { return &csaReader{reader: reader{grower: g, record: newRecord(CSA)}} }
	r := next(grower{faults: f})
	var records []*Record
	for l := range lines(text) {
		if strings.TrimRight(l.text, blanks) != "/" {
			if len(records) < most {
				r.line(&l)
			} else if strings.Trim(l.text, blanks) != "" {
				records[most-1].note(noteAt(l.place(0), NoteRecords, l.text))
				return records
			}
			// Behind moves that cannot be read another record may follow.
			if r.failed = r.record.cut(f) || r.failed; r.failed && !r.record.isCut() {
				return append(records, r.record)
			}
			continue
		}
		if r.any {
			if records = append(records, r.record); !r.end() {
				return nil
			}
		}
		if r = next(r.grower); len(records) >= MaxRecords {
			f.add(l.place(0), tooManyRecords, MaxRecords)
			return nil
		}
	}
	if r.any || len(records) == 0 {
		if !r.end() {
			return nil
		}
		records = append(records, r.record)
	}
	return records
}

func (r *csaReader) end() bool {
	if !r.moving && !r.failed {
		r.faults.add(r.lastAt, noCSASide)
	}
	return len(*r.faults) == 0
}

func (r *csaReader) line(l *line) {
	if r.record.isCut() {
		return
	}
	l.text = strings.TrimRight(l.text, " \t")
	if l.text == "" {
		return
	}
	r.lastAt = l.place(len(l.text))
	switch c := l.text[0]; {
	case c == '\'':
		r.comment(l.text)
		return
	case c == 'V' && len(l.text) > 1 && l.text[1] >= '0' && l.text[1] <= '9':
		return
	}
	r.any = true
	if dojoText().MatchString(l.text) {
		r.record.note(noteAt(l.place(0), NoteText, l.text))
		return
	}
	if strings.HasPrefix(l.text, "N") || strings.HasPrefix(l.text, "$") {
		r.header(l)
		return
	}
	// Several statements may share a line.
	for i := 0; i <= len(l.text) && !r.failed; {
		if l.text[i:] != "" && l.text[i] == '\'' {
			r.comment(l.text[i:])
			return
		}
		s, _, _ := strings.Cut(l.text[i:], ",")
		if trimmed := strings.Trim(s, " \t"); trimmed != "" {
			r.statement(l, i, s)
		}
		i += len(s) + 1
	}
}

// comment keeps a comment for programs ('*); others are for them to skip.
func (r *csaReader) comment(text string) {
	comment, ok := strings.CutPrefix(text, "'*")
	if !ok {
		return
	}
	n := r.record.Root
	if r.moving {
		n = r.at.node
	}
	n.Comments = append(n.Comments, comment)
}

func (r *csaReader) header(l *line) {
	// The end of a game is known when its moves are written, so that $END_TIME may come after them.
	for i, key := range []string{"先手", "後手"} {
		if name, ok := strings.CutPrefix(l.text, []string{"N+", "N-"}[i]); ok {
			if name != "" {
				r.record.Header = append(r.record.Header, Field{key, name})
			}
			return
		}
	}
	key, value, ok := strings.Cut(strings.TrimPrefix(l.text, "$"), ":")
	if !ok || l.text[0] != '$' || key == "" {
		r.faults.add(l.place(0), badCSAHeader, clip(l.text))
		return
	}
	for _, k := range csaKeys {
		if k.csa == key {
			key = k.kif
		}
	}
	r.record.Header = append(r.record.Header, Field{strings.ReplaceAll(key, "：", " "), strings.Trim(value, blanks)})
}

// statement reads a statement that is neither a header nor a comment, at byte i of the line.
func (r *csaReader) statement(l *line, i int, s string) {
	at := l.place(i)
	switch {
	case s == "+" || s == "-":
		if r.moving {
			r.faults.add(at, secondSide)
			return
		}
		r.begin(at, s[0])
	case s[0] == 'P':
		if r.moving {
			r.faults.add(at, afterSide, clip(s))
			return
		}
		r.position(l, i, s)
	case s[0] == '+' || s[0] == '-' || s[0] == '%' || s[0] == 'T':
		if !r.moving && csaMove().MatchString(s) { // whose side says who is to move
			if r.begin(at, s[0]); r.failed {
				return
			}
		}
		if !r.moving {
			r.refuse(at, beforeCSASide, clip(s))
			return
		}
		switch s[0] {
		case 'T':
			r.time(l, i, s)
		case '%':
			r.special(at, s)
		default:
			r.move(l, i, s)
		}
	default:
		r.faults.add(at, noStatement, clip(s))
	}
}

// csaSide returns the side that + or - means.
func csaSide(sign byte) shogi.Color {
	if sign == '-' {
		return shogi.White
	}
	return shogi.Black
}

// begin completes the position, with the side of a sign to move.
func (r *csaReader) begin(at place, sign byte) {
	r.moving = true
	r.draft.side, r.draft.sideAt = csaSide(sign), at
	switch {
	case r.initial || r.pieces:
		for i, ok := range r.rows {
			if r.rows != [9]bool{} && !ok {
				r.faults.add(at, missingRow, i+1)
			}
		}
	default: // version 1 had no need to say that a game begins at its beginning
		r.record.assumed = &at
		start := shogi.Start()
		r.draft.load(&start, at)
	}
	if r.complete() {
		r.at = startOf(r.record)
	}
}

// position reads PI, P1 to P9, P+ and P-.
func (r *csaReader) position(l *line, i int, s string) {
	at := l.place(i)
	switch {
	case strings.HasPrefix(s, "PI"):
		if r.initial || r.pieces {
			r.faults.add(at, secondPI)
			return
		}
		r.initial = true
		start := shogi.Start()
		r.draft.load(&start, at)
		r.each(l, i+2, s[2:], aRemoval, func(at place, sq shogi.Square, kind shogi.PieceType, name string) {
			switch {
			case sq == shogi.NoSquare || kind == shogi.NoPieceType:
				r.faults.addOn(sq, at, badRemoval, name)
			case r.draft.board[sq].Type() != kind:
				r.faults.addOn(sq, at, notThere, name)
			default:
				r.draft.board[sq] = shogi.NoPiece
			}
		})
	case len(s) > 1 && s[1] >= '1' && s[1] <= '9':
		rank := int(s[1] - '1')
		if r.initial || r.rows[rank] {
			r.faults.add(at, secondRow, rank+1)
			return
		}
		r.rows[rank], r.pieces = true, true
		r.row(l, i+2, s[2:], shogi.Rank(rank))
	case len(s) > 1 && (s[1] == '+' || s[1] == '-'):
		r.pieces = true
		r.each(l, i+2, s[2:], aPlacing, func(at place, sq shogi.Square, kind shogi.PieceType, name string) {
			r.piece(at, csaSide(s[1]), sq, kind, name)
		})
	default:
		r.faults.add(at, badPosition, clip(s))
	}
}

// each calls use for each group of four characters: square, or NoSquare for 00, and kind, or
// NoPieceType for AL.
func (r *csaReader) each(l *line, i int, s string, expected *shogi.Text, use func(at place, sq shogi.Square, kind shogi.PieceType, name string)) {
	for ; s != ""; i, s = i+4, s[4:] {
		at := l.place(i)
		if len(s) < 4 {
			r.faults.add(at, badGroup, s, expected)
			return
		}
		kind := kindOfCSA(s[2:4])
		sq, ok := csaSquare(s[:2])
		if !ok && s[:2] != "00" || kind == shogi.NoPieceType && s[2:4] != "AL" {
			r.faults.add(at, badGroup, clip(s[:4]), expected)
			return
		}
		use(at, sq, kind, s[:4])
	}
}

// csaSquare reads a square, "51". It returns false and NoSquare for anything else.
func csaSquare(s string) (shogi.Square, bool) {
	if len(s) != 2 || s[0] < '1' || s[0] > '9' || s[1] < '1' || s[1] > '9' {
		return shogi.NoSquare, false
	}
	return shogi.SquareAt(shogi.File(s[0]-'1'), shogi.Rank(s[1]-'1')), true
}

func (r *csaReader) piece(at place, c shogi.Color, sq shogi.Square, kind shogi.PieceType, name string) {
	d := &r.draft
	switch {
	case kind == shogi.NoPieceType: // AL: all that is nowhere else
		if sq != shogi.NoSquare {
			r.faults.addOn(sq, at, restOnBoard, name)
		}
		d.rest[c], d.restAt[c] = true, at
	case sq == shogi.NoSquare && kind >= shogi.King:
		r.faults.add(at, notHeld, name)
	case sq == shogi.NoSquare:
		if d.hands[c][kind]++; d.hands[c][kind] == 1 {
			d.handAt[c][kind] = at
		}
	case d.board[sq] != shogi.NoPiece:
		r.faults.addOn(sq, at, occupied, name)
	default:
		d.board[sq], d.boardAt[sq] = shogi.PieceOf(c, kind), at
	}
}

// row reads nine squares: " * ", or "+" or "-" and a piece. Blanks do not count: editors cut them
// off at the ends of lines, and the examples of the standard itself have lost some of them on its
// page.
func (r *csaReader) row(l *line, i int, s string, rank shogi.Rank) {
	for file := int(shogi.File9); file >= 0; file-- {
		rest := strings.TrimLeft(s, " \t")
		i, s = i+len(s)-len(rest), rest
		at := l.place(i)
		size := min(3, len(s))
		switch sq := shogi.SquareAt(shogi.File(file), rank); {
		case s == "":
			r.faults.add(at, rowWidth, rank+1, int(shogi.File9)-file)
			return
		case s[0] == '*':
			size = 1
		case (s[0] != '+' && s[0] != '-') || kindOfCSA(s[1:size]) == shogi.NoPieceType:
			r.faults.addOn(sq, at, inCSARow, clip(s), file+1)
			return
		case r.draft.board[sq] != shogi.NoPiece:
			r.faults.addOn(sq, at, twoPieces)
		default:
			r.draft.board[sq], r.draft.boardAt[sq] = shogi.PieceOf(csaSide(s[0]), kindOfCSA(s[1:size])), at
		}
		i, s = i+size, s[size:]
	}
	if rest := strings.TrimLeft(s, " \t"); rest != "" {
		r.faults.add(l.place(i+len(s)-len(rest)), afterCSARow, clip(rest))
	}
}

// move reads "+7776FU": origin, destination and the kind after the move.
func (r *csaReader) move(l *line, i int, s string) {
	at := l.place(i)
	p := &r.at.position
	us := p.SideToMove()
	s = strings.TrimRight(s, " \t")
	if len(s) != 7 {
		r.refuse(at, badCSAMove, clip(s))
		return
	}
	from, onBoard := csaSquare(s[1:3])
	to, ok := csaSquare(s[3:5])
	kind := kindOfCSA(s[5:])
	if !ok || !onBoard && s[1:3] != "00" || kind == shogi.NoPieceType {
		r.refuse(at, badCSAMove, clip(s))
		return
	}
	if r.at.node.End != "" {
		r.refuse(at, afterCSAEnd, string(r.at.node.End))
		return
	}
	if csaSide(s[0]) != us {
		r.refuse(at, otherMover, us.Opponent(), us)
		return
	}
	var m shogi.Move
	if !onBoard {
		if kind >= shogi.King {
			r.refuse(at, notDroppable, s[5:])
			return
		}
		m = shogi.NewDrop(kind, to)
	} else {
		pc := p.Piece(from)
		switch {
		case pc == shogi.NoPiece || pc.Color() != us:
			r.refuseOn(from, at, noCSAPiece, us, s[1:3])
			return
		case pc.Type() == kind:
			if m = shogi.NewMove(from, to); !p.IsLegal(m) && p.IsLegal(shogi.NewPromotion(from, to)) {
				r.refuseOn(to, at, hasToTurn, s[5:], s[3:5])
				return
			}
		case pc.Type().CanPromote() && pc.Type().Promoted() == kind:
			m = shogi.NewPromotion(from, to)
		default:
			r.refuseOn(from, at, otherName, s, nameOf(pc.Type()).csa, s[1:3])
			return
		}
	}
	if m, ok = r.legal(at, &r.at, m); !ok {
		r.failed = true
		return
	}
	r.add(at, &Node{Move: m})
}

func (r *csaReader) add(at place, n *Node) {
	next, ok := r.grow(at, &r.at, n)
	if !ok {
		r.failed = true
		return
	}
	r.at = next
}

func (r *csaReader) special(at place, s string) {
	word := strings.TrimRight(s[1:], " \t")
	if word == "" {
		r.refuse(at, noCSAEnding)
		return
	}
	end := endingOfCSA(word, r.at.position.SideToMove())
	if r.at.node.End == end {
		return // the server for computer games says twice how they end
	}
	r.add(at, &Node{End: end})
}

// time reads "T12" or, since V3.0, "T12.345": the seconds the move before took.
func (r *csaReader) time(l *line, i int, s string) {
	seconds, err := strconv.ParseFloat(strings.TrimRight(s[1:], " \t"), 64)
	if err != nil || !(seconds >= 0 && seconds <= maxSeconds) || r.at.node == r.record.Root {
		r.faults.add(l.place(i), badTime, clip(s))
		return
	}
	n := r.at.node
	n.Elapsed, n.Timed = time.Duration(seconds*1000+0.5)*time.Millisecond, true
}

// AppendCSA appends the main line in CSA, encoded in UTF-8 as its first line says. CSA has no
// variations, so they are left out. What CSA has no key for becomes a comment; an end it has no
// word for becomes %CHUDAN, with the word as a comment. The version is 2.2, which more programs
// read, unless a time has fractions of a second, which came with 3.0; to 2.2 the first line is a
// comment.
func (r *Record) AppendCSA(dst []byte) []byte {
	version := "V2.2\n"
	for n := range r.mainLine() {
		if n.Timed && n.Elapsed%time.Second != 0 {
			version = "V3.0\n"
		}
	}
	dst = append(append(dst, "'CSA encoding=UTF-8\n"...), version...)
	for _, f := range r.Header {
		key, value := oneLine(f.Key), oneLine(f.Value)
		sign := "'" + key + "："
		switch key {
		case "先手", "下手":
			sign = "N+"
		case "後手", "上手":
			sign = "N-"
		}
		for _, k := range csaKeys {
			if k.kif == key {
				sign = "$" + k.csa + ":"
			}
		}
		dst = append(append(append(dst, sign...), value...), '\n')
	}
	p := r.Start
	dst = appendCSAPosition(dst, &p)
	dst = appendCSAComments(dst, r.Root)
	for n := range r.mainLine() {
		side := "+-"[p.SideToMove()]
		switch {
		case n.Move != shogi.NoMove:
			dst = appendCSAMove(append(dst, side), &p, n.Move)
			p.Do(n.Move)
		default:
			word, ok := n.End.csa(p.SideToMove())
			dst = append(append(dst, '%'), word...)
			if !ok {
				dst = append(append(dst, "\n'*"...), oneLine(string(n.End))...)
			}
		}
		dst = append(dst, '\n')
		if n.Timed {
			dst = append(dst, 'T')
			dst = strconv.AppendFloat(dst, n.Elapsed.Seconds(), 'f', -1, 64)
			dst = append(dst, '\n')
		}
		dst = appendCSAComments(dst, n)
	}
	return dst
}

func appendCSAComments(dst []byte, n *Node) []byte {
	for _, c := range n.Comments {
		dst = append(append(append(dst, "'*"...), oneLine(c)...), '\n')
	}
	return dst
}

func appendCSAMove(dst []byte, p *shogi.Position, m shogi.Move) []byte {
	kind := m.Dropped()
	if m.IsDrop() {
		dst = append(dst, "00"...)
	} else {
		kind = p.Piece(m.From()).Type()
		if m.IsPromotion() {
			kind = kind.Promoted()
		}
		dst = appendDigits(dst, m.From())
	}
	return append(appendDigits(dst, m.To()), nameOf(kind).csa...)
}

// appendDigits appends a square as two digits.
func appendDigits(dst []byte, sq shogi.Square) []byte {
	return append(dst, '1'+byte(sq.File()), '1'+byte(sq.Rank()))
}

// appendCSAPosition appends the board, the hands, each piece of them by itself, and the side to
// move.
func appendCSAPosition(dst []byte, p *shogi.Position) []byte {
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		dst = fmt.Appendf(dst, "P%d", rank+1)
		for file := int(shogi.File9); file >= 0; file-- {
			pc := p.Piece(shogi.SquareAt(shogi.File(file), rank))
			if pc == shogi.NoPiece {
				dst = append(dst, " * "...)
				continue
			}
			dst = append(append(dst, "+-"[pc.Color()]), nameOf(pc.Type()).csa...)
		}
		dst = append(dst, '\n')
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		if p.Hand(c).IsEmpty() {
			continue
		}
		dst = append(dst, 'P', "+-"[c])
		for _, n := range handNames {
			for range p.Hand(c).Count(n.kind) {
				dst = append(append(dst, "00"...), n.csa...)
			}
		}
		dst = append(dst, '\n')
	}
	return append(dst, "+-"[p.SideToMove()], '\n')
}
