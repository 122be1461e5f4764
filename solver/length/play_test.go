package length_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// A plainReply is what the plain search finds of a reply that is not futile: 1 + the length after
// it, and what is left over at the end of the best lines.
type plainReply struct {
	move   shogi.Move
	length int
	least  int
}

// replies returns what the definition of the package leaves of the replies in b, whose length is
// plies, and which drops it leaves out.
func (w *plain) replies(b mailbox.Board, plies int) (list []plainReply, futile []shogi.Move) {
	here, king := 0, b.King(b.SideToMove())
	moves := b.LegalMoves()
	add := func(m shogi.Move) int {
		r := plainReply{move: m, length: w.reply(b, m, plies)}
		after := b
		after.Do(m)
		r.least = w.least(after, r.length-1)
		list = append(list, r)
		return r.length
	}
	for _, m := range moves {
		if !m.IsDrop() {
			here = max(here, add(m))
		}
	}
	for k := 1; k <= 8; k++ {
		next := here
		for _, m := range moves {
			switch {
			case !m.IsDrop() || distance(king, m.To()) != k:
			case w.futile(b, m, here):
				futile = append(futile, m)
			default:
				next = max(next, add(m))
			}
		}
		here = next
	}
	return list, futile
}

// least returns the fewest pieces that the attacker may have left at the end of a line of best
// length from b, the length of which is plies.
func (w *plain) least(b mailbox.Board, plies int) int {
	if plies == 0 {
		n := 0
		for _, kind := range heldKinds {
			n += b.Held(b.SideToMove().Opponent(), kind)
		}
		return n
	}
	best := more
	if plies%2 == 0 {
		replies, _ := w.replies(b, plies)
		for _, r := range replies {
			if r.length == plies {
				best = min(best, r.least)
			}
		}
		return best
	}
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		if w.defence(after, plies-1) == plies-1 {
			best = min(best, w.least(after, plies-1))
		}
	}
	return best
}

// most returns the most pieces that the attacker may have left, if the defender wants few.
func (w *plain) most(b mailbox.Board, plies int) int {
	if plies == 0 {
		return w.least(b, 0)
	}
	best := -1
	if plies%2 == 0 {
		replies, _ := w.replies(b, plies)
		for _, r := range replies {
			if r.length == plies {
				after := b
				after.Do(r.move)
				if n := w.most(after, plies-1); best < 0 || n < best {
					best = n
				}
			}
		}
		return best
	}
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		if w.defence(after, plies-1) == plies-1 {
			best = max(best, w.most(after, plies-1))
		}
	}
	return best
}

var heldKinds = []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold,
	shogi.Bishop, shogi.Rook}

// wantReply returns the reply of the best that the documentation of best play names.
func wantReply(b mailbox.Board, replies []plainReply, plies int) shogi.Move {
	best := slices.DeleteFunc(replies, func(r plainReply) bool { return r.length != plies })
	king := b.King(b.SideToMove())
	order := func(m shogi.Move) (isDrop, far, kind, declines int) {
		if m.IsDrop() {
			return 1, distance(king, m.To()), slices.Index(heldKinds, m.Dropped()), 0
		}
		promoted := shogi.NewPromotion(m.From(), m.To())
		switch b.Piece(m.From()).Type() {
		case shogi.Pawn, shogi.Lance, shogi.Bishop, shogi.Rook:
			if !m.IsPromotion() && b.IsLegal(promoted) {
				return 0, 0, 0, 2
			}
		}
		if m.IsPromotion() {
			return 0, 0, 0, 0
		}
		return 0, 0, 0, 1
	}
	slices.SortFunc(best, func(x, y plainReply) int {
		xDrop, xFar, xKind, xDeclines := order(x.move)
		yDrop, yFar, yKind, yDeclines := order(y.move)
		return cmp.Or(x.least-y.least, xDrop-yDrop, xFar-yFar, xKind-yKind, xDeclines-yDeclines,
			int(x.move)-int(y.move))
	})
	return best[0].move
}

// TestReplyIsPlain: the defender's reply is the one that the documentation names, by a plain search
// with the definition: never a futile drop, and the author's where that is one of the longest.
func TestReplyIsPlain(t *testing.T) {
	var positions []shogi.Position
	longer := 0
	for _, r := range rows(t) {
		switch n := r.lengths[length.F2]; {
		case n == 5 && longer < 24:
			longer++
			fallthrough
		case n == 1, n == 3:
			positions = append(positions, r.p)
		}
	}
	for r := solvertest.NewRandom(3, 0); len(positions) < 110; {
		p := r.Next()
		if attacker, err := solver.Attacker(&p); err == nil && p.SideToMove() == attacker {
			positions = append(positions, length.Orient(&p, attacker).Position(p))
		}
	}
	e := length.NewEngine(dfpn.NewSession())
	e.Begin(shogi.Black, length.F2)
	nodes, futile, several, shorter, kept := 0, 0, 0, 0, 0
	for _, p := range positions {
		w := plain{length.F2, map[within]bool{}}
		most := w.attack(mailbox.From(&p), 5)
		if most == more {
			continue
		}
		for _, c := range length.PreferredChecks(&p) {
			next := p
			next.Do(c)
			b := mailbox.From(&next)
			n := w.defence(b, most-1)
			if n == more {
				continue
			}
			budget := e.Budget(context.Background(), 1_000_000)
			play := length.NewPlay(budget, shogi.Black)
			replies, leftOut := w.replies(b, n)
			most := w.most(b, n)
			if got, ok := play.Most(next, n); got != most || !ok {
				t.Errorf("%s, length %d: %d pieces left at most %v, want %d", next.SFEN(), n, got, ok, most)
			}
			kept += min(most, 1)
			want := shogi.NoMove
			if n > 0 {
				want = wantReply(b, slices.Clone(replies), n)
			}
			nodes++
			futile += len(leftOut)
			if got, ok := play.Reply(next, n, shogi.NoMove); got != want || !ok {
				t.Errorf("%s, length %d: %v %v, want %v", next.SFEN(), n, got, ok, want)
			}
			for _, r := range replies {
				author := want
				if r.length == n {
					author = r.move
				} else {
					shorter++
				}
				if got, _ := play.Reply(next, n, r.move); got != author {
					t.Errorf("%s, author %v: %v, want %v", next.SFEN(), r.move, got, author)
				}
				if author != want {
					several++
				}
			}
			for _, m := range leftOut {
				if got, _ := play.Reply(next, n, m); got != want {
					t.Errorf("%s, author %v, which is futile: %v, want %v", next.SFEN(), m, got, want)
				}
			}
			line, ok := play.Line(next, n)
			end := next
			for _, m := range line {
				end.Do(m)
			}
			endBoard := mailbox.From(&end)
			if !ok || len(line) != n || w.defence(endBoard, 0) != 0 ||
				end.Hand(shogi.Black).Len() != w.least(b, n) {
				t.Errorf("%s, length %d: line %v", next.SFEN(), n, line)
			}
		}
	}
	t.Logf("%d positions of the defender, %d futile drops, %d other longest replies, %d shorter ones, %d with pieces kept",
		nodes, futile, several, shorter, kept)
	if nodes < 80 || futile < 100 || several < 50 || shorter < 5 || kept < 20 {
		t.Error("too few of them")
	}
}
