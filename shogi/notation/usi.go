package notation

import (
	"errors"

	"github.com/tsumero/tsumero/shogi"
)

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
			f.addOn(fault.Square, placeIn(text, min(fault.Offset, len(text))), fault.Code, "%s: %s", fault.Field, fault.Msg)
		}
		return nil
	}
	if len(game.Moves()) > MaxMoves {
		f.add(place{}, CodeTooLong, "found more than %d moves", MaxMoves)
		return nil
	}
	return NewRecord(game.Start(), game.Moves(), "")
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
