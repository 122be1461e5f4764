package notation

import (
	"html"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// A kifReader reads KIF, KI2 and BOD, which differ only in how moves are written.
type kifReader struct {
	reader
	rows     int   // of the board, read so far
	rowAt    place // of the last one
	pieces   pieceList
	hands    [2]bool
	held     bool      // a hand that is not empty was given
	handicap *Field    // 手合割, if it was given
	oddsAt   place     // where
	sided    bool      // the side to move was given
	started  bool      // the position is complete, moves follow
	branches []*branch // the line that is read, last, and those it may hang from
	current  *Node     // the node comments are about
	inBoard  bool      // the line before was a row of the board
	wasBlank bool      // it was empty, or of no notation

	most    int       // records to read
	records []*Record // those that are complete
	text    string
	ahead   *ahead
	strays  []place // of lines among the moves that are of no notation
	// The lines of a header since the last line of the position or the moves may be another
	// record's: where they begin, and how many fields the header had before.
	isNew  bool
	newAt  place
	fields int
}

// blanks are what stands between the words of a line.
const blanks = " \t　"

var (
	numberedText  = lazy(`^[ \t　]*([0-9０-９]+)[ \t　]+`)
	ruleText      = lazy(`^[-=+*_~ ・]+$`)
	variationText = lazy(`^[ \t　]*変化[：:][ \t　]*([0-9０-９]+)手`)
	filesText     = lazy(`^\|? *9[ |]*8[ |]*7[ |]*6[ |]*5[ |]*4[ |]*3[ |]*2[ |]*1 *\|?$`)
	turnedText    = lazy(`^\|? *1[ |]*2[ |]*3[ |]*4[ |]*5[ |]*6[ |]*7[ |]*8[ |]*9 *\|?$`)
	timeText      = lazy(`^[ 　]*([0-9]+):([0-9]+)(?::([0-9]+))?[ 　]*(?:/.*)?$`)
	untilText     = lazy(`^(?:まで|迄)[、 　の]*(?:([0-9０-９]+|[一二三四五六七八九十]+)手)?[でに、]?([^。]*)`)
)

// quotes are what may stand before every line, as mail puts it before what it quotes.
const quotes = blanks + ">"

// parseKIF reads the records of a text, the last of them up to a fault. What follows as many as
// are wanted is not read.
func parseKIF(text string, f *faults, most int) []*Record {
	r := &kifReader{reader: reader{grower: grower{faults: f}, record: newRecord(KIF)}, text: text,
		ahead: &ahead{}, most: most}
	r.current = r.record.Root
	for l := range lines(text) {
		r.line(&l)
		if r.record == nil {
			return r.records
		}
		// Behind moves that cannot be read another record may follow.
		if r.failed = r.record.cut(f) || r.failed; r.failed && !r.record.isCut() {
			break
		}
	}
	if !r.started && !r.failed {
		if r.rows == 0 && r.handicap == nil && !r.hasLost() {
			f.add(place{}, noBoard)
		} else {
			r.start(place{}, 0)
		}
	}
	return append(r.records, r.record)
}

// beginsAnother reports whether a line is the first of the position or the moves of another record.
// Without the rest of one it is a fault of this one.
func (r *kifReader) beginsAnother(l *line, kind kifLine) bool {
	if !r.started && r.rows < 9 {
		return false
	}
	hasHeader := r.isNew && len(r.record.Header) > r.fields
	switch kind {
	case rowLine:
		return !r.inBoard
	case handLine:
		c, _ := cutHand(l.text)
		if c >= 0 && r.isHandOfNext(l, shogi.Color(c)) {
			return true
		}
		if r.started || c >= 0 && r.hands[c] {
			return r.hasPosition(l.end())
		}
		rest := r.text[l.end():]
		// The hands of a board stand before or behind it.
		return (r.wasBlank || r.isNew) && beginsBoard().MatchString(folded(rest[:min(len(rest), 40)])) && r.hasPosition(l.end())
	case listLine:
		if !listText().MatchString(l.text) { // a hand in brackets
			return r.isHandOfNext(l, shogi.Black)
		}
		return r.started || !r.pieces.isAny() ||
			r.pieces.given == [2]bool{true, true} && r.beginsLists(l)
	case handicapLine:
		return r.started || r.handicap != nil && r.hasPosition(l.end())
	case numberedLine:
		return r.started && hasHeader && number(numberedText().FindStringSubmatch(l.text)[1]) == 1
	case markedLine:
		return r.started && hasHeader && r.branch().last().node.End != ""
	}
	return false
}

// beginsBoard finds a board in the next line.
var beginsBoard = lazy(`^(?:\r\n|\r|\n) *(?:9 *8|[+|])`)

// An ahead is where the next position of the text begins, as far as that is known: after byte from,
// the first is at byte next, or there is none.
type ahead struct {
	known, none bool
	from, next  int
}

// hasPosition reports whether a position begins behind byte i of the text. Each part of the text is
// searched once, however many lines ask.
func (r *kifReader) hasPosition(i int) bool {
	a := r.ahead
	if a.known && a.from <= i && (a.none || i <= a.next) {
		return !a.none
	}
	found := positionText().FindStringIndex(r.text[i:])
	*a = ahead{known: true, none: found == nil, from: i}
	if found != nil {
		a.next = i + found[0]
	}
	return found != nil
}

// positionText finds a board or 手合割.
var positionText = lazy(`手合割[：:]|(?:(?m)^[ \t　>]*[|｜│┃][^\r\n]*[\r\n]+){9}`)

// next completes the record and begins another at a line, if one more is wanted.
func (r *kifReader) next(l *line) {
	if !r.started && !r.start(place{}, 0) {
		r.failed = true
		return
	}
	at, header := l.place(0), []Field(nil)
	if r.isNew {
		at, header = r.newAt, slices.Clone(r.record.Header[r.fields:])
		r.record.Header = r.record.Header[:r.fields]
	}
	r.records = append(r.records, r.record)
	switch {
	case len(r.records) == r.most:
		r.record.note(noteAt(at, NoteRecords, strings.TrimSpace(r.text[at.offset:l.end()])))
		r.record = nil
		return
	case len(r.records) == MaxRecords:
		r.refuse(at, tooManyRecords, MaxRecords)
		return
	}
	*r = kifReader{reader: reader{grower: r.grower, record: newRecord(KIF)}, text: r.text, ahead: r.ahead,
		most: r.most, records: r.records, pieces: pieceList{lost: r.pieces.lost}}
	r.record.Header, r.current = header, r.record.Root
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
	handLine
	listLine
	handicapLine
	variationLine
	numberedLine
	markedLine
	untilLine
	plyLine
	fieldLine
	strayLine
)

// kindOfLine says what a line is, whose end has no blanks. It is folded.
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
	case text == "", text == "盤面回転", strings.HasPrefix(text, "手数-"), strings.HasPrefix(text, "+-"),
		isFiles(text), begins(text, "-=_~・") && ruleText().MatchString(text),
		strings.HasPrefix(text, "-") && strings.Contains(text, "手数-"):
		return nothingLine
	case begins(text, "1|") && turnedText().MatchString(text):
		return turnedFilesLine
	case text[0] == '|':
		return rowLine
	case isSide && sideOf(side) >= 0:
		return sideLine
	case variationText().MatchString(text):
		return variationLine
	case isPieceList(text):
		return listLine
	case strings.Contains(text, "駒") && handText().MatchString(text):
		if c, _ := cutHand(text); c >= 0 {
			return handLine
		}
	case numberedText().MatchString(text):
		return numberedLine
	case isMove(text):
		return markedLine
	case isHeading(text):
		return nothingLine
	case isUntil(text):
		return untilLine
	case plyText().MatchString(text):
		return plyLine
	}
	switch key, _, ok := cutField(text); {
	case ok && key == "手合割":
		return handicapLine
	case ok && key != "":
		return fieldLine
	}
	return strayLine
}

// isFiles reports whether a line is the names of the files above a board.
func isFiles(text string) bool { return begins(text, "9|") && filesText().MatchString(text) }

// isBare reports whether a line begins with a move that has neither a number nor a mark.
func isBare(text string) bool { return begins(text, "同123456789") && bareText().MatchString(text) }

func (r *kifReader) line(l *line) {
	text := unescaped(strings.TrimRight(l.text, blanks))
	if begins(strings.TrimLeft(text, blanks), ">") { // as mail quotes
		quoted := len(text) - len(strings.TrimLeft(text, quotes))
		text = strings.ReplaceAll(text[:quoted], ">", " ") + text[quoted:]
	}
	kind := nothingLine
	switch {
	case text != "" && strings.ContainsRune("#*&", rune(text[0])):
		kind = kindOfLine(text)
	default:
		plain := r.told(folded(text))
		if kind = kindOfLine(plain); kind != fieldLine && kind != handicapLine && kind != strayLine {
			text = plain
		}
		if r.pieces.isIn && listRest().MatchString(plain) {
			kind, text = listLine, plain
		}
	}
	l.set(text)
	text = strings.TrimLeft(l.text, blanks)
	at := l.place(len(l.text) - len(text))
	if r.beginsAnother(l, kind) {
		if r.next(l); r.failed || r.record == nil {
			return
		}
	}
	switch kind {
	case fieldLine, nothingLine, strayLine:
		if kind != strayLine && text != "" && !r.isNew && (kind == fieldLine || text[0] == '#') {
			r.isNew, r.newAt, r.fields = true, at, len(r.record.Header)
		}
	case commentLine, bookmarkLine:
	default:
		r.isNew = false
		if r.started || kind == rowLine {
			r.pieces.lost = lostPieces{}
		}
	}
	if r.record.isCut() {
		if kind == untilLine {
			r.toldAtEnd(untilText().FindStringSubmatch(text))
		}
		return
	}
	wasInBoard := r.inBoard
	r.inBoard, r.wasBlank = kind == rowLine, text == "" || kind == strayLine
	r.pieces.isIn = r.pieces.isIn && kind == listLine
	switch kind {
	case commentLine:
		r.current.Comments = append(r.current.Comments, l.text[1:])
	case bookmarkLine:
		r.current.Bookmark = strings.Trim(l.text[1:], blanks)
	case rowLine:
		r.row(l)
	case turnedFilesLine:
		r.faults.add(at, turned)
	case sideLine:
		r.setSide(at, shogi.Color(sideOf(strings.TrimSuffix(text, "番"))))
	case handLine:
		c, i := cutHand(l.text)
		r.hand(l, i, shogi.Color(c))
	case listLine:
		r.list(l)
	case variationLine:
		if r.started { // programs have been seen to write it into the header, where it means nothing
			r.refuseStrays()
			r.variation(l)
		}
	case numberedLine:
		r.refuseStrays()
		r.numbered(l)
	case markedLine:
		r.refuseStrays()
		r.unnumbered(l)
	case untilLine:
		r.until(l, text)
	case plyLine:
		r.played(at, text)
	case fieldLine, handicapLine:
		r.lose(l)
		r.field(l)
	case strayLine:
		r.lose(l)
		r.stray(at, text, wasInBoard && r.rows < 9)
	case nothingLine:
		r.inBoard = wasInBoard && text == "" && r.rows < 9
	}
}

// stray leaves out what people write around a record. What may be a part of it is a fault.
func (r *kifReader) stray(at place, text string, inBoard bool) {
	if inBoard || partText().MatchString(folded(text)) {
		r.faults.add(at, stray, clip(text))
		r.failed = r.failed || r.started
		return
	}
	if r.started {
		r.strays = append(r.strays, at)
	}
	r.record.note(noteAt(at, NoteText, text))
}

// partText is what is not left out: a row of a board, a hand, the side to move, a move.
var partText = lazy(`\||持ち?駒(?:$|[^をにがのでもと、。」）)])|手番$|^[0-9]+ *手目|^(?:同|[1-9][1-9一二三四五六七八九]) *成?[玉王飛龍竜角馬金銀全桂圭香杏歩と]`)

// refuseStrays makes a fault of the first line of no notation that stands between moves: it may be a
// move that nobody can read.
func (r *kifReader) refuseStrays() {
	if len(r.strays) > 0 && !r.failed {
		at := r.strays[0]
		text, _, _ := strings.Cut(r.text[at.offset:], "\n")
		r.refuse(at, stray, clip(strings.TrimRight(text, blanks+"\r")))
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

// cutField splits a line of the header. Offsets are those of the value.
func cutField(text string) (key string, at int, ok bool) {
	i := strings.IndexAny(text, "：:")
	if i < 0 {
		return "", 0, false
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return strings.Trim(text[:i], blanks), i + size, true
}

func (r *kifReader) field(l *line) {
	key, i, _ := cutField(l.text)
	value := strings.Trim(l.text[i:], blanks)
	switch {
	case key == "手合割":
		if r.handicap != nil {
			r.faults.add(l.place(0), secondOdds)
			return
		}
		r.handicap, r.oddsAt = &Field{key, value}, l.place(i)
	case key == "手番":
		c := sideOf(strings.TrimSuffix(value, "番"))
		if c < 0 {
			r.faults.add(l.place(i), badSide, clip(value))
			return
		}
		r.setSide(l.place(i), shogi.Color(c))
	case strings.HasSuffix(key, "持駒"), strings.HasSuffix(key, "持ち駒"):
		// What is held must not get lost.
		r.faults.add(l.place(0), badHandKey, clip(key))
	default:
		r.record.Header = append(r.record.Header, Field{key, value})
	}
}

// start completes the position: the first move, which has a number, stands at the place. It reports
// whether moves can be read.
func (r *kifReader) start(at place, first int) bool {
	r.started = true
	if lost := &r.pieces.lost; r.hasLost() {
		r.faults.add(lost.at, badListed, clip(lost.text), lost.side)
		return false
	}
	var odds *handicap
	if r.handicap != nil {
		odds = handicapNamed(r.handicap.Value)
	}
	switch {
	case r.rows > 0: // it wins over 手合割: Kakinoki Shogi writes 平手 for problems
		if r.rows < 9 {
			r.faults.add(r.rowAt, rowCount, r.rows)
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
		r.faults.add(at, handsAlone)
		return false
	case r.handicap != nil && odds == nil:
		r.faults.add(r.oddsAt, badOdds, clip(r.handicap.Value))
		return false
	default:
		if odds == nil {
			odds, r.record.assumed = &handicaps[0], &at
		}
		if first > 1 && r.draft.ply == 0 {
			r.faults.add(at, numberAlone, first)
			return false
		}
		start := shogi.MustParseSFEN(odds.sfen)
		r.draft.load(&start, r.oddsAt)
		if !r.sided {
			r.draft.side, r.draft.sideAt = start.SideToMove(), r.oddsAt
		}
	}
	if !r.complete() {
		return false
	}
	r.branches = []*branch{{first: r.record.Start.Ply(), points: []point{startOf(r.record)}}}
	return true
}

// begin makes sure that a move can be read. Without a position it would only be a cause of more
// faults.
func (r *kifReader) begin(at place, first int) bool {
	if !r.started {
		r.record.written = r.text[min(at.offset, len(r.text)):]
		r.failed = !r.start(at, first) || r.failed
	}
	return !r.failed
}

func (r *kifReader) branch() *branch { return r.branches[len(r.branches)-1] }

// add puts a node at the end of the line that is read.
func (r *kifReader) add(at place, n *Node) {
	b := r.branch()
	next, ok := r.grow(at, b.last(), n)
	if !ok {
		r.failed = true
		return
	}
	b.points = append(b.points, next)
	r.current = n
}

// numbered reads a line of KIF: "  1 ５二金打   ( 0:00/00:00:00)+".
func (r *kifReader) numbered(l *line) {
	found := numberedText().FindStringSubmatch(l.text)
	n, i := number(found[1]), len(found[0])
	if n < 1 || n >= shogi.MaxPly {
		r.refuse(l.place(0), badNumber, clip(found[1]), shogi.MaxPly-1)
		return
	}
	if !r.begin(l.place(0), n) {
		return
	}
	b := r.branch()
	if want := b.first + len(b.points) - 1; n != want {
		what := otherNumber
		if b.last().node.End != "" {
			what = afterEnd
		}
		r.refuse(l.place(0), what, n, want)
		return
	}
	node := &Node{}
	rest := ""
	if beginsMove(l.text[i:]) {
		if i = r.mark(l, i); r.failed {
			return
		}
		if node.Move, i = r.move(l, i); r.failed {
			return
		}
		rest = l.text[i:]
	} else {
		word := upTo(l.text[i:], blanks+"(+")
		rest = l.text[i+len(word):]
		if word == "" {
			r.refuse(l.place(i), noMove, clip(rest))
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
	return first == '同' || digitOf(first) > 0 || isMark(s) || englishMove().MatchString(s)
}

// told takes down how many plies a line, folded, says that the mate takes, and returns the line with
// blanks in place of that. What is said behind the last move belongs to it.
func (r *kifReader) told(text string) string {
	if !strings.Contains(text, "手詰") {
		return text
	}
	in := toldText().FindStringIndex(text)
	if in == nil || strings.Contains(text[:in[0]], "まで") || strings.Contains(text[:in[0]], "迄") {
		return text
	}
	r.record.tell(text[in[0]:in[1]])
	return text[:in[0]] + strings.Repeat(" ", utf8.RuneCountInString(text[in[0]:in[1]])) + text[in[1]:]
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
			r.refuse(l.place(len(l.text)-len(rest)), afterMove, clip(rest))
			return
		}
		if found := timeText().FindStringSubmatch(inside[1:]); found != nil {
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
	i := len(l.text) - len(strings.TrimLeft(l.text, blanks))
	i += len(solutionText().FindString(l.text[i:]))
	for {
		s := strings.TrimLeft(l.text[i:], separators)
		s = s[len(moveNumber().FindString(s)):]
		i = len(l.text) - len(s)
		switch {
		case s == "":
			return
		case isUntil(s), strings.HasPrefix(s, "…まで"):
			r.until(l, strings.TrimPrefix(s, "…"))
			return
		case mateText().MatchString(s):
			if at := l.place(i); r.begin(at, 0) && r.branch().last().node.End == "" {
				r.add(at, &Node{End: Mated})
			}
			return
		case !isMark(s) && !beginsMove(s):
			r.refuse(l.place(i), noMarkedMove, clip(s))
			return
		}
		if !r.started && !r.sided {
			if c, _ := cutMark(s); r.rows > 0 && isMark(s) { // nothing else says who is to move
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
		// What is left of the line may be long.
		word := upTo(l.text[i:min(len(l.text), i+longestEnding+len("　"))], blanks)
		if isEnding(word) {
			if r.add(at, &Node{End: endingOf(word)}); r.failed {
				return
			}
			i += len(word)
			continue
		}
		n := &Node{}
		if n.Move, i = r.move(l, i); r.failed {
			return
		}
		if r.add(at, n); r.failed {
			return
		}
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
		r.refuse(l.place(i), otherMover, c, p.SideToMove())
	}
	return len(l.text) - len(rest)
}

// move reads a move at byte i of the line and returns where it ends.
func (r *kifReader) move(l *line, i int) (m shogi.Move, end int) {
	at := r.branch().last()
	if at.node.End != "" {
		r.refuse(l.place(i), afterEnding, at.node.End.word())
		return shogi.NoMove, i
	}
	w, rest, expected := cutMove(l.text[i:], at.to)
	end = len(l.text) - len(rest)
	if expected != nil {
		r.refuse(l.place(end), inMove, clip(rest), expected)
		return shogi.NoMove, i
	}
	m, sq, why := w.resolve(&at.position)
	if why.Text != nil {
		r.refuseOn(sq, l.place(i), why.Text, why.Args...)
		return shogi.NoMove, i
	}
	m, ok := r.legal(l.place(i), at, m)
	r.failed = !ok
	return m, end
}

// variation begins a line that replaces move N of an earlier one: of the nearest that has a move
// N-1. Programs write the variations from the last branching point back to the first, those of a
// variation right after it.
func (r *kifReader) variation(l *line) {
	n := number(variationText().FindStringSubmatch(l.text)[1])
	for len(r.branches) > 0 {
		b := r.branch()
		i := n - b.first
		if i >= 0 && i < len(b.points) && (i > 0 || len(r.branches) == 1) && b.points[i].node.End == "" {
			if len(r.branches) > MaxDepth {
				r.refuse(l.place(0), tooDeep, MaxDepth)
				return
			}
			r.branches = append(r.branches, &branch{first: n, points: []point{b.points[i]}})
			r.current = b.points[i].node
			return
		}
		r.branches = r.branches[:len(r.branches)-1]
	}
	r.refuse(l.place(0), noBranch, n)
}

// toldAtEnd takes down how many plies the end of a mate says it takes, as untilText has found it.
func (r *kifReader) toldAtEnd(found []string) {
	if r.record.Plies == 0 && (found[2] == "" || strings.Contains(found[2], "詰") && !strings.Contains(found[2], "不詰")) {
		r.record.Plies = pliesOf(folded(found[1]))
	}
}

// until reads "まで7手で詰み", which ends a line that has no end yet.
func (r *kifReader) until(l *line, text string) {
	at := l.place(len(l.text) - len(text))
	found := untilText().FindStringSubmatch(text)
	r.toldAtEnd(found)
	if !r.begin(at, 0) || r.branch().last().node.End != "" {
		return
	}
	end := endingOf(strings.Trim(found[2], blanks))
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
