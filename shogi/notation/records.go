package notation

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/tsumero/tsumero/shogi"
)

const (
	// maxLine is the longest line of a list, in bytes: a position of the largest size and as much
	// beside it.
	maxLine = 2 * shogi.MaxPositionText
	// maxPeeked is how much of a text is looked at for its first line.
	maxPeeked = 64 << 10
)

// A Source says where in a text a record was found, or a fault, if the text is a list.
type Source struct {
	Line int    // the line that is about it alone, from 1; 0 if there is none
	Row  int    // its number among several that have no lines of their own, from 1; or 0
	Text string // its position as it was given, without other columns; or ""
	Size int    // bytes of the text up to here since the one before, of one with a Line
}

// Records reads the records of a text as it comes. If its first line that is no comment begins a
// list, a line is a record: a position or a row of a table. The error of a faulty one is an *Error,
// and the next line is read; a list has no limit but that of a line. Any other text is read by
// ParseAll. The error that reading fails with is the last.
func Records(r io.Reader, opts Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		s := &stream{r: r, opts: opts, yield: yield}
		byLines, err := s.peek()
		if err == nil && !byLines {
			byLines, err = s.whole()
		}
		if err == nil && byLines {
			err = s.lines()
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// A stream is a text that is read as it comes.
type stream struct {
	r     io.Reader // from the beginning of the text on
	opts  Options
	yield func(*Record, error) bool
	utf16 bool

	held   *Record // of a list: a position below which its solution may stand
	block  string  // its line and those of its solution
	at     place   // where it begins
	solved bool    // it has a line of a solution
	left   bool    // no more records are wanted
}

// peek reads up to the first line with content. It reports whether that line begins a list.
func (s *stream) peek() (byLines bool, err error) {
	var head []byte
	for {
		size := len(head)
		head = append(head, make([]byte, 4<<10)...)
		n, err := s.r.Read(head[size:])
		head = head[:size+n]
		if size == 0 && IsUTF16(head) {
			s.r = transform.NewReader(io.MultiReader(bytes.NewReader(head), s.r),
				unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
			s.utf16, head = true, nil
			s.opts.Charset = UTF8
			continue
		}
		ended := err == io.EOF || len(head) >= maxPeeked
		arrived := head[:bytes.LastIndexByte(head, '\n')+1]
		if ended {
			arrived = head
		}
		first := firstLine(arrived)
		if err != nil && err != io.EOF {
			return false, err
		}
		if first == "" && !ended {
			continue
		}
		s.r = io.MultiReader(bytes.NewReader(head), s.r)
		switch {
		case IsOtherKind(head), s.opts.Format != Unknown && s.opts.Format != SFEN:
			return false, nil
		case first != "" && beginsList(first):
			return true, nil
		case s.opts.Live && first != "":
			format := s.opts.Format
			if format == Unknown {
				format = Detect(arrived)
			}
			return format == Unknown || format == SFEN, nil
		}
		return false, nil
	}
}

// firstLine returns the first line of a text that is neither empty nor a comment of any notation.
func firstLine(text []byte) string {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(byteOrderMark)))
		if len(line) > 0 && line[0] != '#' && line[0] != '\'' {
			return string(line)
		}
	}
	return ""
}

// beginsList reports whether a line can only be the first of a list.
func beginsList(first string) bool {
	if first[0] == '{' || first[0] == '[' {
		isTable, _ := new(table).begins(first)
		return isTable && first[0] == '{'
	}
	word, _, _ := strings.Cut(wordBlanks.Replace(firstColumn(first)), " ")
	if strings.Count(word, "/") == 8 || word == "position" || word == "sfen" || word == "startpos" ||
		strings.Contains(word, "/") && sfenPart().MatchString(word) {
		return true
	}
	if strings.Contains(first, "://") {
		_, err := ParseOne(first, Options{})
		return err == nil
	}
	isTable, _ := new(table).begins(first)
	return isTable
}

// whole yields the records of a text that is no list of lines. It reports whether it is one after all:
// no notation is known, so that each of its lines is a fault, or some of its positions have faults.
func (s *stream) whole() (byLines bool, err error) {
	data, err := io.ReadAll(io.LimitReader(s.r, MaxBytes+1))
	if err != nil {
		return false, err
	}
	s.r = io.MultiReader(bytes.NewReader(data), s.r)
	head := data
	if len(data) > MaxBytes {
		head = data[:bytes.LastIndexByte(data[:maxPeeked], '\n')+1]
	}
	text, _, _ := decode(head, s.opts.Charset)
	known := cmp.Or(s.opts.Format, detect(text)) // by ParseAll, too, and that of each part of a page
	format := cmp.Or(known, s.opts.Usual)
	mayBeLines := format == Unknown || format == SFEN
	if format == SFEN && isList(text) {
		mayBeLines = false
		if len(head) == len(data) {
			s.list(text)
			return false, nil
		}
	}
	records, err := ParseAll(data, s.opts)
	if err != nil && known == Unknown && format != Unknown {
		s.opts.Format = format
		records, err = ParseAll(data, s.opts)
	}
	switch {
	case err != nil && mayBeLines && !IsOtherKind(data):
		return true, nil
	case err != nil:
		return false, err
	}
	for i, record := range records {
		if len(records) > 1 {
			record.Row = i + 1
		}
		if !s.give(record, nil) {
			break
		}
	}
	return false, nil
}

// list yields the problems of a text in JSON.
func (s *stream) list(text string) {
	row := 0
	for record, fault := range list(text) {
		row++
		if record != nil {
			record.Row = row
		} else {
			fault.Row = row
		}
		if !s.give(record, fault) {
			break
		}
	}
}

// give yields a record or a fault. It reports whether more are wanted.
func (s *stream) give(record *Record, fault *Error) bool {
	if fault != nil {
		return s.yield(nil, fault)
	}
	if s.utf16 {
		record.Charset = UTF16
	}
	return s.yield(record, nil)
}

// lines yields the records of a list whose rows have lines of their own.
func (s *stream) lines() error {
	scanner := bufio.NewScanner(releasing{s})
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	t := table{charset: s.opts.Charset}
	at := place{}
	for size := 0; !s.left && scanner.Scan(); at.line++ {
		length := len(scanner.Bytes()) + 1
		size += length
		text, here := scanner.Text(), at
		at.offset += length
		if s.held != nil && s.continues(text) {
			continue
		}
		s.release()
		record, fault := t.read(text, here)
		switch {
		case record != nil:
			record.Line, record.Size = here.line+1, size
		case fault != nil:
			fault.Line, fault.Size = here.line+1, size
		default:
			continue
		}
		size = 0
		if record != nil && t.comma == 0 && record.Root.Next == nil && len(record.Notes) == 0 {
			s.held, s.block, s.at, s.solved = record, text, here, false
		} else {
			s.left = s.left || !s.give(record, fault)
		}
	}
	s.release()
	err := scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("line %d is longer than %d bytes", at.line+1, maxLine)
	}
	if s.left {
		return nil
	}
	return err
}

// continues takes a line below a position that is one of its solution. It reports whether it is.
func (s *stream) continues(text string) bool {
	if strings.Count(text, "/") >= 8 || len(s.block) > maxLine {
		return false
	}
	trimmed := strings.TrimLeft(folded(text), blanks)
	switch kind := kindOfLine(trimmed); {
	case kind == markedLine, kind == numberedLine && numbered().MatchString(trimmed), kind == untilLine, isHeading(trimmed):
		s.solved = true
	case trimmed != "":
		return false
	}
	s.block += "\n" + text
	return true
}

// release gives the position that was held, with its solution.
func (s *stream) release() {
	record := s.held
	if record == nil || s.left {
		return
	}
	s.held = nil
	var fault *Error
	if s.solved {
		source := record.Source
		if record, fault = readCell(s.block, s.block, s.at); record != nil {
			record.Source = source
		} else {
			fault.Source = source
		}
	}
	s.left = !s.give(record, fault)
}

// releasing is what a stream reads, which gives a position that is held before it waits for more.
type releasing struct{ *stream }

func (r releasing) Read(p []byte) (int, error) {
	if r.release(); r.left {
		return 0, io.EOF
	}
	return r.r.Read(p)
}

// firstColumn returns the text before the first tab, without the spaces around it. A line that
// separates the fields of the SFEN itself by tabs is one column.
func firstColumn(line string) string {
	line = strings.TrimPrefix(line, byteOrderMark)
	first, rest, tabs := strings.Cut(line, "\t")
	first = strings.TrimSpace(first)
	side, _, _ := strings.Cut(rest, "\t")
	if tabs && (side == "b" || side == "w") && !strings.Contains(first, " ") {
		return strings.TrimSpace(line)
	}
	return first
}

// ParseOne is Parse for what stands in a line or in an argument: USI or SFEN, or else whatever has a
// position, such as an address. Its error wraps the *shogi.SFENError of what is none of them. Almost
// all lines are SFEN, which costs no more than to read it.
func ParseOne(text string, opts Options) (*Record, error) {
	game, err := shogi.ParsePosition(text)
	if err == nil {
		var f faults
		if record := recordOfGame(&game, "", &f); record != nil {
			record.Charset, record.Text = opts.Charset, text
			return record, nil
		}
		return nil, &Error{Format: SFEN, Faults: f}
	}
	opts.Charset = UTF8
	record, other := Parse([]byte(text), opts)
	e, _ := errors.AsType[*Error](other)
	switch {
	case e == nil:
		record.Text = text
		return record, nil
	case strings.Contains(text, "://"):
	case e.Format == SFEN || e.Faults[0].Code == CodeFormat:
		e = &Error{Format: SFEN, sfen: err}
		addSFEN((*faults)(&e.Faults), err, func(offset int) place { return placeIn(text, min(offset, len(text))) })
	}
	e.Text = text
	return nil, e
}

// readCell is ParseOne for what stands in a line, or in another part of a text, that begins at a place.
func readCell(text, line string, at place) (*Record, *Error) {
	record, err := ParseOne(text, Options{Charset: UTF8})
	if err == nil {
		record.at = at
		if len(record.Notes) == 0 {
			return record, nil
		}
	}
	e, _ := errors.AsType[*Error](err)
	found := reading{records: []*Record{record}}
	if e != nil {
		found = reading{faults: e.Faults}
	}
	before := max(strings.Index(line, text), 0)
	found.relocate(func(offset int) place { return within(line, before+offset, at) })
	return record, e
}

// inUTF8 returns a line of a list in UTF-8, in which almost all are.
func inUTF8(line string, charset Charset, at place) (string, *Error) {
	if charset != ShiftJIS && charset != EUCJP && utf8.ValidString(line) {
		return line, nil
	}
	text, _, found := decode([]byte(line), charset)
	for i := range found {
		found[i].moveTo(place{at.line, found[i].Column - 1, at.offset + found[i].Offset})
	}
	if len(found) > 0 {
		return "", &Error{Format: SFEN, Faults: found}
	}
	return text, nil
}
