// Package usi is a USI engine for mate problems: the loop between a shogi GUI and a solver.Solver.
//
// # What it answers
//
//	go mate …           one line: checkmate <moves>, checkmate nomate, or checkmate timeout
//	any other go        one line: bestmove <first move of a mate>, or bestmove resign
//
// Resigning without a mate is what GUIs expect of a mate engine in a game, and honest: any legal move would look like
// a choice. An info string says so once.
//
// The answers are as true as the solver. "nomate" is said only of a proven NoMate; everything undecided is "timeout",
// with an info string that names the reason just before it. A mate is preceded by an info line with its length and
// its moves. A mate not proven shortest is an answer all the same, and said to be so.
//
// An unlimited go mate whose solver gives up keeps silent until it is stopped; see settle for why.
//
// A search that takes long says about once a second how it goes: time, nodes, nodes per second, the table's fill, and the
// line that is looked at, or, with its length as score, the shortest mate found so far.
//
// Positions with an error in them are refused with an info string that names field and byte, and searched by no one.
// A lone king in check whose side is to move is the defender's: the line then starts with the best defence.
//
// # Options
//
//	USI_Hash           memory for the table of the search, in MiB; another size counts from the next go
//	Threads            that search together on that table; the nodes, and the line of a mate that is not exact, then vary
//	Shortest           go on after the first mate until the shortest is proven, or the time is up, or stop comes
//	USI_Ponder         whether bestmove also names the expected reply, as "ponder <move>"
//	BestmoveAfterStop  after the answer to a stopped go mate, add "bestmove resign"; the ShogiGUI family waits for it
//	Clear              forget the answer kept for "go mate 0"
//
// # How it is built
//
// A reader goroutine turns the input into lines, a goroutine for each search asks the solver, and the loop in Run
// owns all state and writes all output. So no two lines ever mix, and the loop is never busy: whatever the solver
// does, commands are read and answered. MultiPV is absent: a solver.Solver has no words for it.
package usi

import (
	"context"
	"io"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/tsumero/tsumero/solver"
)

// A GUI gives an engine about 100 ms to answer after a limit or a stop, and a second to go after quit.
const (
	// haltGrace is how long a solver that was told to stop may take to hand over what it has. After that the engine
	// answers without it, and the late result is dropped.
	haltGrace = 70 * time.Millisecond
	// endPatience is how long a search may go on when the input has ended. It is long enough that a question piped
	// in from a shell is answered, and short enough that the engine of a GUI that died does not linger.
	endPatience = 500 * time.Millisecond
)

// Config is what an engine is made of.
type Config struct {
	// NewSolver makes the solver that decides every go, with a table of so many bytes and so many threads. It is called
	// at the first go and again when USI_Hash or Threads has changed; the solver before is not used any more. It must be
	// quick: a solver should take its memory as it needs it. Required.
	NewSolver func(tableBytes, threads int) solver.Solver
	// MaxTableBytes is the largest table that the machine has room for, which no USI_Hash exceeds. Default: 64 GiB.
	MaxTableBytes int64
	MaxThreads    int    // the largest Threads; default: 1
	Name          string // shown to the user: the engine's name and version, in ASCII; "Tsumero" if empty
}

// Run reads USI commands from in and writes the answers to out, each line with one Write, until quit, the end of the
// input, or the end of ctx, which counts as quit. It returns nil then, and an error if in or out fails.
//
// At the end of the input a running search is answered first, within half a second; quit prints nothing more.
// Run waits for nobody: if it returns before in ends, one goroutine stays behind in its Read, and a search that quit or
// ctx ended stays until its solver sees that.
func Run(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e := &engine{ctx: ctx, newSolver: cfg.NewSolver, name: cfg.Name, options: defaults, declared: cfg.options(), printer: printer{out: out}}
	e.options.hash = min(e.options.hash, hashLimit(cfg.MaxTableBytes))
	if e.name == "" {
		e.name = "Tsumero"
	}

	input := readLines(ctx, in)
	lines := input.lines
	var patience <-chan time.Time
	for {
		if e.err != nil {
			return e.err
		}
		if lines == nil && (e.search == nil || e.search.over) {
			if e.search != nil {
				e.finish(inputEnded)
			}
			return input.err
		}
		found, timeUp, news := e.search.events()
		select {
		case <-ctx.Done():
			return nil
		case l, ok := <-lines:
			if !ok {
				lines, patience = nil, time.After(endPatience)
				continue
			}
			if quit := e.obey(l); quit {
				return nil
			}
		case r := <-found:
			e.search.done(r)
			e.settle()
		case <-timeUp:
			e.finish(timeIsUp)
		case p := <-news:
			e.tell(&p)
		case <-patience:
			e.finish(inputEnded)
		}
	}
}

// An engine is the state of the loop. Only the goroutine of Run touches it.
type engine struct {
	printer
	ctx       context.Context // ends with Run, and every search with it
	newSolver func(tableBytes, threads int) solver.Solver
	solver    solver.Solver // with a table of hash MiB and so many threads; nil before the first go
	hash      int
	threads   int
	name      string

	declared []option
	options  options
	position position
	search   *search // the running one, or one that is over and waits for stop; nil while idle
	known    known
	greeted  bool // greet has spoken
}

// obey carries out one command and reports whether it was quit. What is not understood is skipped.
func (e *engine) obey(l line) (quit bool) {
	command, rest := cutWord(l.text)
	if l.cut {
		e.infof("error: a line of more than %d MiB was skipped: %s", maxLine>>20, clip(l.text))
		if command == "position" {
			// The position it meant is not the one before it.
			e.interrupt()
			e.position = position{err: "the last position line was too long"}
		}
		return false
	}
	switch command {
	case "usi":
		e.printf("id name %s", e.name)
		e.printf("id author the Tsumero authors")
		for _, o := range e.declared {
			e.printf("option name %s type %s", o.name, o.declare)
		}
		e.printf("usiok")
	case "isready":
		e.printf("readyok")
	case "setoption":
		e.setOption(strings.Fields(rest))
	case "usinewgame":
		e.known = known{}
	case "position":
		e.interrupt()
		e.setPosition(l.text)
	case "go":
		e.interrupt()
		e.start(strings.Fields(rest))
	case "ponderhit":
		e.ponderhit(strings.Fields(rest))
	case "stop":
		if e.search != nil {
			e.finish(stopped)
		}
	case "gameover":
		e.interrupt()
	case "quit":
		return true
	}
	return false
}

// equip makes a solver with the table and the threads that were set, unless there is one.
func (e *engine) equip() {
	if e.solver != nil && e.hash == e.options.hash && e.threads == e.options.threads {
		return
	}
	e.solver, e.hash, e.threads = nil, e.options.hash, e.options.threads // first, so that the memory of the one before is free
	e.solver = e.newSolver(int(min(int64(e.hash)<<20, math.MaxInt)), e.threads)
}

// interrupt answers the running search, if any, because the command at hand ends it.
func (e *engine) interrupt() {
	if e.search != nil {
		e.finish(interrupted)
	}
}

// cutWord splits s after its first word.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}
