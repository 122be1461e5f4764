package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/filelock"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/compose"
)

// A composeKeep is a file with what a run has made, from which it goes on. The first line says which
// run it is, the others are problems and, after those of a unit of work, the number of the next unit.
// What comes after the last such number is not whole: it is made again.
type composeKeep struct {
	file *os.File
	rows []wire.ComposedProblem // those of whole units
	next int                    // the unit to go on with
}

// keptLine is a line of the file.
type keptLine struct {
	Composes string                `json:"composes,omitempty"`
	Known    int                   `json:"known,omitempty"` // problems of --not-in
	Problem  *wire.ComposedProblem `json:"problem,omitempty"`
	Next     int                   `json:"next,omitempty"`
}

// openComposeKeep opens the file of a run, which is made if it is not there, and returns the problems
// that the run has made. run is a command that makes the same, with so many known problems; the file of
// another one is refused. Without a path there is no file.
func openComposeKeep(path, run string, known *compose.Archive) (*composeKeep, []compose.Problem, error) {
	k := &composeKeep{}
	if path == "" {
		return k, nil, nil
	}
	var err error
	if k.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, nil, err
	}
	var before []compose.Problem
	if err = filelock.Lock(k.file); errors.Is(err, filelock.ErrHeld) {
		err = cli.Errorf("another tsumero uses the file", "ほかの tsumero が使用中です。")
	} else if err == nil {
		if err = k.read(keptLine{Composes: run, Known: known.Len() + known.Hashed()}); err == nil {
			before, err = k.problems()
		}
	}
	if err != nil {
		k.file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, before, nil
}

// close closes the file, if there is one.
func (k *composeKeep) close() {
	if k.file != nil {
		_ = filelock.Unlock(k.file)
		k.file.Close()
	}
}

// errNoKeep is why a file is left as it is.
var errNoKeep = cli.Errorf("this is no file that tsumero compose --keep wrote",
	"compose --keep のファイルではありません。")

// read reads the file of a run, whose first line is heading, up to the last whole unit, and is ready to
// write on from there.
func (k *composeKeep) read(heading keptLine) error {
	in := bufio.NewReader(k.file)
	var end, size int64
	var rows []wire.ComposedProblem
	for n := 0; ; n++ {
		text, err := in.ReadBytes('\n')
		size += int64(len(text))
		if errors.Is(err, io.EOF) {
			// The last line was cut off, or is whole and empty.
			if n == 0 && !bytes.HasPrefix(wire.Encode(heading), text) {
				return errNoKeep
			}
			break
		}
		if err != nil {
			return err
		}
		var line keptLine
		switch err := json.Unmarshal(text, &line); {
		case err != nil, n == 0 && line.Composes == "":
			return errNoKeep
		case n == 0 && line.Composes != heading.Composes:
			return cli.Errorf("this is the file of another run, %s",
				"別の実行のファイルです：%s", line.Composes)
		case n == 0 && line.Known != heading.Known:
			return cli.Errorf("this is the file of a run with %s that nothing may be like, not %d",
				"別の実行（--not-in が%s）のファイルです（今回は%d）。",
				cli.Plural(line.Known, "known problem"), heading.Known)
		case n == 0:
			end = size
		case line.Problem != nil:
			rows = append(rows, *line.Problem)
		case line.Next > k.next:
			k.rows, k.next, end = append(k.rows, rows...), line.Next, size
			rows = nil
		default:
			return cli.Errorf("line %d is neither a problem nor the number of the next unit",
				"%d行目が途中経過の形ではありません。", n+1)
		}
	}
	if err := k.file.Truncate(end); err != nil {
		return err
	}
	if _, err := k.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if end == 0 {
		return k.write(heading)
	}
	return nil
}

// write adds a line, if there is a file.
func (k *composeKeep) write(line keptLine) error {
	if k.file == nil {
		return nil
	}
	_, err := k.file.Write(wire.Encode(line))
	return err
}

// problems returns what the whole units made, as far as an archive wants to know it.
func (k *composeKeep) problems() (list []compose.Problem, err error) {
	for i := range k.rows {
		row := &k.rows[i]
		p, err := shogi.ParseSFEN(row.SFEN)
		if err != nil {
			return nil, err
		}
		q := compose.Problem{Position: p, Key: row.Key, Strict: row.Strict, Themes: row.Themes}
		at := p
		for _, text := range row.Moves {
			m, err := shogi.ParseMove(text)
			if err != nil || !at.IsLegal(m) {
				return nil, cli.Errorf("%s: %s is no move", "%s：%s は指し手ではありません。", row.SFEN, text)
			}
			at.Do(m)
			q.Line = append(q.Line, m)
		}
		list = append(list, q)
	}
	return list, nil
}
