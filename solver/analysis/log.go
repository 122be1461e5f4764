package analysis

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// A Log has the answers to the questions of an analysis, in their order, so that an analysis that
// was cut short can be taken up again with the same results. It is nothing but data: what keeps it
// may write it as JSON.
type Log struct {
	// Phases are those that were finished. What a phase asks depends on the question and on the
	// answers of the phases before.
	Phases [][]LogEntry

	current []LogEntry // of the phase that is going on
	phase   int        // how many have begun
	next    int        // entry of the phase, while it is one of Phases
	closed  bool       // no more phases are kept
}

// A LogEntry is an answer of one of the searches.
type LogEntry struct {
	Result  *solver.Result `json:",omitempty"`
	Length  int            `json:",omitempty"`
	High    int            `json:",omitempty"` // where Length is the Low of an interval
	Replies []length.Reply `json:",omitempty"`
	Nodes   uint64
	Reason  solver.Reason `json:",omitempty"`
}

// begin ends a phase and begins another. A phase is kept if it and those before it were whole, not
// cut short by time or the context.
func (l *Log) begin(whole bool) {
	if l.closed = l.closed || !whole; l.phase > len(l.Phases) && !l.closed {
		l.Phases = append(l.Phases, l.current)
	}
	l.current, l.next = nil, 0
	l.phase++
}

// recall returns the next answer of the phase, if it was finished before.
func (l *Log) recall() (LogEntry, bool) {
	if l.phase > len(l.Phases) {
		return LogEntry{}, false
	}
	entries := l.Phases[l.phase-1]
	if l.next >= len(entries) {
		return LogEntry{}, false
	}
	l.next++
	return entries[l.next-1], true
}

// add records an answer.
func (l *Log) add(e LogEntry) {
	if l.phase > len(l.Phases) {
		l.current = append(l.current, e)
	}
}

// ask asks the session about q, whose attacker is Black, within the nodes that are left.
func (w *work) ask(q solver.Question) solver.Result {
	if e, ok := w.log.recall(); ok {
		w.spend(e.Nodes)
		return *e.Result
	}
	q.Attacker = shogi.Black
	r := solver.Result{Reason: w.stopped()}
	if r.Reason == solver.NoReason {
		q.Limits.Nodes = min(q.Limits.Nodes, w.left-w.floor)
		r = w.session.Ask(w.ctx, q)
	}
	w.spend(r.Nodes)
	w.log.add(LogEntry{Result: &r, Nodes: r.Nodes})
	w.note(r.Reason)
	return r
}

// within asks for the length of p if it is at most plies. If ok the answer is exact, or greater than
// plies; else it is a lower bound.
func (w *work) within(p shogi.Position, plies int, nodes uint64) (n int, ok bool) {
	e, known := w.log.recall()
	if !known {
		if e.Reason = w.stopped(); e.Reason == solver.NoReason {
			e.Length, e.Reason = w.lengths.Within(w.ctx, p, plies, min(nodes, w.left-w.floor))
			e.Nodes = w.lengths.Nodes()
		}
		w.log.add(e)
	}
	w.spend(e.Nodes)
	w.note(e.Reason)
	return e.Length, e.Reason == solver.NoReason
}

// isWithin asks whether the length of p, with the defender to move, is at most plies.
func (w *work) isWithin(p shogi.Position, plies int, nodes uint64) (yes, ok bool) {
	e, known := w.log.recall()
	if !known {
		if e.Reason = w.stopped(); e.Reason == solver.NoReason {
			yes, e.Reason = w.lengths.IsWithin(w.ctx, p, plies, min(nodes, w.left-w.floor))
			e.Nodes = w.lengths.Nodes()
			if yes {
				e.Length = 1
			}
		}
		w.log.add(e)
	}
	w.spend(e.Nodes)
	w.note(e.Reason)
	return e.Length == 1, e.Reason == solver.NoReason
}

// narrow narrows what is known of the length of p, which may be expected to be so many plies, 0: it
// is not known how many.
func (w *work) narrow(p shogi.Position, known length.Interval, expected int, nodes uint64) length.Interval {
	return w.askInterval(w.lengths.Interval, p, known, expected, nodes)
}

// compare narrows what is known of the length of p until it is less than, equal to or greater than
// plies.
func (w *work) compare(p shogi.Position, known length.Interval, plies int, nodes uint64) length.Interval {
	return w.askInterval(w.lengths.Compare, p, known, plies, nodes)
}

func (w *work) askInterval(ask func(context.Context, shogi.Position, length.Interval, int, uint64) (length.Interval, solver.Reason),
	p shogi.Position, known length.Interval, expected int, nodes uint64) length.Interval {
	e, recalled := w.log.recall()
	if !recalled {
		e.Length, e.High = known.Low, known.High
		if e.Reason = w.stopped(); e.Reason == solver.NoReason {
			var v length.Interval
			v, e.Reason = ask(w.ctx, p, known, expected, min(nodes, w.left-w.floor))
			e.Length, e.High, e.Nodes = v.Low, v.High, w.lengths.Nodes()
		}
		w.log.add(e)
	}
	w.spend(e.Nodes)
	w.note(e.Reason)
	return length.Interval{Low: e.Length, High: e.High}
}

// replies asks what the replies in p come to, whose length is at most plies.
func (w *work) replies(p shogi.Position, plies int, nodes uint64) (list []length.Reply, ok bool) {
	e, known := w.log.recall()
	if !known {
		if e.Reason = w.stopped(); e.Reason == solver.NoReason {
			e.Replies, e.Reason = w.lengths.Replies(w.ctx, p, plies, min(nodes, w.left-w.floor))
			e.Nodes = w.lengths.Nodes()
		}
		w.log.add(e)
	}
	w.spend(e.Nodes)
	w.note(e.Reason)
	return e.Replies, e.Reason == solver.NoReason
}

// stopped returns why nothing more can be asked, NoReason if it can.
func (w *work) stopped() solver.Reason {
	if r := solver.StopReason(w.ctx); r != solver.NoReason {
		return r
	}
	if w.left <= w.floor {
		return solver.ReasonNodes
	}
	return solver.NoReason
}

func (w *work) spend(nodes uint64) {
	w.left -= min(nodes, w.left-w.floor)
	w.a.Nodes += nodes
}

// note takes down that time, or the context, ended a search: the same question may get another
// answer.
func (w *work) note(reason solver.Reason) {
	switch reason {
	case solver.ReasonTime, solver.ReasonCancelled, solver.ReasonUnverified:
		w.a.Repeatable = false
	}
}

// interval returns what is known of the length of p, of which a mate within high plies is known.
func (w *work) interval(p shogi.Position, high int, nodes uint64) length.Interval {
	n, ok := w.within(p, high, nodes)
	switch {
	case ok && n <= high:
		return length.Exactly(n)
	case ok: // high was none
		return length.Interval{Low: n, High: length.Unbounded}
	}
	if high < length.Unbounded {
		n += (high - n) % 2
	}
	return length.Interval{Low: min(n, high), High: high}
}
