package analysis

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// lineLengths are the lengths on lines: most of it is remembered.
type lineLengths struct{ *work }

// lineNodes is how many nodes the search for lines may take at a position whose length is known.
const lineNodes = 1_000_000

// Within returns the length of p if it is at most plies.
func (w lineLengths) Within(p shogi.Position, plies int) (n int, ok bool) {
	return w.within(p, plies, lineNodes)
}

// IsWithin reports whether the length of p, with the defender to move, is at most plies.
func (w lineLengths) IsWithin(p shogi.Position, plies int) (yes, ok bool) {
	return w.isWithin(p, plies, lineNodes)
}

// Replies returns what the replies in p come to, whose length is at most plies.
func (w lineLengths) Replies(p shogi.Position, plies int) (list []length.Reply, ok bool) {
	return w.replies(p, plies, lineNodes)
}

// findLine finds the main line: the author's, if it mates, else the best one, else what is known.
func (w *work) findLine() {
	w.best = length.NewPlay(lineLengths{w}, shogi.Black)
	v := w.a.Length()
	if v.IsExact() {
		w.longest(v.Low)
	}
	w.author()
	w.line = positions(w.p, w.a.Line.Moves)
	w.update("/line", 1, 1)
}

// longest makes the best line of the diagram, whose length is exact, the main line.
func (w *work) longest(plies int) {
	if w.q.Policy == length.F0 && plies > 9 { // too many interpositions for all lines
		w.open(solver.ReasonNodes)
		return
	}
	c, ok := w.best.Check(w.p, plies)
	if !ok {
		w.open(solver.ReasonNodes)
		return
	}
	most, ok := w.best.Most(w.p, plies)
	if !ok {
		w.open(solver.ReasonNodes)
		return
	}
	w.a.Leftover = Leftover{Class: LeftoverNone, Least: c.Least, Most: most}
	switch {
	case c.Least > 0:
		w.a.Leftover.Class = LeftoverForced
	case most > 0:
		w.a.Leftover.Class = LeftoverAvoidable
	}
	moves, _ := w.best.Line(w.p, plies)
	w.a.Line = lineOf(w.p, moves)
}

// lineOf makes a Line of moves.
func lineOf(p shogi.Position, moves []shogi.Move) Line {
	end := positions(p, moves)
	return Line{Moves: moves, Leftover: end[len(end)-1].Hand(shogi.Black)}
}

// positions returns p and the positions after each of the moves.
func positions(p shogi.Position, moves []shogi.Move) []shogi.Position {
	list := []shogi.Position{p}
	for _, m := range moves {
		p.Do(m)
		list = append(list, p)
	}
	return list
}

// followAuthor replays the author's line and finds out whether there is a mate after each check of
// it, the last first: what is found there helps before it, and with the diagram itself.
func (w *work) followAuthor() {
	a := &Author{Moves: w.q.Line, Plies: len(w.q.Line)}
	w.a.Author = a
	line := w.replay(a)
	if a.Fault != NoFault {
		a.Finding = Faulty
		w.update("/author", 1, 1)
		return
	}
	w.authors, w.after = line, make([]solver.Verdict, len(line))
	for i := len(line) - 1; i > 0; i -= 2 {
		r := w.ask(solver.Question{Position: line[i], Limits: solver.Limits{Nodes: w.q.QuestionNodes}})
		w.after[i] = r.Verdict
		if r.Verdict == solver.Unknown {
			w.open(r.Reason)
		}
		w.update("", len(line)-i, len(line))
	}
}

// author finds out what the author's line comes to, and makes it the main line if it mates.
func (w *work) author() {
	if w.authors == nil {
		return
	}
	a := w.a.Author
	futile := w.futileReplies(w.authors)
	a.Plies -= 2 * len(futile)
	if len(futile) == 0 || !w.a.Length().IsExact() || w.a.Length().Low != a.Plies {
		// Else the best line is the same without the futile drops.
		w.a.Line = lineOf(w.p, w.q.Line)
		w.a.Line.Given = true
	}
	if w.a.Verdict == solver.NoMate {
		w.after[1] = solver.NoMate
	}
	if place, ok := w.escape(); ok {
		a.Finding, a.Places = NoMateAfter, []Place{place}
	} else {
		w.findings(a, w.authors, futile)
	}
	w.update("/author", 1, 1)
}

// replay returns the positions of the author's line, or sets why it is no line to a mate.
func (w *work) replay(a *Author) (line []shogi.Position) {
	p := w.p
	fault := func(f LineFault, ply int, m shogi.Move) []shogi.Position {
		a.Fault, a.Places = f, []Place{{Ply: ply, Move: m}}
		return nil
	}
	for i, m := range a.Moves {
		if !p.IsLegal(m) {
			return fault(IllegalMove, i+1, m)
		}
		p.Do(m)
		if i%2 == 0 && !p.InCheck() {
			return fault(NoCheck, i+1, m)
		}
	}
	n := len(a.Moves)
	if n%2 == 0 {
		return fault(DefenderLast, n, a.Moves[n-1])
	}
	if plies, ok := w.within(p, 0, lineNodes); p.HasEvasion() && (!ok || plies > 0) {
		return fault(WithoutMate, n+1, plainReply(&p))
	}
	return positions(w.p, a.Moves)
}

// plainReply returns a legal reply that shows people that a position is no mate: one that is no drop,
// if there is one, for a drop may be futile.
func plainReply(p *shogi.Position) shogi.Move {
	var buf shogi.MoveBuffer
	return slices.MinFunc(p.Evasions(&buf, shogi.AllMoves), func(a, b shogi.Move) int {
		return length.ComparePreferred(p, a, b)
	})
}

// futileReplies returns which moves of the line are futile drops that are taken at once.
func (w *work) futileReplies(line []shogi.Position) (futile []int) {
	for i := 1; i+1 < len(w.q.Line); i += 2 {
		d, c := w.q.Line[i], w.q.Line[i+1]
		if !d.IsDrop() || c.To() != d.To() {
			continue
		}
		// Of what lasts longer than the rest of the line nothing need be known.
		replies, _ := w.replies(line[i], len(w.q.Line)-i, lineNodes)
		for _, r := range replies {
			if r.Move == d && r.Futile != length.NotFutile {
				futile = append(futile, i)
			}
		}
	}
	return futile
}

// findings compares the author's line with what is known of the lengths.
func (w *work) findings(a *Author, line []shogi.Position, futile []int) {
	rests := make([]int, len(w.q.Line)) // plies to the mate by the line, -1 at futile drops
	rest := a.Plies
	for i := range rests {
		if slices.Contains(futile, i) || slices.Contains(futile, i-1) {
			rests[i] = -1
			continue
		}
		rests[i], rest = rest, rest-1
	}
	// Later positions first: what is found there helps before them.
	lengths := make([]length.Interval, len(rests))
	for i, rest := range slices.Backward(rests) {
		if rest >= 0 {
			lengths[i] = w.bounds(line[i], rest, i+1)
		}
	}
	decided := true
	for i, m := range w.q.Line {
		rest, v := rests[i], lengths[i]
		switch {
		case rest < 0:
		case i%2 == 0 && v.High < rest:
			// The attacker goes wrong at the last such move.
			a.Finding, a.Places = IsEarly, []Place{{Ply: i + 1, Move: m}}
		case i%2 == 1 && v.Low > rest && a.Finding != IsEarly:
			a.Finding = IsLonger
			a.Places = append(a.Places, w.longer(line[i], rest, i+1)...)
		case v.Low != rest || v.High != rest:
			decided = false
		}
	}
	left := line[len(line)-1].Hand(shogi.Black)
	switch {
	case a.Finding != AuthorUnknown:
	case !decided:
		w.open(solver.ReasonNodes)
	case w.a.Leftover.Class == LeftoverNone && left.Len() > len(futile):
		a.Finding = PrefersEqual
	default:
		a.Finding = Agrees
	}
}

// escape returns the first reply to a move of the author's line after which there is no mate.
func (w *work) escape() (Place, bool) {
	for i := 1; i < len(w.authors); i += 2 {
		if w.after[i] != solver.NoMate {
			continue
		}
		p := w.authors[i]
		var buf shogi.MoveBuffer
		for _, d := range slices.Clone(p.Evasions(&buf, shogi.AllMoves)) {
			q := solver.Question{Position: p.After(d), Limits: solver.Limits{Nodes: w.q.QuestionNodes}}
			if w.ask(q).Verdict == solver.NoMate {
				return Place{Ply: i + 1, Move: d}, true
			}
		}
		return Place{Ply: i, Move: w.q.Line[i-1]}, true
	}
	return Place{}, false
}

// bounds returns what is known of the length of p, about which it matters whether it is plies. There are
// so many questions like this one left. If the last questions may have more nodes than the others they
// share what there is.
func (w *work) bounds(p shogi.Position, plies, left int) length.Interval {
	n, ok := w.within(p, plies, w.q.QuestionNodes)
	v := length.Interval{Low: n + (plies-n)%2, High: length.Unbounded}
	switch {
	case ok && n <= plies:
		return length.Exactly(n)
	case ok:
		v.Low = n
		return v
	}
	nodes := w.q.QuestionNodes
	if w.grow {
		nodes = max(nodes, (w.left-w.floor)/uint64(left))
	}
	return w.compare(p, v, plies, nodes)
}

// longer returns the replies in p, at the given ply of the line, that last longer than plies.
func (w *work) longer(p shogi.Position, plies, ply int) (list []Place) {
	replies, _ := w.replies(p, plies, w.q.QuestionNodes)
	for _, r := range replies {
		if r.Futile == length.NotFutile && r.Length > plies {
			list = append(list, Place{Ply: ply, Move: r.Move})
		}
	}
	return list
}
