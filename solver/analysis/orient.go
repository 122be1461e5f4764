package analysis

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/length"
)

// A turning turns a report, as package length turns problems.
type turning struct{ length.Turning }

func (t turning) places(list []Place) []Place {
	turned := slices.Clone(list)
	for i := range turned {
		turned[i].Move = t.Move(turned[i].Move)
	}
	return turned
}

// analysis returns a copy of a report as it is for the question q.
func (t turning) analysis(a *Analysis, q Question) *Analysis {
	b := *a
	b.Position, b.Attacker, b.proof = q.Position, q.Attacker, nil
	b.Lengths = slices.Clone(a.Lengths)
	b.Line.Moves = t.Moves(a.Line.Moves)
	if a.Author != nil {
		author := *a.Author
		author.Moves, author.Places = t.Moves(author.Moves), t.places(author.Places)
		b.Author = &author
	}
	b.Attack = t.attack(a.Attack)
	b.Defence = slices.Clone(a.Defence)
	for i := range b.Defence {
		n := &b.Defence[i]
		n.Move = t.Move(n.Move)
		n.Replies = slices.Clone(n.Replies)
		for j := range n.Replies {
			r := &n.Replies[j]
			r.Move, r.Line, r.Same = t.Move(r.Move), t.Moves(r.Line), t.Moves(r.Same)
			if r.Futile != nil {
				f := *r.Futile
				f.Capture = t.Move(f.Capture)
				r.Futile = &f
			}
		}
	}
	b.EqualLines = slices.Clone(a.EqualLines)
	for i := range b.EqualLines {
		e := &b.EqualLines[i]
		e.Moves, e.Reply.Move, e.Attack = t.Moves(e.Moves), t.Move(e.Reply.Move), t.attack(e.Attack)
	}
	b.SideMates = slices.Clone(a.SideMates)
	for i := range b.SideMates {
		m := &b.SideMates[i]
		m.Variation.Move, m.Move, m.Line = t.Move(m.Variation.Move), t.Move(m.Move), t.Moves(m.Line)
	}
	b.Economy = slices.Clone(a.Economy)
	for i := range b.Economy {
		if sq := &b.Economy[i].Square; sq.IsValid() {
			if t.Rotate {
				*sq = shogi.NumSquares - 1 - *sq
			}
			if t.Mirror {
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
		n.Move = t.Move(n.Move)
		n.Others = slices.Clone(n.Others)
		for j := range n.Others {
			c := &n.Others[j]
			c.Move, c.Line = t.Move(c.Move), t.Moves(c.Line)
		}
	}
	return turned
}
