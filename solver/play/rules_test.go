package play_test

import (
	"strings"
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

// How games end that do not go on past their limit.
func TestOutcome(t *testing.T) {
	const (
		mated  = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - "
		stuck  = "sfen 8k/R8/9/9/9/9/9/9/K6R1 w - "
		rook   = "sfen 4k4/9/9/9/9/9/9/9/K3R4 w - "
		checks = " 5a4a 5i4i 4a5a 4i5i"
		kings  = " 5a4a 9i8i 4a5a 8i9i"
	)
	wins, draws := play.Rules{MaxMoves: 256}, play.Rules{MaxMoves: 256, LastMove: play.MateDraws}
	turned := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/K3R4 w - 1")
	turned = turned.Rotated()
	for _, test := range []struct {
		name, text string
		rules      play.Rules
		want       play.Outcome
	}{
		{"mated", mated + "256", wins, play.Outcome{End: play.Mate, Winner: shogi.Black}},
		{"mated by the last move", mated + "257", wins, play.Outcome{End: play.Mate, Winner: shogi.Black}},
		{"mated, whatever it does", mated + "256", draws, play.Outcome{End: play.Mate, Winner: shogi.Black}},
		{"drawn by the last move, whatever it does", mated + "257", draws, play.Outcome{End: play.MoveLimit}},
		{"mated in a game without a limit", mated + "1000", play.Rules{LastMove: play.MateDraws},
			play.Outcome{End: play.Mate, Winner: shogi.Black}},
		{"no move", stuck + "256", draws, play.Outcome{End: play.NoMove, Winner: shogi.Black}},
		{"no move after the last one", stuck + "257", draws, play.Outcome{End: play.MoveLimit}},
		{"neither", rook + "257", wins, play.Outcome{End: play.MoveLimit}},
		{"neither, without a limit", rook + "1000", play.Rules{}, play.Outcome{}},
		{"three times", rook + "1 moves" + checks + checks, wins, play.Outcome{}},
		{"perpetual check", rook + "1 moves" + checks + checks + checks, wins,
			play.Outcome{End: play.PerpetualLost, Winner: shogi.White}},
		{"perpetual check by White", "sfen " + turned.SFEN() + " moves" + strings.Repeat(" 5i6i 5a6a 6i5i 6a5a", 3), wins,
			play.Outcome{End: play.PerpetualLost, Winner: shogi.Black}},
		{"repetition", "sfen 4k4/9/9/9/9/9/9/9/K8 w - 1 moves" + kings + kings + kings, wins,
			play.Outcome{End: play.Repetition}},
		{"repetition before the limit", "sfen 4k4/9/9/9/9/9/9/9/K8 w - 245 moves" + kings + kings + kings, draws,
			play.Outcome{End: play.Repetition}},
	} {
		if got := test.rules.Outcome(game(t, test.text)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// A side may declare its win up to the last move of the game, if there are declarations.
func TestCanDeclare(t *testing.T) {
	const entered = "+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2R2B "
	for _, test := range []struct {
		sfen  string
		rules play.Rules
		want  bool
	}{
		{entered + "256", play.Rules{MaxMoves: 256}, true},
		{entered + "257", play.Rules{MaxMoves: 256}, false},
		{entered + "257", play.Rules{MaxMoves: 256, LastMove: play.ExtendChecks}, false},
		{entered + "257", play.Rules{}, true},
		{entered + "256", play.Rules{EnteringKing: shogi.NoEnteringKing}, false},
		{shogi.StartSFEN, play.Rules{}, false},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		if got := test.rules.CanDeclare(&p); got != test.want {
			t.Errorf("%s, %+v: %v, want %v", test.sfen, test.rules, got, test.want)
		}
	}
}

func TestParseRules(t *testing.T) {
	for name, want := range map[string]play.LastMoveRule{
		"mate-wins": play.MateWins, "mate-draws": play.MateDraws, "extend-checks": play.ExtendChecks} {
		if got, err := play.ParseLastMoveRule(name); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, want := range map[string]shogi.EnteringKingRule{
		"CSARule27": shogi.CSARule27, "NoEnteringKing": shogi.NoEnteringKing} {
		if got, err := play.ParseEnteringKingRule(name); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	_, last := play.ParseLastMoveRule("")
	if _, entering := play.ParseEnteringKingRule("CSARule24"); last == nil || entering == nil {
		t.Errorf("rules that there are not: %v, %v", last, entering)
	}
}
