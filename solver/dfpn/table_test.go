package dfpn

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tsumero/tsumero/shogi"
)

func TestEntrySize(t *testing.T) {
	if n := unsafe.Sizeof(slot{}); 64%n != 0 {
		t.Errorf("a slot has %d bytes, and a cache line 64", n)
	}
	if n := unsafe.Sizeof(slot{}) + unsafe.Sizeof(origin{}); n != entryBytes {
		t.Errorf("an entry has %d bytes, not %d", n, entryBytes)
	}
}

// TestTableGrows fills a table through all its growths and looks every entry up again, before it is
// full for good, also while it grows. Where by chance more than a window of entries belongs in one
// place some are forgotten, but no more than one in five thousand, and none if each board has one.
func TestTableGrows(t *testing.T) {
	for _, hands := range []int{1, 4} {
		testTableGrows(t, hands)
	}
}

// testTableGrows is TestTableGrows with boards that have so many entries at most.
func testTableGrows(t *testing.T, hands int) {
	table := newTable(16 << 20)
	table.step = 1 << 10
	steps, looks := 0, 0 // of all growths
	rng := rand.New(rand.NewPCG(1, 2))
	type stored struct {
		key  uint64
		hand shogi.Hand
		n    int32
	}
	var all []stored
	check := func() {
		t.Helper()
		lost := 0
		for _, s := range all {
			var r probed
			if table.probe(s.key, s.hand, forever, 0, &r); r.pn != 0 || r.len > s.n {
				lost++
			}
		}
		if lost > len(all)*(hands-1)/15_000 {
			t.Fatalf("up to %d hands, %d entries, %d homes: %d lost", hands, len(all), table.homes, lost)
		}
	}
	for grown := table.homes; table.used.Load() < int64(table.most)*6/10; {
		s := stored{key: rng.Uint64() | 1, n: int32(rng.IntN(1000))*2 + 1}
		for range 1 + rng.IntN(hands) { // some boards have many hands
			s.hand = shogi.Hand(0).Add(shogi.Pawn, rng.IntN(19)).Add(shogi.Gold, rng.IntN(5))
			table.storeProof(s.key, s.hand, s.n, uint32(rng.IntN(100)))
			all = append(all, s)
		}
		if table.isFull() {
			table.makeRoom()
			if table.isGrowing() {
				if steps++; steps%16 == 1 {
					looks++
					check()
				}
			}
		}
		if table.homes != grown {
			grown = table.homes
			check()
		}
	}
	if steps < 40 || looks < 5 {
		t.Errorf("%d steps between which the table grew, %d times all was looked up meanwhile", steps, looks)
	}
	check()
	if table.collections > 0 {
		t.Error("collected before it was full")
	}
	count := 0
	for _, e := range table.slots {
		if e.check != 0 {
			count++
		}
	}
	if int64(count) != table.used.Load() {
		t.Errorf("%d entries, and %d are said to be in use", count, table.used.Load())
	}
}

// A table that grows from few homes has the entries of each board in the order in which it would
// have them if the homes had been there at first: a search finds the same. Tables of all sizes go
// that way, and go it again after they were cleared.
func TestSpreadKeepsOrder(t *testing.T) {
	for _, bytes := range []int{minTableBytes, 600_000, 4 << 20} {
		small, large := newTable(bytes), newTable(bytes)
		for range 2 {
			small.clear()
			large.clear()
			large.reserve(shortHomes)
			if small.homes >= large.homes {
				t.Fatalf("%d bytes: %d homes at first", bytes, small.homes)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for large.used.Load() < fullAt(large.homes)-1 {
				key, hand := uint64(1+rng.IntN(2000))*0x123456789abcdef1, shogi.Hand(rng.IntN(19))
				for _, table := range []*table{small, large} {
					table.storeOpen(key, hand, &result{value: value{pn: 3, dn: 4}}, 5, state{7, hand}, 9, 1)
					if table.isFull() {
						table.makeRoom()
					}
				}
			}
			if small.homes != large.homes || small.used.Load() != large.used.Load() {
				t.Fatalf("%d bytes: %d entries with %d homes, want %d with %d", bytes, small.used.Load(),
					small.homes, large.used.Load(), large.homes)
			}
			if a, b := ofBoards(small), ofBoards(large); !maps.EqualFunc(a, b, slices.Equal[[]entryParts]) {
				t.Errorf("%d bytes: entries of a board differ", bytes)
			}
		}
	}
}

type entryParts struct {
	slot
	origin
}

// ofBoards returns the entries of each board in their order.
func ofBoards(t *table) map[uint64][]entryParts {
	all := map[uint64][]entryParts{}
	for i, s := range t.slots {
		if s.check != 0 {
			all[s.check^s.claim] = append(all[s.check^s.claim], entryParts{s, t.origins[i]})
		}
	}
	return all
}

// TestCollect looks that about half goes, that what stays is found, and that what cost most stays,
// also between the steps, when more is stored.
func TestCollect(t *testing.T) {
	table := newTable(1 << 20)
	table.step = 1 << 10
	rng := rand.New(rand.NewPCG(1, 2))
	dear := map[uint64]bool{}
	store := func() {
		key, amount := rng.Uint64()|1, uint32(rng.IntN(50))
		if rng.IntN(20) == 0 {
			amount = 1 << 20
			dear[key] = true
		}
		table.storeOpen(key, 0, &result{value: value{pn: 3, dn: 4}}, 5, state{}, 0, amount)
	}
	for table.collections == 0 {
		if store(); table.isFull() {
			table.makeRoom()
		}
	}
	before, steps := fullAt(table.homes), 1
	for ; table.isCollecting(); steps++ {
		for !table.isFull() {
			store()
		}
		for key := range dear {
			var r probed
			if table.probe(key, 0, forever, 5, &r); !r.found || r.pn != 3 || r.dn != 4 {
				t.Fatalf("a dear entry is lost after %d steps: %+v", steps, r)
			}
		}
		table.makeRoom()
	}
	if !table.partial {
		t.Error("the table does not know that entries were left out")
	}
	if after := table.used.Load(); table.collections != 1 || steps < 10 || after < before/4 || after > before*3/4 {
		t.Errorf("%d collections, %d steps, %d entries of %d stay", table.collections, steps, after, before)
	}
	count := int64(0)
	for _, e := range table.slots {
		if e.check == 0 {
			continue
		}
		count++
		var r probed
		if table.probe(e.check^e.claim, 0, forever, 5, &r); !r.found {
			t.Fatal("an entry that stayed is not found")
		}
	}
	if count != table.used.Load() {
		t.Errorf("%d entries, and %d are said to be in use", count, table.used.Load())
	}
	table.clear()
	for i := range table.slots {
		if table.slots[i] != (slot{}) || table.origins[i] != (origin{}) {
			t.Fatal("an entry was not cleared")
		}
	}
}

// FuzzTable stores proofs and disproofs about a handful of boards and hands, and looks them up:
// what the table says must follow from what was stored, whatever it has forgotten.
func FuzzTable(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{1, 0x13, 0x22, 0xff, 0xff, 2, 0x11, 0x31, 0, 0, 3, 0x11, 0x31, 0, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		type claim struct {
			key  uint64
			hand shogi.Hand
			len  int32
		}
		var mates, none []claim
		table := newTable(0)
		lengths := []int32{0, 1, 2, 3, 11, 12, 1999, forever - 2, forever - 1, forever}
		for ; len(in) >= 5; in = in[5:] {
			c := claim{
				key:  uint64(1 + in[1]%4),
				hand: shogi.Hand(0).Add(shogi.Pawn, int(in[2]%8)).Add(shogi.Gold, int(in[2]>>4%5)).Add(shogi.Rook, int(in[1]>>4%3)),
				len:  lengths[in[3]%10],
			}
			switch in[0] % 6 {
			case 0:
				if c.len < forever {
					table.storeProof(c.key, c.hand, c.len, uint32(in[4])<<24)
					mates = append(mates, c)
				}
			case 1:
				table.storeDisproof(c.key, c.hand, c.len, uint32(in[4])<<24)
				none = append(none, c)
			case 2:
				table.storeOpen(c.key, c.hand, &result{value: value{pn: 1 + uint32(in[3])<<23%(infinity-1), dn: 1 + uint32(in[4])<<23%(infinity-1)}}, int32(in[4]), state{}, 0, 1)
			case 3:
				table.storeRepetition(c.key, c.hand, 1, int32(in[4]), 1)
			case 4:
				if in[4]%16 == 0 && table.used.Load() > 0 {
					table.collect()
					table.finishMoving()
				}
			default:
				var r probed
				table.probe(c.key, c.hand, c.len, int32(in[4]), &r)
				switch {
				case r.pn == 0 && r.dn == infinity:
					found := false
					for _, m := range mates {
						found = found || m.key == c.key && c.hand.Covers(m.hand) && m.len <= r.len && r.len <= c.len
					}
					if !found {
						t.Fatalf("%+v: a mate from nowhere: %+v", c, r)
					}
				case r.dn == 0 && r.pn == infinity:
					found := false
					for _, m := range none {
						found = found || m.key == c.key && m.hand.Covers(c.hand) && m.len >= r.len && r.len >= c.len
					}
					if !found {
						t.Fatalf("%+v: a disproof from nowhere: %+v", c, r)
					}
				case r.pn == 0 || r.dn == 0 || r.pn >= infinity || r.dn >= infinity:
					t.Fatalf("%+v: neither solved nor open: %+v", c, r)
				}
			}
		}
	})
}

// FuzzCombine combines children with numbers of all sizes: what is open stays open, what is solved
// is solved.
func FuzzCombine(f *testing.F) {
	f.Add(true, []byte{1, 2, 3, 4, 5, 6})
	f.Add(false, []byte{255, 255, 0, 254, 0, 0, 128, 128, 1, 7, 7, 7})
	f.Fuzz(func(t *testing.T, attacks bool, in []byte) {
		// Numbers from a byte: small, or near the limits.
		number := func(b byte) uint32 {
			switch b % 4 {
			case 0:
				return infinity - 1 - uint32(b/4)
			case 1:
				return huge - 32 + uint32(b/4)
			case 2:
				return 1 << (b / 4 % 31)
			}
			return 1 + uint32(b/4)
		}
		s := &searcher{}
		frame := frame{held: noChild, attacks: attacks}
		for ; len(in) >= 3 && frame.count < 600; in = in[3:] {
			ch := child{value: value{pn: number(in[0]), dn: number(in[1]), loopDepth: noLoop}, active: in[2]&1 == 0, useMax: in[2]&2 != 0, next: noChild, amount: uint32(in[2])}
			switch in[2] >> 2 % 8 {
			case 0:
				ch.pn, ch.dn = 0, infinity
			case 1:
				ch.pn, ch.dn = infinity, 0
			}
			s.children = append(s.children, ch)
			frame.count++
		}
		if frame.count == 0 {
			return
		}
		s.children[0].active = true
		var c combined
		s.combine(&frame, &c)
		won, all := false, true // a child that decides for the side to move; all active ones decided against it
		for _, ch := range s.children {
			if ch.active {
				won = won || attacks && ch.pn == 0 || !attacks && ch.dn == 0
				all = all && (attacks && ch.dn == 0 || !attacks && ch.pn == 0)
			}
		}
		mate, none := c.pn == 0 && c.dn == infinity, c.pn == infinity && c.dn == 0
		switch {
		case won && attacks != mate, won && !attacks != none:
			t.Fatalf("a child decides, and the node is %+v", c)
		case all && attacks != none, all && !attacks != mate:
			t.Fatalf("all children are decided, and the node is %+v", c)
		case !won && !all && (c.pn == 0 || c.dn == 0 || c.pn >= infinity || c.dn >= infinity):
			t.Fatalf("an open node came to %+v", c)
		}
		if won || all {
			return
		}
		best := s.children[c.best]
		phi, delta, own := c.pn, c.dn, best.dn
		bestPhi := best.pn
		if !attacks {
			phi, delta, own, bestPhi = c.dn, c.pn, best.pn, best.dn
		}
		if !best.active || bestPhi != phi || c.second < phi {
			t.Fatalf("the best is %+v of %+v", best, c)
		}
		// A node below its thresholds has a best child below those that visit gives it, or they
		// would go round and round.
		if c.rest >= delta || delta < infinity-1 && own > delta-c.rest {
			t.Fatalf("the best has %d, the others leave %d of %d", own, c.rest, delta)
		}
	})
}

// TestNumbers looks at thresholds and lengths at their ends.
func TestNumbers(t *testing.T) {
	for _, n := range []uint32{0, 1, 2, 3, 1000, infinity / 2, infinity - 2, infinity - 1, infinity} {
		if g := grow(n); g < n || g <= n && n < infinity || g > infinity {
			t.Errorf("grow(%d) = %d", n, g)
		}
		if c := clamp(uint64(n) * 3); c > infinity || uint64(n)*3 <= uint64(infinity) && c != 3*n {
			t.Errorf("clamp(3*%d) = %d", n, c)
		}
	}
	if lengthen(forever) != forever || lengthen(forever-1) != forever || lengthen(0) != 1 {
		t.Error("lengthen")
	}
	if addAmount(1<<32-1, 5) != 1<<32-1 || addAmount(2, 3) != 5 {
		t.Error("addAmount")
	}
}

// TestFrontMovesAtOnce: what is left near the front after a step of a growth is moved in that step.
func TestFrontMovesAtOnce(t *testing.T) {
	for left, want := range map[int]int{0: 0, 1: 0, 2 * window: 0, 4*window - 1: 0, 4 * window: 4 * window} {
		table := newTable(1 << 20)
		table.step = 1 << 10
		table.boundary = table.step + left
		if table.growOn(); table.boundary != want {
			t.Errorf("%d homes left: the boundary is %d, want %d", left, table.boundary, want)
		}
	}
}
