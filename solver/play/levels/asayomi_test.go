package levels

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/playtest"
)

// plain is the level by its definition: all legal moves, made one by one, three plies deep, and the
// pieces of the last position counted on its board and in its hands.
func plain(p shogi.Position, ply int) int {
	var buf shogi.MoveBuffer
	moves := p.LegalMoves(&buf, shogi.AllMoves)
	switch {
	case len(moves) == 0:
		return -(1000 - ply)
	case ply == 3:
		return plainCount(&p, p.SideToMove()) - plainCount(&p, p.SideToMove().Opponent())
	}
	best := -infinite
	for _, m := range moves {
		next := p
		next.Do(m)
		best = max(best, -plain(next, ply+1))
	}
	return best
}

func plainCount(p *shogi.Position, c shogi.Color) int {
	worth := map[shogi.PieceType]int{shogi.Pawn: 1, shogi.Tokin: 1, shogi.Lance: 3, shogi.ProLance: 3,
		shogi.Knight: 4, shogi.ProKnight: 4, shogi.Silver: 5, shogi.ProSilver: 5, shogi.Gold: 6,
		shogi.Bishop: 8, shogi.Horse: 8, shogi.Rook: 10, shogi.Dragon: 10}
	n := 0
	for t, v := range worth {
		n += v * p.PiecesOf(c, t).Len()
		if !t.IsPromoted() {
			n += v * p.Hand(c).Count(t)
		}
	}
	return n
}

func plainBest(p shogi.Position) (best []shogi.Move, value int) {
	value = -infinite
	var buf shogi.MoveBuffer
	for _, m := range p.LegalMoves(&buf, shogi.AllMoves) {
		next := p
		next.Do(m)
		switch v := -plain(next, 1); {
		case v > value:
			best, value = []shogi.Move{m}, v
		case v == value:
			best = append(best, m)
		}
	}
	return best, value
}

func bestOf(p shogi.Position) ([]shogi.Move, int) {
	var buf shogi.MoveBuffer
	return new(asayomi).root(context.Background(), &p, p.LegalMoves(&buf, shogi.AllMoves))
}

func compare(t *testing.T, p shogi.Position) {
	t.Helper()
	got, value := bestOf(p)
	want, wantValue := plainBest(p)
	if value != wantValue || !slices.Equal(got, want) {
		t.Errorf("%s: %d %v, want %d %v", p.SFEN(), value, got, wantValue, want)
	}
}

// leaves is how many positions plain would look at.
func leaves(p shogi.Position) uint64 { return shogi.Perft(p, 3, shogi.AllMoves) }

// The level against its definition: in positions of random games, crowded ones left out, for plain
// takes a microsecond a leaf.
func TestAsayomiSameAsPlain(t *testing.T) {
	positions, most := 30, uint64(15_000)
	if testing.Short() {
		positions, most = 10, 8_000
	}
	rng := shogitest.NewRand(t)
	for done := 0; done < positions; {
		p := shogi.Start()
		for range rng.IntN(120) {
			var buf shogi.MoveBuffer
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			p.Do(choose(rng, &p, moves))
		}
		if leaves(p) <= most {
			compare(t, p)
			done++
		}
	}
}

// One move can take their moves from three pieces: the bishop captures the pawn on 4d, pins the
// knight on 2b from there, and opens the file on which the other one is pinned.
func TestAsayomiThreePiecesLoseTheirMoves(t *testing.T) {
	p := shogi.MustParseSFEN("4R2nk/7nn/9/5p3/9/9/8B/9/K7R b - 1")
	var s asayomi
	if mobile(&p, shogi.White, enough) || !mobile(&p, shogi.White, 3) || !s.takesLastMove(&p) {
		t.Error("a lost last move would not be looked for")
	}
}

// Few pieces: here the third ply often leaves the other side without a move.
func TestAsayomiSameAsPlainWithFewPieces(t *testing.T) {
	rng := shogitest.NewRand(t)
	stalemates := 0
	for done := 0; done < 200; {
		board := [81]byte{0: 'k'}
		for _, pc := range "KGSLRn"[:3+rng.IntN(4)] {
			board[1+rng.IntN(80)] = byte(pc)
		}
		for i := range 9 * 5 { // nearer to the king of the other side
			if board[i+36] != 0 && board[i] == 0 && rng.IntN(2) == 0 {
				board[i], board[i+36] = board[i+36], 0
			}
		}
		var sfen strings.Builder
		for i, pc := range board {
			if i > 0 && i%9 == 0 {
				sfen.WriteByte('/')
			}
			if pc == 0 {
				pc = '1'
			}
			sfen.WriteByte(pc)
		}
		p, err := shogi.ParseSFEN(sfen.String() + " " + string("bw"[done%2]) + " - 1")
		if err != nil || p.King(shogi.Black) == shogi.NoSquare {
			continue
		}
		compare(t, p)
		var s asayomi
		if done%2 == 0 && s.takesLastMove(&p) && mate1.Find(&p) == shogi.NoMove {
			stalemates++
		}
		done++
	}
	if stalemates < 3 {
		t.Errorf("only %d positions in which a move that does not check wins", stalemates)
	}
}

// choose prefers captures, for they make positions in which something hangs.
func choose(rng *rand.Rand, p *shogi.Position, moves []shogi.Move) shogi.Move {
	m := moves[rng.IntN(len(moves))]
	if gain(p, m) == 0 {
		m = moves[rng.IntN(len(moves))]
	}
	return m
}

// One position for each rule by hand, and turned.
func TestAsayomiRules(t *testing.T) {
	for _, c := range []struct {
		name, sfen string
		value      int
		best       []string // nil: not said
	}{
		{"mate in one", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 999, []string{"G*5b"}},
		{"mate in three", "8k/9/9/7P1/9/9/9/9/K8 b 2G 1", 997, nil},
		{"mated in two", "8k/9/6+P1G/9/9/9/9/9/K8 w - 1", -998, []string{"1a2a"}},
		{"no move, not in check: lost", "8k/9/9/8G/9/9/9/9/K6L1 b - 1", 999, []string{"1d1c"}},
		// From here on the first number is what Black has less what White has.
		{"a capture counts twice", "4k4/9/9/9/4p4/4S4/9/9/4K4 b - 1", 5 - 1 + 2, []string{"5f5e"}},
		{"a tokin counts as a pawn", "4k4/9/9/9/4+p4/4S4/9/9/4K4 b - 1", 5 - 1 + 2, []string{"5f5e"}},
		{"a promotion gains nothing", "k8/9/9/2P6/9/9/9/9/K8 b - 1", 1, nil},
		{"the hand counts as the board", "k8/9/9/9/9/9/9/9/K8 b S 1", 5, nil},
		{"a pawn that is taken now would cost the rook", "k8/9/9/4g4/4p4/4R4/9/9/K8 b - 1", 10 - 6 - 1 + 2,
			nil},
		// White's knight is pinned, its king stuck, and its pawn falls.
		{"no move but of a pinned piece", "8k/6G1n/9/9/9/9/p8/9/K7R w - 1", -998,
			[]string{"9g9h+", "9g9h"}},
		// The same with three pinned knights, after a move that waits.
		{"pinned pieces do not help", "4R2nk/7nn/9/9/4B4/9/p8/9/1K6R b - 1", 997, nil},
		// The second silver cannot be taken when the lance checks.
		{"a check on the second ply", "k8/9/2s1s4/9/9/9/9/2R1R4/8K b l 1", 10 + 10 - 5 - 5 - 3 + 10, nil},
		{"the third ply is not answered", "k8/9/4g4/4p4/9/4R4/9/9/K8 b - 1", 10 - 6 - 1 + 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(c.sfen)
			for _, p := range []shogi.Position{p, p.Rotated(), p.Mirrored()} {
				compare(t, p)
			}
			best, value := bestOf(p)
			t.Log(value, best)
			if value != c.value {
				t.Errorf("value %d, want %d", value, c.value)
			}
			if c.best != nil && len(best) != len(c.best) {
				t.Fatalf("best %v, want %v", best, c.best)
			}
			for i, m := range c.best {
				if best[i].String() != m {
					t.Errorf("best %v, want %v", best, c.best)
				}
			}
		})
	}
}

// Of a game of the program that the level is made after, only the sizes of the six sets of best
// moves and their values are known. They are those of this game, in which Black plays 2726, 2625,
// 2524, 2824, FU23 and 2428.
func TestAsayomiGame(t *testing.T) {
	g := shogi.NewGame(shogi.Start())
	for i, c := range []struct {
		moves       string
		size, value int
		plain       bool // few enough for the twin
	}{
		{"2g2f", 1, 2, true},
		{"3c3d 2f2e", 32, 2, true},
		{"2b4d 2e2d", 1, 2, false},
		{"2c2d 2h2d", 8, 0, false},
		{"3a2b P*2c", 1, 2, false},
		{"2b3c 2d2h", 33, 2, false},
	} {
		for text := range strings.FieldsSeq(c.moves) {
			m, err := shogi.ParseMove(text)
			p := g.Position()
			if err != nil || !p.IsLegal(m) {
				t.Fatalf("move %d, %s: not legal", i, text)
			}
			if p.SideToMove() == shogi.White {
				if best, _ := bestOf(p); !slices.Contains(best, m) {
					t.Errorf("move %d: %v is none of %v", i, m, best)
				}
			}
			g.Do(m)
		}
		p := g.Position()
		best, value := bestOf(p)
		if len(best) != c.size || value != c.value {
			t.Errorf("position %d: %d moves of value %d, want %d of %d", i, len(best), value, c.size, c.value)
		}
		if c.plain && !testing.Short() {
			compare(t, p)
		}
	}
}

func TestAsayomiChoiceAmongEquals(t *testing.T) {
	g, err := shogi.ParsePosition("startpos moves 2g2f 3c3d 2f2e")
	if err != nil {
		t.Fatal(err)
	}
	best, _ := bestOf(g.Position())
	counts := map[shogi.Move]int{}
	const draws = 1000
	for seed := range uint64(draws) {
		c := (&asayomi{seed: seed}).Search(context.Background(), &g, play.Limits{}, nil)
		if !slices.Contains(best, c.Move) {
			t.Fatalf("%v is none of %v", c.Move, best)
		}
		counts[c.Move]++
	}
	chi2, expected := 0.0, float64(draws)/float64(len(best))
	for _, m := range best {
		d := float64(counts[m]) - expected
		chi2 += d * d / expected
	}
	t.Logf("%d moves, chi-square %.1f", len(best), chi2)
	if chi2 > 61.1 || chi2 < 11 { // 31 degrees of freedom, one of a thousand
		t.Errorf("chi-square %.1f for %d moves", chi2, len(best))
	}
}

func TestAsayomiStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := shogi.NewGame(shogi.Start())
	p := g.Position()
	c := (&asayomi{seed: 1}).Search(ctx, &g, play.Limits{}, nil)
	if !p.IsLegal(c.Move) {
		t.Errorf("%v is not legal", c.Move)
	}
	mated := shogi.NewGame(shogi.MustParseSFEN("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"))
	if c := (&asayomi{seed: 1}).Search(ctx, &mated, play.Limits{}, nil); c.Move != shogi.NoMove {
		t.Errorf("%v by a side that is mated", c.Move)
	}
}

func TestAsayomiScore(t *testing.T) {
	for value, want := range map[int]play.Score{2: 200, -16: -1600, 999: play.MateIn(1), 997: play.MateIn(3),
		-998: play.MatedIn(2)} {
		if got := score(value); got != want {
			t.Errorf("score(%d) = %d, want %d", value, got, want)
		}
	}
}

func BenchmarkAsayomi(b *testing.B) { playtest.Benchmark(b, &asayomi{seed: 1}) }
