package shogi_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// Captures and Quiets together are LegalMoves, each move once, and a capture or the promotion of a
// pawn is in Captures.
func TestCapturesAndQuiets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all, some, rest shogi.MoveBuffer
	seen := 0
	for range 60 {
		p := shogi.Start()
		for range 300 {
			legal := p.LegalMoves(&all, shogi.AllMoves)
			if len(legal) == 0 {
				break
			}
			for _, set := range []shogi.MoveSet{shogi.AllMoves, shogi.UsefulMoves} {
				if p.InCheck() {
					continue
				}
				var buf shogi.MoveBuffer
				want := slices.Clone(p.LegalMoves(&buf, set))
				captures := p.Captures(&some, set)
				quiets := p.ForSearch().Quiets(&rest, set)
				for _, m := range captures {
					pawn := !m.IsDrop() && m.IsPromotion() && p.Piece(m.From()).Type() == shogi.Pawn
					if p.Piece(m.To()) == shogi.NoPiece && !pawn {
						t.Fatalf("%s: Captures has %s", p.SFEN(), m)
					}
				}
				got := slices.Concat(captures, quiets)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: Captures and Quiets have %v, LegalMoves has %v", p.SFEN(), got, want)
				}
				for _, m := range quiets {
					pawn := !m.IsDrop() && m.IsPromotion() && p.Piece(m.From()).Type() == shogi.Pawn
					if p.Piece(m.To()) != shogi.NoPiece || pawn {
						t.Fatalf("%s: Quiets has %s", p.SFEN(), m)
					}
				}
				seen++
			}
			p.Do(legal[random.IntN(len(legal))])
		}
	}
	t.Logf("%d positions", seen)
}
