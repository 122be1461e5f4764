package compose

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// Reverse makes problems by the reverse method until ctx ends. A unit of
// work is a family. If tally is not nil it is kept up to date.
func Reverse(ctx context.Context, o Options, tally *Tally) iter.Seq[Problem] {
	return o.run(ctx, tally, func(ctx context.Context, w *worker) map[int][]*problem { return w.family(ctx) },
		func(l *selection, grown map[int][]*problem) bool { return l.selectFamily(grown) })
}

// lead is by how many problems a length may be ahead of the one with the fewest.
const lead = 5

// selectFamily yields the best of a family, one of each length that is unlike what was yielded before,
// the longest first: the end of one is no problem beside it. A length of which there are many is left
// out. It reports whether there is to be more.
func (l *selection) selectFamily(grown map[int][]*problem) bool {
	c := l.Conditions
	fewest := l.tally.Lengths[c.Most].Yielded
	for plies := c.Least; plies < c.Most; plies += 2 {
		fewest = min(fewest, l.tally.Lengths[plies].Yielded)
	}
	for plies := c.Most; plies >= c.Least; plies -= 2 {
		if l.isFull(plies) || l.each == 0 && l.tally.Lengths[plies].Yielded >= fewest+lead {
			continue
		}
		found := grown[plies]
		slices.SortStableFunc(found, func(a, b *problem) int { return cmp.Compare(b.score, a.score) })
		for i, q := range found {
			left, more := l.offer(q)
			if !more {
				return false
			}
			if left {
				l.tally.Lengths[plies].Dull += len(found) - i - 1
				break
			}
		}
	}
	return true
}
