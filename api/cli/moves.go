package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// askMoves answers what each move of a position comes to.
func (r *run) askMoves(ctx context.Context, q *Question, p shogi.Position,
	attacker shogi.Color, notes []wire.Note) reply {
	searches := 0
	ctx = solver.WithProgress(ctx, watchEvery, func(p solver.Progress) {
		r.progress.report(q, searches, &p)
	})
	by := analysis.Using(solver.Func(func(ctx context.Context, p shogi.Position,
		lim solver.Limits) solver.Result {
		searches++
		return r.Solver.Solve(ctx, p, lim)
	}))
	start := time.Now()
	report, err := analysis.Moves(ctx, by, p, attacker, analysis.Limits{Limits: r.Limits})
	if err != nil {
		return reply{fault: err}
	}
	if r.Length != nil && report.Verdict == solver.Mate && len(report.Moves) > 0 {
		e := r.lengths.take()
		defer r.lengths.put(e)
		e.Reset() // an answer depends on no other
		report.Count(ctx, e, p, attacker, analysis.Convention{Policy: *r.Length,
			Turning: length.Orient(&p, attacker), Nodes: cmp.Or(r.Limits.Nodes, r.LengthNodes)})
	}
	interrupted := solver.StopReason(ctx) == solver.ReasonCancelled && !report.Repeatable
	isCounted := r.LengthNodes == 0
	c := report.Counted
	if c != nil && c.Reason != solver.NoReason && interrupted && !isCounted {
		report.Counted = nil // nobody asked for what is half known
	}
	a := newMovesAnswer(p, attacker, report, r.Limits.Shortest, time.Since(start))
	a.interrupted, a.isCounted, a.isBounded = interrupted, isCounted, c != nil && r.isBounded(c.Reason)
	a.Notes, a.moves.Notes = notes, notes
	return reply{answer: a}
}

func newMovesAnswer(p shogi.Position, attacker shogi.Color, report *analysis.Report,
	shortest bool, elapsed time.Duration) *answer {
	moves, us := wire.NewMovesAnswer(&p, attacker, report), elapsed.Microseconds()
	moves.ElapsedUS = &us
	a := &answer{moves: moves, position: p, Answer: wire.Answer{SFEN: moves.SFEN,
		Attacker: moves.Attacker, Verdict: moves.Verdict, Plies: moves.Plies, Exact: moves.Exact,
		NoMateWithin: noMateWithin(report), Nodes: moves.Nodes}}
	if l := moves.Length; l != nil {
		a.Length = &wire.LengthAnswer{Policy: l.Policy, Low: l.Low, High: &l.High, Reason: l.Reason}
	}
	switch {
	case report.Verdict == solver.Unknown:
		a.Reason = moves.Reason
	case report.Verdict == solver.Mate && !report.Exact && shortest:
		for i := range moves.Moves {
			a.Reason = cmp.Or(a.Reason, moves.Moves[i].Reason)
		}
	}
	return a
}

// noMateWithin returns the lower bound of a mate from the position that follows from those of its
// moves: the attacker takes the least, the defender the greatest. 0 if nothing is known.
func noMateWithin(report *analysis.Report) int {
	within, some := 0, false
	for i := range report.Moves {
		m := &report.Moves[i]
		bound := m.NoMateWithin
		if m.Verdict == solver.Mate && m.Exact {
			bound = m.Plies() - 1
		}
		switch {
		case m.Verdict == solver.NoMate:
		case !some, (bound > within) == report.ByDefender:
			within, some = bound, true
		}
	}
	return within
}

// moves writes a table with a line for each move.
func (p *textPrinter) moves(a *wire.MovesAnswer) {
	table, widths := make([][4]string, len(a.Moves)), [3]int{}
	for i := range a.Moves {
		m := &a.Moves[i]
		verdict, remark := moveText(m, a.Length != nil)
		table[i] = [4]string{m.MoveEn, m.MoveJa, verdict, remark}
		for j := range widths {
			widths[j] = max(widths[j], cells(table[i][j]))
		}
	}
	for _, row := range table {
		line := row[3]
		for j := len(widths) - 1; j >= 0; j-- {
			line = row[j] + strings.Repeat(" ", widths[j]-cells(row[j])) + "  " + line
		}
		fmt.Fprintf(p.out, "  %s\n", strings.TrimRight(line, " "))
	}
}

// moveText says in words what a move comes to, and what follows it or what is not known. If the moves
// are counted by a policy it says of a raw length that it is one.
func moveText(m *wire.MoveAnswer, isCounted bool) (verdict, remark string) {
	missing := reasonText(solver.Reason(m.Reason))
	if missing != "" && m.Plies != nil {
		missing += " before the shortest was proven"
	}
	if missing != "" && m.NoMateWithin > 0 {
		missing += fmt.Sprintf("; there is no mate in %d or fewer", m.NoMateWithin)
	}
	rest, raw := strings.Join(m.LineEn[1:], " "), ""
	if isCounted {
		raw = ", every move counted"
	}
	switch {
	case m.Futile != nil:
		return "futile", rest
	case m.Length != nil && m.Length.High != nil && m.Length.Low == *m.Length.High:
		return fmt.Sprintf("mate in %d", m.Length.Low), rest
	case m.Length != nil && m.Length.High != nil:
		return fmt.Sprintf("mate in %d or fewer", *m.Length.High), rest
	case m.Plies != nil && *m.Exact:
		return fmt.Sprintf("mate in %d%s", *m.Plies, raw), rest
	case m.Plies != nil && missing != "":
		return fmt.Sprintf("mate in %d or fewer%s", *m.Plies, raw), missing + "; " + rest
	case m.Plies != nil:
		return fmt.Sprintf("mate in %d or fewer%s", *m.Plies, raw), rest
	case m.Verdict != solver.NoMate.String():
		return "unknown", missing
	case rest != "":
		return "no mate", "refuted by " + rest
	}
	return "no mate", ""
}

// movesColumns are those of a position and the fields of one of its moves, by the same names as in
// JSON; rank is 1 for the best move. So rows can be sorted and filtered in any way and be put back
// in order.
var movesColumns = []string{"sfen", "attacker", "side", "rank", "move", "move_ja", "verdict",
	"plies", "exact", "line", "line_ja", "no_mate_within", "reason"}

// moves writes a row for each move. A position without moves has one row, with the verdict of the
// position.
func (p *tsvPrinter) moves(a *wire.MovesAnswer) error {
	if len(a.Moves) == 0 {
		plies, exact, _ := lengthFields(a.Plies, a.Exact, 0)
		return p.row(a.SFEN, a.Attacker, a.Side, "", "", "", a.Verdict, plies, exact, "", "", "",
			a.Reason)
	}
	for i := range a.Moves {
		m := &a.Moves[i]
		plies, exact, within := lengthFields(m.Plies, m.Exact, m.NoMateWithin)
		err := p.row(a.SFEN, a.Attacker, a.Side, strconv.Itoa(i+1), m.Move, m.MoveJa, m.Verdict,
			plies, exact, strings.Join(m.Line, " "), strings.Join(m.LineJa, " "), within, m.Reason)
		if err != nil {
			return err
		}
	}
	return nil
}
