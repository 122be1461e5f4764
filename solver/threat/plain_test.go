package threat

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// The definitions once more, by the plain rules of package mailbox alone: every move is tried, and
// nothing is remembered. A question that has no answer within the plies or the steps is cut.
type plain struct {
	attacker shogi.Color
	plies    int // of a mate at most
	steps    int // left
}

type plainAnswer int

const (
	plainNo plainAnswer = iota
	plainCut
	plainYes
)

// mates says whether the attacker, to move, mates by checks.
func (w *plain) mates(b mailbox.Board, plies int) plainAnswer {
	best := plainNo
	for _, m := range b.LegalMoves() {
		after := b
		if after.Do(m); !after.InCheck(after.SideToMove()) {
			continue
		}
		if w.steps--; w.steps < 0 {
			return plainCut
		}
		worst := plainYes
		replies := after.LegalMoves()
		if len(replies) > 0 && plies <= 1 {
			worst = plainCut
			replies = nil
		}
		for _, d := range replies {
			next := after
			next.Do(d)
			if worst = min(worst, w.mates(next, plies-2)); worst == plainNo {
				break
			}
		}
		if best = max(best, worst); best == plainYes {
			return best
		}
	}
	return best
}

// threatens says whether the attacker, not to move and his opponent not in check, would mate after
// a pass.
func (w *plain) threatens(b mailbox.Board) plainAnswer {
	b.Pass()
	return w.mates(b, w.plies)
}

// brinkmate says whether the attacker, to move, has a brinkmate in so many attacks or fewer, the
// position being no mate.
func (w *plain) brinkmate(b mailbox.Board, attacks int) plainAnswer {
	best := plainNo
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		worst := plainYes
		switch checks := after.InCheck(after.SideToMove()); {
		case checks && attacks == 1:
			continue
		case !checks:
			worst = w.threatens(after)
		}
		if worst > plainNo {
			for _, d := range after.LegalMoves() {
				next := after
				next.Do(d)
				r := w.mates(next, w.plies)
				if r != plainYes && attacks > 1 {
					r = max(r, w.brinkmate(next, attacks-1))
				}
				if worst = min(worst, r); worst == plainNo {
					break
				}
			}
		}
		if best = max(best, worst); best == plainYes {
			return best
		}
		if w.steps < 0 {
			return plainCut
		}
	}
	return best
}
