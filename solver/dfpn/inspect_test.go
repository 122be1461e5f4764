//go:build lab

package dfpn_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// TestInspect looks at the trees of what searches spent: the moves are legal by the second rules, the
// greatest come first and none is smaller than was asked for, what is said to be decided is, and the
// same position turned round has the same tree.
func TestInspect(t *testing.T) {
	t.Parallel()
	cut := dfpn.Cut{Plies: 6, Moves: 3, Share: 0.02}
	one := dfpn.New(dfpn.Options{TableBytes: 4 << 20})
	looked, decided := 0, 0
	for i, k := range knownPositions(t, quick) {
		if i%4 > 0 && !testing.Short() {
			continue
		}
		lim := solver.Limits{Nodes: 3000, Proof: true}
		r, root := dfpn.Inspect(context.Background(), k.Position, lim, dfpn.Options{}, cut)
		if msg := k.wrong(&r); msg != "" || root.Nodes != r.Nodes {
			t.Errorf("%s: %s %+v, %d nodes at the root", k.Source, msg, r, root.Nodes)
		}
		if root.Verdict != solver.Unknown && root.Verdict != r.Verdict {
			t.Errorf("%s: %v, and the root is %v", k.Source, r.Verdict, root.Verdict)
		}
		var look func(w *dfpn.Work, p shogi.Position, left int)
		look = func(w *dfpn.Work, p shogi.Position, left int) {
			board := mailbox.From(&p)
			if len(w.Then) > cut.Moves || left == 0 && len(w.Then) > 0 {
				t.Fatalf("%s: %d moves, %d plies from the end", k.Source, len(w.Then), left)
			}
			for j := range w.Then {
				next := &w.Then[j]
				if !board.IsLegal(next.Move) || float64(next.Nodes) < cut.Share*float64(r.Nodes)-1 ||
					j > 0 && next.Nodes > w.Then[j-1].Nodes || (next.Verdict != solver.Unknown && next.PN+next.DN > 0) {
					t.Errorf("%s: sfen %s: move %d: %+v", k.Source, p.SFEN(), j, next)
					continue
				}
				q := p
				q.Do(next.Move)
				looked++
				if next.Verdict == solver.Mate && q.SideToMove() == k.Position.SideToMove() {
					if again := solve(one, q, solver.Limits{Nodes: 1_000_000}); again.Verdict != solver.Mate {
						t.Errorf("%s: sfen %s is said to be a mate: %+v", k.Source, q.SFEN(), again)
					}
					decided++
				}
				look(next, q, left-1)
			}
		}
		look(&root, k.Position, cut.Plies)

		_, turned := dfpn.Inspect(context.Background(), k.Position.Rotated(), lim, dfpn.Options{}, cut)
		var turn func(w *dfpn.Work)
		turn = func(w *dfpn.Work) {
			if w.Move != shogi.NoMove {
				w.Move = w.Move.Rotated()
			}
			for j := range w.Then {
				turn(&w.Then[j])
			}
		}
		if turn(&turned); !reflect.DeepEqual(turned, root) {
			t.Errorf("%s: turned round: %+v, not %+v", k.Source, turned, root)
		}
	}
	if looked < 100 || decided < 20 {
		t.Errorf("%d positions, %d of them mates: too few to tell", looked, decided)
	}
}
