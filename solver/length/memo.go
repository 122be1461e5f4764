package length

import "github.com/tsumero/tsumero/shogi"

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
	length       int32 // the least it can be, or, if exact, what it is
	exact        bool
	best         shogi.Move
	work         uint16 // log2 of the nodes it took
	generation   uint32
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
		*e = memoEntry{key: key, black: p.Hand(shogi.Black), white: p.Hand(shogi.White), generation: t.generation}
	}
	e.length, e.exact, e.best, e.work = int32(length), exact, best, max(e.work, work)
}
