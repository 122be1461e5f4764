package length

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// A Turning makes the attacker Black, and of a position and its mirror image the one that is always
// the same. Moves that are equally good come in the order of their squares, so that play is turned
// before it is chosen: then it does not depend on how the diagram is drawn.
type Turning struct{ Rotate, Mirror bool }

// Orient returns the Turning for a position and its attacker.
func Orient(p *shogi.Position, attacker shogi.Color) Turning {
	t := Turning{Rotate: attacker != shogi.Black}
	q := t.Position(*p)
	m := q.Mirrored()
	t.Mirror = m.SFEN() < q.SFEN()
	return t
}

// Position turns a position. To turn twice is not to turn.
func (t Turning) Position(p shogi.Position) shogi.Position {
	if t.Rotate {
		p = p.Rotated()
	}
	if t.Mirror {
		p = p.Mirrored()
	}
	return p
}

// Move turns a move.
func (t Turning) Move(m shogi.Move) shogi.Move {
	if m == shogi.NoMove {
		return m
	}
	if t.Rotate {
		m = m.Rotated()
	}
	if t.Mirror {
		m = m.Mirrored()
	}
	return m
}

// Moves returns moves turned.
func (t Turning) Moves(list []shogi.Move) []shogi.Move {
	turned := slices.Clone(list)
	for i, m := range turned {
		turned[i] = t.Move(m)
	}
	return turned
}
