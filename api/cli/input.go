package cli

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// A Question is one position as it was given.
type Question struct {
	file   string // that it comes from, where there are several
	where  string // "position 2", "line 17", for messages; empty if there is but one
	line   int    // 0 for an argument
	text   string // without comments, other columns and the spaces around it
	size   int64  // bytes of input it took, for the progress bar
	row    int    // of a file with several records, from 1
	record *notation.Record
	after  int // the question is about the position after so many moves; 0: what the record is about
	// fault is why there is no record, or no such move.
	fault error
	// What the file says of the problem; "" and 0 where it does not.
	title, author string
	plies         int
}

// newQuestion returns the question about a record, or about what is wrong with it.
func newQuestion(record *notation.Record, err error, after int) Question {
	q := Question{record: record, after: after, fault: err}
	var source notation.Source
	if e := asRecordError(err); e != nil {
		source = e.Source
	} else if record != nil {
		source = record.Source
		if q.plies = record.Plies; len(record.Header) > 0 {
			q.title, q.author = wire.Title(record), wire.Author(record)
		}
		if after > 0 {
			_, q.fault = record.After(after)
		}
		if source.Text == "" {
			p := record.Position()
			if after > 0 && q.fault == nil {
				p, _ = record.After(after)
			}
			source.Text = p.SFEN()
		}
	}
	q.line, q.row, q.text, q.size = source.Line, source.Row, source.Text, int64(source.Size)
	switch {
	case q.line > 0:
		q.where = "line " + strconv.Itoa(q.line)
	case q.row > 0:
		q.where = "record " + strconv.Itoa(q.row)
	}
	return q
}

// read returns the record. That of an argument is read here.
func (q *Question) read() (*notation.Record, error) {
	if q.record != nil || q.fault != nil {
		return q.record, q.fault
	}
	return notation.ParseOne(q.text, notation.Options{})
}

// Position returns the position, after its moves if it has some. The error names all its faults,
// each below the place where it is.
func (q Question) Position() (shogi.Position, error) {
	p, _, err := q.position()
	if err != nil {
		return shogi.Position{}, explain(q, err)
	}
	return p, nil
}

// Problem returns the position that a problem begins with, and the line that comes with it. The error
// is as that of Position.
func (q Question) Problem() (shogi.Position, []shogi.Move, error) {
	p, line, _, err := q.problem()
	if err != nil {
		err = explain(q, err)
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
	if record, err := q.read(); err == nil {
		return record.Start, record.Written()
	}
	return p, ""
}

// Unread returns why some moves of the text are not in the question, nothing if all are.
func (q Question) Unread() (t report.Text) {
	if q.record != nil && q.record.Unread() != nil {
		note := wire.RecordNotes(q.record)[0]
		return report.Text{Ja: note.TextJa, En: note.TextEn}
	}
	return t
}

// position returns the position, and notes on how it was read.
func (q *Question) position() (shogi.Position, []wire.Note, error) {
	record, err := q.read()
	if err != nil {
		return shogi.Position{}, nil, err
	}
	if q.after > 0 {
		p, err := record.After(q.after)
		return p, wire.RecordNotes(record), err
	}
	return record.Position(), wire.RecordNotes(record), nil
}

// problem returns the position that a problem begins with, the line that comes with it, and notes on
// how it was read.
func (q *Question) problem() (shogi.Position, []shogi.Move, []wire.Note, error) {
	record, err := q.read()
	if err != nil {
		return shogi.Position{}, nil, nil, err
	}
	return record.Start, record.Moves(), wire.RecordNotes(record), nil
}

// moves returns those of a record from the position on.
func (q *Question) moves() []shogi.Move {
	if q.record == nil {
		return nil
	}
	return q.record.Moves()[max(q.after, q.record.Shown()):]
}

// playUntil plays the first moves of a line, and returns the others.
func playUntil(p *shogi.Position, line []shogi.Move, after int) (rest []shogi.Move, err error) {
	if after > len(line) {
		return nil, Errorf("there are %s, none is number %d", "%sしかなく、%d手目はありません。", Plural(len(line), "move"), after)
	}
	for _, m := range line[:after] {
		p.Do(m)
	}
	return line[after:], nil
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
