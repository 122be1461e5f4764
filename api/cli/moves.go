package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
)

// setMoves makes what the moves come to together the answer about the position. shortest says that
// the shortest mate was asked for.
func (a *answered) setMoves(shortest bool) {
	m := a.moves
	a.Answer = wire.Answer{SFEN: m.SFEN, Attacker: m.Attacker, Verdict: m.Verdict, Plies: m.Plies,
		Exact: m.Exact, NoMateWithin: noMateWithin(m), Nodes: m.Nodes, Notes: m.Notes}
	if l := m.Length; l != nil {
		a.Length = &wire.LengthAnswer{Policy: l.Policy, Low: l.Low, High: &l.High, Reason: l.Reason}
	}
	switch {
	case m.Verdict == solver.Unknown.String():
		a.Reason = m.Reason
	case m.Plies != nil && !*m.Exact && shortest:
		for i := range m.Moves {
			a.Reason = cmp.Or(a.Reason, m.Moves[i].Reason)
		}
	}
}

// noMateWithin returns the lower bound of a mate from the position that follows from those of its
// moves: the attacker takes the least, the defender the greatest. 0 if nothing is known.
func noMateWithin(a *wire.MovesAnswer) int {
	within, some := 0, false
	for i := range a.Moves {
		m := &a.Moves[i]
		bound := m.NoMateWithin
		if m.Plies != nil && *m.Exact {
			bound = *m.Plies - 1
		}
		switch {
		case m.Verdict == solver.NoMate.String():
		case !some, (bound > within) == (a.Side == "defender"):
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
		verdict, remark := p.l.moveText(m, a.Length != nil)
		table[i] = [4]string{m.MoveEn, m.MoveJa, verdict, remark}
		if p.l == Japanese {
			table[i] = [4]string{m.MoveJa, verdict, "", remark}
		}
		for j := range widths {
			widths[j] = max(widths[j], Cells(table[i][j]))
		}
	}
	for _, row := range table {
		line := row[3]
		for j := len(widths) - 1; j >= 0; j-- {
			line = row[j] + strings.Repeat(" ", widths[j]-Cells(row[j])) + "  " + line
		}
		fmt.Fprintf(p.out, "  %s\n", strings.TrimRight(line, " "))
	}
}

// moveText says in words what a move comes to, and what follows it or what is not known. If the moves
// are counted by a policy it says of a raw length that it is one.
func (l Language) moveText(m *wire.MoveAnswer, isCounted bool) (verdict, remark string) {
	missing := l.reasonText(solver.Reason(m.Reason))
	if missing != "" && m.Plies != nil {
		missing += l.Text(" before the shortest was proven", "（最短は未証明）")
	}
	if missing != "" && m.NoMateWithin > 0 {
		missing += l.Sprintf("; there is no mate in %d or fewer", "。%d手以内の詰みはなし", m.NoMateWithin)
	}
	rest, raw := strings.Join(l.Line(m.LineEn, m.LineJa)[1:], " "), ""
	if isCounted {
		raw = l.Text(", every move counted", "（無駄合も数えて）")
	}
	switch {
	case m.Futile != nil:
		return l.Text("futile", "無駄合"), rest
	case m.Length != nil && m.Length.High != nil && m.Length.Low == *m.Length.High:
		return l.Sprintf("mate in %d", "%d手詰", m.Length.Low), rest
	case m.Length != nil && m.Length.High != nil:
		return l.Sprintf("mate in %d or fewer", "%d手以内", *m.Length.High), rest
	case m.Plies != nil && *m.Exact:
		return l.Sprintf("mate in %d%s", "%d手詰%s", *m.Plies, raw), rest
	case m.Plies != nil && missing != "":
		return l.Sprintf("mate in %d or fewer%s", "%d手以内%s", *m.Plies, raw), missing + l.Text("; ", "。") + rest
	case m.Plies != nil:
		return l.Sprintf("mate in %d or fewer%s", "%d手以内%s", *m.Plies, raw), rest
	case m.Verdict != solver.NoMate.String():
		return l.Text("unknown", "不明"), missing
	case rest != "":
		return l.Text("no mate", "不詰"), l.Sprintf("refuted by %s", "%s で逃れ", rest)
	}
	return l.Text("no mate", "不詰"), ""
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
