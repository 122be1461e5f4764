package shogi_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// BenchmarkPerft counts leaves: of the initial position, where moves are few, and of all positions
// of perft.tsv, where most are drops. Mnps is millions of leaves a second; they are counted, not
// made.
func BenchmarkPerft(b *testing.B) {
	all := perftRows(b)
	for _, bench := range []struct {
		name  string
		rows  []perftRow
		limit uint64 // the largest tree
	}{
		{"startpos", all[:1], 20_000_000},
		{"mixed", all, 5_000_000},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var leaves uint64
			for b.Loop() {
				for _, row := range bench.rows {
					depth, want := deepest(row.leaves[shogi.AllMoves], bench.limit)
					if got := shogi.Perft(shogi.MustParseSFEN(row.sfen), depth, shogi.AllMoves); got != want {
						b.Fatalf("%s: depth %d: %d leaves, want %d", row.sfen, depth, got, want)
					}
					leaves += want
				}
			}
			b.ReportMetric(float64(leaves)/b.Elapsed().Seconds()/1e6, "Mnps")
		})
	}
}

// deepest returns the largest depth whose count does not exceed the limit, and the count.
func deepest(leaves []uint64, limit uint64) (depth int, want uint64) {
	for i, n := range leaves {
		if n <= limit {
			depth, want = i+1, n
		}
	}
	return depth, want
}

// checkTrees is positions with the number of move lists in their trees of checks and evasions:
// checks at even plies, evasions at odd ones, four plies deep.
var checkTrees = []struct {
	sfen        string
	all, useful uint64
}{
	{"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 6818, 6459},
	{"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 207, 206},
	{"1+S7/1+NR+B3G+N/1N2pp2+L/9/Lk1L2pp1/2p1PP3/Pg1B2P1+R/3K1S3/LN1S3G1 b GS8Pp 1", 346, 307},
	{"3r1g2+L/1+S2gn1G1/3k1p3/3lp2G1/1PK5B/s4P1P1/s3P1+r1P/4+b4/5s2+l w N2P2nl9p 1", 399, 399},
	{"4G2nl/+P3lp+B2/3s2p1b/+N2pp2kp/9/1+s1L1LG2/P2PP1P2/r2GRK3/9 b GS2N2Ps6p 1", 351, 351},
	{"3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1", 201, 201},
	{"8k/9/9/9/9/9/9/9/9 b R2GSr2b2g3s4n4l18p 1", 3553, 3218},
	{"g1+P1k1+P+P+L/1p3P3/+R+p2pp1pl/1NNsg+p2+R/+b+nL+P1+p3/1P3ssP1/2P1+Ps2N/4+P1P1L/+B5G1g b - 1", 38, 38},
}

const checkTreeDepth = 4

// A moveGenerator lists the checks, or the evasions, of a position.
type moveGenerator func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move

func pseudoLegalMoves(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move {
	return p.ForSearch().PseudoLegalMoves(buf, set)
}

// countLists walks a tree of checks and evasions and returns how many lists were made.
func countLists(p *shogi.Position, bufs []shogi.MoveBuffer, set shogi.MoveSet, now, next moveGenerator) uint64 {
	n := uint64(1)
	moves := now(p, &bufs[0], set)
	if len(bufs) == 1 {
		return n
	}
	for _, m := range moves {
		u := p.Do(m)
		n += countLists(p, bufs[1:], set, next, now)
		p.Undo(m, u)
	}
	return n
}

// TestCheckTrees counts the trees of BenchmarkChecksEvasions with the generator of all legal moves.
func TestCheckTrees(t *testing.T) {
	slowChecks := func(p *shogi.Position, buf *shogi.MoveBuffer, set shogi.MoveSet) []shogi.Move {
		checks := buf[:0]
		for _, m := range p.LegalMoves(buf, set) {
			u := p.Do(m)
			if p.InCheck() {
				checks = append(checks, m)
			}
			p.Undo(m, u)
		}
		return checks
	}
	bufs := make([]shogi.MoveBuffer, checkTreeDepth)
	for _, tree := range checkTrees {
		p := shogi.MustParseSFEN(tree.sfen)
		all := countLists(&p, bufs, shogi.AllMoves, slowChecks, (*shogi.Position).LegalMoves)
		useful := countLists(&p, bufs, shogi.UsefulMoves, slowChecks, (*shogi.Position).LegalMoves)
		if all != tree.all || useful != tree.useful {
			t.Errorf("%s: %d and %d lists, want %d and %d", tree.sfen, all, useful, tree.all, tree.useful)
		}
	}
}

// BenchmarkChecksEvasions alternates the two generators as a mate search does. Mexp/s is millions
// of lists a second, the moves between them made and unmade.
func BenchmarkChecksEvasions(b *testing.B) {
	bufs := make([]shogi.MoveBuffer, checkTreeDepth)
	for _, set := range []shogi.MoveSet{shogi.AllMoves, shogi.UsefulMoves} {
		name := "all"
		if set == shogi.UsefulMoves {
			name = "useful"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var lists uint64
			for b.Loop() {
				for i := range checkTrees {
					tree := &checkTrees[i]
					p := shogi.MustParseSFEN(tree.sfen)
					want := tree.all
					if set == shogi.UsefulMoves {
						want = tree.useful
					}
					n := countCheckLists(&p, bufs, set)
					if n != want {
						b.Fatalf("%s: %d lists, want %d", tree.sfen, n, want)
					}
					lists += n
				}
			}
			b.ReportMetric(float64(lists)/b.Elapsed().Seconds()/1e6, "Mexp/s")
		})
	}
}

// countCheckLists and countEvasionLists are countLists without calls through function values.
func countCheckLists(p *shogi.Position, bufs []shogi.MoveBuffer, set shogi.MoveSet) uint64 {
	n := uint64(1)
	moves := p.Checks(&bufs[0], set)
	if len(bufs) == 1 {
		return n
	}
	for _, m := range moves {
		u := p.Do(m)
		n += countEvasionLists(p, bufs[1:], set)
		p.Undo(m, u)
	}
	return n
}

func countEvasionLists(p *shogi.Position, bufs []shogi.MoveBuffer, set shogi.MoveSet) uint64 {
	n := uint64(1)
	moves := p.Evasions(&bufs[0], set)
	if len(bufs) == 1 {
		return n
	}
	for _, m := range moves {
		u := p.Do(m)
		n += countCheckLists(p, bufs[1:], set)
		p.Undo(m, u)
	}
	return n
}

// BenchmarkHasCheck asks whether there is a check, and lists the checks to see whether there is one.
func BenchmarkHasCheck(b *testing.B) {
	positions := somePositions(b)
	var buf shogi.MoveBuffer
	want := 0
	for i := range positions {
		if len(positions[i].Checks(&buf, shogi.AllMoves)) > 0 {
			want++
		}
	}
	for _, bench := range []struct {
		name string
		ask  func(p *shogi.Position) bool
	}{
		{"stopping", (*shogi.Position).HasCheck},
		{"listing", func(p *shogi.Position) bool { return len(p.Checks(&buf, shogi.UsefulMoves)) > 0 }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				got := 0
				for i := range positions {
					if bench.ask(&positions[i]) {
						got++
					}
				}
				if got != want {
					b.Fatalf("%d of %d positions have a check, want %d", got, len(positions), want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(positions)), "ns/position")
		})
	}
}

// BenchmarkCaptures lists the captures, and all moves to pick the captures out.
func BenchmarkCaptures(b *testing.B) {
	var positions []shogi.Position
	want := 0
	for _, p := range somePositions(b) {
		if !p.InCheck() {
			positions = append(positions, p)
			want += len(plainCaptures(&p, shogi.UsefulMoves))
		}
	}
	var buf shogi.MoveBuffer
	for _, bench := range []struct {
		name  string
		count func(p *shogi.Position) int
	}{
		{"captures", func(p *shogi.Position) int { return len(p.Captures(&buf, shogi.UsefulMoves)) }},
		{"picked", func(p *shogi.Position) (n int) {
			for _, m := range p.LegalMoves(&buf, shogi.UsefulMoves) {
				if p.Piece(m.To()) != shogi.NoPiece || m.IsPromotion() && p.Piece(m.From()).Type() == shogi.Pawn {
					n++
				}
			}
			return n
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				got := 0
				for i := range positions {
					got += bench.count(&positions[i])
				}
				if got != want {
					b.Fatalf("%d captures, want %d", got, want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(positions)), "ns/position")
		})
	}
}

// BenchmarkLine does at every move what a search does: push a position, ask about the next one, and
// pop it: after a game of 200 moves where nothing repeats, and after one where a move does.
func BenchmarkLine(b *testing.B) {
	var buf shogi.MoveBuffer
	long := shogi.NewGame(shogi.Start())
	for rng := rand.New(rand.NewPCG(1, 1)); len(long.Moves()) < 200; {
		p := long.Position()
		moves := p.LegalMoves(&buf, shogi.AllMoves)
		long.Do(moves[rng.IntN(len(moves))])
	}
	again, err := shogi.ParsePosition("startpos moves 5i5h 5a5b" + strings.Repeat(" 5h5i 5b5a 5i5h 5a5b", 50))
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name string
		game shogi.Game
		want int // moves that repeat
	}{
		{"new", long, 0},
		{"repeating", again, 1},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			line, p := bench.game.Line(), bench.game.Position()
			moves := p.LegalMoves(&buf, shogi.UsefulMoves)
			for b.Loop() {
				got := 0
				for _, m := range moves {
					line.Push(&p, false)
					u := p.Do(m)
					if line.Repetition(&p, false) != shogi.NoLineRepetition {
						got++
					}
					p.Undo(m, u)
					line.Pop()
				}
				if got != bench.want {
					b.Fatalf("%d moves repeat, want %d", got, bench.want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(moves)), "ns/move")
		})
	}
}

// BenchmarkDoUndo makes and unmakes one move.
func BenchmarkDoUndo(b *testing.B) {
	for _, row := range perftRows(b)[:3] {
		b.Run(row.name, func(b *testing.B) {
			p := shogi.MustParseSFEN(row.sfen)
			before := p
			var buf shogi.MoveBuffer
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			var keys uint64
			pairs := 0
			for b.Loop() {
				for _, m := range moves {
					u := p.Do(m)
					keys ^= p.BoardKey()
					p.Undo(m, u)
				}
				pairs += len(moves)
			}
			if p != before || pairs == 0 || keys == 1 {
				b.Fatalf("the position is %s, want %s", p.SFEN(), before.SFEN())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(pairs), "ns/move")
		})
	}
}

// BenchmarkParseSFEN reads a position, one with every kind of piece and hand, and one that is full
// of faults.
func BenchmarkParseSFEN(b *testing.B) {
	for _, bench := range []struct{ name, sfen string }{
		{"startpos", shogi.StartSFEN},
		{"crowded", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.sfen)))
			for b.Loop() {
				p, err := shogi.ParseSFEN(bench.sfen)
				if err != nil || p.ForSearch().RecomputeBoardKey() != p.BoardKey() {
					b.Fatal(p.SFEN(), err)
				}
			}
		})
	}
	b.Run("faults", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := shogi.ParseSFEN("5+P1k1/9/5/+rB2/9/9/9/9/9/9 b RPb4g4s4k4l16p 1"); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}

// BenchmarkAppendSFEN writes a position.
func BenchmarkAppendSFEN(b *testing.B) {
	const sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"
	p := shogi.MustParseSFEN(sfen)
	buf := make([]byte, 0, 128)
	b.ReportAllocs()
	for b.Loop() {
		buf = p.AppendSFEN(buf[:0])
	}
	if string(buf) != sfen {
		b.Fatalf("%s, want %s", buf, sfen)
	}
}
