package shogi_test

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// hasCheck is Position.HasCheck by the plain rules.
func hasCheck(p *shogi.Position) bool {
	b := mailbox.From(p)
	for _, m := range b.LegalMoves() {
		if b.GivesCheck(m) {
			return true
		}
	}
	return false
}

// TestHasCheck has a position for each way in which a check may be the only one, and for each
// reason why what looks like a check is none.
func TestHasCheck(t *testing.T) {
	for _, test := range []struct {
		name, sfen string
		want       bool
	}{
		{"no king to check", "9/9/9/9/9/9/9/9/4K4 b RG 1", false},
		{"nothing but kings", "4k4/9/9/9/9/9/9/9/4K4 b - 1", false},
		{"pawn drop", "4k4/9/9/9/9/9/9/9/9 b P 1", true},
		{"pawn drop, two pawns on the file", "4k4/9/9/9/9/9/4P4/9/9 b P 1", false},
		{"pawn drop that mates", "7lk/9/8K/9/9/9/9/9/9 b P 1", false},
		{"pawn drop, no square in front", "4K4/9/9/9/9/9/9/9/9 w p 1", false},
		{"lance drop", "4k4/9/9/9/9/9/9/9/9 b L 1", true},
		{"lance drop, no room", "4k4/4p4/9/9/9/9/9/9/9 b L 1", false},
		{"knight drop", "4k4/9/9/9/9/9/9/9/9 b N 1", true},
		{"knight drop, no room", "4k4/9/3p1p3/9/9/9/9/9/9 b N 1", false},
		{"silver drop", "4k4/4g4/9/9/9/9/9/9/9 b S 1", true},
		{"silver drop, no room", "4k4/3ggg3/9/9/9/9/9/9/9 b S 1", false},
		{"gold drop", "4kg3/3nnn3/9/9/9/9/9/9/9 b G 1", true},
		{"gold drop, no room", "3gkg3/3nnn3/9/9/9/9/9/9/9 b G 1", false},
		{"bishop drop", "3gkg3/4nn3/9/9/9/9/9/9/9 b B 1", true},
		{"bishop drop, no room", "4k4/3p1p3/9/9/9/9/9/9/9 b B 1", false},
		{"rook drop", "4kg3/3nnn3/9/9/9/9/9/9/9 b R 1", true},
		{"rook drop, no room", "3gkg3/4n4/9/9/9/9/9/9/9 b R 1", false},

		{"pawn", "4k4/9/4P4/9/9/9/9/9/9 b - 1", true},
		{"pawn that must promote", "9/4k4/3P5/9/9/9/9/9/9 b - 1", true},
		{"pawn too far", "4k4/9/9/4P4/9/9/9/9/9 b - 1", false},
		{"lance", "4k4/9/9/4pL3/9/9/9/9/9 b - 1", true},
		{"lance behind its own pawn", "4k4/9/9/4p4/4PP3/5L3/9/9/9 b - 1", false},
		{"knight", "9/4k4/9/9/9/9/3N5/9/9 b - 1", false},
		{"knight unpromoted", "9/9/4k4/9/9/9/4N4/9/9 b - 1", true},
		{"knight promoted", "9/4k4/9/9/4N4/9/9/9/9 b - 1", true},
		{"silver from below", "4k4/9/9/4S4/9/9/9/9/9 b - 1", false},
		{"silver", "4k4/9/4S4/9/9/9/9/9/9 b - 1", true},
		{"gold", "4k4/9/3G5/9/9/9/9/9/9 b - 1", true},
		{"tokin", "4k4/9/3+P5/9/9/9/9/9/9 b - 1", true},
		{"bishop", "4k4/9/9/9/9/9/9/9/6B2 b - 1", true},
		{"bishop promoted", "4k4/9/9/9/1B7/9/9/9/9 b - 1", true},
		{"rook", "4k4/9/9/9/9/9/9/9/6R2 b - 1", true},
		{"horse", "4k4/9/9/9/9/9/9/9/4+B4 b - 1", true},
		{"dragon", "4k4/9/9/9/9/9/9/9/6+R2 b - 1", true},

		{"discovered by a pawn", "8k/9/9/9/4P4/9/9/1B7/9 b - 1", true},
		{"discovered by a pawn that stays on the line", "k8/9/9/9/9/P8/L8/9/9 b - 1", false},
		{"discovered by the king", "k8/9/9/9/K8/9/9/R8/9 b - 1", true},
		{"the king would step into check or stays on the line", "k8/1r7/9/9/K8/9/9/R8/9 b - 1", false},

		{"pinned", "r3k4/9/9/9/G3p4/9/9/9/K8 b - 1", false},
		{"pinned, along the line", "4k4/9/9/9/9/9/9/4K4/9 b - 1", false},
		{"pinned rook takes on its line", "r3k4/9/9/9/R8/9/9/9/K8 b - 1", true},
		{"pinned rook off its line", "9/4k4/r8/9/R8/9/9/9/K8 b - 1", false},

		{"in check, a drop in between", "r3k4/9/9/9/9/9/9/9/K8 b N 1", false},
		{"in check, a rook dropped in between checks from afar", "9/r8/9/4k4/9/9/9/9/K8 b R 1", true},
		{"in check, taking the checker", "r3k4/9/9/9/9/5B3/9/9/K8 b - 1", false},
		{"in check, taking the checker with check", "r3k4/9/9/9/8R/9/9/9/K8 b - 1", false},
		{"in check, a move in between with check", "r8/9/1k7/9/9/9/1N7/9/K8 b - 1", true},
		{"in check, the king uncovers", "k8/9/9/9/K3r4/9/9/R8/9 b - 1", true},
		{"in check, the king would uncover from a square it hid from the checker",
			"9/9/1g1k5/1n7/1K2r4/B8/1g7/9/9 b - 1", false},
		{"in double check, the king uncovers", "k8/9/2b6/9/K3r4/9/9/R8/9 b - 1", true},
		{"in double check, taking one checker with check", "4k4/9/2b6/9/K3r4/9/9/9/4R4 b - 1", false},
		{"in double check, nothing but a gold", "k8/2G6/2b6/9/K3r4/9/9/9/9 b - 1", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(test.sfen)
			if got := hasCheck(&p); got != test.want {
				t.Errorf("%s: by the plain rules %v, want %v", test.sfen, got, test.want)
			}
			q := p.Rotated()
			if p.HasCheck() != test.want || q.HasCheck() != test.want {
				t.Errorf("%s: %v, turned round %v, want %v", test.sfen, p.HasCheck(), q.HasCheck(), test.want)
			}
		})
	}
}

// TestHasCheckOnRandomPositions asks about positions with few pieces, most of them near the kings,
// where a check may be missing.
func TestHasCheckOnRandomPositions(t *testing.T) {
	n := 50_000
	if testing.Short() {
		n = 5_000
	}
	rng := shogitest.NewRand(t)
	var buf shogi.MoveBuffer
	asked, without := 0, 0
	for range n {
		s := shogi.Setup{Side: shogi.Color(rng.IntN(2)), Ply: 1}
		var kings [2]shogi.Square
		for c := range kings {
			kings[c] = shogi.Square(rng.IntN(shogi.NumSquares))
			if c == 1 || rng.IntN(3) > 0 {
				s.Board[kings[c]] = shogi.PieceOf(shogi.Color(c), shogi.King)
			}
		}
		if s.Side == shogi.White { // the side without a king, if there is one, attacks
			s.Side = shogi.Black
		}
		for range rng.IntN(9) {
			k := kings[rng.IntN(2)]
			file, rank := int(k.File())+rng.IntN(7)-3, int(k.Rank())+rng.IntN(7)-3
			kind := shogi.PieceType(1 + rng.IntN(int(shogi.NumPieceTypes)-1))
			c := shogi.Color(rng.IntN(2))
			if file < 0 || file > 8 || rank < 0 || rank > 8 || kind == shogi.King {
				continue
			}
			sq := shogi.SquareAt(shogi.File(file), shogi.Rank(rank))
			if s.Board[sq] == shogi.NoPiece && !shogi.IsDead(c, kind, sq) {
				s.Board[sq] = shogi.PieceOf(c, kind)
			}
		}
		for range rng.IntN(3) {
			s.Hands[shogi.Black] = s.Hands[shogi.Black].Add(shogi.Pawn+shogi.PieceType(rng.IntN(int(shogi.Gold))), 1)
		}
		p, err := s.Position()
		if err != nil {
			continue
		}
		if asked%2 == 1 {
			p = p.Rotated()
		}
		asked++
		want := hasCheck(&p)
		if p.HasCheck() != want || len(p.Checks(&buf, shogi.AllMoves)) > 0 != want ||
			len(p.Checks(&buf, shogi.UsefulMoves)) > 0 != want {
			t.Fatalf("%s: HasCheck is %v, by the plain rules %v", p.SFEN(), p.HasCheck(), want)
		}
		if !want {
			without++
		}
	}
	t.Logf("%d of %d positions have no check", without, asked)
	if without < asked/10 || asked-without < asked/10 {
		t.Errorf("%d of %d positions have no check: too few of one kind", without, asked)
	}
}
