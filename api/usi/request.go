package usi

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A request is what a go command asks for.
type request struct {
	mate     bool // go mate: answered by checkmate, everything else by bestmove
	infinite bool // go infinite: no answer before stop
	ponder   bool // go ponder: not a word before ponderhit or stop
	limits   solver.Limits
	time     time.Duration // from go mate <ms> and movetime; it means nothing unless timed
	timed    bool
	clock    clock
}

// A clock is the time left in a game.
type clock struct {
	given   bool             // at least one of its words was in the command
	left    [2]time.Duration // btime, wtime
	inc     [2]time.Duration // binc, winc: added at each move
	byoyomi time.Duration    // to be had anew at each move
}

// Clocks are read to the millisecond, and a move has to travel to the GUI and be clicked there.
const (
	moveOverhead = 150 * time.Millisecond
	// untimed is for a clock of nothing but zeros: a game without limits, or one that is lost anyway.
	untimed = time.Second
)

// budget returns how long c may think about one move: what it has anew each move, and a thirtieth of what it has once.
func (c *clock) budget(side shogi.Color) time.Duration {
	b := c.left[side]/30 + c.inc[side] + c.byoyomi
	if b == 0 {
		return untimed
	}
	return b - min(moveOverhead, b/2)
}

// timeFor returns how long the search may take when side is to move, if it is limited in time at all.
func (r *request) timeFor(side shogi.Color) (limit time.Duration, limited bool) {
	switch {
	case r.infinite || r.ponder:
		return 0, false
	case r.timed && (r.mate || r.time > 0):
		return r.time, true
	case r.mate || !r.timed && !r.clock.given:
		return 0, false
	}
	return r.clock.budget(side), true // a movetime of 0 is a clock of nothing but zeros
}

// goWords are the words parseGo knows. One of them in the place of an argument means that the argument is missing.
var goWords = []string{
	"mate", "infinite", "ponder", "movetime", "nodes", "depth", "btime", "wtime", "binc", "winc", "byoyomi",
}

// parseGo reads the words after go, in any order, and skips those it does not know. What it cannot use it says in
// complaints, which are few however long the command is.
func parseGo(words []string) (r request, complaints []string) {
	in := arguments{words: words}
	for len(in.words) > 0 {
		word := in.words[0]
		in.words = in.words[1:]
		switch word {
		case "mate":
			r.mate = true
			if len(in.words) > 0 && in.words[0] == "infinite" {
				in.words = in.words[1:]
			} else if ms, ok := in.number("go mate", "taken as infinite"); ok {
				r.time, r.timed = millis(ms), true
			}
		case "infinite":
			r.infinite = true
		case "ponder":
			r.ponder = true
		case "movetime":
			if ms, ok := in.number("go movetime", "ignored"); ok {
				r.time, r.timed = millis(ms), true
			}
		case "nodes":
			if n, ok := in.number("go nodes", "ignored"); ok {
				r.limits.Nodes = uint64(n)
			}
		case "depth":
			if n, ok := in.number("go depth", "ignored"); ok {
				r.limits.Plies = int(min(n, 1<<20))
			}
		case "btime":
			in.clock(&r.clock, &r.clock.left[shogi.Black])
		case "wtime":
			in.clock(&r.clock, &r.clock.left[shogi.White])
		case "binc":
			in.clock(&r.clock, &r.clock.inc[shogi.Black])
		case "winc":
			in.clock(&r.clock, &r.clock.inc[shogi.White])
		case "byoyomi":
			in.clock(&r.clock, &r.clock.byoyomi)
		}
	}
	if r.mate {
		r.infinite, r.ponder = false, false
	}
	return r, in.complaints
}

// arguments walks over the words of a go command.
type arguments struct {
	words      []string // those not read yet
	complaints []string
}

// take returns the next word if it can be an argument, "" if there is none.
func (in *arguments) take() string {
	if len(in.words) == 0 || slices.Contains(goWords, in.words[0]) {
		return ""
	}
	w := in.words[0]
	in.words = in.words[1:]
	return w
}

// number takes the argument of what, a whole number from 0. A missing one is passed over in silence, anything else is
// complained about, with what becomes of it.
func (in *arguments) number(what, outcome string) (int64, bool) {
	const most = 3 // complaints
	w := in.take()
	n, ok := parseNumber(w)
	if ok && n >= 0 {
		return n, true
	}
	if w != "" && len(in.complaints) < most {
		in.complaints = append(in.complaints, fmt.Sprintf("%s: found %s, expected a number from 0; %s", what, clip(w), outcome))
	}
	return 0, false
}

// clock takes the argument of a clock word. An overrun clock, below 0, has nothing left.
func (in *arguments) clock(c *clock, field *time.Duration) {
	if n, ok := parseNumber(in.take()); ok {
		*field, c.given = millis(max(n, 0)), true
	}
}

// parseNumber reads a whole number. One beyond 64 bits counts as the furthest within.
func parseNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// millis returns n milliseconds, at most some 35 years: a few such times can be added without overflow.
func millis(n int64) time.Duration { return time.Duration(min(n, 1<<40)) * time.Millisecond }
