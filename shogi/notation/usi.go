package notation

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

var (
	ranksBefore = lazy(`(?:^|[^+0-9A-Za-z])((?:[+1-9KRBGSNLPkrbgsnlp]+/)+)$`)
	usiMoveText = lazy(`(?:^|[^0-9A-Za-z])(?:[1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i])(?:[^0-9A-Za-z]|$)`)
)

// parseSFEN reads positions and moves as package shogi does: the text as one, or else what is one
// in each of its lines, and what follows it as a comment.
func parseSFEN(text string, f *faults, most int) []*Record {
	game, err := shogi.ParsePosition(text)
	if err == nil {
		return []*Record{recordOfGame(&game, "", f)}
	}
	var records []*Record
	var left []Note         // before the first record
	var solution *kifReader // of the last one, in Japanese or English
	out := func(at place, text string) {
		text = strings.TrimRight(text, blanks)
		if strings.Trim(text, wrapping) == "" || begins(text, "#") && at.column == 0 {
			return
		}
		if n := noteAt(at, NoteText, text); len(records) > 0 {
			records[len(records)-1].note(n)
		} else {
			left = append(left, n)
		}
	}
	for l := range lines(text) {
		l.set(folded(l.text))
		if column, _, several := strings.Cut(l.text, "\t"); several && sfenText().MatchString(column) {
			l.text = column // as in a list, the others are left alone
		}
		found := sfenText().FindStringSubmatchIndex(l.text)
		if found == nil {
			trimmed := strings.TrimLeft(l.text, blanks)
			if solution != nil && solution.behindSFEN(&l, trimmed) {
				solution.record.cut(f)
				continue
			}
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
		if in := ranksBefore().FindStringSubmatchIndex(l.text[:found[0]]); in != nil {
			found[0] = in[2] // a rank too many is a fault, not a text around
		}
		end, ending := usiEnd(l.text[found[0]:])
		end += found[0]
		sfen := l.text[found[0]:end]
		switch side, hands := found[2], found[4]; {
		case hands >= 0:
			end = found[1]
			if next, size := utf8.DecodeLastRuneInString(l.text[:end]); !begins(string(next), "]-0123456789bwBW") {
				end -= size
			}
			fenSide := ""
			if found[6] >= 0 {
				fenSide = l.text[found[6]:found[7]]
			}
			sfen = sfenOfFEN(l.text[found[0]:hands-1], l.text[hands:found[5]], fenSide)
		case side >= 0:
			sfen = l.text[found[0]:side] + strings.ToLower(l.text[side:side+1]) + l.text[side+1:end]
		}
		game, err := shogi.ParsePosition(sfen)
		if err != nil {
			addSFEN(f, err, func(offset int) place { return l.place(found[0] + offset) })
			return nil
		}
		out(l.place(0), strings.TrimLeft(l.text[:found[0]], blanks))
		record := recordOfGame(&game, ending, f)
		if record == nil {
			return nil
		}
		records, solution = append(records, record), nil
		if len(records) == 1 {
			record.Notes, left = left, nil
		}
		if len(game.Moves()) == 0 {
			solution = newSolution(record, text, f)
		}
		rest := strings.TrimLeft(l.text[end:], blanks)
		for _, word := range []string{"resign", "win"} { // which the ending is
			if ending != "" {
				rest = strings.TrimPrefix(rest, word)
			}
		}
		rest = strings.TrimLeft(rest, blanks)
		if len(game.Moves()) > 0 && usiMoveText().MatchString(rest) {
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

// wrapping is what stands around a position and says nothing.
const wrapping = blanks + "`'\"“”‘’「」『』()[]<>,、。.;:|"

// sfenOfFEN returns the SFEN of a FEN. Its White is the side of the capitals, which moves first in
// chess, and its hands may stand in an SFEN's form. In a problem with one king its owner is attacked.
func sfenOfFEN(board, hands, side string) string {
	isBlack := side == "" || strings.EqualFold(side, "w")
	if black, white := strings.Contains(board, "K"), strings.Contains(board, "k"); black != white {
		isBlack = white
	}
	if side = "w"; isBlack {
		side = "b"
	}
	if hands == "" {
		hands = "-"
	}
	return board + " " + side + " " + hands + " 1"
}

// newSolution returns a reader of the moves that stand below a position in SFEN.
func newSolution(record *Record, text string, f *faults) *kifReader {
	return &kifReader{reader: reader{grower: grower{faults: f}, record: record}, text: text, ahead: &ahead{}, most: 1,
		started: true, current: record.Root,
		branches: []*branch{{first: record.Start.Ply(), points: []point{startOf(record)}}}}
}

// behindSFEN reads a line of moves below a position, which is what the record is about then. It
// reports whether it is one.
func (r *kifReader) behindSFEN(l *line, trimmed string) bool {
	switch kind := kindOfLine(trimmed); {
	case r.record.isCut():
		return false
	case kind == markedLine:
		r.unnumbered(l)
	case kind == numberedLine && numbered().MatchString(trimmed):
		r.numbered(l)
	case kind == untilLine && len(r.record.Root.Next) > 0:
		r.until(l, trimmed)
	default:
		return false
	}
	r.record.Format, r.record.shown, r.record.ready = SFEN, 0, true
	return true
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
		case words > 0 && (!isASCII(word) || begins(word, "#;%([{<\"'") || strings.HasPrefix(word, "//") ||
			strings.HasPrefix(word, "--")):
			return i, ""
		}
		words++
		if stop := strings.IndexAny(word, ",;\"'`)]}>|"); stop > 0 || stop == 0 && word != "" {
			return i + stop, ""
		}
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
