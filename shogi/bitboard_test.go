package shogi_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// A squareSet is a Bitboard the plain way.
type squareSet map[shogi.Square]bool

func randomSet(rng *rand.Rand) squareSet {
	s := squareSet{}
	density := rng.IntN(5) // 0 is empty, 4 is full
	for sq := range shogi.Square(shogi.NumSquares) {
		if rng.IntN(4) < density {
			s[sq] = true
		}
	}
	return s
}

func (s squareSet) squares() []shogi.Square { return slices.Sorted(maps.Keys(s)) }

func (s squareSet) bitboard() shogi.Bitboard { return shogi.BitboardOf(s.squares()...) }

// where returns the set of the squares that satisfy in.
func where(in func(shogi.Square) bool) squareSet {
	s := squareSet{}
	for sq := range shogi.Square(shogi.NumSquares) {
		if in(sq) {
			s[sq] = true
		}
	}
	return s
}

// TestBitboard compares every method with the same on sets kept as maps.
func TestBitboard(t *testing.T) {
	rng := shogitest.NewRand(t)
	for range 1000 {
		a, b := randomSet(rng), randomSet(rng)
		x, y := a.bitboard(), b.bitboard()
		sq := shogi.Square(rng.IntN(shogi.NumSquares))

		for name, got := range map[string]struct {
			b    shogi.Bitboard
			want squareSet
		}{
			"And":     {x.And(y), where(func(sq shogi.Square) bool { return a[sq] && b[sq] })},
			"Or":      {x.Or(y), where(func(sq shogi.Square) bool { return a[sq] || b[sq] })},
			"Xor":     {x.Xor(y), where(func(sq shogi.Square) bool { return a[sq] != b[sq] })},
			"AndNot":  {x.AndNot(y), where(func(sq shogi.Square) bool { return a[sq] && !b[sq] })},
			"Not":     {x.Not(), where(func(sq shogi.Square) bool { return !a[sq] })},
			"With":    {x.With(sq), where(func(s shogi.Square) bool { return a[s] || s == sq })},
			"Without": {x.Without(sq), where(func(s shogi.Square) bool { return a[s] && s != sq })},
		} {
			if list := slices.Collect(got.b.All()); !slices.Equal(list, got.want.squares()) {
				t.Fatalf("%s of %v, %v and %v: %v", name, a.squares(), b.squares(), sq, list)
			}
			if got.b != got.want.bitboard() {
				t.Fatalf("%s of %v, %v and %v: bits outside the board", name, a.squares(), b.squares(), sq)
			}
		}

		for name, got := range map[string][2]bool{
			"Has":        {x.Has(sq), a[sq]},
			"IsEmpty":    {x.IsEmpty(), len(a) == 0},
			"HasMany":    {x.HasMany(), len(a) > 1},
			"Intersects": {x.Intersects(y), len(where(func(sq shogi.Square) bool { return a[sq] && b[sq] })) > 0},
			"IsSubsetOf": {x.IsSubsetOf(y), len(where(func(sq shogi.Square) bool { return a[sq] && !b[sq] })) == 0},
			"==":         {x == y, maps.Equal(a, b)},
		} {
			if got[0] != got[1] {
				t.Fatalf("%s of %v, %v and %v: %v", name, a.squares(), b.squares(), sq, got[0])
			}
		}
		if !x.IsSubsetOf(x.Or(y)) || !x.And(y).IsSubsetOf(x) {
			t.Fatalf("IsSubsetOf: %v and %v", a.squares(), b.squares())
		}

		if x.Len() != len(a) {
			t.Fatalf("Len of %v: %d", a.squares(), x.Len())
		}
		rest := x
		for _, sq := range a.squares() {
			if rest.First() != sq {
				t.Fatalf("First: %v, want %v", rest.First(), sq)
			}
			if got := rest.Pop(); got != sq {
				t.Fatalf("Pop: %v, want %v", got, sq)
			}
		}
		if !rest.IsEmpty() {
			t.Fatalf("Pop left %v", rest)
		}
	}
}

// TestBitboardPairs visits HasMany where the words of a bitboard meet: every set of one or two
// squares.
func TestBitboardPairs(t *testing.T) {
	for a := range shogi.Square(shogi.NumSquares) {
		for b := range shogi.Square(shogi.NumSquares) {
			if set := shogi.BitboardOf(a, b); set.HasMany() != (a != b) || set.First() != min(a, b) {
				t.Errorf("{%v %v}: many %v, first %v", a, b, set.HasMany(), set.First())
			}
		}
	}
}

func TestBitboardAllStops(t *testing.T) {
	n := 0
	for range shogi.BitboardOf(3, 70, 80).All() {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d squares, want 2", n)
	}
}

func ExampleBitboard_String() {
	rook, _ := shogi.ParseSquare("7c")
	pawn, _ := shogi.ParseSquare("4c")
	fmt.Print(shogi.RookAttacks(rook, shogi.BitboardOf(rook, pawn)))
	// Output:
	// ..*......
	// ..*......
	// **.***...
	// ..*......
	// ..*......
	// ..*......
	// ..*......
	// ..*......
	// ..*......
}
