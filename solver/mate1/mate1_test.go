package mate1_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// mates returns the moves of p that mate at once, by the plain rules.
func mates(p *shogi.Position) []shogi.Move {
	b := mailbox.From(p)
	var list []shogi.Move
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		if after.IsMated() {
			list = append(list, m)
		}
	}
	return list
}

// agree fails unless Find finds a mate exactly if there is one.
func agree(t *testing.T, p shogi.Position) bool {
	t.Helper()
	before := p
	m, want := mate1.Find(&p), mates(&before)
	if p != before {
		t.Errorf("%s: Find changed the position", before.SFEN())
	}
	for _, w := range want {
		if w == m {
			return true
		}
	}
	if m != shogi.NoMove || len(want) > 0 {
		t.Errorf("%s: found %s, mates are %v", before.SFEN(), m, want)
	}
	return len(want) > 0
}

// Mates that a quick look misses, and positions that only look like one.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, sfen string
		want       string // the only mate, "" if there is none
	}{
		{"gold on the head", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "G*5b"},
		{"a pawn drop must not mate", "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1", ""},
		// The promoted silver leaves the line of the bishop on 7f, and the knight that could take it is pinned then.
		{"the captor is pinned by the mover's leaving", "9/9/8K/6+R2/9/2B+L5/3n5/4+SB3/5k3 b GSLPr2g2snl15p 1", "5h5i"},
		{"no king to mate", "9/9/9/9/9/9/9/9/4K4 b G2r2b3g4s4n4l18p 1", ""},
		{"no check", "4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1", ""},
		{"the attacker is in check himself", "3gkg3/3p1p3/4G4/9/4R4/9/9/4r4/4K4 b 2b1g4s4n4l16p 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(c.sfen)
			agree(t, p)
			if m := mate1.Find(&p); c.want != "" && m.String() != c.want || c.want == "" && m != shogi.NoMove {
				t.Errorf("found %s, want %q", m, c.want)
			}
		})
	}
}

func TestFindOnKnownPositions(t *testing.T) {
	for _, k := range solvertest.Positions(t) {
		if found := agree(t, k.Position); found != (k.Length == 1) {
			t.Errorf("%s: %s: mate in one is %v, the shortest mate has %d plies", k.Source, k.Position.SFEN(), found, k.Length)
		}
	}
}

// Random positions around a king: many pinned, discovering and doubly checking pieces.
func TestFindOnRandomPositions(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	positions := 20_000
	if testing.Short() {
		positions = 2_000
	}
	found := 0
	for range positions {
		p, ok := crowded(rng)
		if ok && agree(t, p) {
			found++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d mates in %d positions", found, positions)
	if found == 0 {
		t.Error("no position had a mate, so nothing was tested")
	}
}

// crowded returns a position with most of its pieces within three squares of the king.
func crowded(rng *rand.Rand) (shogi.Position, bool) {
	s := shogi.Setup{Side: shogi.Color(rng.IntN(2)), Ply: 1}
	us, them := s.Side, s.Side.Opponent()
	king := shogi.Square(rng.IntN(shogi.NumSquares))
	s.Board[king] = shogi.PieceOf(them, shogi.King)
	if sq := shogi.Square(rng.IntN(shogi.NumSquares)); rng.IntN(2) == 0 && s.Board[sq] == shogi.NoPiece {
		s.Board[sq] = shogi.PieceOf(us, shogi.King)
	}
	left := shogi.FullSet
	for range 4 + rng.IntN(14) {
		reach := 2 + rng.IntN(5)
		file, rank := int(king.File())+rng.IntN(2*reach+1)-reach, int(king.Rank())+rng.IntN(2*reach+1)-reach
		kind := shogi.PieceType(1 + rng.IntN(int(shogi.Gold)))
		c := shogi.Color(rng.IntN(2))
		if file < 0 || file > 8 || rank < 0 || rank > 8 || left[kind] == 0 {
			continue
		}
		sq := shogi.SquareAt(shogi.File(file), shogi.Rank(rank))
		placed := kind
		if kind.CanPromote() && rng.IntN(2) == 0 {
			placed = kind.Promoted()
		}
		if s.Board[sq] == shogi.NoPiece && !shogi.IsDead(c, placed, sq) {
			s.Board[sq] = shogi.PieceOf(c, placed)
			left[kind]--
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for range left[kind] {
			if c := rng.IntN(6); c < 2 {
				s.Hands[c] = s.Hands[c].Add(kind, 1)
			}
		}
	}
	p, err := s.Position()
	return p, err == nil
}

func TestFindDoesNotAllocate(t *testing.T) {
	positions := solvertest.Positions(t)
	var f mate1.Finder
	if n := testing.AllocsPerRun(10, func() {
		for i := range positions {
			f.Find(&positions[i].Position)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func of(b *testing.B, keep func(length int) bool) []shogi.Position {
	var list []shogi.Position
	for _, k := range solvertest.Positions(b) {
		if keep(k.Length) {
			list = append(list, k.Position)
		}
	}
	return list
}

// BenchmarkFind measures one call on a position with a mate in one, and on one without.
func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		name  string
		keep  func(int) bool
		found bool
	}{
		{"mate", func(n int) bool { return n == 1 }, true},
		{"none", func(n int) bool { return n != 1 }, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			positions := of(b, c.keep)
			var f mate1.Finder
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p := &positions[i%len(positions)]
				if m := f.Find(p); (m != shogi.NoMove) != c.found {
					b.Fatalf("%s: found %s", p.SFEN(), m)
				}
			}
		})
	}
}

// BenchmarkTree measures a call as a search meets it: after every check and every defence, with the moves made.
func BenchmarkTree(b *testing.B) {
	positions := of(b, func(n int) bool { return n != 1 })
	var f mate1.Finder
	var checks, defences shogi.MoveBuffer
	leaves := 0
	b.ReportAllocs()
	for b.Loop() {
		for i := range positions {
			p := &positions[i]
			for _, m := range p.Checks(&checks, shogi.AllMoves) {
				u := p.Do(m)
				for _, d := range p.Evasions(&defences, shogi.AllMoves) {
					v := p.Do(d)
					f.Find(p)
					leaves++
					p.Undo(d, v)
				}
				p.Undo(m, u)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(leaves), "ns/leaf")
}
