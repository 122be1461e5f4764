package selfplay_test

import (
	"context"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/selfplay"
	"github.com/tsumero/tsumero/solver/lab/train"
)

// A game depends on its number and the options alone, and its records are quiet positions in the
// order of play, with one winner.
func TestPlay(t *testing.T) {
	y := selfplay.NewPlayer(selfplay.Options{Seed: 5, Nodes: 50})
	games := map[uint32][]train.Record{}
	won, total := 0, 0
	for n := range uint32(12) {
		records := y.Play(t.Context(), n)
		games[n] = records
		total += len(records)
		ply := uint16(0)
		for i, r := range records {
			p, err := r.Position.Position(int(r.Ply))
			if err != nil {
				t.Fatalf("game %d, record %d: %v", n, i, err)
			}
			if p.InCheck() || r.Game != n || r.Ply <= ply || max(r.Score, -r.Score) > 2500 {
				t.Fatalf("game %d, record %d: %s, %+v", n, i, p.SFEN(), r)
			}
			ply = r.Ply
			switch {
			case r.Result == train.Drawn && records[0].Result != train.Drawn:
				t.Fatalf("game %d: record %d is of a draw, the first of none", n, i)
			case r.Result == train.Won && p.SideToMove() == shogi.Black:
				won++
			}
		}
		blackWins := func(r train.Record) bool {
			p, _ := r.Position.Position(1)
			return (r.Result == train.Won) == (p.SideToMove() == shogi.Black)
		}
		if len(records) > 0 && records[0].Result != train.Drawn {
			for i, r := range records {
				if blackWins(r) != blackWins(records[0]) {
					t.Fatalf("game %d: record %d has another winner than the first", n, i)
				}
			}
		}
	}
	if total < 100 || won == 0 {
		t.Errorf("12 games have %d records, %d of them won by Black", total, won)
	}
	other := selfplay.NewPlayer(selfplay.Options{Seed: 5, Nodes: 50})
	if got := other.Play(t.Context(), 7); !slices.Equal(got, games[7]) {
		t.Error("game 7 differs when it is the first that is played")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := other.Play(ended, 7); got != nil {
		t.Errorf("a game that was ended has %d records", len(got))
	}
}
