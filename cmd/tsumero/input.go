package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// A question is one position as it was given.
type question struct {
	where string // "position 2", "line 17", for messages; empty if there is but one
	line  int    // 0 for an argument
	text  string // without comments, other columns and the blanks around it
	size  int64  // bytes of input it took, for the progress bar
	fault error  // what is wrong with the file it comes from; the text then means nothing
}

// startsPosition reports whether a word can only be the beginning of a position.
func startsPosition(word string) bool {
	return strings.ContainsRune(word, '/') || word == "position" || word == "sfen" || word == "startpos"
}

// argumentQuestions makes positions of command line arguments. A position that was not quoted arrives in several
// arguments and is put together again: a new one begins at an argument that holds blanks, and at one that only the
// beginning of a position looks like, unless "position" or "sfen" stands before it.
func argumentQuestions(args []string) iter.Seq2[question, error] {
	var texts []string
	open := false // the last of texts may go on
	for i, arg := range args {
		switch {
		case strings.ContainsAny(arg, " \t\n_"):
			texts = append(texts, arg)
			open = false
		case open && (!startsPosition(arg) || args[i-1] == "position" || args[i-1] == "sfen"):
			texts[len(texts)-1] += " " + arg
		default:
			texts = append(texts, arg)
			open = true
		}
	}
	return func(yield func(question, error) bool) {
		for i, text := range texts {
			where := ""
			if len(texts) > 1 {
				where = fmt.Sprintf("position %d", i+1)
			}
			if !yield(question{where: where, text: text}, nil) {
				return
			}
		}
	}
}

// maxLine is the longest line read, in bytes: a position of the largest size and as much beside it.
const maxLine = 2 * shogi.MaxPositionText

// lineQuestions reads one position a line. Of a line with tabs only the first column counts. Empty lines, lines that
// start with "#", and a first line that is the heading "sfen" are left out. The error, if any, comes last.
func lineQuestions(r io.Reader) iter.Seq2[question, error] {
	return func(yield func(question, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 64<<10), maxLine)
		var size int64
		number := 1
		for ; lines.Scan(); number++ {
			size += int64(len(lines.Bytes())) + 1
			text := firstColumn(lines.Text())
			if text == "" || text[0] == '#' || number == 1 && text == "sfen" {
				continue
			}
			if !yield(question{where: fmt.Sprintf("line %d", number), line: number, text: text, size: size}, nil) {
				return
			}
			size = 0
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %d is longer than %d bytes", number, maxLine)
		}
		if err != nil {
			yield(question{}, err)
		}
	}
}

// firstColumn returns the text before the first tab, without the blanks around it. A line that separates the fields
// of the SFEN itself by tabs is one column.
func firstColumn(line string) string {
	line = strings.TrimPrefix(line, "\ufeff")
	first, rest, tabs := strings.Cut(line, "\t")
	first = strings.TrimSpace(first)
	if side, _, _ := strings.Cut(rest, "\t"); tabs && (side == "b" || side == "w") && !strings.Contains(first, " ") {
		return strings.TrimSpace(line)
	}
	return first
}
