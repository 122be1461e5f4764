package analysis

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/length"
)

// maxEqualLines is how many equal lines ScopeEqual looks along.
const maxEqualLines = 500

// A meeting is what makes two positions of the attacker's the same question. A position and its
// mirror image are.
type meeting struct {
	board uint64
	hand  shogi.Hand
}

func meetingAt(p *shogi.Position) meeting {
	m := p.Mirrored()
	return meeting{min(p.BoardKey(), m.BoardKey()), p.Hand(shogi.Black)}
}

// findEqualLines finds the lines along which the attacker's other checks are asked about besides the
// main line. It follows every reply that lasts as long as the main line with nothing left over, there
// and on the lines it has found, so that the same positions are looked at whichever of these lines is
// the main one. A line ends where it comes to a position that is on another.
func (w *work) findEqualLines() {
	most := FewEqualLines
	if w.q.Scope == ScopeEqual {
		most = maxEqualLines
	}
	seen := map[meeting]bool{}
	for i := 0; i < len(w.line); i += 2 {
		seen[meetingAt(&w.line[i])] = true
	}
	for i := range w.a.Defence {
		n := &w.a.Defence[i]
		for j := range n.Replies {
			r := &n.Replies[j]
			switch {
			case r.Kind == ReplyUnknown:
				w.a.EqualLeft++ // it may be one
			case r.Kind == EqualReply && !r.Raw && len(r.Line) > 1:
				for _, m := range append([]shogi.Move{r.Move}, r.Same...) {
					moves := slices.Concat(w.a.Line.Moves[:n.Ply-1], []shogi.Move{m}, r.Line[1:])
					w.addEqualLine(moves, Place{Ply: n.Ply, Move: m}, seen, most)
				}
			}
		}
	}
	for i := 0; i < len(w.a.EqualLines); i++ { // which grow
		w.followEqualLine(i, seen, most)
	}
}

// addEqualLine adds an equal line, with room for the attack nodes that are on no line before it.
func (w *work) addEqualLine(moves []shogi.Move, reply Place, seen map[meeting]bool, most int) {
	line := positions(w.p, moves)
	if seen[meetingAt(&line[reply.Ply])] {
		return
	}
	if len(w.a.EqualLines) == most {
		w.a.EqualLeft++
		return
	}
	n := 0
	for i := reply.Ply; i < len(moves) && !seen[meetingAt(&line[i])]; i += 2 {
		seen[meetingAt(&line[i])] = true
		n++
	}
	w.a.EqualLines = append(w.a.EqualLines, EqualLine{moves, reply, make([]AttackNode, n)})
}

// followEqualLine adds the equal lines that leave an equal line, before it comes to another.
func (w *work) followEqualLine(line int, seen map[meeting]bool, most int) {
	e := w.a.EqualLines[line]
	at := positions(w.p, e.Moves)
	for i := range e.Attack {
		ply := e.Reply.Ply + 2*i + 1 // moves before the defender's
		p, rest := &at[ply], len(e.Moves)-ply
		if rest == 0 {
			return
		}
		replies, ok := w.replies(*p, rest, w.q.QuestionNodes)
		if !ok {
			w.a.EqualLeft++
			continue
		}
		slices.SortFunc(replies, func(a, b length.Reply) int { return length.ComparePreferred(p, a.Move, b.Move) })
		for _, r := range replies {
			if r.Futile != length.NotFutile || r.Length != rest || r.Move == e.Moves[ply] {
				continue
			}
			next := p.After(r.Move)
			c, ok := w.best.Check(next, rest-1)
			line, ok2 := w.best.Line(next, rest-1)
			switch {
			case !ok || !ok2:
				w.a.EqualLeft++
			case c.Least == 0:
				moves := slices.Concat(e.Moves[:ply], []shogi.Move{r.Move}, line)
				w.addEqualLine(moves, Place{ply + 1, r.Move, len(w.a.EqualLines)}, seen, most)
			}
		}
	}
}
