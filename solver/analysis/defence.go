package analysis

import (
	"cmp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// defence finds out what the defender's other replies on the main line come to, the last first: what
// is found at the end helps before it.
func (w *work) defence() {
	n := len(w.line) / 2
	w.a.Defence = make([]DefenceNode, n)
	for i := n - 1; i >= 0; i-- {
		w.a.Defence[i] = w.defenceNode(2*i + 1)
		w.update(pointer("/defence/", i), n-i, n)
	}
	if a := w.a.Author; a != nil && a.Finding == AuthorUnknown {
		for _, node := range w.a.Defence {
			for _, r := range node.Replies {
				if r.Kind == LongerReply {
					a.Finding, a.Places = IsLonger, append(a.Places, Place{Ply: node.Ply, Move: r.Move})
				}
			}
		}
		if a.Finding != AuthorUnknown {
			w.update("/author", 1, 1)
		}
	}
	if w.q.Parts&Attack != 0 && w.q.Scope != ScopeMain {
		w.findEqualLines()
	}
}

// defenceNode returns what the replies come to after so many moves of the main line.
func (w *work) defenceNode(at int) DefenceNode {
	p, total := w.line[at], w.a.lineLength()
	node := DefenceNode{Place: Place{Ply: at + 1}}
	if at < len(w.a.Line.Moves) {
		node.Move = w.a.Line.Moves[at]
	}
	rest := total - at // plies, if all is as the line says
	high := rest
	n, ok := w.within(p, high, w.q.QuestionNodes)
	if ok && n > high { // the author's line is not the longest
		high = n
		for high < rest+8 {
			if n, ok = w.within(p, high, w.q.QuestionNodes); !ok || n <= high {
				break
			}
			high = n
		}
		if n >= length.Unbounded { // a reply escapes, which is no longer one
			n = rest + 8
		}
	}
	if !ok || n > high {
		node.Replies = w.boundedReplies(p, node.Move, at, total)
		return node
	}
	list, ok := w.replies(p, n, w.q.QuestionNodes)
	if !ok {
		node.Replies = w.boundedReplies(p, node.Move, at, total)
		return node
	}
	for _, r := range list {
		if r.Futile == length.NotFutile && r.Length > n {
			node.Replies = append(node.Replies, w.unboundedReply(p, r, node.Move, at, total))
			continue
		}
		node.Replies = append(node.Replies, w.reply(p, r, node.Move, at, total))
	}
	node.Replies = w.group(node.Replies)
	slices.SortStableFunc(node.Replies, func(a, b Reply) int {
		return compareReplies(&p, &a, &b)
	})
	return node
}

// lineLength returns the plies of the main line that count: of the author's, those that are no futile
// drops and their captures.
func (a *Analysis) lineLength() int {
	if a.Line.Given {
		return a.Author.Plies
	}
	return len(a.Line.Moves)
}

// unboundedReply is reply where the length is only known to be no less than that of r.
func (w *work) unboundedReply(p shogi.Position, r length.Reply, main shogi.Move, at, total int) Reply {
	out := Reply{Move: r.Move, Length: length.Interval{Low: min(at+r.Length, length.Unbounded), High: length.Unbounded}}
	ask := w.ask(solver.Question{Position: p.After(r.Move), Limits: solver.Limits{Nodes: w.q.QuestionNodes / 8}})
	switch {
	case r.Move == main:
		out.Kind = MainReply
	case ask.Verdict == solver.NoMate:
		out.Kind, out.Length.Low = EscapeReply, length.Unbounded
	case ask.Verdict == solver.Mate && out.Length.Low > total:
		out.Kind = LongerReply
	default:
		out.Reason = cmp.Or(ask.Reason, solver.ReasonNodes)
		w.open(out.Reason)
	}
	return out
}

// reply reports on a reply in p, after so many moves of the main line.
func (w *work) reply(p shogi.Position, r length.Reply, main shogi.Move, at, total int) Reply {
	out := Reply{Move: r.Move}
	if r.Futile != length.NotFutile {
		out.Kind = FutileReply
		out.Futile = &Futile{Type: r.Futile, Capture: r.Capture, NewPiece: r.NewPiece}
		return out
	}
	next := p.After(r.Move)
	out.Length = length.Exactly(at + r.Length)
	choice, known := w.best.Check(next, r.Length-1)
	if line, ok := w.best.Line(next, r.Length-1); ok {
		out.Line = append([]shogi.Move{r.Move}, line...)
		out.Leftover = lineOf(p, out.Line).Leftover
	}
	switch {
	case r.Move == main:
		out.Kind = MainReply
	case at+r.Length > total:
		out.Kind = LongerReply
	case at+r.Length < total:
		out.Kind = ShorterReply
	case !known:
		out.Reason = solver.ReasonNodes
		w.open(out.Reason)
	case choice.Least == 0:
		out.Kind = EqualReply
	default:
		out.Kind = EqualLeftoverReply
	}
	return out
}

// boundedReplies reports on the replies in p where the lengths are not all known.
func (w *work) boundedReplies(p shogi.Position, main shogi.Move, at, total int) (list []Reply) {
	var buf shogi.MoveBuffer
	for _, m := range slices.Clone(p.Evasions(&buf, shogi.AllMoves)) {
		r := Reply{Move: m, Length: length.Interval{Low: at + 2, High: length.Unbounded}}
		ask := w.ask(solver.Question{Position: p.After(m), Limits: solver.Limits{Nodes: w.q.QuestionNodes / 8}})
		switch ask.Verdict {
		case solver.NoMate:
			r.Kind, r.Length.Low = EscapeReply, length.Unbounded
		case solver.Mate:
			r.Line, r.Raw = append([]shogi.Move{m}, ask.Line...), true
			r.Length.High = at + 1 + ask.Plies()
			r.Leftover = lineOf(p, r.Line).Leftover
			// A drop on the line may be futile, and its length then means nothing.
			if r.Length.High < total {
				r.Kind = ShorterReply
			}
		}
		if m == main {
			r.Kind = MainReply
		}
		if r.Kind == ReplyUnknown {
			r.Reason = ask.Reason
			if r.Reason == solver.NoReason {
				r.Reason = solver.ReasonNodes
			}
			w.open(r.Reason)
		}
		list = append(list, r)
	}
	list = w.group(list)
	slices.SortStableFunc(list, func(a, b Reply) int { return compareReplies(&p, &a, &b) })
	return list
}

// kindOrder is the order in which replies are listed.
var kindOrder = [...]int{MainReply: 0, EscapeReply: 1, LongerReply: 2, EqualReply: 3,
	EqualLeftoverReply: 4, ShorterReply: 5, ReplyUnknown: 6, FutileReply: 7}

func compareReplies(p *shogi.Position, a, b *Reply) int {
	if c := kindOrder[a.Kind] - kindOrder[b.Kind]; c != 0 {
		return c
	}
	if c := b.Length.High - a.Length.High; c != 0 {
		return c
	}
	return length.ComparePreferred(p, a.Move, b.Move)
}

// group puts drops of several kinds on a square together that have the same continuation.
func (w *work) group(list []Reply) []Reply {
	out := list[:0]
next:
	for _, r := range list {
		if r.Move.IsDrop() && r.Kind != MainReply {
			for i := range out {
				if o := &out[i]; o.Kind != MainReply && sameContinuation(o, &r) {
					if length.CompareDropped(r.Move, o.Move) < 0 {
						*o, r = r, *o
						o.Same, r.Same = r.Same, nil
					}
					o.Same = append(o.Same, r.Move)
					continue next
				}
			}
		}
		out = append(out, r)
	}
	for i := range out {
		slices.SortFunc(out[i].Same, length.CompareDropped)
	}
	return out
}

// sameContinuation reports whether two replies are drops on the same square with the same play after
// them.
func sameContinuation(a, b *Reply) bool {
	if !a.Move.IsDrop() || a.Move.To() != b.Move.To() || a.Kind != b.Kind || a.Length != b.Length ||
		len(a.Line) != len(b.Line) || (a.Futile == nil) != (b.Futile == nil) {
		return false
	}
	if a.Futile != nil {
		return *a.Futile == *b.Futile
	}
	return len(a.Line) > 0 && slices.Equal(a.Line[1:], b.Line[1:])
}
