package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// A Question is one position as it was given.
type Question struct {
	file   string // that it comes from, where there are several
	where  string // "position 2", "line 17", for messages; empty if there is but one
	line   int    // 0 for an argument
	record int    // of a file with several, from 1
	text   string // without comments, other columns and the spaces around it
	size   int64  // bytes of input it took, for the progress bar
	fault  error  // what is wrong with the file it comes from; the text then means nothing
	// moves are those that a record has from the position on.
	moves []shogi.Move
	notes []wire.Note // what of the file is not in the question
	// written is what a record says of these moves, where they begin with the diagram.
	written string
	// What the file says of the problem; "" and 0 where it does not.
	title, author string
	plies         int
}

// Position returns the position, after its moves if it has some. The error names all its faults,
// each below the place where it is.
func (q Question) Position() (shogi.Position, error) {
	p, _, err := q.read()
	if err != nil {
		return shogi.Position{}, errors.New(explain(q, err))
	}
	return p, nil
}

// Problem returns the position that a problem begins with, and the line that comes with it. The error
// is as that of Position.
func (q Question) Problem() (shogi.Position, []shogi.Move, error) {
	p, line, _, err := q.problem()
	if err != nil {
		err = errors.New(explain(q, err))
	}
	return p, line, err
}

// Written returns the position that a problem begins with and its line as the text has it, for
// notation.ParseWritten, whether or not it can be played; "" if there is none.
func (q Question) Written() (p shogi.Position, text string) {
	if before, moves, ok := strings.Cut(q.text, " moves "); ok {
		if game, err := shogi.ParsePosition(before); err == nil {
			return game.Start(), moves
		}
	}
	if game, err := shogi.ParsePosition(q.text); err == nil {
		return game.Start(), q.written
	}
	if record, err := q.pasted(nil); err == nil && record != nil {
		return record.Start, record.Written()
	}
	return p, ""
}

// Unread returns why some moves of the text are not in the question, "" if all are.
func (q Question) Unread() string {
	for _, n := range q.notes {
		if n.Code == notation.NoteMoves {
			return n.TextEn
		}
	}
	return ""
}

// read returns the position, and notes on how it was read: q.text is USI or SFEN, or
// what people paste instead, such as an address that shows a position.
func (q *Question) read() (shogi.Position, []wire.Note, error) {
	if q.fault != nil {
		return shogi.Position{}, nil, q.fault
	}
	game, err := shogi.ParsePosition(q.text)
	if err == nil {
		return game.Position(), q.notes, nil
	}
	record, err := q.pasted(err)
	if err != nil {
		return shogi.Position{}, nil, err
	}
	return record.Position(), append(q.notes[:len(q.notes):len(q.notes)], wire.RecordNotes(record)...), nil
}

// problem returns the position that a problem begins with, and the line that comes with it: of USI
// the moves, of a record those from the position on.
func (q *Question) problem() (shogi.Position, []shogi.Move, []wire.Note, error) {
	if q.fault != nil {
		return shogi.Position{}, nil, nil, q.fault
	}
	game, err := shogi.ParsePosition(q.text)
	switch {
	case err == nil && q.moves != nil:
		return game.Position(), q.moves, q.notes, nil
	case err == nil:
		return game.Start(), game.Moves(), q.notes, nil
	}
	record, err := q.pasted(err)
	if err != nil {
		return shogi.Position{}, nil, nil, err
	}
	notes := append(q.notes[:len(q.notes):len(q.notes)], wire.RecordNotes(record)...)
	return record.Start, record.Moves(), notes, nil
}

// playUntil plays the first moves of a line, and returns the others.
func playUntil(p *shogi.Position, line []shogi.Move, after int) (rest []shogi.Move, err error) {
	if after > len(line) {
		return nil, fmt.Errorf("there are %s, none is number %d", Plural(len(line), "move"), after)
	}
	for _, m := range line[:after] {
		p.Do(m)
	}
	return line[after:], nil
}

// pasted reads a text that is not USI, which err says.
func (q *Question) pasted(err error) (*notation.Record, error) {
	r, other := notation.Parse([]byte(q.text), notation.Options{Charset: notation.UTF8})
	e := asRecordError(other)
	switch {
	case e == nil:
		return r, nil
	case strings.Contains(q.text, "://"):
	case e.Format == notation.SFEN || e.Faults[0].Code == notation.CodeFormat:
		return nil, err // which has places in the text
	}
	return nil, other
}

// StartsPosition reports whether an argument can only be the beginning of a position.
func StartsPosition(arg string) bool {
	return strings.ContainsRune(arg, '/') || arg == "position" || arg == "sfen" || arg == "startpos"
}

// Arguments makes positions of command line arguments. A position that was not quoted arrives in
// several arguments and is put together again: a new one begins at an argument that holds spaces,
// and at one that only the beginning of a position looks like, unless "position" or "sfen" stands
// before it.
func Arguments(args []string) iter.Seq2[Question, error] {
	var texts []string
	open := false // the last of texts may go on
	for i, arg := range args {
		switch {
		case strings.ContainsAny(arg, " \t\n_"):
			texts = append(texts, arg)
			open = false
		case open && (!StartsPosition(arg) || args[i-1] == "position" || args[i-1] == "sfen"):
			texts[len(texts)-1] += " " + arg
		default:
			texts = append(texts, arg)
			open = true
		}
	}
	return func(yield func(Question, error) bool) {
		for i, text := range texts {
			where := ""
			if len(texts) > 1 {
				where = fmt.Sprintf("position %d", i+1)
			}
			if !yield(Question{where: where, text: text}, nil) {
				return
			}
		}
	}
}

// maxLine is the longest line read, in bytes: a position of the largest size and as much beside it.
const maxLine = 2 * shogi.MaxPositionText

// Lines reads one position a line. Of a line with tabs the first column counts, and those that a
// heading names title, author, plies and moves: the author's line in USI, with spaces between its moves.
// A line may also be an object of JSON, as compose prints it: its members sfen, title, author, plies
// and moves, a list, are the same. Empty lines, lines that start with "#", and a heading, which is a
// first line that begins with "sfen", are left out. The error, if any, comes last.
func Lines(r io.Reader) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 64<<10), maxLine)
		var size int64
		number := 1
		var named *namedColumns // nil without a heading
		begun := false          // a line was no comment
		for ; lines.Scan(); number++ {
			size += int64(len(lines.Bytes())) + 1
			text := firstColumn(lines.Text())
			if text == "" || text[0] == '#' {
				continue
			}
			if !begun && text == "sfen" {
				begun, named = true, newNamedColumns(lines.Text())
				continue
			}
			begun = true
			q := Question{where: fmt.Sprintf("line %d", number), line: number, text: text, size: size}
			if text[0] == '{' {
				q.readObject(text)
			} else if named != nil {
				named.read(lines.Text(), &q)
			}
			if !yield(q, nil) {
				return
			}
			size = 0
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %d is longer than %d bytes", number, maxLine)
		}
		if err != nil {
			yield(Question{}, err)
		}
	}
}

// namedColumns are where the columns are that a heading names, -1 for none.
type namedColumns struct{ title, author, plies, moves int }

func newNamedColumns(heading string) *namedColumns {
	columns := strings.Split(heading, "\t")
	return &namedColumns{slices.Index(columns, "title"), slices.Index(columns, "author"),
		slices.Index(columns, "plies"), slices.Index(columns, "moves")}
}

// read reads what a line says of the problem in q. Plies that are no number are none; a move that is
// none is a fault.
func (n *namedColumns) read(line string, q *Question) {
	columns := strings.Split(line, "\t")
	q.title, q.author = column(columns, n.title), column(columns, n.author)
	plies, _ := strconv.Atoi(column(columns, n.plies))
	q.says(plies, strings.Fields(column(columns, n.moves)))
}

// readObject reads a line that is an object of JSON.
func (q *Question) readObject(line string) {
	var o struct {
		SFEN, Title, Author string
		Plies               int
		Moves               []string
	}
	if err := json.Unmarshal([]byte(line), &o); err != nil || o.SFEN == "" {
		q.fault = errors.New(`this is no object of JSON with a position as its "sfen"`)
		return
	}
	q.text, q.title, q.author = o.SFEN, o.Title, o.Author
	q.says(o.Plies, o.Moves)
}

// says takes down how many plies the problem is said to have and the moves, in USI.
func (q *Question) says(plies int, moves []string) {
	q.plies = max(plies, 0)
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		if err != nil {
			q.fault = err
			return
		}
		q.moves = append(q.moves, m)
	}
}

// column returns the text of a column without the spaces around it, "" if there is none.
func column(columns []string, i int) string {
	if i < 0 || i >= len(columns) {
		return ""
	}
	return strings.TrimSpace(columns[i])
}

// firstColumn returns the text before the first tab, without the spaces around it. A line that
// separates the fields of the SFEN itself by tabs is one column.
func firstColumn(line string) string {
	line = strings.TrimPrefix(line, "\ufeff")
	first, rest, tabs := strings.Cut(line, "\t")
	first = strings.TrimSpace(first)
	side, _, _ := strings.Cut(rest, "\t")
	if tabs && (side == "b" || side == "w") && !strings.Contains(first, " ") {
		return strings.TrimSpace(line)
	}
	return first
}

// Single yields the questions, but an error in place of a second one.
func Single(questions iter.Seq2[Question, error], several error) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		some := false
		for q, err := range questions {
			if some && err == nil {
				q, err = Question{}, several
			}
			if !yield(q, err) || err != nil {
				return
			}
			some = true
		}
	}
}

// Until yields the questions until shortly after the end of ctx, even if their reader waits for
// input. The last error is then ErrInterrupted.
func Until(ctx context.Context, questions iter.Seq2[Question, error]) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		in, left := &input{questions: questions}, false
		in.read(ctx, func(q *Question) bool {
			left = !yield(*q, nil)
			return !left
		})
		switch {
		case left:
		case in.err != nil:
			yield(Question{}, in.err)
		case !in.complete:
			yield(Question{}, ErrInterrupted)
		}
	}
}

// An input is questions from a reader that an interrupt need not wait for.
type input struct {
	questions iter.Seq2[Question, error]
	err       error // why reading failed
	complete  bool  // all was read
}

// endGrace is how long an interrupted run waits to see whether its input has ended anyway.
const endGrace = 100 * time.Millisecond

// read yields the questions until they end or reading fails, or else until shortly after the end of
// ctx, even if the reader is stuck in a Read.
func (in *input) read(ctx context.Context, yield func(*Question) bool) {
	type item struct {
		Question
		err error
	}
	items, left := make(chan item), make(chan struct{})
	defer close(left)
	go func() {
		defer close(items)
		for q, err := range in.questions {
			select {
			case items <- item{q, err}:
			case <-left:
				return
			}
		}
	}()
	for {
		var next item
		var ok bool
		select {
		case next, ok = <-items:
		case <-ctx.Done():
			// An input that has ended already closes items at once. A reader that waits for
			// input does not.
			select {
			case next, ok = <-items:
			case <-time.After(endGrace):
				return
			}
		}
		if in.complete = !ok; in.complete {
			return
		}
		if in.err = next.err; in.err != nil || !yield(&next.Question) {
			return
		}
	}
}
