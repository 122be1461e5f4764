package naginagi

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/playtest"
)

// plain is the value of the level by its definition: all legal moves, made one by one, and the net
// asked anew after three plies.
func plain(n *Net, p shogi.Position, ply int) int {
	var buf shogi.MoveBuffer
	moves := p.LegalMoves(&buf, shogi.AllMoves)
	switch {
	case len(moves) == 0:
		return lost + ply
	case ply == depth:
		return n.Value(&p)
	}
	best := -infinite
	for _, m := range moves {
		next := p
		next.Do(m)
		best = max(best, -plain(n, next, ply+1))
	}
	return best
}

func plainBest(n *Net, p shogi.Position) (best shogi.Move, value int) {
	value = -infinite
	var buf shogi.MoveBuffer
	for _, m := range p.LegalMoves(&buf, shogi.AllMoves) {
		next := p
		next.Do(m)
		if v := -plain(n, next, 1); v > value {
			best, value = m, v
		}
	}
	return best, value
}

func search3(p shogi.Position) (shogi.Move, int) {
	e := New(nil)
	var buf shogi.MoveBuffer
	return e.s.root(context.Background(), &p, p.LegalMoves(&buf, shogi.AllMoves))
}

func randomPosition(rng *rand.Rand, plies int) shogi.Position {
	p := shogi.Start()
	for range plies {
		var buf shogi.MoveBuffer
		moves := p.LegalMoves(&buf, shogi.AllMoves)
		if len(moves) == 0 {
			break
		}
		p.Do(moves[rng.IntN(len(moves))])
	}
	return p
}

func TestSameAsPlain(t *testing.T) {
	rng := shogitest.NewRand(t)
	n := BuiltIn()
	positions := 20
	if testing.Short() {
		positions = 5
	}
	for done := 0; done < positions; {
		p := randomPosition(rng, rng.IntN(120))
		if shogi.Perft(p, depth, shogi.AllMoves) > 10_000 {
			continue // plain takes 5 µs a leaf
		}
		got, value := search3(p)
		if want, wantValue := plainBest(n, p); got != want || value != wantValue {
			t.Errorf("%s: %v of value %d, want %v of %d", p.SFEN(), got, value, want, wantValue)
		}
		done++
	}
}

// Positions with few pieces, in which a side is often without a move.
func TestSameAsPlainWithFewPieces(t *testing.T) {
	n := BuiltIn()
	for _, sfen := range []string{
		"8k/9/8G/9/9/9/9/9/K6L1 w - 1",
		"9/7n1/8k/9/7R1/9/9/9/K8 b R 1",
		"7nk/9/8P/7N1/9/9/9/9/K8 b - 1",
		"8k/9/7GS/9/9/8L/9/9/K8 b - 1",
		"8k/9/6+P1G/9/9/9/9/9/K8 w - 1",
		"7lk/9/8G/9/9/9/9/9/K8 b P 1",
		"4k4/9/9/9/9/9/9/9/4K4 b - 1",
		"9/9/9/9/9/9/9/4k4/9 b - 1", // one side has nothing
	} {
		p := shogi.MustParseSFEN(sfen)
		for _, p := range []shogi.Position{p, p.Rotated()} {
			got, value := search3(p)
			if want, wantValue := plainBest(n, p); got != want || value != wantValue {
				t.Errorf("%s: %v of value %d, want %v of %d", p.SFEN(), got, value, want, wantValue)
			}
		}
	}
}

// A side without a legal move has lost, in check or not, and the net is not asked.
func TestNoMove(t *testing.T) {
	for _, c := range []struct {
		name, sfen string
		value      int
		best       string // "": not said
	}{
		{"mate in one", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", -lost - 1, "G*5b"},
		{"mate in three", "8k/9/9/7P1/9/9/9/9/K8 b 2G 1", -lost - 3, ""},
		{"mated in two", "8k/9/6+P1G/9/9/9/9/9/K8 w - 1", lost + 2, "1a2a"},
		{"no check, no move", "8k/9/9/8G/9/9/9/9/K6L1 b - 1", -lost - 1, "1d1c"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		m, value := search3(p)
		if value != c.value || c.best != "" && m.String() != c.best {
			t.Errorf("%s: %v of value %d, want %s of %d", c.name, m, value, c.best, c.value)
		}
	}
	for _, sfen := range []string{"4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "8k/9/8G/9/9/9/9/9/K6L1 w - 1"} {
		g := shogi.NewGame(shogi.MustParseSFEN(sfen))
		if c := New(nil).Search(t.Context(), &g, play.Limits{}, nil); c.Move != shogi.NoMove {
			t.Errorf("%s: %v, but there is no move", sfen, c.Move)
		}
	}
}

// With hasMove the sides without a move are those that the generator gives none.
func TestHasMove(t *testing.T) {
	rng := shogitest.NewRand(t)
	without := 0
	for range 300 {
		p := shogi.Start()
		for range 200 {
			var buf shogi.MoveBuffer
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if got := hasMove(&p); got != (len(moves) > 0) {
				t.Fatalf("%s: %v, but there are %d moves", p.SFEN(), got, len(moves))
			}
			if len(moves) == 0 {
				without++
				break
			}
			p.Do(moves[rng.IntN(len(moves))])
		}
	}
	if without < 10 {
		t.Errorf("only %d games ended", without)
	}
}

// The board turned gives the same values, the sums that follow moves are those made anew.
func TestValue(t *testing.T) {
	rng := shogitest.NewRand(t)
	n := BuiltIn()
	p := shogi.Start()
	var kept, next [2]sums
	refresh := func() {
		for view := range kept {
			n.first.Refresh(kept[view][:], &p, shogi.Color(view))
		}
	}
	refresh()
	for range 10_000 {
		var buf shogi.MoveBuffer
		moves := p.LegalMoves(&buf, shogi.AllMoves)
		if len(moves) == 0 || p.Ply() > 250 {
			p = shogi.Start()
			refresh()
			continue
		}
		m := moves[rng.IntN(len(moves))]
		c := eval.ChangeOf(&p, m)
		for view := range kept {
			n.first.Update(next[view][:], kept[view][:], &c, shogi.Color(view))
		}
		kept = next
		p.Do(m)
		got := n.value(&kept[p.SideToMove()])
		if want := n.Value(&p); got != want {
			t.Fatalf("%s: %d after moves, %d anew", p.SFEN(), got, want)
		}
		if turned := p.Rotated(); got != n.Value(&turned) {
			t.Fatalf("%s: other value when the board is turned", p.SFEN())
		}
	}
}

// The level finds every mate in one, and every mate in three, which are from the tests of the search.
func TestFindsMates(t *testing.T) {
	rng := shogitest.NewRand(t)
	found := 0
	for range 400 {
		p := randomPosition(rng, 60+rng.IntN(120))
		m := mate1.Find(&p)
		if m == shogi.NoMove {
			continue
		}
		found++
		if best, value := search3(p); value != -lost-1 {
			t.Errorf("%s: %v of value %d, but %v mates", p.SFEN(), best, value, m)
		}
	}
	if found < 5 {
		t.Errorf("only %d positions with a mate in one", found)
	}
	text, err := os.ReadFile("../../search/testdata/mate3.tsv")
	if err != nil {
		t.Fatal(err)
	}
	found = 0
	for line := range strings.Lines(string(text)) {
		sfen, plies, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if plies != "3" || found == 10 {
			continue
		}
		found++
		if best, value := search3(shogi.MustParseSFEN(sfen)); value != -lost-3 {
			t.Errorf("%s: %v of value %d, but there is a mate in three", sfen, best, value)
		}
	}
	if found < 10 {
		t.Errorf("only %d positions with a mate in three", found)
	}
}

func TestSearch(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	e := New(nil)
	var info play.Info
	c := e.Search(t.Context(), &g, play.Limits{}, func(i play.Info) { info = i })
	p := g.Position()
	if !p.IsLegal(c.Move) || c.Nodes == 0 || info.Score != c.Score || info.Line[0] != c.Move {
		t.Errorf("choice %+v, told %+v", c, info)
	}
	again := e.Search(t.Context(), &g, play.Limits{}, nil)
	if again.Move != c.Move || again.Nodes != c.Nodes || again.Score != c.Score {
		t.Errorf("%+v, and then %+v", c, again)
	}
}

func TestSearchOfSomeMoves(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	m, err := shogi.ParseMove("9g9f")
	if err != nil {
		t.Fatal(err)
	}
	if c := New(nil).Search(t.Context(), &g, play.Limits{Moves: []shogi.Move{m}}, nil); c.Move != m {
		t.Errorf("%v, but only %v was allowed", c.Move, m)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := g.Position()
	if c := New(nil).Search(ctx, &g, play.Limits{}, nil); !p.IsLegal(c.Move) {
		t.Errorf("%v is not legal, after the end of the context", c.Move)
	}
}

func TestScore(t *testing.T) {
	for value, want := range map[int]play.Score{0: 0, SumOne: 400, -SumOne / 2: -200, -lost - 1: play.MateIn(1),
		-lost - 3: play.MateIn(3), lost: play.MatedIn(0), lost + 2: play.MatedIn(2), 1 << 30: 10_000} {
		if got := score(value); got != want {
			t.Errorf("score(%d) = %d, want %d", value, got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) { playtest.Benchmark(b, New(nil)) }
