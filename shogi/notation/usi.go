package notation

import (
	"errors"
	"regexp"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

var (
	ranksBefore = regexp.MustCompile(`(?:^|[^+0-9A-Za-z])((?:[+1-9KRBGSNLPkrbgsnlp]+/)+)$`)
	usiMoveText = regexp.MustCompile(`(?:^|[^0-9A-Za-z])(?:[1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i])(?:[^0-9A-Za-z]|$)`)
)

// parseSFEN reads positions and moves as package shogi does: the text as one, or else what is one
// in each of its lines, and what follows it as a comment.
func parseSFEN(text string, f *faults, most int) []*Record {
	game, err := shogi.ParsePosition(text)
	if err == nil {
		return []*Record{recordOfGame(&game, "", f)}
	}
	var records []*Record
	var left []Note // before the first record
	out := func(at place, text string) {
		text = strings.TrimRight(text, blanks)
		if text == "" || begins(text, "#") && at.column == 0 {
			return
		}
		if n := noteAt(at, NoteText, text); len(records) > 0 {
			records[len(records)-1].note(n)
		} else {
			left = append(left, n)
		}
	}
	for l := range lines(text) {
		if column, _, several := strings.Cut(l.text, "\t"); several && sfenText.MatchString(column) {
			l.text = column // as in a list, the others are left alone
		}
		found := sfenText.FindStringIndex(l.text)
		if found == nil {
			trimmed := strings.TrimLeft(l.text, blanks+"\ufeff")
			out(l.place(len(l.text)-len(trimmed)), trimmed)
			continue
		}
		if len(records) == most {
			records[most-1].note(noteAt(l.place(found[0]), NoteRecords, l.text[found[0]:]))
			break
		}
		if len(records) == MaxRecords {
			f.add(l.place(0), tooManyRecords, MaxRecords)
			return nil
		}
		if in := ranksBefore.FindStringSubmatchIndex(l.text[:found[0]]); in != nil {
			found[0] = in[2] // a rank too many is a fault, not a text around
		}
		end, ending := usiEnd(l.text[found[0]:])
		end += found[0]
		game, err := shogi.ParsePosition(l.text[found[0]:end])
		if err != nil {
			addSFEN(f, err, func(offset int) place { return l.place(found[0] + offset) })
			return nil
		}
		out(l.place(0), strings.TrimLeft(l.text[:found[0]], blanks+"\ufeff"))
		record := recordOfGame(&game, ending, f)
		if record == nil {
			return nil
		}
		records = append(records, record)
		if len(records) == 1 {
			record.Notes, left = left, nil
		}
		rest := strings.TrimLeft(l.text[end:], blanks)
		for _, word := range []string{"resign", "win"} { // which the ending is
			if ending != "" {
				rest = strings.TrimPrefix(rest, word)
			}
		}
		rest = strings.TrimLeft(rest, blanks)
		if len(game.Moves()) > 0 && usiMoveText.MatchString(rest) {
			f.add(l.place(len(l.text)-len(rest)), aroundMoves, clip(rest))
			return nil
		}
		out(l.place(len(l.text)-len(rest)), rest)
	}
	if len(records) == 0 {
		addSFEN(f, err, func(offset int) place { return placeIn(text, min(offset, len(text))) })
	}
	return records
}

// usiEnd returns where in a line what USI says ends, and how the moves end if a word says so. What
// follows may be a comment: behind a sign that begins one, or in Japanese.
func usiEnd(line string) (end int, ending Ending) {
	words := 0
	moves := false
	for i := 0; i < len(line); {
		rest := strings.TrimLeft(line[i:], blanks+"_")
		i = len(line) - len(rest)
		word := upTo(rest, blanks+"_")
		switch {
		case word == "":
		case word == "moves":
			moves = true
		case moves && word == "resign":
			return i, Resigns
		case moves && word == "win":
			return i, Declares
		case words > 0 && (!isASCII(word[:1]) || begins(word, "#;%([{<\"'") || strings.HasPrefix(word, "//") ||
			strings.HasPrefix(word, "--")):
			return i, ""
		}
		words++
		i += len(word)
	}
	return len(line), ""
}

// recordOfGame returns the record of a game, nil if it is too long.
func recordOfGame(g *shogi.Game, ending Ending, f *faults) *Record {
	if len(g.Moves()) > MaxMoves {
		f.add(place{}, tooManyMoves, MaxMoves)
		return nil
	}
	return sfenRecord(g.Start(), g.Moves(), ending)
}

// sfenRecord returns a record that is about the position after its moves.
func sfenRecord(start shogi.Position, moves []shogi.Move, ending Ending) *Record {
	r := NewRecord(start, moves, ending)
	r.Format, r.shown = SFEN, -1
	return r
}

// addSFEN adds what package shogi found, whose offsets are at places. Without places it is all at the
// beginning.
func addSFEN(f *faults, err error, at func(offset int) place) {
	var e *shogi.SFENError
	if !errors.As(err, &e) { // the escapes of an address
		m, _ := shogi.MessageOf(err)
		f.addMessage(shogi.NoSquare, place{}, CodeSyntax, m)
		return
	}
	if at == nil {
		at = func(int) place { return place{} }
	}
	for _, fault := range e.Faults {
		f.addMessage(fault.Square, at(fault.Offset), fault.Code, inField.With(fault.Field, fault.Msg))
	}
}

// AppendUSI appends the start position and the moves of the main line as a GUI sends them to an
// engine, without a line end: "position sfen … moves …". USI has neither variations nor comments,
// header or end.
func (r *Record) AppendUSI(dst []byte) []byte {
	dst = append(dst, "position sfen "...)
	dst = r.Start.AppendSFEN(dst)
	for i, m := range r.Moves() {
		if i == 0 {
			dst = append(dst, " moves"...)
		}
		dst = m.AppendUSI(append(dst, ' '))
	}
	return dst
}

func appendSFEN(r *Record, dst []byte) []byte { return append(r.AppendUSI(dst), '\n') }
