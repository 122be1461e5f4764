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
func (q Question) locate(err error) error {
	if at := q.place(); at != (place{}) {
		return Errorf("%s: %s", "%s：%s", at, err)
	}
	return err
}

// locateText puts where a question stands in front of a text.
func (l Language) locateText(q *Question, text string) string {
	if at := q.place(); at != (place{}) {
		return l.Text(at.String()+": ", at.Japanese()+"：") + text
	}
	return text
}

// A place is where a question stands, the zero value if there is but one.
type place struct{ file, where string }

func (q Question) place() place { return place{shogi.VisibleLine(q.file), q.where} }

func (p place) String() string {
	if p.file != "" && p.where != "" {
		return p.file + ", " + p.where
	}
	return p.file + p.where
}

func (p place) Japanese() string {
	p.file = strings.Replace(p.file, stdinName, "標準入力", 1)
	kind, number, _ := strings.Cut(p.where, " ")
	switch kind {
	case "line":
		p.where = number + "行目"
	case "record":
		p.where = number + "番目の棋譜"
	case "position":
		p.where = number + "番目の局面"
	}
	if p.file != "" && p.where != "" {
		return p.file + " の" + p.where
	}
	return p.file + p.where
}

// name names a question for people: by its title, or else by where it stands.
func (l Language) name(q *Question) string {
	if title := shogi.VisibleLine(q.title); title != "" {
		return title
	}
	return l.Text(q.place().String(), q.place().Japanese())
}

// reason is the message of err without the name of the package it comes from.
func reason(err error) error {
	var faulty *shogi.SFENError
	if errors.As(err, &faulty) {
		err = faulty
	}
	if m, ok := shogi.MessageOf(err); ok {
		return shogi.NewError("", m)
	}
	return err
}

// maxPointed is the longest text, in bytes, under which faults are pointed out: about what fits on
// a line.
const maxPointed = 200

// explain describes the faults of a position, each below the place where it is if the text fits on
// a line.
func explain(q Question, err error) error {
	return &textError{English.explain(q, err), Japanese.explain(q, err)}
}

func (l Language) explain(q Question, err error) string {
	var faulty *shogi.SFENError
	if errors.As(err, &faulty) {
		err = faulty
	} else if e := asRecordError(err); e != nil {
		return l.explainRecord(q, e)
	}
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if faulty == nil || len(q.text) > maxPointed || strings.ContainsFunc(q.text, hidden) {
		return l.Error(q.locate(reason(err)))
	}
	var b strings.Builder
	b.WriteString(l.locateText(&q, l.Sprintf("%s in the position", "局面に誤りが%sあります", Plural(len(faulty.Faults), "fault"))))
	fmt.Fprintf(&b, "\n  %s", q.text)
	for _, f := range faulty.Faults {
		mark := ""
		if f.Offset >= 0 && f.Offset <= len(q.text) {
			mark = spaces(q.text[:f.Offset]) + "^ "
		}
		fmt.Fprintf(&b, "\n  %s%s", mark, l.Text(f.Field+": ", "")+l.Of(f.Msg))
	}
	return b.String()
}

// spaces returns spaces as wide as s is on a terminal.
func spaces(s string) string { return strings.Repeat(" ", Cells(s)) }

// Cells returns how wide s is on a terminal, where what is not ASCII is mostly Japanese and two
// cells wide.
func Cells(s string) int {
	n := 0
	for _, r := range s {
		if n++; r >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// explainRecord lists the faults of a file that is no record of its notation.
func (l Language) explainRecord(q Question, e *notation.Error) string {
	switch f := &e.Faults[0]; f.Code {
	case notation.CodeNoText, notation.CodeAddress, notation.CodeFormat: // of the text as a whole
		return l.locateText(&q, l.Of(f.Msg))
	}
	var b strings.Builder
	en, ja := "%s in the text", "テキストに誤りが%sあります"
	if e.Format != notation.Unknown {
		en, ja = en+", read as %s", "%[2]s として読むと、誤りが%[1]sあります"
	}
	b.WriteString(l.locateText(&q, l.Sprintf(en, ja, Plural(len(e.Faults), "fault"), strings.ToUpper(e.Format.String()))))
	for _, f := range e.Faults {
		b.WriteString(l.Sprintf("\n  line %d, column %d: %s", "\n  %d行%d桁：%s", f.Line, f.Column, f.Msg))
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
