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

// Search is what all methods have in common. Each does its work in parts, which are numbered from 0 on: some
// figures of the searches of authors, Hands, Place, Shape and Lines, or a unit of work of Reverse and Evolve.
// Equal options give equal problems in the same order, whatever the number of threads.
type Search struct {
	Conditions
	// NewSession makes one for each thread, and another one for what Reverse and Evolve yield; with one thread
	// it may be the same.
	NewSession func() solver.Session
	Threads    int       // how many parts are searched at once; 0: one
	From       int       // the part to begin with, as a Progress said
	To         int       // and the one to end before; 0: all
	Before     []Problem // what the parts before From yielded
	// Archive has what is known, which is not yielded again, nor its mirror image; it names the nearest
	// of the others. It may be nil. Reverse, Evolve and Shape yield nothing that is alike either, and add
	// what they yield.
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

// Japanese is the same without the hint.
func (e *SpaceError) Japanese() string {
	return fmt.Sprintf("調べる図が%sあり、多すぎます（%sまで）。条件を絞ってください。", RoundFigures(e.Figures), RoundFigures(MaxFigures))
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
}

// add takes down what became of a candidate.
func (f *found) add(q Problem, o Outcome) {
	if f.outcomes[o]++; o == Sound {
		f.problems = append(f.problems, q)
	}
}

// run yields the problems of all parts. If ctx ends, those come last that were found in the part that is
// then under way, which Progress does not tell of.
func (s *Search) run(ctx context.Context, sp space) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		out := s.output(yield)
		if out.OfParts, out.OfFigures = sp.parts, sp.figures; sp.parts > 0 {
			out.Coverage = All
		}
		search := func(ctx context.Context, e *examiner, part int) (f found) {
			sp.search(ctx, e, part, &f)
			return f
		}
		for part, r := range inOrder(ctx, s.examiners(sp.effort), 0, s.parts(sp.parts), search) {
			if !out.put(r.of.problems) || !r.whole {
				return
			}
			out.count(&r.of.outcomes)
			out.done(part + 1)
		}
	}
}

// parts are the numbers of the parts to be searched, of so many, or of any number if there are 0.
func (s *Search) parts(of int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for part := s.From; (of == 0 || part < of) && (s.To == 0 || part < s.To) && yield(part); part++ {
		}
	}
}

// examiners are those of a search, one for each thread, nil until it is needed.
type examiners struct {
	idle chan *examiner
	new  func() *examiner
}

func newExaminers(threads int, new func() *examiner) *examiners {
	y := &examiners{make(chan *examiner, max(threads, 1)), new}
	for range cap(y.idle) {
		y.idle <- nil
	}
	return y
}

// examiners returns those of a search of authors.
func (s *Search) examiners(f effort) *examiners {
	return newExaminers(s.Threads, func() *examiner { return newExaminer(s.NewSession(), &s.Conditions, f) })
}

// A result is what work came to.
type result[R any] struct {
	of    R
	whole bool // the context did not end before the work did
}

// inOrder does work for each batch, on as many threads as there are examiners, each time with one that is
// as new. It yields the results in the order of the batches; held is how many of them may wait, 0 for
// a default.
func inOrder[B, R any](ctx context.Context, y *examiners, held int, batches iter.Seq[B],
	work func(ctx context.Context, e *examiner, batch B) R) iter.Seq2[B, result[R]] {
	source := func(_ context.Context, yield func(B) bool) { batches(yield) }
	do := func(ctx context.Context, batch B) (r result[R]) {
		e := <-y.idle
		defer func() { y.idle <- e }()
		if ctx.Err() != nil {
			return r
		}
		if e == nil {
			e = y.new()
		}
		e.reset()
		r.of = work(ctx, e, batch)
		r.whole = ctx.Err() == nil
		return r
	}
	return ordered.Map(ctx, ordered.Options[B]{Workers: cap(y.idle), Held: held}, source, do)
}

// An output yields the problems of a search that are new, and says how far the search is.
type output struct {
	Progress
	search *Search
	yield  func(Problem) bool
	seen   map[string]bool // keys of problems
}

func (s *Search) output(yield func(Problem) bool) *output {
	o := &output{search: s, yield: yield, seen: map[string]bool{}}
	for i := range s.Before {
		o.seen[s.Before[i].Key] = true
	}
	return o
}

// put yields the problems that are new. It returns whether to go on.
func (o *output) put(problems []Problem) bool {
	for _, q := range problems {
		if o.seen[q.Key] || o.search.isKnown(&q) {
			continue
		}
		if o.seen[q.Key] = true; !o.yield(q) {
			return false
		}
	}
	return true
}

// count adds what became of candidates, and returns how many there were.
func (o *output) count(outcomes *[NumOutcomes]int) (sum int) {
	for i, n := range outcomes {
		o.Outcomes[i] += n
		sum += n
	}
	o.Figures += sum
	return sum
}

// done says that so many parts are done.
func (o *output) done(parts int) {
	if o.Parts = parts; o.search.Progress != nil {
		o.search.Progress(o.Progress)
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
		return p, newFault("the diagram has no king of White's, which is to be mated", "玉方（後手）の玉がありません。")
	case p.SideToMove() != shogi.Black:
		return p, newFault("White is to move in the diagram, but Black is to mate", "攻方を先手とし、先手番の図にしてください。")
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
