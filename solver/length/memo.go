package length

import (
	"math"

	"github.com/tsumero/tsumero/shogi"
)

// A memo remembers lengths by board and both hands. It has the same size everywhere, and when it is
// full the new takes the place of what was cheapest to find: it only saves work, but how much is
// counted in nodes, and answers may not depend on the machine.
type memo struct {
	entries    []memoEntry
	generation uint32 // entries of another one are empty
}

type memoEntry struct {
	key          uint64 // of board, hands and the side to move
	black, white shogi.Hand
	least, most  int16 // what the length can be; endless: there is no mate, or no bound
	failed       int16 // for so many plies nothing was found from above, with so much effort
	effort       uint16
	best         shogi.Move
	work         uint16 // log2 of the nodes it took
	generation   uint32
}

// endless is Unbounded in a memo.
const endless = math.MaxInt16

func (m *memoEntry) isExact() bool { return m.least == m.most }

// length returns the least that the length can be.
func (m *memoEntry) length() int {
	if m.least == endless {
		return Unbounded
	}
	return int(m.least)
}

const (
	memoEntries = 1 << 19 // 16 MiB
	memoWays    = 4
)

// MemoBytes is the memory of an Engine.
const MemoBytes = memoEntries * 32

// clear forgets everything.
func (t *memo) clear() {
	if t.entries == nil {
		t.entries = make([]memoEntry, memoEntries)
	}
	if t.generation++; t.generation == 0 {
		clear(t.entries)
		t.generation = 1
	}
}

// bucket returns the entries that may be those of p.
func (t *memo) bucket(key uint64) []memoEntry {
	i := key * 0x9e3779b97f4a7c15 >> 32 % (memoEntries / memoWays) * memoWays
	return t.entries[i : i+memoWays]
}

// get returns the entry of p, nil if there is none. It is valid until the next put.
func (t *memo) get(p *shogi.Position) *memoEntry {
	key := p.Key()
	bucket := t.bucket(key)
	for i := range bucket {
		if e := &bucket[i]; e.key == key && e.generation == t.generation &&
			e.black == p.Hand(shogi.Black) && e.white == p.Hand(shogi.White) {
			return e
		}
	}
	return nil
}

// put remembers the length of p, or the least it can be.
func (t *memo) put(p *shogi.Position, length int, exact bool, best shogi.Move, work uint16) {
	e := t.entry(p, work)
	e.least, e.best = max(e.least, int16(min(length, endless))), best
	if exact {
		e.most = e.least
	}
}

// atLeast, atMost and notFound remember what is known of the length of p: bounds, and that looking
// for one of at most so many plies was in vain.
func (t *memo) atLeast(p *shogi.Position, length int, work uint16) {
	e := t.entry(p, work)
	e.least = max(e.least, int16(min(length, endless)))
}

func (t *memo) atMost(p *shogi.Position, length int, work uint16) {
	e := t.entry(p, work)
	e.most = min(e.most, int16(min(length, endless)))
}

func (t *memo) notFound(p *shogi.Position, plies int, effort, work uint16) {
	e := t.entry(p, work)
	if effort > e.effort {
		e.failed, e.effort = -1, effort
	}
	e.failed = max(e.failed, int16(plies))
}

// mayBeWithin reports whether looking for a length of at most b with that effort may find one.
func (m *memoEntry) mayBeWithin(b int, effort uint16) bool {
	return int(m.least) <= b && (int(m.failed) < b || m.effort < effort)
}

// entry returns the entry of p, a new one if there is none.
func (t *memo) entry(p *shogi.Position, work uint16) *memoEntry {
	e := t.get(p)
	if e == nil {
		key := p.Key()
		bucket := t.bucket(key)
		e = &bucket[0]
		for i := range bucket {
			if bucket[i].generation != t.generation {
				e = &bucket[i]
				break
			}
			if bucket[i].work < e.work {
				e = &bucket[i]
			}
		}
		*e = memoEntry{key: key, black: p.Hand(shogi.Black), white: p.Hand(shogi.White), most: endless,
			failed: -1, generation: t.generation}
	}
	e.work = max(e.work, work)
	return e
}
