package shogi_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// illegalMoves is a move for each reason, with the square to look at.
var illegalMoves = []struct {
	name   string
	board  string
	rest   string // side to move and hands
	move   string
	reason error
	square string // as in an error, "-" for none
}{
	{"an empty origin", `
		  5
		i K`, "b -", "4i4h", shogi.ErrEmptyOrigin, "4i"},
	{"the opponent's piece", `
		  5 4
		c . p
		i K .`, "b -", "4c4d", shogi.ErrOpponentPiece, "4c"},
	{"an own piece on the destination", `
		  5
		h G
		i K`, "b -", "5i5h", shogi.ErrOwnPiece, "5h"},
	{"an own piece behind the first one in the way", `
		  5
		c P
		f p
		h R`, "b -", "5h5c", shogi.ErrBlocked, "5f"},
	{"a pawn goes forward only", `
		  5
		e P`, "b -", "5e5f", shogi.ErrCannotReach, "5e"},
	{"a gold does not go back aslant", `
		  5
		e G`, "b -", "5e4f", shogi.ErrCannotReach, "5e"},
	{"a silver does not go sideways", `
		  5
		e S`, "b -", "5e4e", shogi.ErrCannotReach, "5e"},
	{"a lance does not go back", `
		  5
		e L`, "b -", "5e5f", shogi.ErrCannotReach, "5e"},
	{"a knight jumps two ranks on", `
		  5
		e N`, "b -", "5e4d", shogi.ErrCannotReach, "5e"},
	{"a promoted silver moves as a gold", `
		  5
		e +S`, "b -", "5e4f", shogi.ErrCannotReach, "5e"},
	{"a horse steps across by one square only", `
		  5
		e +B`, "b -", "5e5c", shogi.ErrCannotReach, "5e"},
	{"a rook past the nearest of two pieces, upwards", `
		  5
		c g
		e p
		h R`, "b -", "5h5b", shogi.ErrBlocked, "5e"},
	{"and downwards", `
		  5
		b R
		e p
		g s`, "b -", "5b5i", shogi.ErrBlocked, "5e"},
	{"a bishop past a piece", `
		  8 7
		g . P
		h B .`, "b -", "8h5e", shogi.ErrBlocked, "7g"},
	{"a pawn must promote on the last rank", `
		  5
		b P`, "b -", "5b5a", shogi.ErrMustPromote, "5a"},
	{"a lance must", `
		  5
		d L`, "b -", "5d5a", shogi.ErrMustPromote, "5a"},
	{"a knight must on the last two", `
		  5
		d N`, "b -", "5d4b", shogi.ErrMustPromote, "4b"},
	{"a silver may not promote outside the zone", `
		  5
		e S`, "b -", "5e5d+", shogi.ErrMayNotPromote, "5d"},
	{"a gold never", `
		  5
		c G`, "b -", "5c5b+", shogi.ErrMayNotPromote, "5b"},
	{"a king never", `
		  5
		c K`, "b -", "5c5b+", shogi.ErrMayNotPromote, "5b"},
	{"a tokin never again", `
		  5
		c +P`, "b -", "5c5b+", shogi.ErrMayNotPromote, "5b"},
	{"no such piece in hand", `
		  5
		i K`, "b S", "G*5e", shogi.ErrNotInHand, "-"},
	{"nor in the opponent's", `
		  5
		i K`, "b g", "G*5e", shogi.ErrNotInHand, "-"},
	{"a drop on an opponent's piece", `
		  5
		e p
		i K`, "b G", "G*5e", shogi.ErrOccupied, "5e"},
	{"a drop on an own piece", `
		  5
		i K`, "b G", "G*5i", shogi.ErrOccupied, "5i"},
	{"a second pawn on the file", `
		  5
		g P
		i K`, "b P", "P*5c", shogi.ErrNifu, "5g"},
	{"a pawn on the last rank, before the second pawn", `
		  5
		g P`, "b P", "P*5a", shogi.ErrDeadEnd, "5a"},
	{"a lance on the last rank", `
		  5
		i K`, "b L", "L*4a", shogi.ErrDeadEnd, "4a"},
	{"a knight on the second", `
		  5
		i K`, "b N", "N*4b", shogi.ErrDeadEnd, "4b"},
	{"a king steps into an attack", `
		  5 4
		a . r
		i K .`, "b -", "5i4i", shogi.ErrInCheck, "4i"},
	{"a king stays on the line of the check", `
		  5
		a r
		h K`, "b -", "5h5i", shogi.ErrInCheck, "5i"},
	{"a pinned piece leaves its line", `
		  5
		a r
		g G
		i K`, "b -", "5g4g", shogi.ErrInCheck, "5i"},
	{"a check is not parried by a move", `
		  9 5
		a . r
		i G K`, "b -", "9i9h", shogi.ErrInCheck, "5i"},
	{"nor by a drop", `
		  5
		a r
		i K`, "b G", "G*4i", shogi.ErrInCheck, "5i"},
	{"a pawn drop that would mate does not parry the check", `
		  5 2 1
		a r n k
		c . G .
		i K . .`, "b P", "P*1b", shogi.ErrInCheck, "5i"},
	{"mate by a pawn drop", `
		  2 1
		a n k
		c G .`, "b P", "P*1b", shogi.ErrUchifuzume, "1b"},
	{"a pawn drop that parries a check and mates", `
		  7 6 5 4 1
		a . l n l .
		b . p k b R
		c G . . . .
		d . . . G .
		e K . . . .`, "b P", "P*5c", shogi.ErrUchifuzume, "5c"},
}

func TestIllegal(t *testing.T) {
	seen := map[error]bool{}
	for _, c := range illegalMoves {
		t.Run(c.name, func(t *testing.T) {
			seen[c.reason] = true
			shogitest.BothWays(t, shogitest.Draw(t, c.board, c.rest), func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move) {
				m := parseMoves(t, c.move, turn)[0]
				err := p.Illegal(m)
				var illegal *shogi.IllegalError
				if !errors.Is(err, c.reason) || !errors.As(err, &illegal) || illegal.Reason != c.reason {
					t.Fatalf("%s is illegal by %v, want %v", m, err, c.reason)
				}
				want := shogi.NoSquare
				if c.square != "-" {
					var err error
					if want, err = shogi.ParseSquare(c.square); err != nil {
						t.Fatal(err)
					}
					want = turn(shogi.NewDrop(shogi.Gold, want)).To()
				}
				if illegal.Square != want || illegal.Move != m || illegal.SFEN != p.SFEN() {
					t.Errorf("%+v, want square %s", illegal, want)
				}
				for _, part := range []string{"shogi: ", m.String() + " is not legal", illegal.Msg.String(), p.SFEN()} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
			})
		})
	}
	for _, reason := range []error{
		shogi.ErrEmptyOrigin, shogi.ErrOpponentPiece, shogi.ErrOwnPiece, shogi.ErrCannotReach, shogi.ErrBlocked,
		shogi.ErrMustPromote, shogi.ErrMayNotPromote, shogi.ErrNotInHand, shogi.ErrOccupied, shogi.ErrNifu,
		shogi.ErrDeadEnd, shogi.ErrInCheck, shogi.ErrUchifuzume,
	} {
		if !seen[reason] {
			t.Errorf("no move of the table is illegal by %v", reason)
		}
	}
}

// TestIllegalValues asks about values that no function makes.
func TestIllegalValues(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 b RBGSNLP 1")
	const e5 = shogi.Square(40)
	for _, m := range []shogi.Move{
		shogi.NoMove,
		shogi.NewMove(e5, e5),
		shogi.NewMove(shogi.NumSquares, e5),
		shogi.NewMove(e5, shogi.NumSquares),
		shogi.NewMove(127, 127),
		shogi.NewPromotion(e5, e5),
		shogi.NewDrop(shogi.NoPieceType, e5),
		shogi.NewDrop(shogi.King, e5),
		shogi.NewDrop(shogi.Tokin, e5),
		shogi.NewDrop(15, e5),
		shogi.NewDrop(shogi.Gold, shogi.NumSquares),
		shogi.NewDrop(shogi.Gold, e5) | shogi.NewPromotion(0, 0), // a drop that promotes
		shogi.NewDrop(shogi.Gold, e5) | 1<<12,                    // a bit that no kind has
	} {
		if err := p.Illegal(m); !errors.Is(err, shogi.ErrNoMove) {
			t.Errorf("%#x: %v, want %v", uint16(m), err, shogi.ErrNoMove)
		}
	}
}

// TestIllegalAgreesWithIsLegal asks both about every value of a Move, on a few positions of every
// sort. They share no code but where pieces go: Illegal makes the move and looks, IsLegal does not.
func TestIllegalAgreesWithIsLegal(t *testing.T) {
	positions := somePositions(t)
	few := 16
	if testing.Short() {
		few = 4
	}
	legal := 0
	for i := range few {
		p := positions[i*len(positions)/few]
		before := p
		for value := range 1 << 16 {
			m := shogi.Move(value)
			want, err := p.IsLegal(m), p.Illegal(m)
			if want != (err == nil) {
				t.Fatalf("%s: IsLegal of %s (%#x) is %v, Illegal %v", p.SFEN(), m, value, want, err)
			}
			if want {
				legal++
			}
		}
		if p != before {
			t.Fatalf("%s: Illegal made it %s", before.SFEN(), p.SFEN())
		}
	}
	if legal < few {
		t.Errorf("%d legal moves in %d positions", legal, few)
	}

	// The moves that break but one of the last rules are few among all values, so they get more
	// positions.
	var buf shogi.MoveBuffer
	reasons := map[error]int{}
	for _, p := range positions {
		for _, m := range p.ForSearch().PseudoLegalMoves(&buf, shogi.AllMoves) {
			err := p.Illegal(m)
			if p.IsLegal(m) != (err == nil) {
				t.Fatalf("%s: IsLegal of %s is %v, Illegal %v", p.SFEN(), m, p.IsLegal(m), err)
			}
			var illegal *shogi.IllegalError
			if errors.As(err, &illegal) {
				reasons[illegal.Reason]++
			}
		}
	}
	if reasons[shogi.ErrInCheck] == 0 {
		t.Error("no pseudo-legal move leaves the king in check")
	}
	delete(reasons, shogi.ErrInCheck)
	delete(reasons, shogi.ErrUchifuzume)
	if len(reasons) > 0 {
		t.Errorf("pseudo-legal moves break other rules: %v", reasons)
	}
}
