package shogi

import (
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

// NewText returns a Text.
func NewText(code, en, ja string) *Text { return &Text{code, en, ja} }

// With returns the sentence about some facts.
func (t *Text) With(args ...any) Message { return Message{t, args} }

// String and Japanese return a Text without places, which may be a fact in another one.
func (t *Text) String() string   { return t.With().String() }
func (t *Text) Japanese() string { return t.With().Japanese() }

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
	case interface{ Message() Message }: // an error
		return a.Message().Japanese()
	case string:
		quoted := strconv.Quote(a)
		return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	}
	return arg
}

// Japanese returns 先手 or 後手.
func (c Color) Japanese() string { return [...]string{"先手", "後手"}[c&1] }

// Japanese returns the name of a kind in Japanese, such as 歩 or 成香.
func (t PieceType) Japanese() string {
	if t >= numPieceTypes {
		return "-"
	}
	return typeNames[t].ja
}

// Japanese returns the name of a square in a sentence, such as 7七.
func (sq Square) Japanese() string {
	if !sq.IsValid() {
		return "-"
	}
	return string('1'+rune(sq.File())) + [...]string{"一", "二", "三", "四", "五", "六", "七", "八", "九"}[sq.Rank()]
}

// NewError returns an error of a package: its name, if it is to stand there, and a message, which
// MessageOf returns.
func NewError(pkg string, m Message) error { return &messageError{pkg, m} }

type messageError struct {
	pkg string
	m   Message
}

func (e *messageError) Error() string {
	if e.pkg == "" {
		return e.m.String()
	}
	return e.pkg + ": " + e.m.String()
}

func (e *messageError) Message() Message { return e.m }

// Unwrap returns the errors that the message is about.
func (e *messageError) Unwrap() (errs []error) {
	for _, arg := range e.m.Args {
		if err, ok := arg.(error); ok {
			errs = append(errs, err)
		}
	}
	return errs
}

// MessageOf returns what an error of ParseMove, Illegal or NewError says. ok is false for others, and
// for those that wrap one of these, which say more.
func MessageOf(err error) (m Message, ok bool) {
	if e, ok := err.(interface{ Message() Message }); ok {
		return e.Message(), true
	}
	return Message{}, false
}
