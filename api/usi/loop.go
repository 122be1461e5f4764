package usi

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/tsumero/tsumero/shogi"
)

// endTimeout is how long a search may go on when the input has ended. It is long enough for a
// question piped in from a shell, and short enough that the engine of a crashed GUI does not stay.
const endTimeout = 500 * time.Millisecond

// Why the loop ends a search. An Engine finds them with context.Cause, as words for the user.
var (
	errStopped     = errors.New("stopped")
	errNextCommand = errors.New("ended by the next command")
	errInputEnded  = errors.New("the input has ended")
)

// Config is what Run needs.
type Config struct {
	Engine Engine // required
	Name   string // the engine's name and version as the GUI shows it, in ASCII; default: "Tsumero"
}

// Run reads USI commands from in and writes the answers to out, each line with one Write. It
// returns nil after quit, at the end of the input or of ctx, and an error if in or out fails.
//
// At the end of the input a running search is answered first, within half a second. After quit, and
// after the end of ctx, nothing more is printed.
//
// If Run returns before in ends, its reader stays behind in Read, and a search stays until the
// engine sees that its context has ended.
func Run(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &loop{
		printer: printer{out: out},
		ctx:     ctx,
		engine:  cfg.Engine,
		name:    cmp.Or(cfg.Name, "Tsumero"),
		options: newSettings(cfg.Engine.Options()),
		gameErr: "there was no position command",
	}

	input := readLines(ctx, in)
	lines := input.lines
	var inputTimeout <-chan time.Time
	for {
		if l.err != nil {
			return l.err
		}
		if lines == nil && (l.search == nil || l.search.answer != nil) {
			l.endSearch(errInputEnded)
			return cmp.Or(l.err, input.err)
		}
		infos, answers := l.search.channels()
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-lines:
			if !ok {
				lines, inputTimeout = nil, time.After(endTimeout)
				continue
			}
			if quit := l.handleCommand(line); quit {
				return nil
			}
		case i := <-infos:
			l.printInfo(&i)
		case l.search.answer = <-answers:
			l.printAnswerIfDue()
		case <-inputTimeout:
			l.endSearch(errInputEnded)
		}
	}
}

// A loop is the state of Run. Only the goroutine of Run touches it.
type loop struct {
	printer
	ctx    context.Context // ends with Run, and every search with it
	engine Engine
	name   string

	options []*setting
	game    *shogi.Game // of the last position command; nil if there is none, or a bad one
	gameErr string      // why game is nil, for the user
	search  *search     // nil: idle
	pending []func()    // calls of the engine that wait until the search is answered
}

// A search is one go command that has not been answered yet.
type search struct {
	infinite  bool       // the answer waits for stop
	ponder    bool       // the answer waits for ponderhit or stop
	clock     Clock      // of the go command
	ponderhit chan Clock // nil unless go ponder
	cancel    context.CancelCauseFunc
	infos     chan Info   // unbuffered, so that all of them are printed before the answer
	answers   chan answer // gets what the engine returns
	answer    answer      // what the engine returned; nil while it searches
}

// An answer is a BestMove or a Checkmate.
type answer interface{ print(*printer) }

// channels returns what the search sends on, nil for no search. After the answer nothing comes.
func (s *search) channels() (<-chan Info, <-chan answer) {
	if s == nil || s.answer != nil {
		return nil, nil
	}
	return s.infos, s.answers
}

// handleCommand carries out one command and reports whether it was quit. It skips unknown ones.
func (l *loop) handleCommand(line line) (quit bool) {
	command, rest := cutWord(line.text)
	if line.cut {
		l.infof("error: a line of more than %d MiB was skipped: %s", maxLine>>20, quote(line.text))
		if command == "position" {
			// The position it meant is not the one before it.
			l.endSearch(errNextCommand)
			l.game, l.gameErr = nil, "the last position line was too long"
		}
		return false
	}
	switch command {
	case "usi":
		l.printf("id name %s", l.name)
		l.printf("id author the Tsumero authors")
		for _, o := range l.options {
			l.printf("option name %s type %s", o.Name, o.declaration())
		}
		l.printf("usiok")
	case "isready":
		if p, ok := l.engine.(Preparer); ok && l.search == nil {
			p.Ready()
		}
		l.printf("readyok")
	case "setoption":
		l.setOption(strings.Fields(rest))
	case "usinewgame":
		l.whenIdle(l.engine.NewGame)
	case "position":
		l.endSearch(errNextCommand)
		l.setPosition(line.text)
	case "go":
		l.endSearch(errNextCommand)
		l.startSearch(strings.Fields(rest))
	case "ponderhit":
		l.handlePonderhit(strings.Fields(rest))
	case "stop":
		l.endSearch(errStopped)
	case "gameover":
		l.endSearch(errNextCommand)
		if p, ok := l.engine.(Preparer); ok {
			p.GameOver()
		}
	case "quit":
		return true
	}
	return false
}

// startSearch carries out a go command, given the words after go. No search is running.
func (l *loop) startSearch(words []string) {
	command, warnings := parseGo(words)
	for _, w := range warnings {
		l.infof("%s", w)
	}
	ctx, cancel := context.WithCancelCause(l.ctx)
	s := &search{
		infinite: command.Infinite,
		ponder:   command.ponder,
		clock:    command.Clock,
		cancel:   cancel,
		infos:    make(chan Info),
		answers:  make(chan answer, 1), // has room, so that an answer after Run blocks no goroutine
	}
	l.search = s

	request := command.Request
	if s.ponder {
		s.ponderhit = make(chan Clock, 1)
		request.Ponderhit = s.ponderhit
	}
	engine := l.engine
	if l.game != nil {
		request.Game = *l.game
	} else {
		engine = noPosition{l.gameErr}
	}
	report := func(i Info) {
		select {
		case s.infos <- i:
		case <-l.ctx.Done(): // Run has ended: there is no reader
		}
	}
	go func() {
		if command.mate {
			s.answers <- engine.Mate(ctx, request, report)
		} else {
			s.answers <- engine.Search(ctx, request, report)
		}
	}()
}

// handlePonderhit makes the search of a go ponder an ordinary one. Its clock is in the words after
// ponderhit, or was in the go command.
func (l *loop) handlePonderhit(words []string) {
	s := l.search
	if s == nil || !s.ponder {
		return
	}
	if hit, _ := parseGo(words); hit.Clock.Given {
		s.clock = hit.Clock
	}
	s.ponder = false
	s.ponderhit <- s.clock
	l.printAnswerIfDue()
}

// endSearch ends the search, if there is one, and prints its answer.
func (l *loop) endSearch(why error) {
	s := l.search
	if s == nil {
		return
	}
	s.cancel(why)
	for s.answer == nil {
		select {
		case i := <-s.infos:
			l.printInfo(&i)
		case s.answer = <-s.answers:
		}
	}
	l.printAnswer()
}

// printAnswerIfDue prints the answer of the search, if the engine has given it and it need not
// wait.
func (l *loop) printAnswerIfDue() {
	if s := l.search; s.answer != nil && !s.infinite && !s.ponder {
		l.printAnswer()
	}
}

// printAnswer prints the answer of the search and makes the loop idle.
func (l *loop) printAnswer() {
	l.search.cancel(nil)
	l.search.answer.print(&l.printer)
	l.search = nil
	for _, f := range l.pending {
		f()
	}
	l.pending = nil
}

// whenIdle calls f as soon as no search is running.
func (l *loop) whenIdle(f func()) {
	if l.search == nil {
		f()
		return
	}
	l.pending = append(l.pending, f)
}

// cutWord splits s after its first word.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}
