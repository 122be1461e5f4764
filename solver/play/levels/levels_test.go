package levels_test

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// Every level answers with a legal move, and the same one when it is asked again by another engine.
func TestLevels(t *testing.T) {
	for _, name := range levels.Names() {
		t.Run(name, func(t *testing.T) {
			g := shogi.NewGame(shogi.Start())
			p := g.Position()
			var first shogi.Move
			for i := range 2 {
				e, err := levels.New(name, levels.Options{Seed: 1, Nodes: 300})
				if err != nil {
					t.Fatal(err)
				}
				e.NewGame()
				c := e.Search(t.Context(), &g, play.Limits{Nodes: 300}, nil)
				if !p.IsLegal(c.Move) {
					t.Fatalf("%v is not legal", c.Move)
				}
				if i == 0 {
					first = c.Move
				} else if c.Move != first {
					t.Errorf("%v, then %v", first, c.Move)
				}
			}
		})
	}
}

// People are told of every level what it is.
func TestLevelTexts(t *testing.T) {
	for _, l := range levels.All() {
		if l.Ja == "" || l.En == "" || l.About == "" {
			t.Errorf("the level %s has no texts: %+v", l.Name, l)
		}
	}
}

func TestUnknownLevel(t *testing.T) {
	_, err := levels.New("asayomu", levels.Options{})
	if err == nil || !strings.Contains(err.Error(), "asayomi") {
		t.Errorf("error %v does not name the levels", err)
	}
}

// No level completes a repetition by perpetual check while it has another legal move, also where
// every other move is mated: after three rounds of checks Black, whom G*9h mates, has only lost
// moves and the foul.
func TestNoPerpetual(t *testing.T) {
	const (
		start = "4k4/9/9/9/9/9/+p8/1P7/KL4R2 b g 1"
		round = " 4i5i 5a4a 5i4i 4a5a"
		// The side that is checked completes the repetition.
		early = "4k4/9/9/9/9/9/+p8/1P7/KL3R3 b g 1"
	)
	for name, text := range map[string]string{
		"completes":          start + " moves 3i5i 5a4a 5i4i 4a5a" + round + round,
		"lets it be so":      early + " moves" + round + round + " 4i5i 5a4a",
		"only that is asked": start + " moves 3i5i 5a4a 5i4i 4a5a" + round + round,
	} {
		t.Run(name, func(t *testing.T) {
			game, err := shogi.ParsePosition("sfen " + text)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range []shogi.Game{game, rotated(&game)} {
				checkNoPerpetual(t, &g, name == "only that is asked")
			}
		})
	}
}

func checkNoPerpetual(t *testing.T, g *shogi.Game, isAsked bool) {
	t.Helper()
	p, moves := g.Position(), g.Moves()
	foul := moves[len(moves)-4] // again
	lim := play.Limits{Nodes: 2000}
	if isAsked {
		lim.Moves = []shogi.Move{foul}
	}
	for _, name := range levels.Names() {
		for seed := range uint64(3) {
			e, err := levels.New(name, levels.Options{Seed: seed, TableBytes: 1 << 16})
			if err != nil {
				t.Fatal(err)
			}
			m := e.Search(t.Context(), g, lim, nil).Move
			if (m == foul) != isAsked || !p.IsLegal(m) {
				t.Errorf("%s plays %v in %s", name, m, p.SFEN())
			}
		}
	}
}

// rotated returns a game as the other side sees it.
func rotated(g *shogi.Game) shogi.Game {
	start := g.Start()
	turned := shogi.NewGame(start.Rotated())
	for _, m := range g.Moves() {
		turned.Do(m.Rotated())
	}
	return turned
}

// With a spread several moves are played, all of them legal and none valued too low, and always the
// mate that is seen.
func TestSpread(t *testing.T) {
	const most = 60
	best, err := levels.New("full", levels.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := shogi.NewGame(shogi.Start())
	lim := play.Limits{Nodes: 3000}
	top := best.Search(t.Context(), &g, play.Limits{Nodes: 3000, MultiPV: 6}, nil).Score
	played := map[shogi.Move]int{}
	for seed := range uint64(40) {
		e, err := levels.New("full", levels.Options{Seed: seed, Spread: most})
		if err != nil {
			t.Fatal(err)
		}
		var last play.Info
		c := e.Search(t.Context(), &g, lim, func(i play.Info) {
			if last = i; i.MultiPV != 1 {
				t.Errorf("line %d is reported, one was wanted", i.MultiPV)
			}
		})
		if last.Line[0] != c.Move || last.Score != c.Score {
			t.Errorf("%v for %d, reported %v for %d", c.Move, c.Score, last.Line, last.Score)
		}
		if p := g.Position(); !p.IsLegal(c.Move) || c.Move != c.Line[0] {
			t.Fatalf("%v, %v", c.Move, c.Line)
		}
		if c.Score < top-most {
			t.Errorf("%v is valued at %d, the best at %d", c.Move, c.Score, top)
		}
		played[c.Move]++
	}
	if len(played) < 2 {
		t.Errorf("played only %v", played)
	}
	mate := shogi.NewGame(shogi.MustParseSFEN("8k/9/8P/9/9/9/9/9/K8 b 2G 1"))
	for seed := range uint64(10) {
		e, _ := levels.New("club", levels.Options{Seed: seed, Spread: 10_000})
		c := e.Search(t.Context(), &mate, lim, nil)
		if plies, ok := c.Score.Mate(); !ok || plies != 1 {
			t.Errorf("%v, %d", c.Move, c.Score)
		}
	}
}
