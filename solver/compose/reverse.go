package compose

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
)

// LongestPlies is the longest problem that Reverse makes.
const LongestPlies = 21

// Options are what is asked of Reverse.
type Options struct {
	Session     solver.Session // which nobody else uses meanwhile
	Seed        uint64
	Least, Most int  // plies, odd, from 3 to LongestPlies
	MaxPieces   int  // on the board, the king left out, and in hand
	Strict      bool // no dual of any kind, no second mating move, no equal variation
}

// A Problem is a sound mate problem. Black is to mate, and White holds what is not in the diagram.
type Problem struct {
	Position shogi.Position
	Line     []shogi.Move // its length by length.Default is the number of moves
	Themes   []string     // IDs of package theme
	Strict   bool
	Key      string // collection.Key
}

// A Tally counts what happened to the candidates of each length.
type Tally struct {
	Families int
	Lengths  [LongestPlies + 1]LengthTally // by plies
}

// A LengthTally counts what happened to the candidates of one length.
type LengthTally struct {
	Candidates int
	Fell       [NumFilters]int
	Sound      int
	Dull       int // sound ones of a family that were not the first choice, or no pleasant ones
	Alike      int // pleasant ones that were like one before
	Yielded    int
}

// Reverse makes problems by the reverse method, about as many of each length, until ctx ends. Equal
// options give equal problems in the same order. If tally is not nil it is kept up to date.
func Reverse(ctx context.Context, o Options, tally *Tally) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		if tally == nil {
			tally = new(Tally)
		}
		c := &composer{Options: o, tally: tally, analyzer: analysis.NewAnalyzer(o.Session)}
		for n := uint64(0); ctx.Err() == nil; n++ {
			c.Session.Reset()
			grown := c.family(ctx, rand.New(rand.NewPCG(c.Seed, n)))
			tally.Families++
			if !c.leave(ctx, grown, yield) {
				return
			}
		}
	}
}

// A composer is one call of Reverse.
type composer struct {
	Options
	tally    *Tally
	analyzer *analysis.Analyzer
	seen     map[uint64]bool  // positions of the family
	index    collection.Index // of what was yielded
	endings  collection.Index // and of the last three plies of it
}

// lead is by how many problems a length may be ahead of the one with the fewest.
const lead = 5

// leave yields the best of a family, one of each length that is unlike what was yielded before, the
// longest first: the end of one is no problem beside it. A length of which there are many is left
// out. It returns what yield does.
func (c *composer) leave(ctx context.Context, grown map[int][]*problem, yield func(Problem) bool) bool {
	fewest := c.tally.Lengths[c.Most].Yielded
	for plies := c.Least; plies < c.Most; plies += 2 {
		fewest = min(fewest, c.tally.Lengths[plies].Yielded)
	}
	family := c.endings.Len()
	for plies := c.Most; plies >= c.Least; plies -= 2 {
		found := grown[plies]
		if c.tally.Lengths[plies].Yielded >= fewest+lead {
			continue
		}
		slices.SortStableFunc(found, func(a, b *problem) int { return cmp.Compare(b.score, a.score) })
		t := &c.tally.Lengths[plies]
		for i, q := range found {
			if !c.isPleasant(q, slack) {
				t.Dull++
				continue
			}
			result, ok := c.finish(ctx, q)
			if !ok {
				t.Dull++
				continue
			}
			if !c.isNew(&result, family) {
				t.Alike++
				continue
			}
			t.Yielded++
			t.Dull += len(found) - i - 1
			if !yield(result) {
				return false
			}
			break
		}
	}
	return true
}

// finish analyses a problem with the limits of a report, takes idle pieces away, and returns it if it
// is still sound and pleasant.
func (c *composer) finish(ctx context.Context, q *problem) (Problem, bool) {
	p, plies := q.position, len(q.line)
	for {
		a := c.analyse(ctx, p, false)
		if a == nil || !isSound(a, plies) {
			return Problem{}, false
		}
		if i := slices.IndexFunc(a.Economy, func(e analysis.IdlePiece) bool { return e.Idle != analysis.No }); i >= 0 {
			var ok bool
			if p, ok = without(p, a.Economy[i]); !ok {
				return Problem{}, false
			}
			continue
		}
		q = newProblem(a)
		result := Problem{Position: p, Line: q.line, Strict: q.strict, Key: collection.Key(&p, shogi.Black)}
		for _, f := range q.found {
			result.Themes = append(result.Themes, f.ID)
		}
		return result, c.isPleasant(q, 0)
	}
}

// without returns p with White holding a piece that was idle.
func without(p shogi.Position, idle analysis.IdlePiece) (shogi.Position, bool) {
	s := p.Setup()
	if idle.Square.IsValid() {
		s.Board[idle.Square] = shogi.NoPiece
	} else {
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Remove(idle.Piece, 1)
	}
	s.Hands[shogi.White] = s.Hands[shogi.White].Add(idle.Piece.Base(), 1)
	p, err := s.Position()
	return p, err == nil
}

// sameEnd is how many problems may have the same last three moves.
const sameEnd = 2

// isNew reports whether a problem is unlike all before, and counts it among them then: no near copy,
// not the end of another or the other way round, and not with the same last three moves as one of its
// family, the problems from that number on, or several others.
func (c *composer) isNew(q *Problem, family int) bool {
	whole, err := collection.Describe(&collection.Problem{Position: q.Position, Line: q.Line})
	if err != nil {
		return false
	}
	ending := collection.Problem{Position: q.Position, Line: q.Line}
	for len(ending.Line) > 3 {
		ending.Position.Do(ending.Line[0])
		ending.Line = ending.Line[1:]
	}
	end, err := collection.Describe(&ending)
	if err != nil || len(c.index.Related(whole, unlike...)) > 0 {
		return false
	}
	n := 0
	for _, m := range c.endings.Related(end, collection.Duplicate, collection.MirrorTwin, collection.SameIdea) {
		if n += m.Count; n >= sameEnd || m.ID+m.Count > family {
			return false
		}
	}
	c.index.Add(whole)
	c.endings.Add(end)
	return true
}

// unlike are the ways in which no two problems may be alike.
var unlike = []collection.Relation{collection.Duplicate, collection.MirrorTwin, collection.Contained,
	collection.Contains, collection.OtherHand, collection.Changed, collection.Shifted, collection.SameIdea}
