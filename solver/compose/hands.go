package compose

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate1"
)

// HandsOptions are what is asked of Hands.
type HandsOptions struct {
	Search
	Position shogi.Position // the board; its hands do not count
	Pieces   int            // in Black's hand at most
}

// handsPart is how many hands share what is found out about one of them.
const handsPart = 256

// hands returns the board with nothing in Black's hand, and all hands, the small ones first.
func (o *HandsOptions) hands() (p shogi.Position, list []shogi.Hand, err error) {
	if p, err = diagram(o.Position); err != nil {
		return p, nil, err
	}
	p = withHand(p, 0)
	of := p.Hand(shogi.White)
	if n := countHands(of, o.Pieces); n > MaxFigures {
		return p, nil, fits(n, "ask for fewer pieces")
	}
	list = appendHands(nil, of, 0, kinds[:], o.Pieces)
	slices.SortStableFunc(list, func(a, b shogi.Hand) int { return cmp.Compare(a.Len(), b.Len()) })
	return p, list, nil
}

// countHands returns how many hands of at most n pieces there are out of those in one.
func countHands(of shogi.Hand, n int) (sum float64) {
	ways := make([]float64, n+1) // by pieces
	ways[0] = 1
	for _, t := range kinds {
		for i := n; i > 0; i-- {
			for k := 1; k <= min(i, of.Count(t)); k++ {
				ways[i] += ways[i-k]
			}
		}
	}
	for _, w := range ways {
		sum += w
	}
	return sum
}

// appendHands appends the hands that have so many pieces more than h of some kinds, as far as there are.
func appendHands(dst []shogi.Hand, of, h shogi.Hand, kinds []shogi.PieceType, more int) []shogi.Hand {
	if len(kinds) == 0 {
		return append(dst, h)
	}
	for n := 0; n <= min(more, of.Count(kinds[0])); n++ {
		dst = appendHands(dst, of, h.Add(kinds[0], n), kinds[1:], more-n)
	}
	return dst
}

// Count returns how many hands there are, and an error if they are too many or the diagram is none.
func (o *HandsOptions) Count() (int, error) {
	_, list, err := o.hands()
	return len(list), err
}

// Parts returns in how many parts so many figures are looked at.
func (o *HandsOptions) Parts(figures int) int { return (figures + handsPart - 1) / handsPart }

// Hands yields the sound problems of one board and any hand of up to so many pieces, small hands
// first (持駒サーチ).
//
// What is found out about one hand holds for others. With more in hand Black has every line of play that
// he had, and White, who has less, no other reply. So where a hand mates, every hand with more mates by the same
// first moves; where none does, none with less does.
func Hands(ctx context.Context, o HandsOptions) (iter.Seq[Problem], error) {
	p, list, err := o.hands()
	if err != nil {
		return nil, err
	}
	parts := slices.Collect(slices.Chunk(list, handsPart))
	return o.run(ctx, space{parts: len(parts), figures: len(list), effort: thorough,
		search: func(ctx context.Context, e *examiner, part int, f *found) {
			(&handFamily{e: e, board: p}).search(ctx, parts[part], f)
		}}), nil
}

// A handFamily is the hands of a part.
type handFamily struct {
	e     *examiner
	board shogi.Position
	mates []matingHand // those that mate, small ones first
}

// A matingHand is a hand that mates.
type matingHand struct {
	hand shogi.Hand
	known
}

func (y *handFamily) search(ctx context.Context, hands []shogi.Hand, f *found) {
	for _, h := range hands {
		if ctx.Err() != nil {
			return
		}
		f.add(y.examine(ctx, h))
	}
}

// examine returns the problem with a hand, if there is one.
func (y *handFamily) examine(ctx context.Context, h shogi.Hand) (Problem, Outcome) {
	p := withHand(y.board, h)
	var k known
	for _, less := range y.mates {
		if !h.Covers(less.hand) {
			continue
		}
		switch {
		case less.short:
			return Problem{}, OtherPlies
		case less.cooked && (y.e.Least > 1 || mate1.Find(&p) == shogi.NoMove):
			return Problem{}, Cooked
		case y.e.Strict:
			// The plan of the smaller hand mates here too, with something left over. Either the main
			// line goes by that plan, or somewhere on it there are two moves that mate.
			return Problem{}, Unsound
		}
		k.mates = true
		for _, m := range less.by {
			if !slices.Contains(k.by, m) {
				k.by = append(k.by, m)
			}
		}
	}
	q, outcome := y.e.examine(ctx, p, &k)
	if k.mates {
		y.mates = append(y.mates, matingHand{h, k})
	}
	return q, outcome
}
