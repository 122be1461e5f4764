package shogi_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// counts is a hand the plain way, by kind.
type counts [shogi.King]int

func randomCounts(rng *rand.Rand) (n counts) {
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		switch full := shogi.FullSet[kind]; rng.IntN(4) {
		case 0:
			n[kind] = full
		case 1, 2:
			n[kind] = rng.IntN(full + 1)
		}
	}
	return n
}

func (n counts) hand() (h shogi.Hand) {
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		h = h.Add(kind, n[kind])
	}
	return h
}

func TestHand(t *testing.T) {
	rng := shogitest.NewRand(t)
	for range 20_000 {
		a, b := randomCounts(rng), randomCounts(rng)
		h, o := a.hand(), b.hand()
		empty, unconfined, covers, n := true, false, true, 0
		kinds := uint16(0)
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			n += a[kind]
			if h.Count(kind) != a[kind] || h.Has(kind) != (a[kind] > 0) {
				t.Fatalf("%v: %d %v, has %v; want %d", h, h.Count(kind), kind, h.Has(kind), a[kind])
			}
			if a[kind] > 0 {
				kinds |= 1 << kind
			}
			empty = empty && a[kind] == 0
			unconfined = unconfined || kind >= shogi.Silver && a[kind] > 0
			covers = covers && a[kind] >= b[kind]
			if a[kind] > 0 {
				n := 1 + rng.IntN(a[kind])
				less := a
				less[kind] -= n
				if got := h.Remove(kind, n); got != less.hand() {
					t.Fatalf("%v without %d %v is %v, want %v", h, n, kind, got, less.hand())
				}
			}
		}
		if h.Kinds() != kinds {
			t.Fatalf("%v: kinds %b, want %b", h, h.Kinds(), kinds)
		}
		if h.IsEmpty() != empty || h.HasUnconfined() != unconfined || h.Len() != n {
			t.Fatalf("%v: empty %v, unconfined %v, %d pieces", h, h.IsEmpty(), h.HasUnconfined(), h.Len())
		}
		if h.Covers(o) != covers {
			t.Fatalf("%v covers %v: %v", h, o, h.Covers(o))
		}
		if !h.Covers(h) || !h.Covers(0) {
			t.Fatalf("%v does not cover itself or the empty hand", h)
		}
		if (h == o) != (a == b) {
			t.Fatalf("%v == %v", h, o)
		}
	}
}

func TestHandString(t *testing.T) {
	full := counts(shogi.FullSet).hand()
	tests := []struct {
		hand shogi.Hand
		want string
	}{
		{0, "-"},
		{full, "2R2B4G4S4N4L18P"},
		{shogi.Hand(0).Add(shogi.Pawn, 1), "P"},
		{shogi.Hand(0).Add(shogi.Pawn, 10).Add(shogi.Gold, 1), "G10P"},
		{shogi.Hand(0).Add(shogi.Bishop, 1).Add(shogi.Rook, 1), "RB"},
	}
	for _, test := range tests {
		if got := test.hand.String(); got != test.want {
			t.Errorf("hand %#x is %q, want %q", uint32(test.hand), got, test.want)
		}
	}
}

// TestHandIsValid: what Add makes is a hand, and with a spare bit or one above it is none.
func TestHandIsValid(t *testing.T) {
	var full shogi.Hand
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		full = full.Add(k, shogi.FullSet[k])
	}
	for _, h := range []shogi.Hand{0, full} {
		if !h.IsValid() {
			t.Errorf("%x is valid", h)
		}
		for _, bit := range []int{5, 9, 13, 17, 20, 23, 27, 28, 31} {
			if (h | 1<<bit).IsValid() {
				t.Errorf("%x with bit %d is not", h, bit)
			}
		}
	}
}
