package notation

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// A kifReader reads KIF, KI2 and BOD, which differ only in how moves are written.
type kifReader struct {
	faults   *faults
	grower   grower
	record   *Record
	draft    draft
	rows     int   // of the board, read so far
	rowAt    place // of the last one
	hands    [2]bool
	held     bool      // a hand that is not empty was given
	handicap *Field    // 手合割, if it was given
	oddsAt   place     // where
	sided    bool      // the side to move was given
	started  bool      // the position is complete, moves follow
	failed   bool      // no more moves are read
	branches []*branch // the line that is read, last, and those it may hang from
	current  *Node     // the node comments are about
}

// blanks are what stands between the words of a line.
const blanks = " \t　"

var (
	numberedText  = regexp.MustCompile(`^[ \t　]*([0-9０-９]+)[ \t　]+`)
	variationText = regexp.MustCompile(`^[ \t　]*変化[：:][ \t　]*([0-9０-９]+)手`)
	plyText       = regexp.MustCompile(`^手数[＝=][ \t　]*([0-9０-９]+)`)
	filesText     = regexp.MustCompile(`^[9９][ \t　]+[8８][ \t　]+[7７][ \t　]+[6６][ \t　]+[5５][ \t　]+[4４][ \t　]+[3３][ \t　]+[2２][ \t　]+[1１]$`)
	turnedText    = regexp.MustCompile(`^[1１][ \t　]+[2２][ \t　]+[3３][ \t　]+[4４][ \t　]+[5５][ \t　]+[6６][ \t　]+[7７][ \t　]+[8８][ \t　]+[9９]$`)
	timeText      = regexp.MustCompile(`^[ 　]*([0-9]+):([0-9]+)(?::([0-9]+))?[ 　]*(?:/.*)?$`)
	untilText     = regexp.MustCompile(`^まで、?(?:[0-9０-９]+手)?[でに、]?([^。]*)`)
	restText      = regexp.MustCompile(`^残り?駒?の?(?:全部|全て|すべて)?`)
)

func parseKIF(text string, f *faults) *Record {
	r := &kifReader{faults: f, grower: grower{faults: f}, record: &Record{Format: KIF, Root: &Node{}}}
	r.current = r.record.Root
	for l := range lines(text) {
		r.line(&l)
		if r.failed {
			return nil
		}
	}
	if !r.started {
		if r.rows == 0 && r.handicap == nil {
			f.add(place{}, CodeMissing, "found neither a board nor 手合割 nor a move, expected a position")
			return nil
		}
		r.start(place{}, 0)
	}
	if len(*f) > 0 {
		return nil
	}
	return r.record
}

// A kifLine is what a line of KIF or KI2 is.
type kifLine int

const (
	nothingLine kifLine = iota // of no meaning: empty, a frame, a heading
	commentLine
	bookmarkLine
	rowLine
	turnedFilesLine
	sideLine
	variationLine
	numberedLine
	markedLine
	untilLine
	plyLine
	fieldLine
	strayLine
)

// kindOfLine says what a line is, whose end has no blanks.
func kindOfLine(text string) kifLine {
	if text == "" || text[0] == '#' {
		return nothingLine
	}
	switch text[0] {
	case '*':
		return commentLine
	case '&':
		return bookmarkLine
	}
	text = strings.TrimLeft(text, blanks)
	side, isSide := strings.CutSuffix(text, "番")
	switch {
	case text == "", text == "盤面回転", strings.HasPrefix(text, "手数-"), strings.HasPrefix(text, "+-"), filesText.MatchString(text):
		return nothingLine
	case text[0] == '|':
		return rowLine
	case turnedText.MatchString(text):
		return turnedFilesLine
	case isSide && sideOf(side) >= 0:
		return sideLine
	case variationText.MatchString(text):
		return variationLine
	case numberedText.MatchString(text):
		return numberedLine
	case isMark(text):
		return markedLine
	case strings.HasPrefix(text, "まで"):
		return untilLine
	case plyText.MatchString(text):
		return plyLine
	}
	if key, _, ok := cutField(text); ok && key != "" {
		return fieldLine
	}
	return strayLine
}

func (r *kifReader) line(l *line) {
	l.text = unescaped(strings.TrimRight(l.text, blanks))
	text := strings.TrimLeft(l.text, blanks)
	at := l.place(len(l.text) - len(text))
	switch kindOfLine(l.text) {
	case commentLine:
		r.current.Comments = append(r.current.Comments, l.text[1:])
	case bookmarkLine:
		r.current.Bookmark = strings.Trim(l.text[1:], blanks)
	case rowLine:
		r.row(l)
	case turnedFilesLine:
		r.faults.add(at, CodeBoard, "found a board seen from White, expected the files 9 to 1 from left to right")
	case sideLine:
		r.setSide(at, shogi.Color(sideOf(strings.TrimSuffix(text, "番"))))
	case variationLine:
		if r.started { // programs have been seen to write it into the header, where it means nothing
			r.variation(l)
		}
	case numberedLine:
		r.numbered(l)
	case markedLine:
		r.unnumbered(l)
	case untilLine:
		r.until(l, text)
	case plyLine:
		r.played(at, text)
	case fieldLine:
		r.field(l)
	case strayLine:
		r.faults.add(at, CodeSyntax, "found %q, expected a header (key：value), a row of the board (|…|), a move or a comment (*…)", clip(text))
	}
}

// unescaped replaces the character references of HTML, as which blogs hand out Japanese, in lines
// that hold one, and the blanks that web pages have instead of others, except in comments.
func unescaped(text string) string {
	if strings.Contains(text, "&#") {
		text = oneLine(html.UnescapeString(text))
	}
	if text != "" && text[0] != '*' && text[0] != '&' {
		text = strings.ReplaceAll(text, "\u00a0", " ")
	}
	return strings.TrimRight(text, blanks)
}

// escaped is what unescaped turns into text again.
func escaped(text string) string {
	if strings.Contains(text, "&#") {
		return strings.ReplaceAll(text, "&", "&#38;")
	}
	return text
}

// played reads "手数＝57  ▲３四銀  まで": how many moves led to the position.
func (r *kifReader) played(at place, text string) {
	n := number(plyText.FindStringSubmatch(text)[1])
	switch {
	case r.notInMoves(at, "手数＝"):
	case n >= shogi.MaxPly:
		r.faults.add(at, CodeTooLong, "found move number %d, expected less than %d", n, shogi.MaxPly)
	default:
		r.draft.ply = n + 1 // of the move that comes next
	}
}

// cutField splits a line of the header. Offsets are those of the value.
func cutField(text string) (key string, at int, ok bool) {
	i := strings.IndexAny(text, "：:")
	if i < 0 {
		return "", 0, false
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return strings.Trim(text[:i], blanks), i + size, true
}

// sideOf returns the side that a word means, as colour, or -1.
func sideOf(word string) int {
	switch word {
	case "先手", "下手", "攻方", "攻め方", "先", "下":
		return int(shogi.Black)
	case "後手", "上手", "玉方", "受方", "後", "上":
		return int(shogi.White)
	}
	return -1
}

// notInMoves reports a part of the position that comes too late.
func (r *kifReader) notInMoves(at place, what string) bool {
	if r.started {
		r.faults.add(at, CodeSyntax, "found %s after the first move, expected it before", what)
	}
	return r.started
}

func (r *kifReader) field(l *line) {
	key, i, _ := cutField(l.text)
	value := strings.Trim(l.text[i:], blanks)
	hand := strings.Replace(key, "持ち駒", "持駒", 1)
	switch {
	case key == "手合割":
		if r.notInMoves(l.place(0), "手合割") {
			return
		}
		if r.handicap != nil {
			r.faults.add(l.place(0), CodeRepeated, "found a second 手合割")
			return
		}
		r.handicap, r.oddsAt = &Field{key, value}, l.place(i)
	case key == "手番":
		c := sideOf(strings.TrimSuffix(value, "番"))
		if c < 0 {
			r.faults.add(l.place(i), CodeSide, "found %q, expected 先手 or 後手", clip(value))
			return
		}
		r.setSide(l.place(i), shogi.Color(c))
	case hand == "持駒": // as diagrams in print have it: the attacker's
		r.hand(l, i, shogi.Black)
	case strings.HasSuffix(hand, "の持駒") && sideOf(strings.TrimSuffix(hand, "の持駒")) >= 0:
		r.hand(l, i, shogi.Color(sideOf(strings.TrimSuffix(hand, "の持駒"))))
	default:
		r.record.Header = append(r.record.Header, Field{key, value})
	}
}

func (r *kifReader) setSide(at place, c shogi.Color) {
	switch {
	case r.notInMoves(at, "the side to move"):
	case r.sided && r.draft.side != c:
		r.faults.add(at, CodeSide, "found %s to move, but it was %s before", c, r.draft.side)
	default:
		r.sided, r.draft.side, r.draft.sideAt = true, c, at
	}
}

// hand reads what a side holds, from byte i of the line. Between the pieces there may be blanks or
// nothing, and the numbers may be in kanji or digits.
func (r *kifReader) hand(l *line, i int, c shogi.Color) {
	if r.notInMoves(l.place(0), "a hand") {
		return
	}
	if r.hands[c] {
		r.faults.add(l.place(0), CodeRepeated, "found a second hand of %s", c)
		return
	}
	r.hands[c] = true
	for {
		s := strings.TrimLeft(l.text[i:], blanks+"、")
		i = len(l.text) - len(s)
		if s == "" {
			return
		}
		at := l.place(i)
		if rest, ok := strings.CutPrefix(s, "なし"); ok {
			i = len(l.text) - len(rest)
			continue
		}
		if m := restText.FindString(s); m != "" {
			r.draft.rest[c], r.draft.restAt[c], r.held = true, at, true
			i += len(m)
			continue
		}
		char, size := utf8.DecodeRuneInString(s)
		kind := kindOnBoard(string(char))
		if kind == shogi.NoPieceType || kind >= shogi.King {
			r.faults.add(at, CodeHand, "found %q, expected one of 飛 角 金 銀 桂 香 歩, なし or 残り全部", string(char))
			return
		}
		n, rest, ok := cutCount(s[size:])
		if !ok {
			n = 1
		} else if n == 0 {
			r.faults.add(at, CodeHand, "found 0 of %s, expected at least 1", string(char))
		}
		rest = strings.TrimPrefix(rest, "枚")
		r.draft.hands[c][kind] += n
		r.draft.handAt[c][kind] = at
		r.held = true
		i = len(l.text) - len(rest)
	}
}

// row reads a row of the board: "| ・v香 …|一". A blank, or else "+" or "^", stands before a piece of Black.
func (r *kifReader) row(l *line) {
	if r.notInMoves(l.place(0), "a board") {
		return
	}
	r.rows++
	r.rowAt = l.place(0)
	if r.rows > 9 {
		if r.rows == 10 {
			r.faults.add(r.rowAt, CodeBoard, "found a tenth row of the board, expected nine")
		}
		return
	}
	rank := shogi.Rank(r.rows - 1)
	s := l.text[strings.IndexByte(l.text, '|')+1:]
	for file := int(shogi.File9); file >= 0; file-- {
		at, sq := l.place(len(l.text)-len(s)), shogi.SquareAt(shogi.File(file), rank)
		if s == "" || s[0] == '|' {
			r.faults.add(at, CodeBoard, "row %d has %d squares, expected 9", r.rows, int(shogi.File9)-file)
			return
		}
		c := shogi.Black
		switch s[0] {
		case 'v', 'V':
			c = shogi.White
		case ' ', '+', '^':
		default:
			char, _ := utf8.DecodeRuneInString(s)
			r.faults.addOn(sq, at, CodeBoard, "found %q, expected a blank or v before the piece on file %d", string(char), file+1)
			return
		}
		s = s[1:]
		char, size := utf8.DecodeRuneInString(s)
		switch kind := kindOnBoard(string(char)); {
		case kind != shogi.NoPieceType:
			r.draft.board[sq], r.draft.boardAt[sq] = shogi.PieceOf(c, kind), at
		case (char == '・' || char == '･') && c == shogi.Black:
		default:
			r.faults.addOn(sq, at, CodeBoard, "found %q on file %d, expected a piece or ・",
				l.text[len(l.text)-len(s)-1:len(l.text)-len(s)+size], file+1)
		}
		s = s[size:]
	}
	name, ok := strings.CutPrefix(s, "|")
	if !ok && s != "" {
		r.faults.add(l.place(len(l.text)-len(s)), CodeBoard, "found %q after the ninth square, expected |", clip(s))
		return
	}
	if name = strings.Trim(name, blanks); name != "" && kanji(r.rows) != name && strconv.Itoa(r.rows) != name {
		r.faults.add(l.place(len(l.text)-len(name)), CodeBoard, "found the name %q of row %d, expected %s", clip(name), r.rows, kanji(r.rows))
	}
}

// start completes the position: the first move, which has a number, stands at the place. It reports
// whether moves can be read.
func (r *kifReader) start(at place, first int) bool {
	r.started = true
	var odds *handicap
	if r.handicap != nil {
		odds = handicapNamed(strings.ReplaceAll(r.handicap.Value, "　", ""))
	}
	side, sideAt, ply := r.draft.side, r.draft.sideAt, r.draft.ply
	switch {
	case r.rows > 0: // it wins over 手合割: Kakinoki Shogi writes 平手 for problems
		if r.rows < 9 {
			r.faults.add(r.rowAt, CodeBoard, "found %d rows of the board, expected nine", r.rows)
			return false
		}
		if !r.sided && odds != nil {
			start := shogi.MustParseSFEN(odds.sfen)
			r.draft.side = start.SideToMove()
		}
		if first > 0 {
			r.draft.ply = first
		}
	case r.held:
		r.faults.add(at, CodeMissing, "found pieces in hand, but no board")
		return false
	case r.handicap != nil && odds == nil:
		r.faults.add(r.oddsAt, CodeHandicap, "found %q and no board, expected a board or a value such as 平手 or 二枚落ち", clip(r.handicap.Value))
		return false
	default:
		if odds == nil {
			odds = &handicaps[0]
		}
		if first > 1 && ply == 0 {
			r.faults.add(at, CodeMoveNumber, "found move number %d without a board, expected 1", first)
			return false
		}
		start := shogi.MustParseSFEN(odds.sfen)
		r.draft.load(&start, r.oddsAt)
		if r.sided {
			r.draft.side, r.draft.sideAt = side, sideAt
		}
		r.draft.ply = max(ply, 1)
	}
	p, ok := r.draft.position(r.faults)
	if !ok {
		return false
	}
	r.record.Start = p
	r.branches = []*branch{{first: p.Ply(), points: []point{startOf(r.record)}}}
	return len(*r.faults) == 0
}

// begin makes sure that a move can be read. Without a position it would only be a cause of more
// faults.
func (r *kifReader) begin(at place, first int) bool {
	if !r.started && !r.start(at, first) {
		r.failed = true
	}
	return !r.failed
}

func (r *kifReader) branch() *branch { return r.branches[len(r.branches)-1] }

// add puts a node at the end of the line that is read.
func (r *kifReader) add(at place, n *Node) {
	b := r.branch()
	next, ok := r.grower.add(at, b.last(), n)
	if !ok {
		r.failed = true
		return
	}
	b.points = append(b.points, next)
	r.current = n
}

// numbered reads a line of KIF: "  1 ５二金打   ( 0:00/00:00:00)+".
func (r *kifReader) numbered(l *line) {
	found := numberedText.FindStringSubmatch(l.text)
	n, i := number(found[1]), len(found[0])
	if n < 1 || n >= shogi.MaxPly {
		r.faults.add(l.place(0), CodeMoveNumber, "found move number %s, expected 1 to %d", clip(found[1]), shogi.MaxPly-1)
		r.failed = true
		return
	}
	if !r.begin(l.place(0), n) {
		return
	}
	b := r.branch()
	if want := b.first + len(b.points) - 1; n != want {
		code, msg := CodeMoveNumber, "found move number %d, expected %d"
		if b.last().node.End != "" {
			code, msg = CodeAfterEnd, "found move number %d after the end of the line, expected 変化 or nothing (%d)"
		}
		r.faults.add(l.place(0), code, msg, n, want)
		r.failed = true
		return
	}
	node := &Node{}
	rest := ""
	if beginsMove(l.text[i:]) {
		if i = r.mark(l, i); r.failed {
			return
		}
		m, j, ok := r.move(l, i)
		if !ok {
			r.failed = true
			return
		}
		node.Move, rest = m, l.text[j:]
	} else {
		word := l.text[i:]
		if j := strings.IndexAny(word, blanks+"(+"); j >= 0 {
			word, rest = word[:j], word[j:]
		}
		if word == "" {
			r.faults.add(l.place(i), CodeMoveSyntax, "found %q, expected a move or a word such as 詰み", clip(rest))
			r.failed = true
			return
		}
		node.End = endingOf(word)
	}
	r.after(l, node, rest)
	if !r.failed {
		r.add(l.place(i), node)
	}
}

// beginsMove reports whether a text can only be a move, right or wrong, and not the word for an
// end.
func beginsMove(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return first == '同' || digitOf(first) > 0 || isMark(s)
}

// after reads what follows a move of KIF: the time, and the sign that there are variations.
func (r *kifReader) after(l *line, n *Node, rest string) {
	for rest = strings.Trim(rest, blanks); rest != ""; rest = strings.TrimLeft(rest, blanks) {
		if after, ok := strings.CutPrefix(rest, "+"); ok {
			rest = after
			continue
		}
		inside, after, ok := strings.Cut(rest, ")")
		if rest[0] != '(' || !ok {
			r.faults.add(l.place(len(l.text)-len(rest)), CodeMoveSyntax, "found %q after the move, expected the time in parentheses or +", clip(rest))
			r.failed = true
			return
		}
		if found := timeText.FindStringSubmatch(inside[1:]); found != nil {
			seconds := 0
			for _, part := range found[1:] {
				if part != "" {
					seconds = seconds*60 + min(number(part), maxSeconds)
				}
			}
			n.Elapsed, n.Timed = time.Duration(min(seconds, maxSeconds))*time.Second, true
		}
		rest = after
	}
}

// maxSeconds is more time than any move took, and little enough to be counted with.
const maxSeconds = 1_000_000

// number returns the value of ASCII or full-width digits, or something above shogi.MaxPly if that
// is large.
func number(digits string) int {
	n := 0
	for _, r := range digits {
		n = min(n*10+digitOf(r), 10*shogi.MaxPly)
	}
	return n
}

// unnumbered reads a line of KI2: "▲５二金  △同玉". The end of the line may be "まで…" or, as some
// have it, "△投了".
func (r *kifReader) unnumbered(l *line) {
	r.record.Format = KI2
	i := 0
	for {
		s := strings.TrimLeft(l.text[i:], blanks)
		i = len(l.text) - len(s)
		switch {
		case s == "":
			return
		case strings.HasPrefix(s, "まで"), strings.HasPrefix(s, "…まで"):
			r.until(l, strings.TrimPrefix(s, "…"))
			return
		case !isMark(s):
			r.faults.add(l.place(i), CodeMoveSyntax, "found %q, expected a move, which begins with ▲ or △", clip(s))
			r.failed = true
			return
		}
		if !r.started && !r.sided {
			if c, _ := cutMark(s); r.rows > 0 { // nothing else says who is to move
				r.draft.side, r.draft.sideAt, r.sided = c, l.place(i), true
			}
		}
		if !r.begin(l.place(i), 0) {
			return
		}
		at := l.place(i)
		if i = r.mark(l, i); r.failed {
			return
		}
		word := l.text[i:min(len(l.text), i+longestEnding+len("　"))] // what is left of the line may be long
		if end := strings.IndexAny(word, blanks); end >= 0 {
			word = word[:end]
		}
		if isEnding(word) {
			if r.add(at, &Node{End: endingOf(word)}); r.failed {
				return
			}
			i += len(word)
			continue
		}
		m, j, ok := r.move(l, i)
		if !ok {
			r.failed = true
			return
		}
		if r.add(at, &Node{Move: m}); r.failed {
			return
		}
		i = j
	}
}

var marks = []struct {
	mark string
	side shogi.Color
}{{"▲", shogi.Black}, {"△", shogi.White}, {"☗", shogi.Black}, {"☖", shogi.White}, {"▼", shogi.Black}, {"▽", shogi.White}}

// cutMark takes the sign of a side from the front of s.
func cutMark(s string) (shogi.Color, string) {
	for _, m := range marks {
		if rest, ok := strings.CutPrefix(s, m.mark); ok {
			return m.side, rest
		}
	}
	return shogi.Black, s
}

func isMark(s string) bool {
	_, rest := cutMark(s)
	return len(rest) < len(s)
}

// mark reads the sign of a side, if there is one, which must be the side to move.
func (r *kifReader) mark(l *line, i int) int {
	c, rest := cutMark(l.text[i:])
	p := &r.branch().last().position
	if len(rest) < len(l.text)-i && c != p.SideToMove() {
		r.faults.add(l.place(i), CodeSide, "found a move of %s, but %s is to move", c, p.SideToMove())
		r.failed = true
	}
	return len(l.text) - len(rest)
}

// move reads a move at byte i of the line and returns where it ends.
func (r *kifReader) move(l *line, i int) (shogi.Move, int, bool) {
	at := r.branch().last()
	if at.node.End != "" {
		r.faults.add(l.place(i), CodeAfterEnd, "found a move after %s, which ends the line", at.node.End.word())
		return shogi.NoMove, i, false
	}
	w, rest, expected := cutMove(l.text[i:], at.to)
	if expected != "" {
		j := len(l.text) - len(rest)
		r.faults.add(l.place(j), CodeMoveSyntax, "found %q in a move, expected %s", clip(rest), expected)
		return shogi.NoMove, i, false
	}
	m, sq, code, msg := w.resolve(&at.position)
	if code != "" {
		r.faults.addOn(sq, l.place(i), code, "%s", msg)
		return shogi.NoMove, i, false
	}
	m, ok := r.grower.legal(l.place(i), at, m)
	return m, len(l.text) - len(rest), ok
}

// variation begins a line that replaces move N of an earlier one: of the nearest that has a move
// N-1. Programs write the variations from the last branching point back to the first, those of a
// variation right after it.
func (r *kifReader) variation(l *line) {
	n := number(variationText.FindStringSubmatch(l.text)[1])
	for len(r.branches) > 0 {
		b := r.branch()
		i := n - b.first
		if i >= 0 && i < len(b.points) && (i > 0 || len(r.branches) == 1) && b.points[i].node.End == "" {
			if len(r.branches) > MaxDepth {
				r.faults.add(l.place(0), CodeTooLong, "found more than %d variations in each other", MaxDepth)
				r.failed = true
				return
			}
			r.branches = append(r.branches, &branch{first: n, points: []point{b.points[i]}})
			r.current = b.points[i].node
			return
		}
		r.branches = r.branches[:len(r.branches)-1]
	}
	r.faults.add(l.place(0), CodeVariation, "found a variation of move %d, but no line before it has such a move or the one before", n)
	r.failed = true
}

// until reads "まで7手で詰み", which ends a line that has no end yet.
func (r *kifReader) until(l *line, text string) {
	at := l.place(len(l.text) - len(text))
	if !r.begin(at, 0) || r.branch().last().node.End != "" {
		return
	}
	end := endingOf(strings.Trim(untilText.FindStringSubmatch(text)[1], blanks))
	for _, w := range []struct {
		part   string
		ending Ending
	}{
		{"不詰", NoMate}, {"詰", Mated}, {"千日手", Repeated}, {"持将棋", Impasse}, {"中断", Interrupted}, {"時間切れ", TimeUp}, {"切れ負け", TimeUp},
		{"反則勝ち", IllegalAction}, {"反則負け", IllegalMove}, {"反則", IllegalMove}, {"入玉", Declares}, {"引き分け", Drawn}, {"勝ち", Resigns}, {"投了", Resigns},
	} {
		if strings.Contains(text, w.part) {
			end = w.ending
			break
		}
	}
	// Of a foul the text says who won or lost by it, and an ending who of them is to move.
	us := r.branch().last().position.SideToMove()
	if them := otherSide(text, us); them && end == IllegalAction {
		end = IllegalMove
	} else if them && end == IllegalMove {
		end = IllegalAction
	}
	if end != "" {
		r.add(at, &Node{End: end})
	}
}

// otherSide reports whether a text names the side that is not to move.
func otherSide(text string, us shogi.Color) bool {
	for _, name := range [2][2]string{{"後手", "上手"}, {"先手", "下手"}}[us] {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}
