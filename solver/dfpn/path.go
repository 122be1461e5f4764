package dfpn

import "github.com/tsumero/tsumero/shogi"

// stepKey is the part of a path's key that the move m at depth adds.
func stepKey(m shogi.Move, depth int32) uint64 {
	z := uint64(m)<<32 | uint64(uint32(depth))
	z = (z + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>29) * 0x94d049bb133111eb
	return z ^ z>>32
}

// A pathTable remembers disproofs that hold on one path only, because they lean on a repetition of an ancestor.
type pathTable struct {
	entries []pathEntry
	used    bool
}

func (t *pathTable) clear() {
	if t.used {
		clear(t.entries)
		t.used = false
	}
}

type pathEntry struct {
	key     uint64 // path, board and hand
	loopTop int32
	len     int32
}

func (t *pathTable) init(n int) { t.entries = make([]pathEntry, n) }

func pathSlot(path, key uint64, hand shogi.Hand) uint64 {
	z := path ^ key*0xff51afd7ed558ccd ^ uint64(hand)*0xc4ceb9fe1a85ec53
	z = (z ^ z>>31) * 0x9fb21c651e98df25
	return z ^ z>>28 | 1
}

func (t *pathTable) put(path, key uint64, hand shogi.Hand, loopTop, length int32) {
	k := pathSlot(path, key, hand)
	n := uint64(len(t.entries))
	e := &t.entries[k>>8%n]
	if e.key == k && e.len >= length {
		return
	}
	*e = pathEntry{k, loopTop, length}
	t.used = true
}

func (t *pathTable) get(path, key uint64, hand shogi.Hand, length int32) (loopTop, n int32, ok bool) {
	k := pathSlot(path, key, hand)
	e := &t.entries[k>>8%uint64(len(t.entries))]
	if e.key != k || e.len < length {
		return 0, 0, false
	}
	return e.loopTop, e.len, true
}
