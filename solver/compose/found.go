package compose

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Finder makes problems of positions from elsewhere, such as games. It is for one goroutine.
type Finder struct{ e *examiner }

// NewFinder returns a Finder that asks s, which nobody else uses meanwhile.
func NewFinder(s solver.Session) *Finder {
	return &Finder{newExaminer(s, &Conditions{Least: 1, Most: LongestPlies, MaxHand: -1, MaxCaptures: -1}, thorough)}
}

// Find returns the problem that p is, turned so that Black mates, if it is sound. What Black holds and
// has left over at the mate is with White instead: in games there is nearly always something.
func (f *Finder) Find(ctx context.Context, p shogi.Position) (Problem, bool) {
	if p.SideToMove() == shogi.White {
		p = p.Rotated()
	}
	f.e.reset()
	q, outcome := f.e.examine(ctx, p, &known{})
	if outcome == Sound {
		return q, true
	}
	a := f.e.analyse(ctx, p, f.e.analyses[0])
	if a == nil {
		return Problem{}, false
	}
	s, moved := p.Setup(), false
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		n := min(s.Hands[shogi.Black].Count(t), a.Line.Leftover.Count(t))
		s.Hands = [2]shogi.Hand{s.Hands[shogi.Black].Remove(t, n), s.Hands[shogi.White].Add(t, n)}
		moved = moved || n > 0
	}
	if p, err := s.Position(); moved && err == nil {
		return f.Find(ctx, p)
	}
	return Problem{}, false
}
