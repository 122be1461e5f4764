package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/match"
)

// A matchLog is the file with a line for each game.
type matchLog struct {
	file   *os.File             // nil: there is none
	played map[int]match.Result // of an earlier run
}

// openMatchLog opens or begins the log.
func openMatchLog(f *matchFlags, header match.Header) (*matchLog, error) {
	if f.log == "" {
		return new(matchLog), nil
	}
	file, err := os.OpenFile(f.log, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	l := &matchLog{file: file}
	if err := l.begin(f, header); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", f.log, err)
	}
	return l, nil
}

// begin reads what there is, or writes the first line.
func (l *matchLog) begin(f *matchFlags, header match.Header) error {
	info, err := l.file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() > 0 && !f.goOn:
		return errors.New("there are games in it already; --continue goes on with them")
	}
	there, played, size, err := match.ReadLog(l.file)
	if err != nil {
		return err
	}
	if size > 0 {
		if text := header.Differs(there); text != "" {
			return fmt.Errorf("this is another match: %s", text)
		}
	}
	// A line that a killed program has left behind goes.
	if err := l.file.Truncate(size); err != nil {
		return err
	}
	if _, err := l.file.Seek(size, io.SeekStart); err != nil {
		return err
	}
	l.played = played
	if size > 0 {
		return nil
	}
	return l.writeLine(header)
}

func (l *matchLog) write(r *match.Result) error {
	if l.file == nil {
		return nil
	}
	return l.writeLine(r)
}

// writeLine writes a line with one call, so that the file has whole lines whenever the program
// ends.
func (l *matchLog) writeLine(v any) error {
	line, err := match.AppendLine(nil, v)
	if err != nil {
		return err
	}
	_, err = l.file.Write(line)
	return err
}

func (l *matchLog) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// gameRecords write the games of a match as records.
type gameRecords struct {
	folder string   // "" if they go to one file, or nowhere
	file   *os.File // of CSA, nil if there is none
	format notation.Format
	plan   *matchPlan
	first  bool // nothing was written to file
}

// newGameRecords prepares the place that --record names. goesOn says that games were written
// before.
func newGameRecords(f *matchFlags, plan *matchPlan, goesOn bool) (*gameRecords, error) {
	w := &gameRecords{plan: plan, first: true}
	w.format, _ = notation.ParseFormat(f.notation)
	switch ext := strings.ToLower(filepath.Ext(f.record)); {
	case f.record == "":
	case ext == ".csa":
		mode := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if goesOn {
			mode = os.O_WRONLY | os.O_CREATE | os.O_APPEND
		}
		file, err := os.OpenFile(f.record, mode, 0o644)
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		w.file, w.format, w.first = file, notation.CSA, info.Size() == 0
	case ext == ".kif":
		return nil, command.Exit(command.ExitUsage,
			fmt.Errorf("--record is %s, but a KIF holds one game: name a folder, or a file that ends in .csa",
				f.record))
	default:
		w.folder = f.record
		if err := os.MkdirAll(w.folder, 0o755); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *gameRecords) close() {
	if w.file != nil {
		w.file.Close()
	}
}

func (w *gameRecords) write(r *match.Result) error {
	if w.folder == "" && w.file == nil {
		return nil
	}
	record, err := w.plan.record(r)
	if err != nil {
		return err
	}
	text := record.Append(nil, w.format)
	if w.folder != "" {
		name := fmt.Sprintf("%06d.%s", r.Game, w.format)
		return os.WriteFile(filepath.Join(w.folder, name), text, 0o644)
	}
	if !w.first {
		text = append([]byte("/\n"), text...) // what separates games in a file of CSA
	}
	w.first = false
	_, err = w.file.Write(text)
	return err
}

// record returns the record of a game.
func (p *matchPlan) record(r *match.Result) (*notation.Record, error) {
	g, err := r.Replay()
	if err != nil {
		return nil, err
	}
	opening := r.Opening(&g)
	record := notation.NewRecord(g.Start(), g.Moves(), ending(r))
	black, white := match.A, match.B
	if r.Black == "B" {
		black, white = white, black
	}
	record.Header = []notation.Field{
		{Key: "棋戦", Value: fmt.Sprintf("Tsumero match, game %d", r.Game)},
		{Key: "先手", Value: p.players[black].String()},
		{Key: "後手", Value: p.players[white].String()},
	}
	node := record.Root
	for i := range g.Moves() {
		if len(node.Next) == 0 {
			break
		}
		node = node.Next[0]
		if i >= opening {
			node.Elapsed, node.Timed = r.Elapsed(i-opening), true
		}
	}
	node.Comments = append(node.Comments, comment(r))
	return record, nil
}

// comment says how a game ended where the word of the notation may not.
func comment(r *match.Result) string {
	text := "drawn: " + string(r.End)
	if r.Won != "" {
		text = fmt.Sprintf("%s wins: %s", r.Won, r.End)
	}
	if r.Fault != nil {
		line, _, _ := strings.Cut(r.Fault.Text, "\n")
		text += ", " + line
	}
	return text
}

// ending returns the word of CSA for the end of a game.
func ending(r *match.Result) notation.Ending {
	// Whoever is to move, the position is after the last move.
	g, err := r.Replay()
	if err != nil {
		return notation.Failed
	}
	p := g.Position()
	moverWins := r.Won != "" && (r.Won == r.Black) == (p.SideToMove() == 0)
	switch r.End {
	case match.ByRepetition:
		return notation.Repeated
	case match.ByPerpetual:
		if moverWins {
			return notation.IllegalAction
		}
		return notation.IllegalMove
	case match.ByMate, match.ByNoMove:
		return notation.Mated
	case match.ByLimit:
		return notation.Impasse
	case match.ByResignation:
		return notation.Resigns
	case match.ByDeclaration:
		return notation.Declares
	case match.ByIllegal:
		return notation.IllegalMove
	case match.ByTime:
		return notation.TimeUp
	}
	return notation.Failed
}
