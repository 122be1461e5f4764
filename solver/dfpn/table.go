package dfpn

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tsumero/tsumero/shogi"
)

// An entry is what the table knows about a board and a hand of the attacker. It fills one cache
// line.
//
// mateIn holds for every greater hand, noMate for every smaller one, the numbers for this hand
// alone, but bound those of others. Entries of one board lie side by side, in no order.
type entry struct {
	key        uint64     // board and side to move, hands left out; 0: empty
	hand       shogi.Hand // of the attacker
	pn, dn     uint32
	minDepth   uint16 // least distance from the root at which the position was met
	mateIn     uint16 // there is a mate within so many plies; unproved: none is known
	noMate     uint16 // there is none within one ply less; 0: nothing is known, endless: none at all
	best       shogi.Move
	flags      uint8
	amount     uint32 // work spent, in nodes, saturating
	parentHand shogi.Hand
	parentKey  uint64
	mask       uint64 // children left out of the sum
	touch      uint64 // never written, so it can be read without a lock to bring the entry near
}

const (
	unproved = 0xffff
	endless  = 0xffff
	// mayRepeat: a disproof was found that holds only on some path; ask the path table.
	mayRepeat = 1
	// unsettled: the entry is being moved.
	unsettled = 2
)

const entrySize = int(unsafe.Sizeof(entry{}))

// window is how far from its home an entry may lie. The entries of one board are a few dozen at
// most, as a rule.
const window = 128

// A table is an array of entries, probed linearly from a home that the key decides. It uses the
// front of its memory at first and more as it fills, so that an easy problem touches, and has to
// clear, little.
//
// One thread needs no locks. For several there are some: each probe and each store holds those of
// the stripes that its window reaches into. Whatever moves entries must have the table to itself
// (threads.moving).
type table struct {
	entries []entry      // all of the memory
	homes   uint64       // in use: homes, then window more so that no probe wraps
	used    atomic.Int64 // entries
	locks   []sync.Mutex // nil for a table of one thread

	collections int
	noBounds    bool // Options.NoBounds
}

// stripe is how many entries share a lock.
const stripe = 1 << 10

func (t *table) lock(home int) {
	if t.locks == nil {
		return
	}
	i := home / stripe
	t.locks[i].Lock()
	if (home+window)/stripe != i {
		t.locks[i+1].Lock()
	}
}

func (t *table) unlock(home int) {
	if t.locks == nil {
		return
	}
	i := home / stripe
	t.locks[i].Unlock()
	if (home+window)/stripe != i {
		t.locks[i+1].Unlock()
	}
}

const (
	firstHomes = 1 << 14
	growth     = 8
)

func newTable(bytes int, shared bool) *table {
	t := &table{entries: make([]entry, max(bytes/entrySize, 1024+window))}
	if shared {
		t.locks = make([]sync.Mutex, len(t.entries)/stripe+1)
	}
	t.homes = t.grown(firstHomes)
	return t
}

// grown returns the number of homes nearest to n that the memory has room for. A last small step is
// merged with the one before.
func (t *table) grown(n uint64) uint64 {
	most := uint64(len(t.entries) - window)
	if n > most/2 {
		return most
	}
	return n
}

// clear forgets everything.
func (t *table) clear() {
	clear(t.entries[:t.homes+window])
	t.homes, t.collections = t.grown(firstHomes), 0
	t.used.Store(0)
}

// fill returns how much of the memory is in use, 0 to 1.
func (t *table) fill() float64 { return float64(t.used.Load()) / float64(len(t.entries)) }

// bytes returns how much memory is in use.
func (t *table) bytes() int { return (int(t.homes) + window) * entrySize }

// isFull reports whether it is time to make room. Probes get long beyond seven tenths.
func (t *table) isFull() bool { return uint64(t.used.Load()) >= t.homes/10*7 }

// makeRoom takes more memory, or if there is none drops what is worth least. That takes up to a
// second, so it asks stop now and then, and if stop says so leaves off; the table is good for
// nothing then but to be cleared.
func (t *table) makeRoom(stop func() bool) {
	if n := t.grown(t.homes * growth); n > t.homes {
		old := t.homes
		if t.sweep(old, stop, func(e *entry) { e.flags |= unsettled }) {
			t.homes = n
			t.settle(old, stop)
		}
		return
	}
	t.collect(stop)
}

// sweep calls visit with every entry among the first n homes, empty ones left out.
func (t *table) sweep(n uint64, stop func() bool, visit func(e *entry)) (ok bool) {
	for part := range slices.Chunk(t.entries[:n+window], between) {
		for i := range part {
			if part[i].key != 0 {
				visit(&part[i])
			}
		}
		if stop() {
			return false
		}
	}
	return true
}

// between is how many entries are looked at between two questions whether to stop: a millisecond's
// worth.
const between = 1 << 14

// settle moves the unsettled entries among the first n homes to where lookups find them. One that
// is in the way of another is moved on itself, so that no settled entry ever has a slot before it
// that could fall empty.
func (t *table) settle(n uint64, stop func() bool) {
	for i := range t.entries[:n+window] {
		if i%between == 0 && stop() {
			return
		}
		if t.entries[i].flags&unsettled == 0 {
			continue
		}
		e := t.entries[i]
		t.entries[i] = entry{}
		for moving := true; moving; {
			e.flags &^= unsettled
			home := t.home(e.key)
			placed := false
			probe := t.entries[home : home+window]
			for j := range probe {
				if other := &probe[j]; other.key == 0 || other.flags&unsettled != 0 {
					e, *other = *other, e
					moving = e.key != 0
					placed = true
					break
				}
			}
			if !placed { // more than a window of boards in one place: e is forgotten
				t.used.Add(-1)
				moving = false
			}
		}
	}
}

func (t *table) home(key uint64) int {
	hi, _ := bits.Mul64(key*0x9e3779b97f4a7c15, t.homes)
	return int(hi)
}

// probed is what the table says about a position.
type probed struct {
	value            // of an unknown position: the least numbers there are, 1 and 1
	amount    uint32 // work spent, in nodes
	minDepth  int32  // least depth at which the position was met, if found
	best      shogi.Move
	found     bool   // an entry with this very hand exists, or one that solves the position
	mayRepeat bool   // there may be a disproof for this path in the pathTable
	mask      uint64 // children that count by maximum (doublecount.go)
	parent    state  // from which the position was last searched
}

// probe puts into r what is known about the board key with hand, when a mate within length plies is
// looked for at depth.
func (t *table) probe(key uint64, hand shogi.Hand, length, depth int32, r *probed) {
	*r = probed{value: value{pn: 1, dn: 1, loopDepth: noLoop}, minDepth: depth}
	home := t.home(key)
	t.lock(home)
	t.scan(t.entries[home:home+window], key, hand, length, depth, r)
	t.unlock(home)
}

// scan is probe, for the entries of one window. Dominance by hands: a mate holds for every greater
// hand, its absence for every smaller one. In the same way the pn of a greater hand is a lower
// bound of this one's, and the dn of a smaller hand. Such a bound counts only if the entry was met
// no deeper than here, or entries could lean on each other in a circle.
func (t *table) scan(
	probe []entry, key uint64, hand shogi.Hand, length, depth int32, r *probed,
) {
	for i := range probe {
		e := &probe[i]
		if e.key == 0 {
			return
		}
		if e.key != key {
			continue
		}
		above, below := hand.Covers(e.hand), e.hand.Covers(hand)
		if above && e.mateIn != unproved && int32(e.mateIn) <= length {
			*r = probed{value: provedValue(e.hand, int32(e.mateIn)), amount: e.amount, found: true}
			r.best = e.best
			return
		}
		if below && e.noMate > 0 && e.noMateWithin() >= length {
			v := disprovedValue(e.hand, e.noMateWithin(), noLoop)
			*r = probed{value: v, amount: e.amount, found: true}
			return
		}
		if !e.hasNumbers() {
			continue
		}
		switch {
		case above && below:
			r.pn, r.dn = max(r.pn, e.pn), max(r.dn, e.dn)
			r.found, r.amount, r.minDepth, r.best = true, e.amount, int32(e.minDepth), e.best
			r.mayRepeat, r.mask = e.flags&mayRepeat != 0, e.mask
			r.parent = state{e.parentKey, e.parentHand}
		case int32(e.minDepth) > depth || t.noBounds:
		case above:
			r.dn = max(r.dn, e.dn)
		case below:
			r.pn = max(r.pn, e.pn)
		}
	}
}

// exact returns the entry of the board key with this very hand, and makes one if there is none. The
// caller holds the lock.
func (t *table) exact(home int, key uint64, hand shogi.Hand) *entry {
	probe := t.entries[home : home+window]
	victim := -1
	for i := range probe {
		e := &probe[i]
		if e.key == 0 {
			t.used.Add(1)
			e.begin(key, hand)
			return e
		}
		if e.key == key && e.hand == hand {
			return e
		}
		lasting := e.mateIn != unproved || e.noMate == endless
		if !lasting && (victim < 0 || e.amount < probe[victim].amount) {
			victim = i
		}
	}
	if victim < 0 {
		victim = 0
		for i := range probe {
			if probe[i].amount < probe[victim].amount {
				victim = i
			}
		}
	}
	e := &probe[victim]
	e.begin(key, hand)
	return e
}

// hasNumbers reports whether e says something about its very hand. An entry that only holds for
// other hands, or another length, has no numbers.
func (e *entry) hasNumbers() bool { return e.pn != 0 && e.dn != 0 }

// noMateWithin returns for how many plies the entry rules a mate out. It needs e.noMate > 0.
func (e *entry) noMateWithin() int32 {
	if e.noMate == endless {
		return forever
	}
	return int32(e.noMate) - 1
}

// begin makes e the entry of a position that nothing is known about.
func (e *entry) begin(key uint64, hand shogi.Hand) {
	e.key, e.hand = key, hand
	e.pn, e.dn = 0, 0
	e.minDepth, e.mateIn, e.noMate = 0xffff, unproved, 0
	e.best, e.flags, e.amount = shogi.NoMove, 0, 0
	e.parentKey, e.parentHand, e.mask = 0, 0, 0
}

// storeProof records a mate within length plies for every hand that covers need.
func (t *table) storeProof(
	key uint64, need shogi.Hand, length int32, best shogi.Move, amount uint32,
) {
	home := t.home(key)
	t.lock(home)
	e := t.exact(home, key, need)
	if int32(e.mateIn) > length {
		e.mateIn, e.best = uint16(length), best
	}
	e.amount = addAmount(e.amount, amount)
	t.unlock(home)
}

// storeDisproof records that there is no mate within length plies for any hand that fail covers.
func (t *table) storeDisproof(key uint64, fail shogi.Hand, length int32, amount uint32) {
	home := t.home(key)
	t.lock(home)
	e := t.exact(home, key, fail)
	n := uint16(endless)
	if length < forever {
		n = uint16(length) + 1
	}
	e.noMate = max(e.noMate, n)
	e.amount = addAmount(e.amount, amount)
	t.unlock(home)
}

// storeRepetition records that a disproof was found at depth that holds on one path only: whoever
// comes by asks the pathTable, and otherwise begins anew. The next path may need as much work, so the
// position keeps the greatest pn it had, pn among them.
func (t *table) storeRepetition(
	key uint64, hand shogi.Hand, pn uint32, depth int32, amount uint32,
) {
	home := t.home(key)
	t.lock(home)
	e := t.exact(home, key, hand)
	e.pn, e.dn = max(e.pn, min(pn, infinity-1)), 1
	e.flags |= mayRepeat
	e.minDepth = min(e.minDepth, uint16(depth))
	e.amount = addAmount(e.amount, amount)
	t.unlock(home)
}

// storeOpen records the numbers of a position that is not decided, met at depth by way of parent.
func (t *table) storeOpen(
	key uint64, hand shogi.Hand, r *result, depth int32, parent state, mask uint64, amount uint32,
) {
	home := t.home(key)
	t.lock(home)
	e := t.exact(home, key, hand)
	e.pn, e.dn, e.best = r.pn, r.dn, r.best
	e.parentKey, e.parentHand = parent.key, parent.hand
	e.mask = mask
	e.minDepth = min(e.minDepth, uint16(depth))
	e.amount = addAmount(e.amount, amount)
	t.unlock(home)
}

func addAmount(a, b uint32) uint32 {
	s, carry := bits.Add32(a, b, 0)
	if carry != 0 {
		return 1<<32 - 1
	}
	return s
}

// collect removes the entries that cost least, about half of all, and closes the gaps.
func (t *table) collect(stop func() bool) {
	t.collections++
	value := func(e *entry) uint64 {
		v := uint64(e.amount)
		if e.mateIn != unproved || e.noMate > 0 {
			v = v*8 + 8
		}
		return v
	}
	// The median by a histogram of bit lengths, refined within its class.
	var classes [72]int
	total := 0
	if !t.sweep(t.homes, stop, func(e *entry) {
		classes[bits.Len64(value(e))]++
		total++
	}) {
		return
	}
	target, class := total/2, 0
	for target >= classes[class] {
		target -= classes[class]
		class++
	}
	share := 0 // of the class, in 256ths, by the key's bits
	if classes[class] > 0 {
		share = target * 256 / classes[class]
	}
	t.used.Store(0)
	if t.sweep(t.homes, stop, func(e *entry) {
		if c := bits.Len64(value(e)); c < class || c == class && int(e.key>>32&255) < share {
			*e = entry{}
			return
		}
		e.flags |= unsettled
		t.used.Add(1)
	}) {
		t.settle(t.homes, stop)
	}
}
