package notation

import (
	"errors"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// illegalReason returns the fault of a position text with one move, without the number of the move.
func illegalReason(err error) string {
	var e *shogi.SFENError
	if !errors.As(err, &e) || len(e.Faults) == 0 {
		return "the move is not legal"
	}
	return strings.TrimPrefix(e.Faults[0].Msg, "move 1: ")
}

// parseSFEN reads a position and moves as package shogi does.
func parseSFEN(text string, f *faults) *Record {
	game, err := shogi.ParsePosition(text)
	if err != nil {
		var e *shogi.SFENError
		if !errors.As(err, &e) {
			f.add(place{}, CodeSyntax, "%s", err)
			return nil
		}
		for _, fault := range e.Faults {
			f.add(placeIn(text, min(fault.Offset, len(text))), fault.Code, "%s: %s", fault.Field, fault.Msg)
		}
		return nil
	}
	if len(game.Moves()) > MaxMoves {
		f.add(place{}, CodeTooLong, "found more than %d moves", MaxMoves)
		return nil
	}
	return NewRecord(game.Start(), game.Moves(), "")
}

// AppendUSI appends the start position and the moves of the main line as a GUI sends them to an engine, without a line end:
// "position sfen … moves …". USI has neither variations nor comments, header or end.
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
