package usi

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// A goCommand is a go command. Its Request has no Game and no Ponderhit.
type goCommand struct {
	Request
	mate   bool // go mate, which is answered by checkmate; every other go by bestmove
	ponder bool // go ponder
}

// goWords are the words that parseGo knows. One of them in the place of an argument means that the
// argument is missing.
var goWords = []string{
	"mate", "infinite", "ponder", "movetime", "nodes", "depth", "searchmoves",
	"btime", "wtime", "binc", "winc", "byoyomi",
}

// parseGo parses the words after go, in any order, and skips those it does not know. The warnings
// are for the user, and are few however long the command is.
func parseGo(words []string) (c goCommand, warnings []string) {
	args := arguments{words: words}
	for len(args.words) > 0 {
		word := args.words[0]
		args.words = args.words[1:]
		switch word {
		case "mate":
			c.mate = true
			if len(args.words) > 0 && args.words[0] == "infinite" {
				args.words = args.words[1:]
			} else if ms, ok := args.number("go mate", "taken as infinite"); ok {
				c.Time, c.Timed = milliseconds(ms), true
			}
		case "infinite":
			c.Infinite = true
		case "ponder":
			c.ponder = true
		case "movetime":
			if ms, ok := args.number("go movetime", "ignored"); ok {
				c.Time, c.Timed = milliseconds(ms), true
			}
		case "nodes":
			if n, ok := args.number("go nodes", "ignored"); ok {
				c.Nodes = uint64(n)
			}
		case "depth":
			if n, ok := args.number("go depth", "ignored"); ok {
				c.Depth = int(min(n, 1<<20))
			}
		case "searchmoves":
			c.Moves = append(c.Moves, args.moves()...)
		case "btime":
			args.clock(&c.Clock, &c.Clock.Left[shogi.Black])
		case "wtime":
			args.clock(&c.Clock, &c.Clock.Left[shogi.White])
		case "binc":
			args.clock(&c.Clock, &c.Clock.Inc[shogi.Black])
		case "winc":
			args.clock(&c.Clock, &c.Clock.Inc[shogi.White])
		case "byoyomi":
			args.clock(&c.Clock, &c.Clock.Byoyomi)
		}
	}
	if c.mate {
		c.Infinite, c.ponder = false, false
	}
	return c, args.warnings
}

// maxWarnings is how many warnings one go command can cause.
const maxWarnings = 3

// arguments are the words of a go command.
type arguments struct {
	words    []string // those not parsed yet
	warnings []string
}

// next removes and returns the next word if it can be an argument, "" if there is none.
func (a *arguments) next() string {
	if len(a.words) == 0 || slices.Contains(goWords, a.words[0]) {
		return ""
	}
	w := a.words[0]
	a.words = a.words[1:]
	return w
}

// number parses the argument of a word, a whole number from 0. A missing argument causes no
// warning. The warning about another one says what is done instead.
func (a *arguments) number(of, instead string) (int64, bool) {
	w := a.next()
	n, ok := parseNumber(w)
	if ok && n >= 0 {
		return n, true
	}
	if w != "" && len(a.warnings) < maxWarnings {
		a.warnings = append(a.warnings,
			fmt.Sprintf("%s: found %s, expected a number from 0; %s", of, quote(w), instead))
	}
	return 0, false
}

// maxSearchMoves is how many moves searchmoves takes: as many as a position can have.
const maxSearchMoves = 593

// moves parses the arguments of searchmoves: all words up to one that parseGo knows, or that is no
// move.
func (a *arguments) moves() []shogi.Move {
	var list []shogi.Move
	for len(a.words) > 0 && !slices.Contains(goWords, a.words[0]) {
		m, err := shogi.ParseMove(a.words[0])
		if err != nil {
			break
		}
		a.words = a.words[1:]
		if len(list) < maxSearchMoves {
			list = append(list, m)
		}
	}
	return list
}

// clock parses the argument of a word of the clock. A time below 0 is a clock that has run out.
func (a *arguments) clock(c *Clock, field *time.Duration) {
	if n, ok := parseNumber(a.next()); ok {
		*field, c.Given = milliseconds(max(n, 0)), true
	}
}

// parseNumber parses a whole number. One beyond 64 bits is clamped.
func parseNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// milliseconds returns n milliseconds, clamped to some 35 years, so that a few such times can be
// added without overflow.
func milliseconds(n int64) time.Duration {
	return time.Duration(min(n, 1<<40)) * time.Millisecond
}
