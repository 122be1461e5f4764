package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

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
	Problem  *wire.ComposedProblem `json:"problem,omitempty"`
	Next     int                   `json:"next,omitempty"`
}

// openComposeKeep opens the file of a run, which is made if it is not there. run is a command that
// makes the same problems; the file of another one is refused.
func openComposeKeep(path, run string) (*composeKeep, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	k := &composeKeep{file: file}
	if err := k.read(run); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

func (k *composeKeep) read(run string) error {
	in := bufio.NewReader(k.file)
	var end, size int64
	var rows []wire.ComposedProblem
	for n := 0; ; n++ {
		text, err := in.ReadBytes('\n')
		size += int64(len(text))
		if errors.Is(err, io.EOF) {
			break // the last line is whole or was cut off
		}
		if err != nil {
			return err
		}
		var line keptLine
		if err := json.Unmarshal(text, &line); err != nil {
			return errors.New("this is no file that tsumero compose --keep wrote")
		}
		switch {
		case n == 0 && line.Composes == "":
			return errors.New("this is no file that tsumero compose --keep wrote")
		case n == 0 && line.Composes != run:
			return fmt.Errorf("this is the file of another run, %s", line.Composes)
		case n == 0:
			end = size
		case line.Problem != nil:
			rows = append(rows, *line.Problem)
		default:
			k.rows, k.next, end = append(k.rows, rows...), line.Next, size
			rows = nil
		}
	}
	if end == 0 && size > 0 {
		return errors.New("this is no file that tsumero compose --keep wrote")
	}
	if err := k.file.Truncate(end); err != nil {
		return err
	}
	if _, err := k.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if end == 0 {
		return k.write(keptLine{Composes: run})
	}
	return nil
}

func (k *composeKeep) write(line keptLine) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return err
	}
	_, err := k.file.Write(text.Bytes())
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
				return nil, fmt.Errorf("%s: %s is no move", row.SFEN, text)
			}
			at.Do(m)
			q.Line = append(q.Line, m)
		}
		list = append(list, q)
	}
	return list, nil
}
