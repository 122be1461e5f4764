package solver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

func TestVerdictString(t *testing.T) {
	for v, want := range map[solver.Verdict]string{
		solver.Unknown: "unknown", solver.Mate: "mate", solver.NoMate: "nomate", solver.NoMate + 1: "unknown",
	} {
		if got := v.String(); got != want {
			t.Errorf("verdict %d is %q, want %q", v, got, want)
		}
	}
}

func TestZeroResult(t *testing.T) {
	var r solver.Result
	if r.Verdict != solver.Unknown || r.Reason != solver.NoReason || r.Plies() != 0 {
		t.Errorf("the zero Result is %+v, want an Unknown without a reason", r)
	}
}

func TestAttacker(t *testing.T) {
	for _, c := range []struct {
		name, sfen string
		want       shogi.Color
		err        error
	}{
		{"Black hunts a lone king", "4k4/9/9/9/9/9/9/9/9 b G 1", shogi.Black, nil},
		{"White hunts a lone king", "9/9/9/9/9/9/9/9/4K4 w g 1", shogi.White, nil},
		{"two kings, Black to move", "4k4/9/9/9/9/9/9/9/4K4 b G 1", shogi.Black, nil},
		{"two kings, White to move", "4k4/9/9/9/9/9/9/9/4K4 w G 1", shogi.White, nil},
		{"two kings, the mover in check is still the attacker", "4k4/4G4/9/9/9/9/9/9/4K4 w - 1", shogi.White, nil},
		{"a lone king in check defends", "4k4/4G4/9/9/9/9/9/9/9 w - 1", shogi.Black, nil},
		{"so does Black's", "9/9/9/9/9/9/9/4g4/4K4 b - 1", shogi.White, nil},
		{"a lone king not in check", "4k4/9/9/9/9/9/9/9/9 w G 1", shogi.White, solver.ErrNoDefenderKing},
		{"no king, Black to move", "9/9/9/9/4G4/9/9/9/9 b G 1", shogi.Black, solver.ErrNoKing},
		{"no king, White to move", "9/9/9/9/4G4/9/9/9/9 w G 1", shogi.White, solver.ErrNoKing},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(c.sfen)
			before := p
			got, err := solver.Attacker(&p)
			if !errors.Is(err, c.err) {
				t.Fatalf("got the error %v, want %v", err, c.err)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if p != before {
				t.Error("the position was changed")
			}
		})
	}
}

func TestStopReason(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	within, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		want solver.Reason
	}{
		{"no end", context.Background(), solver.NoReason},
		{"time left", within, solver.NoReason},
		{"cancelled", cancelled, solver.ReasonCancelled},
		{"expired", expired, solver.ReasonTime},
	} {
		if got := solver.StopReason(c.ctx); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestVerifyErrorNamesPositionAndMove(t *testing.T) {
	const sfen = "4k4/9/9/9/9/9/9/9/9 b G 1"
	with := &solver.VerifyError{SFEN: sfen, Move: shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB)), Msg: "why"}
	for _, part := range []string{sfen, "G*5b", "why"} {
		if !strings.Contains(with.Error(), part) {
			t.Errorf("%q lacks %q", with.Error(), part)
		}
	}
	without := &solver.VerifyError{SFEN: sfen, Msg: "why"}
	if text := without.Error(); !strings.Contains(text, sfen) || !strings.Contains(text, "why") || strings.Contains(text, "none") {
		t.Errorf("without a move: %q", text)
	}
}
