package dfpn

import "github.com/tsumero/tsumero/shogi"

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

// A pathTable remembers disproofs that hold on one path only. Each slot keeps the last one.
type pathTable struct {
	entries []pathEntry
	used    bool
}

type pathEntry struct {
	key       uint64 // path, board and hand; 0: empty
	loopDepth int32
	len       int32 // no mate within so many plies
}

// pathEntries is the size of the pathTable of a thread: 4 MiB.
const pathEntries = 1 << 18

func newPathTable() pathTable { return pathTable{entries: make([]pathEntry, pathEntries)} }

func (t *pathTable) clear() {
	if t.used {
		clear(t.entries)
		t.used = false
	}
}

func pathEntryKey(path, key uint64, hand shogi.Hand) uint64 {
	z := path ^ key*0xff51afd7ed558ccd ^ uint64(hand)*0xc4ceb9fe1a85ec53
	z = (z ^ z>>31) * 0x9fb21c651e98df25
	return z ^ z>>28 | 1
}

func (t *pathTable) slot(k uint64) *pathEntry { return &t.entries[k>>8%uint64(len(t.entries))] }

// put stores the disproof v of a position at the end of path.
func (t *pathTable) put(path, key uint64, hand shogi.Hand, v *value) {
	k := pathEntryKey(path, key, hand)
	e := t.slot(k)
	if e.key == k && e.len >= v.len {
		return
	}
	*e = pathEntry{k, v.loopDepth, v.len}
	t.used = true
}

// get returns the disproof of a position at the end of path, if one for length plies is stored.
func (t *pathTable) get(path, key uint64, hand shogi.Hand, length int32) (v value, ok bool) {
	k := pathEntryKey(path, key, hand)
	e := t.slot(k)
	if e.key != k || e.len < length {
		return value{}, false
	}
	return disprovedValue(hand, e.len, e.loopDepth), true
}
