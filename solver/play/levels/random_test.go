package levels

import (
	"context"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

func searchRandom(seed uint64, g *shogi.Game, lim play.Limits) play.Choice {
	return (&random{seed}).Search(context.Background(), g, lim, nil)
}

// 30,000 draws among the 30 first moves. With 29 degrees of freedom, chi-square is above 58.3 in
// one of a thousand samples; the lower bound catches draws that are more even than chance.
func TestRandomUniform(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	counts := map[shogi.Move]int{}
	const draws = 30_000
	for seed := range uint64(draws) {
		counts[searchRandom(seed, &g, play.Limits{}).Move]++
	}
	if len(counts) != 30 {
		t.Fatalf("%d first moves, want 30", len(counts))
	}
	chi2, expected := 0.0, float64(draws)/30
	for _, n := range counts {
		chi2 += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	t.Logf("chi-square %.1f", chi2)
	if chi2 > 58.3 || chi2 < 10 {
		t.Errorf("chi-square %.1f, want 10 to 58.3", chi2)
	}
}

// Along a game, with one seed, the rank of the choice must be as even as with many seeds.
func TestRandomUniformAlongGames(t *testing.T) {
	var ranks [4]int
	n := 0
	for seed := range uint64(100) {
		g := shogi.NewGame(shogi.Start())
		for range 100 {
			p := g.Position()
			var buf shogi.MoveBuffer
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			m := searchRandom(seed, &g, play.Limits{}).Move
			if len(moves)%4 == 0 {
				ranks[slices.Index(moves, m)*4/len(moves)]++
				n++
			}
			g.Do(m)
		}
	}
	chi2, expected := 0.0, float64(n)/4
	for _, c := range ranks {
		chi2 += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	if chi2 > 16.3 { // one of a thousand, 3 degrees of freedom
		t.Errorf("quarters of the list of moves: %v, chi-square %.1f", ranks, chi2)
	}
}

func TestRandomNonPromotionsToo(t *testing.T) {
	// The pawn has two moves, the king five.
	g := shogi.NewGame(shogi.MustParseSFEN("4k4/9/9/4P4/9/9/9/9/4K4 b - 1"))
	seen := map[string]bool{}
	for seed := range uint64(200) {
		seen[searchRandom(seed, &g, play.Limits{}).Move.String()] = true
	}
	for _, m := range []string{"5d5c", "5d5c+", "5i4h", "5i5h", "5i6h", "5i4i", "5i6i"} {
		if !seen[m] {
			t.Errorf("%s was never played", m)
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d moves played, want 7: %v", len(seen), seen)
	}
}

func TestRandomSameQuestionSameAnswer(t *testing.T) {
	e := &random{7}
	g := shogi.NewGame(shogi.Start())
	first := e.Search(t.Context(), &g, play.Limits{}, nil).Move
	h := shogi.NewGame(shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/4K4 b G 1"))
	e.Search(t.Context(), &h, play.Limits{}, nil)
	if again := e.Search(t.Context(), &g, play.Limits{}, nil).Move; again != first {
		t.Errorf("%v, then %v", first, again)
	}
}

func TestRandomMovesAllowed(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	m, _ := shogi.ParseMove("7g7f")
	illegal, _ := shogi.ParseMove("7g7e")
	for seed := range uint64(20) {
		if got := searchRandom(seed, &g, play.Limits{Moves: []shogi.Move{illegal, m}}).Move; got != m {
			t.Fatalf("%v, want %v", got, m)
		}
	}
	if c := searchRandom(1, &g, play.Limits{Moves: []shogi.Move{}}); c.Move != shogi.NoMove {
		t.Errorf("%v of no moves", c.Move)
	}
	mated := shogi.NewGame(shogi.MustParseSFEN("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"))
	if c := searchRandom(1, &mated, play.Limits{}); c.Move != shogi.NoMove {
		t.Errorf("%v by a side that is mated", c.Move)
	}
}
