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
// has left over at the mate is with White instead: in games it is nearly always there.
func (f *Finder) Find(ctx context.Context, p shogi.Position) (Problem, bool) {
	if p.SideToMove() == shogi.White {
		p = p.Rotated()
	}
	f.e.reset()
	for _, quick := range f.e.analyses {
		for {
			a := f.e.analyse(ctx, p, quick)
			if a == nil || a.Verdict != solver.Mate {
				break
			}
			over := spare(p.Hand(shogi.Black), a.Line.Leftover)
			if over.IsEmpty() {
				break
			}
			s := p.Setup()
			s.Hands[shogi.Black] -= over
			s.Hands[shogi.White] += over
			var err error
			if p, err = s.Position(); err != nil {
				return Problem{}, false
			}
		}
	}
	q, outcome := f.e.examine(ctx, p, &known{})
	return q, outcome == Sound
}

// spare returns what of a hand is left over.
func spare(hand, left shogi.Hand) (both shogi.Hand) {
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		both = both.Add(t, min(hand.Count(t), left.Count(t)))
	}
	return both
}
