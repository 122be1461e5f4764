package usi

import (
	"fmt"
	"math"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// An Info is one info line: text for the user, or what a search has found so far.
type Info struct {
	// String is text for the user. Nothing else is printed on its line.
	String string

	Depth    int           // depth in plies; 0: it is left out, and SelDepth with it
	SelDepth int           // the largest depth of a single line, in plies
	Time     time.Duration // since the search began
	Nodes    uint64        // positions searched; with Time it gives the nodes per second
	HashFull float64       // how much of the table is in use, 0 to 1
	MultiPV  int           // rank of PV among several lines, 1 is the best; 0: there is only one
	Score    Score
	PV       []shogi.Move // playable from the position searched
}

// A Score is the value of a position, from the view of the side to move. The zero Score is none.
type Score struct {
	Kind  ScoreKind
	Value int // centipawns; or plies to the mate, negative if the side to move is mated
	Bound Bound
}

// A ScoreKind is what the value of a Score counts.
type ScoreKind uint8

// The kinds of scores.
const (
	NoScore ScoreKind = iota
	Centipawns
	MateInPlies
	MateInSome // a mate of the side to move; the value means nothing
)

// A Bound says whether a score is exact.
type Bound uint8

// The bounds.
const (
	Exact Bound = iota
	LowerBound
	UpperBound
)

// printInfo writes an info line.
func (p *printer) printInfo(i *Info) {
	if i.String != "" {
		p.infof("%s", i.String)
		return
	}
	b := []byte("info")
	if i.Depth > 0 {
		b = fmt.Appendf(b, " depth %d seldepth %d", i.Depth, i.SelDepth)
	}
	// GUIs read nodes per second into 32 bits.
	nps := min(float64(i.Nodes)/max(i.Time, time.Microsecond).Seconds(), math.MaxInt32)
	b = fmt.Appendf(b, " time %d nodes %d nps %d hashfull %d",
		i.Time.Milliseconds(), i.Nodes, int64(nps), int(1000*i.HashFull))
	if i.MultiPV > 0 {
		b = fmt.Appendf(b, " multipv %d", i.MultiPV)
	}
	switch i.Score.Kind {
	case Centipawns:
		b = fmt.Appendf(b, " score cp %d", i.Score.Value)
	case MateInPlies:
		b = fmt.Appendf(b, " score mate %d", i.Score.Value)
	case MateInSome:
		b = append(b, " score mate +"...)
	}
	if i.Score.Kind != NoScore {
		switch i.Score.Bound {
		case LowerBound:
			b = append(b, " lowerbound"...)
		case UpperBound:
			b = append(b, " upperbound"...)
		}
	}
	if len(i.PV) > 0 {
		b = fmt.Appendf(b, " pv %s", formatMoves(i.PV))
	}
	p.printf("%s", b)
}

// formatMoves returns moves in USI form, with blanks between them.
func formatMoves(moves []shogi.Move) string {
	var b []byte
	for i, m := range moves {
		if i > 0 {
			b = append(b, ' ')
		}
		b = m.AppendUSI(b)
	}
	return string(b)
}
