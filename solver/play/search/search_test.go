package search_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/search"
)

// middleGame is a position with hands, threats on both sides, and no mate in sight.
const middleGame = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"

// The limit of nodes is exact, and a search of one thread can be repeated.
func TestNodes(t *testing.T) {
	g := shogi.NewGame(shogi.MustParseSFEN(middleGame))
	for _, nodes := range []uint64{1, 2, 10, 500, 1023, 1024, 1025, 30000} {
		var choices []play.Choice
		for range 2 {
			e := search.New(search.Options{})
			c := e.Search(context.Background(), &g, play.Limits{Nodes: nodes}, nil)
			if c.Nodes != nodes {
				t.Errorf("a search limited to %d nodes took %d", nodes, c.Nodes)
			}
			choices = append(choices, c)
			e.NewGame()
			choices = append(choices, e.Search(context.Background(), &g, play.Limits{Nodes: nodes}, nil))
		}
		for _, c := range choices[1:] {
			if !reflect.DeepEqual(c, choices[0]) {
				t.Errorf("%d nodes: chose %+v, and at another run %+v", nodes, choices[0], c)
			}
		}
	}
}

// A search that is stopped at once still has a legal move, and lines are legal.
func TestLegalLines(t *testing.T) {
	g := shogi.NewGame(shogi.MustParseSFEN(middleGame))
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{stopped, context.Background()} {
		c := search.New(search.Options{}).Search(ctx, &g, play.Limits{Nodes: 20000}, func(i play.Info) {
			checkLine(t, g.Position(), i.Line)
		})
		checkLine(t, g.Position(), c.Line)
		if p := g.Position(); !p.IsLegal(c.Move) {
			t.Errorf("chose %s, which is illegal", c.Move)
		}
	}
}

func checkLine(t *testing.T, p shogi.Position, line []shogi.Move) {
	t.Helper()
	for i, m := range line {
		if !p.IsLegal(m) {
			t.Fatalf("move %d of the line %v is illegal", i+1, line)
		}
		p.Do(m)
	}
}

// Only the moves asked for are searched.
func TestMoves(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	only := []shogi.Move{shogi.NewMove(shogi.SquareAt(shogi.File9, shogi.RankG), shogi.SquareAt(shogi.File9, shogi.RankF)),
		shogi.NewMove(shogi.SquareAt(shogi.File1, shogi.RankI), shogi.SquareAt(shogi.File1, shogi.RankH))}
	seen := map[shogi.Move]bool{}
	lim := play.Limits{Nodes: 5000, Moves: only, MultiPV: 3}
	c := search.New(search.Options{}).Search(context.Background(), &g, lim, func(i play.Info) { seen[i.Line[0]] = true })
	if !slices.Contains(only, c.Move) {
		t.Errorf("chose %s, which is not among %v", c.Move, only)
	}
	if len(seen) != 2 {
		t.Errorf("reported lines that begin with %v, expected both of %v", seen, only)
	}
}
