//go:build !debug

// An exchange on a board heeds neither pins nor dead ends.

package search

import (
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play/eval"
)

// exchange returns the change of the balance for the side to move of p when both sides capture on
// sq with their least valuable piece as long as they like, the side to move first. It plays the
// moves on a board.
func exchange(p shogi.Position, sq shogi.Square) int32 {
	victim := p.Piece(sq).Type()
	us := p.SideToMove()
	for _, t := range leastValuable {
		for from := range p.PiecesOf(us, t).All() {
			if !shogi.Attacks(us, t, from, p.Occupied()).Has(sq) {
				continue
			}
			if t == shogi.King && protected(p, sq, from) {
				return 0
			}
			p.Do(shogi.NewMove(from, sq))
			return max(0, eval.CaptureValue[victim]-exchange(p, sq))
		}
	}
	return 0
}

// protected reports whether the opponent of the side to move would capture what comes from a square
// to sq.
func protected(p shogi.Position, sq, from shogi.Square) bool {
	them := p.SideToMove().Opponent()
	occupied := p.Occupied().Without(from)
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		for other := range p.PiecesOf(them, t).All() {
			if other != sq && shogi.Attacks(them, t, other, occupied).Has(sq) {
				return true
			}
		}
	}
	return false
}

// winsExchange agrees with exchanges played on a board. Where two pieces of a kind attack a square
// it may take another one first, and uncover another slider: such squares are left out.
func TestWinsExchange(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var buf shogi.MoveBuffer
	compared, gains, losses := 0, 0, 0
	for range 80 {
		p := shogi.Start()
		for range 200 {
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			for _, m := range moves {
				if !distinct(&p, m.To()) || !m.IsDrop() && p.Piece(m.From()).Type() == shogi.King {
					continue
				}
				q := p
				u := q.Do(m)
				want := eval.CaptureValue[u.Captured().Type()] - exchange(q, m.To())
				if m.IsPromotion() {
					want += eval.PromotionValue[p.Piece(m.From()).Type()]
				}
				if !winsExchange(&p, m, want) || winsExchange(&p, m, want+1) {
					t.Fatalf("%s %s: the exchange is worth %d; winsExchange says %v to that and %v to one more",
						p.SFEN(), m, want, winsExchange(&p, m, want), winsExchange(&p, m, want+1))
				}
				compared++
				switch {
				case want > 0:
					gains++
				case want < 0:
					losses++
				}
			}
			p.Do(moves[random.IntN(len(moves))])
		}
	}
	if compared < 100_000 || gains < 1000 || losses < 10_000 {
		t.Errorf("compared %d moves, %d of which win and %d lose", compared, gains, losses)
	}
}

// distinct reports whether no two pieces of one side and kind look at sq, along a line that may be
// blocked.
func distinct(p *shogi.Position, sq shogi.Square) bool {
	for c := shogi.Black; c <= shogi.White; c++ {
		for t := shogi.Pawn; t <= shogi.Dragon; t++ {
			n := 0
			for from := range p.PiecesOf(c, t).All() {
				if shogi.EmptyAttacks(c, t, from).Has(sq) {
					n++
				}
			}
			if n > 1 {
				return false
			}
		}
	}
	return true
}
