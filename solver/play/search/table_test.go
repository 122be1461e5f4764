package search

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// What is stored comes back, a mate counted from where it is asked for.
func TestTable(t *testing.T) {
	tb := newTable(1 << 12)
	tb.nextAge()
	const m = shogi.Move(12345)
	for i, test := range []struct {
		at, from    int // plies below the root: stored, probed
		score, want int
	}{
		{3, 7, 55, 55},
		{3, 7, -int(play.MaxCentipawns), -int(play.MaxCentipawns)},
		{3, 3, mateIn(8), mateIn(8)},
		{3, 9, mateIn(8), mateIn(14)}, // five plies from there
		{9, 3, mateIn(14), mateIn(8)},
		{3, 9, matedAt(8), matedAt(14)},
		{0, maxPly, matedAt(0), matedAt(maxPly)},
		{maxPly, 0, mateIn(maxPly + 1), mateIn(1)},
	} {
		key := uint64(i+1) * 0x123456789abcdef
		want := entry{m, test.want, -1234 - i, i - 1, uint8(1 + i%3)}
		stored := want
		stored.score = test.score
		tb.store(key, test.at, stored)
		if got, ok := tb.probe(key, test.from); !ok || got != want {
			t.Errorf("%+v, %v from ply %d; expected %+v", got, ok, test.from, want)
		}
		if _, ok := tb.probe(key+1, 0); ok {
			t.Error("found what was never stored")
		}
	}
	tb.clear()
	if _, ok := tb.probe(0x123456789abcdef, 0); ok {
		t.Error("remembers after clear")
	}
}

// A full bucket loses what is shallow, and what is of old searches, first. A shallow bound does not
// replace a deep one of the same search, and no entry loses its move.
func TestReplacement(t *testing.T) {
	tb := newTable(bucketSlots * slotBytes)
	has := func(key uint64) bool { _, ok := tb.probe(key, 0); return ok }
	put := func(key uint64, depth int) { tb.store(key, 0, entry{1, 0, 0, depth, lowerBound}) }
	tb.nextAge()
	for i, depth := range []int{9, 2, 7, 8} {
		put(uint64(i+1), depth)
	}
	put(5, 1)
	if has(2) || !has(1) || !has(3) || !has(4) || !has(5) {
		t.Error("the shallowest was not replaced")
	}
	tb.nextAge()
	put(1, 9) // of this search now
	put(5, 3)
	put(6, 0)
	if has(3) || !has(5) || !has(6) {
		t.Error("a deep entry of the search before outlived a shallow one of this")
	}

	tb.store(1, 0, entry{7, 100, 0, 20, lowerBound})
	tb.store(1, 0, entry{8, 50, 0, 16, upperBound})
	if e, _ := tb.probe(1, 0); e.depth != 20 {
		t.Errorf("a bound at depth 16 replaced one at depth 20: %+v", e)
	}
	tb.store(1, 0, entry{shogi.NoMove, 50, 0, 17, upperBound})
	if e, _ := tb.probe(1, 0); e.depth != 17 || e.move != 7 {
		t.Errorf("a bound nearly as deep did not replace the other, or lost the move: %+v", e)
	}
	tb.store(1, 0, entry{9, 50, 0, 1, exactBound})
	if e, _ := tb.probe(1, 0); e.depth != 1 {
		t.Errorf("an exact score did not replace a bound: %+v", e)
	}
	tb.store(1, 0, entry{7, 100, 0, 20, lowerBound})
	tb.nextAge()
	tb.store(1, 0, entry{8, 50, 0, 2, upperBound})
	if e, _ := tb.probe(1, 0); e.depth != 2 {
		t.Errorf("a bound of the search before was kept: %+v", e)
	}
}

// Histories stay within their bounds, and go towards the bonus.
func TestBump(t *testing.T) {
	var h int16
	for _, bonus := range []int{1800, -1800, maxHistory, -maxHistory} {
		for range 1000 {
			before := h
			bump(&h, bonus)
			if h > maxHistory || h < -maxHistory || bonus > 0 && h < before || bonus < 0 && h > before {
				t.Fatalf("%d after %d by %d", h, before, bonus)
			}
		}
		if max(h, -h) < maxHistory*9/10 || (h > 0) != (bonus > 0) {
			t.Errorf("%d after many of %d", h, bonus)
		}
	}
}

// Keys depend on the ply wherever the limit of moves is within reach of the deepest line, a mate of
// three plies at its end included, and not elsewhere.
func TestKeyNearLimit(t *testing.T) {
	s := New(Options{TableBytes: 1 << 10}).searchers[0]
	const root = 100
	salted := 0
	for left := -1; left < 2*maxPly; left++ {
		for rule := play.MateWins; rule <= play.ExtendChecks; rule++ {
			g := gameAt("4k4/9/9/9/9/9/9/9/4K4 b 2P 100")
			s.begin(g, play.Rules{MaxMoves: root + left, LastMove: rule}, play.Limits{})
			key := s.key()
			setup := s.p.Setup()
			setup.Ply = root + maxPly
			p, err := setup.Position()
			if err != nil {
				t.Fatal(err)
			}
			s.p = p
			reached := s.rules.IsPastLimit(p.Ply()) || !s.mateCounts(1)
			setup.Ply--
			if s.p, err = setup.Position(); err != nil {
				t.Fatal(err)
			}
			reached = reached || !s.mateCounts(3)
			if reached && s.key() == key {
				t.Errorf("%d moves to the limit, rule %d: the limit is reached, and keys do not tell", left, rule)
			}
			if s.key() != key {
				salted++
			}
		}
	}
	if most := 3 * (maxPly + 4); salted > most {
		t.Errorf("%d keys depend on the ply, expected no more than %d", salted, most)
	}
	s.begin(gameAt(shogi.StartSFEN), play.Rules{}, play.Limits{})
	if s.key() != s.p.Key() {
		t.Error("without a limit the key is not that of the position")
	}
}
