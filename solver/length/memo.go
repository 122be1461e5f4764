package length

import "github.com/tsumero/tsumero/shogi"

// A memo remembers lengths by board and both hands. It has the same size everywhere, and when it is
// full the new takes the place of what was cheapest to find: it only saves work, but how much is
// counted in nodes, and answers may not depend on the machine.
type memo struct {
	entries []memoEntry
	used    bool
}

type memoEntry struct {
	key          uint64 // of the board, and the side to move; 0: empty
	black, white shogi.Hand
	length       int32 // the least it can be, or, if exact, what it is
	exact        bool
	best         shogi.Move
	work         uint16 // log2 of the nodes it took, times 4
}

const (
	memoEntries = 1 << 19 // 16 MiB
	memoWays    = 4
)

// MemoBytes is the memory of an Engine.
const MemoBytes = memoEntries * 32

func (t *memo) clear() {
	if t.entries == nil {
		t.entries = make([]memoEntry, memoEntries)
	}
	if t.used {
		clear(t.entries)
		t.used = false
	}
}

// bucket returns the entries that may be those of p.
func (t *memo) bucket(key uint64) []memoEntry {
	i := key * 0x9e3779b97f4a7c15 >> 32 % (memoEntries / memoWays) * memoWays
	return t.entries[i : i+memoWays]
}

// keyOf returns the key of p: not zero.
func keyOf(p *shogi.Position) uint64 { return p.Key() | 1 }

// get returns the entry of p, nil if there is none. It is valid until the next put.
func (t *memo) get(p *shogi.Position) *memoEntry {
	key := keyOf(p)
	bucket := t.bucket(key)
	for i := range bucket {
		if e := &bucket[i]; e.key == key && e.black == p.Hand(shogi.Black) && e.white == p.Hand(shogi.White) {
			return e
		}
	}
	return nil
}

// put remembers the length of p, or the least it can be.
func (t *memo) put(p *shogi.Position, length int, exact bool, best shogi.Move, work uint16) {
	e := t.get(p)
	if e == nil {
		key := keyOf(p)
		bucket := t.bucket(key)
		e = &bucket[0]
		for i := range bucket {
			if bucket[i].key == 0 || bucket[i].work < e.work && e.key != 0 {
				e = &bucket[i]
			}
		}
		*e = memoEntry{key: key, black: p.Hand(shogi.Black), white: p.Hand(shogi.White)}
	}
	e.length, e.exact, e.best, e.work = int32(length), exact, best, max(e.work, work)
	t.used = true
}
