package notation

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// A quality is what a table says of a problem.
type quality int

const (
	ofPosition quality = iota
	ofTitle
	ofAuthor
	ofPlies
	ofMoves
	numQualities
)

// qualityNames are the names of columns and keys for each quality, in lower case. If a table has
// several, the first of the list is taken.
var qualityNames = [numQualities][]string{
	ofPosition: {"sfen", "position", "initial", "board", "problem", "start", "init_sfen", "fen", "usi", "局面", "図面", "盤面", "初期局面"},
	ofTitle:    {"title", "name", "作品名", "題名", "表題", "題", "名前"},
	ofAuthor:   {"author", "composer", "作者", "作者名"},
	ofPlies:    {"plies", "length", "steps", "手数"},
	ofMoves:    {"moves", "solution", "line", "answer", "pv", "解答", "手順", "作意", "正解", "指し手"},
}

// A cell is a value of a row, with what names it: the head of its column, or its key.
type cell struct {
	name     string
	text     string
	moves    []string // of a list, in place of a text
	isNumber bool     // in JSON
	at       place
}

// A choice says which cell of a row has a quality; -1: none.
type choice [numQualities]int

// choose finds the cells by their names, and returns those that were taken where there were several.
// usable, unless nil, says which cells can be what their names say.
func choose(cells []cell, usable func(quality, *cell) bool) (c choice, taken []string) {
	for q, names := range qualityNames {
		c[q] = -1
		several := false
		for _, name := range names {
			i := slices.IndexFunc(cells, func(one cell) bool {
				return strings.EqualFold(one.name, name) && (usable == nil || usable(quality(q), &one))
			})
			if i >= 0 {
				several = several || c[q] >= 0
				if c[q] < 0 {
					c[q] = i
				}
			}
		}
		if several {
			taken = append(taken, cells[c[q]].name)
		}
	}
	return c, taken
}

// A table reads the lines of a list. The first one says what separates the cells and which are taken.
type table struct {
	charset Charset
	begun   bool
	comma   rune // 0: the first column, by tabs, is a position, and the others are left alone
	choice  choice
	taken   []string // the columns that were taken where there were several
}

// begins reads the first row of a table. It reports whether it is one, and whether it is a head.
func (t *table) begins(first string) (isTable, isHead bool) {
	if first[0] == '{' {
		row, err := membersOf(first, 0)
		return err == nil && !isJKF(row) && hasPosition(row), false
	}
	for _, comma := range "\t,;" {
		cells := cellsOf(first, comma, place{})
		isHead := len(cells) > 1 || strings.EqualFold(cells[0].text, "sfen")
		for i := range cells {
			cells[i].name = cells[i].text
			isHead = isHead && !strings.ContainsAny(cells[i].text, blanks)
		}
		if choice, taken := choose(cells, nil); isHead && choice[ofPosition] >= 0 {
			t.comma, t.choice, t.taken = comma, choice, taken
			return true, true
		}
		choice, taken := chooseUnnamed(cells)
		isPlain := comma == '\t' && choice[ofPosition] == 0 && choice[ofMoves] < 0
		if len(cells) > 1 && choice[ofPosition] >= 0 && !isPlain {
			t.comma, t.choice, t.taken = comma, choice, taken
			return true, false
		}
	}
	return false, false
}

// chooseUnnamed is choose for a row without names: only what can be nothing else is taken.
func chooseUnnamed(cells []cell) (c choice, taken []string) {
	c = choice{-1, -1, -1, -1, -1}
	for i := range cells {
		_, err := shogi.ParsePosition(cells[i].text)
		switch {
		case err == nil && c[ofPosition] < 0:
			c[ofPosition] = i
		case err == nil:
			taken = []string{strconv.Itoa(c[ofPosition] + 1)}
		case c[ofMoves] < 0 && isUSI(cells[i].text):
			c[ofMoves] = i
		}
	}
	return c, taken
}

// isUSI reports whether a text is moves in USI and nothing else.
func isUSI(text string) bool {
	words := strings.FieldsFunc(text, betweenMoves)
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool {
		_, err := shogi.ParseMove(word)
		return err != nil
	})
}

func betweenMoves(r rune) bool { return strings.ContainsRune(blanks+",、\r\n", r) }

// cellsOf returns the cells of a line.
func cellsOf(line string, comma rune, at place) (cells []cell) {
	r := csv.NewReader(strings.NewReader(line))
	r.Comma, r.LazyQuotes = comma, true
	texts, _ := r.Read() // with lazy quotes all is read
	for i, text := range texts {
		_, column := r.FieldPos(i)
		text = strings.TrimSpace(text)
		offset := min(column-1, len(line))
		offset += max(strings.Index(line[offset:], text), 0) // behind blanks and a quote
		cells = append(cells, cell{text: text, at: place{at.line,
			at.column + utf8.RuneCountInString(line[:offset]), at.offset + offset}})
	}
	return append(cells, make([]cell, max(1-len(cells), 0))...)
}

// read reads a line at a place. Both results are nil if nothing stands there.
func (t *table) read(line string, at place) (*Record, *Error) {
	line, fault := inUTF8(strings.TrimPrefix(line, byteOrderMark), t.charset, at)
	first := strings.TrimSpace(line)
	switch {
	case fault != nil:
		return nil, fault
	case strings.Trim(first, wrapping) == "" || first[0] == '#':
		return nil, nil
	case !t.begun:
		t.begun = true
		if _, isHead := t.begins(line); isHead {
			return nil, nil
		}
	}
	switch {
	case first[0] == '{':
		row, err := membersOf(line, 0)
		if err != nil {
			offset, why := whyNoJSON(line, err)
			var f faults
			f.addMessage(shogi.NoSquare, within(line, offset, at), CodeJSON, why)
			return nil, &Error{Format: SFEN, Faults: f}
		}
		return recordOfObject(row, 0, func(offset int) place { return within(line, offset, at) })
	case t.comma != 0 && !strings.Contains(firstColumn(first), "\t"):
		cells := cellsOf(line, t.comma, at)
		if i := t.choice[ofPosition]; i >= len(cells) || cells[i].text == "" {
			return nil, nil
		}
		return recordOfRow(cells, t.choice, t.taken)
	}
	return readCell(firstColumn(first), line, at)
}

// within returns the place of a byte of a text that begins at a place.
func within(text string, offset int, at place) place {
	in := placeIn(text, min(max(offset, 0), len(text)))
	if in.line == 0 {
		in.column += at.column
	}
	return place{at.line + in.line, in.column, at.offset + in.offset}
}

// recordOfRow returns the record of a row, of which one cell is the position.
func recordOfRow(cells []cell, c choice, taken []string) (*Record, *Error) {
	in := func(q quality) *cell {
		if i := c[q]; i >= 0 && i < len(cells) {
			return &cells[i]
		}
		return &cell{}
	}
	position := in(ofPosition)
	record, fault := readCell(position.text, position.text, position.at)
	if fault != nil {
		return nil, fault
	}
	if title := oneLine(in(ofTitle).text); title != "" {
		record.Header = append(record.Header, Field{"作品名", title})
	}
	if author := oneLine(in(ofAuthor).text); author != "" {
		record.Header = append(record.Header, Field{"作者", author})
	}
	record.at = position.at
	record.setPlies(in(ofPlies).text)
	record.follow(in(ofMoves))
	for _, name := range taken {
		n := noteAt(position.at, NoteColumn, name)
		record.note(n)
	}
	return record, nil
}

// follow makes moves that stand in a cell those of the record, from its position on. What is none is
// a note, and the record ends before it.
func (r *Record) follow(c *cell) {
	words := c.moves
	if words == nil {
		words = strings.FieldsFunc(c.text, betweenMoves)
	}
	if len(words) == 0 {
		return
	}
	p := r.Position()
	r.Start, r.shown = p, 0
	if _, err := shogi.ParseMove(words[0]); err != nil && !isASCII(words[0]) {
		r.followJapanese(c, strings.Join(words, " "))
		return
	}
	var moves []shogi.Move
	for _, word := range words {
		m, err := shogi.ParseMove(word)
		if err == nil {
			err = p.Illegal(m)
		}
		if len(moves) == MaxMoves {
			err = shogi.NewError("notation", tooManyMoves.With(MaxMoves))
		}
		if err != nil {
			why, _ := shogi.MessageOf(err)
			f := Fault{Msg: why}
			f.moveTo(c.at)
			r.unread = &f
			r.note(noteOf(&f))
			break
		}
		moves = append(moves, m)
		p.Do(m)
	}
	r.Root = NewRecord(r.Start, moves, "").Root
}

// followJapanese is follow for moves as books print them.
func (r *Record) followJapanese(c *cell, moves string) {
	var f faults
	solution := newSolution(r, moves, &f)
	for l := range lines(moves) {
		l.set(folded(l.text))
		trimmed := strings.TrimLeft(l.text, blanks)
		if !solution.behindSFEN(&l, trimmed) {
			r.note(noteAt(c.at, NoteText, trimmed))
		}
		if r.cut(&f) {
			r.unread.moveTo(c.at)
		}
	}
	r.shown = 0
}

// A member is a value in a text of JSON: of an object, then it has a key, or of an array.
type member struct {
	key string
	raw json.RawMessage
	at  int // where it begins
}

// membersOf returns what an object or an array has, which begins at a byte of a text. With an error
// it returns those before.
func membersOf(raw string, at int) (list []member, err error) {
	d := json.NewDecoder(strings.NewReader(raw))
	open, err := d.Token()
	for err == nil && d.More() {
		var m member
		if open == json.Delim('{') {
			var key json.Token
			if key, err = d.Token(); err != nil {
				return list, err
			}
			m.key, _ = key.(string)
		}
		if err = d.Decode(&m.raw); err != nil {
			return list, err
		}
		m.at = at + int(d.InputOffset()) - len(m.raw)
		list = append(list, m)
	}
	if err == nil {
		_, err = d.Token()
	}
	return list, err
}

// isJKF reports whether an object is one of JKF, and not a problem with a list of moves.
func isJKF(object []member) bool {
	return slices.ContainsFunc(object, func(m member) bool {
		switch m.key {
		case "header", "initial":
			return m.raw[0] == '{'
		case "moves":
			inner := strings.TrimLeft(string(m.raw[1:]), " \t\r\n")
			return m.raw[0] == '[' && (begins(inner, "{") || begins(inner, "]") && !hasPosition(object))
		}
		return false
	})
}

// cellsOfJSON returns the members of an object that may be cells: texts, numbers and lists of texts.
func cellsOfJSON(object []member, placeOf func(int) place) (cells []cell) {
	for _, m := range object {
		c := cell{name: m.key}
		var number json.Number
		switch {
		case m.key == "candidates":
			cells = append(cells, cellsOfCandidates(m.raw)...)
			continue
		case m.raw[0] == '"' && json.Unmarshal(m.raw, &c.text) == nil:
			m.at++ // the quote
		case m.raw[0] == '[' && json.Unmarshal(m.raw, &c.moves) == nil:
		case json.Unmarshal(m.raw, &number) == nil:
			c.text, c.isNumber = string(number), true
		default:
			continue
		}
		if placeOf != nil {
			c.at = placeOf(m.at)
		}
		cells = append(cells, c)
	}
	return cells
}

// cellsOfCandidates returns what ShogiHome's files of next-move problems say of the best move of a
// position, if it leads to a mate: they have its line, and in how many plies it mates, below 0 for White.
func cellsOfCandidates(raw json.RawMessage) []cell {
	var candidates []struct {
		USI  string
		Mate int
		PV   []string
	}
	if json.Unmarshal(raw, &candidates) != nil || len(candidates) == 0 || candidates[0].Mate == 0 {
		return nil
	}
	best := &candidates[0]
	if len(best.PV) == 0 {
		best.PV = []string{best.USI}
	}
	return []cell{{name: "plies", text: strconv.Itoa(max(best.Mate, -best.Mate))},
		{name: "moves", moves: best.PV}}
}

// isUsable reports whether a cell of JSON can be what its name says.
func isUsable(q quality, c *cell) bool {
	switch q {
	case ofPlies:
		return c.text != ""
	case ofMoves:
		return len(c.moves) > 0 || c.text != "" && !c.isNumber
	}
	return c.text != "" && !c.isNumber
}

// hasPosition reports whether an object says a position.
func hasPosition(object []member) bool {
	choice, _ := choose(cellsOfJSON(object, nil), isUsable)
	return choice[ofPosition] >= 0
}

// recordOfObject returns the record of an object, of which one member is the position.
func recordOfObject(object []member, at int, placeOf func(int) place) (*Record, *Error) {
	cells := cellsOfJSON(object, placeOf)
	choice, taken := choose(cells, isUsable)
	if choice[ofPosition] < 0 {
		return nil, noPositionAt(placeOf(at))
	}
	return recordOfRow(cells, choice, taken)
}

func noPositionAt(at place) *Error {
	e := &Error{Format: SFEN}
	(*faults)(&e.Faults).add(at, noPositionInRow)
	return e
}

// detectJSON returns the notation of a text that begins like one in JSON: JKF, or SFEN for problems. It
// may have been cut off.
func detectJSON(text string) Format {
	if text[0] == '[' {
		if begins(strings.TrimLeft(text[1:], " \t\r\n"), `{["`) {
			return SFEN
		}
		return Unknown
	}
	object, _ := membersOf(text, 0)
	if isJKF(object) {
		return JKF
	}
	if hasPosition(object) || slices.ContainsFunc(object, member.holdsPositions) {
		return SFEN
	}
	return JKF
}

// holdsPositions reports whether positions may stand within a member.
func (m member) holdsPositions() bool {
	return (m.raw[0] == '[' || m.raw[0] == '{') && (bytes.Count(m.raw, []byte("/")) >= 8 ||
		bytes.Contains(m.raw, []byte("startpos")))
}

// A jsonList yields the problems of a text in JSON.
type jsonList struct {
	text  string
	at    place // of what was asked for last
	yield func(*Record, *Error) bool
}

// place returns the place of a byte, in time proportional to how far it is behind the one before.
func (j *jsonList) place(offset int) place {
	if offset < j.at.offset {
		j.at = place{}
	}
	between := j.text[j.at.offset:offset]
	if i := strings.LastIndexByte(between, '\n'); i >= 0 {
		j.at.line += strings.Count(between, "\n")
		j.at.column, between = 0, between[i+1:]
	}
	j.at.column += utf8.RuneCountInString(between)
	j.at.offset = offset
	return j.at
}

// read yields the problems of one or more values, the first of which begins at a byte. It reports
// whether more are wanted.
func (j *jsonList) read(at int) bool {
	d := json.NewDecoder(strings.NewReader(j.text[at:]))
	for {
		var m member
		switch err := d.Decode(&m.raw); {
		case err == io.EOF:
			return true
		case err != nil:
			offset, why := whyNoJSON(j.text[at:], err)
			e := &Error{Format: SFEN}
			(*faults)(&e.Faults).addMessage(shogi.NoSquare, j.place(at+offset), CodeJSON, why)
			return j.yield(nil, e)
		}
		m.at = at + int(d.InputOffset()) - len(m.raw)
		if !j.value(m, 0) {
			return false
		}
	}
}

// maxNested is how deep problems may lie in lists and objects.
const maxNested = 4

// value yields the problems of a value: of an object that is none those of its members, of an array
// those of its elements, or of one with texts the one whose row it is.
func (j *jsonList) value(m member, depth int) bool {
	switch {
	case m.raw[0] == '"':
		var text string
		_ = json.Unmarshal(m.raw, &text) // it was read once
		return j.yield(readCell(text, text, j.place(m.at+1)))
	case m.raw[0] != '[' && m.raw[0] != '{', depth == maxNested:
		return j.yield(nil, noPositionAt(j.place(m.at)))
	}
	members, err := membersOf(string(m.raw), m.at)
	if err != nil { // not of what was read once
		return j.yield(nil, noPositionAt(j.place(m.at)))
	}
	inner := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return !m.holdsPositions() })
	switch {
	case m.raw[0] == '{' && (hasPosition(members) || len(inner) == 0):
		return j.yield(recordOfObject(members, m.at, j.place))
	case m.raw[0] == '[':
		inner = members
		cells := cellsOfJSON(members, j.place)
		if choice, taken := chooseUnnamed(cells); depth > 0 && len(members) > 1 && choice[ofPosition] >= 0 &&
			len(taken) == 0 {
			return j.yield(recordOfRow(cells, choice, taken))
		}
	}
	for _, one := range inner {
		if !j.value(one, depth+1) {
			return false
		}
	}
	return true
}

// isList reports whether a text is a table or problems in JSON.
func isList(text string) bool {
	first, _ := listStart(text)
	switch {
	case first == "":
		return false
	case first[0] == '{', first[0] == '[':
		return detectJSON(first) == SFEN
	}
	isTable, _ := new(table).begins(upTo(first, "\r\n"))
	return isTable
}

// listStart returns a text from its first line on that is neither empty nor a comment, and where that
// begins.
func listStart(text string) (rest string, at int) {
	for l := range lines(text) {
		if first := strings.TrimLeft(l.text, blanks); first != "" && first[0] != '#' {
			at = l.end() - len(first)
			return text[at:], at
		}
	}
	return "", len(text)
}

// list yields the records of a list.
func list(text string) iter.Seq2[*Record, *Error] {
	return func(yield func(*Record, *Error) bool) {
		if first, at := listStart(text); begins(first, "{[") {
			j := &jsonList{text: text, yield: yield}
			j.read(at)
			return
		}
		t := table{charset: UTF8}
		for l := range lines(text) {
			record, fault := t.read(l.text, l.place(0))
			if record != nil {
				record.Line = l.number + 1
			}
			if (record != nil || fault != nil) && !yield(record, fault) {
				return
			}
		}
	}
}

// parseList is parseSFEN for a list.
func parseList(text string, f *faults, most int) (records []*Record) {
	for record, fault := range list(text) {
		switch {
		case fault != nil:
			if *f = append(*f, fault.Faults...); len(*f) >= maxFaults {
				return nil
			}
		case len(records) == most:
			records[most-1].note(noteAt(record.at, NoteRecords, record.Text))
			return records
		default:
			records = append(records, record)
		}
	}
	if len(records) == 0 && len(*f) == 0 { // a head alone
		f.add(place{}, noPositionInRow)
	}
	return records
}
