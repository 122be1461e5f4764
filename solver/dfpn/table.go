package dfpn

import (
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/hugepages"
)

// An entry is what the table knows about a board and a hand of the attacker. It has two parts, in
// two arrays at the same index. A slot is what each look-up reads; two of them fill a cache line.
// An origin is what only double counting asks for, of few positions. The slot has a code of it that
// tells whether there is anything to ask for.
//
// mateIn holds for every greater hand, noMate for every smaller one, the numbers for this hand
// alone, but bound those of others. Entries of one board lie side by side, in no order.
//
// # Several threads
//
// Every word is read and written whole, and without locks. So a reader may see words of one slot
// that were written at different times and in any order, and must not take them for a mate or a
// disproof that there is not. What is claimed for good, a hand with its mateIn and noMate, is one word, and the first
// word is that one xor the key. Let c be the first word that a reader saw, and w the claim. It goes
// on only if c^w is the key it asks for.
//
//   - If c was written for this key, it was with the claim c^key, which is w. So w is true of this
//     board, whenever and for whatever it was read.
//   - If c was written for another key, w differs from the claim it was written with by just what
//     the two keys differ by: as improbable as two boards with one key (doc.go).
//
// Claims are facts, so an old one is as good as a new one. Numbers and the rest may be those of
// another time, and even of another board that had the slot before. They say nothing about who
// wins: numbers of a slot are those of an open position or none. They decide the order of work.
//
// Writers find one another by the first word. A slot that is taken for a new entry, or whose claim
// changes, is set to busy from its known value by compare-and-swap, and so belongs to one writer
// until he writes the new first word. To readers a busy slot holds another board, so an entry may
// be overlooked for a moment, which costs work.
type slot struct {
	check   uint64 // key ^ claim; 0: empty, busy: being written
	claim   uint64 // hand, mateIn, noMate
	numbers uint64 // pn, dn, mayRepeat; 0: none
	rest    uint64 // amount, minDepth, code of the origin
}

// busy is the check of a slot that is being written.
const busy = 1

// An origin is from where an open position was last searched, and which of its children are left
// out of the sum (doublecount.go).
type origin struct {
	parentKey  uint64
	parentHand uint32
	mask       uint32
}

// The sizes of an entry and its parts.
const (
	slotBytes   = 32
	originBytes = 16
	entryBytes  = slotBytes + originBytes
)

// A claim, from the lowest bit: 31 bits of hand, 1 bit always set, 16 of mateIn, 16 of noMate.
//
//   - mateIn: there is a mate within so many plies; unproved: none is known.
//   - noMate: there is none within one ply less; 0: nothing is known, endless: none at all.
//
// The bit that is always set keeps a claim about small hands from being equal to small keys, which
// tests use.
type claim uint64

const (
	unproved = 0xffff
	endless  = 0xffff

	claimSet claim = 1 << 31
)

// noClaim returns the claim of an entry for hand that claims nothing.
func noClaim(hand shogi.Hand) claim { return claim(hand) | claimSet | unproved<<32 }

func (c claim) hand() shogi.Hand { return shogi.Hand(c) &^ shogi.Hand(claimSet) }
func (c claim) mateIn() uint16   { return uint16(c >> 32) }
func (c claim) noMate() uint16   { return uint16(c >> 48) }

// and returns c with what else is known, of which the stronger counts.
func (c claim) and(mateIn, noMate uint16) claim {
	return c&(1<<32-1) | claim(min(c.mateIn(), mateIn))<<32 | claim(max(c.noMate(), noMate))<<48
}

// isLasting reports whether c holds for questions of any length.
func (c claim) isLasting() bool { return c.mateIn() != unproved || c.noMate() == endless }

// isSolved reports whether c claims anything.
func (c claim) isSolved() bool { return c.mateIn() != unproved || c.noMate() > 0 }

// noMateWithin returns for how many plies a mate is ruled out. It needs noMate > 0.
func (c claim) noMateWithin() int32 {
	if c.noMate() == endless {
		return forever
	}
	return int32(c.noMate()) - 1
}

// Numbers, from the lowest bit: 31 bits of pn, 31 of dn, mayRepeat.
const (
	dnShift     = 31
	numbersMask = 1<<31 - 1
	// mayRepeat: a disproof was found that holds only on some path; ask the path table.
	mayRepeat = 1 << 63
)

// The rest, from the lowest bit: 32 bits of amount, the work spent in nodes; 16 of the complement
// of minDepth, the least distance from the root at which the position was met; 16 of the code of
// the origin.
const (
	depthShift = 32
	codeShift  = 48
	deepest    = 0xffff
)

func amountOf(rest uint64) uint32   { return uint32(rest) }
func minDepthOf(rest uint64) uint16 { return deepest - uint16(rest>>depthShift) }
func codeOf(rest uint64) uint16     { return uint16(rest >> codeShift) }

// An origin's code is 0 if there is none. Otherwise it has maskCode if the mask is not 0, and above
// it 15 bits of the parent, of which the lowest is set.
const maskCode = 1

// parentCode returns the code of an origin with this parent and no mask.
func parentCode(parent state) uint16 {
	if parent.key == 0 {
		return 0
	}
	return uint16((parent.key^uint64(parent.hand))*0x9e3779b97f4a7c15>>48)&^maskCode | 2
}

// window is how far from its home an entry may lie. The entries of one board are a few dozen at
// most, as a rule.
const window = 128

// A table is an array of entries, probed linearly from a home that the key decides. It uses the
// front of its memory at first and more as it fills (room.go), so that an easy problem touches, and
// has to clear, little.
//
// Look-ups and stores need no locks (slot). Whatever moves entries must have the table to itself
// (threads.moving).
type table struct {
	slots   []slot   // as many as most, or fewer that are enough so far
	origins []origin // of the slots
	most    int      // slots that there may be
	homes   uint64   // in use: homes, then window more so that no probe wraps
	shared  bool     // several threads use it at once

	// While the table grows, boards whose home among before homes lies before boundary are still
	// there. Otherwise boundary is 0.
	before   uint64
	boundary int
	// room is how many entries there are when makeRoom is to be called.
	room       int64
	step       int // stepSlots, or what a test wants
	collection collection

	collections int
	partial     bool // entries were left out: by a collection, or in a checkpoint
	moves       int  // times entries were moved
	noBounds    bool // Options.NoBounds
	populated   populated
	spare       struct { // memory of spread
		slots   []slot
		origins []origin
	}

	_    [64]byte     // the threads read what is above all the time, and write what is below
	used atomic.Int64 // entries
}

const (
	// firstHomes is how many homes a table has at first: each search touches all of them.
	firstHomes = 1 << 10
	// shortHomes is how many homes the table of a short search has at most. It is forgotten at once.
	shortHomes = 1 << 14
)

func newTable(bytes int) *table {
	t := &table{most: max(bytes/entryBytes, 1024+window), step: stepSlots}
	t.take(min(t.most, shortHomes+window))
	t.clear()
	return t
}

// take has n slots, of which those that are there are the first. Go writes down each page of memory
// that it gives, so a short search is not to take what it does not use.
func (t *table) take(n int) {
	slots, origins := t.slots, t.origins
	t.slots, t.origins = make([]slot, n), make([]origin, n)
	// Nor is it to clear more than it needs.
	if front := hugepages.Size / slotBytes; n > 2*front {
		hugepages.Advise(t.slots[front:])
		hugepages.Advise(t.origins[front:])
	}
	copy(t.slots, slots)
	copy(t.origins, origins)
}

// takeFor has slots for so many homes.
func (t *table) takeFor(homes uint64) {
	if int(homes)+window > len(t.slots) {
		t.take(t.most)
	}
}

// clear forgets everything.
func (t *table) clear() {
	if t.homes > 0 {
		clear(t.slots[:t.homes+window])
		clear(t.origins[:t.homes+window])
	}
	t.homes, t.before, t.boundary = t.grown(firstHomes), 0, 0
	t.collection, t.collections, t.moves, t.partial = collection{}, 0, 0, false
	t.used.Store(0)
	t.planRoom()
}

// fill returns how much of the memory is in use, 0 to 1.
func (t *table) fill() float64 { return float64(t.used.Load()) / float64(t.most) }

// bytes returns how much memory is in use.
func (t *table) bytes() int { return (int(t.homes) + window) * entryBytes }

// home returns where the entries of a board begin. Of two keys the one with the greater product has
// the greater home, or the same, whatever the number of homes (growOn).
func (t *table) home(key uint64) int {
	key *= 0x9e3779b97f4a7c15
	if t.boundary > 0 {
		if home := homeOf(key, t.before); home < t.boundary {
			return home
		}
	}
	return homeOf(key, t.homes)
}

func homeOf(product, homes uint64) int {
	hi, _ := bits.Mul64(product, homes)
	return int(hi)
}

// prefetch has the first slots of a board loaded, so that they are near when it is looked up.
func (t *table) prefetch(key uint64) { prefetch(&t.slots[t.home(key)]) }

// probed is what the table says about a position.
type probed struct {
	value            // of an unknown position: the least numbers there are, 1 and 1
	amount    uint32 // work spent, in nodes
	minDepth  int32  // least depth at which the position was met, if found
	index     int32  // of the entry with this very hand
	code      uint16 // of its origin
	found     bool   // an entry with this very hand exists, or one that solves the position
	mayRepeat bool   // there may be a disproof for this path in the pathTable
}

// probe puts into r what is known about the board key with hand, when a mate within length plies is
// looked for at depth.
//
// Dominance by hands: a mate holds for every greater hand, its absence for every smaller one. In
// the same way the pn of a greater hand is a lower bound of this one's, and the dn of a smaller
// hand. Such a bound counts only if the entry was met no deeper than here, or entries could lean on
// each other in a circle.
func (t *table) probe(key uint64, hand shogi.Hand, length, depth int32, r *probed) {
	*r = probed{value: value{pn: 1, dn: 1, loopDepth: noLoop}, minDepth: depth}
	home := t.home(key)
	probe := t.slots[home : home+window]
	for i := range probe {
		e := &probe[i]
		check := atomic.LoadUint64(&e.check)
		if check == 0 {
			return
		}
		c := claim(atomic.LoadUint64(&e.claim))
		if check^uint64(c) != key {
			continue
		}
		own := c.hand()
		above, below := hand.Covers(own), own.Covers(hand)
		if above && c.mateIn() != unproved && int32(c.mateIn()) <= length {
			*r = probed{value: provedValue(own, int32(c.mateIn())), found: true}
			r.amount = amountOf(atomic.LoadUint64(&e.rest))
			return
		}
		if below && c.noMate() > 0 && c.noMateWithin() >= length {
			v := disprovedValue(own, c.noMateWithin(), noLoop)
			*r = probed{value: v, found: true}
			r.amount = amountOf(atomic.LoadUint64(&e.rest))
			return
		}
		numbers := atomic.LoadUint64(&e.numbers)
		if numbers == 0 || !above && !below {
			continue
		}
		pn, dn := uint32(numbers&numbersMask), uint32(numbers>>dnShift&numbersMask)
		rest := atomic.LoadUint64(&e.rest)
		minDepth := int32(minDepthOf(rest))
		switch {
		case above && below:
			r.pn, r.dn = max(r.pn, pn), max(r.dn, dn)
			r.found, r.amount, r.minDepth = true, amountOf(rest), minDepth
			r.mayRepeat = numbers&mayRepeat != 0
			r.index, r.code = int32(home+i), codeOf(rest)
		case minDepth > depth || t.noBounds:
		case above:
			r.dn = max(r.dn, dn)
		case below:
			r.pn = max(r.pn, pn)
		}
	}
}

// parentOf returns the position from which that of r was last searched, of which r is the probe, if
// it is not than.
func (t *table) parentOf(r *probed, than state) state {
	if r.code&^maskCode == parentCode(than) || r.code == 0 {
		return state{}
	}
	o := &t.origins[r.index]
	return state{atomic.LoadUint64(&o.parentKey), shogi.Hand(atomic.LoadUint32(&o.parentHand))}
}

// maskOf returns which children of the position count by maximum, of which r is the probe.
func (t *table) maskOf(r *probed) uint32 {
	if r.code&maskCode == 0 {
		return 0
	}
	return atomic.LoadUint32(&t.origins[r.index].mask)
}

// news is what a store adds to an entry.
type news struct {
	mateIn, noMate uint16 // unproved and 0: nothing
	depth          uint16 // deepest: nothing
	code           uint16 // of the origin, if open
	open           bool
	numbers        uint64 // 0: none
	amount         uint32
}

// storeProof records a mate within length plies for every hand that covers need.
func (t *table) storeProof(key uint64, need shogi.Hand, length int32, amount uint32) {
	t.store(key, need, &news{mateIn: uint16(length), depth: deepest, amount: amount})
}

// storeDisproof records that there is no mate within length plies for any hand that fail covers.
func (t *table) storeDisproof(key uint64, fail shogi.Hand, length int32, amount uint32) {
	n := news{mateIn: unproved, noMate: endless, depth: deepest, amount: amount}
	if length < forever {
		n.noMate = uint16(length) + 1
	}
	t.store(key, fail, &n)
}

// storeRepetition records that a disproof was found at depth that holds on one path only: whoever
// comes by asks the pathTable, and otherwise begins anew. The next path may need as much work, so
// the position keeps the greatest pn it had, pn among them.
func (t *table) storeRepetition(
	key uint64, hand shogi.Hand, pn uint32, depth int32, amount uint32,
) {
	numbers := uint64(min(pn, infinity-1)) | 1<<dnShift | mayRepeat
	t.store(key, hand, &news{
		mateIn: unproved, numbers: numbers, depth: uint16(depth), amount: amount,
	})
}

// storeOpen records the numbers of a position that is not decided, met at depth by way of parent.
func (t *table) storeOpen(
	key uint64, hand shogi.Hand, r *result, depth int32, parent state, mask uint32, amount uint32,
) {
	n := news{
		mateIn: unproved, numbers: uint64(r.pn) | uint64(r.dn)<<dnShift,
		depth: uint16(depth), code: parentCode(parent), open: true, amount: amount,
	}
	if mask != 0 {
		n.code |= maskCode
	}
	i, before := t.store(key, hand, &n)
	if before == n.code && mask == 0 {
		return // it is there
	}
	o := &t.origins[i]
	setWord(&o.parentKey, parent.key)
	setHalf(&o.parentHand, uint32(parent.hand))
	setHalf(&o.mask, mask)
}

// store adds n to the entry of the board key with this very hand, and makes one if there is none.
// It returns its index, and the code of the origin that it had.
func (t *table) store(key uint64, hand shogi.Hand, n *news) (index int, before uint16) {
	home := t.home(key)
	probe := t.slots[home : home+window]
	for i := 0; i < len(probe); {
		e := &probe[i]
		check := atomic.LoadUint64(&e.check)
		if check == busy && t.shared {
			runtime.Gosched()
			continue
		}
		if check == 0 {
			if !t.acquire(e, 0) {
				continue
			}
			t.countEntry(home + i)
			t.begin(e, key, hand, n)
			return home + i, 0
		}
		known := claim(check ^ key)
		if claim(atomic.LoadUint64(&e.claim)) != known || known.hand() != hand {
			// Another board or hand, unless it is just being written.
			if t.shared && atomic.LoadUint64(&e.check) != check {
				continue
			}
			i++
			continue
		}
		if more := known.and(n.mateIn, n.noMate); more != known {
			if !t.acquire(e, check) {
				continue
			}
			setWord(&e.claim, uint64(more))
			t.release(e, key^uint64(more))
		}
		if n.numbers != 0 {
			setWord(&e.numbers, n.after(atomic.LoadUint64(&e.numbers)))
		}
		rest := atomic.LoadUint64(&e.rest)
		setWord(&e.rest, n.addTo(rest))
		return home + i, codeOf(rest)
	}
	i := home + victim(probe)
	e := &t.slots[i]
	check := atomic.LoadUint64(&e.check)
	if check != busy && t.acquire(e, check) { // otherwise another thread has just taken it
		t.begin(e, key, hand, n)
	}
	return i, 0
}

// after returns the numbers of an entry that n puts in the place of these.
func (n *news) after(numbers uint64) uint64 {
	if n.numbers&mayRepeat != 0 {
		return n.numbers&^numbersMask | max(n.numbers&numbersMask, numbers&numbersMask)
	}
	return n.numbers | numbers&mayRepeat
}

// addTo returns the rest of an entry with n.
func (n *news) addTo(rest uint64) uint64 {
	code := codeOf(rest)
	if n.open {
		code = n.code
	}
	depth := min(minDepthOf(rest), n.depth)
	return uint64(addAmount(amountOf(rest), n.amount)) | uint64(deepest-depth)<<depthShift |
		uint64(code)<<codeShift
}

// begin makes a slot that belongs to the caller the entry of a position of which n alone is known.
func (t *table) begin(e *slot, key uint64, hand shogi.Hand, n *news) {
	c := uint64(noClaim(hand).and(n.mateIn, n.noMate))
	setWord(&e.claim, c)
	setWord(&e.numbers, n.numbers)
	setWord(&e.rest, n.addTo(0))
	t.release(e, key^c)
}

// acquire has a slot belong to the caller, if its check is still this one, until he releases it.
func (t *table) acquire(e *slot, check uint64) bool {
	return !t.shared || atomic.CompareAndSwapUint64(&e.check, check, busy)
}

// release gives a slot back with its new check, after what the caller has written to it.
func (t *table) release(e *slot, check uint64) {
	if t.shared {
		atomic.StoreUint64(&e.check, check)
		return
	}
	e.check = check
}

// countEntry counts a new entry at index. Several threads would wait for each other if each new
// entry were counted, so they count one index in so many for all.
func (t *table) countEntry(index int) {
	const sample = 16
	switch {
	case !t.shared:
		t.used.Add(1)
	case index%sample == 0:
		t.used.Add(sample)
	}
}

// victim returns the index of the entry in probe that is worth least: of those that solve nothing
// for good, or else of all, the one that cost least.
func victim(probe []slot) int {
	least, any := -1, 0
	var leastAmount, anyAmount uint32
	for i := range probe {
		e := &probe[i]
		amount := amountOf(atomic.LoadUint64(&e.rest))
		if i == 0 || amount < anyAmount {
			any, anyAmount = i, amount
		}
		lasting := claim(atomic.LoadUint64(&e.claim)).isLasting()
		if !lasting && (least < 0 || amount < leastAmount) {
			least, leastAmount = i, amount
		}
	}
	if least < 0 {
		return any
	}
	return least
}

func addAmount(a, b uint32) uint32 {
	s, carry := bits.Add32(a, b, 0)
	if carry != 0 {
		return 1<<32 - 1
	}
	return s
}
