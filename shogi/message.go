package shogi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Text is a sentence about a kind of fault, with places for facts: a format of package fmt in
// English and one in Japanese, for the same arguments. Packages that find faults keep their Texts in
// a table of their own.
type Text struct {
	Code   string // of the fault
	En, Ja string
}

// With returns the sentence about some facts.
func (t *Text) With(args ...any) Message { return Message{t, args} }

// String and Japanese return a Text without places, which may be a fact in another one.
func (t *Text) String() string   { return t.En }
func (t *Text) Japanese() string { return t.Ja }

// A Message is a Text and the facts that it is about. Programs can compare those, and people read
// them in either language. The zero Message is empty.
type Message struct {
	Text *Text
	Args []any // numbers, texts, values of this package, or Messages
}

// String returns the message in English.
func (m Message) String() string {
	if m.Text == nil {
		return ""
	}
	args := make([]any, len(m.Args))
	for i, arg := range m.Args {
		if t, ok := arg.(PieceType); ok {
			arg = typeNames[t].en
		}
		args[i] = arg
	}
	return fmt.Sprintf(m.Text.En, args...)
}

// Japanese returns the message in Japanese.
func (m Message) Japanese() string {
	if m.Text == nil {
		return ""
	}
	args := make([]any, len(m.Args))
	for i, arg := range m.Args {
		args[i] = inJapanese(arg)
	}
	return fmt.Sprintf(m.Text.Ja, args...)
}

// inJapanese returns an argument as a sentence in Japanese has it. Of a text that a stranger has
// written, what cannot be printed is escaped: Japanese sentences quote with 「」, not with %q.
func inJapanese(arg any) any {
	switch a := arg.(type) {
	case interface{ Japanese() string }:
		return a.Japanese()
	case string:
		quoted := strconv.Quote(a)
		return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	case Color:
		return [...]string{"先手", "後手"}[a&1]
	case PieceType:
		return typeNames[a].ja
	case Square:
		if a.IsValid() {
			return string('1'+rune(a.File())) + kanjiDigits[a.Rank()]
		}
	}
	return arg
}

var kanjiDigits = [...]string{"一", "二", "三", "四", "五", "六", "七", "八", "九"}

// MessageOf returns what an error of this package, or of one that words its errors likewise, says
// without the name of the package. ok is false for other errors.
func MessageOf(err error) (m Message, ok bool) {
	e, ok := errors.AsType[interface {
		error
		Message() Message
	}](err)
	if !ok {
		return Message{}, false
	}
	return e.Message(), true
}
