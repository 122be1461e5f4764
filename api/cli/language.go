package cli

import (
	"errors"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
)

// A Language is that of what people read: one of Languages, English if it is neither. What programs read
// is the same in each.
type Language string

const (
	English  Language = "en"
	Japanese Language = "ja"
)

// Languages are the values of a Language.
var Languages = []string{string(Japanese), string(English)}

// String, Type and Set make a flag of it.
func (l *Language) String() string { return string(*l) }
func (l *Language) Type() string   { return "language" }

func (l *Language) Set(text string) error {
	if !slices.Contains(Languages, text) {
		return Errorf("must be one of %s", "%s のどれかです。", strings.Join(Languages, ", "))
	}
	*l = Language(text)
	return nil
}

// Text returns one of two texts.
func (l Language) Text(en, ja string) string {
	if l == Japanese {
		return ja
	}
	return en
}

// Sprintf is that of package fmt, with a format in each language.
func (l Language) Sprintf(en, ja string, args ...any) string {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = inJapanese(text) // in which nothing is escaped
		}
	}
	return l.Error(Errorf(en, ja, args...))
}

// In returns a text of a report.
func (l Language) In(t report.Text) string { return l.Text(t.En, t.Ja) }

// Of returns a message.
func (l Language) Of(m shogi.Message) string { return l.Text(m.String(), m.Japanese()) }

// Errorf returns an error that says in both languages what is wrong.
func Errorf(en, ja string, args ...any) error {
	return shogi.NewError("", shogi.NewText("", en, ja).With(args...))
}

// Error returns what an error says, with all errors that it wraps.
func (l Language) Error(err error) string {
	if l != Japanese {
		return err.Error()
	}
	if both, ok := err.(interface{ Japanese() string }); ok {
		return both.Japanese()
	}
	if m, ok := shogi.MessageOf(err); ok {
		args := slices.Clone(m.Args)
		for i, arg := range args {
			if wrapped, ok := arg.(error); ok {
				args[i] = inJapanese(l.Error(wrapped))
			}
		}
		return shogi.Message{Text: m.Text, Args: args}.Japanese()
	}
	text := err.Error()
	var wrapped []error
	switch e := err.(type) {
	case *fs.PathError:
		return e.Path + ": " + l.Error(e.Err)
	case *net.DNSError:
		if e.IsNotFound {
			return e.Name + ": ホスト名が見つかりません。"
		}
	case syscall.Errno:
		for _, known := range systemErrors {
			if errors.Is(e, known.err) {
				return known.ja
			}
		}
	case interface{ Unwrap() []error }:
		wrapped = e.Unwrap()
	case interface{ Unwrap() error }:
		wrapped = []error{e.Unwrap()}
	}
	for _, inner := range wrapped {
		if inner != nil {
			text = strings.Replace(text, inner.Error(), l.Error(inner), 1)
		}
	}
	return text
}

// Line returns the moves of a line in the notation of the language.
func (l Language) Line(en, ja []string) []string {
	if l == Japanese {
		return ja
	}
	return en
}

// A textError is an error of several lines in both languages.
type textError struct{ en, ja string }

func (e *textError) Error() string    { return e.en }
func (e *textError) Japanese() string { return e.ja }

// inJapanese is a text that is an argument of a message as it is.
type inJapanese string

func (t inJapanese) Japanese() string { return string(t) }

var systemErrors = []struct {
	err error
	ja  string
}{{fs.ErrNotExist, "ファイルかフォルダがありません。"}, {fs.ErrPermission, "権限がありません。"}, {fs.ErrExist, "すでにあります。"},
	{syscall.EISDIR, "フォルダです。"}, {syscall.ENOTDIR, "フォルダではありません。"},
	{syscall.ENOSPC, "ディスクに空きがありません。"}, {syscall.ECONNREFUSED, "接続を拒否されました。"},
	{syscall.EADDRINUSE, "ほかのプログラムが使用中です。"}}
