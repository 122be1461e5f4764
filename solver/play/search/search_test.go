package search_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
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

// Several threads find the mate that one finds, stop with the one that counts, and leave the game
// alone.
func TestThreads(t *testing.T) {
	e := search.New(search.Options{Threads: 3, TableBytes: 1 << 20})
	for _, sfen := range []string{middleGame, shogi.StartSFEN, "8k/9/9/9/7P1/9/9/9/K8 b 2G 1"} {
		g := shogi.NewGame(shogi.MustParseSFEN(sfen))
		before := g.Position()
		last := uint64(0)
		c := e.Search(context.Background(), &g, play.Limits{Nodes: 30000}, func(i play.Info) {
			checkLine(t, g.Position(), i.Line)
			if i.Nodes < last {
				t.Errorf("%d nodes after %d", i.Nodes, last)
			}
			last = i.Nodes
		})
		checkLine(t, before, c.Line)
		if !before.IsLegal(c.Move) || g.Position() != before {
			t.Errorf("%s: chose %s, and the game is in %s", sfen, c.Move, before.SFEN())
		}
		e.NewGame()
	}
}

// A long mate is found by the solver of mates, and proven; one of three plies is proven by it.
func TestVerified(t *testing.T) {
	o := search.Options{NewSession: func() solver.Session { return dfpn.NewSession() }}
	for _, test := range []struct {
		sfen  string
		nodes uint64
		plies int // the mate's, at least
	}{
		{"+S1G4+b1/1l3G3/pppp1S1+L1/5+b3/7n1/3P1P1PP/+s3P+sPK1/4+n1g1L/1k+r1L2N1 w 7Prgnp 1", 1000, 3},
		{"lnk2g2+L/r8/ps1pg2+P1/2p1p1p2/1p1n1p3/L1PB4P/P+rb1P1P2/4K1g2/L1GS5 w 2SN3Pn2p 1", 300_000, 17},
	} {
		p, err := shogi.ParseSFEN(test.sfen)
		if err != nil {
			t.Fatal(err)
		}
		g := shogi.NewGame(p)
		c := search.New(o).Search(context.Background(), &g, play.Limits{Nodes: test.nodes}, nil)
		plies, ok := c.Score.Mate()
		if !ok || !c.Verified || plies < test.plies || len(c.Line) != plies {
			t.Errorf("%s: %d, verified: %v, %v", test.sfen, c.Score, c.Verified, c.Line)
		}
		if err := solver.VerifyLine(p, c.Line); err != nil {
			t.Error(err)
		}
	}
}
