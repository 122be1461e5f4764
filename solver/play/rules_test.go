package play_test

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// game plays the game of a USI position.
func game(t *testing.T, text string) *shogi.Game {
	t.Helper()
	g, err := shogi.ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return &g
}

// Under ExtendChecks a game goes on past its limit while one of the last two moves was a check.
func TestExtendChecks(t *testing.T) {
	const rook = "sfen 4k4/9/9/9/9/9/9/9/K4R3 b - "
	for _, test := range []struct {
		name, text string
		want       play.End
	}{
		{"the last move", rook + "256 moves 4i5i", play.NotOver},
		{"the last but one", rook + "256 moves 4i5i 5a4a", play.NotOver},
		{"the last but two", rook + "256 moves 4i5i 5a4a 5i6i", play.MoveLimit},
		{"again", rook + "256 moves 4i5i 5a4a 5i4i", play.NotOver},
		{"no move played, in check", "sfen 4k4/9/9/9/9/9/9/9/K3R4 w - 257", play.NotOver},
		{"no move played, not in check", rook + "257", play.MoveLimit},
		// Who began in check was checked by the move before.
		{"one move played, out of check", "sfen 4k4/9/9/9/9/9/9/9/K3R4 w - 257 moves 5a4a", play.NotOver},
		{"one move played, not out of check", rook + "257 moves 9i8i", play.MoveLimit},
		{"before the limit", rook + "255 moves 9i8i", play.NotOver},
		{"mated by a later move", "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 300", play.Mate},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules := play.Rules{MaxMoves: 256, LastMove: play.ExtendChecks}
			if got := rules.Outcome(game(t, test.text)).End; got != test.want {
				t.Errorf("%s: %v, want %v", test.text, got, test.want)
			}
		})
	}
}
