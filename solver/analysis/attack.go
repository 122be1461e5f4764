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
	growFactor  = 4 // beyond q.QuestionNodes
)

// An attackNode is the work on an AttackNode.
type attackNode struct {
	line    []shogi.Position // the line it is on
	moves   []shogi.Move
	of      int // the Place.Line of its moves
	at      int // moves of the line before it
	checks  []OtherCheck
	open    int // of them not decided
	out     *AttackNode
	pointer string // to out
}

func (n *attackNode) p() *shogi.Position { return &n.line[n.at] }

// main returns the move of the line.
func (n *attackNode) main() shogi.Move { return n.moves[n.at] }

// isLast reports whether the line ends with the move.
func (n *attackNode) isLast() bool { return n.at == len(n.moves)-1 }

// attackNodes returns the work on the attack nodes of a line from so many moves on, for out, which
// has room for them.
func attackNodes(of int, line []shogi.Position, moves []shogi.Move, from int, out []AttackNode, pointer string) []attackNode {
	nodes := make([]attackNode, len(out))
	for i := range nodes {
		n := &nodes[i]
		*n = attackNode{of: of, line: line, moves: moves, at: from + 2*i, out: &out[i], pointer: pointer + strconv.Itoa(i)}
		for _, m := range length.PreferredChecks(n.p()) {
			if m != n.main() {
				n.checks = append(n.checks, OtherCheck{Move: m, Length: length.Interval{Low: n.at + 1, High: length.Unbounded}})
			}
		}
		n.open = len(n.checks)
	}
	return nodes
}

// nodesToAsk returns the work on all attack nodes: of the equal lines, and of the main line. They are
// asked about from the last to the first, those of the main line first.
func (w *work) nodesToAsk() (nodes []attackNode) {
	for i := range w.a.EqualLines {
		e := &w.a.EqualLines[i]
		nodes = append(nodes, attackNodes(i+1, positions(w.p, e.Moves), e.Moves, e.Reply.Ply, e.Attack,
			pointer("/equal_lines/", i)+"/attack/")...)
	}
	moves := w.a.Line.Moves
	w.a.Attack = make([]AttackNode, (len(moves)+1)/2)
	return append(nodes, attackNodes(0, w.line, moves, 0, w.a.Attack, "/attack/")...)
}

// attack finds out what every other check on the main line and the equal ones comes to: in rounds,
// and in each from the last node to the first. What a round has found out about a check is kept for
// the next, whose search goes on from there.
func (w *work) attack() {
	w.begin(PhaseAttack)
	w.best = length.NewPlay(lineLengths{w}, shogi.Black)
	w.nodes = w.nodesToAsk()
	for i := range w.nodes {
		w.total += w.nodes[i].open
		w.publish(&w.nodes[i])
	}
	for limit := min(firstRound, w.q.QuestionNodes); limit > 0; limit = w.nextRound(limit) {
		w.round(limit, w.check)
		if w.q.Stop == StopFirst && w.hasDefect() {
			return
		}
	}
	if open := w.total - w.done; open > 0 && !w.isSettled() && w.stopped() == solver.NoReason {
		limit := w.q.QuestionNodes / horizonShare
		if w.grow {
			limit = max(limit, w.partOf(open)/uint64(len(horizons)))
		}
		if limit = min(limit, w.partOf(open)); limit > 0 { // 0 is any number
			w.round(limit, w.checkWithin)
		}
	}
	for limit := w.rest(); limit > 0; limit = w.rest() {
		w.round(limit, w.check)
	}
	w.leaveOpen()
}

// A check that is not decided at any length is asked about once more: whether it mates in so many
// plies more than the main line has, up to Horizon, each with one part in horizonShare of the nodes of
// a question. Of 114 checks of problems of up to nine plies that 20,000 nodes leave open, as many
// nodes for each of these questions show that none mates in as many plies as the main line, 110 not in
// four more, 81 in eight, 40 in twelve and 23 in twenty; with 160,000 it is 78 in twenty. Asked at once about
// twenty more, nothing is shown of any.
const (
	Horizon      = 20
	horizonShare = 8
)

var horizons = [...]int{0, 4, 8, 12, Horizon}

// partOf returns what each of n questions gets of the nodes that are left.
func (w *work) partOf(n int) uint64 { return (w.left - w.floor) / uint64(max(n, 1)) }

// nextRound returns the nodes for each question of the round after one with so many, 0 if there is
// none. The rounds go up to q.QuestionNodes. If the last questions get more than that, they do as long
// as there are nodes for all of them and twice as many as before: so they must be few.
func (w *work) nextRound(limit uint64) uint64 {
	open := w.total - w.done
	switch {
	case open == 0 || w.isSettled() || w.stopped() != solver.NoReason:
		return 0
	case limit < w.q.QuestionNodes:
		return min(limit*roundFactor, w.q.QuestionNodes)
	case w.grow:
		if next := min(limit*growFactor, w.partOf(open)); next >= 2*limit {
			return next
		}
	}
	return 0
}

// rest returns the nodes for each question that is open after all rounds, 0 if there are no more: all
// that are left, if the last questions may have them. Each round leaves fewer.
func (w *work) rest() uint64 {
	limit := w.partOf(w.total - w.done)
	if !w.grow || limit < firstRound || w.done == w.total || w.isSettled() || w.stopped() != solver.NoReason ||
		w.q.Stop == StopFirst && w.hasDefect() {
		return 0
	}
	return limit
}

// round asks about every check that is not decided, with so many nodes for each question.
func (w *work) round(limit uint64, ask func(n *attackNode, c *OtherCheck, nodes uint64)) {
	for i := len(w.nodes) - 1; i >= 0; i-- {
		n := &w.nodes[i]
		if limit > firstRound && !w.isSettled() && w.isOpenUpTo(i) {
			w.prove(n, limit)
		}
		for j := range n.checks {
			c := &n.checks[j]
			if c.Verdict != solver.Unknown || w.stopped() != solver.NoReason || w.isSettled() && limit > firstRound {
				continue
			}
			if ask(n, c, limit); c.Verdict != solver.Unknown {
				n.open--
				w.done++
			}
			w.update("", w.done, w.total)
		}
		w.publish(n)
		w.update(n.pointer, w.done, w.total)
		if w.q.Stop == StopFirst && w.hasDefect() {
			return
		}
	}
}

// isOpenUpTo reports whether there is a question at the node or at one before it on its line.
func (w *work) isOpenUpTo(node int) bool {
	for i := node; i >= 0 && w.nodes[i].of == w.nodes[node].of; i-- {
		if w.nodes[i].open > 0 {
			return true
		}
	}
	return false
}

// prove puts the mate from a node of the line into the session's table, for the checks that come back
// to the line here or further on. It is known to mate, so that there is no answer.
func (w *work) prove(n *attackNode, nodes uint64) {
	e, known := w.log.recall()
	if !known {
		if e.Reason = w.stopped(); e.Reason == solver.NoReason {
			d := w.session.Decide(w.ctx, solver.Question{Position: *n.p(), Attacker: shogi.Black,
				Limits: solver.Limits{Nodes: min(nodes, w.left-w.floor)}})
			e.Nodes, e.Reason = d.Nodes, d.Reason
		}
		w.log.add(e)
	}
	w.spend(e.Nodes)
	w.note(e.Reason)
}

// isSettled reports whether enough cooks are known to stop looking for more.
func (w *work) isSettled() bool { return w.q.Stop == StopSettled && w.cooks >= SettledCooks }

// leaveOpen says why checks are left that are not decided.
func (w *work) leaveOpen() {
	reason := w.stopped()
	if w.isSettled() {
		reason = solver.ReasonSettled
	}
	if reason == solver.NoReason || w.done == w.total {
		return
	}
	w.open(reason)
	for i := range w.nodes {
		n := &w.nodes[i]
		for j := range n.checks {
			if c := &n.checks[j]; c.Verdict == solver.Unknown {
				c.Reason = reason
			}
		}
		w.publish(n)
	}
}

// publish puts what is known of a node into the report.
func (w *work) publish(n *attackNode) {
	out := AttackNode{Place: Place{Ply: n.at + 1, Move: n.main()}, Checks: len(n.checks) + 1, Open: n.open,
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
	*n.out = out
}

// check asks what another check comes to at any length.
func (w *work) check(n *attackNode, c *OtherCheck, nodes uint64) {
	w.answer(n, c, solver.Limits{Nodes: nodes})
}

// checkWithin asks in how many plies another check does not mate.
func (w *work) checkWithin(n *attackNode, c *OtherCheck, nodes uint64) {
	for _, more := range horizons {
		within := w.a.lineLength() + more
		w.answer(n, c, solver.Limits{Nodes: nodes, Plies: max(within-n.at-1, 1)})
		if c.Verdict != solver.Unknown || c.Reason != solver.ReasonPlies {
			break
		}
		c.NoMateWithin = within
	}
	if c.Reason == solver.ReasonPlies {
		c.Reason = solver.ReasonNodes // why it is not decided at any length
	}
}

// answer asks about another check and takes down the answer.
func (w *work) answer(n *attackNode, c *OtherCheck, lim solver.Limits) {
	next := n.p().After(c.Move)
	r := w.ask(solver.Question{Position: next, Limits: lim})
	c.Verdict, c.Reason = r.Verdict, r.Reason
	c.Nodes += r.Nodes
	switch r.Verdict {
	case solver.NoMate:
		c.Reason, c.NoMateWithin = solver.NoReason, 0
		c.Class, c.Length = Try, length.Interval{Low: length.Unbounded, High: length.Unbounded}
	case solver.Mate:
		c.Reason, c.NoMateWithin = solver.NoReason, 0
		c.Line, c.Raw = append([]shogi.Move{c.Move}, r.Line...), true
		c.Leftover = lineOf(*n.p(), c.Line).Leftover
		c.Length.High = n.at + len(c.Line)
		if w.isSettled() {
			c.Reason = solver.ReasonSettled
			return
		}
		w.measure(n, c, next, r.Plies())
		if w.q.Parts&Duals != 0 {
			w.classify(n, c, next)
		}
		switch c.Class {
		case Cook, Early, Transposition:
			w.cooks++
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
	if line, ok := w.best.Line(next, v.Low); ok {
		c.Line, c.Raw = append([]shogi.Move{c.Move}, line...), false
		c.Leftover = lineOf(*n.p(), c.Line).Leftover
	}
}

// classify says what another check that mates is to the problem: the first of the classes that
// applies.
func (w *work) classify(n *attackNode, c *OtherCheck, next shogi.Position) {
	p, main, last := n.p(), n.main(), n.isLast()
	if m := p.Mirrored(); m.SamePosition(p) && c.Move == main.Mirrored() {
		c.Class = Mirror
		return
	}
	verdict := w.marked(n, next, n.at, c)
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
	switch w.marked(n, next, len(n.moves)-1, c) {
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
// line, of those up to so many moves.
func (w *work) marked(n *attackNode, next shogi.Position, upTo int, c *OtherCheck) solver.Verdict {
	var marks []shogi.Position
	for i := 0; i <= upTo; i += 2 {
		marks = append(marks, n.line[i])
	}
	r := w.ask(solver.Question{Position: next, Marks: marks, Limits: solver.Limits{Nodes: w.q.QuestionNodes}})
	c.Nodes += r.Nodes
	if r.Verdict == solver.Unknown {
		c.Reason = cmp.Or(r.Reason, solver.ReasonNodes)
		w.open(c.Reason)
	}
	return r.Verdict
}

// IsDefect reports whether another check than the first of moves, which are the rest of the main line from p
// on, is a defect by every profile if it mates without coming back to the line: a cook or a transposition for
// certain, or another piece that comes to the same square. False means that it may be a dual, a mirror image or
// a second last move, which some allow.
func IsDefect(p *shogi.Position, moves []shogi.Move, other shogi.Move) bool {
	main := moves[0]
	if m := p.Mirrored(); len(moves) == 1 || other == main || other == main.Mirrored() && m.SamePosition(p) {
		return false
	}
	switch alike(p, main, other, false) {
	case NoDual, Origin:
		return true
	}
	return !canFollow(p.After(other), moves[1:], twin{main.To(), other.To()})
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
	onRay := shogi.Between(from, a).Has(b) || shogi.Between(from, b).Has(a)
	return onRay && !shogi.Between(a, b).Intersects(p.Occupied())
}

// samePlay reports whether the play after another check, with which next is reached, is that after
// the main move: the rest of the main line can be played too, the length is the same, and what the
// defender can do to last as long he can do there too. That he may have other, shorter replies does
// not make it another solution.
func (w *work) samePlay(n *attackNode, other shogi.Move, next shogi.Position) Answer {
	main := n.line[n.at+1]
	t := twin{n.main().To(), other.To()}
	if !canFollow(next, n.moves[n.at+1:], t) {
		return No
	}
	rest := len(n.moves) - n.at - 1
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
