package search

import (
	"context"
	"time"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/play"
)

// A timer tells a search when to end.
type timer struct {
	began     time.Time
	budget    play.Budget
	ponderhit <-chan play.Budget // nil when the clock is running
	done      <-chan struct{}
	troubled  bool // the best move has failed low since enough was asked
}

// These are for positions where a search gains little.
const (
	onlyMoveDepth = 5
	onlyMoveTime  = 100 * time.Millisecond
)

// expired reports whether the search has to end.
func (t *timer) expired() bool {
	solver.Yield()
	select {
	case <-t.done:
		return true
	case b := <-t.ponderhit:
		t.began, t.budget, t.ponderhit = time.Now(), b, nil
	default:
	}
	return t.ponderhit == nil && t.budget.Hard > 0 && time.Since(t.began) >= t.budget.Hard
}

// context returns a context that ends when the time is up, as far as that is known.
func (t *timer) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.ponderhit != nil || t.budget.Hard == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, t.began.Add(t.budget.Hard))
}

// trouble says that the best move is not as good as it seemed.
func (t *timer) trouble() { t.troubled = true }

// enough reports whether no other iteration should begin: after the one of that depth, with one
// legal move alone, one that has long been the best, or one that is worth less than before.
func (t *timer) enough(depth int, onlyMove, easy, fell bool) bool {
	if t.expired() {
		return true
	}
	if t.ponderhit != nil || t.budget.Hard == 0 {
		return false
	}
	spent, soft := time.Since(t.began), t.budget.Soft
	if onlyMove && (depth >= onlyMoveDepth || spent >= onlyMoveTime) {
		return true
	}
	switch {
	case soft >= t.budget.Hard: // saving nothing is the point
		return false
	case fell || t.troubled:
		soft *= 2
	case easy:
		soft /= 2
	}
	t.troubled = false
	return spent >= soft
}
