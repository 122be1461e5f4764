package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// locate puts where a question stands in front of a message.
func (q Question) locate(msg string) string {
	if place := q.place(); place != "" {
		return place + ": " + msg
	}
	return msg
}

// place says where a question stands, "" if there is but one.
func (q Question) place() string {
	if q.file != "" && q.where != "" {
		return shogi.VisibleLine(q.file) + ", " + q.where
	}
	return shogi.VisibleLine(q.file) + q.where
}

// name names a question for people: by its title, or else by where it stands.
func (q Question) name() string {
	if title := shogi.VisibleLine(q.title); title != "" {
		return title
	}
	return q.place()
}

// reason is the message of err without the name of the package it comes from.
func reason(err error) string {
	var faulty *shogi.SFENError
	if errors.As(err, &faulty) {
		err = faulty
	}
	if m, ok := shogi.MessageOf(err); ok {
		return m.String()
	}
	return err.Error()
}

// maxPointed is the longest text, in bytes, under which faults are pointed out: about what fits on
// a line.
const maxPointed = 200

// explain describes the faults of a position, each below the place where it is if the text fits on
// a line.
func explain(q Question, err error) string {
	var faulty *shogi.SFENError
	if errors.As(err, &faulty) {
		err = faulty
	} else if e := asRecordError(err); e != nil {
		return explainRecord(q, e)
	}
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if faulty == nil || len(q.text) > maxPointed || strings.ContainsFunc(q.text, hidden) {
		return q.locate(reason(err))
	}
	var b strings.Builder
	b.WriteString(q.locate(Plural(len(faulty.Faults), "fault") + " in the position"))
	fmt.Fprintf(&b, "\n  %s", q.text)
	for _, f := range faulty.Faults {
		if f.Offset < 0 || f.Offset > len(q.text) {
			fmt.Fprintf(&b, "\n  %s: %s", f.Field, f.Msg)
			continue
		}
		fmt.Fprintf(&b, "\n  %s^ %s: %s", spaces(q.text[:f.Offset]), f.Field, f.Msg)
	}
	return b.String()
}

// spaces returns spaces as wide as s is on a terminal.
func spaces(s string) string { return strings.Repeat(" ", cells(s)) }

// cells returns how wide s is on a terminal, where what is not ASCII is mostly Japanese and two
// cells wide.
func cells(s string) int {
	n := 0
	for _, r := range s {
		if n++; r >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// explainRecord lists the faults of a file that is no record of its notation.
func explainRecord(q Question, e *notation.Error) string {
	switch f := &e.Faults[0]; f.Code {
	case notation.CodeNoText, notation.CodeAddress, notation.CodeFormat: // of the text as a whole
		return q.locate(f.Msg.String())
	}
	var b strings.Builder
	name := "the text"
	if e.Format != notation.Unknown {
		name += ", read as " + strings.ToUpper(e.Format.String())
	}
	b.WriteString(q.locate(Plural(len(e.Faults), "fault") + " in " + name))
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "\n  line %d, column %d: %s", f.Line, f.Column, f.Msg)
	}
	return b.String()
}

// asRecordError returns the faults of a file, nil if err is something else.
func asRecordError(err error) *notation.Error {
	var e *notation.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
