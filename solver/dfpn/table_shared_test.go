package dfpn

import (
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// A fact is the truth about a made-up board: mate in so many plies with so many golds or more, and
// never with fewer.
type fact struct {
	key   uint64
	golds int
	mate  int32
}

// randomHand returns a hand with so many golds.
func randomHand(rng *rand.Rand, golds int) shogi.Hand {
	return shogi.Hand(0).Add(shogi.Gold, golds).Add(shogi.Pawn, rng.IntN(19)).
		Add(shogi.Lance, rng.IntN(5)).Add(shogi.Rook, rng.IntN(3))
}

// store stores something that is true of f.
func (f fact) store(table *table, rng *rand.Rand) {
	amount := uint32(rng.IntN(100))
	hand := randomHand(rng, rng.IntN(5))
	mates := hand.Count(shogi.Gold) >= f.golds
	switch rng.IntN(4) {
	case 0:
		r := result{value: value{pn: 1 + uint32(rng.IntN(100)), dn: 1 + uint32(rng.IntN(100))}}
		table.storeOpen(f.key, hand, &r, int32(rng.IntN(50)), state{f.key + 1, hand}, 5, amount)
	case 1:
		table.storeRepetition(f.key, hand, 1+uint32(rng.IntN(9)), int32(rng.IntN(50)), amount)
	case 2:
		within := int32(forever)
		if mates {
			within = f.mate - 1 - int32(rng.IntN(int(f.mate)))
		}
		table.storeDisproof(f.key, hand, within, amount)
	case 3:
		if mates {
			table.storeProof(f.key, hand, f.mate+2*int32(rng.IntN(3)), amount)
		}
	}
}

// lie returns whether r, found for hand and length, is not true of f.
func (f fact) lie(hand shogi.Hand, length int32, r *probed) bool {
	mates := hand.Count(shogi.Gold) >= f.golds
	switch {
	case r.pn == 0:
		return r.dn != infinity || !mates || r.len < f.mate || r.len > length ||
			!hand.Covers(r.solvedHand)
	case r.dn == 0:
		return r.pn != infinity || mates && r.len >= f.mate || r.len < length ||
			!r.solvedHand.Covers(hand)
	}
	return r.pn >= infinity || r.dn >= infinity
}

// TestTornSlot puts a slot together from the words of two entries, in all ways: what a reader sees
// whom a writer overtakes, or who is stopped on the way. The entries are of two boards, or of one at
// two times. A look-up finds what is true or nothing.
func TestTornSlot(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	table := newSharedTable(0)
	solved := 0
	for range 20_000 {
		facts := [2]fact{
			{rng.Uint64(), rng.IntN(6), 1 + 2*int32(rng.IntN(500))},
			{rng.Uint64(), rng.IntN(6), 1 + 2*int32(rng.IntN(500))},
		}
		if rng.IntN(2) == 0 {
			facts[1] = facts[0]
		}
		var words [2][4]uint64
		for i, f := range facts {
			for words[i][0] == 0 {
				f.store(table, rng)
				e := &table.slots[table.home(f.key)]
				words[i] = [4]uint64{e.check, e.claim, e.numbers, e.rest}
				*e = slot{}
			}
		}
		for mix := range 16 {
			torn := slot{words[mix&1][0], words[mix>>1&1][1], words[mix>>2&1][2], words[mix>>3&1][3]}
			for _, f := range facts {
				e := &table.slots[table.home(f.key)]
				*e = torn
				hand, length := randomHand(rng, rng.IntN(5)), 1+int32(rng.IntN(1000))
				var r probed
				if table.probe(f.key, hand, length, 20, &r); f.lie(hand, length, &r) {
					t.Fatalf("%+v, words %b of %x: within %d with %s: %+v", f, mix, words, length, hand, r)
				}
				if r.isSolved() {
					solved++
				}
				*e = slot{}
			}
		}
	}
	if solved < 1000 {
		t.Errorf("%d look-ups found something solved, too few to tell", solved)
	}
}

// TestTableOfThreads has threads store facts about more boards than the table has room for, so that
// each slot is written again and again while others read it. What they find must be true.
func TestTableOfThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	table := newSharedTable(0)
	facts := make([]fact, 300)
	for i := range facts {
		facts[i] = fact{rng.Uint64(), rng.IntN(6), 1 + 2*int32(rng.IntN(500))}
	}
	var all sync.WaitGroup
	solved := make([]int, 4)
	for thread := range solved {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(thread)))
			for range 10_000 {
				facts[rng.IntN(len(facts))].store(table, rng)
				f := facts[rng.IntN(len(facts))]
				hand, length := randomHand(rng, rng.IntN(5)), 1+int32(rng.IntN(1000))
				var r probed
				if table.probe(f.key, hand, length, 20, &r); f.lie(hand, length, &r) {
					t.Errorf("%+v: within %d with %s: %+v", f, length, hand, r)
					return
				}
				if r.isSolved() {
					solved[thread]++
				}
			}
		})
	}
	all.Wait()
	if slices.Min(solved) < 500 {
		t.Errorf("%d look-ups found something solved, too few to tell", solved)
	}
	for i := range table.slots {
		if table.slots[i].check == busy {
			t.Fatal("a slot is still being written")
		}
	}
}

// TestThreadsStoreOnce has threads store the same entries, in the same order, so that they meet.
// None may be lost, none be there twice, and what each thread says must be added to what is known.
func TestThreadsStoreOnce(t *testing.T) {
	table := newSharedTable(16 << 20)
	const boards, hands, threads = 4000, 5, 4
	key := func(i int) uint64 { return mix(uint64(i)) }
	for table.homes < 2*boards*hands {
		table.makeAllRoom() // now, as it must have the table to itself
	}
	var all sync.WaitGroup
	for thread := range threads {
		all.Go(func() {
			for i := range boards {
				for h := range hands {
					hand := shogi.Hand(0).Add(shogi.Pawn, h)
					table.storeProof(key(i), hand, int32(2*((thread+i)%threads)+1), 1)
					table.storeDisproof(key(i), hand, int32((thread+h)%threads), 1)
				}
			}
		})
	}
	all.Wait()
	for i := range boards {
		claims := table.claimsOf(key(i))
		if len(claims) != hands {
			t.Fatalf("%d entries of a board, want %d", len(claims), hands)
		}
		for _, c := range claims {
			if c.mateIn() != 1 || c.noMateWithin() != threads-1 {
				t.Fatalf("mate in %d, none within %d", c.mateIn(), c.noMateWithin())
			}
		}
	}
	if n := table.used.Load(); n < boards*hands*9/10 || n > boards*hands*11/10 {
		t.Errorf("%d entries, of which %d are said to be in use", boards*hands, n)
	}
}

// TestOrigin: from where a position was last searched, and which of its children count by maximum,
// is known of its very hand, whatever is stored beside it and however the entries move.
func TestOrigin(t *testing.T) {
	open := &result{value: value{pn: 3, dn: 4}}
	first, second := state{71, hand(t, "P")}, state{72, hand(t, "2P")}
	for _, shared := range []bool{false, true} {
		table := newTable(4 << 20)
		table.shared = shared
		check := func(why string, hands string, parent state, mask uint32) {
			t.Helper()
			var r probed
			table.probe(9, hand(t, hands), forever, 0, &r)
			if got := table.parentOf(&r, state{}); got != parent {
				t.Errorf("%s: searched from %v, want %v", why, got, parent)
			}
			if got := table.parentOf(&r, parent); got.key != 0 {
				t.Errorf("%s: and %v is not %v", why, got, parent)
			}
			if got := table.maskOf(&r); got != mask {
				t.Errorf("%s: mask %b, want %b", why, got, mask)
			}
		}
		check("nothing", "G", state{}, 0)
		table.storeOpen(9, hand(t, "G"), open, 1, first, 0, 1)
		check("from a parent", "G", first, 0)
		check("another hand", "2G", state{}, 0)
		table.storeOpen(9, hand(t, "G"), open, 1, first, 6, 1)
		check("with a mask", "G", first, 6)
		table.storeOpen(9, hand(t, "G"), open, 1, first, 7, 1)
		check("with another mask", "G", first, 7)
		table.storeOpen(9, hand(t, "G"), open, 1, second, 0, 1)
		check("from another parent, without a mask", "G", second, 0)
		table.storeOpen(9, hand(t, "G"), open, 1, state{}, 2, 1)
		check("at the root", "G", state{}, 2)
		table.storeOpen(9, hand(t, "G"), open, 1, first, 3, 1)
		table.storeProof(9, hand(t, "G"), 1999, 1)
		table.storeDisproof(9, hand(t, "G"), 3, 1)
		table.storeRepetition(9, hand(t, "G"), 1, 1, 1)
		var r probed
		if table.probe(9, hand(t, "G"), 5, 0, &r); !r.found || !r.mayRepeat ||
			table.parentOf(&r, state{}) != first || table.maskOf(&r) != 3 {
			t.Errorf("what else is stored: %+v", r)
		}
		table.storeOpen(9, hand(t, "S"), open, 1, second, 0, 1)
		table.grow(table.homes * 2)
		table.finishMoving()
		check("after growth", "S", second, 0)
		for i := range uint64(3000) {
			table.storeOpen(mix(i), 0, open, 1, first, 9, 0)
		}
		table.collect()
		table.finishMoving()
		check("after a collection", "S", second, 0)
	}
}

func newSharedTable(bytes int) *table {
	t := newTable(bytes)
	t.shared = true
	return t
}

func benchmarkTable(b *testing.B, shared bool) (t *table, keys []uint64) {
	t = newTable(64 << 20)
	t.shared = shared
	for i := range uint64(1 << 19) {
		keys = append(keys, mix(i))
		t.storeProof(mix(i), 0, 3, 1)
		if t.isFull() {
			t.makeRoom()
		}
	}
	b.ResetTimer()
	return t, keys
}

// BenchmarkTable measures look-ups of what is there and of what is not, and stores, in a table of
// one thread and in one of several that only one uses. No look-up depends on the one before, so
// they overlap as those of a node's children do.
func BenchmarkTable(b *testing.B) {
	for _, kind := range []string{"one", "shared"} {
		shared := kind == "shared"
		b.Run("found/"+kind, func(b *testing.B) {
			t, keys := benchmarkTable(b, shared)
			var r probed
			for i := range b.N {
				t.probe(keys[i%len(keys)], 0, forever, 0, &r)
			}
		})
		b.Run("missing/"+kind, func(b *testing.B) {
			t, keys := benchmarkTable(b, shared)
			var r probed
			for i := range b.N {
				t.probe(keys[i%len(keys)]+1, 0, forever, 0, &r)
			}
		})
		b.Run("store/"+kind, func(b *testing.B) {
			t, keys := benchmarkTable(b, shared)
			open := &result{value: value{pn: 3, dn: 4}}
			for i := range b.N {
				t.storeOpen(keys[i%len(keys)], 0, open, 3, state{7, 0}, 0, 1)
			}
		})
		b.Run("grow/"+kind, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				t, _ := benchmarkTable(b, shared)
				t.finishMoving()
				clear(t.slots[t.homes+window:]) // have the pages there
				clear(t.origins[t.homes+window:])
				b.StartTimer()
				t.makeAllRoom()
			}
		})
	}
}

var stopTable = flag.Int("stop.mib", 256, "MiB of the table of BenchmarkLongestStop")

// BenchmarkLongestStop fills a table with the entries of one position after the other, until it has
// forgotten half of them, and reports the longest time that making room has taken at once: no
// thread looks at a node meanwhile.
func BenchmarkLongestStop(b *testing.B) {
	open := &result{value: value{pn: 3, dn: 4}}
	for b.Loop() {
		t := newTable(*stopTable << 20)
		var longest, all time.Duration
		for i := uint64(0); t.collections == 0 || t.isCollecting(); i++ {
			t.storeOpen(mix(i), 0, open, 3, state{7, 0}, 0, uint32(i%100))
			if t.isFull() {
				began := time.Now()
				t.makeRoom()
				took := time.Since(began)
				longest, all = max(longest, took), all+took
			}
		}
		b.ReportMetric(longest.Seconds()*1e3, "longest-ms")
		b.ReportMetric(all.Seconds()*1e3, "all-ms")
	}
}
