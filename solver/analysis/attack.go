package analysis

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

func pointer(prefix string, i int) string { return prefix + strconv.Itoa(i) }

// A round gives each open question that many times the nodes of the round before, so that a hopeless
// one does not keep the others waiting.
const (
	firstRound  = 2000
	roundFactor = 8
)

// An attackNode is the work on an AttackNode.
type attackNode struct {
	at     int // moves of the main line before it
	checks []OtherCheck
	open   int // of them not decided
}

// attack finds out what every other check on the main line comes to: in rounds, and in each from the
// last node to the first.
func (w *work) attack() {
	moves := w.a.Line.Moves
	nodes := make([]attackNode, (len(moves)+1)/2)
	total := 0
	for i := range nodes {
		n := &nodes[i]
		n.at = 2 * i
		for _, m := range preferredChecks(&w.line[n.at]) {
			if m != moves[n.at] {
				n.checks = append(n.checks, OtherCheck{Move: m, Length: length.Interval{Low: n.at + 1, High: length.Unbounded}})
			}
		}
		n.open = len(n.checks)
		total += n.open
	}
	w.a.Attack = make([]AttackNode, len(nodes))
	for i := range nodes {
		w.publish(i, &nodes[i])
	}
	done := 0
	for limit := uint64(firstRound); ; limit *= roundFactor {
		limit = min(limit, w.q.QuestionNodes)
		w.begin(PhaseAttack)
		w.best = map[state]lineChoice{}
		for i := len(nodes) - 1; i >= 0; i-- {
			n := &nodes[i]
			for j := range n.checks {
				c := &n.checks[j]
				if c.Verdict != solver.Unknown || w.stopped() != solver.NoReason {
					continue
				}
				if w.check(n, c, limit); c.Verdict != solver.Unknown {
					n.open--
					done++
				}
				w.update("", done, total)
			}
			w.publish(i, n)
			w.update(pointer("/attack/", i), done, total)
			if w.q.StopAtDefect && w.hasDefect() {
				return
			}
		}
		if limit == w.q.QuestionNodes || done == total || w.stopped() != solver.NoReason {
			break
		}
	}
	if reason := w.stopped(); reason != solver.NoReason {
		w.open(reason)
		for i := range nodes {
			for j := range nodes[i].checks {
				if c := &nodes[i].checks[j]; c.Verdict == solver.Unknown {
					c.Reason = reason
				}
			}
			w.publish(i, &nodes[i])
		}
	}
}

// publish puts what is known of a node into the report.
func (w *work) publish(i int, n *attackNode) {
	out := AttackNode{Place: Place{n.at + 1, w.a.Line.Moves[n.at]}, Checks: len(n.checks) + 1, Open: n.open,
		OthersComplete: w.q.Parts&Tries != 0}
	for _, c := range n.checks {
		switch c.Verdict {
		case solver.Mate:
			out.Mate++
		case solver.NoMate:
			out.Fail++
		}
		if c.Verdict != solver.NoMate || out.OthersComplete {
			out.Others = append(out.Others, c)
		}
	}
	slices.SortStableFunc(out.Others, func(a, b OtherCheck) int { return int(b.Class) - int(a.Class) })
	w.a.Attack[i] = out
}

// check asks what another check comes to.
func (w *work) check(n *attackNode, c *OtherCheck, nodes uint64) {
	next := after(&w.line[n.at], c.Move)
	r := w.ask(solver.Question{Position: next, Limits: solver.Limits{Nodes: nodes}})
	c.Verdict, c.Reason = r.Verdict, r.Reason
	c.Nodes += r.Nodes
	switch r.Verdict {
	case solver.NoMate:
		c.Class, c.Length = Try, length.Interval{Low: length.Unbounded, High: length.Unbounded}
	case solver.Mate:
		c.Reason = solver.NoReason
		c.Line, c.Raw = append([]shogi.Move{c.Move}, r.Line...), true
		c.Leftover = lineOf(w.line[n.at], c.Line).Leftover
		c.Length.High = n.at + len(c.Line)
		w.measure(n, c, next, r.Plies())
		if w.q.Parts&Duals != 0 {
			w.classify(n, c, next)
		}
	}
}

// measure finds the length of the problem with another check that mates, if it can.
func (w *work) measure(n *attackNode, c *OtherCheck, next shogi.Position, raw int) {
	v := w.interval(next, raw, min(w.q.QuestionNodes, 20_000))
	c.Length = length.Interval{Low: n.at + 1 + v.Low, High: n.at + 1 + v.High}
	if !v.IsExact() {
		return
	}
	if line, ok := w.bestLine(next, v.Low); ok {
		c.Line, c.Raw = append([]shogi.Move{c.Move}, line...), false
		c.Leftover = lineOf(w.line[n.at], c.Line).Leftover
	}
}

// classify says what another check that mates is to the problem: the first of the classes that
// applies.
func (w *work) classify(n *attackNode, c *OtherCheck, next shogi.Position) {
	p, main := &w.line[n.at], w.a.Line.Moves[n.at]
	last := n.at == len(w.a.Line.Moves)-1
	if m := p.Mirrored(); m.SamePosition(p) && c.Move == main.Mirrored() {
		c.Class = Mirror
		return
	}
	verdict := w.marked(next, n.at, c)
	switch verdict {
	case solver.NoMate:
		c.Class = Detour
		return
	case solver.Unknown:
		return
	}
	c.Dual = alike(p, main, c.Move, last)
	if c.Dual != NoDual {
		c.SamePlay = w.samePlay(n, c.Move, next)
	}
	switch {
	case last:
		c.Class = LastMove
		return
	case c.Dual != NoDual && c.SamePlay != No:
		c.Class = DualMove
		if c.SamePlay == Unknown {
			c.Reason = solver.ReasonNodes
		}
		return
	}
	switch w.marked(next, len(w.a.Line.Moves)-1, c) {
	case solver.NoMate:
		c.Class = Transposition
	case solver.Mate:
		c.Class = Cook
		if w.a.Author != nil && c.Length.High < w.a.Author.Plies {
			c.Class = Early
		}
	}
}

// marked asks whether the attacker mates after another check without coming to a position of the
// main line, of those up to so many moves.
func (w *work) marked(next shogi.Position, upTo int, c *OtherCheck) solver.Verdict {
	var marks []shogi.Position
	for i := 0; i <= upTo; i += 2 {
		marks = append(marks, w.line[i])
	}
	r := w.ask(solver.Question{Position: next, Marks: marks, Limits: solver.Limits{Nodes: w.q.QuestionNodes}})
	c.Nodes += r.Nodes
	if r.Verdict == solver.Unknown {
		c.Reason = cmp.Or(r.Reason, solver.ReasonNodes)
		w.open(c.Reason)
	}
	return r.Verdict
}

// alike returns how another check is like the main move.
func alike(p *shogi.Position, main, other shogi.Move, last bool) Dual {
	kind := func(m shogi.Move) shogi.PieceType {
		if m.IsDrop() {
			return m.Dropped()
		}
		return p.Piece(m.From()).Type()
	}
	if main.IsDrop() != other.IsDrop() || kind(main) != kind(other) {
		return NoDual
	}
	king := p.King(p.SideToMove().Opponent())
	switch {
	case main.IsDrop() && sameRay(p, king, main.To(), other.To()):
		return DistanceDrop
	case main.IsDrop():
	case main.From() == other.From() && main.To() == other.To():
		return Promotion
	case main.From() == other.From() && main.IsPromotion() == other.IsPromotion() &&
		(sameRay(p, king, main.To(), other.To()) || sameRay(p, main.From(), main.To(), other.To())):
		return DistanceMove
	case main.To() == other.To() && main.IsPromotion() == other.IsPromotion():
		return Origin
	}
	if last {
		return Side
	}
	return NoDual
}

// sameRay reports whether a and b are on the same line from a square, with nothing between them.
func sameRay(p *shogi.Position, from, a, b shogi.Square) bool {
	return (shogi.Between(from, a).Has(b) || shogi.Between(from, b).Has(a)) && !shogi.Between(a, b).Intersects(p.Occupied())
}

// samePlay reports whether the play after another check, with which next is reached, is that after
// the main move: the rest of the main line can be played too, the length is the same, and what the
// defender can do to last as long he can do there too. That he may have other, shorter replies does
// not make it another solution.
func (w *work) samePlay(n *attackNode, other shogi.Move, next shogi.Position) Answer {
	main := w.line[n.at+1]
	t := twin{w.a.Line.Moves[n.at].To(), other.To()}
	if !canFollow(next, w.a.Line.Moves[n.at+1:], t) {
		return No
	}
	rest := len(w.a.Line.Moves) - n.at - 1
	plies, ok := w.within(main, rest, lineNodes)
	if !ok || plies > rest {
		return Unknown
	}
	switch l, ok := w.within(next, plies, lineNodes); {
	case l > plies, ok && l != plies:
		return No
	case !ok:
		return Unknown
	}
	a, ok := w.replies(main, plies, lineNodes)
	b, ok2 := w.replies(next, plies, lineNodes)
	if !ok || !ok2 {
		return Unknown
	}
	longest := map[shogi.Move]bool{}
	for _, r := range a {
		if r.Futile == length.NotFutile && r.Length == plies {
			longest[r.Move], longest[t.move(r.Move)] = true, true
		}
	}
	for _, r := range b {
		if r.Futile == length.NotFutile && r.Length == plies && !longest[r.Move] {
			return No
		}
	}
	return Yes
}

// A twin is a piece that stands on one square after the main move, and on another after a move like
// it.
type twin struct{ main, other shogi.Square }

// move returns what a move of the main line is after the other move.
func (t twin) move(m shogi.Move) shogi.Move {
	from, to := m.From(), m.To()
	if to == t.main {
		to = t.other
	}
	switch {
	case m.IsDrop():
		return shogi.NewDrop(m.Dropped(), to)
	case from == t.main:
		from = t.other
	}
	if m.IsPromotion() {
		return shogi.NewPromotion(from, to)
	}
	return shogi.NewMove(from, to)
}

// canFollow reports whether the moves of the main line, the defender first, can be played from p,
// which a move like the main move led to. The piece that was moved may have to come from elsewhere,
// or still to promote.
func canFollow(p shogi.Position, moves []shogi.Move, t twin) bool {
	for i, m := range moves {
		moved := !m.IsDrop() && m.From() == t.main
		legal := !moved && p.IsLegal(m)
		if !legal && (moved || m.To() == t.main) { // or captured
			m = t.move(m)
			legal = p.IsLegal(m)
		}
		if moved && !m.IsPromotion() {
			if up := shogi.NewPromotion(m.From(), m.To()); p.IsLegal(up) {
				m, legal = up, true
			}
		}
		if !legal {
			return false
		}
		p.Do(m)
		if i%2 == 1 && !p.InCheck() {
			return false
		}
		if moved {
			t = twin{m.To(), m.To()}
		}
	}
	return true
}
