package analysis

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// themeNodes are for each question that the part Themes asks.
const themeNodes = 20_000

// findThemes finds those of the diagram and of the main line. What themes have to know of other moves
// is taken from the report; with the part Themes it is asked for.
func (w *work) findThemes() {
	// Pictures are not the same mirrored.
	turn := turning{length.Orient(&w.given.Position, w.given.Attacker)}
	q := theme.Problem{Position: w.given.Position, Attacker: w.given.Attacker, Ended: true,
		Line: turn.Moves(w.a.Line.Moves), Raw: w.a.Line.Raw,
		Mates:    func(ply int, m shogi.Move) solver.Verdict { return w.matesToo(ply, turn.Move(m)) },
		IsAsGood: func(ply int, m shogi.Move) bool { return w.isAsGood(ply, turn.Move(m)) }}
	if w.q.Parts&Themes != 0 {
		w.session.Reset()
		w.lengths.Forget()
		w.lengths.Begin(shogi.Black, w.q.Policy)
		q.Ask = func(p shogi.Position, plies int) solver.Verdict { return w.askTheme(turn.Position(p), plies) }
	}
	w.a.Themes = theme.Find(&q)
	w.update("/themes", 1, 1)
}

// matesToo says whether another check at a ply of the main line mates.
func (w *work) matesToo(ply int, m shogi.Move) solver.Verdict {
	if v := w.known(ply, m); v != solver.Unknown || w.q.Parts&Themes == 0 || ply > len(w.line) {
		return v
	}
	return w.askTheme(w.line[ply-1].After(m), 0)
}

// known is what the report says of another check.
func (w *work) known(ply int, m shogi.Move) solver.Verdict {
	for i := range w.a.Attack {
		if w.a.Attack[i].Ply != ply {
			continue
		}
		for _, c := range w.a.Attack[i].Others {
			if c.Move == m {
				return c.Verdict
			}
		}
		return solver.NoMate // what is refuted need not be among them
	}
	return solver.Unknown
}

// isAsGood reports whether another reply at a ply of the main line is known to last as long.
func (w *work) isAsGood(ply int, m shogi.Move) bool {
	for i := range w.a.Defence {
		if w.a.Defence[i].Ply != ply {
			continue
		}
		for _, r := range w.a.Defence[i].Replies {
			if r.Move == m {
				return r.Kind == EqualReply || r.Kind == EqualLeftoverReply
			}
		}
	}
	return false
}

// askTheme says whether Black mates in p, within so many plies under the policy if they are not 0.
// What it does not find out only leaves a theme out, so nothing counts as open.
func (w *work) askTheme(p shogi.Position, plies int) solver.Verdict {
	nodes := min(themeNodes, w.q.QuestionNodes, w.left-w.floor)
	if w.stopped() != solver.NoReason {
		return solver.Unknown
	}
	if plies == 0 {
		r := w.session.Ask(w.ctx, solver.Question{Position: p, Attacker: shogi.Black,
			Limits: solver.Limits{Nodes: nodes}})
		w.spend(r.Nodes)
		w.note(r.Reason)
		return r.Verdict
	}
	n, reason := w.lengths.Within(w.ctx, p, plies, nodes)
	w.spend(w.lengths.Nodes())
	w.note(reason)
	switch {
	case reason != solver.NoReason:
		return solver.Unknown
	case n > plies:
		return solver.NoMate
	}
	return solver.Mate
}
