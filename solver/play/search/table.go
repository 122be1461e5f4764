package search

import (
	"math/bits"
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A table remembers what searches found out about positions. Several goroutines share it without a
// lock: a slot whose two words do not belong together, because two of them wrote it at once, is a
// miss.
type table struct {
	slots []slot
	mask  uint64
	age   uint8
	used  bool // there may be something in it
}

// A slot is 16 bytes, and four of them are a bucket, a cache line.
//
//	bits  0-15  move
//	bits 16-31  score
//	bits 32-47  static evaluation
//	bits 48-55  depth + depthOffset
//	bits 56-57  bound
//	bits 58-63  age
type slot struct {
	key  atomic.Uint64 // of the position, xor data
	data atomic.Uint64
}

const (
	slotBytes   = 16
	bucketSlots = 4
	ageMask     = 63
	depthOffset = 8 // depths of quiescence are not above 0
)

// The bounds of an entry.
const (
	upperBound = 1
	lowerBound = 2
	exactBound = upperBound | lowerBound
)

// An entry is what a slot holds. Mate scores count from the position itself.
type entry struct {
	move  shogi.Move
	score int
	eval  int
	depth int
	bound uint8
}

// decides reports whether the score tells if the position is worth v or more, or less.
func (e *entry) decides(v int) bool {
	if e.score >= v {
		return e.bound&lowerBound != 0
	}
	return e.bound&upperBound != 0
}

// boundOf returns what score, found with a window, is to the value of a position.
func boundOf(score, alpha, beta int) uint8 {
	switch {
	case score >= beta:
		return lowerBound
	case score <= alpha:
		return upperBound
	}
	return exactBound
}

// noEval stands for a position in check, which has no static evaluation.
const noEval = -32768

// newTable returns a table of at most so many bytes, a power of two of them.
func newTable(tableBytes int) *table {
	n := max(tableBytes/slotBytes, bucketSlots)
	n = 1 << (bits.Len(uint(n)) - 1)
	return &table{slots: make([]slot, n), mask: uint64(n-1) &^ (bucketSlots - 1)}
}

// clear forgets everything. To touch a large table takes longer than a move may take, so that an
// empty one is left alone.
func (t *table) clear() {
	if t.used {
		clear(t.slots)
	}
	t.age, t.used = 0, false
}

// nextAge tells the table that another search begins: what earlier ones stored goes first.
func (t *table) nextAge() { t.age, t.used = (t.age+1)&ageMask, true }

// bucket returns the first slot of the bucket of key.
func (t *table) bucket(key uint64) uint64 { return (key * 0x9e3779b97f4a7c15 >> 20) & t.mask }

// fetch brings the bucket of key into the cache, so that probe need not wait for it. Several at once
// take hardly longer than one.
func (t *table) fetch(key uint64) { t.slots[t.bucket(key)].key.Load() }

// probe returns what is stored for key, for a position ply plies below the root.
func (t *table) probe(key uint64, ply int) (e entry, ok bool) {
	first := t.bucket(key)
	for i := range uint64(bucketSlots) {
		s := &t.slots[first+i]
		data := s.data.Load()
		if s.key.Load()^data != key || data == 0 {
			continue
		}
		e = entry{
			move:  shogi.Move(data),
			score: fromTable(int(int16(data>>16)), ply),
			eval:  int(int16(data >> 32)),
			depth: int(data>>48&0xff) - depthOffset,
			bound: uint8(data>>56) & 3,
		}
		return e, true
	}
	return e, false
}

// store remembers e for key, ply plies below the root, in the place of what is worth least.
func (t *table) store(key uint64, ply int, e entry) {
	first := t.bucket(key)
	var victim *slot
	least := 1 << 30
	for i := range uint64(bucketSlots) {
		s := &t.slots[first+i]
		data := s.data.Load()
		if data == 0 || s.key.Load()^data == key {
			if data != 0 {
				if e.move == shogi.NoMove {
					e.move = shogi.Move(data)
				}
				// A shallow bound says less than a deep one of the same search.
				depth := int(data>>48&0xff) - depthOffset
				if e.bound != exactBound && e.depth+3 < depth && uint8(data>>58) == t.age {
					return
				}
			}
			victim = s
			break
		}
		older := int(t.age-uint8(data>>58)) & ageMask
		if worth := int(data>>48&0xff) - 8*older; worth < least {
			least, victim = worth, s
		}
	}
	data := uint64(e.move) | uint64(uint16(toTable(e.score, ply)))<<16 | uint64(uint16(e.eval))<<32 |
		uint64(e.depth+depthOffset)<<48 | uint64(e.bound)<<56 | uint64(t.age)<<58
	victim.data.Store(data)
	victim.key.Store(key ^ data)
}

// fill returns how much of the table the current search has filled, 0 to 1, by a sample.
func (t *table) fill() float64 {
	sample := min(len(t.slots), 1000)
	n := 0
	for i := range sample {
		if data := t.slots[i].data.Load(); data != 0 && uint8(data>>58) == t.age {
			n++
		}
	}
	return float64(n) / float64(sample)
}

// toTable makes a score of the root one of the position ply plies below it: there a mate is nearer.
func toTable(score, ply int) int {
	switch {
	case score > int(play.MaxCentipawns):
		return score + ply
	case score < -int(play.MaxCentipawns):
		return score - ply
	}
	return score
}

// fromTable takes toTable back.
func fromTable(score, ply int) int {
	switch {
	case score > int(play.MaxCentipawns):
		return score - ply
	case score < -int(play.MaxCentipawns):
		return score + ply
	}
	return score
}
