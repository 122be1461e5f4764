package compose

import (
	"context"
	"iter"
)

// Reverse makes problems by the reverse method until ctx ends. A unit of
// work is a family. If tally is not nil it is kept up to date.
func Reverse(ctx context.Context, o Options, tally *Tally) iter.Seq[Problem] {
	return o.run(ctx, tally, func(ctx context.Context, w *worker) map[int][]*problem { return w.family(ctx) },
		func(l *selection, grown map[int][]*problem) bool { return l.selectFamily(grown) })
}

// lead is by how many problems a length may be ahead of the one with the fewest.
const lead = 5

// selectFamily yields the best of a family, one of each length. A length of which there are many is left
// out. It reports whether there is to be more.
func (l *selection) selectFamily(grown map[int][]*problem) bool {
	fewest := l.tally.Lengths[l.Most].Yielded
	for plies := l.Least; plies < l.Most; plies += 2 {
		fewest = min(fewest, l.tally.Lengths[plies].Yielded)
	}
	return l.best(grown, max(1, l.archive.SameMoves), func(plies int) bool {
		return l.isFull(plies) || l.each == 0 && l.tally.Lengths[plies].Yielded >= fewest+lead
	})
}
