package shogi_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestCanDeclare has a position for each condition, just met and just missed. Points are counted
// in the comments as zone + hand.
func TestCanDeclare(t *testing.T) {
	const (
		ten  = "+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b " // ten pieces, ten points
		nine = "+P+P+P+PK+P+P+P+P/+P8/9/9/9/9/9/9/4k4 b "
	)
	for _, test := range []struct {
		name, sfen   string
		black, white bool // White: the board turned, so that White has the same pieces
	}{
		{"30 points", ten + "2R2B 1", true, true},   // 10 + 20
		{"28 points", ten + "2RB3P 1", true, true},  // 10 + 18
		{"27 points", ten + "2RB2P 1", false, true}, // 10 + 17
		{"26 points", ten + "2RBP 1", false, false}, // 10 + 16
		{"26 points, no pawns", ten + "2RBN 1", false, false},
		{"every kind in hand is a point", ten + "2RPLNSG 1", false, false},                   // 10 + 15
		{"a hand of all kinds", ten + "2RB3G 1", true, true},                                 // 10 + 18
		{"a hand of silvers", ten + "2RB2SN 1", true, true},                                  // 10 + 18
		{"nine pieces", nine + "2R2B4P 1", false, false},                                     // 9 + 24
		{"no points in hand", "+R+R+B+BK1+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b 2P 1", true, true}, // 26 + 2
		{"no points in hand, one less", "+R+R+B+BK1+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b P 1", false, true},
		{"unpromoted majors", "RRBBK1+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b 2P 1", true, true},
		{"unpromoted majors, one less", "RRBBK1+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b P 1", false, true},
		{"majors and others", "GGSSK1+N+L+P/+P+P+P6/9/9/9/9/9/9/4k4 b 2RB3P 1", true, true}, // 10 + 18
		{"a king on the third rank", "+P+P+P+P1+P+P+P+P/+P+P7/4K4/9/9/9/9/9/4k4 b 2R2B 1", true, true},
		{"a king on the fourth", "+P+P+P+P1+P+P+P+P/+P+P7/9/4K4/9/9/9/9/4k4 b 2R2B 1", false, false},
		{"a piece on the third rank", "+P+P+P+PK+P+P+P+P/+P8/+P8/9/9/9/9/9/4k4 b 2R2B 1", true, true},
		{"a piece on the fourth", "+P+P+P+PK+P+P+P+P/+P8/9/+P8/9/9/9/9/4k4 b 2R2B 1", false, false},
		{"points outside", "+P+P+P+PK+P+P+P+P/+P+P7/9/7R1/9/9/9/9/4k4 b R2B2P 1", false, true}, // 10 + 17; the rook counts nothing
		{"the other side's pieces", "+P+P+P+PK+P+P+P+P/+P+p7/9/9/9/9/9/9/4k4 b 2R2B 1", false, false},
		{"the other side's hand", ten + "2r2b 1", false, false},
		{"the other side's majors", "+P+P+P+PK+P+P+P+P/+P+P7/8+r/9/9/9/9/9/4k4 b R2BP 1", false, false}, // 10 + 16
		{"in check", "+P+P+P+PK+P+P+P+P/+P+P7/9/9/4r4/9/9/9/k8 b R2B4P 1", false, false},
		{"not in check", "+P+P+P+PK+P+P+P+P/+P+P7/9/9/3r5/9/9/9/k8 b R2B4P 1", true, true}, // 10 + 19
		{"no king", "+P+P+P+P1+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2R2B 1", false, false},
		{"the other king alone in the zone", "+P+P+P+P1+P+P+P+P/+P+P7/4k4/9/9/9/9/9/4K4 b 2R2B 1", false, false},
		{"no other king", "+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/9 b 2R2B 1", true, true},
		{"the first position", shogi.StartSFEN, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(test.sfen)
			for _, q := range []shogi.Position{p, p.Mirrored(), p.Rotated()} {
				want := test.black
				if q.SideToMove() == shogi.White {
					want = test.white
				}
				b := mailbox.From(&q)
				if got := q.CanDeclare(shogi.CSARule27); got != want || b.CanDeclare() != want {
					t.Errorf("%s: %v, by the plain rules %v, want %v", q.SFEN(), got, b.CanDeclare(), want)
				}
				if q.CanDeclare(shogi.NoEnteringKing) {
					t.Errorf("%s: declares where there is no declaration", q.SFEN())
				}
			}
		})
	}
}

// TestCanDeclareOnRandomPositions asks about positions with about as many pieces and points as it
// takes.
func TestCanDeclareOnRandomPositions(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	rng := shogitest.NewRand(t)
	asked, declared := 0, 0
	for range n {
		p, ok := nearlyDeclared(rng)
		if !ok {
			continue
		}
		asked++
		if rng.IntN(2) == 0 {
			p = p.Rotated()
		}
		b := mailbox.From(&p)
		want := b.CanDeclare()
		if got := p.CanDeclare(shogi.CSARule27); got != want {
			t.Fatalf("%s: %v, by the plain rules %v", p.SFEN(), got, want)
		}
		if want {
			declared++
		}
	}
	t.Logf("%d of %d positions declare", declared, asked)
	if declared < asked/10 || asked-declared < asked/10 || asked < n/10 {
		t.Errorf("%d of %d positions declare: too few of one kind", declared, asked)
	}
}

// nearlyDeclared returns a position whose side to move, Black, has a king in or before the zone,
// nine to eleven pieces there, and in hand what is missing to about 27 points.
func nearlyDeclared(rng *rand.Rand) (shogi.Position, bool) {
	s := shogi.Setup{Side: shogi.Black, Ply: 1}
	at := func(ranks int) shogi.Square {
		return shogi.SquareAt(shogi.File(rng.IntN(9)), shogi.Rank(rng.IntN(ranks)))
	}
	king := at(3)
	if rng.IntN(10) == 0 {
		king = at(5)
	}
	s.Board[king] = shogi.PieceOf(shogi.Black, shogi.King)
	left, points := shogi.FullSet, 0
	worth := func(kind shogi.PieceType) int {
		if base := kind.Base(); base == shogi.Bishop || base == shogi.Rook {
			return 5
		}
		return 1
	}
	for pieces := 9 + rng.IntN(4); pieces > 0; {
		sq := at(3)
		kind := shogi.Pawn + shogi.PieceType(rng.IntN(int(shogi.Gold)))
		if s.Board[sq] != shogi.NoPiece || left[kind] == 0 {
			continue
		}
		left[kind]--
		if kind.CanPromote() {
			kind = kind.Promoted()
		}
		s.Board[sq] = shogi.PieceOf(shogi.Black, kind)
		points += worth(kind)
		pieces--
	}
	for range rng.IntN(3) { // pieces that count nothing, or check
		kind := shogi.Pawn + shogi.PieceType(rng.IntN(int(shogi.Gold)))
		sq := at(9)
		if s.Board[sq] == shogi.NoPiece && left[kind] > 0 {
			left[kind]--
			s.Board[sq] = shogi.PieceOf(shogi.Color(rng.IntN(2)), kind)
		}
	}
	for goal := 25 + rng.IntN(6); points < goal; {
		kind := shogi.Pawn + shogi.PieceType(rng.IntN(int(shogi.Gold)))
		if left[kind] == 0 {
			continue
		}
		left[kind]--
		s.Hands[shogi.Black] = s.Hands[shogi.Black].Add(kind, 1)
		points += worth(kind)
	}
	p, err := s.Position()
	return p, err == nil
}
