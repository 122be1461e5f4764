package shogi_test

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

func TestZobristWords(t *testing.T) {
	words := shogi.ZobristWords()
	if want := 2*14*shogi.NumSquares + 1; len(words) != want {
		t.Fatalf("%d words, want %d", len(words), want)
	}
	seen := map[uint64]bool{0: true}
	for _, w := range words {
		if seen[w] {
			t.Errorf("%#x is 0 or occurs twice", w)
		}
		seen[w] = true
	}
	// No two words cancel a third: then two pieces could stand for one.
	for i, a := range words {
		for _, b := range words[:i] {
			if seen[a^b] {
				t.Fatalf("%#x and %#x make another of the words", a, b)
			}
		}
	}
	// Every bit is set in about half of the words: the standard deviation is 24 of 2269.
	for bit := range 64 {
		n := 0
		for _, w := range words {
			n += int(w >> bit & 1)
		}
		if n < len(words)/2-150 || n > len(words)/2+150 {
			t.Errorf("bit %d is set in %d of %d words", bit, n, len(words))
		}
	}
}

// TestKeysDiffer changes one thing at a time and wants another key each time.
func TestKeysDiffer(t *testing.T) {
	type keys struct{ board, all uint64 }
	seen := map[uint64]string{} // by Key
	keysOf := func(s shogi.Setup) (keys, string) {
		p, err := s.Position()
		if err != nil {
			t.Fatal(err)
		}
		return keys{p.BoardKey(), p.Key()}, p.SFEN()
	}
	setup := func() shogi.Setup {
		p := shogi.MustParseSFEN("9/9/9/9/9/9/9/9/9 b - 1")
		return p.Setup()
	}

	empty := setup()
	start, sfen := keysOf(empty)
	seen[start.all] = sfen
	note := func(k keys, sfen string) {
		if other, ok := seen[k.all]; ok {
			t.Errorf("%s and %s have the same key", sfen, other)
		}
		seen[k.all] = sfen
	}

	white := setup()
	white.Side = shogi.White
	k, sfen := keysOf(white)
	note(k, sfen)
	if k.board == start.board {
		t.Error("the side to move is not in the board key")
	}

	for c := shogi.Black; c <= shogi.White; c++ {
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			for n := 1; n <= shogi.FullSet[kind]; n++ {
				s := setup()
				s.Hands[c] = s.Hands[c].Add(kind, n)
				k, sfen := keysOf(s)
				note(k, sfen)
				if k.board != start.board {
					t.Errorf("%s: the hands are in the board key", sfen)
				}
			}
		}
		for kind := shogi.Pawn; kind < shogi.NumPieceTypes; kind++ {
			for sq := range shogi.Square(shogi.NumSquares) {
				if !shogi.IsDead(c, kind, sq) {
					s := setup()
					s.Board[sq] = shogi.PieceOf(c, kind)
					note(keysOf(s))
				}
			}
		}
	}

	later := setup()
	later.Ply = 77
	if k, sfen := keysOf(later); k != start {
		t.Errorf("%s: the move number is in the key", sfen)
	}
}

// TestKeyOfHands looks for two pairs of hands that share a key. On one board there are none: the
// hands are mixed by steps that can be undone.
func TestKeyOfHands(t *testing.T) {
	rng := shogitest.NewRand(t)
	start := shogi.MustParseSFEN("9/9/9/9/9/9/9/9/9 b - 1")
	seen := map[uint64][2]shogi.Hand{}
	for range 200_000 {
		a := randomCounts(rng)
		b := randomCounts(rng)
		for kind := range a {
			b[kind] = min(b[kind], shogi.FullSet[kind]-a[kind])
		}
		s := start.Setup()
		s.Hands = [2]shogi.Hand{a.hand(), b.hand()}
		p, err := s.Position()
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[p.Key()]; ok && other != s.Hands {
			t.Fatalf("hands %v and %v have the same key", s.Hands, other)
		}
		seen[p.Key()] = s.Hands
	}
}

// TestIncrementalKeys plays random games: the key kept from move to move is that of the position on
// the board, and the key foretold is the one that comes.
func TestIncrementalKeys(t *testing.T) {
	rng := shogitest.NewRand(t)
	var buf shogi.MoveBuffer
	for range 20 {
		p := shogi.Start()
		for range 256 {
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			key, hand, both := p.BoardKeyAfter(m), p.HandAfter(m), p.ForSearch().KeyAfter(m)
			us := p.SideToMove()
			before := p.SFEN()
			p.Do(m)
			if p.BoardKey() != p.ForSearch().RecomputeBoardKey() {
				t.Fatalf("%s: the key after %v differs from the one computed anew", before, m)
			}
			if key != p.BoardKey() || hand != p.Hand(us) {
				t.Fatalf("%s: after %v key %#x and hand %v, foretold %#x and %v", before, m, p.BoardKey(), p.Hand(us), key, hand)
			}
			if both != p.Key() {
				t.Fatalf("%s: after %v key %#x of board and hands, foretold %#x", before, m, p.Key(), both)
			}
			if q := shogi.MustParseSFEN(p.SFEN()); q != p {
				t.Fatalf("%s %v: the position differs from the same, read", before, m)
			}
		}
	}
}

func TestKeyMixesHandsIntoEveryBit(t *testing.T) {
	// A table that takes its index from some bits of the key must tell apart positions that differ
	// in the hands alone.
	start := shogi.MustParseSFEN("9/9/9/9/9/9/9/9/9 b - 1")
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for c := shogi.Black; c <= shogi.White; c++ {
			s := start.Setup()
			s.Hands[c] = s.Hands[c].Add(kind, 1)
			p, err := s.Position()
			if err != nil {
				t.Fatal(err)
			}
			if n := bits.OnesCount64(p.Key() ^ start.Key()); n < 16 {
				t.Errorf("one %v %v in hand changes %d bits of the key", c, kind, n)
			}
		}
	}
}

// TestAppendEncoding: the words are those of which board keys are made, and what is packed is what
// it says: keys and moves made of the encoding alone are the real ones.
func TestAppendEncoding(t *testing.T) {
	var words []uint64
	for b := shogi.AppendEncoding(nil); len(b) > 0; b = b[8:] {
		words = append(words, binary.LittleEndian.Uint64(b))
	}
	const kinds, squares = 14, 81
	p := shogi.MustParseSFEN("g1+P1k1+P+P+L/1p3P3/+R+p2pp1pl/1NNsg+p2+R/+b+nL+P1+p3/1P3ssP1/2P1+Ps2N/4+P1P1L/+B5G1g w - 1")
	key := words[2*kinds*squares] // White to move
	for sq := range p.Occupied().All() {
		pc := p.Piece(sq)
		key ^= words[(int(pc.Color())*kinds+int(pc.Type()-shogi.Pawn))*squares+int(sq)]
	}
	if key != p.BoardKey() {
		t.Errorf("%x from the encoding, %x", key, p.BoardKey())
	}
	packed := words[2*kinds*squares+1:]
	if len(packed) != 2*squares+2*7 {
		t.Fatalf("%d numbers", len(packed))
	}
	for sq := range shogi.Square(squares) {
		from, to := shogi.Move(packed[2*sq]).From(), shogi.Move(packed[2*sq]).To()
		if from != sq || to != squares-1-sq || shogi.Move(packed[2*sq+1]) != shogi.NewPromotion(from, to) {
			t.Errorf("square %d: %x", sq, packed[2*sq:2*sq+2])
		}
	}
	for i, k := 2*squares, shogi.Pawn; k <= shogi.Gold; i, k = i+2, k+1 {
		if shogi.Move(packed[i]).Dropped() != k || shogi.Hand(packed[i+1]).Count(k) != 1 || shogi.Hand(packed[i+1]).Len() != 1 {
			t.Errorf("%v: %x", k, packed[i:i+2])
		}
	}
}
