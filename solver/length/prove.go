package length

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Bounds from above. The game with free interpositions, in which a mate within b plies is known, has
// a plan for the attacker. The plan shows that the length is at most b if each piece that it takes
// for nothing was a futile drop: if the length after the capture is no more than here, of which a
// bound from below is enough. A drop of which that cannot be shown counts like any other move.
//
// What is found is certain, by the definition and by induction over the pieces in play and the plies.
// That nothing is found means nothing.
//
// Tried on 15 works of testdata/long.tsv of 0.4 to 5.6 million nodes, whose lengths stayed the same:
//
//   - here raised also by drops that can be taken and are not futile for certain, and notFound only
//     where no question was cut short: at most 0.2 % more nodes in eleven of 12, 21 % more in one;
//     m023 stayed at 25..29.
//   - With both, no other checks where freeNodes leave the plies open: of 15, 22 % fewer nodes in m089,
//     4 % fewer in m013, 12 % more in z033, about as many elsewhere.

// With an effort of 1; more has as many times as many.
const (
	rawNodes  = 1000 // is the raw length, which is no less, within the plies?
	freeNodes = 8000 // which check mates where interpositions are free?
	hereNodes = 2000 // does the defender last so long?
)

// proveAttack returns a length within which the attacker mates from the position on the board, at
// most b, or Unbounded if none is found.
func (e *Engine) proveAttack(b int) int {
	b -= (b + 1) % 2
	m := e.memo.get(&e.p)
	switch {
	case m != nil && int(m.most) <= b:
		return int(m.most)
	case b < 1, m != nil && !m.mayBeWithin(b, e.effort), !e.count():
		return Unbounded
	}
	before := e.nodes
	if d := e.decide(&e.p, b, rawNodes*uint64(e.effort), solver.Counted); d.Verdict == solver.Mate {
		e.memo.atMost(&e.p, d.Plies, e.work(before))
		return d.Plies
	}
	d := e.decide(&e.p, b, freeNodes*uint64(e.effort), free[e.policy])
	if d.Verdict == solver.NoMate {
		e.memo.atLeast(&e.p, b+2, e.work(before))
		return Unbounded
	}
	first := len(e.moves)
	e.moves = append(e.moves, e.p.Checks(&e.buffer, shogi.AllMoves)...)
	checks := e.moves[first:]
	toFront(checks, d.Move)
	found := Unbounded
	for _, c := range checks {
		u := e.p.Do(c)
		n := Unbounded
		if c == d.Move || e.decide(&e.p, b-1, freeNodes*uint64(e.effort), free[e.policy]).Verdict == solver.Mate {
			n = e.proveDefence(b - 1)
		}
		e.p.Undo(c, u)
		if n < b {
			found = n + 1
			break
		}
		if e.stopped() {
			break
		}
	}
	e.moves = e.moves[:first]
	e.found(found, b, before)
	return found
}

// found remembers what was found of the position on the board about its being mate within b plies.
func (e *Engine) found(n, b int, before uint64) {
	switch {
	case n <= b:
		e.memo.atMost(&e.p, n, e.work(before))
	case !e.stopped():
		e.memo.notFound(&e.p, b, e.effort, e.work(before))
	}
}

// proveDefence is proveAttack with the defender to move, who stands in check.
func (e *Engine) proveDefence(b int) int {
	m := e.memo.get(&e.p)
	switch {
	case m != nil && int(m.most) <= b:
		return int(m.most)
	case b < 0, m != nil && !m.mayBeWithin(b, e.effort), !e.count():
		return Unbounded
	}
	before := e.nodes
	first := len(e.moves)
	e.moves = append(e.moves, e.p.Evasions(&e.buffer, shogi.AllMoves)...)
	n := e.proveReplies(e.moves[first:], b)
	e.moves = e.moves[:first]
	e.found(n, b, before)
	return n
}

// A provedReply is one after which the attacker mates, so that it lasts at most so many plies.
type provedReply struct {
	move  shogi.Move
	plies int
}

// proveReplies is proveDefence with the legal replies.
func (e *Engine) proveReplies(replies []shogi.Move, b int) int {
	w := proof{line: lineOf(&e.p, e.policy)}
	count := w.line.sort(replies)
	for _, r := range replies[:count] {
		n := e.proveReply(r, b)
		if n > b {
			return Unbounded
		}
		w.most, w.open = max(w.most, n), append(w.open, provedReply{r, n})
	}
	for drops := replies[count:]; len(drops) > 0; {
		x, most := drops[0].To(), w.most
		var lasting []provedReply
		settled := e.raise(&w) && e.squareIsFutile(&w.line, drops[0], w.here)
		for ; len(drops) > 0 && drops[0].To() == x; drops = drops[1:] {
			if settled {
				continue
			}
			captures, futile := e.proveFutile(&w, drops[0])
			if futile {
				continue
			}
			n := e.proveReply(drops[0], b)
			if n > b {
				return Unbounded
			}
			if most = max(most, n); captures == 0 { // it is not futile for certain
				lasting = append(lasting, provedReply{drops[0], n})
			}
		}
		w.most, w.open = most, append(w.open, lasting...)
	}
	if e.stopped() {
		return Unbounded
	}
	return w.most
}

// A proof is the work on the replies of a position.
type proof struct {
	line checkLine
	most int           // plies that the defender lasts at most, by the replies so far
	here int           // plies that he lasts for certain
	open []provedReply // of which here does not know
}

// proveReply returns the plies within which the attacker mates if the reply is played, at most b, or
// Unbounded.
func (e *Engine) proveReply(r shogi.Move, b int) int {
	u := e.p.Do(r)
	n := e.proveAttack(b - 1)
	e.p.Undo(r, u)
	return min(n+1, Unbounded)
}

// raise raises here to what the replies last that it does not know. It reports true.
func (e *Engine) raise(w *proof) bool {
	slices.SortStableFunc(w.open, func(a, b provedReply) int { return b.plies - a.plies })
	for _, r := range w.open {
		if r.plies > w.here {
			u := e.p.Do(r.move)
			w.here = max(w.here, e.lasts(r.plies-1, w.here-1)+1)
			e.p.Undo(r.move, u)
		}
	}
	w.open = w.open[:0]
	return true
}

// lasts returns a bound from below of the length of the position on the board, the attacker to move,
// which is at most most. A bound of no more than least is of no use.
func (e *Engine) lasts(most, least int) int {
	for step := 2; most > max(least, 1); {
		if m := e.memo.get(&e.p); m != nil && int(m.least) >= most {
			return int(m.least)
		}
		before := e.nodes
		switch d := e.decide(&e.p, most-2, hereNodes*uint64(e.effort), free[e.policy]); d.Verdict {
		case solver.NoMate:
			e.memo.atLeast(&e.p, most, e.work(before))
			return most
		case solver.Mate:
			most = d.Plies
		default:
			most, step = most-step, 2*step
		}
	}
	return 1
}

// proveFutile reports whether the candidate drop is futile for certain, and how many captures there
// are that might show it.
func (e *Engine) proveFutile(w *proof, drop shogi.Move) (captures int, futile bool) {
	if w.line.policy == F1 && w.most > 0 {
		return 0, false
	}
	root, aside := e.p, e.aside
	defer func() { e.p, e.aside = root, aside }()
	e.p.Do(drop)
	dropped := e.p
	var list [maxCaptures]shogi.Move
	for _, c := range w.line.captures(&e.p, &e.buffer, drop.To(), list[:0]) {
		captures++
		e.p = dropped
		e.p.Do(c)
		e.p.SetAside(e.attacker, drop.Dropped())
		e.aside = aside.Add(drop.Dropped(), 1)
		if w.here > 0 && e.decide(&e.p, w.here, freeNodes*uint64(e.effort), free[e.policy]).Verdict == solver.NoMate {
			continue
		}
		if e.proveDefence(w.here) <= w.here {
			return captures, true
		}
	}
	return captures, false
}
