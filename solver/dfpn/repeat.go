package dfpn

import (
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
)

// Repetition, and the graph-history interaction (GHI) problem: the value of a position may depend
// on the path by which it was reached, while a table knows positions only.
//
// What is true here does not depend on the path. If there is a mate, there is a shortest one, and
// no line of its tree repeats a position, or the tree of the earlier occurrence would be shorter.
// So the search may count it as a failure of the attacker when a position stands on the path
// already with no less in the attacker's hand than now: perpetual check fails, and whatever mates
// now would have mated then. What depends on the path is the evidence. A disproof that leans on
// such a failure holds only while the repeated ancestor is on the path.
//
// Each disproof therefore carries loopDepth, the least depth of an ancestor it leans on. At a node
// no deeper than loopDepth every loop ends within the node's own subtree: the defender can repeat
// his refutation after any history, so the disproof is absolute and goes to the table. Any other
// holds on this path alone: the table only learns that the position has one (mayRepeat), and the
// disproof goes to the pathTable, under a code of the moves that led here. A proof never leans on
// repetition, as that only ever counts against the attacker, so it is absolute.
//
// This is the scheme of Kishimoto and Müller (2004), who keep results by path code as well, with
// loopDepth in place of their check of the ancestors. They also try a result of one path on another
// by simulation (Kawano 1996); here each path does its own search. Nagai (2002) describes the
// problem for df-pn. A disproof that the pathTable forgot is found again.

// onPathSlots is the size of searcher.onPath, a hash table of the boards on the path.
const onPathSlots = 1 << 12

// push makes a frame for the position on the board.
func (s *searcher) push(
	key, pathKey uint64, hand shogi.Hand, length int32, attacks bool,
) *frame {
	depth := int32(len(s.frames))
	slot := key % onPathSlots
	s.frames = append(s.frames, frame{
		key: key, pathKey: pathKey, hand: hand, len: length, depth: depth, attacks: attacks,
		held: noChild, first: len(s.children), sameSlot: s.onPath[slot], slider: shogi.NoSquare,
	})
	s.onPath[slot] = depth
	return &s.frames[depth]
}

// pop removes the frame on top.
func (s *searcher) pop() {
	f := &s.frames[len(s.frames)-1]
	s.onPath[f.key%onPathSlots] = f.sameSlot
	s.children = s.children[:f.first]
	s.frames = s.frames[:len(s.frames)-1]
}

// repetition returns the depth of the last ancestor with the same board and no less in the
// attacker's hand, noLoop if there is none.
func (s *searcher) repetition(key uint64, hand shogi.Hand) (depth int32) {
	for i := s.onPath[key%onPathSlots]; i != noFrame; i = s.frames[i].sameSlot {
		f := &s.frames[i]
		if f.key == key && f.hand.Covers(hand) && (f.hand == hand || !s.options.NoAncestors) {
			return i
		}
	}
	return noLoop
}

// isAbsolute reports whether the disproof v of a node at depth holds after any history.
func (v *value) isAbsolute(depth int32) bool { return v.loopDepth >= depth }

// forgetClosedLoops makes the value of a node at depth lean on nothing if it is absolute.
func (v *value) forgetClosedLoops(depth int32) {
	if v.isAbsolute(depth) {
		v.loopDepth = noLoop
	}
}

// rootPathKey is the code of the path that ends at the root, the position on the board.
func (s *searcher) rootPathKey() uint64 { return s.p.Key() * 0x9e3779b97f4a7c15 }

// stepKey is the part of a path's code that the move m at depth adds.
func stepKey(m shogi.Move, depth int32) uint64 {
	z := uint64(m)<<32 | uint64(uint32(depth))
	z = (z + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>29) * 0x94d049bb133111eb
	return z ^ z>>32
}

// A pathTable remembers disproofs that hold on one path only, for all threads of a search. Each
// entry keeps the last one.
type pathTable struct {
	entries []pathEntry
	cleared uint64 // how often
	salt    uint64 // of what was remembered since then, below the highest bit
}

// A pathEntry has two words that several threads read and write without locks, so one may be of
// another disproof than the other. Then their difference is no key that is asked for (slot).
type pathEntry struct {
	check uint64 // of path, board and hand, xor salt, xor failure; 0: empty
	failure
}

// A failure, from the lowest bit: 16 bits of how many plies there is no mate within, 16 of
// loopDepth.
type failure uint64

// pathEntries is the size of a pathTable: 4 MiB.
const pathEntries = 1 << 18

// take has the memory there. Several threads need it before they begin; one needs none until it has
// something to remember, which short searches seldom have.
func (t *pathTable) take() { t.entries = make([]pathEntry, pathEntries) }

// clear forgets everything: under another salt nothing is found that is there. To clear the memory
// would take as long as many a search.
func (t *pathTable) clear() {
	t.cleared++
	t.salt = mix(t.cleared) &^ (1 << 63)
}

func pathEntryKey(path, key uint64, hand shogi.Hand) uint64 {
	z := path ^ key*0xff51afd7ed558ccd ^ uint64(hand)*0xc4ceb9fe1a85ec53
	z = (z ^ z>>31) * 0x9fb21c651e98df25
	return z ^ z>>28 | 1<<63
}

// find returns the failure that is remembered for k, 0 if none is.
func (t *pathTable) find(k uint64) (e *pathEntry, found failure) {
	if t.entries == nil {
		return nil, 0
	}
	e = &t.entries[k>>8%uint64(len(t.entries))]
	found = failure(atomic.LoadUint64((*uint64)(&e.failure)))
	if atomic.LoadUint64(&e.check)^uint64(found) != k^t.salt {
		return e, 0
	}
	return e, found
}

// put stores the disproof v of a position at the end of path.
func (t *pathTable) put(path, key uint64, hand shogi.Hand, v *value) {
	if t.entries == nil {
		t.take()
	}
	k := pathEntryKey(path, key, hand)
	e, known := t.find(k)
	if known != 0 && known.within() >= v.len {
		return
	}
	f := uint64(uint16(v.len)) | uint64(uint16(v.loopDepth))<<16
	setWord((*uint64)(&e.failure), f)
	setWord(&e.check, k^t.salt^f)
}

func (f failure) within() int32    { return int32(uint16(f)) }
func (f failure) loopDepth() int32 { return int32(uint16(f >> 16)) }

// get returns the disproof of a position at the end of path, if one for length plies is stored.
func (t *pathTable) get(path, key uint64, hand shogi.Hand, length int32) (v value, ok bool) {
	_, f := t.find(pathEntryKey(path, key, hand))
	if f == 0 || f.within() < length {
		return value{}, false
	}
	return disprovedValue(hand, f.within(), f.loopDepth()), true
}
