// Package sfenurl carries positions in the query of an address.
//
// In a query "+" means a blank to whoever escapes as forms do, and itself to whoever forgot to
// escape the "+" of a promoted piece. Both occur, also in one text, and both are read: of the
// readings of a text no two are positions, since in one the board lacks squares that are words of
// their own in the other.
package sfenurl

import (
	"iter"
	"net/url"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// Parameters goes through the parameters of a raw query in their order: their names, and their
// values as they were sent, which is what Parse reads.
func Parameters(query string) iter.Seq2[string, string] {
	return func(yield func(name, raw string) bool) {
		for pair := range strings.SplitSeq(query, "&") {
			if pair == "" {
				continue
			}
			name, raw, _ := strings.Cut(pair, "=")
			if decoded, err := url.QueryUnescape(name); err == nil {
				name = decoded
			}
			if !yield(name, raw) {
				return
			}
		}
	}
}

// An Error says why a value is no position.
type Error struct {
	Err  error // a *shogi.SFENError with offsets into the decoded text, or what is wrong with the escapes
	Plus bool  // a "+" was not escaped, which may be the reason
}

// Error says what is wrong, and what may be the reason.
func (e *Error) Error() string {
	if e.Plus {
		return e.Err.Error() + "; " + PlusHint.String()
	}
	return e.Err.Error()
}

// Message returns what Err says if it is about the escapes.
func (e *Error) Message() shogi.Message {
	m, _ := shogi.MessageOf(e.Err)
	return m
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// What may be wrong with the escapes.
var (
	// PlusHint says what to do about Error.Plus.
	PlusHint = shogi.NewText("escape",
		`found a "+" that is not escaped: one that means a promoted piece must be sent as %%2B`,
		"アドレスの中の「+」は %%2B と書いてください。")
	// BadEscape is about a % that begins no escape.
	BadEscape = shogi.NewText("escape",
		"found a %% that begins no escape, expected %% and two hexadecimal digits",
		"アドレスの中の %% の使い方が正しくありません。")
)

// Parse reads the value of a parameter as it was sent: what shogi.ParsePosition takes, escaped.
// Errors are *Error.
func Parse(raw string) (shogi.Game, error) {
	literal, err := url.PathUnescape(raw)
	if err != nil {
		return shogi.Game{}, &Error{Err: shogi.NewError("", BadEscape.With())}
	}
	g, err := shogi.ParsePosition(literal)
	if err == nil {
		return g, nil
	}
	if !strings.Contains(raw, "+") {
		return shogi.Game{}, &Error{Err: err}
	}
	form, _ := url.QueryUnescape(raw) // the same escapes
	if g, formErr := shogi.ParsePosition(form); formErr == nil {
		return g, nil
	} else if !strings.ContainsAny(literal, " _.\t") {
		err = formErr // the blanks were sent as "+"
	}
	// Both at once: a promoted piece and blanks that are all sent as "+".
	words := strings.Fields(form)
	for side := 1; side < len(words); side++ {
		if words[side] == "b" || words[side] == "w" {
			if g, err := shogi.ParsePosition(strings.Join(words[:side], "+") + " " + strings.Join(words[side:], " ")); err == nil {
				return g, nil
			}
			break
		}
	}
	return shogi.Game{}, &Error{Err: err, Plus: true}
}

// escapes are what a canonical SFEN needs in a query. "_" is a blank that needs no escape and stays
// legible; "/" may stand as it is.
var escapes = strings.NewReplacer("+", "%2B", " ", "_")

// Escape returns p as the value of a parameter, as short as it can be read by people too: without
// the number of the move, which is no part of a problem.
func Escape(p *shogi.Position) string {
	return escapes.Replace(strings.TrimSuffix(p.ProblemSFEN(), " 1"))
}
