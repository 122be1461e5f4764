package usi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// maxFaults is how many faults of one position are reported; the rest are counted.
const maxFaults = 4

// setPosition carries out a position command. GUIs send the whole game each time, and the game is
// kept whole, because repetition depends on the moves played.
//
// A bad position is reported at once, and again by every go that follows. The one before it is
// forgotten: an answer about that one would be taken for an answer about this one.
func (l *loop) setPosition(command string) {
	g, err := shogi.ParsePosition(command)
	if err != nil {
		l.game, l.gameErr = nil, describe(err)
		l.infof("error: %s", l.gameErr)
		return
	}
	l.game = &g
}

// noPosition stands in for the engine while there is nothing to search. Its string says why.
type noPosition struct{ reason string }

func (noPosition) Options() []Option { return nil }
func (noPosition) NewGame()          {}

// Search waits for the end of the search. Any move might be illegal where the GUI is, and to resign would
// lose a game for a line that was not understood. Whoever says stop waits for a bestmove, and counts it no
// more; nobody else gets one.
func (n noPosition) Search(ctx context.Context, r Request, report func(Info)) BestMove {
	if r.Ponderhit != nil {
		select { // GUIs expect no line while they let an engine ponder
		case <-r.Ponderhit:
		case <-ctx.Done():
		}
	}
	report(Info{String: "error: " + n.reason})
	<-ctx.Done()
	return BestMove{Unasked: !errors.Is(context.Cause(ctx), errStopped)}
}

func (n noPosition) Mate(_ context.Context, _ Request, report func(Info)) Checkmate {
	report(Info{String: "error: " + n.reason})
	return Checkmate{}
}

// reason says what an error says, without the name of the package.
func reason(err error) string {
	if m, ok := shogi.MessageOf(err); ok {
		return m.String()
	}
	return err.Error()
}

// describe names the faults of a position: field, byte of the command line, what was found and what
// was expected.
func describe(err error) string {
	var bad *shogi.SFENError
	if !errors.As(err, &bad) {
		return err.Error()
	}
	var b strings.Builder
	for i, f := range bad.Faults {
		if i == maxFaults {
			fmt.Fprintf(&b, "; and %d more", len(bad.Faults)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s, byte %d: %s", f.Field, f.Offset, f.Msg)
	}
	return b.String()
}
