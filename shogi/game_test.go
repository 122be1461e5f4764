package shogi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

func TestRepetition(t *testing.T) {
	const (
		shuffle  = " 5i5h 5a5b 5h5i 5b5a" // back to the position after four moves
		checking = " 2i1i 1a2a 1i2i 2a1a" // the same, Black checks with every move
		quiet    = " 2i3i 1a1b 3i2i 1b1a" // the same, without a check
		// Kings that go round: five moves, after which the other side is to move.
		losesMove = " 5i4i 5a5b 4i4h 5b5a 4h5i"
		gainsMove = " 5a4a 5i5h 4a4b 5h5i 4b5a"
		half      = " 2i1i 1a2a 1i3i 2a1b 3i2i 1b1a" // a check, and two moves that do not
	)
	const rook = "8k/9/9/9/9/9/9/9/7R1 b - 1"
	tests := []struct {
		name  string
		start string
		moves string
		want  shogi.Repetition
	}{
		{"no move", shogi.StartSFEN, "", shogi.NoRepetition},
		{"three times", shogi.StartSFEN, strings.Repeat(shuffle, 2), shogi.NoRepetition},
		{"a move short of the fourth time", shogi.StartSFEN, strings.TrimSuffix(strings.Repeat(shuffle, 3), " 5b5a"), shogi.NoRepetition},
		{"four times", shogi.StartSFEN, strings.Repeat(shuffle, 3), shogi.Sennichite},
		{"a position in between, four times", shogi.StartSFEN, strings.Repeat(shuffle, 3) + " 5i5h", shogi.Sennichite},
		{"five times", shogi.StartSFEN, strings.Repeat(shuffle, 4), shogi.Sennichite},
		{"after it a new position", shogi.StartSFEN, strings.Repeat(shuffle, 3) + " 7g7f", shogi.NoRepetition},
		{"by different ways", shogi.StartSFEN, shuffle + " 4i4h 5a5b 4h4i 5b5a" + " 5i4h 5a4b 4h5i 4b5a", shogi.Sennichite},
		{"perpetual check", rook, strings.Repeat(checking, 3), shogi.PerpetualByBlack},
		{"perpetual check, with the checked side to move", rook, strings.Repeat(checking, 3) + " 2i1i", shogi.PerpetualByBlack},
		{"perpetual check, too short", rook, strings.Repeat(checking, 2), shogi.NoRepetition},
		{"one move in between is no check", rook, checking + quiet + checking, shogi.Sennichite},
		{"one check among others", rook, strings.Repeat(half, 3), shogi.Sennichite},
		{"the last move alone is no check", rook, checking + checking + " 2i1i 1a2a 1i9i 2a1b 9i2i 1b1a", shogi.Sennichite},
		{"a move before the first of the four is no check", rook, quiet + strings.Repeat(checking, 3), shogi.PerpetualByBlack},
		// The pawns go from hand to hand: the board is the same every eight moves, the hands never.
		{"other hands", "8k/9/9/9/9/9/9/9/R8 b 18P 1",
			strings.Repeat(" P*1b 1a1b 9i8i 1b1a P*1b 1a1b 8i9i 1b1a", 3), shogi.NoRepetition},
		// A king loses a move: the board and the hands are the same every five moves, by turns with
		// either side to move.
		{"other sides to move", "4k4/9/9/9/9/9/9/9/4K4 b - 1",
			losesMove + gainsMove + losesMove, shogi.NoRepetition},
		{"other sides to move, each of them four times", "4k4/9/9/9/9/9/9/9/4K4 b - 1",
			strings.Repeat(losesMove+gainsMove, 3), shogi.Sennichite},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := test.start + " moves" + test.moves
			g, err := shogi.ParsePosition(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Repetition(); got != test.want {
				t.Errorf("%s: repetition %v, want %v", text, got, test.want)
			}

			// The same for the other side.
			turned := g.Start()
			h := shogi.NewGame(turned.Rotated())
			for _, m := range g.Moves() {
				h.Do(m.Rotated())
			}
			want := test.want
			if want == shogi.PerpetualByBlack {
				want = shogi.PerpetualByWhite
			}
			if got := h.Repetition(); got != want {
				t.Errorf("%s, turned: repetition %v, want %v", text, got, want)
			}
		})
	}
}

// Where both sides check with every move, neither loses. No game gets there by luck, so the checks are
// invented.
func TestBothCheckForEver(t *testing.T) {
	g, err := shogi.ParsePosition("startpos moves" + strings.Repeat(" 5i5h 5a5b 5h5i 5b5a", 3))
	if err != nil {
		t.Fatal(err)
	}
	if g.InventChecks(); g.Repetition() != shogi.Sennichite {
		t.Errorf("repetition %v, want a draw", g.Repetition())
	}
}

func TestGame(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	if g.Start() != shogi.Start() || g.Position() != shogi.Start() || len(g.Moves()) != 0 || g.Repetition() != shogi.NoRepetition {
		t.Errorf("a new game is %v", g)
	}
	moves := []shogi.Move{mustParseMove(t, "7g7f"), mustParseMove(t, "3c3d"), mustParseMove(t, "8h2b+")}
	want := shogi.Start()
	for _, m := range moves {
		g.Do(m)
		want.Do(m)
	}
	if g.Position() != want || g.Start() != shogi.Start() || !slices.Equal(g.Moves(), moves) {
		p := g.Position()
		t.Errorf("after %v the game is at %s, want %s", g.Moves(), p.SFEN(), want.SFEN())
	}
}

func TestGaveCheck(t *testing.T) {
	for _, test := range []struct {
		text string
		want []bool // of the start, and of each move
	}{
		{"sfen 4k4/9/9/9/9/9/9/9/K4R3 b - 1", []bool{false}},
		{"sfen 4k4/9/9/9/9/9/9/9/K4R3 b - 1 moves 4i5i 5a4a 5i6i 4a5a 6i5i", []bool{false, true, false, false, false, true}},
		{"sfen 4k4/9/9/9/9/9/9/9/K3R4 w - 1", []bool{true}},
		{"sfen 4k4/9/9/9/9/9/9/9/K3R4 w - 1 moves 5a4a 5i4i", []bool{true, false, true}},
	} {
		g, err := shogi.ParsePosition(test.text)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			if got := g.GaveCheck(i - 1); got != want {
				t.Errorf("%s: GaveCheck(%d) is %v", test.text, i-1, got)
			}
		}
	}
}

// Two games that go on from one do not share their moves.
func TestAfter(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	for _, m := range []string{"7g7f", "3c3d", "2g2f"} { // so that the slices have room
		g.Do(mustParseMove(t, m))
	}
	a, b := g.After(mustParseMove(t, "4c4d")), g.After(mustParseMove(t, "8c8d"))
	if got := fmt.Sprint(g.Moves(), a.Moves(), b.Moves()); got != "[7g7f 3c3d 2g2f] [7g7f 3c3d 2g2f 4c4d] [7g7f 3c3d 2g2f 8c8d]" {
		t.Error(got)
	}
}
