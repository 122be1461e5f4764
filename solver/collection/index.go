package collection

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"sort"
)

// A Relation says how a problem is like another one.
type Relation uint8

const (
	Duplicate  Relation = iota + 1 // the same, perhaps with the colours exchanged
	MirrorTwin                     // the same, mirrored
	Contained                      // it is a position on the other's main line
	Contains                       // the other is a position on its main line
	OtherHand                      // the same figure, with other hands
	// Changed: one or two pieces are added or missing, or one is another or elsewhere. Twice as many
	// are the same: figures of two or three pieces are all alike.
	Changed
	Shifted  // the same figure and hand elsewhere on the board
	SameEnd  // the same final figure and last move
	SameIdea // the same first moves, or all but one of them, wherever the king stands
	NumRelations
)

var relationNames = [NumRelations]string{"", "duplicate", "mirror_twin", "contained", "contains",
	"other_hand", "changed", "shifted", "same_end", "same_idea"}

// String returns "duplicate", "mirror_twin", "contained", "contains", "other_hand", "changed",
// "shifted", "same_end" or "same_idea".
func (r Relation) String() string { return relationNames[r] }

// ParseRelation reads the name of a relation.
func ParseRelation(s string) (Relation, error) {
	for r := Duplicate; r < NumRelations; r++ {
		if r.String() == s {
			return r, nil
		}
	}
	return 0, fmt.Errorf("collection: %.30q is no relation between problems", s)
}

// Converse returns the relation of the other problem to the first.
func (r Relation) Converse() Relation {
	switch r {
	case Contained:
		return Contains
	case Contains:
		return Contained
	}
	return r
}

// A Match is a problem of an Index that is like another one.
type Match struct {
	ID       int // as Add returned it
	Relation Relation
	// Detail is, of Contained and Contains, the ply of the longer main line at which the other
	// problem begins, 3 or more; of Changed, how many pieces only one of the two has, 1 or 2, where
	// one that moved counts twice; of SameIdea, how many steps the lines have in common at their
	// beginning.
	Detail int
	// Mirrored says of Changed and Shifted that one of the two has to be mirrored.
	Mirrored bool
}

// An Index holds what some problems are known by and finds those that are like another one. The zero
// Index is empty. It is not for concurrent use while problems are added.
type Index struct {
	seed maphash.Seed
	// first[i] is the place in hashes of the first hash of problem i: those of the marks that all
	// problems have, in their order, and then one for each of its Nodes. A hash is 0 if the problem
	// has no such mark.
	first  []uint32
	hashes []uint64
	next   []uint32 // the place of the next hash in the same bucket, plus 1
	// buckets hold the place of a hash, plus 1. Their number is a power of two.
	buckets []uint32

	// What the problems consist of, one after the other, each from its number in starts.
	starts   []start
	pieces   []piece
	steps    []step
	mirrored []bool // Description.Mirrored
}

type start struct{ pieces, steps uint32 }

// The marks of a problem, in the order of their hashes. Two lines of n steps, five or more, that
// differ in one step have the first n/2 steps in common or the others. And if the pieces of a
// problem are in four parts, each of which is found by the pieces alone, a change of two pieces
// leaves two of the parts as they were, so that one of the six pairs of parts is the same.
const (
	markKey = iota
	markFigure
	markShift
	markFinal
	markBeginning // the first three steps
	markFirstHalf
	markSecondHalf
	markPairs
	markNodes = markPairs + 6

	parts          = 4
	beginningSteps = 3 // of a line that make an idea
	leastEdited    = 5 // steps of lines that may differ in one
)

// Len returns how many problems there are.
func (x *Index) Len() int { return len(x.starts) }

// Add puts a problem into the index and returns its number: 0 for the first, and so on.
func (x *Index) Add(d *Description) int {
	if x.Len() == 0 {
		x.seed = maphash.MakeSeed()
		x.first = append(x.first, 0)
	}
	id := x.Len()
	x.starts = append(x.starts, start{uint32(len(x.pieces)), uint32(len(x.steps))})
	x.pieces = append(x.pieces, d.pieces...)
	x.steps = append(x.steps, d.line...)
	x.mirrored = append(x.mirrored, d.Mirrored)
	from := len(x.hashes)
	x.hashes = x.appendMarks(x.hashes, d, d.pieces, d.line)
	for _, key := range d.Nodes {
		x.hashes = append(x.hashes, x.text(markKey, key)) // as if it were a diagram
	}
	x.first = append(x.first, uint32(len(x.hashes)))
	x.next = append(x.next, make([]uint32, len(x.hashes)-from)...)
	if len(x.hashes) > len(x.buckets) {
		x.rehash()
	} else {
		x.link(from)
	}
	return id
}

// appendMarks appends the hashes of the marks of d, with its pieces and line as they are or
// mirrored.
func (x *Index) appendMarks(dst []uint64, d *Description, pieces []piece, line []step) []uint64 {
	dst = append(dst, x.text(markKey, d.Key), x.text(markFigure, d.Figure), x.text(markShift, d.Shift))
	final := uint64(0)
	if d.Final != "" {
		final = x.text(markFinal, d.Final)
	}
	var beginning, firstHalf, secondHalf uint64
	if n := len(line); n >= beginningSteps {
		beginning = x.sequence(markBeginning, 0, line[:beginningSteps])
		if n >= leastEdited {
			firstHalf = x.sequence(markFirstHalf, n, line[:n/2])
			secondHalf = x.sequence(markSecondHalf, n, line[n/2:])
		}
	}
	dst = append(dst, final, beginning, firstHalf, secondHalf)
	var sums [parts]uint64
	for _, p := range pieces {
		h := maphash.Comparable(x.seed, p)
		sums[h%parts] += h | 1
	}
	for i := range sums {
		for j := range i {
			dst = append(dst, x.pair(j, i, sums[j], sums[i]))
		}
	}
	return dst
}

func (x *Index) text(mark int, s string) uint64 {
	return maphash.String(x.seed, s) + uint64(mark)
}

func (x *Index) sequence(mark, n int, line []step) uint64 {
	h := uint64(mark)<<32 | uint64(n)
	for _, s := range line {
		h = maphash.Comparable(x.seed, [2]uint64{h, uint64(s)})
	}
	return h
}

func (x *Index) pair(i, j int, a, b uint64) uint64 {
	return maphash.Comparable(x.seed, [3]uint64{uint64(i<<8 | j), a, b})
}

// link puts the hashes from a place on into their buckets.
func (x *Index) link(from int) {
	mask := uint64(len(x.buckets) - 1)
	for at := from; at < len(x.hashes); at++ {
		if h := x.hashes[at]; h != 0 {
			x.next[at] = x.buckets[h&mask]
			x.buckets[h&mask] = uint32(at) + 1
		}
	}
}

// rehash doubles the buckets.
func (x *Index) rehash() {
	x.buckets = make([]uint32, max(1024, 2*len(x.buckets)))
	clear(x.next)
	x.link(0)
}

// find yields the number of each problem that has the hash, and which of its hashes that is.
func (x *Index) find(h uint64) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if h == 0 || len(x.buckets) == 0 {
			return
		}
		for at := x.buckets[h&uint64(len(x.buckets)-1)]; at != 0; at = x.next[at-1] {
			if x.hashes[at-1] != h {
				continue
			}
			id := sort.Search(x.Len(), func(i int) bool { return x.first[i+1] >= at })
			if !yield(id, int(at-1-x.first[id])) {
				return
			}
		}
	}
}

// piecesOf returns the pieces of a problem.
func (x *Index) piecesOf(id int) []piece {
	end := uint32(len(x.pieces))
	if id+1 < x.Len() {
		end = x.starts[id+1].pieces
	}
	return x.pieces[x.starts[id].pieces:end]
}

// stepsOf returns the line of a problem.
func (x *Index) stepsOf(id int) []step {
	end := uint32(len(x.steps))
	if id+1 < x.Len() {
		end = x.starts[id+1].steps
	}
	return x.steps[x.starts[id].steps:end]
}

// Related returns the problems that are like d in one of the given ways, in order of their numbers
// and of the relations. What is a duplicate or a mirror twin is nothing else; what is only another
// hand is not Changed or Shifted too.
func (x *Index) Related(d *Description, relations ...Relation) []Match {
	if x.Len() == 0 {
		return nil
	}
	var want [NumRelations]bool
	for _, r := range relations {
		want[r] = true
	}
	var found []Match
	same := map[int]bool{} // duplicates and twins
	marks := x.appendMarks(nil, d, d.pieces, d.line)
	for id, i := range x.find(marks[markKey]) {
		switch {
		case i >= markNodes:
			if want[Contained] {
				found = append(found, Match{ID: id, Relation: Contained, Detail: 2*(i-markNodes) + 3})
			}
		case x.mirrored[id] == d.Mirrored:
			same[id] = true
			if want[Duplicate] {
				found = append(found, Match{ID: id, Relation: Duplicate})
			}
		default:
			same[id] = true
			if want[MirrorTwin] {
				found = append(found, Match{ID: id, Relation: MirrorTwin})
			}
		}
	}
	if want[Contains] {
		for n, key := range d.Nodes {
			for id, i := range x.find(x.text(markKey, key)) {
				if i == markKey {
					found = append(found, Match{ID: id, Relation: Contains, Detail: 2*n + 3})
				}
			}
		}
	}
	near := map[int]bool{}
	if want[OtherHand] || want[Changed] || want[Shifted] {
		for id, i := range x.find(marks[markFigure]) {
			if i != markFigure || same[id] {
				continue
			}
			near[id] = true
			if want[OtherHand] {
				found = append(found, Match{ID: id, Relation: OtherHand})
			}
		}
	}
	if want[Changed] || want[Shifted] {
		found = x.appendNear(found, d, want, func(id int) bool { return same[id] || near[id] })
	}
	if want[SameEnd] {
		for id, i := range x.find(marks[markFinal]) {
			if i == markFinal && !same[id] {
				found = append(found, Match{ID: id, Relation: SameEnd})
			}
		}
	}
	if want[SameIdea] {
		found = x.appendIdeas(found, d, func(id int) bool { return same[id] })
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Relation, b.Relation))
	})
	return found
}

// appendNear appends what is Changed or Shifted.
func (x *Index) appendNear(found []Match, d *Description, want [NumRelations]bool,
	skip func(int) bool) []Match {
	type candidate struct {
		distance int
		mirrored bool
	}
	best := map[int]candidate{}
	seen := map[int]bool{}
	for _, mirrored := range [2]bool{false, true} {
		pieces := d.pieces
		if mirrored {
			pieces = mirroredPieces(pieces)
		}
		clear(seen)
		marks := x.appendMarks(nil, d, pieces, nil)
		for i := markPairs; i < markNodes; i++ {
			for id, j := range x.find(marks[i]) {
				if i != j || seen[id] || skip(id) {
					continue
				}
				seen[id] = true
				n := difference(pieces, x.piecesOf(id), 2)
				if n > 0 && (len(pieces)+len(x.piecesOf(id))-n)/2 < 2*n {
					continue
				}
				if before, ok := best[id]; n <= 2 && (!ok || n < before.distance) {
					best[id] = candidate{n, mirrored}
				}
			}
		}
	}
	for id, c := range best {
		m := Match{ID: id, Relation: Changed, Detail: c.distance, Mirrored: c.mirrored}
		if c.distance == 0 {
			m.Relation = Shifted
		}
		if want[m.Relation] {
			found = append(found, m)
		}
	}
	return found
}

// difference returns how many pieces only one of two sorted lists has, or more than most.
func difference(a, b []piece, most int) int {
	n := len(a) - len(b)
	if max(n, -n) > most {
		return most + 1
	}
	n = 0
	for len(a) > 0 && len(b) > 0 && n <= most {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a, n = a[1:], n+1
		default:
			b, n = b[1:], n+1
		}
	}
	return n + len(a) + len(b)
}

// appendIdeas appends what is of the SameIdea: the first steps are the same, or all but one.
func (x *Index) appendIdeas(found []Match, d *Description, skip func(int) bool) []Match {
	common := map[int]int{}
	for i, line := range [2][]step{d.line, mirroredSteps(d.line)} {
		marks := x.appendMarks(nil, d, nil, line)
		for mark := markBeginning; mark <= markSecondHalf; mark++ {
			if i == 1 && mark == markBeginning {
				continue // lines that begin alike do so in the orientation they have
			}
			for id, j := range x.find(marks[mark]) {
				if j != mark || skip(id) {
					continue
				}
				n, differ := compareSteps(line, x.stepsOf(id))
				before, ok := common[id]
				if n >= beginningSteps || differ <= 1 {
					if !ok || n > before {
						common[id] = n
					}
				}
			}
		}
	}
	for id, n := range common {
		found = append(found, Match{ID: id, Relation: SameIdea, Detail: n})
	}
	return found
}

// compareSteps returns how many steps two lines have in common at their beginning, and in how many
// they differ if they are equally long.
func compareSteps(a, b []step) (common, differ int) {
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	if len(a) != len(b) {
		return common, math.MaxInt
	}
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	return common, differ
}
