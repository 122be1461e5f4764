package length

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// firstNodes are what each question about the length of a long problem gets at first; it is asked
// again with growth times as many. What the session remembers makes a search that goes on of it.
const (
	firstNodes = 100_000
	growth     = 4
)

// Interval narrows what is known of the length of p, the attacker to move, with so many nodes, of
// which 0 is any number. A length that may be expected, such as that of an author's line, is asked
// about first; 0 if there is none.
func (e *Engine) Interval(ctx context.Context, p shogi.Position, known Interval, expected int, nodes uint64) (
	Interval, solver.Reason) {
	return e.narrow(ctx, p, known, expected, false, nodes)
}

// Compare narrows what is known of the length of p, either side to move, until it is less than, equal
// to or greater than expected, with so many nodes, of which 0 is any number. The defender, if he is to
// move, must be in check.
func (e *Engine) Compare(ctx context.Context, p shogi.Position, known Interval, expected int, nodes uint64) (
	Interval, solver.Reason) {
	return e.narrow(ctx, p, known, expected, true, nodes)
}

func (e *Engine) narrow(ctx context.Context, p shogi.Position, known Interval, expected int, compare bool,
	nodes uint64) (Interval, solver.Reason) {
	e.begin(ctx, p, nodes)
	w := narrowing{Engine: e, Interval: known, free: known.High, expected: expected, compare: compare}
	if p.SideToMove() == e.attacker {
		w.odd = 1
	}
	if m := e.memo.get(&e.p); m != nil {
		w.Low = max(w.Low, m.length())
		if m.most < endless {
			w.High = min(w.High, int(m.most))
		}
	}
	for share := uint64(firstNodes); !w.done() && !e.stopped(); share *= growth {
		before := e.nodes
		w.below(share)
		w.above(share)
		w.exactly(share)
		if e.nodes == before {
			break // more nodes would not help
		}
		e.effort = min(2*e.effort, 1<<12)
	}
	e.memo.atLeast(&e.p, w.Low, 0)
	if w.High < endless {
		e.memo.atMost(&e.p, w.High, 0)
	}
	return w.Interval, e.reason
}

// A narrowing is the work on an interval.
type narrowing struct {
	*Engine
	Interval
	free     int // plies within which there is a mate with free interpositions
	expected int
	compare  bool // only with expected
	odd      int  // 1 if all lengths are odd, the attacker to move, 0 if they are even
}

// done reports whether enough is known.
func (w *narrowing) done() bool {
	return w.IsExact() || w.compare && (w.Low > w.expected || w.High < w.expected)
}

// ask asks whether there is a mate within d plies with free interpositions.
func (w *narrowing) ask(d int, nodes uint64) {
	d -= (d + w.odd) % 2 // an author's line may have any number of moves
	if d < w.Low || d >= w.free || w.done() {
		return
	}
	before := w.nodes
	switch r := w.decide(&w.p, d, nodes, free[w.policy]); r.Verdict {
	case solver.NoMate:
		w.Low = d + 2
		w.memo.atLeast(&w.p, w.Low, w.work(before))
	case solver.Mate:
		w.free = r.Plies
	}
}

// below raises Low with about so many nodes a question.
func (w *narrowing) below(nodes uint64) {
	if w.expected > 0 {
		w.ask(w.expected-2, nodes)
		w.ask(w.expected, nodes)
	}
	if w.compare {
		return
	}
	asked := w.expected - 2
	for w.free-2 != asked { // each mate is shorter than the last
		asked = w.free - 2
		w.ask(asked, nodes)
	}
	// Shorter ones are disproved with less.
	for low, step := w.Low, 2; w.Low < w.free-2; step *= 2 {
		if w.ask(min(w.Low+step, w.free-4), nodes/4); w.Low == low {
			break
		}
		low = w.Low
	}
}

// above lowers High.
func (w *narrowing) above(nodes uint64) {
	least, most := max(w.Low, w.free), min(w.High, endless)
	if w.compare {
		least, most = max(w.Low, min(w.free, w.expected)), min(most, w.expected+1)
	}
	for d, step := least, 2; d < most && !w.stopped(); d, step = d+step, 2*step {
		n := Unbounded
		w.limited(2*nodes, func() {
			if w.odd == 1 {
				n = w.proveAttack(d)
			} else {
				n = w.proveDefence(d)
			}
		})
		if n < w.High {
			w.High = n
			return
		}
	}
}

// exactly asks the definition: whether the length is Low, where free interpositions say so, or at most
// what it is compared with.
func (w *narrowing) exactly(nodes uint64) {
	most := w.Low
	if w.compare {
		most = w.expected
	}
	if !w.compare && w.Low < w.free || w.done() {
		return
	}
	w.limited(2*nodes, func() {
		var n int
		if w.odd == 1 {
			n = w.attack(most)
		} else {
			n = w.defend(most)
		}
		switch {
		case w.stopped():
			w.Low = max(w.Low, w.known(&w.p))
		case n <= most:
			w.Low, w.High = n, n
		default:
			w.Low = max(w.Low, min(n, w.High))
		}
	})
}

// limited calls f with so many nodes more.
func (w *narrowing) limited(nodes uint64, f func()) {
	limit := w.limit
	if w.limit = w.nodes + nodes; limit > 0 {
		w.limit = min(w.limit, limit)
	}
	f()
	if w.reason == solver.ReasonNodes && (limit == 0 || w.nodes < limit) {
		w.reason = solver.NoReason
	}
	w.limit = limit
}
