package usi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A position is what the last position command set. The zero position says that there was none.
type position struct {
	shogi.Position
	set bool
	err string // what is wrong with the command, if not set
}

// maxFaults is how many faults of one position are told; the rest are counted.
const maxFaults = 4

// setPosition carries out a position command. A bad one is reported at once and again by every go that follows:
// the position before it is forgotten, since an answer about that one would be taken for an answer about this one.
func (e *engine) setPosition(command string) {
	g, err := shogi.ParsePosition(command)
	if err != nil {
		e.position = position{err: describe(err)}
		e.infof("error: %s", e.position.err)
		return
	}
	e.position = position{Position: g.Position(), set: true}
}

// question returns the position to search, whether its side to move is the defender, and, in words, why there is
// nothing to search.
func (p *position) question() (pos shogi.Position, defending bool, problem string) {
	if !p.set {
		if p.err != "" {
			return shogi.Position{}, false, p.err
		}
		return shogi.Position{}, false, "there was no position command"
	}
	attacker, err := solver.Attacker(&p.Position)
	if err != nil {
		return shogi.Position{}, false, strings.TrimPrefix(err.Error(), "solver: ")
	}
	return p.Position, attacker != p.SideToMove(), ""
}

// describe names the faults of a position: field, byte of the command line, what was found and what was expected.
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
