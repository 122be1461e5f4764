package compose

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/ordered"
)

// Search is what the searches of authors have in common: Hands, Place, Shape and Lines. Each looks at
// figures that are numbered from 0 on, some of them at a time: a part. Equal options give equal
// problems in the same order, whatever the number of threads.
type Search struct {
	Conditions
	NewSession func() solver.Session // one for each thread
	Threads    int                   // how many parts are searched at once; 0: one
	From       int                   // the part to begin with, as a Progress said
	To         int                   // and the one to end before; 0: all
	Before     []Problem             // what the parts before From yielded
	// Archive has what is known, which is not yielded again, nor its mirror image; it names the nearest
	// of the others. It may be nil.
	Archive *Archive
	// Progress, unless it is nil, is called after each part, in their order and from the goroutine
	// of the loop, when the problems of the part have been yielded.
	Progress func(Progress)
}

// A Coverage says which figures a search looks at, of all that there are.
type Coverage uint8

const (
	Random Coverage = iota // some: another run looks at others
	Chosen                 // those that are the likeliest to come to something
	All                    // every one
)

// String names the coverage.
func (c Coverage) String() string { return [...]string{"random", "chosen", "all"}[c] }

// A Progress says how far a search is.
type Progress struct {
	Coverage           Coverage         // of the whole search
	Parts, OfParts     int              // done, and how many there are; OfParts is 0 where there is no end
	Figures, OfFigures int              // as Parts
	Outcomes           [NumOutcomes]int // what became of the figures since From
}

// MaxFigures is how many figures a search may have.
const MaxFigures = 10_000_000

// A SpaceError says that a search has too many figures.
type SpaceError struct {
	Figures float64
	Hint    string // what would make it smaller
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("there are %s figures to look at, but at most %s can be: %s", RoundFigures(e.Figures),
		RoundFigures(MaxFigures), e.Hint)
}

// RoundFigures writes a number as one says it: as it is if it is small, and else as 2.4·10^9.
func RoundFigures(n float64) string {
	if n < 100_000 {
		return fmt.Sprintf("%.0f", n)
	}
	e := 0
	for ; n >= 10; e++ {
		n /= 10
	}
	if n = float64(int(n*10+0.5)) / 10; n == 1 {
		return fmt.Sprintf("10^%d", e)
	}
	return fmt.Sprintf("%v·10^%d", n, e)
}

// fits returns a *SpaceError if there are too many figures.
func fits(figures float64, hint string) error {
	if figures > MaxFigures {
		return &SpaceError{figures, hint}
	}
	return nil
}

// A space is the parts of a search.
type space struct {
	parts   int // 0: without end
	figures int // of all parts
	effort  effort
	// search looks at the figures of a part. It ends when its context does.
	search func(ctx context.Context, e *examiner, part int, found *found)
}

// found is what a part comes to.
type found struct {
	problems []Problem
	outcomes [NumOutcomes]int
	whole    bool // the context did not end before the part did
}

// add takes down what became of a figure.
func (f *found) add(q Problem, outcome Outcome) {
	if f.outcomes[outcome]++; outcome == Sound {
		f.problems = append(f.problems, q)
	}
}

// run yields the problems of all parts. If ctx ends, those come last that were found in the part that is
// then under way, which Progress does not tell of.
func (s *Search) run(ctx context.Context, sp space) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		threads := max(s.Threads, 1)
		idle := make(chan *examiner, threads)
		for range threads {
			idle <- nil
		}
		source := func(_ context.Context, yield func(int) bool) {
			for part := s.From; (sp.parts == 0 || part < sp.parts) && (s.To == 0 || part < s.To); part++ {
				if !yield(part) {
					return
				}
			}
		}
		search := func(ctx context.Context, part int) (f found) {
			e := <-idle
			defer func() { idle <- e }()
			if ctx.Err() != nil {
				return f
			}
			if e == nil {
				e = newExaminer(s.NewSession(), &s.Conditions, sp.effort)
			}
			e.reset()
			sp.search(ctx, e, part, &f)
			f.whole = ctx.Err() == nil
			return f
		}
		progress := Progress{OfParts: sp.parts, OfFigures: sp.figures}
		if sp.parts > 0 {
			progress.Coverage = All
		}
		seen := map[string]bool{}
		for i := range s.Before {
			seen[s.Before[i].Key] = true
		}
		for part, f := range ordered.Map(ctx, ordered.Options[int]{Workers: threads}, source, search) {
			for _, q := range f.problems {
				if seen[q.Key] || s.isKnown(&q) {
					continue
				}
				seen[q.Key] = true
				if !yield(q) {
					return
				}
			}
			if !f.whole {
				return
			}
			progress.Parts = part + 1
			for outcome, n := range f.outcomes {
				progress.Outcomes[outcome] += n
				progress.Figures += n
			}
			if s.Progress != nil {
				s.Progress(progress)
			}
		}
	}
}

// isKnown reports whether a problem is one of the archive, and else names the nearest.
func (s *Search) isKnown(q *Problem) bool {
	if s.Archive == nil {
		return false
	}
	q.Nearest, _ = s.Archive.Nearest(q)
	return q.Nearest != nil && !q.Nearest.Twin &&
		(q.Nearest.Relation == collection.Duplicate || q.Nearest.Relation == collection.MirrorTwin)
}

// partOf is a generator of random numbers that depends on the seed and the part alone.
func partOf(seed uint64, part int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(part))) }

// diagram checks the diagram of an author: the defender has a king, White, and Black is to move. It
// returns it with all that is missing in White's hand.
func diagram(p shogi.Position) (shogi.Position, error) {
	switch {
	case p.King(shogi.White) == shogi.NoSquare:
		return p, newFault("the diagram has no king of White's, which is to be mated", "後手の玉がありません。")
	case p.SideToMove() != shogi.Black:
		return p, newFault("White is to move in the diagram, but Black is to mate", "先手番の図にしてください。")
	}
	p.GiveMissing(shogi.White)
	return p, nil
}

// newFault returns an error about what an author asks for.
func newFault(english, japanese string, args ...any) error {
	return shogi.NewError("compose", shogi.NewText("compose", english, japanese).With(args...))
}

// kinds are the pieces that can be in hand.
var kinds = [...]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook}

// withHand returns p with Black holding so much and White the rest.
func withHand(p shogi.Position, h shogi.Hand) shogi.Position {
	p.GiveMissing(shogi.White)
	p.GiveAway(shogi.Black, 0)
	rest := p.Hand(shogi.White)
	for _, t := range kinds {
		rest = rest.Remove(t, h.Count(t))
	}
	p.GiveAway(shogi.White, rest)
	return p
}
