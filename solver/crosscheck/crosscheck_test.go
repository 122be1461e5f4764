package crosscheck

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate1"
)

func TestRun(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	positions := uint64(20_000)
	if testing.Short() {
		positions = 2_000
	}
	stats, err := Run(t.Context(), Options{Seed: seed, Positions: positions, MateIn1: mate1.Find}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	// A run that never meets these would prove little.
	if stats.Positions < positions || stats.InCheck == 0 || stats.Checks == 0 || stats.Mates == 0 {
		t.Errorf("too little was met: %+v", stats)
	}
}

// What is checked depends on the seed alone.
func TestRunIsDeterministic(t *testing.T) {
	o := Options{Seed: 7, Positions: 3_000, MateIn1: mate1.Find}
	var first Stats
	for i, workers := range []int{1, 2, 5} {
		o.Workers = workers
		stats, err := Run(t.Context(), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = stats
		} else if stats != first {
			t.Errorf("%d workers checked %+v, one checked %+v", workers, stats, first)
		}
	}
}

// A planted mistake must be found, or the comparison compares nothing.
func TestMistakesAreFound(t *testing.T) {
	dropLast := func(f func(*shogi.Position, *shogi.MoveBuffer, shogi.MoveSet) []shogi.Move) func(*shogi.Position, *shogi.MoveBuffer, shogi.MoveSet) []shogi.Move {
		return func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move {
			if list := f(p, buf, set); len(list) > 0 {
				return list[:len(list)-1]
			}
			return nil
		}
	}
	repeatFirst := func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move {
		if list := p.LegalMoves(buf, set); len(list) > 0 {
			return append(list, list[0])
		}
		return nil
	}
	tests := []struct {
		name    string
		mistake func(c *checker)
		what    string
	}{
		{"a legal move missing", func(c *checker) { c.rules.legal = dropLast(c.rules.legal) }, "LegalMoves of all moves lacks it"},
		{"a legal move twice", func(c *checker) { c.rules.legal = repeatFirst }, "twice"},
		{"a check missing", func(c *checker) { c.rules.checks = dropLast(c.rules.checks) }, "Checks of all moves lacks it"},
		{"quiet moves among the checks", func(c *checker) { c.rules.checks = c.rules.legal }, "does not belong"},
		{"an evasion missing", func(c *checker) { c.rules.evasions = dropLast(c.rules.evasions) }, "Evasions of all moves lacks it"},
		{"everything legal", func(c *checker) { c.rules.isLegal = func(*shogi.Position, shogi.Move) bool { return true } }, "IsLegal is true"},
		{"no check", func(c *checker) {
			c.rules.givesCheck = func(*shogi.Position, shogi.Move, *shogi.CheckInfo) bool { return false }
		}, "GivesCheck is false"},
		{"always an evasion", func(c *checker) { c.rules.hasEvasion = func(*shogi.Position) bool { return true } }, "HasEvasion is true"},
		{"mates overlooked", func(c *checker) {
			c.o.MateIn1 = func(*shogi.Position) shogi.Move { return shogi.NoMove }
		}, "none was found"},
		{"mates invented", func(c *checker) {
			c.o.MateIn1 = func(p *shogi.Position) shogi.Move {
				var buf shogi.MoveBuffer
				if list := p.LegalMoves(&buf, shogi.AllMoves); len(list) > 0 {
					return list[0]
				}
				return shogi.NoMove
			}
		}, "does not mate"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Seed: 1, MaxPlies: 256, MateIn1: mate1.Find}
			c := newChecker(&o)
			test.mistake(c)
			for number := range uint64(400) {
				err := c.game(t.Context(), number)
				var found *Disagreement
				if errors.As(err, &found) {
					if !strings.Contains(found.Error(), test.what) {
						t.Errorf("found %v, want %q", found, test.what)
					}
					return
				}
			}
			t.Error("not found")
		})
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stats, err := Run(ctx, Options{Positions: 1 << 62, MateIn1: mate1.Find}, func(s Stats) {
		if s.Positions > 500 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || stats.Positions <= 500 {
		t.Errorf("stopped with %v after %d positions", err, stats.Positions)
	}
}
