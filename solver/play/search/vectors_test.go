package search_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/playtest"
	"github.com/tsumero/tsumero/solver/play/search"
)

// depthFor is how deep v is searched: 4 plies, and more where the mate takes five of them, of which
// a search that prunes overlooks some.
func depthFor(v *playtest.Vector) int {
	p := v.Game().Position()
	if left := v.Rules.MaxMoves - p.Ply() + 1; left > 4 {
		return 8
	}
	return 4
}

// checkVector asks about the position of v and compares score and move.
func checkVector(t *testing.T, e *search.Engine, v *playtest.Vector, after string) {
	t.Helper()
	g := v.Game()
	p := g.Position()
	c := e.Search(context.Background(), g, play.Limits{Depth: depthFor(v), Rules: v.Rules}, nil)
	plies, mate := c.Score.Mate()
	switch left := v.Rules.MaxMoves - p.Ply() + 1; {
	case p.CountLegalMoves(shogi.AllMoves) == 0:
		if c.Move != shogi.NoMove || !mate || plies != 0 {
			t.Errorf("%v%s: %s for %d, there is no move", v, after, c.Move, c.Score)
		}
		return
	case !p.IsLegal(c.Move):
		t.Errorf("%v%s: %s is not legal", v, after, c.Move)
	case v.End != play.NotOver || v.Value == 0:
		return // it plays on, which is all that can be said
	case v.Value == playtest.Win && (!mate || plies <= 0 || left > 0 && plies > left):
		t.Errorf("%v%s: %s for %d, expected a mate", v, after, c.Move, c.Score)
	case v.Value == playtest.Loss && (!mate || plies > 0 || -plies > left):
		t.Errorf("%v%s: %s for %d, expected to be mated", v, after, c.Move, c.Score)
	case v.Value == playtest.Draw && c.Score != 0:
		t.Errorf("%v%s: %s for %d, expected a draw", v, after, c.Move, c.Score)
	}
	if v.Best != nil && !slices.Contains(v.Best, c.Move) {
		t.Errorf("%v%s: %s for %d, expected one of %v", v, after, c.Move, c.Score, v.Best)
	}
}

// variants returns v as it is, in a mirror, from the other side, and near another limit.
func variants(v playtest.Vector) []playtest.Vector {
	mirrored := v.Mirrored()
	list := []playtest.Vector{v, mirrored, v.Rotated(), mirrored.Rotated()}
	if v.Start.Ply()+97 > v.Rules.MaxMoves { // else the ply would not be positive
		list = append(list, v.Moved(97))
	}
	return list
}

// Each vector, of an engine that knows nothing yet.
func TestVectors(t *testing.T) {
	for name, o := range map[string]search.Options{
		"search":  {TableBytes: 1 << 16},
		"plain":   {TableBytes: 1 << 16, Plain: true},
		"threads": {TableBytes: 1 << 16, Threads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			e := search.New(o)
			for _, original := range playtest.Vectors {
				if left := original.Rules.MaxMoves - original.Start.Ply() + 1; o.Plain && (left > 4 || testing.Short() && left > 3) {
					continue // nothing is searched deeper, and full width takes its time
				}
				list := variants(original)
				if o.Threads > 1 {
					list = list[:1]
				}
				for _, v := range list {
					e.NewGame()
					checkVector(t, e, &v, "")
				}
			}
		})
	}
}

// All vectors with one table, which remembers the same positions at other plies, in either order.
func TestVectorsWithOneTable(t *testing.T) {
	byRules := map[play.Rules][]playtest.Vector{} // another rule makes the engine forget
	for _, v := range playtest.Vectors {
		byRules[v.Rules] = append(byRules[v.Rules], v)
	}
	for rules, vectors := range byRules {
		e := search.New(search.Options{TableBytes: 1 << 20})
		for range 2 {
			for _, v := range vectors {
				checkVector(t, e, &v, fmt.Sprintf(", after others under %+v", rules))
			}
			slices.Reverse(vectors)
		}
	}
}

// Every two vectors of one board or its follow-up, one right after the other with one table.
func TestPairsOfVectors(t *testing.T) {
	related := func(a, b *playtest.Vector) bool {
		ga, gb := a.Game(), b.Game()
		p, q := ga.Position(), gb.Position()
		setup := q.Setup()
		setup.Ply = p.Ply()
		r, err := setup.Position()
		return err == nil && a.Rules == b.Rules && (r == p || a.ID == b.ID)
	}
	e := search.New(search.Options{TableBytes: 1 << 16})
	pairs := 0
	for i := range playtest.Vectors {
		for j := range playtest.Vectors {
			first, second := &playtest.Vectors[i], &playtest.Vectors[j]
			if i == j || !related(first, second) {
				continue
			}
			pairs++
			e.NewGame()
			checkVector(t, e, first, "")
			checkVector(t, e, second, fmt.Sprintf(", after ply %d", first.Start.Ply()))
			checkVector(t, e, first, fmt.Sprintf(", again after ply %d", second.Start.Ply()))
		}
	}
	if pairs < 40 {
		t.Errorf("only %d pairs", pairs)
	}
}

// A side that may declare its win is told so, up to the last move of the game.
func TestDeclarations(t *testing.T) {
	e := search.New(search.Options{TableBytes: 1 << 16})
	for _, d := range playtest.Declarations {
		g := shogi.NewGame(d.Position)
		for maxMoves, want := range map[int]bool{
			0: d.Declares, playtest.DeclarationLimit: d.Declares, playtest.DeclarationLimit - 1: false,
		} {
			lim := play.Limits{Nodes: 100, Rules: play.Rules{MaxMoves: maxMoves}}
			c := e.Search(context.Background(), &g, lim, nil)
			if p := g.Position(); c.Declares != want || !p.IsLegal(c.Move) {
				t.Errorf("%s: %s with a limit of %d: declares %v, want %v, and plays %s",
					d.ID, p.SFEN(), maxMoves, c.Declares, want, c.Move)
			}
		}
	}
}

// Who would be declared against by the next move, and cannot help it, has lost; with a rule without
// declaration, or the last move of the game to come, it has not.
func TestDeclarationAhead(t *testing.T) {
	// White is about to move, and Black's king has entered with 10 pieces and 30 points.
	p := shogi.MustParseSFEN("+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/k8 w 2R2B 255")
	g := shogi.NewGame(p)
	for _, test := range []struct {
		rules play.Rules
		lost  bool
	}{
		{play.Rules{}, true},
		{play.Rules{MaxMoves: 256}, true},
		{play.Rules{MaxMoves: 255}, false},
		{play.Rules{EnteringKing: shogi.NoEnteringKing}, false},
	} {
		for _, plain := range []bool{false, true} {
			e := search.New(search.Options{TableBytes: 1 << 16, Plain: plain})
			c := e.Search(context.Background(), &g, play.Limits{Depth: 1, Rules: test.rules}, nil)
			if plies, mate := c.Score.Mate(); (mate && plies < 0) != test.lost {
				t.Errorf("%+v, plain %v: %d, lost: %v", test.rules, plain, c.Score, test.lost)
			}
		}
	}
}

// Where checks extend a game beyond its limit, a mate by checks comes in time.
func TestExtendChecks(t *testing.T) {
	p := shogi.MustParseSFEN("+S1G4+b1/1l3G3/pppp1S1+L1/5+b3/7n1/3P1P1PP/+s3P+sPK1/4+n1g1L/1k+r1L2N1 w 7Prgnp 256") // mate in 3
	g := shogi.NewGame(p)
	for rule, want := range map[play.LastMoveRule]bool{play.MateWins: false, play.MateDraws: false, play.ExtendChecks: true} {
		e := search.New(search.Options{TableBytes: 1 << 16})
		c := e.Search(context.Background(), &g, play.Limits{Depth: 4, Rules: play.Rules{MaxMoves: 256, LastMove: rule}}, nil)
		plies, mate := c.Score.Mate()
		if mate != want || mate && plies != 3 || !mate && c.Score != 0 {
			t.Errorf("under rule %d: %d by %v", rule, c.Score, c.Line)
		}
	}
}
