package analysis

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// A turning makes the attacker Black, and of a position and its mirror image the one that is always
// the same. So a problem has one report, however its diagram is drawn.
type turning struct{ rotate, mirror bool }

// orient returns the turning for a position and its attacker.
func orient(p *shogi.Position, attacker shogi.Color) turning {
	t := turning{rotate: attacker != shogi.Black}
	q := t.position(*p)
	m := q.Mirrored()
	t.mirror = m.SFEN() < q.SFEN()
	return t
}

func (t turning) position(p shogi.Position) shogi.Position {
	if t.rotate {
		p = p.Rotated()
	}
	if t.mirror {
		p = p.Mirrored()
	}
	return p
}

// move turns a move. To turn twice is not to turn.
func (t turning) move(m shogi.Move) shogi.Move {
	if m == shogi.NoMove {
		return m
	}
	if t.rotate {
		m = m.Rotated()
	}
	if t.mirror {
		m = m.Mirrored()
	}
	return m
}

func (t turning) moves(list []shogi.Move) []shogi.Move {
	turned := slices.Clone(list)
	for i, m := range turned {
		turned[i] = t.move(m)
	}
	return turned
}

func (t turning) places(list []Place) []Place {
	turned := slices.Clone(list)
	for i := range turned {
		turned[i].Move = t.move(turned[i].Move)
	}
	return turned
}

// analysis returns a copy of a report as it is for the question q.
func (t turning) analysis(a *Analysis, q Question) *Analysis {
	b := *a
	b.Position, b.Attacker, b.proof = q.Position, q.Attacker, nil
	b.Lengths = slices.Clone(a.Lengths)
	b.Line.Moves = t.moves(a.Line.Moves)
	if a.Author != nil {
		author := *a.Author
		author.Moves, author.Places = t.moves(author.Moves), t.places(author.Places)
		b.Author = &author
	}
	b.Attack = t.attack(a.Attack)
	b.Defence = slices.Clone(a.Defence)
	for i := range b.Defence {
		n := &b.Defence[i]
		n.Move = t.move(n.Move)
		n.Replies = slices.Clone(n.Replies)
		for j := range n.Replies {
			r := &n.Replies[j]
			r.Move, r.Line, r.Same = t.move(r.Move), t.moves(r.Line), t.moves(r.Same)
			if r.Futile != nil {
				f := *r.Futile
				f.Capture = t.move(f.Capture)
				r.Futile = &f
			}
		}
	}
	b.EqualLines = slices.Clone(a.EqualLines)
	for i := range b.EqualLines {
		e := &b.EqualLines[i]
		e.Reply.Move, e.Attack = t.move(e.Reply.Move), t.attack(e.Attack)
	}
	b.SideMates = slices.Clone(a.SideMates)
	for i := range b.SideMates {
		m := &b.SideMates[i]
		m.Variation.Move, m.Move, m.Line = t.move(m.Variation.Move), t.move(m.Move), t.moves(m.Line)
	}
	b.Economy = slices.Clone(a.Economy)
	for i := range b.Economy {
		if sq := &b.Economy[i].Square; sq.IsValid() {
			if t.rotate {
				*sq = shogi.NumSquares - 1 - *sq
			}
			if t.mirror {
				*sq = sq.Mirrored()
			}
		}
	}
	b.Rules = slices.Clone(a.Rules)
	for i := range b.Rules {
		b.Rules[i].Places = t.places(b.Rules[i].Places)
	}
	b.Remaining = t.places(a.Remaining)
	return &b
}

func (t turning) attack(list []AttackNode) []AttackNode {
	turned := slices.Clone(list)
	for i := range turned {
		n := &turned[i]
		n.Move = t.move(n.Move)
		n.Others = slices.Clone(n.Others)
		for j := range n.Others {
			c := &n.Others[j]
			c.Move, c.Line = t.move(c.Move), t.moves(c.Line)
		}
	}
	return turned
}
