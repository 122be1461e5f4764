package search_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/playtest"
	"github.com/tsumero/tsumero/solver/play/search"
)

// engines returns the search, and its slow twin.
func engines(drawValue int) map[string]play.Engine {
	o := search.Options{TableBytes: 1 << 16, DrawValue: drawValue}
	return map[string]play.Engine{"search": search.New(o), "plain": search.NewPlain(o)}
}

// depthFor is how deep v is searched: 4 plies, and more where the mate takes five of them, of which
// a search that prunes overlooks some.
func depthFor(v *playtest.Vector) int {
	p := v.Game().Position()
	if left := v.Rules.MaxMoves - p.Ply() + 1; left == 5 || left == 6 {
		return 8
	}
	return 4
}

// checkVector asks about the position of v and compares score and move.
func checkVector(t *testing.T, e play.Engine, v *playtest.Vector, after string) {
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

// A draw is worth the DrawValue to the side that is asked; what is won or lost stays so.
func TestDrawValue(t *testing.T) {
	for _, value := range []int{-50, 70} {
		for name, e := range engines(value) {
			draws := 0
			for _, v := range playtest.Vectors {
				if v.End != play.NotOver || v.Value == 0 || v.Rules.MaxMoves-v.Start.Ply() > 2 {
					continue
				}
				c := e.Search(t.Context(), v.Game(), play.Limits{Depth: 3, Rules: v.Rules}, nil)
				_, mate := c.Score.Mate()
				switch {
				case v.Value != playtest.Draw && !mate:
					t.Errorf("%v, %s: %d, expected a mate", &v, name, c.Score)
				case v.Value == playtest.Draw && c.Score != play.Score(value):
					t.Errorf("%v, %s: %d, a draw being %d", &v, name, c.Score, value)
				case v.Value == playtest.Draw:
					draws++
				}
			}
			if draws < 8 {
				t.Errorf("only %d draws", draws)
			}
		}
	}
}

// Each vector, of an engine that knows nothing yet.
func TestVectors(t *testing.T) {
	all := engines(0)
	all["threads"] = search.New(search.Options{TableBytes: 1 << 16, Threads: 2})
	for name, e := range all {
		t.Run(name, func(t *testing.T) {
			for _, original := range playtest.Vectors {
				if left := original.Rules.MaxMoves - original.Start.Ply() + 1; name == "plain" && (left > 4 || testing.Short() && left > 3) {
					continue // nothing is searched deeper, and full width takes its time
				}
				list := variants(original)
				if name == "threads" {
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

// All vectors with one engine, which has to forget what holds under other rules.
func TestVectorsUnderChangingRules(t *testing.T) {
	vectors := slices.Clone(playtest.Vectors)
	e := search.New(search.Options{TableBytes: 1 << 20})
	for range 2 {
		for _, v := range vectors {
			checkVector(t, e, &v, ", after others")
			v.Rules.MaxMoves = 0
			if v.End != play.NotOver || v.Value != playtest.Win { // who wins in time wins without a limit
				continue
			}
			c := e.Search(context.Background(), v.Game(), play.Limits{Depth: depthFor(&v), Rules: v.Rules}, nil)
			if _, mate := c.Score.Mate(); !mate {
				t.Errorf("%v, the limit taken away: %s for %d, expected a mate", &v, c.Move, c.Score)
			}
		}
		slices.Reverse(vectors)
	}
}

// What the table remembers of a position holds neither at another ply, if the limit is near, nor
// under another rule. The best moves of this mate in three, G*1c and G*2c, are among the last of
// the list, so that nothing but the table decides whether they are looked at.
func TestTableNearLimit(t *testing.T) {
	const mateIn3 = "8k/9/9/9/9/9/9/9/K8 b 2G "
	e := search.New(search.Options{TableBytes: 1 << 20})
	search := func(ply, maxMoves int, rule play.LastMoveRule, want bool) {
		t.Helper()
		g := shogi.NewGame(shogi.MustParseSFEN(mateIn3 + strconv.Itoa(ply)))
		lim := play.Limits{Depth: 4, Rules: play.Rules{MaxMoves: maxMoves, LastMove: rule}}
		c := e.Search(context.Background(), &g, lim, nil)
		if _, mate := c.Score.Mate(); mate != want {
			t.Errorf("ply %d, limit %d: %s for %d, expected a mate: %v", ply, maxMoves, c.Move, c.Score, want)
		}
	}
	for _, plies := range [][]int{{255, 10}, {10, 255}, {255, 254, 255}, {254, 255, 256, 254}, {256, 257, 256}, {255, 130, 255}} {
		e.NewGame()
		for _, ply := range plies {
			search(ply, 256, play.MateWins, ply <= 254 || ply > 256)
		}
		e.NewGame()
		for _, ply := range plies {
			search(ply, 256, play.MateDraws, ply < 254 || ply > 256)
		}
	}
	e.NewGame()
	for _, maxMoves := range []int{256, 257, 256, 0, 256, 512, 255, 0} {
		search(255, maxMoves, play.MateWins, maxMoves != 256 && maxMoves != 255)
	}
	search(254, 256, play.MateWins, true)
	search(254, 256, play.MateDraws, false)
	search(254, 256, play.MateWins, true)
}

// At a root past the limit, where somebody plays on, there is no limit.
func TestPastLimit(t *testing.T) {
	e := search.New(search.Options{TableBytes: 1 << 16})
	asked := 0
	for _, v := range playtest.Vectors {
		g := v.Game()
		p := g.Position()
		if v.End != play.MoveLimit || v.ID != "T-03" && v.ID != "T-10" && v.ID != "T-37" {
			continue
		}
		asked++
		c := e.Search(context.Background(), g, play.Limits{Depth: 4, Rules: v.Rules}, nil)
		if _, mate := c.Score.Mate(); !mate || !p.IsLegal(c.Move) {
			t.Errorf("%v: %s for %d, expected a mate", &v, c.Move, c.Score)
		}
	}
	if asked != 6 {
		t.Errorf("%d vectors, expected 3 under two rules", asked)
	}
}

// A mate by the last move is seen without a search, but only where it counts.
func TestMateByLastMove(t *testing.T) {
	e := search.New(search.Options{TableBytes: 1 << 16})
	for _, v := range playtest.Vectors {
		p := v.Game().Position()
		if p.Ply() != v.Rules.MaxMoves || v.End != play.NotOver {
			continue
		}
		c := e.Search(context.Background(), v.Game(), play.Limits{Nodes: 1, Rules: v.Rules}, nil)
		if _, mate := c.Score.Mate(); mate != (v.Value == playtest.Win) {
			t.Errorf("%v: %s for %d after one node, the position is worth %c", &v, c.Move, c.Score, v.Value)
		}
	}
}

// Long mates, which the solver of mates finds at the root, come in time or not at all.
func TestLongMates(t *testing.T) {
	const mateIn5 = "lns3ls1/1r1k5/ppp2p3/1n1p3GB/1P2P1PPP/P1P3bS1/3P5/g4K3/1NS4NL w GL4Prgp "
	newSession := func() solver.Session { return dfpn.NewSession() }
	for _, test := range []struct {
		ply  int
		rule play.LastMoveRule
		mate bool
	}{
		{252, play.MateWins, true}, {253, play.MateWins, false}, {256, play.MateWins, false},
		{251, play.MateDraws, true}, {252, play.MateDraws, false}, {256, play.MateDraws, false},
		{253, play.ExtendChecks, true}, {256, play.ExtendChecks, true}, {300, play.MateWins, true},
	} {
		e := search.New(search.Options{TableBytes: 1 << 16, NewSession: newSession})
		g := shogi.NewGame(shogi.MustParseSFEN(mateIn5 + strconv.Itoa(test.ply)))
		lim := play.Limits{Nodes: 20_000, Rules: play.Rules{MaxMoves: 256, LastMove: test.rule}}
		c := e.Search(context.Background(), &g, lim, nil)
		if plies, mate := c.Score.Mate(); mate != test.mate || mate && plies != 5 {
			t.Errorf("ply %d under rule %d: %v for %d, expected a mate: %v", test.ply, test.rule, c.Line, c.Score, test.mate)
		}
	}
}

// Who has no move has lost, in check or not.
func TestNoMove(t *testing.T) {
	g := shogi.NewGame(shogi.MustParseSFEN("8k/9/9/8G/9/9/9/9/K6L1 b - 1")) // 1d1c leaves White no move
	for name, e := range engines(0) {
		c := e.Search(context.Background(), &g, play.Limits{Depth: 3}, nil)
		if c.Move.String() != "1d1c" || c.Score != play.MateIn(1) {
			t.Errorf("%s: %s for %d", name, c.Move, c.Score)
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
		for name, e := range engines(0) {
			c := e.Search(context.Background(), &g, play.Limits{Depth: 1, Rules: test.rules}, nil)
			if plies, mate := c.Score.Mate(); (mate && plies < 0) != test.lost {
				t.Errorf("%+v, %s: %d, lost: %v", test.rules, name, c.Score, test.lost)
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
		for _, lim := range []play.Limits{{Depth: 4}, {Nodes: 1}} {
			lim.Rules = play.Rules{MaxMoves: 256, LastMove: rule}
			c := e.Search(context.Background(), &g, lim, nil)
			plies, mate := c.Score.Mate()
			if mate != want || mate && plies != 3 || !mate && lim.Depth > 0 && c.Score != 0 {
				t.Errorf("under rule %d: %d by %v", rule, c.Score, c.Line)
			}
		}
	}
}

// Mates of one and of three plies below the root count only if they come in time. What is asked for
// at a first visit is searched at the next, so that every depth is asked.
func TestMatesBelowRoot(t *testing.T) {
	const (
		mated  = "8k/9/6+P1G/9/9/9/9/9/K8 w - " // by the reply to its only move
		mateIn = "lns3ls1/1r1k5/ppp2p3/1n1p3GB/1P2P1PPP/P1P3bS1/3P5/g4K3/1NS4NL w GL4Prgp "
	)
	for _, test := range []struct {
		sfen     string
		ply      int
		rule     play.LastMoveRule
		possible bool
	}{
		{mated, 254, play.MateDraws, true}, {mated, 255, play.MateDraws, false},
		{mated, 255, play.MateWins, true}, {mated, 256, play.MateWins, false},
		{mateIn, 251, play.MateDraws, true}, {mateIn, 252, play.MateDraws, false},
		{mateIn, 252, play.MateWins, true}, {mateIn, 253, play.MateWins, false},
	} {
		g := shogi.NewGame(shogi.MustParseSFEN(test.sfen + strconv.Itoa(test.ply)))
		seen := false
		for depth := 1; depth <= 6; depth++ {
			e := search.New(search.Options{TableBytes: 1 << 16})
			lim := play.Limits{Depth: depth, Rules: play.Rules{MaxMoves: 256, LastMove: test.rule}}
			c := e.Search(context.Background(), &g, lim, func(i play.Info) {
				if _, mate := i.Score.Mate(); mate && !test.possible {
					t.Errorf("ply %d of %s, rule %d, depth %d: %v for %d", test.ply, test.sfen,
						test.rule, depth, i.Line, i.Score)
				}
			})
			_, mate := c.Score.Mate()
			seen = seen || mate
		}
		if seen != test.possible {
			t.Errorf("ply %d of %s, rule %d: saw a mate: %v", test.ply, test.sfen, test.rule, seen)
		}
	}
}
