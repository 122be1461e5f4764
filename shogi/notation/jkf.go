package notation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

// The parts of a JKF. A reader may find any of them missing.
type (
	jkfRecord struct {
		Header  jkfHeader   `json:"header"`
		Initial *jkfInitial `json:"initial,omitempty"`
		Moves   []jkfNode   `json:"moves"`
	}
	jkfHeader  []Field // in the order of the text
	jkfInitial struct {
		Preset string   `json:"preset"`
		Data   *jkfData `json:"data,omitempty"`
	}
	jkfData struct {
		Color *int             `json:"color"`
		Board [][]jkfPiece     `json:"board"` // by file, then by rank
		Hands []map[string]int `json:"hands"`
	}
	jkfPiece struct {
		Color *int   `json:"color,omitempty"`
		Kind  string `json:"kind,omitempty"`
	}
	jkfNode struct {
		Comments []string    `json:"comments,omitempty"`
		Move     *jkfMove    `json:"move,omitempty"`
		Time     *jkfTimes   `json:"time,omitempty"`
		Special  string      `json:"special,omitempty"`
		Forks    [][]jkfNode `json:"forks,omitempty"`
	}
	jkfMove struct {
		Color    *int       `json:"color,omitempty"`
		From     *jkfSquare `json:"from,omitempty"`
		To       *jkfSquare `json:"to,omitempty"`
		Piece    string     `json:"piece"` // before the move
		Same     bool       `json:"same,omitempty"`
		Promote  *bool      `json:"promote,omitempty"`
		Capture  string     `json:"capture,omitempty"`
		Relative string     `json:"relative,omitempty"`
	}
	jkfSquare struct {
		X int `json:"x"`
		Y int `json:"y"`
	}
	jkfTimes struct {
		Now   jkfTime `json:"now"`
		Total jkfTime `json:"total"`
	}
	jkfTime struct {
		H int `json:"h"`
		M int `json:"m"`
		S int `json:"s"`
	}
)

// UnmarshalJSON reads an object of strings and keeps their order.
func (h *jkfHeader) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		if t == nil && err == nil {
			return nil // null
		}
		return shogi.NewError("notation", badHeader.With())
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value string
		if err := d.Decode(&value); err != nil {
			return shogi.NewError("notation", badValue.With())
		}
		*h = append(*h, Field{key.(string), value})
	}
	return nil
}

// MarshalJSON writes an object. A key that comes again adds a line to its value.
func (h jkfHeader) MarshalJSON() ([]byte, error) {
	var keys []string
	values := map[string][]string{}
	for _, f := range h {
		if values[f.Key] == nil {
			keys = append(keys, f.Key)
		}
		values[f.Key] = append(values[f.Key], f.Value)
	}
	dst := []byte{'{'}
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, marshal(key)...), ':'), marshal(strings.Join(values[key], "\n"))...)
	}
	return append(dst, '}'), nil
}

// marshal returns v, which JSON can hold, without the escapes that only HTML needs.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("notation: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// A jkfPath leads to a value in a JSON text: keys and indices.
type jkfPath []any

func (p jkfPath) to(more ...any) jkfPath { return append(p[:len(p):len(p)], more...) }

// place returns where the value, or the innermost part of the path that exists, begins in the text.
func (p jkfPath) place(text string) place {
	d := json.NewDecoder(strings.NewReader(text))
	start := func() int {
		i := int(d.InputOffset())
		return i + len(text[i:]) - len(strings.TrimLeft(text[i:], " \t\r\n,:"))
	}
	at := start()
	var skipped json.RawMessage
	for _, step := range p {
		if _, err := d.Token(); err != nil {
			break
		}
		found := false
		switch step := step.(type) {
		case string:
			for !found && d.More() {
				key, err := d.Token()
				if found = key == step; err != nil || !found && d.Decode(&skipped) != nil {
					break
				}
			}
		case int:
			for i := 0; i < step && d.More() && d.Decode(&skipped) == nil; i++ {
			}
			found = d.More()
		}
		if !found {
			break
		}
		at = start()
	}
	return placeIn(text, at)
}

// A jkfReader reads a JKF. It fills in by the rules what a minimal one leaves out, and believes
// nothing that contradicts them.
type jkfReader struct {
	text   string
	faults *faults
	grower grower
	record *Record
	// locating: the parts of the position get their places, each of which costs a walk through the
	// text. They are only wanted once the position is known to have faults.
	locating bool
}

func parseJKF(text string, f *faults, _ int) []*Record {
	var in jkfRecord
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&in); err != nil {
		at, why := whyNoJSON(text, err)
		f.addMessage(shogi.NoSquare, placeIn(text, at), CodeJSON, why)
		return nil
	}
	end := int(d.InputOffset())
	rest := strings.TrimLeft(text[end:], " \t\r\n,")
	r := &jkfReader{text: text, faults: f, grower: grower{faults: f}, record: newRecord(JKF)}
	if at := placeIn(text, len(text)-len(rest)); strings.HasPrefix(rest, "{") {
		r.record.note(noteAt(at, NoteRecords, rest))
	} else if rest != "" {
		r.record.note(noteAt(at, NoteText, rest))
	}
	for _, field := range in.Header {
		if field.Key != "手合割" && field.Key != "手番" {
			r.record.Header = append(r.record.Header, field)
		}
	}
	if in.Moves == nil {
		f.add(jkfPath{}.place(text), noMoves)
		return nil
	}
	if !r.initial(in.Initial, in.Header) {
		return nil
	}
	r.record.ready = len(*f) == 0
	r.line(startOf(r.record), in.Moves, jkfPath{"moves"}, 0)
	r.record.cut(f)
	return []*Record{r.record}
}

// whyNoJSON says what is wrong with a text that is no JSON, or none of JKF, and where.
func whyNoJSON(text string, err error) (at int, why shogi.Message) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		// The package counts the byte it stumbled over as read.
		at = min(max(0, int(syntax.Offset)-1), len(text))
		if !strings.HasPrefix(syntax.Error(), "unexpected end") && at < len(text) {
			char, _ := utf8.DecodeRuneInString(text[at:])
			return at, noJSON.With(string(char))
		}
		fallthrough
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return len(text), cutOff.With()
	case errors.As(err, &kind):
		expected := anObject
		switch kind.Type.Kind() {
		case reflect.String:
			expected = aString
		case reflect.Int:
			expected = anInteger
		case reflect.Bool:
			expected = aBoolean
		case reflect.Slice:
			expected = aList
		}
		name := any(clip(kind.Field))
		if kind.Field == "" {
			name = theText
		}
		return min(int(kind.Offset), len(text)),
			otherType.With(strings.Fields(kind.Value)[0], name, expected)
	}
	why, _ = shogi.MessageOf(err) // of header: it is the only one with errors of its own
	return 0, why
}

// refuse notes a fault that is about no single square and returns false.
func (r *jkfReader) refuse(at jkfPath, what *shogi.Text, args ...any) bool {
	return r.refuseOn(shogi.NoSquare, at, what.With(args...))
}

// refuseOn notes a fault about the square sq and returns false.
func (r *jkfReader) refuseOn(sq shogi.Square, at jkfPath, why shogi.Message) bool {
	if len(*r.faults) < maxFaults { // else the walk to the place would be for nothing
		r.faults.addMessage(sq, at.place(r.text), why.Text.Code, why)
	}
	return false
}

// place returns the place of a part of the position.
func (r *jkfReader) place(at jkfPath) place {
	if !r.locating {
		return place{}
	}
	return at.place(r.text)
}

// initial reads the position. Without one it is that of 手合割 in the header, or of a game.
func (r *jkfReader) initial(in *jkfInitial, header jkfHeader) bool {
	if in == nil {
		r.record.Start, r.record.assumed = shogi.Start(), &place{}
		for _, field := range header {
			odds := handicapNamed(field.Value)
			switch {
			case field.Key != "手合割":
			case odds == nil:
				return r.refuse(jkfPath{"header", field.Key}, badOdds, clip(field.Value))
			default:
				r.record.Start, r.record.assumed = shogi.MustParseSFEN(odds.sfen), nil
			}
		}
		return true
	}
	path := jkfPath{"initial"}
	var preset *shogi.Position
	for _, h := range handicaps {
		if h.jkf == in.Preset {
			p := shogi.MustParseSFEN(h.sfen)
			preset = &p
		}
	}
	if preset == nil && in.Preset != "OTHER" {
		return r.refuse(path.to("preset"), badPreset, clip(in.Preset))
	}
	if in.Data == nil {
		if preset == nil {
			return r.refuse(path, noData)
		}
		r.record.Start = *preset
		return true
	}
	p, ok := r.data(in.Data, path.to("data"))
	if ok && preset != nil && !p.SamePosition(preset) {
		return r.refuse(path.to("data"), otherPreset, in.Preset)
	}
	r.record.Start = p
	return ok
}

func (r *jkfReader) data(in *jkfData, path jkfPath) (shogi.Position, bool) {
	var d draft
	if in.Color == nil || *in.Color < 0 || *in.Color > 1 {
		r.refuse(path.to("color"), badColor)
	} else {
		d.side, d.sideAt = shogi.Color(*in.Color), r.place(path.to("color"))
	}
	if len(in.Board) != 9 {
		r.refuse(path.to("board"), fileCount, len(in.Board))
	}
	for x, file := range in.Board[:min(len(in.Board), 9)] {
		if len(file) != 9 {
			r.refuse(path.to("board", x), fileLength, len(file), x+1)
			continue
		}
		for y, piece := range file {
			at, sq := path.to("board", x, y), shogi.SquareAt(shogi.File(x), shogi.Rank(y))
			kind := kindOfCSA(piece.Kind)
			switch {
			case piece.Kind == "" && piece.Color == nil:
			case kind == shogi.NoPieceType:
				r.refuseOn(sq, at, badKind.With(clip(piece.Kind)))
			case piece.Color == nil || *piece.Color < 0 || *piece.Color > 1:
				r.refuseOn(sq, at, badColorOf.With())
			default:
				d.board[sq], d.boardAt[sq] = shogi.PieceOf(shogi.Color(*piece.Color), kind), r.place(at)
			}
		}
	}
	if len(in.Hands) != 2 {
		r.refuse(path.to("hands"), handCount, len(in.Hands))
	}
	for c, hand := range in.Hands[:min(len(in.Hands), 2)] {
		for name, n := range hand {
			kind := kindOfCSA(name)
			at := path.to("hands", c, name)
			switch {
			case n == 0:
			case kind == shogi.NoPieceType || kind >= shogi.King:
				r.refuse(at, notHeld, clip(name))
			case n < 0:
				r.refuse(at, badCount, n)
			default:
				d.hands[c][kind], d.handAt[c][kind] = n, r.place(at)
			}
		}
	}
	if len(*r.faults) > 0 {
		return shogi.Position{}, false
	}
	p, ok := d.position(r.faults)
	if !ok && !r.locating {
		*r.faults, r.locating = nil, true
		return r.data(in, path)
	}
	return p, ok
}

// line reads nodes that follow each other from a point. What has neither a move nor an end is a comment, as is the first of
// all.
func (r *jkfReader) line(at point, nodes []jkfNode, path jkfPath, depth int) bool {
	if depth > MaxDepth {
		return r.refuse(path, forksDeep, MaxDepth)
	}
	for i := range nodes {
		in, path := &nodes[i], path.to(i)
		before := at
		n := &Node{Comments: in.Comments}
		switch {
		case in.Move != nil:
			m, ok := r.move(&before, in.Move, path.to("move"))
			if !ok {
				return false
			}
			n.Move = m
		case in.Special != "":
			n.End = endingOfCSA(in.Special, at.position.SideToMove())
		default:
			at.node.Comments = append(at.node.Comments, in.Comments...)
			n = nil
		}
		if n != nil {
			if t := in.Time; t != nil {
				h, m, s := min(max(t.Now.H, 0), maxSeconds), min(max(t.Now.M, 0), maxSeconds), min(max(t.Now.S, 0), maxSeconds)
				n.Elapsed, n.Timed = time.Duration(min(h*3600+m*60+s, maxSeconds))*time.Second, true
			}
			var ok bool
			if at, ok = r.add(path, &before, n); !ok {
				return false
			}
		}
		for j, fork := range in.Forks {
			if !r.line(before, fork, path.to("forks", j), depth+1) {
				return false
			}
		}
	}
	return true
}

// add is grower.grow with a path, whose place costs a walk through the text and is only looked up
// for a fault.
func (r *jkfReader) add(path jkfPath, at *point, n *Node) (point, bool) {
	next, ok := r.grower.grow(place{}, at, n)
	if !ok {
		r.relocate(path)
	}
	return next, ok
}

// relocate moves the last fault to a path.
func (r *jkfReader) relocate(path jkfPath) {
	(*r.faults)[len(*r.faults)-1].moveTo(path.place(r.text))
}

// The letters of relative, and the words of KI2 that they stand for.
var relatives = map[rune]rune{'L': '左', 'C': '直', 'R': '右', 'U': '上', 'M': '寄', 'D': '引'}

func (r *jkfReader) move(at *point, in *jkfMove, path jkfPath) (shogi.Move, bool) {
	refuse := func(path jkfPath, what *shogi.Text, args ...any) (shogi.Move, bool) {
		return shogi.NoMove, r.refuse(path, what, args...)
	}
	p := &at.position
	us := p.SideToMove()
	if at.node.End != "" {
		return refuse(path, afterEnding, string(at.node.End))
	}
	if in.Color != nil && *in.Color != int(us) {
		return refuse(path.to("color"), otherColor, *in.Color, us)
	}
	w := written{Loose: Loose{Kind: kindOfCSA(in.Piece), To: at.to, From: shogi.NoSquare}}
	if w.Kind == shogi.NoPieceType {
		return refuse(path.to("piece"), badPiece, clip(in.Piece))
	}
	var ok bool
	if in.To != nil {
		if w.To, ok = in.To.square(); !ok {
			return refuse(path.to("to"), badSquare)
		}
	}
	switch {
	case in.To == nil && !in.Same:
		return refuse(path, noSquare)
	case in.Same && at.to == shogi.NoSquare:
		return refuse(path.to("same"), sameNothing)
	case in.Same && w.To != at.to:
		return refuse(path.to("same"), sameOther, at.to)
	}
	if in.From != nil {
		if w.From, ok = in.From.square(); !ok {
			return refuse(path.to("from"), badSquare)
		}
	}
	if in.Promote != nil {
		w.Promotes, w.stays = *in.Promote, !*in.Promote
	}
	if in.From == nil { // else it says enough
		for _, letter := range in.Relative {
			word, ok := relatives[letter]
			switch {
			case letter == 'H':
				w.Drop = true
			case !ok || len(w.words) >= maxWords:
				return refuse(path.to("relative"), badRelative, clip(in.Relative))
			default:
				w.words = append(w.words, word)
			}
		}
	}
	m, sq, why := w.resolve(p)
	if why.Text != nil {
		return shogi.NoMove, r.refuseOn(sq, path, why)
	}
	if m, ok = r.grower.legal(place{}, at, m); !ok {
		r.relocate(path)
		return m, false
	}
	captured := p.Piece(m.To())
	if in.Capture != "" && (captured == shogi.NoPiece || kindOfCSA(in.Capture).Base() != captured.Type().Base()) {
		return shogi.NoMove, r.refuseOn(m.To(), path.to("capture"), noCapture.With(clip(in.Capture), m.To()))
	}
	return m, true
}

func (s *jkfSquare) square() (shogi.Square, bool) {
	if s.X < 1 || s.X > 9 || s.Y < 1 || s.Y > 9 {
		return shogi.NoSquare, false
	}
	return shogi.SquareAt(shogi.File(s.X-1), shogi.Rank(s.Y-1)), true
}

func jkfSquareOf(sq shogi.Square) *jkfSquare {
	return &jkfSquare{int(sq.File()) + 1, int(sq.Rank()) + 1}
}

// AppendJKF appends the record in JKF, on one line, with everything that can be derived. A bookmark
// is left out, and an end that JKF has no word for becomes CHUDAN, with the word as a comment.
func (r *Record) AppendJKF(dst []byte) []byte {
	out := jkfRecord{Header: jkfHeader(r.Header), Initial: &jkfInitial{Preset: "OTHER"}}
	if h := handicapOf(&r.Start); h != nil {
		out.Initial.Preset = h.jkf
	} else {
		out.Initial.Data = jkfDataOf(&r.Start)
	}
	start := startOf(r)
	out.Moves = append([]jkfNode{{Comments: r.Root.Comments}}, jkfLine(&start, 0)...)
	return append(append(dst, marshal(out)...), '\n')
}

func jkfDataOf(p *shogi.Position) *jkfData {
	side := int(p.SideToMove())
	data := &jkfData{Color: &side, Board: make([][]jkfPiece, 9), Hands: make([]map[string]int, 2)}
	for x := range data.Board {
		data.Board[x] = make([]jkfPiece, 9)
		for y := range data.Board[x] {
			if pc := p.Piece(shogi.SquareAt(shogi.File(x), shogi.Rank(y))); pc != shogi.NoPiece {
				c := int(pc.Color())
				data.Board[x][y] = jkfPiece{&c, nameOf(pc.Type()).csa}
			}
		}
	}
	for c := range data.Hands {
		data.Hands[c] = map[string]int{}
		for _, n := range handNames {
			data.Hands[c][n.csa] = p.Hand(shogi.Color(c)).Count(n.kind)
		}
	}
	return data
}

// jkfLine returns the line that begins with the next node at i, with forks for those that replace
// one of its nodes.
func jkfLine(at *point, i int) []jkfNode {
	if len(at.node.Next) == 0 {
		return nil
	}
	var nodes []jkfNode
	here := *at
	for {
		n := here.node.Next[i]
		out := jkfNode{Comments: n.Comments}
		next := here.next(n)
		if n.Move != shogi.NoMove {
			out.Move = jkfMoveOf(&here, n.Move)
		} else if word, ok := n.End.csa(here.position.SideToMove()); ok {
			out.Special = word
		} else {
			out.Special, out.Comments = word, append([]string{string(n.End)}, n.Comments...)
		}
		if n.Timed {
			out.Time = &jkfTimes{jkfTimeOf(n.Elapsed), jkfTimeOf(next.clock[here.position.SideToMove()])}
		}
		if i == 0 { // the variations beside one of a fork's first moves are forks of the main line's
			for j := 1; j < len(here.node.Next); j++ {
				out.Forks = append(out.Forks, jkfLine(&here, j))
			}
		}
		nodes = append(nodes, out)
		if i = 0; len(n.Next) == 0 {
			return nodes
		}
		here = next
	}
}

func jkfTimeOf(d time.Duration) jkfTime {
	s := int(d.Seconds())
	return jkfTime{s / 3600, s / 60 % 60, s % 60}
}

func jkfMoveOf(at *point, m shogi.Move) *jkfMove {
	p := &at.position
	side := int(p.SideToMove())
	out := &jkfMove{Color: &side, To: jkfSquareOf(m.To()), Same: m.To() == at.to}
	kind := m.Dropped()
	if !m.IsDrop() {
		from := m.From()
		kind = p.Piece(from).Type()
		out.From = jkfSquareOf(from)
		c := p.SideToMove()
		if kind.CanPromote() && (shogi.InPromotionZone(c, from) || shogi.InPromotionZone(c, m.To())) {
			promotes := m.IsPromotion()
			out.Promote = &promotes
		}
		if captured := p.Piece(m.To()); captured != shogi.NoPiece {
			out.Capture = nameOf(captured.Type()).csa
		}
	}
	out.Piece = nameOf(kind).csa
	// The words of KI2 after the name of the piece are those of relative.
	words := string(movetext.AppendJapanese(nil, p, m, shogi.NoSquare))
	words = words[len("▲１一")+len(kind.Japanese()):]
	for _, word := range words {
		if word == '打' {
			out.Relative += "H"
		}
		for letter, w := range relatives {
			if w == word {
				out.Relative += string(letter)
			}
		}
	}
	return out
}
