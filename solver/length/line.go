package length

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// A checkLine is the line between the defender's king and the only piece that checks it, a slider.
type checkLine struct {
	king, slider shogi.Square
	squares      shogi.Bitboard // between them; empty if there is no such line, or the policy is F0
	policy       Policy
}

// lineOf returns the line of the check in which the side to move stands.
func lineOf(p *shogi.Position, policy Policy) checkLine {
	l := checkLine{king: p.King(p.SideToMove()), policy: policy}
	checkers := p.Checkers()
	if policy == F0 || checkers.HasMany() || checkers.IsEmpty() {
		return l
	}
	l.slider = checkers.First()
	l.squares = shogi.Between(l.king, l.slider)
	return l
}

// isCandidate reports whether a legal reply is a drop on the line.
func (l *checkLine) isCandidate(m shogi.Move) bool { return m.IsDrop() && l.squares.Has(m.To()) }

// sort puts the candidates at the end of the replies, from the king outwards, and returns the number
// of the others.
func (l *checkLine) sort(replies []shogi.Move) (others int) {
	if l.squares.IsEmpty() {
		return len(replies)
	}
	slices.SortStableFunc(replies, func(a, b shogi.Move) int { return l.order(a) - l.order(b) })
	for _, m := range replies {
		if !l.isCandidate(m) {
			others++
		}
	}
	return others
}

func (l *checkLine) order(m shogi.Move) int {
	if !l.isCandidate(m) {
		return 0
	}
	return l.king.Distance(m.To())
}

// maxCaptures is room for all captures on a square.
const maxCaptures = 32

// captures appends the captures that can show a drop on x to be futile, with p after the drop: by
// the slider, promoting and not, and under F3 by any other piece with check. The slider comes first,
// for what it shows to be futile is so under the other policies too.
func (l checkLine) captures(p *shogi.Position, buffer *shogi.MoveBuffer, x shogi.Square,
	list []shogi.Move) []shogi.Move {
	info := p.CheckInfo()
	for _, m := range [...]shogi.Move{shogi.NewMove(l.slider, x), shogi.NewPromotion(l.slider, x)} {
		if p.IsLegal(m) && p.GivesCheck(m, &info) {
			list = append(list, m)
		}
	}
	if l.policy == F3 {
		for _, m := range p.Checks(buffer, shogi.AllMoves) {
			if m.To() == x && !m.IsDrop() && m.From() != l.slider {
				list = append(list, m)
			}
		}
	}
	return list
}
