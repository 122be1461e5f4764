package dfpn

import (
	"math/bits"
	"runtime"
	"sync"
)

// Room in the table: it grows into all of its memory, and then forgets what is worth least. Both
// are done in steps between which the search goes on, so that it never stops for long, however
// great the table is. A step is due whenever some more entries have been stored, so what a search
// of one thread does depends on no clock.

const (
	// manyHomes is from how many homes on, some 12 MiB, a table grows by two. By four it would clear
	// much memory that many a search never fills.
	manyHomes = 1 << 18
	// stepSlots is how many slots a step looks at. It takes some milliseconds, or some ten where
	// the memory was never touched.
	stepSlots = 1 << 16
	// stepShare: one entry is stored between two steps for so many slots that a step looks at. In
	// all the steps of a growth these are a fortieth of the entries that are moved, so that the
	// slots left do not fill up.
	stepShare = 64
)

// grown returns the number of homes nearest to n that the memory has room for. A last small step is
// merged with the one before.
func (t *table) grown(n uint64) uint64 {
	most := uint64(t.most - window)
	if n > most/2 {
		return most
	}
	return n
}

// larger returns the number of homes when the table has grown.
func (t *table) larger() uint64 {
	if t.homes < manyHomes {
		return t.grown(t.homes * 4)
	}
	return t.grown(t.homes * 2)
}

// isFull reports whether it is time to make room.
func (t *table) isFull() bool { return t.used.Load() >= t.room }

// planRoom says when the next step is due: soon while there is something to do. Otherwise at seven
// tenths of the homes, beyond which probes get long, and before that when there is memory to
// populate.
func (t *table) planRoom() {
	if t.isGrowing() || t.isCollecting() {
		t.room = t.used.Load() + int64(t.step/stepShare)
		return
	}
	t.room = t.populateNext()
}

// fullAt is how many entries a table of so many homes may have.
func fullAt(homes uint64) int64 { return int64(homes / 10 * 7) }

func (t *table) isGrowing() bool    { return t.boundary > 0 }
func (t *table) isCollecting() bool { return t.collection.next > 0 }

// makeRoom does the next step.
func (t *table) makeRoom() {
	switch full := t.used.Load() >= fullAt(t.homes); {
	case t.isGrowing():
		t.growOn()
	case t.isCollecting():
		t.collectOn()
	case full && t.larger() > t.homes:
		t.grow(t.larger())
	case full:
		t.collect()
	default:
		t.populate()
	}
	t.planRoom()
}

// finishMoving does all the steps that are left.
func (t *table) finishMoving() {
	for t.isGrowing() || t.isCollecting() {
		t.makeRoom()
	}
}

// grow begins to move the entries to where look-ups find them among n homes, at least twice as many
// as before.
//
// The homes of two keys are in the same order whatever their number (home). So the entries are
// moved from the last to the first, and each goes to slots that no entry has still to leave. An
// entry may have to wait for those before it near the front, where it lies almost as far from its
// home as that moves on, and at the boundary, if its home lies before that.
//
// Between two steps, the boards whose home lay before the boundary are where they were, and all
// others have moved on. Nothing of either is in the way of the other: what lies among so many homes
// has moved at least twice as far, and near the front all is moved in one step.
func (t *table) grow(n uint64) {
	t.populated.wait()
	if t.homes < shortHomes {
		t.spread(n)
		return
	}
	t.takeFor(n)
	t.before, t.boundary, t.homes = t.homes, int(t.homes), n
	t.growOn()
}

// spread moves all entries to where look-ups find them among n homes, which are few. Those of one
// board keep their order, so that a search finds the same as if the homes had been there at first.
func (t *table) spread(n uint64) {
	t.moves++
	slots, origins := t.slots[:t.homes+window], t.origins[:t.homes+window]
	t.spare.slots = append(t.spare.slots[:0], slots...)
	t.spare.origins = append(t.spare.origins[:0], origins...)
	clear(slots)
	clear(origins)
	t.takeFor(n)
	t.homes = n
	for i := range t.spare.slots {
		if s := &t.spare.slots[i]; s.check != 0 {
			t.settle(s, &t.spare.origins[i])
		}
	}
}

// growOn moves the entries of the last slots that have not been looked at.
func (t *table) growOn() {
	t.moves++
	type waiting struct {
		slot
		origin
	}
	// Homes at least double, and an entry lies less than a window from its home.
	var list [2 * window]waiting
	wait := list[:0]
	last := t.boundary + window - 1
	if t.boundary -= t.step; t.boundary < 4*window {
		t.boundary = 0
	}
	for i := last; i >= t.boundary; i-- {
		s := t.slots[i]
		if s.check == 0 {
			continue
		}
		o := t.origins[i]
		t.slots[i], t.origins[i] = slot{}, origin{}
		if t.home(s.check^s.claim) < i {
			wait = append(wait, waiting{s, o})
		} else {
			t.settle(&s, &o)
		}
	}
	for i := range wait {
		t.settle(&wait[i].slot, &wait[i].origin)
	}
}

// settle puts an entry into the first empty slot of its window. If there is none, because more than
// a window of boards belong in one place, it is forgotten.
func (t *table) settle(s *slot, o *origin) {
	home := t.home(s.check ^ s.claim)
	probe := t.slots[home : home+window]
	for i := range probe {
		if probe[i].check == 0 {
			probe[i], t.origins[home+i] = *s, *o
			return
		}
	}
	t.used.Add(-1)
}

// A collection removes the entries that cost least, about half of all, from the first slot to the
// last.
type collection struct {
	next  int // index of the slot to look at next; 0: nothing is being collected
	class int // entries of lesser classes go (classOf)
	share int // and so do these 256ths of this one, by the key's bits
}

// collect begins a collection.
func (t *table) collect() {
	t.collections++
	t.partial = true
	// The median of the entries by their classes. Of a great table a part of the slots tells.
	const sample = 1 << 18
	var classes [72]int
	total := 0
	slots := t.slots[:t.homes+window]
	for i := 0; i < len(slots); i += 1 + len(slots)/sample {
		if e := &slots[i]; e.check != 0 {
			classes[classOf(e)]++
			total++
		}
	}
	target, class := total/2, 0
	for target >= classes[class] {
		target -= classes[class]
		class++
	}
	t.collection = collection{class: class}
	if classes[class] > 0 {
		t.collection.share = target * 256 / classes[class]
	}
	t.collectOn()
}

// classOf returns the bit length of what an entry is worth.
func classOf(e *slot) int {
	v := uint64(amountOf(e.rest))
	if claim(e.claim).isSolved() {
		v = v*8 + 8
	}
	return bits.Len64(v)
}

// collectOn removes those of the next slots, and closes the gaps. It ends at an empty slot, beyond
// which no entry has a home before it.
func (t *table) collectOn() {
	t.moves++
	slots := t.slots[:t.homes+window]
	c := &t.collection
	i := c.next
	for ; i < len(slots); i++ {
		e := &slots[i]
		if e.check == 0 {
			if i >= c.next+t.step {
				break
			}
			continue
		}
		// An entry never moves beyond its own slot, so none that has been moved ever has a slot
		// before it that could fall empty.
		s, o := *e, t.origins[i]
		*e, t.origins[i] = slot{}, origin{}
		key := s.check ^ s.claim
		if class := classOf(&s); class < c.class || class == c.class && int(key>>32&255) < c.share {
			t.used.Add(-1)
			continue
		}
		t.settle(&s, &o)
	}
	if c.next = i; i == len(slots) {
		*c = collection{}
	}
}

// The first touch of memory is dear: the system has to find a page and to clear it, some
// microseconds for each. So a goroutine of its own touches what the table will grow into, a piece
// at a time and no faster than the table fills, from populateFrom on.
const (
	populatePiece = 16 << 20 // bytes
	pageBytes     = 4 << 10
)

// populated is how much of the memory has been touched, or is being.
type populated struct {
	entries int // the first so many
	running sync.WaitGroup
}

func (p *populated) wait() { p.running.Wait() }

// populateFrom is how many entries a table of so many homes has when it begins to populate what it
// will grow into.
func populateFrom(homes uint64) int64 { return fullAt(homes) / 4 * 3 }

// populateNext returns how many entries there are when the next piece is to be populated, or the
// table is full.
func (t *table) populateNext() int64 {
	full := fullAt(t.homes)
	next := int(t.larger()) + window
	done := max(t.populated.entries, int(t.homes)+window)
	if (next-done)*entryBytes < populatePiece || runtime.GOMAXPROCS(0) == 1 {
		return full
	}
	from := populateFrom(t.homes)
	whole := next - int(t.homes) - window
	return from + int64(float64(full-from)*float64(done-int(t.homes)-window)/float64(whole))
}

// populate has the next piece touched.
func (t *table) populate() {
	p := &t.populated
	p.wait()
	from := max(p.entries, int(t.homes)+window)
	to := min(from+populatePiece/entryBytes, len(t.slots))
	p.entries = to
	slots, origins := t.slots[from:to], t.origins[from:to]
	p.running.Go(func() {
		for i := 0; i < len(slots); i += pageBytes / slotBytes {
			slots[i].check = 0
		}
		for i := 0; i < len(origins); i += pageBytes / originBytes {
			origins[i].parentKey = 0
		}
	})
}
